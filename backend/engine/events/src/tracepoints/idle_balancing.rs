//! Recorded tables about the idle load balancer, and their meaning.

use super::probe::probed;
use numalens_core::listed;

listed! {
    /// Meaning of a table's rows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[repr(u8)]
    pub enum IlbKind {
        /// `hrtimer_expire_entry`; rows of the tick's function count.
        Timer = 1,
        /// A probe on `trigger_load_balance` (`sched_balance_trigger` since 6.10): a tick.
        Trigger = 2,
        /// `tick_stop`.
        TickStop = 3,
        /// `cpu_idle`.
        CpuIdle = 4,
        /// `softirq_raise`; rows of the SCHED softirq count, here and below.
        Raise = 5,
        /// `softirq_entry`.
        Entry = 6,
        /// `softirq_exit`.
        Exit = 7,
        /// `csd_queue_cpu` (since 6.5), before a probe on `smp_call_function_single_async`: a function call is sent; rows of `nohz_csd_func`
        /// count, here and below.
        CsdQueue = 8,
        /// `csd_function_entry`.
        CsdEntry = 9,
        /// A probe on `nohz_csd_func`: a kick arrives.
        Arrive = 10,
        /// A probe on `nohz_balance_enter_idle`.
        Enter = 11,
        /// A probe on `nohz_balance_exit_idle`.
        Leave = 12,
        /// A probe on `_nohz_idle_balance`.
        Pass = 13,
        /// A probe on `kick_ilb`.
        Kick = 14,
        /// A probe on `rebalance_domains` (`sched_balance_domains` since 6.10).
        Balance = 15,
        /// `ipi_send_cpu` (since 6.4).
        Ipi = 16,
        /// `sched_wake_idle_without_ipi`: a polling CPU was woken by its flag.
        WakeIdle = 17,
        /// `sched_migrate_task` inside of a SCHED softirq.
        Migrate = 18,
        /// A line `Running rebalance for N`, printed by `trace_printk` (`docs/algorithms/idle_balancing.md`, I12).
        Print = 19,
        /// A probe on `nohz_balancer_kick`: a tick.
        BalancerKick = 20,
        /// Events of the CPU are missing from here on; not a table's kind.
        Lost = 21,
        /// `sched_update_nr_running_tp` (since 5.9, read by a probe on the tracepoint since 6.5): how many tasks a CPU has.
        NrRunning = 22,
        /// A probe on the return of `_nohz_idle_balance`.
        PassEnd = 23,
        /// State of the balancer at a tick, if the probe of [`Self::Trigger`] also reads it; not a table's kind.
        Nohz = 24,
        /// `csd_queue_cpu` of `sched_ttwu_pending`, or wake-ups that a probe on `__smp_call_single_queue` shows: a task is woken on a CPU by a call (`rq->ttwu_pending`).
        WakeQueue = 25,
        /// `csd_function_entry` of the wakeup function, or a probe on it: the CPU takes the tasks that were woken in this way.
        WakeEntry = 26,
        /// A probe on `sched_balance_newidle` (before 6.10 `newidle_balance`).
        NewIdle = 27,
        /// A probe on its return.
        NewIdleEnd = 28,
        /// A probe on `sched_balance_rq` (before 6.10 `load_balance`).
        Search = 29,
        /// A probe on its return.
        SearchEnd = 30,
        /// `pelt_cfs_tp` of a CPU's own queue of fair tasks, and `sched_util_est_cfs_tp`, which has one of its averages (read by
        /// probes on the tracepoints since 6.5).
        Averages = 31,
        /// `hrtimer_expire_exit`: if a tick's probe reads the balancer's state, the first one after it on its CPU ends the tick.
        TickEnd = 32,
    }
}

impl IlbKind {
    /// The kind of an event type with these columns; `None` when it is not about the idle load balancer.
    #[must_use]
    pub fn of(system: &str, event: &str, columns: &[&str]) -> Option<Self> {
        match (system, event) {
            ("timer", "hrtimer_expire_entry") => Some(Self::Timer),
            ("timer", "hrtimer_expire_exit") => Some(Self::TickEnd),
            ("timer", "tick_stop") => Some(Self::TickStop),
            ("power", "cpu_idle") => Some(Self::CpuIdle),
            ("irq", "softirq_raise") => Some(Self::Raise),
            ("irq", "softirq_entry") => Some(Self::Entry),
            ("irq", "softirq_exit") => Some(Self::Exit),
            ("csd", "csd_queue_cpu") => Some(Self::CsdQueue),
            ("csd", "csd_function_entry") => Some(Self::CsdEntry),
            ("ipi", "ipi_send_cpu") => Some(Self::Ipi),
            ("sched", "sched_wake_idle_without_ipi") => Some(Self::WakeIdle),
            ("sched", "sched_migrate_task") => Some(Self::Migrate),
            ("ftrace", "print" | "bprint" | "bputs") => {
                columns.contains(&"buf").then_some(Self::Print)
            }
            ("sched" | "irq" | "timer" | "power" | "csd" | "ipi", _) => None,
            _ => match (probed(event), columns.contains(&"__probe_ret_ip")) {
                (("_nohz_idle_balance", true), _) | (("_nohz_idle_balance", false), true) => {
                    Some(Self::PassEnd)
                }
                (("sched_balance_newidle" | "newidle_balance", true), _) => Some(Self::NewIdleEnd),
                (("sched_balance_rq" | "load_balance", true), _) => Some(Self::SearchEnd),
                ((_, true), _) | (_, true) => None,
                ((name, false), false) => probe(name),
            },
        }
    }

    /// Returns the second kind of a table of this kind with these columns, if any.
    #[must_use]
    pub fn also(self, columns: &[&str]) -> Option<Self> {
        let there = |name: &&str| columns.contains(name);
        (self == Self::Trigger && Self::NOHZ.iter().all(there)).then_some(Self::Nohz)
    }

