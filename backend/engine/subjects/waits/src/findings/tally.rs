//! Adds up the waits of a window by what they waited for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use numalens_core::tasks::TaskId;
use numalens_replay::waits::{Cause, WaitFrom, WaitPart, WaitRow};
use numalens_subject::findings::Claim;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::window::{Names, is_of_kernel, is_own};

use super::LEAST_NS;
use super::claims::{Behind, Claimed, Meanwhile, Share, Storm, Victims, Waiting, Worst};
use super::clusters::Clusters;

/// Tasks that are named in a sentence.
const NAMED: usize = 3;
/// Tasks that are listed of an occurrence.
const LISTED: usize = 5;
/// Number of longest waits on busy CPUs for which the running tasks are looked up.
const LONGEST: usize = 64;
/// A task that lost less than one of so many parts of what it ran was not hurt on busy CPUs.
const HURT_PART: u64 = 4;
/// Minimum number of new tasks for a storm.
pub(super) const STORM_TASKS: u64 = 100;
/// A new task of a storm runs no longer than this, ns.
const SHORT_NS: u64 = 20_000_000;
/// The priority of nice 0, and the last one.
const NICE_0: i32 = 120;
const LAST_PRIO: i32 = 139;
/// Claims that a CPU quota can appear as: throttled, and, if that was not seen, runnable on an idle CPU.
const QUOTA: [Claim; 2] = [Claim::Throttled, Claim::IdleUnexplained];
/// The two are one cause where all but one of so many parts of the second are of tasks that have the first, and the first is one
/// of so many parts at least.
const QUOTA_SHARE: u64 = 10;

/// Waiting of a task for one claim.
#[derive(Debug, Clone, Copy, Default)]
struct Stall {
    /// In all, ns.
    ns: u64,
    /// Part after preemptions while no CPU was offline, ns.
    preempted_ns: u64,
    /// The sum over its waits of this part times the whole wait, ns².
    felt: f64,
    /// The same sum over these, ns².
    preempted_felt: f64,
    /// The wait with the largest part, and that part, ns.
    longest: Option<(u64, WaitRow)>,
}

impl Stall {
    fn wait(&mut self, ns: u64, whole: u64, wait: &WaitRow, in_turn: bool) {
        let felt = ns as f64 * whole as f64;
        add(&mut self.ns, ns);
        self.felt += felt;
        if in_turn {
            add(&mut self.preempted_ns, ns);
            self.preempted_felt += felt;
        }
        if self.longest.is_none_or(|(most, _)| ns >= most) {
            self.longest = Some((ns, *wait));
        }
    }

    /// The same with another claim's part of the same task.
    fn join(&mut self, other: Self) {
        add(&mut self.ns, other.ns);
        add(&mut self.preempted_ns, other.preempted_ns);
        self.felt += other.felt;
        self.preempted_felt += other.preempted_felt;
        self.longest = self
            .longest
            .into_iter()
            .chain(other.longest)
            .max_by_key(|one| one.0);
    }
}

/// Totals of a task in the window, over all claims.
#[derive(Debug, Clone, Copy, Default)]
struct Fared {
    run_ns: u64,
    wait_ns: u64,
    /// True if its nice value is above 0: it yields to others on purpose.
    nice: bool,
}

impl Fared {
    /// Share of its runnable time in which it ran.
    fn share(self) -> f64 {
        self.run_ns as f64 / (self.run_ns.saturating_add(self.wait_ns)).max(1) as f64
    }
}

/// Loss of a task to a claim.
#[derive(Debug, Clone, Copy)]
struct Lost {
    task: TaskId,
    ns: u64,
    /// Weighed by the share of its runnable time that the task waited, ns².
    felt: f64,
}

