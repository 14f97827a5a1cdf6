//! Calls of the wakeup path that `numalens record --probe placement` recorded.

use std::collections::HashMap;

use numalens_bundle::{Error, Open, events};
use numalens_core::columns::{i32s, i64s};

/// System of the recorder's probes.
const PROBES: &str = "numalens";
const ENTRY: &str = "select_task_rq_fair";
const RETURN: &str = "select_task_rq_fair_ret";
const SIBLING: &str = "select_idle_sibling";
const AFFINE: &str = "wake_affine";
const AFFINE_RETURN: &str = "wake_affine_ret";
/// Begin and end of a task.
const FORK: &str = "sched_process_fork";
const EXIT: &str = "sched_process_exit";
/// Flag of a sync wakeup (`WF_SYNC`, `kernel/sched/sched.h`).
const WF_SYNC: i32 = 0x10;

/// One call of `select_task_rq_fair`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    /// Start, ns of the reference clock.
    pub(crate) ts_ns: u64,
    /// The CPU where the task was before.
    pub(crate) prev: Option<u32>,
    /// True for a sync wakeup by a task that does not exit (`PF_EXITING`).
    pub(crate) sync: bool,
    /// The CPU from which `select_idle_sibling` searched; `None` where that was not called or not probed.
    pub(crate) target: Option<u32>,
    /// Result of `wake_affine` for a sync wakeup; `None` where that was not called or not probed.
    pub(crate) affine: Option<Affine>,
}

/// Result of `wake_affine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Affine {
    /// The waker's CPU.
    Chosen,
    /// Another CPU.
    Declined,
}

/// A step of a call, in the order of a CPU's events.
#[derive(Debug, Clone, Copy)]
enum Step {
    Entry {
        pid: i32,
        flags: i32,
        waker: i32,
        prev: Option<u32>,
    },
    Sibling {
        target: i32,
    },
    Affine {
        sync: bool,
        waker_cpu: i32,
    },
    Affined {
        chosen: i32,
    },
    Return,
}

/// Begins and ends of tasks by pid: each time, ns, and true where the task ends.
#[derive(Debug, Default)]
struct Lives(HashMap<i32, Vec<(u64, bool)>>);

impl Lives {
    fn read(open: &Open) -> Result<Self, Error> {
        let mut lives = Self::default();
        events(
            open,
            |system, event| system == "sched" && [FORK, EXIT].contains(&event),
            |event, batch| {
                let ends = event == EXIT;
                let pids = i32s(batch, if ends { "pid" } else { "child_pid" });
                let (Some(pids), Some(times)) = (pids, i64s(batch, "ts_ns")) else {
                    return;
                };
                for (&pid, &ts_ns) in pids.iter().zip(times.iter()) {
                    lives.0.entry(pid).or_default().push((ts_ns as u64, ends));
                }
            },
        )?;
        for of_pid in lives.0.values_mut() {
            of_pid.sort_unstable();
        }
        Ok(lives)
    }

    /// Returns whether a task has begun to exit.
    fn exits(&self, pid: i32, ts_ns: u64) -> bool {
        let changes = self.0.get(&pid).map_or(&[][..], Vec::as_slice);
        let before = changes.partition_point(|&(at, _)| at <= ts_ns);
        before > 0 && changes[before - 1].1
    }
}

/// The calls of a recording.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    by_pid: HashMap<i32, Vec<Call>>,
    /// True if the function was probed.
    pub(crate) probed: bool,
}

impl Calls {
    /// Reads the calls; none where the function was not probed.
    ///
    /// # Errors
    /// A table cannot be read.
    pub(crate) fn read(open: &Open) -> Result<Self, Error> {
        let mut steps: Vec<(u32, u64, u64, Step)> = Vec::new();
        let wanted = [ENTRY, RETURN, SIBLING, AFFINE, AFFINE_RETURN];
        events(
            open,
            |system, event| system == PROBES && wanted.contains(&event),
            |event, batch| {
                let numbers = |name| i64s(batch, name);
                let (Some(times), Some(cpus), Some(order)) =
                    (numbers("ts_ns"), numbers("cpu"), numbers("seq"))
                else {
                    return;
                };
                let names = [
                    "pid",
                    "wake_flags",
                    "target",
                    "sync",
                    "waker_cpu",
                    "chosen",
                    "common_pid",
                    "prev",
                ];
                let columns = names.map(|name| i32s(batch, name));
                for row in 0..batch.num_rows() {
                    let [pid, flags, target, sync, waker_cpu, chosen, waker, prev] =
                        [0, 1, 2, 3, 4, 5, 6, 7]
                            .map(|at| columns[at].as_ref().map(|column| column[row]));
                    let step = match event {
                        ENTRY => pid.zip(flags).map(|(pid, flags)| Step::Entry {
                            pid,
                            flags,
                            waker: waker.unwrap_or(-1),
                            prev: prev.and_then(|prev| u32::try_from(prev).ok()),
                        }),
                        SIBLING => target.map(|target| Step::Sibling { target }),
                        AFFINE => sync.zip(waker_cpu).map(|(sync, waker_cpu)| Step::Affine {
                            sync: sync != 0,
                            waker_cpu,
                        }),
                        AFFINE_RETURN => chosen.map(|chosen| Step::Affined { chosen }),
                        _ => Some(Step::Return),
                    };
                    if let Some(step) = step {
                        let at = (cpus[row] as u32, times[row] as u64, order[row] as u64);
                        steps.push((at.0, at.1, at.2, step));
                    }
                }
            },
        )?;
        steps.sort_by_key(|&(cpu, ts_ns, order, _)| (cpu, ts_ns, order));
        let lives = if steps.is_empty() {
            Lives::default()
        } else {
            Lives::read(open)?
        };
        Ok(Self::of(&steps, &lives))
    }

