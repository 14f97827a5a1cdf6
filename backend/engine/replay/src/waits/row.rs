//! One wait.

use numalens_core::tasks::TaskId;

/// Why a task was waiting for a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitFrom {
    /// Since `sched_waking`: somebody requested its wake-up.
    Waking,
    /// Since `sched_wakeup`, the request itself not being recorded.
    Wakeup,
    /// Since it lost its CPU and stayed runnable; `sched_yield` is not distinguished from a preemption.
    Preempted,
    /// Since `sched_wakeup_new`: it is new (`wake_up_new_task`, `kernel/sched/core.c`).
    New,
    /// Since events were lost while it waited: it may have run meanwhile, and what came before is another wait.
    Resumed,
}

impl WaitFrom {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 5] = [
        Self::Waking,
        Self::Wakeup,
        Self::Preempted,
        Self::New,
        Self::Resumed,
    ];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Waking => "waking",
            Self::Wakeup => "wakeup",
            Self::Preempted => "preempted",
            Self::New => "new",
            Self::Resumed => "resumed",
        }
    }
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitEnd {
    /// The task got a CPU.
    Ran,
    /// The recording ended: the wait is at least this long.
    Recording,
    /// Events were lost: the wait is at least this long, or the task ran unseen.
    Lost,
    /// The task was gone (`sched_process_free`), or another came with its pid.
    Gone,
}

impl WaitEnd {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Ran, Self::Recording, Self::Lost, Self::Gone];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ran => "ran",
            Self::Recording => "recording_end",
            Self::Lost => "lost_events",
            Self::Gone => "gone",
        }
    }
}

/// What leaving idle can take of a wait, at most, ns. No idle state of a machine has a longer exit latency
/// (`cpuidle_state.exit_latency_ns`, `include/linux/cpuidle.h`: tens to hundreds of µs); the rest is for slow guests.
pub const IDLE_EXIT_NS: u64 = 5_000_000;

