//! Collects what a file says, in any order, into a [`Topology`].

use std::collections::BTreeMap;

use numalens_columns::InputError;

use crate::{Node, Sharing, Topology};

#[derive(Debug, Default)]
pub(crate) struct Builder {
    /// CPU to node.
    cpus: BTreeMap<u32, u32>,
    /// Node to the row of its distances and the line of that row.
    rows: BTreeMap<u32, Option<(Vec<u32>, u64)>>,
}

impl Builder {
    /// The node exists, with or without CPUs.
    pub(crate) fn node(&mut self, nid: u32) {
        self.rows.entry(nid).or_default();
    }

    /// The CPU belongs to the node.
    pub(crate) fn cpu(&mut self, nid: u32, cpu: u32, line: u64) -> Result<(), InputError> {
        self.node(nid);
        match self.cpus.insert(cpu, nid) {
            Some(other) if other != nid => Err(InputError::at_line(
                line,
                "each CPU on one node",
                format!("CPU {cpu} on the nodes {other} and {nid}"),
            )),
            _ => Ok(()),
        }
    }

    /// The distances from a node to every node, in ascending order of the nodes.
    pub(crate) fn distances(&mut self, nid: u32, row: Vec<u32>, line: u64) {
        self.rows.insert(nid, Some((row, line)));
    }

    /// The topology. `last_line` is where "no node" is reported.
    pub(crate) fn finish(self, last_line: u64) -> Result<Topology, InputError> {
        if self.cpus.is_empty() {
            return Err(InputError::at_line(
                last_line,
                "at least one CPU on a node",
                "none",
            ));
        }
        let mut nodes: Vec<Node> = self
            .rows
            .keys()
            .map(|&nid| Node {
                nid,
                cpus: Vec::new(),
            })
            .collect();
        for (cpu, nid) in self.cpus {
            if let Ok(at) = nodes.binary_search_by_key(&nid, |node| node.nid) {
                nodes[at].cpus.push(cpu);
            }
        }
        let mut matrix = Vec::new();
        for (row, line) in self.rows.into_values().flatten() {
            if row.len() != nodes.len() {
                return Err(InputError::at_line(
                    line,
                    format!("{} distances, one for each node", nodes.len()),
                    row.len().to_string(),
                ));
            }
            matrix.push(row);
        }
        let distances = (matrix.len() == nodes.len()).then_some(matrix);
        Ok(Topology {
            nodes,
            distances,
            sharing: Sharing::default(),
        })
    }
}
