//! The scheduler's events, read from their tables batch by batch and merged into one order.
//!
//! Field names are those of the kernel's `include/trace/events/sched.h`.

mod columns;
mod end_state;
mod lost;
mod merge;
mod table;

pub(crate) use columns::{Ints, u8s, u32s, u64s};
pub use end_state::{EndState, EndStates};
pub use lost::{LostMark, gap_starts};
pub use merge::{Merge, Order};
pub use table::{Batches, EventTable, SchedKind};

/// One scheduler event, borrowed from its batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// `sched_switch`: the CPU went from one task to the next.
    Switch {
        /// Who left.
        prev: Switched<'a>,
        /// The state in which it left.
        state: &'a EndState,
        /// Who came.
        next: Switched<'a>,
    },
    /// `sched_waking`: somebody asked for the task to be woken.
    Waking {
        /// Who is to wake.
        pid: i32,
        /// Where it slept or is to run.
        target_cpu: u32,
        /// Who was on the CPU that asked.
        waker: i32,
    },
    /// `sched_wakeup` or `sched_wakeup_new`: the task is runnable now.
    Wakeup {
        /// Who woke.
        pid: i32,
        /// Where it waits.
        target_cpu: u32,
    },
    /// `sched_migrate_task`: the task's CPU changes.
    Migrate {
        /// Who moves.
        pid: i32,
        /// Where to.
        dest_cpu: u32,
    },
    /// `sched_process_free`: the task is gone and its pid may come again.
    Free {
        /// Who is gone.
        pid: i32,
    },
    /// Events of this CPU are missing from here on.
    Lost,
    /// Nobody recorded any CPU from here on, until the next recording begins.
    Pause,
}

/// One side of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switched<'a> {
    /// The task.
    pub pid: i32,
    /// Its name.
    pub comm: &'a str,
    /// Its priority as the kernel counts (0..98 real-time, 120 = nice 0).
    pub prio: i32,
}
