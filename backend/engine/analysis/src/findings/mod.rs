//! What went wrong, ranked by what it cost.
//!
//! A detector is a function of [`Facts`]; a table of detectors belongs to each subject ([`PRESSURE`]). [`find`] runs tables,
//! keeps impacts within what the window's CPUs could lose, and sorts. Detectors of the NUMA balancers lie with their replays
//! and have facts of their own; [`rank`] puts all findings together.

pub mod cling;
pub mod idle_balancing;
pub mod numa_balancing;
pub mod page_migration;
pub mod pressure;

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::psi::{Psi, SampleSeries};

pub use self::pressure::spike_hidden::Episode;
pub use self::pressure::watch::{Watch, Watched};

/// How bad it is, by its cost as a share of the window's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Below [`MEDIUM_PERCENT`].
    Low,
    /// From [`MEDIUM_PERCENT`] on.
    Medium,
    /// From [`HIGH_PERCENT`] on.
    High,
}

/// A finding that costs this share of the window is of medium severity, percent.
pub const MEDIUM_PERCENT: f64 = 1.0;
/// A finding that costs this share of the window is of high severity, percent.
pub const HIGH_PERCENT: f64 = 10.0;
/// A detector that fires often tells its worst, so many per resource or cgroup.
pub const MOST: usize = 10;

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// Name of the detector.
    pub id: &'static str,
    /// How it is known.
    pub label: Label,
    /// What would make it better known.
    pub missing: Vec<String>,
    /// How bad it is.
    pub severity: Severity,
    /// Where it begins, ns of the reference clock.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Where it ends, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// What it cost, ms; at most the window times its CPUs.
    pub impact_ms: f64,
    /// Nodes it concerns, if only some.
    pub nodes: Vec<i32>,
    /// Tasks it concerns, the worst first.
    pub pids: Vec<i32>,
    /// The cgroup it concerns.
    pub cgroup: Option<String>,
    /// What happened, which tasks, where, when, what it cost: one sentence.
    pub summary: String,
}

impl Finding {
    /// A finding of the window without cost or place yet.
    pub(crate) fn of(id: &'static str, label: Label, from_ns: u64, to_ns: u64) -> Self {
        Self {
            id,
            label,
            missing: Vec::new(),
            severity: Severity::Low,
            from_ns,
            to_ns,
            impact_ms: 0.0,
            nodes: Vec::new(),
            pids: Vec::new(),
            cgroup: None,
            summary: String::new(),
        }
    }
}

/// A reading of `/proc/loadavg`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// When, ns.
    pub t_ns: u64,
    /// The average over one minute.
    pub one: f64,
}

/// How long a task was in memory stalls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stalled {
    /// The task.
    pub pid: i32,
    /// Its name.
    pub comm: String,
    /// Its stalls in the window, ns.
    pub ns: u64,
}

/// What the detectors of pressure look at.
#[derive(Debug, Clone, Copy)]
pub struct PressureFacts<'a> {
    /// The replay and its residuals.
    pub psi: &'a Psi,
    /// What was seen in the states.
    pub watched: &'a Watched,
    /// Number and path of the cgroups.
    pub groups: &'a [(u32, &'a str)],
    /// What was printed.
    pub samples: &'a [SampleSeries],
    /// Load averages, by time.
    pub loads: &'a [Load],
    /// Tasks in memory stalls, in any order; empty when nothing tells.
    pub stalled: &'a [Stalled],
}

/// What detectors look at. Each subject adds a field of its own.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The window, ns.
    pub from_ns: u64,
    /// Its end, ns.
    pub to_ns: u64,
    /// CPUs of the machine.
    pub cpus: usize,
    /// Pressure.
    pub pressure: Option<PressureFacts<'a>>,
}

/// Looks for one kind of trouble.
pub type Detector = fn(&Facts<'_>) -> Vec<Finding>;

/// The detectors of pressure (`docs/algorithms/psi.md`, P14).
pub const PRESSURE: [Detector; 8] = [
    pressure::spike_hidden::spike_hidden,
    pressure::cpu::wake_only,
    pressure::memory::mem_full,
    pressure::memory::refault,
    pressure::replay::observer_loss,
    pressure::cpu::throttle,
    pressure::replay::mismatch,
    pressure::cpu::loadavg,
];

/// Everything the detectors of `tables` find, worst first.
#[must_use]
pub fn find(facts: &Facts<'_>, tables: &[&[Detector]]) -> Vec<Finding> {
    let detectors = tables.iter().copied().flatten();
    let all = detectors.flat_map(|detect| detect(facts)).collect();
    rank(all, facts.from_ns, facts.to_ns, facts.cpus)
}

/// Findings of a window of a machine with `cpus` CPUs, whatever they are about: impacts within what could be lost, severities,
/// worst first.
#[must_use]
pub fn rank(mut all: Vec<Finding>, from_ns: u64, to_ns: u64, cpus: usize) -> Vec<Finding> {
    let wall_ms = to_ns.saturating_sub(from_ns) as f64 / 1e6;
    let most = wall_ms * cpus as f64;
    for finding in &mut all {
        finding.impact_ms = finding.impact_ms.clamp(0.0, most);
        let share = if wall_ms > 0.0 {
            finding.impact_ms / wall_ms * 100.0
        } else {
            0.0
        };
        finding.severity = if share >= HIGH_PERCENT {
            Severity::High
        } else if share >= MEDIUM_PERCENT {
            Severity::Medium
        } else {
            Severity::Low
        };
    }
    all.sort_by(|a, b| {
        b.severity
            .cmp(&a.severity)
            .then(b.impact_ms.total_cmp(&a.impact_ms))
            .then(a.from_ns.cmp(&b.from_ns))
            .then(a.id.cmp(b.id))
    });
    all
}
