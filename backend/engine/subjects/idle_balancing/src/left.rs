//! Waiting tasks that searches for idle CPUs left, and the rule that explains it (I19).

use std::collections::{BTreeMap, BTreeSet};

use numalens_core::provenance::Label;
use numalens_core::topology::{Node, Sharing};
use numalens_replay::waits::PassedOver;
use numalens_subject::findings::{Evidence, Finding, FindingEntry, MOST};
use numalens_subject::window::time;

use crate::findings::{IdleBalancingFacts, wasted};
use crate::searches::Search;

/// Number of searches in a row that must leave tasks: `nr_balance_failed` ends most reasons to leave one.
const IN_A_ROW: usize = 10;
/// Least time of these, ns.
const ROW_NS: u64 = 100_000_000;

/// Waiting task that a search left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftTask {
    /// Pid.
    pub pid: i32,
    /// CPU of its queue.
    pub cpu: u32,
    /// Rule that explains it.
    pub by: LeftBy,
}

/// Rule that leaves a waiting task, by the groups of CPUs of a domain: that of the idle CPU has spare CPUs, the other has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftBy {
    /// Groups of one node; half of a difference of one idle CPU moves no task.
    EvenSplit,
    /// Groups of two nodes; tasks also run on the node of the idle CPU, so its average load may be as large.
    Average,
    /// Groups of two nodes; that of the idle CPU runs nothing, so that its average is smaller, unless groups overlap.
    Overlap,
}

impl LeftBy {
    /// Words and function of the kernel.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::EvenSplit => (
                "half of a difference of one idle CPU moves no task",
                "calculate_imbalance",
            ),
            Self::Average => (
                "the average of the groups hid an idle CPU",
                "find_busiest_group",
            ),
            Self::Overlap => (
                "a node that ran nothing was no less busy, so groups overlap",
                "build_overlap_sched_groups",
            ),
        }
    }
}

/// Groups of CPUs that domains are made of.
pub(crate) struct Machine<'a> {
    groups: Vec<&'a [u32]>,
    nodes: &'a [Node],
    all: Vec<u32>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(nodes: &'a [Node], sharing: &'a Sharing) -> Self {
        let shared = [
            &sharing.cores,
            &sharing.clusters,
            &sharing.llcs,
            &sharing.dies,
        ];
        let shared = shared.into_iter().flatten().map(Vec::as_slice);
        let all: BTreeSet<u32> = nodes.iter().flat_map(|node| &node.cpus).copied().collect();
        Self {
            groups: shared
                .chain(nodes.iter().map(|node| node.cpus.as_slice()))
                .collect(),
            nodes,
            all: all.into_iter().collect(),
        }
    }

    /// The domain of a CPU with so many CPUs, where it is one of the groups or the whole machine.
    pub(crate) fn domain(&self, cpu: u32, cpus: u32) -> Option<&[u32]> {
        let groups = self.groups.iter().copied();
        let mut domains = groups.chain([self.all.as_slice()]);
        domains.find(|group| group.len() as u32 == cpus && group.contains(&cpu))
    }

    /// The group of a CPU in a domain of so many CPUs; the CPU alone where no group is known.
    fn group(&self, cpu: u32, cpus: u32) -> Vec<u32> {
        let own = self.groups.iter();
        let own = own.filter(|group| (group.len() as u32) < cpus && group.contains(&cpu));
        own.max_by_key(|group| group.len())
            .map_or_else(|| vec![cpu], |group| group.to_vec())
    }

    fn same_node(&self, a: u32, b: u32) -> bool {
        let mut nodes = self.nodes.iter();
        nodes.any(|node| node.cpus.contains(&a) && node.cpus.contains(&b))
    }
}

/// State of a CPU.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known {
    /// Since when it is idle, ns.
    pub(crate) idle_since: Option<u64>,
    /// Runnable tasks.
    pub(crate) runnable: u32,
    /// Of its waiting tasks, those that are bound to it.
    pub(crate) bound: u32,
}

