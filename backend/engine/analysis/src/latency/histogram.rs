//! Counts of numbers of any size by their leading bits, as HDR histograms have them.

/// So many bits of a number are told apart, which is two digits: what shares a count differs by less than 1 %.
const BITS: u32 = 8;
/// Numbers of one magnitude that are told apart, all but the smallest.
const HALF: usize = 1 << (BITS - 1);

/// Each count grows to the largest number that fits and stays there.
#[derive(Debug, Clone, Default)]
pub(super) struct Histogram {
    counts: Vec<u32>,
}

/// Where a number is counted; ascends with the number.
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
    #[inline]
    pub(super) fn record(&mut self, value: u64) {
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

    pub(super) fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (sum, count) in self.counts.iter_mut().zip(&other.counts) {
            *sum = sum.saturating_add(*count);
        }
    }

    /// The largest numbers that are counted together, and how many there are; ascending.
    pub(super) fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
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
