//! Who was in the idle mask when the recording began.
//!
//! A CPU that has been idle for long has no event until somebody kicks it. `find_new_ilb` (`kernel/sched/fair.c`) takes only CPUs of
//! `nohz.idle_cpus_mask`, where a CPU gets by stopping its tick and which it leaves at a tick: one of which a kick is recorded
//! before both was in it all along.

use numalens_core::CpuSet;
use numalens_events::{IlbKind, Kinds};
use numalens_replay::idle_balancing::IlbRow;

use crate::model::Act;
use crate::replay::running::{enters, kicks_observed};
use crate::replay::{Cpu, Replay};

/// Finds them in the rows of a recording from its begin on.
#[derive(Debug)]
pub struct Resting {
    tick_kind: Option<IlbKind>,
    /// Of which it is known by now.
    known: CpuSet,
    found: CpuSet,
    cpus: u32,
}

impl Resting {
    /// For a recording with events of these kinds; `None` where calls do not tell who is kicked by whom.
    #[must_use]
    pub fn new(kinds: Kinds, cpus: usize) -> Option<Self> {
        kicks_observed(kinds).then(|| Self {
            tick_kind: kinds.tick(),
            known: CpuSet::default(),
            found: CpuSet::default(),
            cpus: cpus as u32,
        })
    }

    /// Takes the next row; whether later ones may still tell more.
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

    /// They, when all rows have been taken that tell.
    #[must_use]
    pub fn finish(self) -> CpuSet {
        self.found
    }
}

impl Replay<'_> {
    /// These CPUs are idle and in the idle mask from the recording's begin on, until their first states.
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
