//! Adds up the waits of a window by what they waited for.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use numalens_core::tasks::TaskId;
use numalens_replay::waits::{Cause, WaitFrom, WaitPart, WaitRow};
use serde::{Serialize, Serializer};

use super::clusters::Clusters;
use crate::findings::occurrence::{Occurrence, Occurrences};
use crate::shared::Shared;
use crate::window::Names;

/// A claim about waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// All CPUs that the tasks may use were busy.
    Saturated,
    /// A real-time, deadline or stop task had the CPU.
    HigherClass,
    /// CPUs were idle that the tasks may not use.
    Pinned,
    /// A cgroup had used up its quota, or a task its budget.
    Throttled,
    /// The CPU served interrupts and softirqs.
    Interrupts,
    /// CPUs were idle that the tasks may use, as far as is known, and none was seen to look at them.
    IdleElsewhere,
    /// The same, and a kick that came to one of them raised no balancing.
    KickDropped,
    /// Such CPUs probably looked at the tasks and left them.
    PassedOver,
    /// The task's own CPU was idle for longer than leaving idle takes.
    IdleUnexplained,
    /// The task on the CPU scanned its memory for NUMA balancing.
    NumaScan,
    /// Nothing but the task's BPF scheduler kept it from running.
    ScxQueued,
    /// The same, as the watchdog of `sched_ext` found.
    ScxStalled,
    /// Newly idle balancing had the CPU.
    NewIdle,
    /// The host did not run the guest's CPU.
    Steal,
    /// The hardware or its firmware had the CPU.
    HardwareNoise,
}

impl Claim {
    pub(crate) const COUNT: usize = 15;
    /// All, in the order of their numbers.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::Saturated,
        Self::HigherClass,
        Self::Pinned,
        Self::Throttled,
        Self::Interrupts,
        Self::IdleElsewhere,
        Self::KickDropped,
        Self::PassedOver,
        Self::IdleUnexplained,
        Self::NumaScan,
        Self::ScxQueued,
        Self::ScxStalled,
        Self::NewIdle,
        Self::Steal,
        Self::HardwareNoise,
    ];

    /// What a cause belongs to; the rest is waking up, leaving idle, and what nobody can say.
    fn of(cause: Cause) -> Option<Self> {
        Some(match cause {
            Cause::Busy | Cause::NotEligible | Cause::LaterDeadline | Cause::SliceProtected => {
                Self::Saturated
            }
            Cause::NewIdle => Self::NewIdle,
            Cause::Steal => Self::Steal,
            Cause::HardwareNoise => Self::HardwareNoise,
            Cause::BehindHigherClass | Cause::PinnedBehindHigherClass => Self::HigherClass,
            Cause::Pinned | Cause::ProbablyPinned => Self::Pinned,
            Cause::Throttled => Self::Throttled,
            Cause::Interrupt | Cause::Softirq => Self::Interrupts,
            Cause::IdleSameNode | Cause::IdleOtherNode | Cause::PendingBalance => {
                Self::IdleElsewhere
            }
            Cause::KickDropped => Self::KickDropped,
            Cause::PassedOverSameNode
            | Cause::PassedOverOtherNode
            | Cause::ImbalanceAllowed
            | Cause::NumaKept => Self::PassedOver,
            Cause::IdleUnexplained => Self::IdleUnexplained,
            Cause::NumaScan => Self::NumaScan,
            Cause::ScxQueued => Self::ScxQueued,
            Cause::ScxStalled => Self::ScxStalled,
            Cause::WakeUp | Cause::Unknown | Cause::IdleExit | Cause::MigrationCost => {
                return None;
            }
        })
    }
}

/// As the names of its causes.
impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = Cause::ALL
            .into_iter()
            .filter(|&cause| Self::of(cause) == Some(*self));
        serializer.collect_seq(own.map(Cause::name))
    }
}

/// Tasks that are named in a sentence.
const NAMED: usize = 3;
/// Tasks that are listed of an occurrence.
const LISTED: usize = 5;
/// The longest waits on busy CPUs of which is looked up who ran meanwhile.
const LONGEST: usize = 64;

/// Somebody and a time.
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
    /// The tasks that have most of it.
    pub top: Vec<Share>,
    /// The most that a task has of it which has waited for nothing else longer, ns.
    pub main_ns: u64,
    /// The cgroup whose own tasks have most of it, when cgroups are known; with how much.
    pub cgroup: Option<(String, u64)>,
    /// The wait that has most of it.
    pub worst: Option<Worst>,
    /// The intervals in which somebody waited for this without a break.
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

