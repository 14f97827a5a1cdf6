//! Selection of rows for the log: some have a meaning only together with others, and most of these are left out.

use numalens_core::CpuSet;
use numalens_events::{IlbKind, Kinds};

use super::{IlbRow, OUTSIDE};

/// Kinds without information about outcomes of kicks: searches of CPUs, their averages, and ends of their ticks.
pub(super) const ELSE: [IlbKind; 6] = [
    IlbKind::NewIdle,
    IlbKind::NewIdleEnd,
    IlbKind::Search,
    IlbKind::SearchEnd,
    IlbKind::Averages,
    IlbKind::TickEnd,
];

/// State of each CPU that decides which rows the log needs.
#[derive(Debug, Default)]
pub(super) struct Relevance {
    /// Inside of a SCHED softirq.
    inside: CpuSet,
    /// A kick arrived and nothing has followed: the next row shows its outcome.
    came: CpuSet,
    /// A pass is under way.
    passes: CpuSet,
    /// A pass has ended: until the end of the next softirq, an incoming task may have been its reason.
    ended: CpuSet,
    /// In a tick: the next timer that ends is its own.
    ticks: CpuSet,
}

impl Relevance {
    /// Rows of this kind mean something only together with others.
    pub(super) fn only(kind: IlbKind) -> bool {
        matches!(
            kind,
            IlbKind::Raise | IlbKind::Exit | IlbKind::Migrate | IlbKind::TickEnd
        )
    }

    /// Returns whether rows of a kind can have a meaning together with the tables that have rows.
    pub(super) fn needs(kind: IlbKind, seen: Kinds) -> bool {
        let has = |kinds: &[IlbKind]| kinds.iter().any(|&kind| seen.has(kind));
        match kind {
            IlbKind::Raise => has(&[IlbKind::Arrive, IlbKind::CsdEntry, IlbKind::Trigger]),
            IlbKind::Exit | IlbKind::Migrate => {
                has(&[IlbKind::Arrive, IlbKind::CsdEntry, IlbKind::Pass])
            }
            IlbKind::TickEnd => has(&[IlbKind::Trigger]),
            _ => true,
        }
    }

