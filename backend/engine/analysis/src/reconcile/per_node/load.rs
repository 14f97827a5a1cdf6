//! Runnable tasks.

use numalens_core::provenance::Source;
use numalens_core::topology::Node;
use numalens_replay::states::StateRow;

use crate::reconcile::decision::NodeCounts;
use crate::reconcile::per_node::result::{Reading, Table};
use crate::reconcile::per_node::workload::spread;
use crate::utilisation::table;
use crate::window::{SCHED_SWITCH, Steps, lowered};

/// Adds up runnable tasks over state rows of the machine: first each CPU's state at the window's begin, then the changes.
#[derive(Debug)]
pub struct LoadMeter {
    nodes: Vec<Node>,
    counts: NodeCounts,
    /// Until when each node is added up.
    since: Vec<u64>,
    steps: Steps,
    amounts: Vec<Vec<u64>>,
    to_ns: u64,
    blind: bool,
    source: Source,
}

impl LoadMeter {
    /// An empty one for the window from `from_ns` (the table's `t0_ns`) to `to_ns`, in steps of `step_ns`; see [`STEP_NS`](super::STEP_NS).
    #[must_use]
    pub fn new(
        nodes: &[Node],
        from_ns: u64,
        to_ns: u64,
        step_ns: Option<u64>,
        source: Source,
    ) -> Self {
        let to_ns = to_ns.max(from_ns);
        let steps = table::steps(from_ns, to_ns, step_ns, nodes.len());
        Self {
            nodes: nodes.to_vec(),
            counts: NodeCounts::new(nodes),
            since: vec![from_ns; nodes.len()],
            amounts: vec![vec![0; steps.count()]; nodes.len()],
            steps,
            to_ns,
            blind: false,
            source,
        }
    }

    /// Takes in a row. Rows of cgroups, and of CPUs that are on no node, are left out.
    #[inline]
    pub fn row(&mut self, row: &StateRow) {
        let Some(change) = self.counts.change(row) else {
            return;
        };
        self.settle(change.place, row.ts_ns.min(self.to_ns));
        self.counts.apply(&change);
    }

    fn settle(&mut self, place: usize, ts_ns: u64) {
        let (Some(node), Some(since), Some(amounts)) = (
            self.counts.nodes().get(place),
            self.since.get_mut(place),
            self.amounts.get_mut(place),
        ) else {
            return;
        };
        if ts_ns <= *since {
            return;
        }
        self.blind |= node.unknown > 0;
        spread(&self.steps, amounts, *since, ts_ns, node.nr_running);
        *since = ts_ns;
    }

    /// The table.
    #[must_use]
    pub fn finish(mut self) -> Table {
        for place in 0..self.nodes.len() {
            self.settle(place, self.to_ns);
        }
        let missing: &[&str] = if self.blind { &[SCHED_SWITCH] } else { &[] };
        Table::of(
            Reading::Load,
            &self.nodes,
            &self.steps,
            &self.amounts,
            lowered(&self.source, missing),
        )
    }
}
