//! Parts of the ledger.

use numalens_core::provenance::Label;

use crate::calls::Call;
use crate::catalogue::{Cause, SleepCause};

/// Task or source that ended a sleep, or ran while a task was runnable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum By {
    /// None, or not known.
    Unknown,
    /// A task, by its pid.
    Task(i32),
    /// A timer.
    Timer,
    /// An interrupt: its place among those of the recording.
    Interrupt(u32),
    /// A softirq, by its vector.
    Softirq(u32),
}

/// Thing that a task waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// Nothing that is known.
    Unknown,
    /// Device that raised an interrupt: the place of its handler among those of the recording.
    Device(u32),
    /// A thread of the kernel, by its pid.
    KernelThread(i32),
    /// Work that a thread of a workqueue did for a task: their pids.
    Work(i32, i32),
    /// Timer that a task started, by its pid.
    TimerOf(i32),
    /// Function in which the task slept: number of its frame.
    Function(u32),
    /// System call in which the task slept, and the argument that names what it is for.
    Call(Call, Option<u64>),
    /// Lock of the kernel: flags of its kind, and address.
    Lock(u8, u64),
    /// Kind of memory management: place among the pairs of events.
    Memory(u8),
    /// Block device, by its number.
    Block(u32),
    /// Page of the task's memory that was not mapped, and the block device from which it was read.
    Fault(Option<u32>),
    /// Cgroup that was frozen: place among the writes to the freezer.
    Cgroup(u32),
    /// Signal that stopped the task, and who sent it.
    Signal(u8, i32),
}

/// Part of a task's time with one cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Begin, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns; the next piece begins there.
    pub to_ns: u64,
    /// Task whose time it is, by its pid; 0 if none is known.
    pub of: i32,
    /// State and cause.
    pub cause: Cause,
    /// Causing task.
    pub by: By,
    /// Resource of the wait.
    pub resource: Resource,
    /// Provenance of the cause; `None` when not recorded.
    pub label: Option<Label>,
}

impl Piece {
    /// Length, ns.
    #[must_use]
    pub fn ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }

    /// Part of unknown cause.
    pub(crate) fn unknown(from_ns: u64, to_ns: u64) -> Self {
        Self {
            from_ns,
            to_ns,
            of: 0,
            cause: Cause::Slept(SleepCause::Unknown),
            by: By::Unknown,
            resource: Resource::Unknown,
            label: None,
        }
    }
}

/// A sleep, decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sleep {
    pub(crate) cause: SleepCause,
    pub(crate) by: By,
    pub(crate) resource: Resource,
    /// Provenance of the cause; `None` when not known.
    pub(crate) label: Option<Label>,
}

impl Sleep {
    pub(crate) const UNKNOWN: Self = Self {
        cause: SleepCause::Unknown,
        by: By::Unknown,
        resource: Resource::Unknown,
        label: None,
    };

    pub(crate) fn new(cause: SleepCause, by: By, label: Label) -> Self {
        Self {
            cause,
            by,
            resource: Resource::Unknown,
            label: Some(label),
        }
    }

    /// Returns whether a timer ended a wait that may have been for something else: not a sleep of the task's own.
    pub(crate) fn has_timeout(self) -> bool {
        let own = |call: Call| call.cause(None) == Some(SleepCause::Timer);
        self.cause == SleepCause::Timer
            && !matches!(self.resource, Resource::Call(call, _) if own(call))
    }

    /// Returns whether a later sleep may be the same wait: not one in another system call.
    pub(crate) fn continues_as(self, later: Self) -> bool {
        match (self.resource, later.resource) {
            (Resource::Call(call, _), Resource::Call(next, _)) => call == next,
            _ => true,
        }
    }

    /// Set if only the state says that it was for a disk.
    pub(crate) fn is_guess(self) -> bool {
        self.cause == SleepCause::Disk && self.by == By::Unknown
    }
}
