//! The waits of a group, as few bytes as percentiles need.

use hdrhistogram::Histogram;

/// So many values are kept one by one; most groups never have more, and a histogram would take more room.
const FEW: usize = 256;

/// Digits that a histogram keeps: its percentiles are at most 1 % above the true ones.
const DIGITS: u8 = 2;

/// How far percentiles from a histogram may be off, percent.
const ERROR_PERCENT: u8 = 1;

#[derive(Debug, Clone)]
enum Values {
    Few(Vec<u64>),
    Many(Box<Histogram<u32>>),
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

/// The histogram tells larger numbers as this one: it has no room at the very end of the range, where no time is.
const LARGEST: u64 = 1 << 62;

/// With automatic size a number is refused only where memory is.
#[inline]
fn record(histogram: &mut Histogram<u32>, value: u64) {
    let kept = histogram.record(value.min(LARGEST));
    debug_assert!(kept.is_ok());
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

    #[inline]
    fn keep(&mut self, value: u64) {
        match &mut self.values {
            Values::Few(values) if values.len() < FEW => values.push(value),
            Values::Few(_) => self.spill(value),
            Values::Many(histogram) => record(histogram, value),
        }
    }

    #[cold]
    fn spill(&mut self, value: u64) {
        let Values::Few(values) = &mut self.values else {
            return;
        };
        match Histogram::<u32>::new(DIGITS) {
            Ok(mut histogram) => {
                histogram.auto(true);
                for &mut value in values {
                    record(&mut histogram, value);
                }
                record(&mut histogram, value);
                self.values = Values::Many(Box::new(histogram));
            }
            // Only an impossible number of digits is refused.
            Err(_) => values.push(value),
        }
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
                            let kept = sum.add(&*ours);
                            debug_assert!(kept.is_ok());
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
                let mut steps = histogram.iter_recorded();
                let (mut seen, mut value) = (0, 0);
                percents.map(|percent| {
                    let rank = nearest_rank(self.count, percent);
                    while seen < rank {
                        let Some(step) = steps.next() else { break };
                        seen += step.count_since_last_iteration();
                        value = step.value_iterated_to();
                    }
                    Some(value.min(self.max))
                })
            }
        }
    }
}
