//! Idle CPUs over time, for decisions in the order of time.

use std::cell::Cell;

use numalens_core::EngineError;
use numalens_replay::states::{OnCpu, StateRow, States};

/// State of a CPU during a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// Idle at some time of the decision.
    pub may_be_idle: bool,
    /// Busy or unknown at some time of the decision.
    pub may_be_busy: bool,
    /// The fewest runnable tasks that it had.
    pub least_running: u16,
    /// The most runnable tasks that it had.
    pub most_running: u16,
}

impl Status {
    /// Status of a CPU of which nothing is known.
    pub const UNKNOWN: Self = Self {
        may_be_idle: true,
        may_be_busy: true,
        least_running: 0,
        most_running: u16::MAX,
    };

    /// Returns whether the CPU was idle all the time.
    #[must_use]
    pub fn is_idle(self) -> bool {
        self.may_be_idle && !self.may_be_busy
    }

    /// Returns whether the CPU was busy all the time.
    #[must_use]
    pub fn is_busy(self) -> bool {
        self.may_be_busy && !self.may_be_idle
    }
}

/// State of a CPU from a moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Is {
    Unknown,
    Idle,
    /// The CPU became idle although tasks were runnable there: they are throttled, or it does not stay idle.
    WithRunnable,
    Busy(u16),
}

/// The states of the CPUs in a part of a recording. A decision looks at few CPUs of a large machine, so each is read on demand.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    cpus: Vec<Lane>,
}

#[derive(Debug, Default)]
struct Lane {
    /// Kind of task on the CPU after the last row, and the tasks that were runnable when the CPU became idle.
    on: OnCpu,
    left: u16,
    rows: Vec<(u64, Is)>,
    /// The last row at or before the latest decision that read it.
    at: Cell<usize>,
}

impl Lanes {
    /// Reads the states between two times.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(crate) fn read(states: &States, from: u64, to: u64) -> Result<Self, EngineError> {
        let mut lanes = Self::default();
        states.scan_machine(from, to, |row| lanes.push(row))?;
        Ok(lanes)
    }

    fn push(&mut self, row: &StateRow) {
        let at = row.cpu as usize;
        if at >= self.cpus.len() {
            self.cpus.resize_with(at + 1, Lane::default);
        }
        let lane = &mut self.cpus[at];
        let became_idle = row.state.on == OnCpu::Idle && lane.on != OnCpu::Idle;
        lane.on = row.state.on;
        lane.left = if became_idle {
            row.state.running
        } else {
            lane.left.min(row.state.running)
        };
        let left = lane.left;
        let is = match (row.state.on, row.state.running) {
            (OnCpu::Unknown | OnCpu::Lost, _) => Is::Unknown,
            (OnCpu::Idle, 0) => Is::Idle,
            (OnCpu::Idle, running) if running <= left => Is::WithRunnable,
            (_, running) => Is::Busy(running),
        };
        let rows = &mut lane.rows;
        if rows.last().is_none_or(|last| last.1 != is) {
            rows.push((row.ts_ns, is));
        }
    }

    /// Returns the state of a CPU during a decision.
    pub(crate) fn status(&self, cpu: u32, of: &Span) -> Status {
        let Some(lane) = self.cpus.get(cpu as usize) else {
            return Status::UNKNOWN;
        };
        let begins = |row: &(u64, Is)| row.0 < of.from || row.0 == of.from && of.from < of.own_from;
        let mut at = lane.at.get();
        while lane.rows.get(at + 1).is_some_and(begins) {
            at += 1;
        }
        while at > 0 && !begins(&lane.rows[at]) {
            at -= 1;
        }
        lane.at.set(at);
        let mut status = Status {
            may_be_idle: false,
            may_be_busy: false,
            least_running: u16::MAX,
            most_running: 0,
        };
        let first = lane.rows.get(at).filter(|row| begins(row));
        let later = lane.rows.iter().skip(at + 1);
        let later = later.take_while(|row| row.0 < of.to);
        // What makes the CPU busy from then on may be the task itself.
        let later = later.filter(|row| row.0 < of.own_from || matches!(row.1, Is::Idle));
        for &(_, is) in first.into_iter().chain(later) {
            let (idle, busy, running) = match is {
                Is::Unknown => return Status::UNKNOWN,
                Is::Idle => (true, false, 0),
                Is::WithRunnable => (true, true, 0),
                Is::Busy(running) => (false, true, running),
            };
            status.may_be_idle |= idle;
            status.may_be_busy |= busy;
            status.least_running = status.least_running.min(running);
            status.most_running = status.most_running.max(running);
        }
        if first.is_none() {
            return Status::UNKNOWN;
        }
        status
    }
}

/// Time of a decision, for one CPU.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    /// Time of the request, ns.
    pub(crate) from: u64,
    /// End, ns; exclusive.
    pub(crate) to: u64,
    /// Time from which the task itself may make the CPU busy, ns.
    pub(crate) own_from: u64,
}

#[cfg(test)]
mod tests {
    use numalens_replay::states::{MACHINE, State};

    use super::*;

    fn lanes(rows: &[(u64, OnCpu, u16)]) -> Lanes {
        let mut lanes = Lanes::default();
        for &(ts_ns, on, running) in rows {
            lanes.push(&StateRow {
                ts_ns,
                cpu: 0,
                group: MACHINE,
                state: State {
                    on,
                    running,
                    ..State::default()
                },
            });
        }
        lanes
    }

    #[test]
    fn a_change_during_a_decision_leaves_both_possible() {
        let rows = [
            (10, OnCpu::Task, 2),
            (20, OnCpu::Idle, 0),
            (30, OnCpu::Task, 1),
        ];
        let lanes = lanes(&rows);
        let of = |from, to, own_from| lanes.status(0, &Span { from, to, own_from });
        assert_eq!(of(5, 9, u64::MAX), Status::UNKNOWN);
        assert!(of(12, 20, u64::MAX).is_busy());
        assert_eq!(of(12, 20, u64::MAX).least_running, 2);
        assert_eq!(of(12, 31, u64::MAX).most_running, 2);
        let both = of(12, 21, u64::MAX);
        assert!(both.may_be_idle && both.may_be_busy);
        assert!(of(20, 30, u64::MAX).is_idle());
        // The task itself makes the CPU busy.
        assert!(of(20, 40, 30).is_idle());
        // The same holds if both events have the same time.
        assert!(of(30, 40, 30).is_idle());
        assert!(of(30, 40, u64::MAX).is_busy());
    }

    #[test]
    fn a_cpu_may_be_idle_above_throttled_tasks_until_another_wakes() {
        let rows = [
            (10, OnCpu::Task, 2),
            (20, OnCpu::Idle, 1),
            (30, OnCpu::Idle, 2),
        ];
        let lanes = lanes(&rows);
        let of = |from, to| {
            let own_from = u64::MAX;
            lanes.status(0, &Span { from, to, own_from })
        };
        let throttled = of(21, 25);
        assert!(throttled.may_be_idle && throttled.may_be_busy);
        assert!(of(31, 35).is_busy());
    }
}
