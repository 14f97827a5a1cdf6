//! Pieces that the detectors' sentences share.

pub(super) mod cpu;
pub(super) mod memory;
pub(super) mod replay;
pub(super) mod spike_hidden;
pub mod watch;

use numalens_core::provenance::Label;

use crate::findings::{Facts, PressureFacts};
use crate::psi::result::{Node, Or, Totals};

/// A moment, as seconds into the window.
pub(super) fn at(facts: &Facts<'_>, ts: u64) -> String {
    into(facts.from_ns, ts)
}

/// A moment, as seconds into the window that begins at `from_ns`.
pub(crate) fn into(from_ns: u64, ts: u64) -> String {
    format!(
        "{:.3} s into the window",
        ts.saturating_sub(from_ns) as f64 / 1e9
    )
}

/// Label and missing evidence of a replayed value.
pub(super) fn label(totals: &Or<Totals>) -> (Label, Vec<String>) {
    totals
        .value()
        .map_or((Label::Inferred, Vec::new()), |totals| {
            (totals.label, totals.missing.clone())
        })
}

/// Whether the pressure of the window is known by the replay: of all CPUs next to all time is recorded.
pub(super) fn recorded(pressure: &PressureFacts<'_>, from_ns: u64, to_ns: u64) -> bool {
    let unknown = pressure.psi.nodes.iter().map(|node| node.unknown_ns);
    let unknown = unknown.fold(0, u64::saturating_add);
    unknown <= to_ns.saturating_sub(from_ns) / 100
}

/// Nodes with at least half of the worst node's time, when that is not all of them.
pub(super) fn worst_nodes(pressure: &PressureFacts<'_>, time: fn(&Node) -> u64) -> Vec<i32> {
    let nodes = &pressure.psi.nodes;
    let most = nodes.iter().map(time).max().unwrap_or(0);
    let worst = nodes
        .iter()
        .filter(|node| most > 0 && time(node) * 2 >= most && node.nid >= 0);
    let worst: Vec<i32> = worst.map(|node| node.nid).collect();
    if worst.len() < nodes.len() {
        worst
    } else {
        Vec::new()
    }
}

/// " on node 1", or nothing for all nodes.
pub(super) fn on_nodes(nodes: &[i32]) -> String {
    let list = nodes
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    match nodes.len() {
        0 => String::new(),
        1 => format!(" on node {list}"),
        _ => format!(" on nodes {list}"),
    }
}
