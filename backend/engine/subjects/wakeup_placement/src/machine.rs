//! Cores, caches and nodes, as wakeups see them.

use std::collections::BTreeMap;

use numalens_core::topology::{Node, Sharing};

/// Number of a group of CPUs.
type Group = u32;

/// Groups of CPUs of one kind.
#[derive(Debug, Default)]
struct Groups {
    of: BTreeMap<u32, Group>,
    cpus: Vec<Vec<u32>>,
}

impl Groups {
    fn new<'a>(groups: impl Iterator<Item = &'a Vec<u32>>) -> Self {
        let mut made = Self::default();
        for group in groups {
            let number = made.cpus.len() as Group;
            made.of.extend(group.iter().map(|&cpu| (cpu, number)));
            made.cpus.push(group.clone());
        }
        made
    }

    fn around(&self, cpu: u32) -> &[u32] {
        self.of
            .get(&cpu)
            .map_or(&[], |&group| &self.cpus[group as usize])
    }

    fn same(&self, a: u32, b: u32) -> bool {
        a == b
            || self
                .of
                .get(&a)
                .is_some_and(|group| self.of.get(&b) == Some(group))
    }
}

/// Cores, caches and nodes.
#[derive(Debug)]
pub struct Machine {
    cores: Groups,
    clusters: Groups,
    llcs: Groups,
    nodes: Groups,
    nids: Vec<u32>,
    /// True if last-level caches are recorded; otherwise each node is taken as one.
    pub llcs_known: bool,
}

impl Machine {
    /// Takes nodes and what else is known. Where no last-level cache is recorded, each node is taken to have one.
    #[must_use]
    pub fn new(nodes: &[Node], sharing: &Sharing) -> Self {
        let nids = nodes.iter().map(|node| node.nid).collect();
        let nodes = Groups::new(nodes.iter().map(|node| &node.cpus));
        let llcs_known = !sharing.llcs.is_empty();
        let llcs = if llcs_known {
            &sharing.llcs
        } else {
            &nodes.cpus
        };
        Self {
            cores: Groups::new(sharing.cores.iter()),
            clusters: Groups::new(sharing.clusters.iter()),
            llcs: Groups::new(llcs.iter()),
            nodes,
            nids,
            llcs_known,
        }
    }

    /// CPUs below the last-level cache of a CPU, ascending.
    #[must_use]
    pub fn llc(&self, cpu: u32) -> &[u32] {
        self.llcs.around(cpu)
    }

    /// Returns whether two CPUs share a last-level cache (`cpus_share_cache`).
    #[must_use]
    pub fn share_llc(&self, a: u32, b: u32) -> bool {
        self.llcs.same(a, b)
    }

    /// Returns whether two CPUs are on one node.
    #[must_use]
    pub fn same_node(&self, a: u32, b: u32) -> bool {
        self.nodes.same(a, b)
    }

    /// CPUs on the node of a CPU, ascending.
    #[must_use]
    pub fn node_cpus(&self, cpu: u32) -> &[u32] {
        self.nodes.around(cpu)
    }

    /// Number of the node of a CPU.
    #[must_use]
    pub fn node(&self, cpu: u32) -> Option<u32> {
        let group = *self.nodes.of.get(&cpu)?;
        self.nids.get(group as usize).copied()
    }

    /// CPUs of all nodes.
    pub fn cpus(&self) -> impl Iterator<Item = u32> + '_ {
        self.nodes.of.keys().copied()
    }

    /// Threads of the core of a CPU; none where cores are not recorded or have one thread.
    #[must_use]
    pub fn core(&self, cpu: u32) -> &[u32] {
        let core = self.cores.around(cpu);
        if core.len() > 1 { core } else { &[] }
    }

    /// Returns whether clusters inside of the last-level caches keep a wakeup from taking an idle previous CPU at once
    /// (`cpus_share_resources`, 6.8).
    #[must_use]
    pub fn in_other_cluster(&self, a: u32, b: u32) -> bool {
        let cluster = self.clusters.around(a);
        cluster.len() > 1 && cluster.len() < self.llc(a).len() && !cluster.contains(&b)
    }
}