/// Returns the rule by which a search for an idle CPU left a task: its own group has spare CPUs, the task's has none.
pub(crate) fn left_by(
    machine: &Machine<'_>,
    cpus: &[Known],
    search: &Search,
    task: &PassedOver,
) -> Option<LeftTask> {
    let own = machine.group(search.target, search.domain_cpus);
    let other = machine.group(task.cpu, search.domain_cpus);
    let same_node = machine.same_node(search.target, task.cpu);
    let looked = if same_node {
        task.by_same_node
    } else {
        task.by_other_node
    };
    let known = |group: &[u32]| -> Vec<Known> {
        let each = group.iter().filter_map(|&cpu| cpus.get(cpu as usize));
        each.copied().collect()
    };
    let idle = |group: &[Known]| group.iter().filter(|cpu| cpu.idle_since.is_some()).count();
    let (spare, busy) = (known(&own), known(&other));
    let runs = spare.iter().map(|cpu| cpu.runnable).sum::<u32>() as usize;
    if !search.idle
        || !looked
        || other.contains(&search.target)
        || runs >= spare.len()
        || idle(&spare) == 0
        || idle(&busy) > 0
    {
        return None;
    }
    let by = match (same_node, idle(&spare)) {
        // The difference of two CPUs is not halved (`group_weight` of 1).
        (true, 1) if spare.len() > 1 && busy.len() > 1 => LeftBy::EvenSplit,
        (true, _) => return None,
        (false, count) if count == spare.len() => LeftBy::Overlap,
        (false, _) => LeftBy::Average,
    };
    let (pid, cpu) = (task.pid, task.cpu);
    Some(LeftTask { pid, cpu, by })
}

pub(crate) const SEARCH_LEFT_TASKS: FindingEntry = FindingEntry {
    id: "SEARCH_LEFT_TASKS",
    title: "Idle CPUs searched and left waiting tasks",
    meaning: "Searches for an idle CPU moved nothing many times in a row, although tasks that may run there waited in a group of CPUs without an idle one.",
    kernel: "find_busiest_group, calculate_imbalance, build_overlap_sched_groups",
    threshold: "10 searches in a row and in 0.1 s for one idle CPU moved nothing by the same rule, while its group had spare CPUs and that of the waiting tasks had none",
    cost: "idle CPUs while tasks waited, during these searches",
    evidence: Evidence::WAITS,
};

/// `SEARCH_LEFT_TASKS`: an idle CPU leaves tasks that it should pull, time after time.
pub(crate) fn left_tasks(facts: &IdleBalancingFacts<'_>) -> Vec<Finding> {
    // Of each CPU, the searches in a row that left a task by one rule.
    let mut rows: BTreeMap<u32, Vec<(&Search, LeftTask)>> = BTreeMap::new();
    let mut found: Vec<Vec<(&Search, LeftTask)>> = Vec::new();
    for one in facts.searches {
        let row = rows.entry(one.target).or_default();
        let other = |left: LeftTask| row.last().is_some_and(|last| last.1.by != left.by);
        if one.moved > 0 || one.left.is_some_and(other) {
            found.push(std::mem::take(row));
        }
        row.extend(one.left.map(|left| (one, left)));
    }
    found.extend(rows.into_values());
    let mut by: BTreeMap<LeftBy, usize> = BTreeMap::new();
    let mut places = Vec::new();
    let mut pids = BTreeSet::new();
    for row in &found {
        let ([(first, left), ..], Some((last, _))) = (row.as_slice(), row.last()) else {
            continue;
        };
        if row.len() < IN_A_ROW || last.to_ns.saturating_sub(first.from_ns) < ROW_NS {
            continue;
        }
        *by.entry(left.by).or_default() += row.len();
        pids.extend(row.iter().map(|one| one.1.pid));
        places.push((first.from_ns, last.to_ns, first.target));
    }
    places.sort_unstable();
    let Some(&(_, _, cpu)) = places.first() else {
        return Vec::new();
    };
    let rules = by.iter().map(|(by, searches)| {
        let (words, function) = by.words();
        format!("{words} ({searches}: {function})")
    });
    let rules = rules.collect::<Vec<_>>().join("; ");
    let (cost, occurrences) = wasted(facts.waste, places.into_iter());
    let summary = format!(
        "Searches of idle CPUs, first of CPU {cpu}, moved nothing although tasks waited that may run there: {rules}. CPUs were idle \
         while tasks waited ({} of CPU time).",
        time(cost),
    );
    vec![
        Finding {
            missing: vec!["loads of the groups".to_owned()],
            summary,
            impact_ms: cost as f64 / 1e6,
            tasks: pids.len(),
            pids: pids.into_iter().take(MOST).collect(),
            ..SEARCH_LEFT_TASKS.finding(Label::Inferred, facts.from_ns, facts.to_ns)
        }
        .at(occurrences),
    ]
}
