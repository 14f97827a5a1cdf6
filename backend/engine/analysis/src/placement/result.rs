//! What comes out.

use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

/// Whose time or memory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Whose {
    /// Tasks of this numa group.
    Group(i32),
    /// Groups that have no row of their own.
    Others,
    /// Tasks that are known to be in none.
    NoGroup,
    /// Tasks of which no event tells.
    Unknown,
}

impl Whose {
    /// By the number that events print; 0 is none.
    #[must_use]
    pub fn of(ngid: i32) -> Self {
        match ngid {
            1.. => Self::Group(ngid),
            0 => Self::NoGroup,
            _ => Self::Unknown,
        }
    }
}

/// CPU time on a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlacementNode")]
pub struct NodeSeries {
    /// The node.
    pub nid: u32,
    /// In the whole window, CPU-ns.
    pub run_ns: u64,
    /// In each step, CPU-ns.
    pub series: Vec<u64>,
}

/// A row: the CPU time of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlacementTime")]
pub struct GroupTime {
    /// Which.
    #[serde(skip)]
    pub whose: Whose,
    /// How many groups the row is of; 0 for tasks without one.
    pub groups: usize,
    /// Tasks that ran.
    pub tasks: usize,
    /// On all nodes, CPU-ns.
    pub run_ns: u64,
    /// Of it, from before an event told of the group.
    pub inferred_ns: u64,
    /// By node, in the machine's order.
    pub nodes: Vec<NodeSeries>,
    /// How good it is.
    pub label: Label,
}

/// Memory on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlacementMemoryNode")]
pub struct NodeMemory {
    /// The node.
    pub nid: u32,
    /// Resident, KiB.
    pub kb: u64,
}

/// The memory of a group's processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlacementPages")]
pub struct GroupMemory {
    /// Whose.
    #[serde(skip)]
    pub whose: Whose,
    /// Processes that were sampled.
    pub processes: usize,
    /// By node, in the machine's order.
    pub nodes: Vec<NodeMemory>,
    /// How good it is.
    pub label: Label,
}

/// CPU time and memory by numa group and node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Length of a step, ns; the last one may be shorter.
    pub step_ns: u64,
    /// Groups by CPU time, then those merged, then tasks in none, then those of which nobody knows.
    pub groups: Vec<GroupTime>,
    /// All CPU time of tasks: what the rows add up to.
    pub busy_ns: u64,
    /// By group, in the order of `groups`; `None` when no memory was sampled.
    pub memory: Option<Vec<GroupMemory>>,
    /// What would tell of memory.
    pub memory_missing: Vec<String>,
    /// How good it is.
    pub label: Label,
    /// What would make it better.
    pub missing: Vec<String>,
}