/// What a nanosecond of a wait was spent on. The first that applies counts, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Cause {
    /// The wake-up was requested and the task was not on a runqueue yet (`sched_waking` to `sched_wakeup`).
    WakeUp = 0,
    /// Nobody can say what the CPU did: its events are lost or had not begun.
    Unknown = 1,
    /// Its cgroup, or one above it, had used up its quota (`cpu.max`).
    Throttled = 2,
    /// The task's CPU was idle: it had to leave idle, switch, or be interrupted for it. At most [`IDLE_EXIT_NS`] of a wait.
    IdleExit = 3,
    /// The task's CPU served an interrupt.
    Interrupt = 4,
    /// The task's CPU served a softirq.
    Softirq = 5,
    /// Another task ran there, and other CPUs were idle, but none that this one may use.
    Pinned = 6,
    /// Another task ran there, other CPUs were idle, and a balancing pass was raised and not finished (softirq SCHED).
    PendingBalance = 7,
    /// Another task ran there while a CPU of the same node was idle, and no balancing pass was seen to look at this one.
    IdleSameNode = 8,
    /// Another task ran there while CPUs of other nodes, and only they, were idle, and no balancing pass was seen to look at this one.
    IdleOtherNode = 9,
    /// Another task ran there and no CPU was idle.
    Busy = 10,
    /// A task of a higher class (stop, deadline, real-time) ran there, and no CPU was idle.
    BehindHigherClass = 11,
    /// CPUs were idle, but the task is probably kept off them: they passed it over again and again.
    ProbablyPinned = 12,
    /// As [`Pinned`](Self::Pinned), and what ran there is of a higher class (stop, deadline, real-time).
    PinnedBehindHigherClass = 14,
    /// The task's CPU was idle for longer than leaving idle takes, and nothing recorded tells why.
    IdleUnexplained = 13,
    /// CPUs were idle that it may use, and it had run less than [`MIGRATION_COST_NS`] ago: balancing leaves such a task.
    MigrationCost = 15,
    /// As [`IdleSameNode`](Self::IdleSameNode), after a balancing pass of a CPU of that node probably looked at it and left it.
    PassedOverSameNode = 16,
    /// As [`IdleOtherNode`](Self::IdleOtherNode), after a balancing pass of a CPU of another node probably looked at it and left it.
    PassedOverOtherNode = 17,
    /// The same of a task whose memory NUMA balancing scans: balancing leaves such a task on its node
    /// (`migrate_degrades_locality`, `kernel/sched/fair.c`).
    NumaKept = 18,
    /// CPUs were idle that it may use, and a kick that came to one of them raised no softirq SCHED (`nohz_csd_func`): until the next
    /// that an idle CPU raises, or for two ticks, as busy CPUs kick at each tick (`nohz_balancer_kick`, `kernel/sched/fair.c`).
    KickDropped = 19,
    /// As [`PassedOverOtherNode`](Self::PassedOverOtherNode), when the nodes' numbers of tasks differ by so little that the kernel
    /// leaves them as they are (`calculate_imbalance`, `adjust_numa_imbalance`, `kernel/sched/fair.c`).
    ImbalanceAllowed = 20,
    /// The task on its CPU scanned its own memory for NUMA balancing (`task_numa_work`, `kernel/sched/fair.c`).
    NumaScan = 21,
    /// A BPF scheduler (`sched_ext`) has the task, and nothing recorded but that scheduler keeps it from running: its CPU was idle for longer
    /// than leaving idle takes, or others were that it may use.
    ScxQueued = 22,
    /// The same, and the watchdog of `sched_ext` found that the task did not run (`check_rq_for_timeouts`, `kernel/sched/ext.c`).
    ScxStalled = 23,
    /// The task's CPU had nothing to run when this one came, and looked for tasks of other CPUs before it took it
    /// (`sched_balance_newidle`, `kernel/sched/fair.c`).
    NewIdle = 24,
    /// As [`Busy`](Self::Busy), after the last pick from its queue left it as it was not eligible: it had had more than its share
    /// (`pick_eevdf`, `vruntime_eligible`, `kernel/sched/fair.c`, 6.6).
    NotEligible = 25,
    /// The same, and it was left though eligible, for what was picked had an earlier deadline (`entity_before`).
    LaterDeadline = 26,
    /// The same, and it was left though eligible and of an earlier deadline, for who had the CPU kept it (`protect_slice`, before 6.17
    /// `RUN_TO_PARITY` in `pick_eevdf`).
    SliceProtected = 27,
    /// The host did not run the task's CPU, which is a guest's (`record_steal_time`, `arch/x86/kvm/x86.c`).
    Steal = 28,
    /// The task's CPU ran nothing of its kernel: its hardware or firmware had it, or, in a guest, its host (`run_osnoise`,
    /// `kernel/trace/trace_osnoise.c`).
    HardwareNoise = 29,
}

/// How long a task counts as cache hot after it has run (`task_hot`; `sysctl_sched_migration_cost`, `kernel/sched/fair.c`), ns.
pub const MIGRATION_COST_NS: u64 = 500_000;

impl Cause {
    /// How many causes there are.
    pub const COUNT: usize = 30;

