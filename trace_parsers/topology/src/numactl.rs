//! `numactl -H`: nodes with their CPUs, then a table of distances (numactl, `numactl.c`, `hardware()`).

use numalens_columns::InputError;

use crate::Topology;
use crate::builder::Builder;
use crate::cpu_list::{self, number};
use crate::lines::{lines, quoted};

/// `available: 2 nodes (0-1)` or `node 0 cpus: 0 1`.
pub(crate) fn recognises(line: &str) -> bool {
    available(line).is_some() || cpus(line).is_some()
}

fn available(line: &str) -> Option<&str> {
    line.strip_prefix("available:")
        .map(str::trim)
        .filter(|rest| rest.contains("node"))
}

/// The node and the list of `node 0 cpus: 0 1`.
fn cpus(line: &str) -> Option<(&str, &str)> {
    let (nid, list) = line.strip_prefix("node ")?.split_once(" cpus:")?;
    Some((nid.trim(), list))
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Topology, InputError> {
    let mut builder = Builder::default();
    // Columns of the distance table, once its head has been seen.
    let mut table: Option<Vec<u32>> = None;
    let mut last = 1;
    for line in lines(bytes) {
        if line.text.is_empty() {
            continue;
        }
        last = line.number;
        if let Some(rest) = available(line.text) {
            let ids = rest
                .split_once('(')
                .and_then(|(_, ids)| ids.strip_suffix(')'))
                .unwrap_or_default();
            for nid in cpu_list::parse(ids, line.number)? {
                builder.node(nid);
            }
        } else if let Some((nid, list)) = cpus(line.text) {
            let nid = number(nid, line.number, "a node number")?;
            builder.node(nid);
            for cpus in list.split_whitespace() {
                for cpu in cpu_list::parse(cpus, line.number)? {
                    builder.cpu(nid, cpu, line.number)?;
                }
            }
        } else if let Some(head) = line.text.strip_prefix("node ").filter(|head| is_head(head)) {
            let ids = head
                .split_whitespace()
                .map(|nid| number(nid, line.number, "a node number"));
            table = Some(ids.collect::<Result<_, _>>()?);
        } else if let (Some(ids), Some((nid, row))) = (&table, line.text.split_once(':')) {
            let Ok(nid) = number(nid.trim(), line.number, "a node number") else {
                continue;
            };
            let row = row
                .split_whitespace()
                .map(|distance| number(distance, line.number, "a distance"))
                .collect::<Result<Vec<_>, _>>()?;
            if row.len() != ids.len() {
                return Err(InputError::at_line(
                    line.number,
                    format!("{} distances, one for each column", ids.len()),
                    quoted(line.text),
                ));
            }
            let mut row: Vec<(u32, u32)> = ids.iter().copied().zip(row).collect();
            row.sort_unstable_by_key(|&(nid, _)| nid);
            builder.distances(
                nid,
                row.into_iter().map(|(_, distance)| distance).collect(),
                line.number,
            );
        }
    }
    builder.finish(last)
}

/// The head of the distance table has nothing but node numbers: `node   0   1`.
fn is_head(text: &str) -> bool {
    !text.trim().is_empty()
        && text
            .split_whitespace()
            .all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}
