//! CPU and NUMA topology sidecars: text that says which CPU belongs to which node.
//!
//! Four formats are read: the output of `lscpu` (`-p`, `-e`, `-J` or without an option), the table of `numactl -H`, lists
//! copied out of sysfs, one `path: value` a line, and hwloc's XML. [`sniff`] distinguishes them, [`parse`] reads any of them.

mod builder;
mod cpu_list;
mod hwloc;
mod lines;
mod lscpu;
mod lscpu_json;
mod lscpu_summary;
mod numactl;
mod sharing;
mod sysfs;

use numalens_columns::InputError;
pub use sharing::Sharing;
pub use sysfs::{join, sets};

use serde::{Deserialize, Serialize};

/// CPU and node numbers from this on are taken for damage: the kernel's own limits are far below.
pub const MAX_NUMBER: u32 = 1 << 16;

/// One NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The node's number.
    pub nid: u32,
    /// CPUs of the node, ascending; empty for a node with only memory.
    pub cpus: Vec<u32>,
}

/// Nodes of CPUs, and distances between nodes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Topology {
    /// The nodes, ascending by number. A CPU is on at most one.
    pub nodes: Vec<Node>,
    /// Square matrix in the order of `nodes`: the firmware's relative distance (10 = local), row = from, column = to.
    pub distances: Option<Vec<Vec<u32>>>,
    /// CPUs that share cores and caches.
    #[serde(default)]
    pub sharing: Sharing,
}

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `lscpu -p` or `lscpu -e`, with any column selection that has CPU and Node, in text or JSON.
    Lscpu,
    /// `lscpu` without an option, or its JSON.
    LscpuSummary,
    /// `numactl -H` (`numactl --hardware`).
    Numactl,
    /// Lines of sysfs path and value, as `grep . /sys/devices/system/node/node*/*` prints them.
    Sysfs,
    /// hwloc's XML, as `lstopo --of xml` writes it.
    Hwloc,
}

/// Number of inspected bytes for the detection of a file's format.
const SNIFFED: usize = 64 << 10;

/// Returns the format of the bytes by their start; `None` for other formats.
#[must_use]
pub fn sniff(bytes: &[u8]) -> Option<Format> {
    let head = &bytes[..bytes.len().min(SNIFFED)];
    if lines::is_binary(head) {
        return None;
    }
    if hwloc::recognises(head) {
        return Some(Format::Hwloc);
    }
    if let Some(format) = lscpu_json::recognises(head) {
        return Some(format);
    }
    lines::lines(head).find_map(|line| {
        if numactl::recognises(line.text) {
            Some(Format::Numactl)
        } else if sysfs::recognises(line.text) {
            Some(Format::Sysfs)
        } else if lscpu::recognises(line.text) {
            Some(Format::Lscpu)
        } else if lscpu_summary::recognises(line.text) {
            Some(Format::LscpuSummary)
        } else {
            None
        }
    })
}

/// Reads a topology file of any of the formats.
///
/// # Errors
/// One sentence with the line: not one of the formats, an invalid number, a CPU on two nodes, a matrix of distances
/// that is not square, or no node at all.
pub fn parse(bytes: &[u8]) -> Result<Topology, InputError> {
    let format = sniff(bytes);
    let text = match format {
        Some(Format::Lscpu | Format::LscpuSummary) => lscpu_json::text(bytes)?,
        _ => None,
    };
    let bytes = text.as_deref().map_or(bytes, str::as_bytes);
    match format {
        Some(Format::Lscpu) => lscpu::parse(bytes),
        Some(Format::LscpuSummary) => lscpu_summary::parse(bytes),
        Some(Format::Numactl) => numactl::parse(bytes),
        Some(Format::Sysfs) => sysfs::parse(bytes),
        Some(Format::Hwloc) => hwloc::parse(bytes),
        None => Err(InputError::at_line(
            1,
            "the output of lscpu, numactl -H or lstopo --of xml, or sysfs node lists",
            "something else",
        )),
    }
}
