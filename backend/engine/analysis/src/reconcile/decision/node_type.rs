//! What a node is for the NUMA balancer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::reconcile::decision::rules::{Classifier, Rules};

/// `enum numa_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeType {
    /// There is room for more tasks.
    HasSpare,
    /// Its CPUs are used, but tasks do not compete for them.
    FullyBusy,
    /// Tasks compete for its CPUs.
    Overloaded,
}

/// Sums over a node's CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Average {
    /// `compute_capacity`.
    pub capacity: u64,
    /// Utilisation (PELT).
    pub util: u64,
    /// Runnable time (PELT).
    pub runnable: u64,
}

/// `numa_classify`: what a node with so many fair tasks on so many CPUs is. `None` for kernels that do not classify.
#[must_use]
pub fn classify(rules: &Rules, nr_running: u64, weight: u64, average: Average) -> Option<NodeType> {
    let pct = u128::from(rules.imb_pct());
    let (capacity, util) = (u128::from(average.capacity), u128::from(average.util));
    let runnable = u128::from(average.runnable);
    let by_runnable = match rules.classifier {
        Classifier::None => return None,
        Classifier::Util => false,
        Classifier::UtilAndRunnable => true,
    };
    let over_util = capacity * 100 < util * pct;
    let over_runnable = by_runnable && capacity * pct < runnable * 100;
    let spare_util = capacity * 100 > util * pct;
    let spare_runnable = !by_runnable || capacity * pct > runnable * 100;
    Some(if nr_running > weight && (over_util || over_runnable) {
        NodeType::Overloaded
    } else if nr_running < weight || (spare_util && spare_runnable) {
        NodeType::HasSpare
    } else {
        NodeType::FullyBusy
    })
}

/// What a node can be when only its tasks are known. One alone is certain: averages decide only where each CPU has a task.
#[must_use]
pub fn possible_types(rules: &Rules, nr_running: u64, weight: u64) -> &'static [NodeType] {
    use NodeType::{FullyBusy, HasSpare, Overloaded};
    if rules.classifier == Classifier::None {
        &[]
    } else if nr_running < weight {
        &[HasSpare]
    } else if nr_running == weight {
        &[HasSpare, FullyBusy]
    } else {
        &[HasSpare, FullyBusy, Overloaded]
    }
}