    /// All, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] = [
        Self::WakeUp,
        Self::Unknown,
        Self::Throttled,
        Self::IdleExit,
        Self::Interrupt,
        Self::Softirq,
        Self::Pinned,
        Self::PendingBalance,
        Self::IdleSameNode,
        Self::IdleOtherNode,
        Self::Busy,
        Self::BehindHigherClass,
        Self::ProbablyPinned,
        Self::IdleUnexplained,
        Self::PinnedBehindHigherClass,
        Self::MigrationCost,
        Self::PassedOverSameNode,
        Self::PassedOverOtherNode,
        Self::NumaKept,
        Self::KickDropped,
        Self::ImbalanceAllowed,
        Self::NumaScan,
        Self::ScxQueued,
        Self::ScxStalled,
        Self::NewIdle,
        Self::NotEligible,
        Self::LaterDeadline,
        Self::SliceProtected,
        Self::Steal,
        Self::HardwareNoise,
    ];

    /// Whether it is a conclusion: what would show it is not recorded.
    #[must_use]
    pub fn is_inferred(self) -> bool {
        matches!(
            self,
            Self::ProbablyPinned
                | Self::IdleUnexplained
                | Self::PassedOverSameNode
                | Self::PassedOverOtherNode
                | Self::NumaKept
                | Self::ImbalanceAllowed
                | Self::ScxQueued
        )
    }

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::WakeUp => "wake_up",
            Self::Unknown => "unknown",
            Self::Throttled => "throttled",
            Self::IdleExit => "idle_exit",
            Self::Interrupt => "interrupt",
            Self::Softirq => "softirq",
            Self::Pinned => "pinned",
            Self::PendingBalance => "pending_balance",
            Self::IdleSameNode => "idle_same_node",
            Self::IdleOtherNode => "idle_other_node",
            Self::Busy => "busy",
            Self::BehindHigherClass => "behind_higher_class",
            Self::ProbablyPinned => "probably_pinned",
            Self::IdleUnexplained => "idle_unexplained",
            Self::PinnedBehindHigherClass => "pinned_behind_higher_class",
            Self::MigrationCost => "migration_cost",
            Self::PassedOverSameNode => "passed_over_same_node",
            Self::PassedOverOtherNode => "passed_over_other_node",
            Self::NumaKept => "numa_kept",
            Self::KickDropped => "kick_dropped",
            Self::ImbalanceAllowed => "imbalance_allowed",
            Self::NumaScan => "numa_scan",
            Self::ScxQueued => "scx_queued",
            Self::ScxStalled => "scx_stalled",
            Self::NewIdle => "newidle",
            Self::NotEligible => "not_eligible",
            Self::LaterDeadline => "later_deadline",
            Self::SliceProtected => "slice_protected",
            Self::Steal => "steal",
            Self::HardwareNoise => "hardware_noise",
        }
    }
}

/// How long a wait had a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CauseNs {
    /// The cause.
    pub cause: Cause,
    /// Its time, ns; never 0.
    pub ns: u64,
}

/// A wait. Its causes add up to `end_ns - start_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WaitRow {
    /// When it began, ns of the reference clock.
    pub start_ns: u64,
    /// When it ended: the switch-in, or see [`WaitEnd`].
    pub end_ns: u64,
    /// Who waited: row of the table of tasks.
    pub task: TaskId,
    /// Its priority at the end, as the kernel counts; -1 when not recorded.
    pub prio: i32,
    /// Where it got its CPU, or waited last.
    pub cpu: u32,
    /// Where it became runnable first; `cpu` when nothing tells.
    pub from_cpu: u32,
    /// What began it.
    pub from: WaitFrom,
    /// What ended it.
    pub end: WaitEnd,
    /// Who was on the CPU that woke it; -1 when unknown or when nobody did.
    pub waker_pid: i32,
    /// Its cgroup, by number; 0 when it is the root or not known.
    pub group: u32,
}

/// The part of a wait that lies in a window.
#[derive(Debug, Clone, Copy)]
pub struct WaitPart<'a> {
    /// The whole wait.
    pub wait: &'a WaitRow,
    /// Where the part begins, ns.
    pub from_ns: u64,
    /// Where it ends, ns.
    pub to_ns: u64,
    /// What the part was spent on; adds up to it.
    pub causes: &'a [CauseNs],
}

impl<'a> WaitPart<'a> {
    /// All of a wait.
    #[must_use]
    pub fn whole(wait: &'a WaitRow, causes: &'a [CauseNs]) -> Self {
        Self {
            wait,
            from_ns: wait.start_ns,
            to_ns: wait.end_ns,
            causes,
        }
    }

    /// What of a wait lies in a window; `causes` are still those of all of it.
    #[must_use]
    pub fn inside(wait: &'a WaitRow, window: (u64, u64), causes: &'a [CauseNs]) -> Self {
        Self {
            wait,
            from_ns: wait.start_ns.max(window.0),
            to_ns: wait.end_ns.min(window.1),
            causes,
        }
    }

    /// Its length, ns.
    #[must_use]
    pub fn ns(&self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }

    /// Whether the wait began before the window.
    #[must_use]
    pub fn begun_before(&self) -> bool {
        self.wait.start_ns < self.from_ns
    }

    /// Whether the wait goes on behind the window.
    #[must_use]
    pub fn open_at_end(&self) -> bool {
        self.wait.end_ns > self.to_ns
    }
}