/// Adds up the waits of a window by claim. They come by their ends, the latest first.
#[derive(Debug, Default)]
pub struct Tally {
    total_ns: u64,
    unknown_ns: u64,
    waking_ns: u64,
    longest_ns: u64,
    claims: [Claimed; Claim::COUNT],
    clusters: [Clusters; Claim::COUNT],
    worst: [Option<(u64, WaitRow)>; Claim::COUNT],
    /// The longest of [`Claim::Saturated`], in any order.
    longest: Vec<(u64, WaitRow)>,
    /// Minimum length for the longest waits, ns.
    least_ns: u64,
    /// By claim and task.
    stalls: [Vec<Stall>; Claim::COUNT],
    /// By task.
    fared: Vec<Fared>,
    groups: Vec<[u64; Claim::COUNT]>,
    /// Offline times of CPUs.
    offline: Vec<(u64, u64)>,
    /// Longest time for which a task may have run unseen, ns.
    unseen_ns: u64,
    /// Tasks that were new in the window.
    born: Vec<TaskId>,
    /// Longest wait without the parts of [`Claim::Throttled`] and [`Claim::IdleUnexplained`], ns.
    longest_without_quota_ns: u64,
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

/// The row of a task.
fn slot<T: Clone + Default>(table: &mut Vec<T>, task: TaskId) -> &mut T {
    let at = task as usize;
    if at >= table.len() {
        table.resize(at + 1, T::default());
    }
    &mut table[at]
}

/// Adds up; a sum over many tasks of a recording of many years may be beyond a `u64`.
fn add(sum: &mut u64, ns: u64) {
    *sum = sum.saturating_add(ns);
}

impl Tally {
    /// For a window in which CPUs were offline at these times, and in which a task may have run unseen for `unseen_ns`.
    #[must_use]
    pub fn new(offline: Vec<(u64, u64)>, unseen_ns: u64) -> Self {
        Self {
            offline,
            unseen_ns,
            ..Self::default()
        }
    }

    /// Adds the time for which a task ran.
    pub fn ran(&mut self, task: TaskId, ns: u64) {
        add(&mut slot(&mut self.fared, task).run_ns, ns);
    }

    /// Adds the part of a wait of the recorder's own that lies in the window: no finding is about it.
    pub fn own(&mut self, part: &WaitPart<'_>) {
        let parts = part.causes.iter().map(|cause| cause.ns);
        add(&mut self.total_ns, parts.fold(0, u64::saturating_add));
    }

