//! Where CPUs stand.

use numalens_core::topology::{MAX_CPUS, Node};

/// Stands for "on no node".
pub(crate) const NO_NODE: u32 = u32::MAX;

/// Which node each CPU is on, by place: the first node has place 0.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    by_cpu: Vec<u32>,
    nodes: Vec<Node>,
}

impl Places {
    pub(crate) fn new(nodes: &[Node]) -> Self {
        let cpus = nodes.iter().flat_map(|node| &node.cpus);
        let len = cpus
            .filter(|&&cpu| cpu < MAX_CPUS)
            .max()
            .map_or(0, |&cpu| cpu as usize + 1);
        let mut by_cpu = vec![NO_NODE; len];
        for (place, node) in nodes.iter().enumerate() {
            for &cpu in &node.cpus {
                if let Some(slot) = by_cpu.get_mut(cpu as usize) {
                    *slot = place as u32;
                }
            }
        }
        Self {
            by_cpu,
            nodes: nodes.to_vec(),
        }
    }

    /// The place of a CPU's node, or [`NO_NODE`].
    #[inline]
    pub(crate) fn of(&self, cpu: u32) -> u32 {
        self.by_cpu.get(cpu as usize).copied().unwrap_or(NO_NODE)
    }

    /// The number of a CPU's node.
    pub(crate) fn nid(&self, cpu: u32) -> Option<u32> {
        self.nodes.get(self.of(cpu) as usize).map(|node| node.nid)
    }

    /// The nodes by place.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The places of the CPUs' nodes, from CPU 0 to the last one.
    pub(crate) fn by_cpu(&self) -> &[u32] {
        &self.by_cpu
    }
}
