//! The waits of a group, in as few bytes as percentiles need.

/// Number of values that are kept individually; most groups never have more, and a histogram would take more space.
const FEW: usize = 256;

/// Maximum error of percentiles from a histogram, percent.
const ERROR_PERCENT: u8 = 1;

#[derive(Debug, Clone)]
enum Values {
    Few(Vec<u64>),
    Many(Histogram),
}

/// Numbers of which percentiles are wanted. Count, sum and maximum are exact; percentiles are exact while there are few
/// numbers. Merging two gives the same result as one that took all numbers, in any order.
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
#[must_use]
pub fn nearest_rank(count: u64, percent: u64) -> u64 {
    ((u128::from(count) * u128::from(percent)).div_ceil(100) as u64).clamp(1, count.max(1))
}

impl Distribution {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        self.sum = self.sum.saturating_add(value);
        self.max = self.max.max(value);
        self.keep(value);
    }

    /// Adds many numbers; gives their sum.
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

    /// Adds all numbers of another one.
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

    /// Returns the number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns their sum.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// The largest; `None` without values.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        (self.count != 0).then_some(self.max)
    }

    /// Returns the maximum excess of percentiles over the true ones, percent; 0 when exact.
    #[must_use]
    pub fn error_percent(&self) -> u8 {
        match self.values {
            Values::Few(_) => 0,
            Values::Many(_) => ERROR_PERCENT,
        }
    }

    /// Nearest-rank percentiles, in ascending order of `percents`; `None` without values.
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

// Counts of numbers of any size by their leading bits, as HDR histograms have them.

/// Number of distinguished bits of a value, which is two digits: values with a common count differ by less than 1 %.
const BITS: u32 = 8;
/// Numbers of one magnitude that are distinguished, all but the smallest.
const HALF: usize = 1 << (BITS - 1);

/// Counts saturate at the largest number that fits.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    counts: Vec<u32>,
}

/// Index of a value's count; ascends with the value.
#[inline]
fn place(value: u64) -> usize {
    let magnitude = (u64::BITS - BITS) - (value | (2 * HALF as u64 - 1)).leading_zeros();
    magnitude as usize * HALF + (value >> magnitude) as usize
}

/// The largest number that is counted at a place.
fn largest(place: usize) -> u64 {
    let magnitude = (place / HALF).saturating_sub(1);
    let next = (place - magnitude * HALF + 1) as u128;
    u64::try_from((next << magnitude) - 1).unwrap_or(u64::MAX)
}

impl Histogram {
    /// Counts a value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let place = place(value);
        match self.counts.get_mut(place) {
            Some(count) => *count = count.saturating_add(1),
            None => self.first(place),
        }
    }

    /// Counts the first number of its magnitude, or of a smaller one.
    #[cold]
    fn first(&mut self, place: usize) {
        self.counts.resize((place / HALF + 1) * HALF, 0);
        self.counts[place] = 1;
    }

    /// Adds the values of another one.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (sum, count) in self.counts.iter_mut().zip(&other.counts) {
            *sum = sum.saturating_add(*count);
        }
    }

    /// The largest numbers that are counted together, and how many there are; ascending.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = self.counts.iter().enumerate();
        counts
            .filter(|(_, count)| **count != 0)
            .map(|(place, &count)| (largest(place), u64::from(count)))
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram as Reference;
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = u64> {
        (0_u32..63, any::<u64>()).prop_map(|(bits, value)| value % (1 << bits))
    }

    proptest! {
        #[test]
       fn counts_are_those_of_an_hdr_histogram(
            values in prop::collection::vec(value(), 1..300),
            more in prop::collection::vec(value(), 0..300),
        ) {
            let mut reference = Reference::<u32>::new(2).unwrap();
            reference.auto(true);
            let (mut own, mut other) = (Histogram::default(), Histogram::default());
            for &value in &values {
                own.record(value);
                reference.record(value).unwrap();
            }
            for &value in &more {
                other.record(value);
                reference.record(value).unwrap();
            }
            own.merge(&other);
            let expected: Vec<_> = reference
                .iter_recorded()
                .map(|step| (step.value_iterated_to(), step.count_since_last_iteration()))
                .collect();
            prop_assert_eq!(own.counts().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn places_have_no_gaps() {
        let mut next = 0;
        for at in 0..=place(u64::MAX) {
            assert_eq!((place(next), place(largest(at))), (at, at));
            next = largest(at).wrapping_add(1);
        }
        assert_eq!(next, 0);
    }
}