    /// Adds the part of a wait that lies in the window.
    pub fn wait(&mut self, part: &WaitPart<'_>) {
        let causes = part.causes;
        let wait = &WaitRow {
            start_ns: part.from_ns,
            end_ns: part.to_ns,
            ..*part.wait
        };
        let mut spent = [0_u64; Claim::COUNT];
        // In time with no known cause, the task may have run unseen.
        let whole = causes
            .iter()
            .filter(|cause| cause.cause != Cause::Unknown)
            .map(|cause| cause.ns)
            .fold(0, u64::saturating_add);
        self.longest_ns = self.longest_ns.max(whole);
        for cause in causes {
            add(&mut self.total_ns, cause.ns);
            if let Some(claim) = Claim::of(cause.cause) {
                add(&mut spent[claim as usize], cause.ns);
                let causes = &mut self.claims[claim as usize].causes;
                add(&mut causes[cause.cause as usize], cause.ns);
            } else if cause.cause == Cause::Unknown {
                add(&mut self.unknown_ns, cause.ns);
            } else {
                add(&mut self.waking_ns, cause.ns);
            }
        }
        let fared = slot(&mut self.fared, wait.task);
        add(&mut fared.wait_ns, whole);
        fared.nice |= (NICE_0 + 1..=LAST_PRIO).contains(&wait.prio);
        if wait.from == WaitFrom::New {
            self.born.push(wait.task);
        }
        // While a CPU is missing, no task gets its full share.
        let offline = |&(from, to): &(u64, u64)| from < wait.end_ns && to > wait.start_ns;
        let in_turn = wait.from == WaitFrom::Preempted && !self.offline.iter().any(offline);
        let groups = row(&mut self.groups, wait.group);
        let known = self.group_of.len().max(wait.task as usize + 1);
        self.group_of.resize(known, None);
        self.group_of[wait.task as usize].get_or_insert(wait.group);
        for (at, &ns) in spent.iter().enumerate().filter(|one| *one.1 > 0) {
            slot(&mut self.stalls[at], wait.task).wait(ns, whole, wait, in_turn);
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
        let quota = QUOTA
            .iter()
            .map(|&claim| spent[claim as usize])
            .sum::<u64>();
        let without = whole.saturating_sub(quota);
        self.longest_without_quota_ns = self.longest_without_quota_ns.max(without);
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

    /// A quota that was not sampled is seen in part: where the task's own CPU was idle, only that it waited. One cause is one claim.
    fn join_quota(&mut self) {
        let [into, from] = QUOTA.map(|claim| claim as usize);
        let throttled = std::mem::take(&mut self.stalls[into]);
        let idle = std::mem::take(&mut self.stalls[from]);
        let known = |task: usize| throttled.get(task).is_some_and(|one| one.ns > 0);
        let all = idle.iter().map(|one| one.ns).fold(0, u64::saturating_add);
        let same = idle.iter().enumerate().filter(|one| known(one.0));
        let same = same.map(|one| one.1.ns).fold(0, u64::saturating_add);
        let few = self.claims[into].ns < all / QUOTA_SHARE;
        (self.stalls[into], self.stalls[from]) = (throttled, idle);
        if same == 0 || few || same < all - all / QUOTA_SHARE {
            return;
        }
        for (task, stall) in (0..).zip(std::mem::take(&mut self.stalls[from])) {
            slot(&mut self.stalls[into], task).join(stall);
        }
        let claimed = std::mem::take(&mut self.claims[from]);
        let clusters = std::mem::take(&mut self.clusters[from]);
        self.clusters[into].join(clusters);
        for groups in &mut self.groups {
            groups[into] = groups[into].saturating_add(std::mem::take(&mut groups[from]));
        }
        self.worst[into] = [self.worst[into], self.worst[from].take()]
            .into_iter()
            .flatten()
            .max_by_key(|one| one.0);
        let joined = &mut self.claims[into];
        add(&mut joined.ns, claimed.ns);
        for (sum, ns) in joined.causes.iter_mut().zip(claimed.causes) {
            add(sum, ns);
        }
        joined.longest_without_ns = self.longest_without_quota_ns;
    }

    /// Loss of each task to a claim, the worst first.
    ///
    /// On busy CPUs a task loses what it waited after wake-ups. What it waited after its slices is its turn to wait, unless it got
    /// less than half the share of the CPUs that all tasks got together. A task that lost less than a quarter of what it ran was not
    /// hurt by that, nor one with a nice value above 0, nor a thread of the kernel, which works for others.
    fn lost(&self, claim: Claim, window_ns: u64, names: &impl Names) -> Vec<Lost> {
        let (ran, waited) = self
            .fared
            .iter()
            .fold((0_u64, 0_u64), |(ran, waited), one| {
                (
                    ran.saturating_add(one.run_ns),
                    waited.saturating_add(one.wait_ns),
                )
            });
        let all = Fared {
            run_ns: ran,
            wait_ns: waited,
            nice: false,
        };
        let stalls = (0..).zip(&self.stalls[claim as usize]);
        let lost = stalls.filter(|(_, stall)| stall.ns > 0);
        let lost = lost.filter_map(|(task, stall)| {
            let mut fared = self.fared.get(task as usize).copied().unwrap_or_default();
            let (mut ns, mut felt) = (stall.ns, stall.felt);
            if claim == Claim::Saturated {
                // While it was not seen to run or to wait, it may have run on a CPU that was not recorded.
                let seen_ns = fared.run_ns.saturating_add(fared.wait_ns);
                let unseen_ns = window_ns.saturating_sub(seen_ns).min(self.unseen_ns);
                add(&mut fared.run_ns, unseen_ns);
                if ran > 0 && 2.0 * fared.share() >= all.share() {
                    ns -= stall.preempted_ns.min(ns);
                    felt -= stall.preempted_felt;
                }
                let comm = names.task(task).1;
                if fared.nice || is_of_kernel(comm) || ns < fared.run_ns / HURT_PART {
                    return None;
                }
            }
            let felt = felt.max(0.0) * (1.0 - fared.share());
            (ns > 0).then_some(Lost { task, ns, felt })
        });
        let mut lost: Vec<Lost> = lost.collect();
        lost.sort_by(|a, b| b.felt.total_cmp(&a.felt).then(a.task.cmp(&b.task)));
        lost
    }

    /// Returns the result for a window of `window_ns`. `meanwhile` is called for some of the longest waits.
    ///
    /// # Errors
    ///
    /// `meanwhile` failed.
    pub fn finish<E>(
        mut self,
        window_ns: u64,
        names: &impl Names,
        cgroups: bool,
        mut meanwhile: impl FnMut(&WaitRow) -> Result<Meanwhile, E>,
    ) -> Result<Waiting, E> {
        self.join_quota();
        let ran_ns = self.fared.iter().map(|one| one.run_ns);
        let ran_ns = ran_ns.fold(0, u64::saturating_add);
        let behind = self.behind(names, cgroups, &mut meanwhile)?;
        let storm = self.storm(names);
        let clusters = std::mem::take(&mut self.clusters);
        let mut claims = std::mem::take(&mut self.claims);
        let share = |(task, ns): (TaskId, u64)| {
            let (pid, comm) = names.task(task);
            Share {
                task,
                group: self.group(task),
                pid,
                comm: comm.to_owned(),
                ns,
            }
        };
        for ((clusters, claimed), claim) in clusters.into_iter().zip(&mut claims).zip(Claim::ALL) {
            let at = claim as usize;
            let lost = self.lost(claim, window_ns, names);
            let stalls = &self.stalls[at];
            claimed.main_ns = (0..)
                .zip(stalls)
                .filter(|&(task, stall)| self.waited_most_for(task, stall.ns))
                .map(|(_, stall)| stall.ns)
                .max()
                .unwrap_or(0);
            claimed.tasks = stalls.iter().filter(|stall| stall.ns > 0).count();
            let mut top: Vec<(TaskId, u64, u64)> = (0..)
                .zip(stalls)
                .filter(|(_, stall)| stall.ns > 0)
                .map(|(task, stall)| (task, 0, stall.ns))
                .collect();
            for one in &lost {
                if let Ok(place) = top.binary_search_by_key(&one.task, |row| row.0) {
                    top[place].1 = one.ns;
                }
            }
            top.sort_by_key(|&(task, lost, ns)| (Reverse((lost, ns)), task));
            let top = top.into_iter().take(NAMED);
            claimed.top = top.map(|(task, _, ns)| share((task, ns))).collect();
            claimed.occurrences = occurrences(clusters, claimed.ns, names);
            claimed.lost_ns = lost.iter().map(|one| one.ns).max().unwrap_or(0);
            claimed.felt_ns = lost.first().map_or(0.0, |one| one.felt) / window_ns.max(1) as f64;
            if cgroups {
                let groups = most(&self.groups, at).into_iter();
                claimed.cgroup = groups
                    .map(|(group, ns)| (names.cgroup(group).to_owned(), ns))
                    .find(|(path, _)| path != "/");
            }
            let mut hurt = named(&lost, names);
            let all = hurt.iter().map(|one| one.ns).fold(0, u64::saturating_add);
            // They had to wait for their turn, and a task that lost microseconds is no victim of that.
            if claim == Claim::Saturated && all < LEAST_NS {
                hurt.clear();
            }
            let longest = hurt
                .iter()
                .filter_map(|one| stalls[one.task as usize].longest);
            let longest = longest.max_by_key(|one| one.0);
            if let Some((ns, row)) = longest.or(self.worst[at]) {
                let Meanwhile { cpus, ran } = meanwhile(&row)?;
                let ran = ran.into_iter().filter(|one| !is_own(names.task(one.0).1));
                claimed.worst = Some(Worst {
                    waiter: share((row.task, ns)),
                    row,
                    cpus,
                    behind: ran.take(NAMED).map(share).collect(),
                    outweighed: None,
                });
            }
            if let Some(first) = hurt.first() {
                let rows = hurt.iter().take(LISTED);
                let rows = rows.filter_map(|one| Some(stalls[one.task as usize].longest?.1));
                claimed.victims = Some(Victims {
                    comm: names.task(first.task).1.to_owned(),
                    tasks: hurt.len(),
                    ns: hurt.iter().map(|one| one.ns).fold(0, u64::saturating_add),
                    behind: self.ran_during(rows, names, cgroups, &mut meanwhile)?,
                });
            }
        }
        Ok(Waiting {
            total_ns: self.total_ns,
            unknown_ns: self.unknown_ns,
            ran_ns,
            waking_ns: self.waking_ns,
            longest_ns: self.longest_ns,
            behind,
            storm,
            claims,
        })
    }

    /// Returns the storm, if short new tasks and those that forked them took most of the CPUs' time.
    fn storm(&self, names: &impl Names) -> Option<Storm> {
        let born = self.born.len() as u64;
        if born < STORM_TASKS {
            return None;
        }
        let pids: BTreeSet<i32> = self.born.iter().map(|&task| names.task(task).0).collect();
        // A new task has its parent's name until it executes another program.
        let mut births: BTreeMap<&str, u64> = BTreeMap::new();
        for &task in &self.born {
            *births.entry(names.task(task).1).or_default() += 1;
        }
        let parent = births.into_iter().max_by_key(|one| one.1)?.0;
        let (mut all, mut parents) = (0_u64, 0_u64);
        let mut young: BTreeMap<i32, u64> = BTreeMap::new();
        for (task, fared) in (0..).zip(&self.fared).filter(|one| one.1.run_ns > 0) {
            let (pid, comm) = names.task(task);
            add(&mut all, fared.run_ns);
            if pids.contains(&pid) {
                add(young.entry(pid).or_default(), fared.run_ns);
            } else if comm == parent {
                add(&mut parents, fared.run_ns);
            }
        }
        let short = |pid: i32| young.get(&pid).is_some_and(|&ns| ns <= SHORT_NS);
        let mut ran: BTreeMap<&str, u64> = BTreeMap::new();
        for (task, fared) in (0..).zip(&self.fared).filter(|one| one.1.run_ns > 0) {
            let (pid, comm) = names.task(task);
            if short(pid) {
                add(ran.entry(comm).or_default(), fared.run_ns);
            }
        }
        let of_storm = ran.values().copied().fold(parents, u64::saturating_add);
        let most = ran.into_iter().max_by_key(|one| one.1)?.0;
        (of_storm > all / 2).then(|| Storm {
            parent: parent.to_owned(),
            child: most.to_owned(),
            tasks: born,
            percent: of_storm as f64 * 100.0 / all as f64,
        })
    }

    /// Returns whether a task waited for no other cause longer.
    fn waited_most_for(&self, task: TaskId, ns: u64) -> bool {
        let spent = |stalls: &Vec<Stall>| stalls.get(task as usize).map_or(0, |one| one.ns);
        self.stalls.iter().all(|stalls| spent(stalls) <= ns)
    }

    /// The cgroup of a task that waited; 0 when it is the root or not known.
    fn group(&self, task: TaskId) -> u32 {
        let known = self.group_of.get(task as usize);
        known.copied().flatten().unwrap_or(0)
    }

    /// Tasks of the name that ran most during the longest waits on busy CPUs.
    fn behind<E>(
        &mut self,
        names: &impl Names,
        cgroups: bool,
        meanwhile: &mut impl FnMut(&WaitRow) -> Result<Meanwhile, E>,
    ) -> Result<Option<Behind>, E> {
        self.keep_longest();
        let rows = self.longest.iter().map(|one| one.1);
        self.ran_during(rows, names, cgroups, meanwhile)
    }

    /// Tasks of the name that ran most during some waits; never the recorder.
    fn ran_during<E>(
        &self,
        rows: impl Iterator<Item = WaitRow>,
        names: &impl Names,
        cgroups: bool,
        meanwhile: &mut impl FnMut(&WaitRow) -> Result<Meanwhile, E>,
    ) -> Result<Option<Behind>, E> {
        let mut waited = 0_u64;
        let mut tasks: BTreeMap<TaskId, u64> = BTreeMap::new();
        for row in rows {
            add(&mut waited, row.end_ns.saturating_sub(row.start_ns));
            for (task, ns) in meanwhile(&row)?.ran {
                add(tasks.entry(task).or_default(), ns);
            }
        }
        let mut by_comm: BTreeMap<&str, (u64, Vec<TaskId>)> = BTreeMap::new();
        for (task, ns) in tasks {
            let (pid, comm) = names.task(task);
            if pid != 0 && ns > 0 && !is_own(comm) {
                let own = by_comm.entry(comm).or_default();
                add(&mut own.0, ns);
                own.1.push(task);
            }
        }
        let most = by_comm.into_iter().max_by_key(|one| one.1.0);
        Ok(most.map(|(comm, (ns, tasks))| {
            let first = tasks.first().map_or(0, |&task| self.group(task));
            let shared =
                cgroups && first != 0 && tasks.iter().all(|&task| self.group(task) == first);
            Behind {
                comm: comm.to_owned(),
                tasks: tasks.len(),
                cgroup: shared.then(|| names.cgroup(first).to_owned()),
                percent: ns as f64 * 100.0 / waited.max(1) as f64,
            }
        }))
    }
}

/// Losses of the most affected tasks with one name, the worst first.
fn named<'a>(lost: &'a [Lost], names: &impl Names) -> Vec<&'a Lost> {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for one in lost {
        *sums.entry(names.task(one.task).1).or_default() += one.felt;
    }
    let worst = sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let worst = worst.map(|one| one.0);
    let own = lost
        .iter()
        .filter(|one| Some(names.task(one.task).1) == worst);
    own.collect()
}

/// Owners of a claim's time, the most first.
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
