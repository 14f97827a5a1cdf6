//! What tasks can be said to have waited for, and what a window has of it.

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
    /// Its cgroup, by number; 0 when it is the root or not known.
    pub group: u32,
    /// Who.
    pub pid: i32,
    /// Its name.
    pub comm: String,
    /// The time, ns.
    pub ns: u64,
}

/// Where a task waited, and who ran there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meanwhile {
    /// On the queues of which CPUs it was, ascending.
    pub cpus: Vec<u32>,
    /// Who ran there while it was, and how long, ns; the longest first.
    pub ran: Vec<(TaskId, u64)>,
}

/// The wait that a claim takes most of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worst {
    /// Who waited, and how long because of this.
    pub waiter: Share,
    /// The wait, as far as it lies in the window.
    pub row: WaitRow,
    /// On the queues of which CPUs the task was, ascending.
    pub cpus: Vec<u32>,
    /// Who ran there meanwhile, the longest first.
    pub behind: Vec<Share>,
    /// Why the first of them got more of the CPU, if its weight did that.
    pub outweighed: Option<String>,
}

/// Tasks of one name, and how much of a time they ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Behind {
    /// Their name.
    pub comm: String,
    /// How many.
    pub tasks: usize,
    /// Their cgroup, when they waited too, cgroups are known and all have one.
    pub cgroup: Option<String>,
    /// Their share, percent.
    pub percent: f64,
}

/// Many short tasks that were forked in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Storm {
    /// Name of the tasks that forked most of them.
    pub parent: String,
    /// Name under which they ran most.
    pub child: String,
    /// How many they are.
    pub tasks: u64,
    /// Their share, with their parents', of what all tasks ran, percent.
    pub percent: f64,
}

/// The tasks of one name that a claim hurt most.
#[derive(Debug, Clone, PartialEq)]
pub struct Victims {
    /// Their name.
    pub comm: String,
    /// How many they are.
    pub tasks: usize,
    /// What they lost, task-ns.
    pub ns: u64,
    /// Who ran most during the longest wait of each.
    pub behind: Option<Behind>,
}

/// The waiting of one claim.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claimed {
    /// In all, task-ns.
    pub ns: u64,
    /// By cause.
    pub causes: [u64; Cause::COUNT],
    /// How many waits have some of it.
    pub waits: u64,
    /// How much of it new tasks waited for their first turn, task-ns.
    pub new_ns: u64,
    /// How many new tasks did.
    pub new_tasks: u64,
    /// How many tasks have.
    pub tasks: usize,
    /// The tasks that lost most to it, then those that have most of it.
    pub top: Vec<Share>,
    /// The most that a task lost to it, ns; 0 when the tasks only shared the CPUs fairly.
    pub lost_ns: u64,
    /// How long the task that it stalled worst waits on, at a random moment of the window, because of this (rule K9), ns.
    pub felt_ns: f64,
    /// Tasks that lost most to it, if any.
    pub victims: Option<Victims>,
    /// The most that a task has of it which has waited for nothing else longer, ns.
    pub main_ns: u64,
    /// The cgroup whose own tasks have most of it, when cgroups are known; with how much.
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
    /// Of it until tasks were on a runqueue and their idle CPUs ran them (causes `wake_up` and `idle_exit`).
    pub waking_ns: u64,
    /// The longest wait, ns.
    pub longest_ns: u64,
    /// Who ran most during the longest waits on busy CPUs.
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
    /// Says of the worst waits why who ran meanwhile got more of the CPU, as far as `outweighed` tells.
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