    /// Adds the next row; whether the log needs it. That a pass begins outside of a softirq is written into it.
    #[inline]
    pub(super) fn row(&mut self, row: &mut IlbRow) -> bool {
        let cpu = row.cpu;
        if row.kind == IlbKind::TickEnd {
            return self.ticks.remove(cpu);
        }
        if ELSE.contains(&row.kind) {
            return true;
        }
        // The first row behind a kick's arrival shows what became of it, whatever it is.
        let first = !self.came.is_empty() && self.came.remove(cpu);
        match row.kind {
            IlbKind::Entry => {
                self.inside.insert(cpu);
                true
            }
            IlbKind::Raise => first,
            IlbKind::Trigger => {
                self.ticks.insert(cpu);
                true
            }
            IlbKind::Migrate => {
                let inside = self.inside.contains(cpu);
                if first && !inside {
                    self.came.insert(cpu);
                }
                inside && (first || self.passes.contains(cpu))
            }
            IlbKind::Exit => {
                self.inside.remove(cpu);
                let (ended, pass) = (self.ended.remove(cpu), self.passes.remove(cpu));
                if pass {
                    self.ended.insert(cpu);
                }
                first || ended || pass
            }
            IlbKind::Arrive | IlbKind::CsdEntry => {
                self.came.insert(cpu);
                true
            }
            IlbKind::Pass => {
                if self.inside.contains(cpu) {
                    self.passes.insert(cpu);
                } else {
                    row.b |= OUTSIDE;
                }
                true
            }
            // Behind a gap all of it may be over.
            IlbKind::Lost => {
                let sets = [&mut self.inside, &mut self.passes, &mut self.ended];
                for set in sets.into_iter().chain([&mut self.ticks]) {
                    set.remove(cpu);
                }
                true
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{NR_KNOWN, Observer};
    use super::*;
    use crate::states::{MACHINE, OnCpu, State, StateRow};

    /// The kinds that follow each other about kicks and passes.
    const KINDS: [IlbKind; 14] = [
        IlbKind::Raise,
        IlbKind::Entry,
        IlbKind::Exit,
        IlbKind::Arrive,
        IlbKind::CsdEntry,
        IlbKind::CsdQueue,
        IlbKind::Pass,
        IlbKind::PassEnd,
        IlbKind::NrRunning,
        IlbKind::Migrate,
        IlbKind::Trigger,
        IlbKind::TickEnd,
        IlbKind::Balance,
        IlbKind::Lost,
    ];

    fn read(observer: &mut Observer, row: Result<StateRow, IlbRow>) {
        match row {
            Ok(state) => observer.state(&state),
            Err(row) => observer.row(&row),
        }
    }

    /// Other timers also end: a CPU's first one after a tick is the tick's.
    #[test]
    fn a_tick_ends_once() {
        let mut relevance = Relevance::default();
        let rows = [
            (0, IlbKind::TickEnd, false),
            (0, IlbKind::Trigger, true),
            (1, IlbKind::TickEnd, false),
            (0, IlbKind::TickEnd, true),
            (0, IlbKind::TickEnd, false),
            (1, IlbKind::Trigger, true),
            (1, IlbKind::Lost, true),
            (1, IlbKind::TickEnd, false),
        ];
        for ((cpu, kind, needed), ts_ns) in rows.into_iter().zip(0..) {
            let subject = cpu;
            let (a, b) = (0, 0);
            let mut row = IlbRow {
                ts_ns,
                cpu,
                kind,
                subject,
                a,
                b,
            };
            assert_eq!(relevance.row(&mut row), needed, "{ts_ns}");
        }
    }

    proptest! {
        /// What stays out of the log changes neither a kick nor a pass.
        #[test]
        fn the_log_tells_as_much_as_all_rows(
            raw in prop::collection::vec((0..3_u32, 0..18_usize, any::<bool>(), 0..40_000_u64), 0..300),
            both: bool,
        ) {
            let left_out = |kind: &&IlbKind| both || **kind != IlbKind::CsdEntry;
            let kinds = KINDS.iter().filter(left_out);
            let kinds: Kinds = kinds.map(|&kind| kind as u8).collect();
            let (mut all, mut log) = (Observer::new(kinds), Observer::new(kinds));
            let (mut relevance, mut inside) = (Relevance::default(), CpuSet::default());
            let mut ts_ns = 0;
            for (cpu, what, idle, forth) in raw {
                ts_ns += forth;
                let Some(&kind) = KINDS.get(what) else {
                    let on = if idle { OnCpu::Idle } else { OnCpu::Task };
                    let state = State { on, ..State::default() };
                    let row = StateRow { ts_ns, cpu, group: MACHINE, state };
                    read(&mut all, Ok(row));
                    read(&mut log, Ok(row));
                    continue;
                };
                if !kinds.has(kind) {
                    continue;
                }
                let mut row = IlbRow { ts_ns, cpu, kind, subject: (cpu + 1) % 3, a: 3 | NR_KNOWN, b: 0 };
                match kind {
                    IlbKind::Entry => {
                        inside.insert(cpu);
                    }
                    IlbKind::Exit | IlbKind::Lost => {
                        inside.remove(cpu);
                    }
                    _ => {}
                }
                // Of migrations only those inside of a softirq may be a pass's.
                if kind != IlbKind::Migrate || inside.contains(cpu) {
                    read(&mut all, Err(row));
                }
                if relevance.row(&mut row) {
                    read(&mut log, Err(row));
                }
            }
            all.finish();
            log.finish();
            prop_assert_eq!(all.kicks, log.kicks);
            prop_assert_eq!(all.passes, log.passes);
            prop_assert_eq!(all.double_queued, log.double_queued);
        }
    }
}
