//! The waits of a group, as few bytes as percentiles need.

use crate::latency::histogram::Histogram;

/// So many values are kept one by one; most groups never have more, and a histogram would take more room.
const FEW: usize = 256;

/// How far percentiles from a histogram may be off, percent.
const ERROR_PERCENT: u8 = 1;

#[derive(Debug, Clone)]
enum Values {
    Few(Vec<u64>),
    Many(Histogram),
}

/// Numbers of which percentiles are wanted. Count, sum and maximum are exact; percentiles are exact while there are few
/// numbers. Two merge into what one would be that had got all numbers, in any order.
#[derive(Debug, Clone)]
pub struct Distribution {
    values: Values,
    count: u64,
    sum: u64,
    max: u64,
}

impl Default for Distribution {
    fn default() -> Self {
        Self {
            values: Values::Few(Vec::new()),
            count: 0,
            sum: 0,
            max: 0,
        }
    }
}

/// Place of a percentile among `count` sorted numbers, from 1: the smallest number with at least so many percent of all at
/// or below it.
pub(super) fn nearest_rank(count: u64, percent: u64) -> u64 {
    ((u128::from(count) * u128::from(percent)).div_ceil(100) as u64).clamp(1, count.max(1))
}

impl Distribution {
    /// Takes in a number.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        self.sum = self.sum.saturating_add(value);
        self.max = self.max.max(value);
        self.keep(value);
    }

    /// Takes in many numbers; gives their sum.
    pub fn extend(&mut self, values: impl Iterator<Item = u64>) -> u64 {
        let (mut count, mut sum, mut max) = (0, 0_u64, self.max);
        let mut values = values.inspect(|&value| {
            count += 1;
            sum = sum.saturating_add(value);
            max = max.max(value);
        });
        while !matches!(self.values, Values::Many(_)) {
            let Some(value) = values.next() else { break };
            self.keep(value);
        }
        if let Values::Many(histogram) = &mut self.values {
            values.for_each(|value| histogram.record(value));
        }
        self.count += count;
        self.sum = self.sum.saturating_add(sum);
        self.max = max;
        sum
    }

    #[inline]
    fn keep(&mut self, value: u64) {
        match &mut self.values {
            Values::Few(values) if values.len() < FEW => values.push(value),
            Values::Few(_) => self.spill(value),
            Values::Many(histogram) => histogram.record(value),
        }
    }

    #[cold]
    fn spill(&mut self, value: u64) {
        let mut histogram = Histogram::default();
        if let Values::Few(values) = &self.values {
            for &value in values {
                histogram.record(value);
            }
        }
        histogram.record(value);
        self.values = Values::Many(histogram);
    }

    /// Takes in all numbers of another one.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.max = self.max.max(other.max);
        match &other.values {
            Values::Few(values) => {
                for &value in values {
                    self.keep(value);
                }
            }
            Values::Many(theirs) => {
                let ours = std::mem::replace(&mut self.values, Values::Many(theirs.clone()));
                match ours {
                    Values::Few(values) => {
                        for value in values {
                            self.keep(value);
                        }
                    }
                    Values::Many(ours) => {
                        if let Values::Many(sum) = &mut self.values {
                            sum.merge(&ours);
                        }
                    }
                }
            }
        }
    }

    /// How many numbers there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// The largest; `None` of nothing.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        (self.count != 0).then_some(self.max)
    }

    /// How far percentiles may be above the true ones, percent; 0 when they are exact.
    #[must_use]
    pub fn error_percent(&self) -> u8 {
        match self.values {
            Values::Few(_) => 0,
            Values::Many(_) => ERROR_PERCENT,
        }
    }

    /// Nearest-rank percentiles, in ascending order of `percents`; `None` of nothing.
    #[must_use]
    pub fn percentiles<const N: usize>(&self, percents: [u64; N]) -> [Option<u64>; N] {
        if self.count == 0 {
            return [None; N];
        }
        match &self.values {
            Values::Few(values) => {
                let mut sorted = values.clone();
                sorted.sort_unstable();
                percents.map(|percent| {
                    let rank = nearest_rank(self.count, percent);
                    sorted.get(rank as usize - 1).copied()
                })
            }
            Values::Many(histogram) => {
                let mut steps = histogram.counts();
                let (mut seen, mut value) = (0, 0);
                percents.map(|percent| {
                    let rank = nearest_rank(self.count, percent);
                    while seen < rank {
                        let Some((largest, count)) = steps.next() else {
                            break;
                        };
                        seen += count;
                        value = largest;
                    }
                    Some(value.min(self.max))
                })
            }
        }
    }
}
