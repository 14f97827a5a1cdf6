//! The states of a task and the causes of its sleeps, a row each: the only wording of them.
//!
//! The causes of runnable time have their catalogue in `numalens_replay::waits`.

use numalens_core::catalogue::CauseEntry;
use numalens_core::causes;
use numalens_replay::waits;

/// State of a task. A task that exists has exactly one at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// On a CPU.
    Running,
    /// Ready to run, without a CPU.
    Runnable,
    /// Neither, or not known.
    Asleep,
}

impl State {
    /// All, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Running, Self::Runnable, Self::Asleep];

    /// Name in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Runnable => "runnable",
            Self::Asleep => "asleep",
        }
    }
}

causes! {
    /// Cause of time on a CPU.
    RunCause,
    Ran {
        id: "ran",
        title: "ran",
        meaning: "The task ran; the recording does not separate user from kernel time.",
        clause: "running",
        kernel: "sched_switch",
        color: "light-dark(#3f8f5f, #7fc79b)",
        inferred: false,
    }
    Kernel {
        id: "kernel",
        title: "interrupts",
        meaning: "The CPU served an interrupt or a softirq while the task was on it.",
        clause: "on a CPU that served interrupts",
        kernel: "irq_handler_entry, softirq_entry",
        color: "light-dark(#2f6f8f, #7fb7d7)",
        inferred: false,
    }
}

causes! {
    /// Cause of a sleep: what the task waited for.
    SleepCause,
    Disk {
        id: "disk",
        title: "disk",
        meaning: "The task waited for a block device: a read, a write, or a commit of the file system's journal.",
        clause: "waiting for a disk",
        kernel: "io_schedule, folio_wait_bit, jbd2_log_wait_commit",
        color: "light-dark(#6e4904, #a07d4a)",
        inferred: false,
    }
    Memory {
        id: "memory",
        title: "memory",
        meaning: "The task waited for memory to be reclaimed, compacted or written back.",
        clause: "waiting for memory",
        kernel: "throttle_direct_reclaim, balance_dirty_pages, mem_cgroup_handle_over_high",
        color: "light-dark(#978e13, #cac365)",
        inferred: false,
    }
    UserLock {
        id: "user_lock",
        title: "lock",
        meaning: "The task waited for a lock in its program, which another task released.",
        clause: "waiting for a lock that {by} released",
        kernel: "futex_wait_queue",
        color: "light-dark(#4e1586, #7d55b9)",
        inferred: false,
    }
    KernelLock {
        id: "kernel_lock",
        title: "kernel lock",
        meaning: "The task waited for a lock of the kernel, which another task released.",
        clause: "waiting for a lock of the kernel that {by} released",
        kernel: "__mutex_lock, rwsem_down_read_slowpath, rwsem_down_write_slowpath",
        color: "light-dark(#6b487a, #9e7cad)",
        inferred: false,
    }
    Socket {
        id: "socket",
        title: "socket",
        meaning: "The task waited for data of a socket, or for a connection.",
        clause: "waiting for data from {by}",
        kernel: "ep_poll, do_sys_poll, sk_wait_data, unix_stream_read_generic",
        color: "light-dark(#3043ad, #617cdf)",
        inferred: false,
    }
    Pipe {
        id: "pipe",
        title: "pipe",
        meaning: "The task waited for a pipe to have data, or room for data.",
        clause: "waiting for a pipe of {by}",
        kernel: "pipe_read, pipe_write",
        color: "light-dark(#4f76a8, #86abdb)",
        inferred: false,
    }
    Thread {
        id: "thread",
        title: "another thread",
        meaning: "Another thread of its program woke it: a lock or a condition variable.",
        clause: "waiting for a lock or a condition that {by} signaled",
        kernel: "futex_wake",
        color: "light-dark(#6758ca, #9891fb)",
        inferred: true,
    }
    Process {
        id: "process",
        title: "another process",
        meaning: "Another process woke it: a pipe, a local socket or a signal.",
        clause: "waiting for {by}",
        kernel: "try_to_wake_up",
        color: "light-dark(#7d90ca, #b2c5fc)",
        inferred: true,
    }
    Timer {
        id: "timer",
        title: "timer",
        meaning: "The task slept until a time: a sleep of its own, or a wait that timed out.",
        clause: "waiting for a timer",
        kernel: "do_nanosleep, hrtimer_wakeup, process_timeout",
        color: "light-dark(#7a7a7a, #b5b5b5)",
        inferred: false,
    }
    Child {
        id: "child",
        title: "child process",
        meaning: "The task waited for a child process: to end, or to have called exec.",
        clause: "waiting for its child {by}",
        kernel: "do_wait, wait_for_vfork_done",
        color: "light-dark(#70aa7c, #a9deb3)",
        inferred: false,
    }
    Frozen {
        id: "frozen",
        title: "frozen",
        meaning: "The freezer of its cgroup had stopped the task, or the system was suspending.",
        clause: "frozen until {by} thawed it",
        kernel: "__refrigerator, do_freezer_trap",
        color: "light-dark(#8cbac3, #c4eff7)",
        inferred: true,
    }
    Stopped {
        id: "stopped",
        title: "stopped",
        meaning: "A signal had stopped the task (SIGSTOP, SIGTSTP).",
        clause: "stopped by a signal until {by} continued it",
        kernel: "do_signal_stop",
        color: "light-dark(#776246, #aa967b)",
        inferred: false,
    }
    Traced {
        id: "traced",
        title: "traced",
        meaning: "A debugger or tracer had stopped the task.",
        clause: "stopped by its tracer until {by} continued it",
        kernel: "ptrace_stop",
        color: "light-dark(#513721, #836954)",
        inferred: false,
    }
    Device {
        id: "device",
        title: "device",
        meaning: "An interrupt of a device other than disk or network woke the task.",
        clause: "waiting for a device",
        kernel: "irq_handler_entry",
        color: "light-dark(#a4c025, #d9f579)",
        inferred: false,
    }
    Other {
        id: "other",
        title: "other",
        meaning: "The task waited for something else in the kernel, named by the resource.",
        clause: "waiting in the kernel",
        kernel: "synchronize_rcu, worker_thread, kthread_worker_fn",
        color: "light-dark(#3a3956, #6b6b88)",
        inferred: false,
    }
    Unknown {
        id: "unknown",
        title: "cause not recorded",
        meaning: "No recorded event shows what the task did, or what ended its sleep.",
        clause: "for an unknown cause",
        kernel: "sched_waking",
        color: "var(--hatched)",
        inferred: true,
    }
}

