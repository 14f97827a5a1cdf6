//! Meaning of the pressure states by kernel version: a table, and one evaluator for it.
//!
//! Source: `test_state`, `psi_task_change`, `psi_show`, `update_averages` and `group_init` of `kernel/sched/psi.c`
//! (`update_stats` in 4.20), read in 4.20, 5.2, 5.4, 5.6, 5.7, 5.11, 5.14, 5.17, 6.4 and 6.12.

use numalens_core::kernel_version::KernelVersion;
use numalens_replay::states::{OnCpu, State};

/// States of a group on a CPU, in the kernel's order (`enum psi_states`).
pub mod state {
    /// Some task waits for I/O.
    pub const IO_SOME: usize = 0;
    /// Tasks wait for I/O and none is productive.
    pub const IO_FULL: usize = 1;
    /// Some task is in a memory stall.
    pub const MEM_SOME: usize = 2;
    /// Tasks are in memory stalls and none is productive.
    pub const MEM_FULL: usize = 3;
    /// Some runnable task is not on the CPU.
    pub const CPU_SOME: usize = 4;
    /// Tasks are runnable and none of the group's is on the CPU.
    pub const CPU_FULL: usize = 5;
    /// Interrupt time; not a state but a sum of its own.
    pub const IRQ_FULL: usize = 6;
    /// Some task of the group is runnable, in I/O wait or stalled here; the time in this state is the CPU's weight.
    pub const NONIDLE: usize = 7;
    /// Number of states.
    pub const COUNT: usize = 8;
    /// Number of states with totals and averages: all but [`NONIDLE`].
    pub const TOTALS: usize = 7;
    /// Each FULL state with the SOME state it lies in.
    pub const FULL_IN_SOME: [(usize, usize); 3] = [
        (IO_FULL, IO_SOME),
        (MEM_FULL, MEM_SOME),
        (CPU_FULL, CPU_SOME),
    ];
}

/// One bit per state of [`state`].
pub type Mask = u8;

/// Condition of a state on the counts of [`State`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicate {
    /// The kernel has no such state.
    Never,
    /// Tasks in `in_iowait`.
    IoWait,
    /// Tasks in `in_iowait` and none runnable.
    IoWaitNoneRunnable,
    /// Tasks in memory stalls.
    MemStall,
    /// Tasks in memory stalls and none runnable. (What ticks add to it: [`Rules::reclaim_by_tick`].)
    MemStallNoneRunnable,
    /// The same, or one of the stalled tasks is the one on the CPU.
    MemStallNoneRunnableOrOnCpu,
    /// Every runnable task is also stalled, or one of the stalled tasks is the one on the CPU.
    MemStallAllStalledOrOnCpu,
    /// More than one runnable task.
    RunnableOverOne,
    /// A runnable task besides the one on the CPU: a woken task on an idle CPU counts until it is switched in.
    RunnableOverOnCpu,
    /// Runnable tasks, none of them on the CPU.
    RunnableNoneOnCpu,
    /// Tasks that are runnable, wait for I/O or are stalled.
    NonIdle,
}

impl Predicate {
    fn holds(self, state: &State) -> bool {
        let on_cpu = u16::from(state.on == OnCpu::Task);
        let reclaims = on_cpu == 1 && state.stalled_on_cpu;
        match self {
            Self::Never => false,
            Self::IoWait => state.iowait > 0,
            Self::IoWaitNoneRunnable => state.iowait > 0 && state.running == 0,
            Self::MemStall => state.memstall > 0,
            Self::MemStallNoneRunnable => state.memstall > 0 && state.running == 0,
            Self::MemStallNoneRunnableOrOnCpu => {
                state.memstall > 0 && (state.running == 0 || reclaims)
            }
            Self::MemStallAllStalledOrOnCpu => {
                state.memstall > 0 && (state.running == state.memstall_running || reclaims)
            }
            Self::RunnableOverOne => state.running > 1,
            Self::RunnableOverOnCpu => state.running > on_cpu,
            Self::RunnableNoneOnCpu => state.running > 0 && on_cpu == 0,
            Self::NonIdle => state.iowait > 0 || state.memstall > 0 || state.running > 0,
        }
    }
}

/// Content of the `cpu` file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuFile {
    /// The line `some` alone.
    Some,
    /// The lines `some` and `full`.
    SomeAndFull,
    /// Both lines; `full` of the whole machine is printed as 0 whatever was counted.
    FullZeroForMachine,
}

/// Initial `avg_last_update` of a new group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstPeriod {
    /// 0: the first period of a group that is created late spans the time since boot.
    SinceBoot,
    /// The group's creation.
    SinceCreation,
}

/// One row of the table: the rules of a range of kernel versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Family of rules, named by one of its versions. Rows of one family differ only in the averages.
    pub name: &'static str,
    /// The first version they hold for; they end where the next row begins.
    pub from: KernelVersion,
    /// Condition of each of [`state`]; `IRQ_FULL` has none, it is summed from interrupt time.
    pub states: [Predicate; state::COUNT],
    /// Reclaim of the task on the CPU counts as `MEM_FULL` by ticks: each adds the time since the last change, at most a
    /// jiffy (`psi_task_tick`).
    pub reclaim_by_tick: bool,
    /// Content of the `cpu` file.
    pub cpu_file: CpuFile,
    /// Interrupt time is counted (`psi_account_irqtime`; with `CONFIG_IRQ_TIME_ACCOUNTING`).
    pub irq: bool,
    /// Start of the first period.
    pub first_period: FirstPeriod,
    /// A period that is late by exactly one period counts as missed (`>=`; 4.20 compared with `>`).
    pub missed_at_equality: bool,
}

