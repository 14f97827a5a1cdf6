//! Lists copied out of sysfs, a path and its value a line (`Documentation/ABI/stable/sysfs-devices-node`), and copied folders.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use numalens_columns::{DecodeError, InputError, SinkError};

use crate::Topology;
use crate::builder::Builder;
use crate::cpu_list::{self, number};
use crate::lines::{lines, trim};
use crate::sharing::CpuFiles;

/// Directory of the nodes, without the leading `/sys/` so that a copied tree fits too.
const NODES: &str = "devices/system/node/node";
/// Folder of the CPUs.
const CPUS: &str = "devices/system/cpu/cpu";

/// Node number, file and value of a line such as `/sys/devices/system/node/node0/cpulist: 0-3`.
fn split(line: &str) -> Option<(&str, &str, &str)> {
    let (_, rest) = line.split_once(NODES)?;
    let (nid, rest) = rest.split_once('/')?;
    let (file, value) = rest.split_once(':').or_else(|| rest.split_once('='))?;
    Some((nid, file.trim(), value.trim()))
}

/// CPU, file and value of a line such as `/sys/devices/system/cpu/cpu0/cache/index3/level: 3`.
fn split_cpu(line: &str) -> Option<(&str, &str, &str)> {
    let (_, rest) = line.split_once(CPUS)?;
    let (cpu, rest) = rest.split_once('/')?;
    let (file, value) = rest.split_once(':').or_else(|| rest.split_once('='))?;
    let numbered = !cpu.is_empty() && cpu.bytes().all(|byte| byte.is_ascii_digit());
    numbered.then(|| (cpu, file.trim(), value.trim()))
}

/// Returns whether a line has a node's CPUs or distances. Its other files, which may be next to them, are not about the
/// machine's topology.
pub(crate) fn recognises(line: &str) -> bool {
    split(line).is_some_and(|(nid, file, _)| {
        let numbered = !nid.is_empty() && nid.bytes().all(|byte| byte.is_ascii_digit());
        numbered && ["cpulist", "distance"].contains(&file)
    })
}

/// Reads the lines of `cpulist` and `distance`, and what CPUs share; every other line is passed over, values of several lines included.
pub(crate) fn parse(bytes: &[u8]) -> Result<Topology, InputError> {
    let mut builder = Builder::default();
    let mut cpus = CpuFiles::default();
    let mut last = 1;
    for line in lines(bytes) {
        if line.text.is_empty() {
            continue;
        }
        last = line.number;
        if let Some((cpu, file, value)) = split_cpu(line.text) {
            cpus.file(cpu, file, value, line.number)?;
            continue;
        }
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
    Ok(Topology {
        sharing: cpus.finish(),
        ..builder.finish(last)?
    })
}

/// A file of a copy of the nodes' folder: the folder around, the node, and the path in it. `SchedViz`'s `trace.sh` calls it `topology`.
fn copied(name: &str) -> Option<(&str, u32, &str)> {
    let around = ["topology/node", "devices/system/node/node"];
    let (at, named) = around
        .iter()
        .find_map(|&folder| Some((name.find(folder)?, folder)))?;
    let (nid, file) = name[at + named.len()..].split_once('/')?;
    Some((&name[..at], nid.parse().ok()?, file))
}

/// The CPU whose folder a file of a node is in.
fn cpu_of(file: &str) -> Option<u32> {
    file.strip_prefix("cpu")?.split_once('/')?.0.parse().ok()
}

/// A file of a CPU's folder about sharing: the folder around all of them, the CPU, and the path in its own. The path may also
/// lead through its node.
fn copied_cpu(name: &str) -> Option<(&str, u32, &str)> {
    let (around, cpu, file) = if let Some((around, rest)) = name.split_once(CPUS) {
        let (cpu, file) = rest.split_once('/')?;
        (around, cpu.parse().ok()?, file)
    } else {
        let (around, _, rest) = copied(name)?;
        let (_, file) = rest.split_once('/')?;
        (around, cpu_of(rest)?, file)
    };
    let shares = file.starts_with("cache/index") || file.starts_with("topology/");
    shares.then_some((around, cpu, file))
}

/// Groups of these files that are copies of the nodes' folder, with related files of the CPUs' folder next to it.
#[must_use]
pub fn sets(names: &[&str]) -> Vec<Vec<usize>> {
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        if let Some((around, _, file)) = copied(name)
            && (["cpulist", "distance"].contains(&file) || cpu_of(file).is_some())
        {
            found.entry(around).or_default().push(at);
        }
    }
    for (at, name) in names.iter().enumerate() {
        if let Some((around, _, _)) = copied_cpu(name)
            && let Some(set) = found.get_mut(around).filter(|set| !set.contains(&at))
        {
            set.push(at);
        }
    }
    found.into_values().collect()
}

/// Writes such files as a path and its value a line; a node's CPUs are also those that have a folder in it.
///
/// # Errors
/// `out` refuses.
pub fn join(files: &[(&str, &[u8])], _more: u64, out: &mut dyn Write) -> Result<(), DecodeError> {
    let mut folders: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut lines = Vec::new();
    for (name, bytes) in files {
        if let Some((_, cpu, file)) = copied_cpu(name) {
            let value = String::from_utf8_lossy(bytes);
            lines.push(format!("/sys/{CPUS}{cpu}/{file}: {}\n", trim(&value)));
        }
        let Some((_, nid, file)) = copied(name) else {
            continue;
        };
        if let Some(cpu) = cpu_of(file) {
            folders.entry(nid).or_default().insert(cpu);
        } else {
            let value = String::from_utf8_lossy(bytes);
            lines.push(format!("/sys/{NODES}{nid}/{file}: {}\n", trim(&value)));
        }
    }
    for (nid, cpus) in folders {
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        lines.push(format!("/sys/{NODES}{nid}/cpulist: {}\n", cpus.join(",")));
    }
    let written = out.write_all(lines.concat().as_bytes());
    written.map_err(|error| DecodeError::Sink(SinkError(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_folder_says_which_cpus_a_node_has() {
        let files: [(&str, &[u8]); 6] = [
            ("x/topology/node1/cpu2/topology/core_id", b"0"),
            ("x/topology/node0/cpu0/topology/core_id", b"0"),
            ("x/topology/node0/cpu10/topology/core_id", b"1"),
            ("y/sys/devices/system/node/node0/cpulist", b"0-3\n"),
            ("y/sys/devices/system/node/node0/distance", b"10\n"),
            (
                "y/sys/devices/system/node/node0/vmstat",
                b"nr_free_pages 1\n",
            ),
        ];
        let names = files.map(|file| file.0);
        assert_eq!(sets(&names), [vec![0, 1, 2], vec![3, 4]]);
        for (set, nodes) in [
            (&files[..3], vec![(0, vec![0, 10]), (1, vec![2])]),
            (&files[3..5], vec![(0, vec![0, 1, 2, 3])]),
        ] {
            let mut out = Vec::new();
            join(set, 0, &mut out).unwrap();
            let found = crate::parse(&out).unwrap();
            let found: Vec<_> = found
                .nodes
                .into_iter()
                .map(|node| (node.nid, node.cpus))
                .collect();
            assert_eq!(found, nodes);
        }
    }
}