/// Adds up the waits of a window by claim. They come by their ends, the latest first.
#[derive(Debug, Default)]
pub struct Tally {
    total_ns: u64,
    waking_ns: u64,
    longest_ns: u64,
    claims: [Claimed; Claim::COUNT],
    clusters: [Clusters; Claim::COUNT],
    worst: [Option<(u64, WaitRow)>; Claim::COUNT],
    /// The longest of [`Claim::Saturated`], in any order.
    longest: Vec<(u64, WaitRow)>,
    /// What is shorter is not among them, ns.
    least_ns: u64,
    /// By task, and by cgroup.
    tasks: Vec<[u64; Claim::COUNT]>,
    groups: Vec<[u64; Claim::COUNT]>,
    /// The cgroup of each task that waited, by its last wait.
    group_of: Vec<Option<u32>>,
}

/// The row of a table that grows.
fn row(table: &mut Vec<[u64; Claim::COUNT]>, at: u32) -> &mut [u64; Claim::COUNT] {
    let at = at as usize;
    if at >= table.len() {
        table.resize(at + 1, [0; Claim::COUNT]);
    }
    &mut table[at]
}

/// Adds up; a sum over many tasks of a recording of many years may be beyond a `u64`.
fn add(sum: &mut u64, ns: u64) {
    *sum = sum.saturating_add(ns);
}

impl Tally {
    /// Takes in the part of a wait that lies in the window.
    pub fn wait(&mut self, part: &WaitPart<'_>) {
        let causes = part.causes;
        let wait = &WaitRow {
            start_ns: part.from_ns,
            end_ns: part.to_ns,
            ..*part.wait
        };
        let mut spent = [0_u64; Claim::COUNT];
        let whole = causes
            .iter()
            .map(|cause| cause.ns)
            .fold(0, u64::saturating_add);
        add(&mut self.total_ns, whole);
        self.longest_ns = self.longest_ns.max(whole);
        for cause in causes {
            if let Some(claim) = Claim::of(cause.cause) {
                add(&mut spent[claim as usize], cause.ns);
                let causes = &mut self.claims[claim as usize].causes;
                add(&mut causes[cause.cause as usize], cause.ns);
            } else if cause.cause != Cause::Unknown {
                add(&mut self.waking_ns, cause.ns);
            }
        }
        let (tasks, groups) = (
            row(&mut self.tasks, wait.task),
            row(&mut self.groups, wait.group),
        );
        let known = self.group_of.len().max(wait.task as usize + 1);
        self.group_of.resize(known, None);
        self.group_of[wait.task as usize].get_or_insert(wait.group);
        for (at, &ns) in spent.iter().enumerate().filter(|one| *one.1 > 0) {
            add(&mut tasks[at], ns);
            add(&mut groups[at], ns);
            add(&mut self.claims[at].ns, ns);
            self.claims[at].waits += 1;
            if wait.from == WaitFrom::New {
                self.claims[at].new_tasks += 1;
                add(&mut self.claims[at].new_ns, ns);
            }
            if self.worst[at].is_none_or(|(most, _)| ns >= most) {
                self.worst[at] = Some((ns, *wait));
            }
            self.clusters[at].wait((wait.start_ns, wait.end_ns), (wait.task, ns), wait.cpu);
        }
        for (claimed, ns) in self.claims.iter_mut().zip(spent) {
            claimed.longest_without_ns = claimed.longest_without_ns.max(whole - ns);
        }
        self.saturated(wait, spent[Claim::Saturated as usize]);
    }

    /// Keeps a wait that is among the longest on busy CPUs.
    fn saturated(&mut self, wait: &WaitRow, ns: u64) {
        if ns == 0 || ns < self.least_ns {
            return;
        }
        self.longest.push((ns, *wait));
        if self.longest.len() == 2 * LONGEST {
            self.keep_longest();
            self.least_ns = self.longest.last().map_or(0, |last| last.0);
        }
    }

    fn keep_longest(&mut self) {
        self.longest
            .sort_by_key(|one| (Reverse(one.0), one.1.start_ns, one.1.task));
        self.longest.truncate(LONGEST);
    }

