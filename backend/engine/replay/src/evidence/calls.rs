//! Syscalls that change a task, out of `syscalls` events (`kernel/trace/trace_syscalls.c`).
//!
//! The target of a pointer is not recorded: the event of `sched_setaffinity` shows whose CPUs change and when, but not the
//! new mask. The calling task's `sys_exit` event shows whether the call succeeded.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use numalens_core::columns::{i32s, i64s, u64s};

/// A call that changed a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// Start of the call, ns of the reference clock.
    pub ts_ns: u64,
    /// The task that it changed.
    pub pid: i32,
    /// The argument that was requested; 0 without one.
    pub argument: i64,
}

/// Collects the rows of `sys_enter_NAME` and `sys_exit_NAME` of one syscall.
#[derive(Debug, Clone)]
pub struct Calls {
    name: &'static str,
    argument: Option<&'static str>,
    /// By caller.
    by_task: BTreeMap<i32, Vec<(u64, Edge)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    /// The call returns.
    Exit { well: bool },
    /// Entry of a call for this task.
    Enter { pid: i32, argument: i64 },
}

impl Calls {
    /// Of the syscall `name`, such as `sched_setaffinity`, whose first argument is the task, and of which another argument may
    /// be of use.
    #[must_use]
    pub fn new(name: &'static str, argument: Option<&'static str>) -> Self {
        Self {
            name,
            argument,
            by_task: BTreeMap::new(),
        }
    }

    /// Returns whether events of this type are needed.
    #[must_use]
    pub fn reads(&self, system: &str, event: &str) -> bool {
        let name = |prefix| event.strip_prefix(prefix) == Some(self.name);
        system == "syscalls" && (name("sys_enter_") || name("sys_exit_"))
    }

    /// Looks at a batch of such events.
    pub fn observe(&mut self, event: &str, batch: &RecordBatch) {
        let (Some(times), Some(callers)) = (u64s(batch, "ts_ns"), i32s(batch, "common_pid")) else {
            return;
        };
        let enter = event.starts_with("sys_enter_");
        let (pids, returned) = (i32s(batch, "pid"), i64s(batch, "ret"));
        let arguments = self.argument.and_then(|name| i64s(batch, name));
        for (row, (&time, &caller)) in times.iter().zip(callers.iter()).enumerate() {
            let edge = match (&pids, &returned) {
                // 0 is the caller itself.
                (Some(pids), _) if enter => Edge::Enter {
                    pid: if pids[row] == 0 { caller } else { pids[row] },
                    argument: arguments.as_ref().map_or(0, |values| values[row]),
                },
                (_, Some(returned)) if !enter => Edge::Exit {
                    well: returned[row] >= 0,
                },
                _ => return,
            };
            self.by_task.entry(caller).or_default().push((time, edge));
        }
    }

    /// The calls that did not fail, by time. One of which no return is recorded may have changed something.
    #[must_use]
    pub fn finish(self) -> Vec<Call> {
        let mut calls = Vec::new();
        for mut edges in self.by_task.into_values() {
            edges.sort_unstable();
            for (at, &(ts_ns, edge)) in edges.iter().enumerate() {
                let failed = matches!(edges.get(at + 1), Some((_, Edge::Exit { well: false })));
                if let (Edge::Enter { pid, argument }, false) = (edge, failed) {
                    calls.push(Call {
                        ts_ns,
                        pid,
                        argument,
                    });
                }
            }
        }
        calls.sort_unstable();
        // Several buffers may have recorded the same call.
        calls.dedup();
        calls
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, Int64Array, UInt64Array};

    use super::*;

    const ENTER: &str = "sys_enter_sched_setaffinity";
    const EXIT: &str = "sys_exit_sched_setaffinity";

    /// Rows of one of the two events: time, caller, and the task or what is returned.
    fn batch(event: &str, rows: &[(u64, i32, i64)]) -> RecordBatch {
        let times: UInt64Array = rows.iter().map(|row| row.0).collect();
        let callers: Int32Array = rows.iter().map(|row| row.1).collect();
        let values: Int64Array = rows.iter().map(|row| row.2).collect();
        let value = if event == ENTER { "pid" } else { "ret" };
        let columns: [(&str, ArrayRef); 3] = [
            ("ts_ns", Arc::new(times)),
            ("common_pid", Arc::new(callers)),
            (value, Arc::new(values)),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn calls(enters: &[(u64, i32, i64)], exits: &[(u64, i32, i64)]) -> Vec<(u64, i32)> {
        let mut calls = Calls::new("sched_setaffinity", None);
        calls.observe(ENTER, &batch(ENTER, enters));
        calls.observe(EXIT, &batch(EXIT, exits));
        let calls = calls.finish().into_iter();
        calls.map(|call| (call.ts_ns, call.pid)).collect()
    }

    #[test]
    fn a_call_changes_the_task_that_it_names_or_the_caller() {
        let enters = [(10, 1, 0), (20, 2, 7), (30, 1, 7)];
        let exits = [(12, 1, 0), (25, 2, 0), (31, 1, 8)];
        assert_eq!(calls(&enters, &exits), [(10, 1), (20, 7), (30, 7)]);
    }

    #[test]
    fn a_call_that_fails_changes_nothing() {
        // Task 2 calls in between and succeeds; that is no return of task 1's call.
        let enters = [(10, 1, 0), (11, 2, 0), (40, 1, 0)];
        let exits = [(12, 2, 0), (15, 1, -22), (45, 1, -3)];
        assert_eq!(calls(&enters, &exits), [(11, 2)]);
        // Of the first one the return is not recorded.
        assert_eq!(calls(&enters, &exits[2..]), [(10, 1), (11, 2)]);
    }

    #[test]
    fn only_the_two_events_of_the_syscall_tell() {
        let calls = Calls::new("sched_setaffinity", None);
        assert!(calls.reads("syscalls", ENTER) && calls.reads("syscalls", EXIT));
        assert!(!calls.reads("raw_syscalls", ENTER));
        assert!(!calls.reads("syscalls", "sys_enter_sched_getaffinity"));
    }
}
