//! Selection of the next of many sorted sources.

/// A tournament of sources that each ascend in time, repeated only along the path of the one that advanced: the cost of an
/// event grows with the logarithm of the number of sources. At the same time, the source with the lower number comes first.
#[derive(Debug)]
pub struct Tournament {
    /// The winner, then the losers of the inner nodes; the parent of node `n` is `n / 2`.
    nodes: Vec<u128>,
}

/// After all times.
const ENDED: u128 = u128::MAX;

/// The time above the source's number, so that one comparison looks at both.
fn key(ts: Option<u64>, source: usize) -> u128 {
    ts.map_or(ENDED, |ts| (u128::from(ts) << u64::BITS) | source as u128)
}

impl Tournament {
    /// Starts with the times of the sources' first events; `None` for a source without any.
    pub fn new(times: impl IntoIterator<Item = Option<u64>>) -> Self {
        let mut round: Vec<u128> = (0..).zip(times).map(|(at, ts)| key(ts, at)).collect();
        round.resize(round.len().next_power_of_two(), ENDED);
        let mut nodes = vec![ENDED; round.len()];
        while round.len() > 1 {
            let first = round.len() / 2;
            for at in 0..first {
                let (one, other) = (round[2 * at], round[2 * at + 1]);
                round[at] = one.min(other);
                nodes[first + at] = one.max(other);
            }
            round.truncate(first);
        }
        nodes[0] = round[0];
        Self { nodes }
    }

    /// The source whose event is next, and that event's time; `None` when all have ended.
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<(usize, u64)> {
        let first = self.nodes[0];
        (first != ENDED).then_some((first as u64 as usize, (first >> u64::BITS) as u64))
    }

    /// Moves the source that [`Self::first`] gave on to its next event; `None` when it has ended.
    #[inline]
    pub fn advance(&mut self, ts: Option<u64>) {
        let source = self.nodes[0] as u64 as usize;
        let mut best = key(ts, source);
        let mut at = (self.nodes.len() | (source & (self.nodes.len() - 1))) >> 1;
        while at > 0 {
            let other = self.nodes[at];
            self.nodes[at] = best.max(other);
            best = best.min(other);
            at >>= 1;
        }
        self.nodes[0] = best;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_events_come_in_order(mut sources in proptest::collection::vec(proptest::collection::vec(0_u64..20, 0..20), 0..20)) {
            let mut expected = Vec::new();
            for (at, times) in sources.iter_mut().enumerate() {
                times.sort_unstable();
                expected.extend(times.iter().map(|&ts| (ts, at)));
            }
            expected.sort_unstable();
            let mut rest: Vec<_> = sources.iter().map(|times| times.iter().copied()).collect();
            let mut tournament = Tournament::new(rest.iter_mut().map(Iterator::next));
            let mut found = Vec::new();
            while let Some((at, ts)) = tournament.first() {
                found.push((ts, at));
                tournament.advance(rest[at].next());
            }
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_last_time_of_all_is_a_time() {
        let mut tournament = Tournament::new([Some(u64::MAX)]);
        assert_eq!(tournament.first(), Some((0, u64::MAX)));
        tournament.advance(None);
        assert_eq!(tournament.first(), None);
        assert_eq!(Tournament::new([]).first(), None);
    }
}
