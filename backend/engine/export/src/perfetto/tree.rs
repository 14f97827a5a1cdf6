//! Selection of the next of many tables: a tree of losers.

/// Place of an event among all: its time, its input, its rank there.
pub(super) type Key = (u64, u32, u64);

/// After every event: the key of a table without any.
pub(super) const END: Key = (u64::MAX, u32::MAX, u64::MAX);

/// Tables play against each other, the earlier key wins; every inner node keeps who lost there. After the winner's key
/// changed, only those on its way up play again.
#[derive(Debug)]
pub(super) struct Tree {
    keys: Vec<Key>,
    losers: Vec<usize>,
    winner: usize,
}

impl Tree {
    /// Creates the tree from the first key of each table.
    pub(super) fn new(keys: Vec<Key>) -> Self {
        let tables = keys.len();
        let mut losers = vec![0; tables];
        // The winners below each node; the tables themselves are the leaves, from place `tables` on.
        let mut winners: Vec<usize> = (0..tables).chain(0..tables).collect();
        for node in (1..tables).rev() {
            let (one, other) = (winners[2 * node], winners[2 * node + 1]);
            let (winner, loser) = if keys[other] < keys[one] {
                (other, one)
            } else {
                (one, other)
            };
            (winners[node], losers[node]) = (winner, loser);
        }
        let winner = winners.get(1).copied().unwrap_or(0);
        Self {
            keys,
            losers,
            winner,
        }
    }

    /// The next table and its key; `None` when no table has an event.
    #[inline]
    pub(super) fn first(&self) -> Option<(usize, Key)> {
        let key = self.keys.get(self.winner).copied()?;
        (key != END).then_some((self.winner, key))
    }

    /// The key up to which that table comes first: the least of all others, who all lost to it or to one that did.
    #[inline]
    pub(super) fn limit(&self) -> Key {
        let mut limit = END;
        let mut node = self.above(self.winner);
        while node > 0 {
            let key = self.keys[self.losers[node]];
            if key < limit {
                limit = key;
            }
            node /= 2;
        }
        limit
    }

    /// The node above a table.
    #[inline]
    fn above(&self, table: usize) -> usize {
        (table + self.keys.len()) >> 1
    }

    /// Gives the first table its next key.
    #[inline]
    pub(super) fn replace(&mut self, key: Key) {
        let (mut winner, mut best) = (self.winner, key);
        self.keys[winner] = key;
        let mut node = self.above(winner);
        while node > 0 {
            let other = self.keys[self.losers[node]];
            if other < best {
                std::mem::swap(&mut self.losers[node], &mut winner);
                best = other;
            }
            node /= 2;
        }
        self.winner = winner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_comes_in_the_order_of_its_keys() {
        for tables in 0..20_u64 {
            // Some have no event, some many at one time.
            let mut left: Vec<Vec<Key>> = (0..tables)
                .map(|table| {
                    let keys = (0..table % 5)
                        .map(|at| (at * at % 7 + at, (table % 3) as u32, 100 * at + table));
                    let mut keys: Vec<Key> = keys.collect();
                    keys.sort_unstable();
                    keys.reverse();
                    keys
                })
                .collect();
            let mut wanted: Vec<Key> = left.concat();
            wanted.sort_unstable();
            let mut tree = Tree::new(
                left.iter_mut()
                    .map(|keys| keys.pop().unwrap_or(END))
                    .collect(),
            );
            let mut found = Vec::new();
            while let Some((table, key)) = tree.first() {
                found.push(key);
                let others = wanted[found.len()..].iter();
                let others = others.filter(|key| !left[table].contains(key));
                assert_eq!(tree.limit(), others.min().copied().unwrap_or(END));
                tree.replace(left[table].pop().unwrap_or(END));
            }
            assert_eq!(found, wanted);
        }
    }
}
