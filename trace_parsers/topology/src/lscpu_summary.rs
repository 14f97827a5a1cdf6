//! `lscpu` without an option: a line for each fact, the CPUs of each node among them.

use numalens_columns::InputError;

use crate::Topology;
use crate::builder::Builder;
use crate::cpu_list::{self, number};
use crate::lines::lines;

/// The node and the list of `NUMA node0 CPU(s): 0,2`.
fn node(line: &str) -> Option<(&str, &str)> {
    let (nid, list) = line.strip_prefix("NUMA node")?.split_once(" CPU(s):")?;
    let numbered = !nid.is_empty() && nid.bytes().all(|byte| byte.is_ascii_digit());
    numbered.then(|| (nid, list.trim()))
}

/// The list of `On-line CPU(s) list: 0-3`.
fn online(line: &str) -> Option<&str> {
    line.strip_prefix("On-line CPU(s) list:").map(str::trim)
}

pub(crate) fn recognises(line: &str) -> bool {
    node(line).is_some() || online(line).is_some()
}

/// Reads the nodes; without any the machine has no NUMA, and its CPUs make up node 0.
pub(crate) fn parse(bytes: &[u8]) -> Result<Topology, InputError> {
    let mut builder = Builder::default();
    let (mut without_node, mut placed, mut last) = (Vec::new(), false, 1);
    for line in lines(bytes) {
        if line.text.is_empty() {
            continue;
        }
        last = line.number;
        if let Some((nid, list)) = node(line.text) {
            let nid = number(nid, line.number, "a node number")?;
            builder.node(nid);
            placed = true;
            for cpu in cpu_list::parse(list, line.number)? {
                builder.cpu(nid, cpu, line.number)?;
            }
        } else if let Some(list) = online(line.text) {
            without_node = cpu_list::parse(list, line.number)?;
        }
    }
    if !placed {
        for cpu in without_node {
            builder.cpu(0, cpu, last)?;
        }
    }
    builder.finish(last)
}
