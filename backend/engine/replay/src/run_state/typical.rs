//! Typical time from becoming runnable on an idle CPU to running there.

/// Number of the latest times that count.
const LATEST: usize = 64;
/// With fewer nothing is typical.
const ENOUGH: usize = 8;

/// The median of the latest times, ns.
#[derive(Debug, Default)]
pub(super) struct Typical {
    times: Vec<u64>,
    next: usize,
    /// The median, until another time comes.
    median: Option<u64>,
}

impl Typical {
    #[inline]
    pub(super) fn add(&mut self, ns: u64) {
        self.median = None;
        if self.times.len() < LATEST {
            self.times.push(ns);
        } else {
            self.times[self.next] = ns;
            self.next = (self.next + 1) % LATEST;
        }
    }

    /// `None` when too few were seen.
    pub(super) fn median(&mut self) -> Option<u64> {
        if self.median.is_none() && self.times.len() >= ENOUGH {
            let mut sorted = self.times.clone();
            let middle = sorted.len() / 2;
            self.median = Some(*sorted.select_nth_unstable(middle).1);
        }
        self.median
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_ones_tell() {
        let mut typical = Typical::default();
        for ns in 1..ENOUGH as u64 {
            typical.add(ns);
            assert_eq!(typical.median(), None);
        }
        typical.add(100);
        assert_eq!(typical.median(), Some(5), "of 1 to 7 and 100");
        for _ in 0..LATEST {
            typical.add(9);
        }
        assert_eq!(typical.median(), Some(9), "the others are long gone");
    }
}
