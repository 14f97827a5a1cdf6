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

/// Start of a piece of work by a task.
#[derive(Debug, Clone, Copy)]
struct Start {
    ts_ns: u64,
    by: i32,
    /// Time from which on it may run, ns of the timer's clock; `None` where no field has it.
    due_ns: Option<i64>,
}

/// Work that began to run in a place, or ended.
#[derive(Debug, Clone, Copy)]
struct Run {
    ts_ns: u64,
    /// `None` of an end.
    work: Option<i64>,
    /// Time of the timer's clock, ns.
    now_ns: Option<i64>,
}

/// Deferred work of a recording.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    /// By number of the work.
    started: HashMap<i64, Vec<Start>>,
    ran: HashMap<Place, Vec<Run>>,
}

impl Deferred {
    /// Returns whether events of a name are about deferred work whose starts are among all `events`: without these, no task is known.
    pub(crate) fn reads<'e>(event: &str, mut events: impl Iterator<Item = &'e str>) -> bool {
        let row = EVENTS.iter().find(|row| row.0 == event);
        row.is_some_and(|&(_, _, field)| {
            events.any(|other| {
                let mut starts = EVENTS.iter().filter(|it| it.1 == Step::Started);
                starts.any(|it| (it.0, it.2) == (other, field))
            })
        })
    }

    /// Takes the rows of a batch.
    pub(crate) fn observe(&mut self, event: &str, common: &Common, batch: &RecordBatch) {
        let Some(&(_, step, field)) = EVENTS.iter().find(|row| row.0 == event) else {
            return;
        };
        let (Some(works), Some(cpus)) = (i64s(batch, field), i64s(batch, "cpu")) else {
            return;
        };
        let due = i64s(batch, "softexpires");
        let now = i64s(batch, "now").filter(|_| field == "hrtimer");
        for (row, ts_ns, pid) in common.rows() {
            let place = match field {
                "work" => Place::Thread(pid),
                _ => Place::Cpu(cpus[row] as u32),
            };
            match step {
                Step::Started => self.started.entry(works[row]).or_default().push(Start {
                    ts_ns,
                    by: pid,
                    due_ns: due.as_ref().map(|due| due[row]),
                }),
                Step::Runs | Step::Ended => {
                    self.ran.entry(place).or_default().push(Run {
                        ts_ns,
                        work: (step == Step::Runs).then_some(works[row]),
                        now_ns: now.as_ref().map(|now| now[row]),
                    });
                }
            }
        }
    }

    /// Sorts the events; all batches have been taken.
    pub(crate) fn sort(&mut self) {
        for started in self.started.values_mut() {
            started.sort_by_key(|it| it.ts_ns);
        }
        for ran in self.ran.values_mut() {
            ran.sort_by_key(|it| it.ts_ns);
        }
    }

    /// The task that started the work which runs in a place at a moment.
    pub(crate) fn starter(&self, place: Place, ts_ns: u64) -> Option<i32> {
        Some(self.running(place, ts_ns)?.1.by)
    }

    /// Time from when the timer that runs in a place at a moment was due until it ran, ns.
    pub(crate) fn late_ns(&self, place: Place, ts_ns: u64) -> Option<u64> {
        let (run, start) = self.running(place, ts_ns)?;
        u64::try_from(run.now_ns? - start.due_ns?).ok()
    }

    /// The work that runs in a place at a moment, and its start.
    fn running(&self, place: Place, ts_ns: u64) -> Option<(Run, Start)> {
        let ran = self.ran.get(&place)?;
        let past = ran.partition_point(|it| it.ts_ns <= ts_ns);
        let run = ran[past.checked_sub(1)?];
        if matches!(place, Place::Cpu(_)) && ts_ns - run.ts_ns > EXPIRED_NS {
            return None;
        }
        let started = self.started.get(&run.work?)?;
        let past = started.partition_point(|it| it.ts_ns <= run.ts_ns);
        Some((run, started[past.checked_sub(1)?]))
    }
}
