//! Claims about causes of waits, and their totals in a window.

use numalens_core::tasks::TaskId;
use numalens_replay::waits::{Cause, WaitRow};
use numalens_subject::Shared;
use numalens_subject::findings::Claim;
use numalens_subject::findings::occurrence::Occurrences;

/// A task and a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// Row of the table of tasks.
    pub task: TaskId,
    /// Cgroup, by number; 0 for the root or when not known.
    pub group: u32,
    /// Pid.
    pub pid: i32,
    /// Name.
    pub comm: String,
    /// The time, ns.
    pub ns: u64,
}

/// CPUs of a wait, and the tasks that ran there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meanwhile {
    /// On the queues of which CPUs it was, ascending.
    pub cpus: Vec<u32>,
    /// Tasks that ran there during the wait, with their times, ns; the longest first.
    pub ran: Vec<(TaskId, u64)>,
}

/// The wait that a claim takes most of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worst {
    /// Waiting task, and its time with this cause.
    pub waiter: Share,
    /// The wait, as far as it lies in the window.
    pub row: WaitRow,
    /// On the queues of which CPUs the task was, ascending.
    pub cpus: Vec<u32>,
    /// Tasks that ran there during the wait, the longest first.
    pub behind: Vec<Share>,
    /// Reason for which the first of these got more of the CPU, if its weight was the reason.
    pub outweighed: Option<String>,
}

/// Tasks of one name, and how much of a time they ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Behind {
    /// Common name.
    pub comm: String,
    /// Number of tasks.
    pub tasks: usize,
    /// Common cgroup, if the tasks also waited and cgroups are known.
    pub cgroup: Option<String>,
    /// Share, percent.
    pub percent: f64,
}

/// Many short tasks that were forked in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Storm {
    /// Name of the tasks that forked most of them.
    pub parent: String,
    /// Name under which they ran most.
    pub child: String,
    /// Number of tasks.
    pub tasks: u64,
    /// Share of these tasks and their parents in all run time, percent.
    pub percent: f64,
}

/// The tasks of one name that a claim hurt most.
#[derive(Debug, Clone, PartialEq)]
pub struct Victims {
    /// Common name.
    pub comm: String,
    /// Number of tasks.
    pub tasks: usize,
    /// Lost time, task-ns.
    pub ns: u64,
    /// Tasks that ran most during the longest wait of each.
    pub behind: Option<Behind>,
}

/// The waiting of one claim.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claimed {
    /// In all, task-ns.
    pub ns: u64,
    /// By cause.
    pub causes: [u64; Cause::COUNT],
    /// Number of waits with this cause.
    pub waits: u64,
    /// Time with this cause in which new tasks waited for their first turn, task-ns.
    pub new_ns: u64,
    /// Number of such new tasks.
    pub new_tasks: u64,
    /// Number of tasks with this cause.
    pub tasks: usize,
    /// The tasks that lost most to this cause, then those with most time.
    pub top: Vec<Share>,
    /// The most that a task lost to it, ns; 0 when the tasks only shared the CPUs fairly.
    pub lost_ns: u64,
    /// Expected remaining wait of the most affected task with this cause, at a random time of the window (rule K9), ns.
    pub felt_ns: f64,
    /// Tasks that lost most to it, if any.
    pub victims: Option<Victims>,
    /// Largest time of a task for which this is the main cause, ns.
    pub main_ns: u64,
    /// Cgroup whose own tasks have most time with this cause, when cgroups are known; with that time.
    pub cgroup: Option<(String, u64)>,
    /// Wait of the victims with the largest part; without victims, of any task.
    pub worst: Option<Worst>,
    /// Intervals in which at least one task waited for this.
    pub occurrences: Occurrences,
    /// The longest wait of all without its part of this, ns.
    pub longest_without_ns: u64,
}

/// All waiting of a window.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Waiting {
    /// In all, task-ns.
    pub total_ns: u64,
    /// Part in which it is not known what happened to the tasks.
    pub unknown_ns: u64,
    /// Time in which tasks ran, CPU-ns.
    pub ran_ns: u64,
    /// Part until tasks were on a runqueue and their idle CPUs ran them (causes `wake_up` and `idle_exit`).
    pub waking_ns: u64,
    /// The longest wait, ns.
    pub longest_ns: u64,
    /// Tasks that ran most during the longest waits on busy CPUs.
    pub behind: Option<Behind>,
    /// Many short new tasks that took most of the CPUs' time, if so.
    pub storm: Option<Storm>,
    pub(super) claims: [Claimed; Claim::COUNT],
}

impl Shared for Waiting {
    fn heap_bytes(&self) -> usize {
        let worst = self.claims.iter();
        worst.map(|one| one.occurrences.worst.heap_bytes()).sum()
    }
}

impl Waiting {
    /// Adds to the worst waits the reason for which the running tasks got more of the CPU, according to `outweighed`.
    ///
    /// # Errors
    /// Those of `outweighed`.
    pub fn weigh<E>(
        &mut self,
        mut outweighed: impl FnMut(&WaitRow, &Share) -> Result<Option<String>, E>,
    ) -> Result<(), E> {
        for worst in self.claims.iter_mut().filter_map(|one| one.worst.as_mut()) {
            if let Some(first) = worst.behind.first().filter(|first| first.pid != 0) {
                worst.outweighed = outweighed(&worst.row, first)?;
            }
        }
        Ok(())
    }
}
