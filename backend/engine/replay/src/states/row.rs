//! One change of one CPU's state.

/// Number of the group that is the whole machine.
pub const MACHINE: u32 = 0;

/// Task on a CPU, from the view of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OnCpu {
    /// No event has shown it yet.
    #[default]
    Unknown = 0,
    /// Events were lost; not known until the CPU's next switch.
    Lost = 1,
    /// The idle task. In a group's row: a task that is not of the group, or the idle task.
    Idle = 2,
    /// A task; in a group's row, one of the group's.
    Task = 3,
}

/// State of a CPU for a group: the task counts that PSI keeps (`struct psi_group_cpu`, `kernel/sched/psi.c`) and additional
/// counts for the other replays. All counts are of tasks; the idle task never counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// Task on the CPU.
    pub on: OnCpu,
    /// The task on the CPU is in a memory stall (`NR_MEMSTALL` and running); only with `on == Task`.
    pub stalled_on_cpu: bool,
    /// `NR_RUNNING`: runnable tasks of the CPU, the one on it included.
    pub running: u16,
    /// `NR_IOWAIT`: tasks that sleep in `in_iowait` and ran here last.
    pub iowait: u16,
    /// `NR_MEMSTALL`: tasks in a memory stall, asleep or not.
    pub memstall: u16,
    /// `NR_MEMSTALL_RUNNING`: tasks in a memory stall that are runnable.
    pub memstall_running: u16,
    /// Of the tasks that wait here, those that are known to be bound to this CPU.
    pub bound: u16,
}

impl State {
    /// Tasks that are runnable and not on the CPU.
    #[must_use]
    pub fn waiting(&self) -> u16 {
        self.running - u16::from(self.on == OnCpu::Task).min(self.running)
    }

    /// Returns whether two states are equal except for the bound tasks, without a branch for each number: the replay compares
    /// after each event.
    #[inline]
    pub(crate) fn same_but_bound(&self, other: &Self) -> bool {
        let differ = (self.on as u16 ^ other.on as u16)
            | (u16::from(self.stalled_on_cpu) ^ u16::from(other.stalled_on_cpu))
            | (self.running ^ other.running)
            | (self.iowait ^ other.iowait)
            | (self.memstall ^ other.memstall)
            | (self.memstall_running ^ other.memstall_running);
        differ == 0
    }

    /// Returns whether the task on the CPU is known.
    #[must_use]
    pub fn known(&self) -> bool {
        matches!(self.on, OnCpu::Idle | OnCpu::Task)
    }
}

/// From `ts_ns` on, `cpu` is in `state` for `group`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StateRow {
    /// ns of the reference clock; never goes back from row to row.
    pub ts_ns: u64,
    /// The CPU.
    pub cpu: u32,
    /// [`MACHINE`] or the number of a cgroup.
    pub group: u32,
    /// State of the CPU until its next row.
    pub state: State,
}