    /// What it was. `meanwhile` is called for some of the longest waits.
    ///
    /// # Errors
    ///
    /// `meanwhile` failed.
    pub fn finish<E>(
        mut self,
        names: &impl Names,
        cgroups: bool,
        mut meanwhile: impl FnMut(&WaitRow) -> Result<Meanwhile, E>,
    ) -> Result<Waiting, E> {
        let group_of = self.group_of.clone();
        let share = |(task, ns): (TaskId, u64)| {
            let (pid, comm) = names.task(task);
            Share {
                task,
                group: group_of.get(task as usize).copied().flatten().unwrap_or(0),
                pid,
                comm: comm.to_owned(),
                ns,
            }
        };
        let clusters = std::mem::take(&mut self.clusters);
        for (at, clusters) in clusters.into_iter().enumerate() {
            let claimed = &mut self.claims[at];
            let tasks = most(&self.tasks, at);
            let main = self
                .tasks
                .iter()
                .filter(|spent| spent.iter().all(|&ns| ns <= spent[at]));
            claimed.main_ns = main.map(|spent| spent[at]).max().unwrap_or(0);
            claimed.tasks = tasks.len();
            claimed.top = tasks.into_iter().take(NAMED).map(share).collect();
            claimed.occurrences = occurrences(clusters, claimed.ns, names);
            if cgroups {
                let groups = most(&self.groups, at).into_iter();
                claimed.cgroup = groups
                    .map(|(group, ns)| (names.cgroup(group).to_owned(), ns))
                    .find(|(path, _)| path != "/");
            }
            if let Some((ns, row)) = self.worst[at] {
                let Meanwhile { cpus, ran } = meanwhile(&row)?;
                claimed.worst = Some(Worst {
                    waiter: share((row.task, ns)),
                    row,
                    cpus,
                    behind: ran.into_iter().take(NAMED).map(share).collect(),
                    outweighed: None,
                });
            }
        }
        Ok(Waiting {
            total_ns: self.total_ns,
            waking_ns: self.waking_ns,
            longest_ns: self.longest_ns,
            behind: self.behind(names, cgroups, meanwhile)?,
            claims: self.claims,
        })
    }

    /// Tasks of the name that ran most during the longest waits on busy CPUs.
    fn behind<E>(
        &mut self,
        names: &impl Names,
        cgroups: bool,
        mut meanwhile: impl FnMut(&WaitRow) -> Result<Meanwhile, E>,
    ) -> Result<Option<Behind>, E> {
        self.keep_longest();
        let mut waited = 0_u64;
        let mut tasks: BTreeMap<TaskId, u64> = BTreeMap::new();
        for (_, row) in &self.longest {
            add(&mut waited, row.end_ns.saturating_sub(row.start_ns));
            for (task, ns) in meanwhile(row)?.ran {
                add(tasks.entry(task).or_default(), ns);
            }
        }
        let mut by_comm: BTreeMap<&str, (u64, Vec<TaskId>)> = BTreeMap::new();
        for (task, ns) in tasks {
            let (pid, comm) = names.task(task);
            if pid != 0 && ns > 0 {
                let own = by_comm.entry(comm).or_default();
                add(&mut own.0, ns);
                own.1.push(task);
            }
        }
        let most = by_comm.into_iter().max_by_key(|one| one.1.0);
        Ok(most.map(|(comm, (ns, tasks))| {
            let group = |task: &TaskId| {
                let known = self.group_of.get(*task as usize);
                known.copied().flatten().unwrap_or(0)
            };
            let first = tasks.first().map_or(0, group);
            let shared = cgroups && first != 0 && tasks.iter().all(|task| group(task) == first);
            Behind {
                comm: comm.to_owned(),
                tasks: tasks.len(),
                cgroup: shared.then(|| names.cgroup(first).to_owned()),
                percent: ns as f64 * 100.0 / waited.max(1) as f64,
            }
        }))
    }
}

/// Who has some of a claim, the most first.
fn most(table: &[[u64; Claim::COUNT]], at: usize) -> Vec<(u32, u64)> {
    let mut all: Vec<(u32, u64)> = (0..)
        .zip(table)
        .map(|(who, spent)| (who, spent[at]))
        .filter(|one| one.1 > 0)
        .collect();
    all.sort_by_key(|&(who, ns)| (Reverse(ns), who));
    all
}

/// The clusters of a claim that has `ns` in all.
fn occurrences(clusters: Clusters, ns: u64, names: &impl Names) -> Occurrences {
    let (count, worst) = clusters.finish();
    let worst = worst.into_iter().map(|cluster| {
        let mut tasks = cluster.tasks;
        tasks.sort_by_key(|&(task, ns)| (Reverse(ns), task));
        let pids = tasks.iter().take(LISTED);
        Occurrence {
            tasks: tasks.len(),
            pids: pids.map(|&(task, _)| names.task(task).0).collect(),
            cpus: cluster.cpus,
            ..Occurrence::new(cluster.from_ns, cluster.to_ns, cluster.ns)
        }
    });
    Occurrences {
        count,
        cost_ms: ns as f64 / 1e6,
        worst: worst.collect(),
    }
}
