//! CPUs of each task.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use numalens_core::provenance::{Label, Source};
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;
use numalens_replay::timeline::SliceRef;
use numalens_replay::waits::WaitRow;
use numalens_subject::window::{NO_NODE, Names, Places, lowered};
use schemars::JsonSchema;
use serde::Serialize;

/// A task's time on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ResidencyNode")]
pub struct NodeRun {
    /// The node.
    pub nid: u32,
    /// Time on its CPUs, ns.
    pub run_ns: u64,
}

/// CPUs of a task in a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ResidencyTask")]
pub struct TaskResidency {
    /// Row of the table of tasks.
    pub task: TaskId,
    /// Pid.
    pub pid: i32,
    /// Name.
    pub comm: String,
    /// Time on CPUs, ns.
    pub run_ns: u64,
    /// Time in waits, ns.
    pub wait_ns: u64,
    /// The nodes where it ran, in the machine's order.
    pub nodes: Vec<NodeRun>,
    /// Number of times it continued on another node than before.
    pub migrations_node: u64,
    /// On how many CPUs it ran.
    pub cpus: u32,
}

/// CPUs of tasks in a window, the longest-running first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Residency")]
pub struct Residencies {
    /// At most as many as requested.
    pub tasks: Vec<TaskResidency>,
    /// Number of tasks that ran or waited.
    pub total: usize,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// CPUs of one word of a set.
const WORD: u32 = u64::BITS;

#[derive(Debug, Default)]
struct Task {
    run_ns: u64,
    wait_ns: u64,
    /// Place of the node where it last ran, and the time there.
    node: usize,
    /// Time per node; as long as the last node where it ran.
    nodes: Vec<u64>,
    moves: u64,
    /// Set of CPUs: words with their places, few.
    cpus: Vec<(u32, u64)>,
}

impl Task {
    fn seen(&self) -> bool {
        self.run_ns != 0 || self.wait_ns != 0
    }
}

/// Adds up the stays and waits of tasks.
#[derive(Debug)]
pub struct Residency {
    places: Places,
    from_ns: u64,
    to_ns: u64,
    source: Source,
    tasks: Vec<Task>,
}

impl Residency {
    /// An empty one for a window; `source` is the source of the run states.
    #[must_use]
    pub fn new(nodes: &[Node], from_ns: u64, to_ns: u64, source: &Source) -> Self {
        Self {
            places: Places::new(nodes),
            from_ns,
            to_ns,
            source: source.clone(),
            tasks: Vec::new(),
        }
    }

    fn task(&mut self, task: TaskId) -> Option<&mut Task> {
        let at = task as usize;
        if self.tasks.len() <= at && task != TaskId::MAX {
            self.tasks.resize_with(at + 1, Task::default);
        }
        self.tasks.get_mut(at)
    }

    /// Adds a stay, of which the part in the window counts. Stays of all CPUs come by their starts
    /// ([`merged`](crate::utilisation::merged)).
    #[inline]
    pub fn slice(&mut self, slice: &SliceRef) {
        let start_ns = slice.start_ns.max(self.from_ns);
        let end_ns = slice.end_ns.min(self.to_ns);
        let place = self.places.of(slice.cpu);
        if start_ns >= end_ns || place == NO_NODE {
            return;
        }
        let Some(task) = self.task(slice.task) else {
            return;
        };
        let ns = end_ns - start_ns;
        let place = place as usize;
        task.moves += u64::from(task.run_ns != 0 && task.node != place);
        task.node = place;
        task.run_ns += ns;
        if task.nodes.len() <= place {
            task.nodes.resize(place + 1, 0);
        }
        task.nodes[place] += ns;
        let (word, bit) = (slice.cpu / WORD, 1 << (slice.cpu % WORD));
        match task.cpus.iter_mut().find(|(at, _)| *at == word) {
            Some((_, set)) => *set |= bit,
            None => task.cpus.push((word, bit)),
        }
    }

    /// Adds a wait, of which the part in the window counts.
    #[inline]
    pub fn wait(&mut self, wait: &WaitRow) {
        let (from_ns, to_ns) = (self.from_ns.max(wait.start_ns), self.to_ns.min(wait.end_ns));
        if let Some(task) = self.task(wait.task) {
            task.wait_ns += to_ns.saturating_sub(from_ns);
        }
    }

    /// The `limit` tasks that ran longest; of those that ran as long, the earlier ones of the table of tasks.
    #[must_use]
    pub fn finish(self, limit: usize, names: &impl Names) -> Residencies {
        let mut order: Vec<TaskId> = (0..self.tasks.len() as TaskId)
            .filter(|&task| self.tasks[task as usize].seen() && names.task(task).0 != 0)
            .collect();
        let total = order.len();
        let key = |&task: &TaskId| (std::cmp::Reverse(self.tasks[task as usize].run_ns), task);
        if limit < total {
            order.select_nth_unstable_by_key(limit, key);
            order.truncate(limit);
        }
        order.sort_unstable_by_key(key);
        let tasks = order.into_iter().map(|task| {
            let (pid, comm) = names.task(task);
            let sums = &self.tasks[task as usize];
            let nodes = self.places.nodes().iter().zip(&sums.nodes);
            TaskResidency {
                task,
                pid,
                comm: comm.to_owned(),
                run_ns: sums.run_ns,
                wait_ns: sums.wait_ns,
                nodes: nodes
                    .filter(|(_, run_ns)| **run_ns != 0)
                    .map(|(node, &run_ns)| NodeRun {
                        nid: node.nid,
                        run_ns,
                    })
                    .collect(),
                migrations_node: sums.moves,
                cpus: sums.cpus.iter().map(|(_, set)| set.count_ones()).sum(),
            }
        });
        let (label, missing) = lowered(&self.source, &[]);
        Residencies {
            tasks: tasks.collect(),
            total,
            label,
            missing,
        }
    }
}

// Slices of all CPUs in one order.

/// The slices of all lanes by their starts, each lane being in that order already. Slices that start together come in the
/// order of the lanes.
pub fn merged<I: Iterator<Item = SliceRef>>(lanes: Vec<I>) -> impl Iterator<Item = SliceRef> {
    let mut lanes: Vec<(I, Option<SliceRef>)> = lanes
        .into_iter()
        .map(|mut lane| {
            let first = lane.next();
            (lane, first)
        })
        .collect();
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = lanes
        .iter()
        .enumerate()
        .filter_map(|(at, (_, first))| first.map(|slice| Reverse((slice.start_ns, at))))
        .collect();
    std::iter::from_fn(move || {
        let mut top = heap.peek_mut()?;
        let Reverse((_, at)) = *top;
        let (lane, first) = lanes.get_mut(at)?;
        let next = lane.next();
        let slice = std::mem::replace(first, next);
        match next {
            Some(next) => *top = Reverse((next.start_ns, at)),
            None => {
                std::collections::binary_heap::PeekMut::pop(top);
            }
        }
        slice
    })
}
