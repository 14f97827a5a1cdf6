//! The events that the replay follows, read from their tables batch by batch and merged into one order.
//!
//! Field names are those of the kernel's `include/trace/events/` (`sched.h`, `cgroup.h`, `irq.h`).

mod end_state;
mod fields;
pub mod filter;
mod find;
mod lost;
mod merge;
mod search;
mod table;
mod tracepoints;

pub use end_state::{EndState, EndStates};
pub use find::{Found, Key, Page, Searched, find};
pub use lost::{LostMark, gap_starts};
pub use merge::{Merge, Order, Rows};
pub use search::{Span, batches_over, times};
pub use table::{Batches, EventTable};
pub use tracepoints::{IlbKind, Kind, Kinds, NumaKind, probed};

/// One event, borrowed from its batch.
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
    /// `sched_waking`: somebody requested that the task be woken.
    Waking {
        /// Who is to wake.
        pid: i32,
        /// Name of the task; empty where it was not recorded.
        comm: &'a [u8],
        /// Where it slept or is to run.
        target_cpu: u32,
        /// Who was on the requesting CPU.
        waker: i32,
        /// What the CPU was doing then, as the kernel's `common_flags` say; `None` where they were not recorded.
        flags: Option<u8>,
    },
    /// `sched_wakeup` or `sched_wakeup_new`: the task is runnable now.
    Wakeup {
        /// Who woke.
        pid: i32,
        /// Its name, as bytes.
        comm: &'a [u8],
        /// Where it waits.
        target_cpu: u32,
        /// It is a new task, which runs for the first time (`wake_up_new_task`).
        new: bool,
    },
    /// `sched_migrate_task`: the task's CPU changes.
    Migrate {
        /// Who moves.
        pid: i32,
        /// Where from; `None` when the event does not say.
        orig_cpu: Option<u32>,
        /// Where to.
        dest_cpu: u32,
    },
    /// `sched_process_free`: the task is gone and its pid may come again.
    Free {
        /// Who is gone.
        pid: i32,
    },
    /// `sched_process_fork`: a task with a new pid begins in its parent's cgroup.
    Fork {
        /// Who forked.
        parent: i32,
        /// The new task.
        child: i32,
    },
    /// `sched_process_exit`: the task begins to end; it runs on until its last switch.
    Exit {
        /// Who ends.
        pid: i32,
    },
    /// `cgroup_attach_task`: the task comes to another cgroup of the default hierarchy.
    CgroupAttach {
        /// Who moves.
        pid: i32,
        /// Path of the cgroup from the hierarchy's root.
        path: &'a [u8],
    },
    /// A task enters or leaves a memory stall; such calls nest.
    Stall {
        /// Whose stall.
        pid: i32,
        /// Whether it enters.
        enter: bool,
    },
    /// A task begins or ends to scan its memory for NUMA balancing (`task_numa_work`, `kernel/sched/fair.c`).
    NumaScan {
        /// Whose memory, and who scans it.
        pid: i32,
        /// Whether it begins.
        enter: bool,
    },
    /// The CPU has nothing to run and begins or ends to look for tasks of others (`sched_balance_newidle`, `kernel/sched/fair.c`).
    NewIdle {
        /// Whether it begins.
        enter: bool,
        /// All of it, else the part in one domain (`sched_balance_rq`).
        whole: bool,
    },
    /// An entity of the fair class becomes one to be picked (`__enqueue_entity`, `kernel/sched/fair.c`).
    Entity(Entity),
    /// One is picked (`pick_eevdf`, `kernel/sched/fair.c`).
    Pick(Pick),
    /// The CPU begins or ends to serve an interrupt or a softirq.
    Irq {
        /// A softirq, else an interrupt.
        softirq: bool,
        /// Number of the softirq; means nothing for an interrupt.
        vec: u32,
        /// Whether it begins.
        enter: bool,
    },
    /// The kernel's CPU is taken from it, or given back.
    Taken {
        /// By the host, which did not run it, else by the hardware or its firmware.
        by_host: bool,
        /// Whether it is taken.
        enter: bool,
    },
    /// `softirq_raise`: the CPU is to serve a softirq.
    SoftirqRaise {
        /// Number of the softirq.
        vec: u32,
    },
    /// A kick of the idle load balancer comes to the CPU (`nohz_csd_func`, `kernel/sched/core.c`).
    Kick,
    /// Events of this CPU are missing from here on.
    Lost,
    /// They are there again.
    LostEnd,
    /// Nobody recorded any CPU from here on, until the next recording begins.
    Pause,
}

/// An entity on a queue of the fair class (`struct sched_entity`, 6.6): a task, or a cgroup's tasks of a CPU. Entities and queues
/// are known by their addresses; times are virtual ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entity {
    /// The CPU of the queue.
    pub cpu: u32,
    /// Which it is.
    pub entity: u64,
    /// The queue (`struct cfs_rq`).
    pub queue: u64,
    /// The entity of the cgroup whose queue that is; 0 for the CPU's own queue.
    pub parent: u64,
    /// The task; `None` for a cgroup.
    pub pid: Option<i32>,
    /// `vruntime`.
    pub vruntime: u64,
    /// `deadline`.
    pub deadline: u64,
}

/// What `pick_eevdf` picked, and what it decided by. The sums are those of all entities that it chose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    /// The CPU of the queue.
    pub cpu: u32,
    /// The queue.
    pub queue: u64,
    /// The entity that was picked.
    pub entity: u64,
    /// Its `deadline`, virtual ns.
    pub deadline: u64,
    /// `zero_vruntime` (before 6.19 `min_vruntime`), virtual ns.
    pub zero: u64,
    /// Sum of (`vruntime` - `zero`) times weight.
    pub sum: i64,
    /// Sum of weights.
    pub load: i64,
    /// The entity that has the CPU and could go on; 0 if none.
    pub current: u64,
    /// Its `vruntime`.
    pub current_vruntime: u64,
    /// Its `deadline`.
    pub current_deadline: u64,
}

impl Pick {
    /// Whether an entity of this `vruntime` was eligible: it had not had more than its share (`vruntime_eligible`).
    #[must_use]
    pub fn eligible(&self, vruntime: u64) -> bool {
        let key = vruntime.wrapping_sub(self.zero) as i64;
        i128::from(self.sum) >= i128::from(key) * i128::from(self.load)
    }
}

/// One side of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switched<'a> {
    /// The task.
    pub pid: i32,
    /// Its name, as bytes.
    pub comm: &'a [u8],
    /// Its priority as the kernel counts (0..98 real-time, 120 = nice 0).
    pub prio: i32,
}
