//! NUMA nodes of CPUs, and the source of this information.
//!
//! The nodes come from a sidecar, else from events that carry a CPU and its node; without either there is one node. The origin is
//! always stated. The crate `numalens-topology` reads sidecar files.

mod learn;
mod resolve;

pub use learn::Learner;
pub use resolve::{StatedTopology, resolve};

use serde::{Deserialize, Serialize};

/// CPU numbers from this one on count as damage; the kernel's `NR_CPUS` ends at 8192.
pub const MAX_CPUS: u32 = 1 << 14;

/// Source of the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A file from the recorded machine says so.
    Sidecar,
    /// The recording's own header says so.
    Perf,
    /// Events carried CPUs with their nodes.
    Events,
    /// No evidence: one node is assumed.
    Assumed,
}

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Number.
    pub nid: u32,
    /// CPUs of the node, ascending.
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
    /// First address.
    pub from: u64,
    /// End address, exclusive.
    pub to: u64,
}

/// The node of a physical address; `None` when not known. The ranges ascend and do not overlap.
#[must_use]
pub fn node_of_memory(ranges: &[MemoryRange], address: u64) -> Option<u32> {
    let past = ranges.partition_point(|range| range.from <= address);
    let range = ranges.get(past.checked_sub(1)?)?;
    (address < range.to).then_some(range.nid)
}

/// The nodes of the recorded machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// Provenance.
    pub source: Source,
    /// The nodes, ascending; each CPU is on exactly one.
    pub nodes: Vec<Node>,
    /// Distances between the nodes in their order, from the firmware (10 = local); `None` when not known.
    pub distances: Option<Vec<Vec<u32>>>,
    /// CPUs that share cores and caches, as far as a file has them.
    pub sharing: Sharing,
    /// Nodes of the physical memory, as far as a recording has them; ascending, without overlaps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<MemoryRange>,
    /// Assumptions, a sentence each.
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
