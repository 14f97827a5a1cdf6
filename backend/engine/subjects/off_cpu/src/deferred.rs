//! Work that runs later than a task started it: timers, and works of workqueues.

use std::collections::HashMap;

use arrow_array::RecordBatch;
use numalens_core::columns::i64s;

use crate::recorded::Common;

/// Maximum time from the expiry of a timer to the wakeup by its function, ns, where its end is not recorded.
const EXPIRED_NS: u64 = 100_000;

/// Step of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Started,
    Runs,
    Ended,
}

/// Place where work runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// Interrupts of a CPU: timers.
    Cpu(u32),
    /// A thread of a workqueue, by its pid.
    Thread(i32),
}

/// Events of deferred work, and the fields with the number of the work.
const EVENTS: &[(&str, Step, &str)] = &[
    ("hrtimer_start", Step::Started, "hrtimer"),
    ("hrtimer_expire_entry", Step::Runs, "hrtimer"),
    ("hrtimer_expire_exit", Step::Ended, "hrtimer"),
    ("timer_start", Step::Started, "timer"),
    ("timer_expire_entry", Step::Runs, "timer"),
    ("timer_expire_exit", Step::Ended, "timer"),
    ("workqueue_queue_work", Step::Started, "work"),
    ("workqueue_execute_start", Step::Runs, "work"),
    ("workqueue_execute_end", Step::Ended, "work"),
];

/// Deferred work of a recording.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    /// By number of the work, when tasks started it.
    started: HashMap<i64, Vec<(u64, i32)>>,
    /// By place, when work began to run there, or ended.
    ran: HashMap<Place, Vec<(u64, Option<i64>)>>,
}

impl Deferred {
    /// Returns whether events of a name are about deferred work.
    pub(crate) fn reads(event: &str) -> bool {
        EVENTS.iter().any(|row| row.0 == event)
    }

    /// Takes the rows of a batch.
    pub(crate) fn observe(&mut self, event: &str, common: &Common, batch: &RecordBatch) {
        let Some(&(_, step, field)) = EVENTS.iter().find(|row| row.0 == event) else {
            return;
        };
        let (Some(works), Some(cpus)) = (i64s(batch, field), i64s(batch, "cpu")) else {
            return;
        };
        for (row, ts_ns, pid) in common.rows() {
            let place = match field {
                "work" => Place::Thread(pid),
                _ => Place::Cpu(cpus[row] as u32),
            };
            match step {
                Step::Started => self
                    .started
                    .entry(works[row])
                    .or_default()
                    .push((ts_ns, pid)),
                Step::Runs | Step::Ended => {
                    let work = (step == Step::Runs).then_some(works[row]);
                    self.ran.entry(place).or_default().push((ts_ns, work));
                }
            }
        }
    }

    /// Sorts the events; all batches have been taken.
    pub(crate) fn sort(&mut self) {
        for started in self.started.values_mut() {
            started.sort_unstable_by_key(|it| it.0);
        }
        for ran in self.ran.values_mut() {
            ran.sort_by_key(|it| it.0);
        }
    }

    /// The task that started the work which runs in a place at a moment.
    pub(crate) fn starter(&self, place: Place, ts_ns: u64) -> Option<i32> {
        let ran = self.ran.get(&place)?;
        let past = ran.partition_point(|it| it.0 <= ts_ns);
        let (begun_ns, work) = ran[past.checked_sub(1)?];
        if matches!(place, Place::Cpu(_)) && ts_ns - begun_ns > EXPIRED_NS {
            return None;
        }
        let started = self.started.get(&work?)?;
        let past = started.partition_point(|it| it.0 <= begun_ns);
        Some(started[past.checked_sub(1)?].1)
    }
}