const fn version(major: u16, minor: u16) -> KernelVersion {
    KernelVersion { major, minor }
}

const fn states(
    mem_full: Predicate,
    cpu_some: Predicate,
    cpu_full: Predicate,
) -> [Predicate; state::COUNT] {
    [
        Predicate::IoWait,
        Predicate::IoWaitNoneRunnable,
        Predicate::MemStall,
        mem_full,
        cpu_some,
        cpu_full,
        Predicate::Never,
        Predicate::NonIdle,
    ]
}

const V4_20: Rules = Rules {
    name: "4.20",
    from: version(4, 20),
    states: states(
        Predicate::MemStallNoneRunnable,
        Predicate::RunnableOverOne,
        Predicate::Never,
    ),
    reclaim_by_tick: true,
    cpu_file: CpuFile::Some,
    irq: false,
    first_period: FirstPeriod::SinceBoot,
    missed_at_equality: false,
};

/// The table, oldest first.
///
/// 5.13 brought `cpu full` and reclaim by the task on the CPU. 6.1 brought interrupt time; that it prints the machine's
/// `cpu full` as 0 was seen in recordings of 6.1.
pub const TABLE: [Rules; 7] = [
    V4_20,
    Rules {
        from: version(5, 2),
        missed_at_equality: true,
        ..V4_20
    },
    Rules {
        from: version(5, 4),
        missed_at_equality: true,
        first_period: FirstPeriod::SinceCreation,
        ..V4_20
    },
    Rules {
        name: "5.7",
        from: version(5, 7),
        states: states(
            Predicate::MemStallNoneRunnable,
            Predicate::RunnableOverOnCpu,
            Predicate::Never,
        ),
        missed_at_equality: true,
        first_period: FirstPeriod::SinceCreation,
        ..V4_20
    },
    Rules {
        name: "5.14",
        from: version(5, 13),
        states: states(
            Predicate::MemStallNoneRunnableOrOnCpu,
            Predicate::RunnableOverOnCpu,
            Predicate::RunnableNoneOnCpu,
        ),
        reclaim_by_tick: false,
        cpu_file: CpuFile::SomeAndFull,
        missed_at_equality: true,
        first_period: FirstPeriod::SinceCreation,
        ..V4_20
    },
    V5_17,
    Rules {
        name: "6.4",
        from: version(6, 1),
        cpu_file: CpuFile::FullZeroForMachine,
        irq: true,
        ..V5_17
    },
];

const V5_17: Rules = Rules {
    name: "5.17",
    from: version(5, 17),
    states: states(
        Predicate::MemStallAllStalledOrOnCpu,
        Predicate::RunnableOverOnCpu,
        Predicate::RunnableNoneOnCpu,
    ),
    reclaim_by_tick: false,
    cpu_file: CpuFile::SomeAndFull,
    irq: false,
    first_period: FirstPeriod::SinceCreation,
    missed_at_equality: true,
};

impl Rules {
    /// The rules that `kernel` runs; none before 4.20, which had no pressure.
    #[must_use]
    pub fn of(kernel: KernelVersion) -> Option<&'static Self> {
        TABLE.iter().rev().find(|row| row.from <= kernel)
    }

    /// The oldest row of a family: "4.20", "5.7", "5.14", "5.17" or "6.4".
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|row| row.name == name)
    }

    /// The newest rules: the default for an unknown kernel.
    #[must_use]
    pub fn newest() -> &'static Self {
        &TABLE[TABLE.len() - 1]
    }

    /// Returns the states that hold. FULL holds only where SOME does, as the kernel records it.
    #[must_use]
    pub fn states(&self, of: &State) -> Mask {
        let alone = of.running == u16::from(of.on == OnCpu::Task);
        if alone && of.iowait == 0 && of.memstall == 0 {
            // Most moments of most CPUs: no task is there, or one, which runs.
            return Mask::from(of.running > 0) << state::NONIDLE;
        }
        let mut mask: Mask = 0;
        for (number, predicate) in self.states.iter().enumerate() {
            mask |= Mask::from(predicate.holds(of)) << number;
        }
        for (full, some) in state::FULL_IN_SOME {
            if mask & (1 << some) == 0 {
                mask &= !(1 << full);
            }
        }
        mask
    }

    /// Returns whether the kernel keeps such a state at all.
    #[must_use]
    pub fn has(&self, number: usize) -> bool {
        if number == state::IRQ_FULL {
            return self.irq;
        }
        self.states[number] != Predicate::Never
    }

    /// Returns whether the machine's (or a cgroup's) `cpu` file has a line `full` that counts.
    #[must_use]
    pub fn shows_cpu_full(&self, machine: bool) -> bool {
        match self.cpu_file {
            CpuFile::Some => false,
            CpuFile::SomeAndFull => true,
            CpuFile::FullZeroForMachine => !machine,
        }
    }
}
