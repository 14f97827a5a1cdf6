//! hwloc's XML (`lstopo --of xml`), versions 1 and 2 (`hwloc.dtd` and `hwloc2.dtd`): NUMA nodes, cores, caches and dies
//! with bitmaps of their CPUs, and a matrix of latencies.

use std::collections::{BTreeMap, BTreeSet};

use numalens_columns::InputError;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::builder::Builder;
use crate::cpu_list::number;
use crate::lines::quoted;
use crate::sharing::Disjoint;
use crate::{MAX_NUMBER, Sharing, Topology};

/// Nodes of a matrix that is read: the kernel has at most 2^10.
const MAX_NODES: usize = 1 << 10;

/// Levels of caches: hwloc knows five.
const MAX_LEVEL: u32 = 9;

/// Returns whether the first element of the text is hwloc's. Other tools' XML has elements of that name deeper inside.
pub(crate) fn recognises(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = head.trim_ascii_start();
    let first = text
        .windows(2)
        .position(|pair| pair[0] == b'<' && pair[1].is_ascii_alphabetic());
    let after = |at: usize| text[at..].strip_prefix(b"<topology");
    text.starts_with(b"<")
        && first
            .and_then(after)
            .and_then(<[u8]>::first)
            .is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'>')
}

/// A node as an object of the text.
#[derive(Debug)]
struct NumaNode {
    nid: u32,
    /// hwloc's own number, which matrices may use.
    gp_index: Option<u64>,
    cpus: Vec<u32>,
    /// Memory of another sort than the machine's main memory (MCDRAM, NVM, ...).
    special: bool,
    line: u64,
}

/// A matrix between objects.
#[derive(Debug, Default)]
struct Matrix {
    nodes: usize,
    /// The objects' numbers; version 1 has none, its order is that of the objects.
    indexes: Option<Vec<u64>>,
    /// The numbers are hwloc's own.
    by_gp_index: bool,
    /// Version 1 has latencies in units of the base.
    base: f64,
    values: Vec<u32>,
    line: u64,
}

/// Kind of the current element's text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    Indexes,
    Values,
    #[default]
    Other,
}

/// State of the read.
#[derive(Debug, Default)]
struct Reading {
    nodes: Vec<NumaNode>,
    /// CPUs of the whole machine.
    machine: Vec<u32>,
    matrix: Option<Matrix>,
    /// A matrix that is being read.
    open: Option<Matrix>,
    inside: Inside,
    /// Version 2: a package without dies is one.
    dies_known: bool,
    cores: Disjoint,
    clusters: Disjoint,
    dies: Disjoint,
    packages: Disjoint,
    /// CPUs of each cache that holds data, by level.
    caches: BTreeMap<u32, Disjoint>,
}

/// Reads the text.
pub(crate) fn parse(bytes: &[u8]) -> Result<Topology, InputError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    let mut at = 0;
    let mut line = 1;
    let mut depth = 0_u32;
    let mut reading = Reading::default();
    loop {
        let event = reader.read_event();
        let now = (reader.buffer_position() as usize).min(text.len());
        line += newlines(&text.as_bytes()[at..now.max(at)]);
        at = now.max(at);
        let bad =
            |found: String| InputError::at_line(line, "complete XML of hwloc", quoted(&found));
        match event.map_err(|error| bad(error.to_string()))? {
            Event::Start(element) => {
                depth += 1;
                reading.element(&element, line)?;
            }
            Event::Empty(element) => {
                reading.element(&element, line)?;
                reading.end(element.name().as_ref());
            }
            Event::Text(content) => reading.text(&content, line)?,
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                reading.end(element.name().as_ref());
            }
            Event::Eof if depth > 0 => return Err(bad("the end of the file".to_owned())),
            Event::Eof => return reading.finish(line),
            _ => {}
        }
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// An element's attributes. Values that matter have no entities.
fn attributes<'a>(
    element: &'a BytesStart,
    line: u64,
) -> Result<BTreeMap<&'a str, String>, InputError> {
    let mut found = BTreeMap::new();
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| {
            InputError::at_line(
                line,
                "an attribute with its value",
                quoted(&error.to_string()),
            )
        })?;
        let (key, value) = (attribute.key.into_inner(), attribute.value);
        found.insert(key, value.into_owned());
    }
    Ok(found)
}

impl Reading {
    fn element(&mut self, element: &BytesStart, line: u64) -> Result<(), InputError> {
        match element.name().as_ref() {
            "topology" => {
                let attributes = attributes(element, line)?;
                let version = attributes.get("version");
                self.dies_known = version.is_some_and(|version| version.starts_with('2'));
            }
            "object" => self.object(&attributes(element, line)?, line)?,
            "distances" | "distances2" => self.distances(&attributes(element, line)?, line)?,
            "latency" => {
                if let Some(matrix) = &mut self.open {
                    matrix.latency(&attributes(element, line)?, line)?;
                }
            }
            "indexes" => self.inside = Inside::Indexes,
            "u64values" => self.inside = Inside::Values,
            _ => {}
        }
        Ok(())
    }

