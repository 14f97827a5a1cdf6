//! When CPUs are taken to have stopped their ticks, where only that none is recorded any more tells.

/// A moment per CPU that moves with each of its ticks.
#[derive(Debug)]
pub(super) struct Silence {
    due_ns: Vec<Option<u64>>,
    /// No moment is earlier, ns: moments move on at each tick, and the first one is only looked for when it may have come.
    first_ns: u64,
}

impl Silence {
    pub(super) fn new(cpus: usize) -> Self {
        Self {
            due_ns: vec![None; cpus],
            first_ns: u64::MAX,
        }
    }

    /// Sets a CPU's moment, or that it has none.
    #[inline]
    pub(super) fn set(&mut self, cpu: u32, due_ns: Option<u64>) {
        if let Some(due) = self.due_ns.get_mut(cpu as usize) {
            *due = due_ns;
            self.first_ns = self.first_ns.min(due_ns.unwrap_or(u64::MAX));
        }
    }

    /// No moment is earlier than this, ns.
    #[inline]
    pub(super) fn first_ns(&self) -> u64 {
        self.first_ns
    }

    /// The first moment that has come by `until_ns`, and its CPU; of one moment the first CPU. It is over then.
    pub(super) fn next(&mut self, until_ns: u64) -> Option<(u64, u32)> {
        if self.first_ns > until_ns {
            return None;
        }
        let all = self.due_ns.iter().zip(0..);
        let first = all.filter_map(|(due, cpu)| due.map(|due| (due, cpu))).min();
        self.first_ns = first.map_or(u64::MAX, |first| first.0);
        let (due, cpu) = first.filter(|first| first.0 <= until_ns)?;
        self.set(cpu, None);
        Some((due, cpu))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As a set of moments in their order would.
        #[test]
        fn moments_come_in_their_order(
            ops in prop::collection::vec((0..4_u32, prop::option::of(0..50_u64), 0..60_u64), 1..100),
        ) {
            let mut silence = Silence::new(3);
            let mut expected: BTreeSet<(u64, u32)> = BTreeSet::new();
            for (cpu, due, until) in ops {
                silence.set(cpu, due);
                expected.retain(|told| told.1 != cpu);
                expected.extend(due.filter(|_| cpu < 3).map(|due| (due, cpu)));
                prop_assert!(expected.first().is_none_or(|first| first.0 >= silence.first_ns()));
                while let Some(&first) = expected.first().filter(|first| first.0 <= until) {
                    expected.pop_first();
                    prop_assert_eq!(silence.next(until), Some(first));
                }
                prop_assert_eq!(silence.next(until), None);
            }
        }
    }
}
