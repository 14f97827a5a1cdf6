//! Findings about pressure and uninterruptible sleeps, and pieces that the detectors' sentences share.

pub mod blocked;
pub(super) mod cpu;
pub(super) mod memory;
pub(super) mod replay;
pub(super) mod spike_hidden;
pub mod watch;

use numalens_core::provenance::Label;
use numalens_subject::detectors;
use numalens_subject::window::into;

use crate::findings::blocked::BlockedFacts;
use crate::result::{Node, Or, Totals};
use crate::{Psi, SampleSeries};

pub use self::replay::{PSI_MISMATCH, PSI_OBSERVER_LOSS};
pub use self::spike_hidden::Episode;
pub use self::watch::{Watch, Watched};

/// A moment, as seconds into the window.
pub(super) fn at(facts: &Facts<'_>, ts: u64) -> String {
    into(facts.from_ns, ts)
}

/// Label and missing evidence of a replayed value.
pub(super) fn label(totals: &Or<Totals>) -> (Label, Vec<String>) {
    totals
        .value()
        .map_or((Label::Inferred, Vec::new()), |totals| {
            (totals.label, totals.missing.clone())
        })
}

/// Returns whether the replay covers the pressure of the window: nearly all time of all CPUs is recorded.
pub(super) fn recorded(pressure: &PressureFacts<'_>, from_ns: u64, to_ns: u64) -> bool {
    let unknown = pressure.psi.nodes.iter().map(|node| node.unknown_ns);
    let unknown = unknown.fold(0, u64::saturating_add);
    unknown <= to_ns.saturating_sub(from_ns) / 100
}

/// Returns the facts about pressure, if the replay knows that of the whole window.
pub(super) fn replayed<'f, 'a>(facts: &'f Facts<'a>) -> Option<&'f PressureFacts<'a>> {
    let pressure = facts.pressure.as_ref()?;
    recorded(pressure, facts.from_ns, facts.to_ns).then_some(pressure)
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

/// A sample of `/proc/loadavg`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Time, ns.
    pub t_ns: u64,
    /// The average over one minute.
    pub one: f64,
}

/// Memory stalls of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stalled {
    /// The task.
    pub pid: i32,
    /// Name.
    pub comm: String,
    /// Stall time in the window, ns.
    pub ns: u64,
}

/// Inputs of the detectors of pressure.
#[derive(Debug, Clone, Copy)]
pub struct PressureFacts<'a> {
    /// The replay and its residuals.
    pub psi: &'a Psi,
    /// Observations in the states.
    pub watched: &'a Watched,
    /// Number and path of the cgroups.
    pub groups: &'a [(u32, &'a str)],
    /// Printed values.
    pub samples: &'a [SampleSeries],
    /// Load averages, by time.
    pub loads: &'a [Load],
    /// Tasks in memory stalls, in any order; empty when not recorded.
    pub stalled: &'a [Stalled],
    /// Total wait of woken tasks until their CPU took them, ns, where waits are known.
    pub waking_ns: Option<u64>,
}

/// Inputs of the detectors; a detector without its part finds nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts<'a> {
    /// The window, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// CPUs of the machine.
    pub cpus: usize,
    /// Pressure.
    pub pressure: Option<PressureFacts<'a>>,
    /// Uninterruptible sleeps.
    pub blocked: Option<BlockedFacts<'a>>,
}

detectors! {
    Facts<'_>;
    cpu::CPU_SOME_WAKE_ONLY => cpu::wake_only,
    cpu::LOADAVG_MISLEADING => cpu::loadavg,
    memory::MEM_FULL_EPISODE => memory::mem_full,
    memory::IO_VS_MEM_REFAULT => memory::refault,
    blocked::IO_BOUND => blocked::io_bound,
    blocked::REFAULTS => blocked::refaults,
    blocked::BLOCKED => blocked::blocked,
    replay::PSI_OBSERVER_LOSS => replay::observer_loss,
    replay::PSI_MISMATCH => replay::mismatch,
    spike_hidden::PSI_SPIKE_HIDDEN => spike_hidden::spike_hidden,
}
