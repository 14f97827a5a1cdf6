//! Distances of tasks: migrations, wakeups and waits by what the two CPUs share.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_core::topology::{Node, Sharing};
use numalens_machine::sections::threads::Processes;
use numalens_replay::migrations::How;
use numalens_replay::waits::{Order, WaitFrom};
use numalens_subject::logs::NumaInputs;
use numalens_subject::options::Nothing;
use numalens_subject::section::replay;
use numalens_subject::waits::window_waits;
use numalens_subject::{Context, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::processes::{LlcProcesses, llc_processes};

/// Number of listed processes.
const MOST: usize = 100;

/// Closest relation of two CPUs, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Distance {
    /// The same CPU.
    SameCpu,
    /// The core: they are SMT siblings.
    Core,
    /// The last-level cache.
    Llc,
    /// The node: their last-level caches differ, or are not known.
    Node,
    /// Nothing: they are on two nodes.
    OtherNode,
}

/// Group of each CPU.
#[derive(Debug, Default)]
struct GroupOf(BTreeMap<u32, usize>);

impl GroupOf {
    fn new<'a>(groups: impl Iterator<Item = &'a Vec<u32>>) -> Self {
        let of = groups.enumerate();
        Self(
            of.flat_map(|(at, cpus)| cpus.iter().map(move |&cpu| (cpu, at)))
                .collect(),
        )
    }

    /// Returns whether two CPUs are in one group; `None` if the group of one is not known.
    fn same(&self, a: u32, b: u32) -> Option<bool> {
        Some(self.0.get(&a)? == self.0.get(&b)?)
    }
}

/// The machine as far as distances need it.
struct Machine {
    cores: GroupOf,
    llcs: GroupOf,
    nodes: GroupOf,
}

impl Machine {
    fn new(nodes: &[Node], sharing: &Sharing) -> Self {
        Self {
            cores: GroupOf::new(sharing.cores.iter()),
            llcs: GroupOf::new(sharing.llcs.iter()),
            nodes: GroupOf::new(nodes.iter().map(|node| &node.cpus)),
        }
    }

    fn between(&self, a: u32, b: u32) -> Distance {
        if a == b {
            Distance::SameCpu
        } else if self.cores.same(a, b) == Some(true) {
            Distance::Core
        } else if self.llcs.same(a, b) == Some(true) {
            Distance::Llc
        } else if self.nodes.same(a, b) == Some(false) {
            Distance::OtherNode
        } else {
            Distance::Node
        }
    }
}

/// Totals between CPUs of a distance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Row {
    /// Closest relation.
    distance: Distance,
    /// Migrations of tasks while they were being woken.
    woken_to: u64,
    /// Migrations of runnable tasks: by balancing, a change of affinity, an exec, or a BPF scheduler.
    moved: u64,
    /// Other migrations: of tasks that slept, or of which nothing was known.
    other: u64,
    /// Wake-ups, from the CPU that requested them to the one on whose queue the task came.
    wakeups: u64,
    /// Waits of the tasks of these wakeups in the window, task-ns.
    woken_wait_ns: u64,
    /// Waits, from the CPU where the task became runnable to the one where it ran.
    waits: u64,
    /// Length of the waits in the window, task-ns.
    wait_ns: u64,
    /// The longest of them, as far as it lies in the window, ns.
    longest_ns: u64,
}

impl Row {
    fn of(distance: Distance) -> Self {
        Self {
            distance,
            woken_to: 0,
            moved: 0,
            other: 0,
            wakeups: 0,
            woken_wait_ns: 0,
            waits: 0,
            wait_ns: 0,
            longest_ns: 0,
        }
    }
}

/// Totals of a process' threads, by distance.
#[derive(Serialize, JsonSchema)]
struct ProcessDistances {
    /// The process.
    tgid: i32,
    /// Name of its first thread, otherwise of one of them.
    comm: String,
    /// As of all tasks: the same distances in the same order.
    rows: Vec<Row>,
}

impl ProcessDistances {
    /// Migrations and wake-ups, the farthest first: what the process is listed by.
    fn far(&self) -> Vec<u64> {
        let steps = |row: &Row| row.woken_to + row.moved + row.other + row.wakeups;
        self.rows.iter().rev().map(steps).collect()
    }
}

/// Migrations, wakeups and waits of the window, by distance.
#[derive(Serialize, JsonSchema)]
pub(super) struct Distances<'a> {
    /// The nearest first; none of what the machine does not have, as far as is known.
    rows: Vec<Row>,
    /// The same by process, the one first that went farthest most often; at most 100. Tasks whose process is not recorded are in none.
    processes: Vec<ProcessDistances>,
    /// Number of processes left out.
    processes_left_out: u64,
    /// CPUs below each last-level cache; empty if not recorded.
    llcs: &'a [Vec<u32>],
    /// CPUs of each core; empty where it is not recorded.
    cores: &'a [Vec<u32>],
    /// Last-level caches of processes; `None` if there is only one cache or caches are not recorded.
    by_process: Option<LlcProcesses>,
    /// Provenance of the distances.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

