//! The events that the replay follows, read from their tables batch by batch and merged into one order.
//!
//! Field names are those of the kernel's `include/trace/events/` (`sched.h`, `cgroup.h`, `irq.h`).
//!
//! The registry of tracepoints, the scheduler's event tables as typed events with marks where events were lost, and the one merge
//! of tables into time order, which the balancers' tables use as well. Columns are read by name, so the kernel's own widths and
//! versions do not matter. The meaning of events belongs to the replays.
//!
//! For a window, `search.rs` finds its possible batches, and `find.rs` the pages of events that match a filter;
//! neither reads other batches. A table's events ascend unless its recording went back in time, which readers count. The range of
//! times of each batch, from the end of the file, holds for any order.

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
        /// Leaving task.
        prev: Switched<'a>,
        /// The state in which it left.
        state: &'a EndState,
        /// Coming task.
        next: Switched<'a>,
    },
    /// `sched_waking`: the wakeup of the task was requested.
    Waking {
        /// Pid of the task to wake.
        pid: i32,
        /// Name of the task; empty where it was not recorded.
        comm: &'a [u8],
        /// CPU on which it slept or is to run.
        target_cpu: u32,
        /// Task on the requesting CPU.
        waker: i32,
        /// Context of the CPU, according to the kernel's `common_flags`; `None` when not recorded.
        flags: Option<u8>,
    },
    /// `sched_wakeup` or `sched_wakeup_new`: the task is runnable now.
    Wakeup {
        /// Pid of the woken task.
        pid: i32,
        /// Name, as bytes.
        comm: &'a [u8],
        /// CPU on which it waits.
        target_cpu: u32,
        /// True for a new task, which runs for the first time (`wake_up_new_task`).
        new: bool,
    },
    /// `sched_migrate_task`: the task's CPU changes.
    Migrate {
        /// Pid of the moved task.
        pid: i32,
        /// Source CPU; `None` when the event does not have it.
        orig_cpu: Option<u32>,
        /// Target CPU.
        dest_cpu: u32,
    },
    /// `sched_process_free`: the task is gone and its pid may be used again.
    Free {
        /// Pid of the ended task.
        pid: i32,
    },
    /// `sched_process_fork`: a task with a new pid begins in its parent's cgroup.
    Fork {
        /// Pid of the parent.
        parent: i32,
        /// The new task.
        child: i32,
    },
    /// `sched_process_exit`: the task begins to end; it runs on until its last switch.
    Exit {
        /// Pid of the exiting task.
        pid: i32,
    },
    /// `cgroup_attach_task`: the task comes to another cgroup of the default hierarchy.
    CgroupAttach {
        /// Pid of the moved task.
        pid: i32,
        /// Path of the cgroup from the hierarchy's root.
        path: &'a [u8],
    },
    /// A task enters or leaves a memory stall; such calls nest.
    Stall {
        /// Pid of the stalled task.
        pid: i32,
        /// True at the start.
        enter: bool,
    },
    /// A task begins or ends to scan its memory for NUMA balancing (`task_numa_work`, `kernel/sched/fair.c`).
    NumaScan {
        /// Pid of the scanning task, whose memory it is.
        pid: i32,
        /// True at the start.
        enter: bool,
    },
    /// The CPU has nothing to run and begins or ends to look for tasks of others (`sched_balance_newidle`, `kernel/sched/fair.c`).
    NewIdle {
        /// True at the start.
        enter: bool,
        /// True for the whole search, false for the part in one domain (`sched_balance_rq`).
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
        /// True at the start.
        enter: bool,
    },
    /// The hypervisor takes the CPU from the guest, or gives it back.
    Taken {
        /// By the host, which did not run it, else by the hardware or its firmware.
        by_host: bool,
        /// True at the start.
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
    /// Events are recorded again.
    LostEnd,
    /// No CPU is recorded from here until the next recording begins.
    Pause,
}

/// An entity on a queue of the fair class (`struct sched_entity`, 6.6): a task, or a cgroup's tasks of a CPU. Entities and queues
/// are known by their addresses; times are virtual ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entity {
    /// The CPU of the queue.
    pub cpu: u32,
    /// Entity.
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
    /// `slice`, ns; `None` when not recorded.
    pub slice: Option<u64>,
}

/// Entity that `pick_eevdf` picked, and the values for its decision. The sums are those of all entities that it chose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    /// The CPU of the queue.
    pub cpu: u32,
    /// The queue.
    pub queue: u64,
    /// The entity that was picked.
    pub entity: u64,
    /// `deadline` of the picked entity, virtual ns.
    pub deadline: u64,
    /// `zero_vruntime` (before 6.19 `min_vruntime`), virtual ns.
    pub zero: u64,
    /// Sum of (`vruntime` - `zero`) times weight.
    pub sum: i64,
    /// Sum of weights.
    pub load: i64,
    /// The entity that has the CPU and could continue; 0 if none.
    pub current: u64,
    /// `vruntime` of that entity.
    pub current_vruntime: u64,
    /// `deadline` of that entity.
    pub current_deadline: u64,
}

impl Pick {
    /// Returns whether an entity of this `vruntime` was eligible: it had not had more than its share (`vruntime_eligible`).
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
    /// Name, as bytes.
    pub comm: &'a [u8],
    /// Priority as the kernel counts (0..98 real-time, 120 = nice 0).
    pub prio: i32,
}
