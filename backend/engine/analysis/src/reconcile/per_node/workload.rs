//! Only a workload's tasks.

use numalens_core::provenance::Source;
use numalens_core::topology::Node;
use numalens_replay::timeline::SliceRef;

use crate::reconcile::per_node::result::{Reading, Table};
use crate::utilisation::table;
use crate::window::{Places, Steps, lowered};

/// When the first of a workload's tasks was switched in: the begin of its table. `slices` are its tasks' stays on CPUs.
#[must_use]
pub fn workload_begin(slices: impl IntoIterator<Item = SliceRef>) -> Option<u64> {
    slices.into_iter().map(|slice| slice.start_ns).min()
}

/// Adds up the stays on CPUs of a workload's tasks, in any order.
#[derive(Debug)]
pub struct WorkloadMeter {
    places: Places,
    steps: Steps,
    amounts: Vec<Vec<u64>>,
    source: Source,
}

impl WorkloadMeter {
    /// An empty one for the window from `from_ns` (the table's `t0_ns`) to `to_ns`, in steps of `step_ns`; see [`STEP_NS`](super::STEP_NS).
    #[must_use]
    pub fn new(
        nodes: &[Node],
        from_ns: u64,
        to_ns: u64,
        step_ns: Option<u64>,
        source: Source,
    ) -> Self {
        let steps = table::steps(from_ns, to_ns, step_ns, nodes.len());
        Self {
            places: Places::new(nodes),
            amounts: vec![vec![0; steps.count()]; nodes.len()],
            steps,
            source,
        }
    }

    /// Takes in a stay. What lies outside of the window, or on CPUs of no node, is left out.
    pub fn slice(&mut self, slice: &SliceRef) {
        let place = self.places.of(slice.cpu) as usize;
        let Some(amounts) = self.amounts.get_mut(place) else {
            return;
        };
        spread(&self.steps, amounts, slice.start_ns, slice.end_ns, 1);
    }

    /// The table.
    #[must_use]
    pub fn finish(self) -> Table {
        Table::of(
            Reading::Workload,
            self.places.nodes(),
            &self.steps,
            &self.amounts,
            lowered(&self.source, &[]),
        )
    }
}

/// Adds `rate` to the steps from one moment to another.
pub(super) fn spread(steps: &Steps, amounts: &mut [u64], from_ns: u64, to_ns: u64, rate: u64) {
    let mut at = steps.at(from_ns);
    let mut from_ns = from_ns.max(steps.start(0));
    while let Some(amount) = amounts.get_mut(at) {
        let until = to_ns.min(steps.end(at));
        let Some(ns) = until.checked_sub(from_ns).filter(|&ns| ns > 0) else {
            return;
        };
        *amount = amount.saturating_add(ns.saturating_mul(rate));
        (from_ns, at) = (until, at + 1);
    }
}
