//! Lists copied out of sysfs, a path and its value a line (`Documentation/ABI/stable/sysfs-devices-node`).

use numalens_columns::InputError;

use crate::Topology;
use crate::builder::Builder;
use crate::cpu_list::{self, number};
use crate::lines::lines;

/// Directory of the nodes, without the leading `/sys/` so that a copied tree fits too.
const NODES: &str = "devices/system/node/node";

/// Node number, file and value of a line such as `/sys/devices/system/node/node0/cpulist: 0-3`.
fn split(line: &str) -> Option<(&str, &str, &str)> {
    let (_, rest) = line.split_once(NODES)?;
    let (nid, rest) = rest.split_once('/')?;
    let (file, value) = rest.split_once(':').or_else(|| rest.split_once('='))?;
    Some((nid, file.trim(), value.trim()))
}

/// A node's CPUs or distances. Its other files, which may stand next to them, say nothing about the machine's shape.
pub(crate) fn recognises(line: &str) -> bool {
    split(line).is_some_and(|(nid, file, _)| {
        let numbered = !nid.is_empty() && nid.bytes().all(|byte| byte.is_ascii_digit());
        numbered && ["cpulist", "distance"].contains(&file)
    })
}

/// Reads the lines of `cpulist` and `distance`; every other line is passed over, values of several lines included.
pub(crate) fn parse(bytes: &[u8]) -> Result<Topology, InputError> {
    let mut builder = Builder::default();
    let mut last = 1;
    for line in lines(bytes) {
        if line.text.is_empty() {
            continue;
        }
        last = line.number;
        let Some((nid, file, value)) = split(line.text) else {
            continue;
        };
        match file {
            "cpulist" => {
                let nid = number(nid, line.number, "a node number")?;
                builder.node(nid);
                for cpu in cpu_list::parse(value, line.number)? {
                    builder.cpu(nid, cpu, line.number)?;
                }
            }
            "distance" => {
                let row = value
                    .split_whitespace()
                    .map(|distance| number(distance, line.number, "a distance"))
                    .collect::<Result<_, _>>()?;
                builder.distances(number(nid, line.number, "a node number")?, row, line.number);
            }
            _ => {}
        }
    }
    builder.finish(last)
}
