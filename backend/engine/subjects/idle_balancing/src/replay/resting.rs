//! CPUs in the idle mask at the start of the recording.
//!
//! A CPU that has been idle for long has no event until it is kicked. `find_new_ilb` (`kernel/sched/fair.c`) takes only CPUs
//! of `nohz.idle_cpus_mask`. A CPU enters it by stopping its tick and leaves it at a tick, so a CPU with a kick before both
//! was in it from the start.

use numalens_core::CpuSet;
use numalens_events::{IlbKind, Kinds};
use numalens_replay::idle_balancing::IlbRow;

use crate::model::Act;
use crate::replay::running::{enters, kicks_observed};
use crate::replay::{Cpu, Replay};

/// Finds these CPUs in the rows of a recording from its start.
#[derive(Debug)]
pub struct Resting {
    tick_kind: Option<IlbKind>,
    /// Of which it is known by now.
    known: CpuSet,
    found: CpuSet,
    cpus: u32,
}

impl Resting {
    /// Returns a finder for a recording with events of these kinds; `None` if calls do not show sender and target of kicks.
    #[must_use]
    pub fn new(kinds: Kinds, cpus: usize) -> Option<Self> {
        kicks_observed(kinds).then(|| Self {
            tick_kind: kinds.tick(),
            known: CpuSet::default(),
            found: CpuSet::default(),
            cpus: cpus as u32,
        })
    }

    /// Takes the next row; returns whether later ones may show more.
    pub fn row(&mut self, row: &IlbRow) -> bool {
        let stops = matches!(row.kind, IlbKind::Enter | IlbKind::TickStop) && enters(row);
        let ticks = Some(row.kind) == self.tick_kind;
        let kicked = row.kind == IlbKind::CsdQueue;
        let cpu = if kicked { row.subject } else { row.cpu };
        // Behind lost events nothing is the first of its kind.
        if stops || ticks || kicked || row.kind == IlbKind::Lost {
            let first = cpu < self.cpus && self.known.insert(cpu);
            if first && kicked {
                self.found.insert(cpu);
            }
        }
        self.known.len() < self.cpus
    }

    /// Returns these CPUs, after all relevant rows.
    #[must_use]
    pub fn finish(self) -> CpuSet {
        self.found
    }
}

impl Replay<'_> {
    /// Puts these CPUs into the idle mask, as idle, from the start of the recording until their first states.
    pub fn rest(&mut self, cpus: &CpuSet) {
        for cpu in cpus.iter() {
            let Some(old) = self.cpus.get(cpu as usize).copied() else {
                continue;
            };
            let new = Cpu {
                idle: true,
                resting: true,
                stopped: true,
                ..old
            };
            self.change(cpu, old, new);
            self.ran(cpu, new.nr_running(), new.free());
            self.mask.enter(cpu, self.now_ns);
            self.step(cpu, Act::EnterNohz);
        }
    }
}
