//! State of tasks over time: running, waiting or asleep, and on which CPU.
//!
//! The replay follows `sched_switch`, `sched_waking`, `sched_wakeup`, `sched_wakeup_new`, `sched_migrate_task` and
//! `sched_process_free` as the kernel emits them (`kernel/sched/core.c`: `__schedule`, `try_to_wake_up`,
//! `wake_up_new_task`, `set_task_cpu`). Recordings have holes, so it also knows what it does not know:
//!
//! * before the first switch on a CPU the running task is unknown, unless [`First`] names it;
//! * a task seen for the first time has no known state;
//! * a switch away from a task that was not running is a *gap*: the switch in between is missing. The task that was
//!   thought to run is dropped at that moment, and the gap is counted;
//! * lost events make a CPU unknown until its next switch, and the tasks that waited there until their next event.
//!
//! The idle task (pid 0) is never runnable.
//!
//! The run state also keeps the counts of PSI (`psi_task_change`, `psi_task_switch`, `psi_ttwu_dequeue`). A task's iowait
//! counts on the CPU where it went to sleep, until it wakes. Its memory stall counts on its CPU and, while it sleeps, where
//! it slept. Each also counts in the task's cgroup and all above it. All changes of one event are one change.
//!
//! The replay feeds every other replay through [`Observer`] and keeps nothing of the past. `cpu.rs` has the knowledge of a CPU, `task.rs`
//! that of a task, `replay.rs` the rules. Rules that need a picture, a policy or a finding do not belong here.

mod allowed;
mod balancing;
mod counts;
mod cpu;
mod eevdf;
mod ended;
mod inputs;
mod moves;
mod names;
mod outside;
mod queues;
mod quota;
mod replay;
mod sched_ext;
mod switch;
mod task;
mod timed;
mod typical;

pub use inputs::{
    AllowedCpus, AllowedOf, First, Inputs, Iowaits, Member, QuotaSet, Ran, Reclassed, Starved,
    Switches, Throttle,
};
pub use names::home;
use numalens_core::tasks::{TaskId, Tasks};
pub use replay::{Finished, Recorded, Replay, Stats};
pub use sched_ext::{ExtTask, SchedExtInputs, ScxSpan, ScxStall};
pub(crate) use switch::MAX_RT_PRIO;

use crate::migrations::Migration;
use crate::states::StateRow;
use crate::waits::{CauseNs, CauseSpan, Phase, Request, WaitFrom, WaitRow};

/// Reason for which the running task of a CPU is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// No event has shown it yet.
    Start,
    /// Events were lost.
    Lost,
}

/// The wait that ended when a task got its CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// Since when, ns of the trace clock.
    pub since_ns: u64,
    /// Event that started the wait.
    pub from: WaitFrom,
    /// Task on the waking CPU; -1 when unknown or without a waking task.
    pub waker_pid: i32,
}

/// A task's slice on a CPU, from switch-in to switch-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice<'a> {
    /// CPU of the slice.
    pub cpu: u32,
    /// Task, by number; the name is the one at the end of the slice.
    pub task: TaskId,
    /// Priority at the start of the slice, as the kernel counts.
    pub prio: i32,
    /// From when, ns of the trace clock.
    pub start_ns: u64,
    /// Until when, ns of the trace clock.
    pub end_ns: u64,
    /// True if a switch at `end_ns` ended the slice.
    pub end_known: bool,
    /// In which state it left, as the kernel prints it; empty when `end_known` is false.
    pub end_state: &'a str,
    /// The wait before it.
    pub wait: Option<Wait>,
}

/// Receiver of the replay's results as it proceeds. Times never go back, except that slices and unknown spans are reported at
/// their end.
pub trait Observer {
    /// A slice ended.
    fn slice(&mut self, slice: &Slice<'_>, tasks: &mut Tasks);

    /// Reports that the running task of the CPU is unknown between the two times.
    fn unknown(&mut self, cpu: u32, from_ns: u64, to_ns: u64, why: Unknown);

    /// The state of a CPU changed, for the machine or for a group.
    fn state(&mut self, row: &StateRow) {
        let _ = row;
    }

    /// A task's CPU changed.
    fn migration(&mut self, migration: &Migration) {
        let _ = migration;
    }

    /// Reports the request of a wakeup.
    fn request(&mut self, request: &Request) {
        let _ = request;
    }

    /// Something that decides what waits consist of ended.
    fn span(&mut self, span: &CauseSpan) {
        let _ = span;
    }

    /// A phase of a wait ended in which what is known of the task decided causes.
    fn phase(&mut self, phase: &Phase) {
        let _ = phase;
    }

    /// A wait ended with its task's switch-in; its causes are in the order of their numbers and add up to it.
    fn wait(&mut self, wait: &WaitRow, causes: &[CauseNs]) {
        let _ = (wait, causes);
    }
}
