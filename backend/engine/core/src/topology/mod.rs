//! Which CPU belongs to which NUMA node, and how we know.

mod learn;
mod resolve;

pub use learn::Learner;
pub use resolve::{StatedTopology, resolve};

use serde::{Deserialize, Serialize};

/// CPU numbers from this on are taken for damage; the kernel's `NR_CPUS` ends at 8192.
pub const MAX_CPUS: u32 = 1 << 14;

/// How the nodes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A file from the recorded machine says so.
    Sidecar,
    /// The recording's own header says so.
    Perf,
    /// Events carried CPUs with their nodes.
    Events,
    /// Nothing says so: one node is assumed.
    Assumed,
}

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its number.
    pub nid: u32,
    /// Its CPUs, ascending.
    pub cpus: Vec<u32>,
}

/// Groups of CPUs that share something, each ascending, by their first CPU; empty where nothing says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sharing {
    /// CPUs of one core (SMT siblings).
    pub cores: Vec<Vec<u32>>,
    /// CPUs of one cluster.
    pub clusters: Vec<Vec<u32>>,
    /// CPUs below one last-level cache.
    pub llcs: Vec<Vec<u32>>,
    /// CPUs of one die.
    pub dies: Vec<Vec<u32>>,
}

/// Physical memory of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRange {
    /// The node.
    pub nid: u32,
    /// Its first address.
    pub from: u64,
    /// The address behind its last one.
    pub to: u64,
}

/// The node of a physical address; `None` where nothing tells it. The ranges ascend and do not overlap.
#[must_use]
pub fn node_of_memory(ranges: &[MemoryRange], address: u64) -> Option<u32> {
    let past = ranges.partition_point(|range| range.from <= address);
    let range = ranges.get(past.checked_sub(1)?)?;
    (address < range.to).then_some(range.nid)
}

/// The nodes of the recorded machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// How they are known.
    pub source: Source,
    /// The nodes, ascending; each CPU stands on exactly one.
    pub nodes: Vec<Node>,
    /// Distances between the nodes in their order, as the firmware tells (10 = local); `None` when not known.
    pub distances: Option<Vec<Vec<u32>>>,
    /// Which CPUs share cores and caches, as far as a file says.
    pub sharing: Sharing,
    /// Which physical memory is of which node, as far as a recording says; ascending, without overlaps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<MemoryRange>,
    /// What had to be assumed, a sentence each.
    pub notes: Vec<String>,
}

impl Topology {
    /// The node of a CPU.
    #[must_use]
    pub fn node_of(&self, cpu: u32) -> Option<u32> {
        self.nodes
            .iter()
            .find(|node| node.cpus.binary_search(&cpu).is_ok())
            .map(|node| node.nid)
    }
}