impl SleepCause {
    /// Returns whether programs wait for this with a timeout: when a timer ends such a wait, it was one until a time.
    pub(crate) fn may_time_out(self) -> bool {
        matches!(
            self,
            Self::UserLock | Self::Socket | Self::Pipe | Self::Child
        )
    }
}

/// State of a task with its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// On a CPU.
    Ran(RunCause),
    /// Runnable, by the causes of waits.
    Waited(waits::Cause),
    /// Asleep.
    Slept(SleepCause),
}

impl Cause {
    /// The state.
    #[must_use]
    pub fn state(self) -> State {
        match self {
            Self::Ran(_) => State::Running,
            Self::Waited(_) => State::Runnable,
            Self::Slept(_) => State::Asleep,
        }
    }

    /// Returns whether the task waited for a CPU.
    pub(crate) fn is_queued(self) -> bool {
        matches!(self, Self::Waited(_))
    }

    /// Returns whether the task waited for the release of a lock by another one.
    pub(crate) fn is_lock(self) -> bool {
        matches!(
            self,
            Self::Slept(SleepCause::UserLock | SleepCause::KernelLock | SleepCause::Thread)
        )
    }

    /// Returns whether the task waited for an answer of another one.
    pub(crate) fn is_peer(self) -> bool {
        matches!(
            self,
            Self::Slept(
                SleepCause::Socket | SleepCause::Process | SleepCause::Pipe | SleepCause::Child
            )
        )
    }

    /// Returns whether it prevents a task that holds a lock from running, as opposed to the task's own run time.
    pub(crate) fn holds_up(self) -> bool {
        self.is_queued()
            || matches!(
                self,
                Self::Slept(
                    SleepCause::Disk
                        | SleepCause::Memory
                        | SleepCause::Device
                        | SleepCause::Frozen
                        | SleepCause::Stopped
                        | SleepCause::Traced
                )
            )
    }

    /// Row of the catalogue.
    #[must_use]
    pub fn entry(self) -> &'static CauseEntry {
        match self {
            Self::Ran(cause) => cause.entry(),
            Self::Waited(cause) => cause.entry(),
            Self::Slept(cause) => cause.entry(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_differ() {
        let ids: HashSet<&str> = SleepCause::IN_ORDER
            .iter()
            .map(|it| it.entry().id)
            .collect();
        assert_eq!(ids.len(), SleepCause::IN_ORDER.len());
    }
}