    fn object(&mut self, attributes: &BTreeMap<&str, String>, line: u64) -> Result<(), InputError> {
        let text = |key: &str| attributes.get(key).map(String::as_str);
        let cpus = || text("cpuset").map_or(Ok(Vec::new()), |set| bitmap(set, line));
        match text("type") {
            // The oldest versions call it a node.
            Some("NUMANode" | "Node") => {
                let nid = text("os_index").unwrap_or_default();
                let special = text("subtype").is_some_and(|subtype| subtype != "DRAM");
                self.nodes.push(NumaNode {
                    nid: number(nid, line, "a node number")?,
                    gp_index: text("gp_index").and_then(|index| index.parse().ok()),
                    cpus: cpus()?,
                    special,
                    line,
                });
            }
            Some("Machine") => self.machine.extend(cpus()?),
            Some("Core") => self.cores.add(cpus()?),
            Some("Group") if text("subtype") == Some("Cluster") => self.clusters.add(cpus()?),
            Some("Die") => self.dies.add(cpus()?),
            Some("Package") => self.packages.add(cpus()?),
            // Version 1 has one word for all caches.
            Some("Cache" | "L1Cache" | "L2Cache" | "L3Cache" | "L4Cache" | "L5Cache") => {
                /// `HWLOC_OBJ_CACHE_INSTRUCTION`.
                const INSTRUCTIONS: &str = "2";
                let level = number(
                    text("depth").unwrap_or_default(),
                    line,
                    "the level of a cache",
                )?;
                if level <= MAX_LEVEL && text("cache_type") != Some(INSTRUCTIONS) {
                    self.caches.entry(level).or_default().add(cpus()?);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// CPUs that share caches and cores: the last-level cache of each CPU is that of its highest level.
    fn sharing(&mut self) -> Sharing {
        if self.dies_known {
            let packages = std::mem::take(&mut self.packages);
            self.dies.add_all(packages);
        }
        let mut llcs = Disjoint::default();
        for (_, caches) in std::mem::take(&mut self.caches).into_iter().rev() {
            llcs.add_all(caches);
        }
        Sharing {
            cores: std::mem::take(&mut self.cores).groups(),
            clusters: std::mem::take(&mut self.clusters).groups(),
            llcs: llcs.groups(),
            dies: std::mem::take(&mut self.dies).groups(),
        }
    }

    /// Begins a matrix if it is one of latencies between nodes.
    fn distances(
        &mut self,
        attributes: &BTreeMap<&str, String>,
        line: u64,
    ) -> Result<(), InputError> {
        /// Bit of `kind`: a larger value is a longer way (`HWLOC_DISTANCES_KIND_MEANS_LATENCY`).
        const LATENCY: u64 = 1 << 2;
        let text = |key: &str| attributes.get(key).map(String::as_str);
        let latency =
            text("kind").is_none_or(|kind| kind.parse().is_ok_and(|kind: u64| kind & LATENCY != 0));
        let of_nodes = text("type").is_none_or(|of| of == "NUMANode");
        if !latency || !of_nodes {
            return Ok(());
        }
        let nodes = text("nbobjs").unwrap_or_default();
        let nodes = number(nodes, line, "a number of nodes")? as usize;
        if nodes > MAX_NODES {
            return Err(InputError::at_line(
                line,
                format!("at most {MAX_NODES} nodes"),
                nodes.to_string(),
            ));
        }
        let base = text("latency_base").map_or(Some(1.0), |base| base.parse().ok());
        self.open = Some(Matrix {
            nodes,
            indexes: None,
            by_gp_index: text("indexing") == Some("gp"),
            base: base.filter(|base: &f64| base.is_finite()).unwrap_or(1.0),
            values: Vec::new(),
            line,
        });
        Ok(())
    }

    fn text(&mut self, content: &str, line: u64) -> Result<(), InputError> {
        let Some(matrix) = &mut self.open else {
            return Ok(());
        };
        for word in content.split_whitespace() {
            match self.inside {
                Inside::Indexes => {
                    let index = word.parse().map_err(|_| {
                        InputError::at_line(line, "an object's number", quoted(word))
                    })?;
                    let indexes = matrix.indexes.get_or_insert_default();
                    indexes.push(index);
                    if indexes.len() > matrix.nodes {
                        return Err(matrix.too_many(line));
                    }
                }
                Inside::Values => matrix.value(number(word, line, "a distance")?, line)?,
                Inside::Other => {}
            }
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        match name {
            "indexes" | "u64values" => self.inside = Inside::Other,
            // The first one counts: it is what the firmware said.
            "distances" | "distances2" if self.matrix.is_none() => self.matrix = self.open.take(),
            "distances" | "distances2" => self.open = None,
            _ => {}
        }
    }

    fn finish(mut self, last_line: u64) -> Result<Topology, InputError> {
        let mut builder = Builder::default();
        let rows = self
            .matrix
            .take()
            .and_then(|matrix| matrix.rows(&self.nodes));
        // hwloc gives memory without CPUs those that are near it, so a CPU may be in several sets. It belongs to main
        // memory before other memory, and to the lowest number among equals.
        self.nodes.sort_by_key(|node| (node.special, node.nid));
        let mut placed = BTreeSet::new();
        for node in &self.nodes {
            builder.node(node.nid);
            for &cpu in &node.cpus {
                if placed.insert(cpu) {
                    builder.cpu(node.nid, cpu, node.line)?;
                }
            }
        }
        // Version 1 leaves the node out when there is only one.
        if self.nodes.is_empty() {
            for cpu in std::mem::take(&mut self.machine) {
                builder.cpu(0, cpu, last_line)?;
            }
        }
        for (nid, (row, line)) in rows.into_iter().flatten() {
            builder.distances(nid, row, line);
        }
        Ok(Topology {
            sharing: self.sharing(),
            ..builder.finish(last_line)?
        })
    }
}

impl Matrix {
    /// A latency of version 1: a multiple of the base.
    fn latency(
        &mut self,
        attributes: &BTreeMap<&str, String>,
        line: u64,
    ) -> Result<(), InputError> {
        let text = attributes.get("value").map_or("", String::as_str);
        let value = text.parse::<f64>().unwrap_or(-1.0) * self.base;
        if !(0.0..f64::from(MAX_NUMBER)).contains(&value) {
            return Err(InputError::at_line(line, "a latency", quoted(text)));
        }
        self.value(value.round() as u32, line)
    }

    fn value(&mut self, value: u32, line: u64) -> Result<(), InputError> {
        self.values.push(value);
        if self.values.len() > self.nodes * self.nodes {
            return Err(self.too_many(line));
        }
        Ok(())
    }

    fn too_many(&self, line: u64) -> InputError {
        InputError::at_line(
            line,
            format!("a matrix of {} nodes", self.nodes),
            "more values",
        )
    }

    /// The rows by node, each in the order of the nodes; `None` if the matrix is not about all nodes of the machine.
    fn rows(&self, nodes: &[NumaNode]) -> Option<BTreeMap<u32, (Vec<u32>, u64)>> {
        let order: Vec<u32> = match &self.indexes {
            None => nodes.iter().map(|node| node.nid).collect(),
            Some(indexes) => indexes
                .iter()
                .map(|&index| self.nid(index, nodes))
                .collect::<Option<_>>()?,
        };
        let mut places: Vec<usize> = (0..order.len()).collect();
        places.sort_unstable_by_key(|&at| order[at]);
        let known: BTreeSet<u32> = nodes.iter().map(|node| node.nid).collect();
        let whole = order.len() == self.nodes && self.values.len() == self.nodes * self.nodes;
        if !whole || !places.iter().map(|&at| order[at]).eq(known) {
            return None;
        }
        let row = |at: usize| {
            places
                .iter()
                .map(|to| self.values[at * self.nodes + to])
                .collect()
        };
        Some(
            places
                .iter()
                .map(|&at| (order[at], (row(at), self.line)))
                .collect(),
        )
    }

    /// The node of a number in the matrix.
    fn nid(&self, index: u64, nodes: &[NumaNode]) -> Option<u32> {
        let node = nodes.iter().find(|node| {
            if self.by_gp_index {
                node.gp_index == Some(index)
            } else {
                u64::from(node.nid) == index
            }
        });
        node.map(|node| node.nid)
    }
}

/// A set such as `0xffffffff,,0x000000ff`: words of 32 bits, the highest first, nothing standing for zero
/// (hwloc, `hwloc_bitmap_snprintf`).
fn bitmap(text: &str, line: u64) -> Result<Vec<u32>, InputError> {
    let bad = || InputError::at_line(line, "a set such as 0x0000000f", quoted(text));
    let mut cpus = Vec::new();
    for (word, at) in text.rsplit(',').zip(0_u32..) {
        let digits = match word.trim() {
            "" => "0",
            word => word.strip_prefix("0x").unwrap_or(word),
        };
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bits = u32::from_str_radix(digits, 16)
            .ok()
            .filter(|_| plain)
            .ok_or_else(bad)?;
        if bits == 0 {
            continue;
        }
        if at >= MAX_NUMBER / 32 {
            return Err(bad());
        }
        cpus.extend(
            (0..32)
                .filter(|bit| bits >> bit & 1 == 1)
                .map(|bit| at * 32 + bit),
        );
    }
    cpus.sort_unstable();
    Ok(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_cpus() {
        assert_eq!(bitmap("0x00000005", 1).unwrap(), [0, 2]);
        assert_eq!(bitmap("0x00000001,,0x80000000", 1).unwrap(), [31, 64]);
        assert_eq!(bitmap("0x0", 1).unwrap(), Vec::<u32>::new());
        assert_eq!(bitmap("f", 1).unwrap(), [0, 1, 2, 3]);
        for text in ["0xf...f", "0x+1", "x", "0x100000000", "1-2"] {
            assert_eq!(bitmap(text, 7).unwrap_err().place.number(), 7, "{text}");
        }
        let far = format!("0x1{}", ",".repeat(2048));
        assert!(bitmap(&far, 1).is_err());
    }
}