    /// Puts the steps together. The function runs with interrupts off, so that its steps on a CPU follow each other.
    fn of(steps: &[(u32, u64, u64, Step)], lives: &Lives) -> Self {
        let mut calls = Self::default();
        let mut open: Option<(u32, i32, Call)> = None;
        // CPU of the waker in the last call of `wake_affine` for a sync wakeup.
        let mut affine = None;
        for &(cpu, ts_ns, _, step) in steps {
            match step {
                Step::Entry {
                    pid,
                    flags,
                    waker,
                    prev,
                } => {
                    calls.probed = true;
                    let call = Call {
                        ts_ns,
                        prev,
                        sync: flags & WF_SYNC != 0 && !lives.exits(waker, ts_ns),
                        target: None,
                        affine: None,
                    };
                    affine = None;
                    open = Some((cpu, pid, call));
                }
                Step::Sibling { target } => {
                    if let Some((on, _, call)) = &mut open
                        && *on == cpu
                    {
                        call.target = u32::try_from(target).ok();
                    }
                }
                Step::Affine { sync, waker_cpu } => affine = sync.then_some((cpu, waker_cpu)),
                Step::Affined { chosen } => {
                    if let (Some((on, _, call)), Some((there, waker))) = (&mut open, affine.take())
                        && *on == cpu
                        && there == cpu
                    {
                        call.affine = Some(if chosen == waker {
                            Affine::Chosen
                        } else {
                            Affine::Declined
                        });
                    }
                }
                Step::Return => {
                    if let Some((_, pid, call)) = open.take().filter(|one| one.0 == cpu) {
                        calls.by_pid.entry(pid).or_default().push(call);
                    }
                }
            }
        }
        for of_task in calls.by_pid.values_mut() {
            of_task.sort_by_key(|call| call.ts_ns);
        }
        calls
    }

    /// The call for a wakeup that was requested at `from` and done by `to`.
    #[must_use]
    pub(crate) fn between(&self, pid: i32, from: u64, to: u64) -> Option<Call> {
        let calls = self.by_pid.get(&pid)?;
        let at = calls.partition_point(|call| call.ts_ns < from);
        calls.get(at).copied().filter(|call| call.ts_ns <= to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_a_cpu_make_a_call() {
        let steps = [
            (
                0,
                10,
                0,
                Step::Entry {
                    pid: 7,
                    flags: 0x18,
                    waker: 3,
                    prev: Some(5),
                },
            ),
            (
                0,
                10,
                0,
                Step::Affine {
                    sync: true,
                    waker_cpu: 0,
                },
            ),
            (0, 10, 0, Step::Affined { chosen: 3 }),
            (0, 11, 1, Step::Sibling { target: 3 }),
            (0, 12, 2, Step::Return),
            // NUMA balancing calls it alone.
            (0, 20, 3, Step::Sibling { target: 5 }),
            (
                1,
                10,
                4,
                Step::Entry {
                    pid: 8,
                    flags: 0x08,
                    waker: 3,
                    prev: Some(5),
                },
            ),
            (1, 12, 5, Step::Return),
        ];
        let calls = Calls::of(&steps, &Lives::default());
        assert!(calls.probed);
        let call = calls.between(7, 5, 15).unwrap();
        assert_eq!(
            (call.sync, call.target, call.prev),
            (true, Some(3), Some(5))
        );
        assert_eq!(call.affine, Some(Affine::Declined));
        let call = calls.between(8, 5, 15).unwrap();
        assert_eq!((call.sync, call.target), (false, None));
        assert_eq!(call.affine, None);
        assert_eq!(calls.between(7, 11, 15), None);
        assert_eq!(calls.between(7, 5, 9), None);
        assert!(!Calls::of(&[], &Lives::default()).probed);
    }

    #[test]
    fn a_task_that_exits_wakes_without_sync() {
        let at = |ts_ns| {
            let (pid, flags, waker, prev) = (7, 0x18, 3, None);
            let step = |ts_ns, step| (0, ts_ns, ts_ns, step);
            let steps = [
                step(
                    ts_ns,
                    Step::Entry {
                        pid,
                        flags,
                        waker,
                        prev,
                    },
                ),
                step(ts_ns + 1, Step::Return),
            ];
            let lives = Lives([(3, vec![(20, true), (30, false)])].into());
            Calls::of(&steps, &lives).between(7, ts_ns, ts_ns).unwrap()
        };
        assert!(at(10).sync && !at(20).sync && !at(25).sync);
        // Another task has got the number.
        assert!(at(30).sync);
    }
}
