//! Puts changes into the order of their times when some are told a little late.

use std::collections::VecDeque;

use super::StateRow;

/// How much later than its time a change may be told, ns.
pub const LATEST: u64 = 1_000_000;

/// Holds changes back until no earlier one can come.
#[derive(Debug, Default)]
pub struct Reorder {
    held: VecDeque<StateRow>,
    /// Time of the last change by group and CPU: a CPU's changes stay in their order.
    last: Vec<Vec<u64>>,
    newest: u64,
}

impl Reorder {
    /// Takes a change and gives those that are due.
    #[inline]
    pub fn push(&mut self, row: &StateRow, mut give: impl FnMut(&StateRow)) {
        let (group, cpu) = (row.group as usize, row.cpu as usize);
        if group >= self.last.len() {
            self.last.resize_with(group + 1, Vec::new);
        }
        let last = &mut self.last[group];
        if cpu >= last.len() {
            last.resize(cpu + 1, 0);
        }
        let ts_ns = row.ts_ns.max(last[cpu]);
        last[cpu] = ts_ns;
        let row = StateRow { ts_ns, ..*row };
        if ts_ns >= self.newest {
            self.newest = ts_ns;
            self.held.push_back(row);
        } else {
            let at = self.held.partition_point(|held| held.ts_ns <= ts_ns);
            self.held.insert(at, row);
        }
        while let Some(first) = self.held.front()
            && self.newest.saturating_sub(first.ts_ns) >= LATEST
        {
            give(first);
            self.held.pop_front();
        }
    }

    /// Gives what is left.
    pub fn finish(&mut self, give: impl FnMut(&StateRow)) {
        self.held.iter().for_each(give);
        self.held.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::states::State;

    fn row(ts_ns: u64, cpu: u32, running: u16) -> StateRow {
        let state = State {
            running,
            ..State::default()
        };
        StateRow {
            ts_ns,
            cpu,
            group: 0,
            state,
        }
    }

    #[test]
    fn late_changes_come_in_their_place() {
        let mut reorder = Reorder::default();
        let mut given = Vec::new();
        for row in [
            row(100, 0, 1),
            row(5_000, 1, 1),
            row(3_000, 0, 2),
            row(9_000, 1, 2),
            // Not before the CPU's last change.
            row(4_000, 1, 3),
            row(5_000_000, 0, 3),
        ] {
            reorder.push(&row, |row| given.push(*row));
        }
        assert_eq!(given.len(), 5, "what is far back is given");
        reorder.finish(|row| given.push(*row));
        let found: Vec<_> = given
            .iter()
            .map(|row| (row.ts_ns, row.cpu, row.state.running))
            .collect();
        let expected = [
            (100, 0, 1),
            (3_000, 0, 2),
            (5_000, 1, 1),
            (9_000, 1, 2),
            (9_000, 1, 3),
            (5_000_000, 0, 3),
        ];
        assert_eq!(found, expected);
    }
}
