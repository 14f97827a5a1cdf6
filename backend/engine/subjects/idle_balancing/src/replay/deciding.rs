//! Time at which a tick decides: after its probe, and before any other event of the CPU.
//!
//! The probe on `trigger_load_balance` is at its start (`kernel/sched/fair.c`): the CPU raises its softirq, and only then
//! `nohz_balancer_kick` looks for an idle CPU. In between, another CPU's tick may have kicked that one, or a task may have
//! come to it.

use numalens_events::{IlbKind, Kinds};
use numalens_replay::idle_balancing::IlbRow;

use crate::model::{Act, Step};
use crate::replay::notes::NoteSink;
use crate::replay::running::kicks_observed;
use crate::replay::{ModelKind, Replay};

/// A tick and its findings, on a CPU that has not decided.
#[derive(Debug, Clone, Copy, Default)]
struct Tick {
    nohz: Option<Step>,
    tick: Option<Step>,
}

/// Ticks that have not decided, if the trace shows when they do: by the call that they send, or by their ends.
#[derive(Debug)]
pub(super) struct Deciding {
    ticks: Vec<Tick>,
    /// Number of open ticks.
    open: usize,
}

impl Deciding {
    /// Creates the state for a recording with events of these kinds.
    pub(super) fn new(kinds: Kinds, cpus: usize) -> Self {
        let observed = kicks_observed(kinds) && kinds.has(IlbKind::TickEnd);
        Self {
            ticks: vec![Tick::default(); if observed { cpus } else { 0 }],
            open: 0,
        }
    }

    /// Keeps a step of a tick for later; whether it does.
    pub(super) fn hold(&mut self, step: &Step) -> bool {
        let Some(held) = self.ticks.get_mut(step.cpu as usize) else {
            return false;
        };
        match step.act {
            Act::Nohz { .. } => held.nohz = Some(*step),
            Act::Tick { .. } => {
                held.tick = Some(*step);
                self.open += 1;
            }
            _ => return false,
        }
        true
    }

    /// The steps of a CPU's tick that has not decided; that is over then.
    fn take(&mut self, cpu: u32) -> Option<[Option<Step>; 2]> {
        let held = self.ticks.get_mut(cpu as usize)?;
        let tick = held.tick.take()?;
        self.open -= 1;
        Some([held.nohz.take(), Some(tick)])
    }
}

impl Replay<'_> {
    /// A row shows that ticks have decided: its CPU's, and that of the CPU whose tasks it changes.
    #[inline]
    pub(super) fn decided_by(&mut self, row: &IlbRow) {
        if self.deciding.open > 0 {
            self.decide(row.cpu);
            self.decide(row.subject);
        }
    }

    /// The CPU's tick has decided by now, if it had not.
    #[inline]
    pub(super) fn decide(&mut self, cpu: u32) {
        if self.deciding.open > 0
            && let Some(steps) = self.deciding.take(cpu)
        {
            self.decide_now(&steps);
        }
    }

    /// All ticks have decided.
    pub(super) fn decide_all(&mut self) {
        for cpu in 0..self.deciding.ticks.len() as u32 {
            self.decide(cpu);
        }
    }

    fn decide_now(&mut self, steps: &[Option<Step>; 2]) {
        let mut sink = NoteSink {
            from_ns: self.config.count_from_ns,
            out: &mut *self.out,
        };
        let runs = self.runs.iter_mut();
        for run in runs.filter(|run| run.follow == ModelKind::TraceDriven) {
            for step in steps.iter().flatten() {
                // By the jiffies that it read.
                let step = Step {
                    t_ns: self.now_ns,
                    ..*step
                };
                run.step(&step, &mut sink);
                run.set_rate(self.now_ns, step.jiffies, self.surplus);
            }
        }
    }
}
