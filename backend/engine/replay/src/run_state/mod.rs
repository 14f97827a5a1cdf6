//! Who runs, waits or sleeps where.
//!
//! The replay follows `sched_switch`, `sched_waking`, `sched_wakeup`, `sched_wakeup_new`, `sched_migrate_task` and
//! `sched_process_free` as the kernel emits them (`kernel/sched/core.c`: `__schedule`, `try_to_wake_up`,
//! `wake_up_new_task`, `set_task_cpu`). Recordings have holes, so it also knows what it does not know:
//!
//! * before the first switch on a CPU nobody can say who ran there, unless [`First`] tells;
//! * a task seen for the first time has no known state;
//! * a switch away from a task that was not running is a *gap*: the switch in between is missing. The task that was
//!   thought to run is dropped at that moment, and the gap is counted;
//! * lost events make a CPU unknown until its next switch, and the tasks that waited there until their next event.
//!
//! The idle task (pid 0) is never runnable.
//!
//! With the run state go the counts that PSI keeps (`psi_task_change`, `psi_task_switch`, `psi_ttwu_dequeue`): a task's
//! iowait counts on the CPU where it went to sleep, until it wakes; its memory stall counts where it is and, while it
//! sleeps, where it slept. Each also counts in the task's cgroup and all above it. All changes of one event are one change.

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
use numalens_core::tasks::{TaskId, Tasks};
pub use replay::{Finished, Recorded, Replay, Stats};
pub use sched_ext::{ExtTask, SchedExtInputs, ScxSpan, ScxStall};
pub(crate) use switch::MAX_RT_PRIO;

use crate::migrations::Migration;
use crate::states::StateRow;
use crate::waits::{CauseNs, CauseSpan, Phase, Request, WaitFrom, WaitRow};

/// Why nobody can say who ran on a CPU.
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
    /// What began it.
    pub from: WaitFrom,
    /// Who was on the CPU that woke it; -1 when unknown or when nobody did.
    pub waker_pid: i32,
}

/// A task's slice on a CPU, from switch-in to switch-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice<'a> {
    /// Where.
    pub cpu: u32,
    /// Who, by number; the name is the one it left with.
    pub task: TaskId,
    /// Its priority when it came, as the kernel counts.
    pub prio: i32,
    /// From when, ns of the trace clock.
    pub start_ns: u64,
    /// Until when, ns of the trace clock.
    pub end_ns: u64,
    /// Whether a switch at `end_ns` says that it left.
    pub end_known: bool,
    /// In which state it left, as the kernel prints it; empty when `end_known` is false.
    pub end_state: &'a str,
    /// The wait before it.
    pub wait: Option<Wait>,
}

/// What a replay tells as it goes. Times never go back, except that slices and unknown spans are reported at their end.
pub trait Observer {
    /// A slice ended.
    fn slice(&mut self, slice: &Slice<'_>, tasks: &mut Tasks);

    /// Nobody can say who ran on the CPU between the two times.
    fn unknown(&mut self, cpu: u32, from_ns: u64, to_ns: u64, why: Unknown);

    /// The state of a CPU changed, for the machine or for a group.
    fn state(&mut self, row: &StateRow) {
        let _ = row;
    }

    /// A task's CPU changed.
    fn migration(&mut self, migration: &Migration) {
        let _ = migration;
    }

    /// Somebody requested that a sleeping task be woken.
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