pub(super) fn distances(open: &Context, window: Window, _: Nothing) -> Result<Distances<'_>, Stop> {
    let (parts, evidence) = replay(open)?;
    let known = NumaInputs::of(open)?;
    let sharing = &open.sharing;
    let machine = Machine::new(open.index.nodes(), sharing);
    let has = [
        (Distance::SameCpu, true),
        (
            Distance::Core,
            sharing.cores.iter().any(|core| core.len() > 1),
        ),
        (Distance::Llc, !sharing.llcs.is_empty()),
        (Distance::Node, true),
        (Distance::OtherNode, open.index.nodes().len() > 1),
    ];
    let has = has.into_iter().filter(|(_, has)| *has);
    let blank: Vec<Row> = has.map(|(distance, _)| Row::of(distance)).collect();
    let (processes, tgids) = (Processes::of(open)?, open.index.tgids());
    let mut all = blank.clone();
    let mut by_process: HashMap<i32, Vec<Row>> = HashMap::new();
    let mut at = |task: TaskId, (a, b): (u32, u32), add: &dyn Fn(&mut Row)| {
        let distance = machine.between(a, b);
        let tgid = tgids.get(task as usize).copied().flatten();
        let of_process = tgid.map(|tgid| by_process.entry(tgid).or_insert_with(|| blank.clone()));
        for rows in of_process.into_iter().chain([&mut all]) {
            // Each distance that can be is among them: what the machine does not have lies between no two CPUs.
            if let Some(row) = rows.iter_mut().find(|row| row.distance == distance) {
                add(row);
            }
        }
    };
    for one in known.migrations(window.from_ns, window.to_ns)? {
        at(
            one.task,
            (one.orig_cpu, one.dest_cpu),
            &|row| match one.how {
                How::Waking => row.woken_to += 1,
                How::Runnable => row.moved += 1,
                How::Asleep | How::Unknown => row.other += 1,
            },
        );
    }
    let mut woken: BTreeMap<(u64, i32), u32> = BTreeMap::new();
    let requests = parts.requests(open)?;
    let requested = requests.rows(window.from_ns, window.to_ns)?;
    woken.extend(requested.map(|one| ((one.ts_ns, one.pid), one.cpu)));
    let mut beyond = false;
    window_waits(open, parts, window, Order::Backwards, |part| {
        let wait = part.wait;
        at(wait.task, (wait.from_cpu, wait.cpu), &|row| {
            row.waits += 1;
            row.wait_ns = row.wait_ns.saturating_add(part.ns());
            row.longest_ns = row.longest_ns.max(part.ns());
        });
        if wait.from == WaitFrom::Waking && wait.start_ns >= window.from_ns {
            let pid = open.index.task(wait.task).map_or(-1, |(pid, _)| pid);
            match woken.get(&(wait.start_ns, pid)) {
                Some(&waker) => at(wait.task, (waker, wait.from_cpu), &|row| {
                    row.wakeups += 1;
                    row.woken_wait_ns = row.woken_wait_ns.saturating_add(part.ns());
                }),
                None => beyond = true,
            }
        }
    })?;
    let source = evidence.run_state_in(window.from_ns, window.to_ns);
    let mut missing = source.missing;
    let lacks = [
        (
            sharing.llcs.is_empty(),
            "which CPUs share a last-level cache (lscpu -p, or sysfs with cache/index*/shared_cpu_list)",
        ),
        (sharing.cores.is_empty(), "which CPUs share a core"),
        (
            beyond || !open.requests,
            "the waking events of some wakeups",
        ),
    ];
    missing.extend(
        lacks
            .iter()
            .filter(|lack| lack.0)
            .map(|lack| lack.1.to_owned()),
    );
    let (rows, processes_left_out) = listed(open, &processes, by_process);
    Ok(Distances {
        rows: all,
        processes: rows,
        processes_left_out,
        llcs: &sharing.llcs,
        cores: &sharing.cores,
        by_process: (sharing.llcs.len() > 1)
            .then(|| llc_processes(open, &known, window))
            .transpose()?,
        label: if missing.is_empty() {
            source.label
        } else {
            source.label.max(Label::Inferred)
        },
        missing,
    })
}

/// The processes that go farthest most often, and how many more there are.
fn listed(
    open: &Context,
    processes: &Processes,
    by_process: HashMap<i32, Vec<Row>>,
) -> (Vec<ProcessDistances>, u64) {
    let mut rows: Vec<ProcessDistances> = by_process
        .into_iter()
        .map(|(tgid, rows)| ProcessDistances {
            tgid,
            comm: String::new(),
            rows,
        })
        .collect();
    rows.sort_by_cached_key(|process| (Reverse(process.far()), process.tgid));
    let more = rows.len().saturating_sub(MOST) as u64;
    rows.truncate(MOST);
    for process in &mut rows {
        process.comm = processes.comm(open, process.tgid);
    }
    (rows, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_that_two_cpus_have_in_common_counts() {
        let node = |nid, cpus: std::ops::Range<u32>| Node {
            nid,
            cpus: cpus.collect(),
        };
        let nodes = [node(0, 0..8), node(1, 8..16)];
        let sharing = Sharing {
            cores: (0..8).map(|core| vec![core * 2, core * 2 + 1]).collect(),
            llcs: (0..4).map(|llc| (llc * 4..llc * 4 + 4).collect()).collect(),
            ..Sharing::default()
        };
        let machine = Machine::new(&nodes, &sharing);
        let of = |a, b| machine.between(a, b);
        assert_eq!(of(3, 3), Distance::SameCpu);
        assert_eq!(of(2, 3), Distance::Core);
        assert_eq!(of(1, 2), Distance::Llc);
        assert_eq!(of(3, 4), Distance::Node);
        assert_eq!(of(7, 8), Distance::OtherNode);
        // What is not recorded makes nothing nearer.
        let machine = Machine::new(&nodes, &Sharing::default());
        assert_eq!(machine.between(2, 3), Distance::Node);
    }
}