    /// The kind of the same table's rows of wake-ups instead of kicks.
    #[must_use]
    pub fn wakes(self) -> Option<Self> {
        match self {
            Self::CsdQueue => Some(Self::WakeQueue),
            Self::CsdEntry => Some(Self::WakeEntry),
            _ => None,
        }
    }

    /// Fields of `nohz` (`kernel/sched/fair.c`) that a probe on the tick reads, in the kernel's jiffies or as flags.
    pub const NOHZ: [&'static str; 5] = [
        "jiffies",
        "nohz_next_balance",
        "nohz_next_blocked",
        "has_blocked",
        "needs_update",
    ];

    /// Names of the functions whose rows count: of the tick's timer, the second one since 6.9, or of what a kick or a wake-up runs. None for
    /// kinds of which all rows count.
    #[must_use]
    pub fn functions(self) -> &'static [&'static str] {
        match self {
            Self::Timer => &["tick_sched_timer", "tick_nohz_handler"],
            Self::CsdQueue | Self::CsdEntry => &["nohz_csd_func"],
            Self::WakeQueue | Self::WakeEntry => &["sched_ttwu_pending"],
            _ => &[],
        }
    }

    /// The kind of a number in the log.
    #[must_use]
    pub fn of_number(number: u8) -> Option<Self> {
        // They are numbered from 1 on, in the order of `ALL`.
        let kind = Self::ALL.get(usize::from(number).checked_sub(1)?)?;
        Some(*kind)
    }

    /// Columns that the rows of any kind may need.
    pub const COLUMNS: &'static [&'static str] = &[
        "ts_ns",
        "cpu",
        "seq",
        "buffer",
        "arg_cpu",
        "cpu_id",
        "state",
        "vec",
        "function",
        "func",
        "type",
        "nohz_flags",
        "flags",
        "stopped",
        "nr_running",
        "idle_balance",
        "next_balance",
        "success",
        "pid",
        "orig_cpu",
        "dest_cpu",
        "idle",
        "buf",
        "jiffies",
        "nohz_next_balance",
        "nohz_next_blocked",
        "has_blocked",
        "needs_update",
        "capacity",
        "imbalance_pct",
        "span",
        "moved",
        "parent",
        "runnable_avg",
        "util_avg",
        "util_est",
    ];
}

/// Kind of a probe on the entry of a function.
fn probe(name: &str) -> Option<IlbKind> {
    Some(match name {
        "trigger_lb" | "trigger_load_balance" | "sched_balance_trigger" => IlbKind::Trigger,
        "nohz_csd_func" => IlbKind::Arrive,
        "nohz_enter_idle" | "nohz_balance_enter_idle" => IlbKind::Enter,
        "nohz_exit_idle" | "nohz_balance_exit_idle" => IlbKind::Leave,
        "nohz_ilb" | "_nohz_idle_balance" => IlbKind::Pass,
        "kick_ilb" => IlbKind::Kick,
        "smp_call_function_single_async" => IlbKind::CsdQueue,
        "__smp_call_single_queue" => IlbKind::WakeQueue,
        "sched_ttwu_pending" => IlbKind::WakeEntry,
        "nohz_balancer_kick" => IlbKind::BalancerKick,
        "sched_update_nr_running_tp" => IlbKind::NrRunning,
        "rebalance_domains" | "sched_balance_domains" => IlbKind::Balance,
        "newidle_balance" | "sched_balance_newidle" => IlbKind::NewIdle,
        "load_balance" | "sched_balance_rq" => IlbKind::Search,
        "pelt_cfs_tp" | "sched_util_est_cfs_tp" => IlbKind::Averages,
        _ => return None,
    })
}

/// Kinds of which a recording has tables, be they empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds(u64);

impl Kinds {
    /// With another one.
    #[must_use]
    pub fn with(self, kind: IlbKind) -> Self {
        Self(self.0 | 1 << kind as u8)
    }

    /// Returns whether a kind exists.
    #[must_use]
    pub fn has(self, kind: IlbKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// The numbers of all, ascending.
    pub fn numbers(self) -> impl Iterator<Item = u8> {
        let all = IlbKind::ALL.into_iter();
        all.filter(move |kind| self.has(*kind))
            .map(|kind| kind as u8)
    }

    /// Returns whether a kick would have been recorded.
    #[must_use]
    pub fn show_kicks(self) -> bool {
        let shows = [IlbKind::Arrive, IlbKind::CsdEntry, IlbKind::CsdQueue];
        shows.into_iter().any(|kind| self.has(kind))
    }

    /// The kind whose rows are ticks, if any is.
    #[must_use]
    pub fn tick(self) -> Option<IlbKind> {
        let ticks = [IlbKind::Trigger, IlbKind::BalancerKick, IlbKind::Timer];
        ticks.into_iter().find(|&kind| self.has(kind))
    }

    /// The kind whose rows are arriving kicks, if softirqs show their outcome.
    #[must_use]
    pub fn arrival(self) -> Option<IlbKind> {
        let softirqs = self.has(IlbKind::Raise) || self.has(IlbKind::Entry);
        let arrivals = [IlbKind::Arrive, IlbKind::CsdEntry];
        arrivals
            .into_iter()
            .find(|&kind| softirqs && self.has(kind))
    }
}

impl FromIterator<u8> for Kinds {
    /// Numbers that are not known are left out.
    fn from_iter<T: IntoIterator<Item = u8>>(numbers: T) -> Self {
        let kinds = numbers.into_iter().filter_map(IlbKind::of_number);
        kinds.fold(Self::default(), Self::with)
    }
}
