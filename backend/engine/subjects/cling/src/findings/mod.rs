//! Findings about cling (`docs/algorithms/cling.md`, G18).

mod costs;
pub(super) mod moves;
pub(super) mod nodes;

use numalens_core::provenance::Label;
use numalens_replay::migrations::Migration;
use numalens_subject::detectors;
use numalens_subject::findings::{Finding, FindingEntry};
use numalens_subject::window::{into, time};

use crate::history::{Degrees, History};
use crate::prefs::Prefs;

pub use self::costs::{Costs, Ran, Share, Tables, Wait};

/// Inputs of the detectors.
#[derive(Clone, Copy)]
pub struct ClingFacts<'a> {
    /// The window, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// The groups' counters: printed, from events, or what-if; from the start of the recording.
    pub histories: &'a [History],
    /// The degree over time.
    pub degrees: &'a Degrees,
    /// Period of the timer, ns.
    pub period_ns: u64,
    /// Scan time of a task, ns: a task dragged off its node may be sent home within it.
    pub scan_ns: u64,
    /// Migrations, by time.
    pub migrations: &'a [Migration],
    /// Preferred nodes.
    pub prefs: &'a Prefs,
    /// Number of a task's group then; `None` for none.
    pub group_of: &'a dyn Fn(i32, u64) -> Option<u32>,
    /// A CPU's node.
    pub node_of: &'a dyn Fn(u32) -> Option<i32>,
    /// Costs.
    pub costs: &'a dyn Costs,
}

impl std::fmt::Debug for ClingFacts<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ClingFacts")
            .field("from_ns", &self.from_ns)
            .field("to_ns", &self.to_ns)
            .field("histories", &self.histories.len())
            .finish_non_exhaustive()
    }
}

/// A finding about a group.
fn of_group(kind: &FindingEntry, facts: &ClingFacts<'_>, history: &History) -> Finding {
    Finding {
        label: history.label,
        missing: history.missing.clone(),
        cgroup: history.group.cgroup.clone(),
        ..kind.finding(Label::Inferred, facts.from_ns, facts.to_ns)
    }
}

/// A group's name in a sentence.
fn name(history: &History) -> String {
    match &history.group.cgroup {
        Some(path) => format!("cgroup {path}"),
        None => format!("numa group {}", history.group.gid),
    }
}

/// A moment, as seconds into the window.
fn at(facts: &ClingFacts<'_>, t_ns: u64) -> String {
    into(facts.from_ns, t_ns)
}

/// The part of a time range inside the window; `None` if there is none.
fn within(facts: &ClingFacts<'_>, from_ns: u64, to_ns: u64) -> Option<(u64, u64)> {
    let (from, to) = (from_ns.max(facts.from_ns), to_ns.min(facts.to_ns));
    (from < to).then_some((from, to))
}

fn length(stretches: &[(u64, u64)]) -> u64 {
    stretches.iter().map(|stretch| stretch.1 - stretch.0).sum()
}

/// Bounds of a node's load that differ by more leave some of its time open.
const OPEN: f64 = 0.015;

/// The parts of time ranges in which all CPUs recorded: without data of a CPU, its attempts are missing in the counters.
fn recorded(facts: &ClingFacts<'_>, all: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    let shares = facts.costs.shares().iter();
    let open = shares.filter(|share| share.busy.1 - share.busy.0 > OPEN);
    let mut gaps: Vec<(u64, u64)> = open.map(|share| (share.from_ns, share.to_ns)).collect();
    gaps.sort_unstable();
    let mut kept = Vec::new();
    for (mut from, to) in all {
        let first = gaps.partition_point(|gap| gap.1 <= from);
        for gap in gaps.iter().skip(first).take_while(|gap| gap.0 < to) {
            if from < gap.0 {
                kept.push((from, gap.0));
            }
            from = from.max(gap.1);
        }
        if from < to {
            kept.push((from, to));
        }
    }
    kept
}

/// Time ranges in which a condition on a group holds; it can change only where a node's counters do.
fn stretches(
    facts: &ClingFacts<'_>,
    history: &History,
    holds: &dyn Fn(&crate::group::Group, u32) -> bool,
) -> Vec<(u64, u64)> {
    let mut moments = history.changes(0, facts.to_ns);
    let changes = facts.degrees.steps().iter().map(|step| step.0);
    moments.extend(changes.filter(|&t_ns| t_ns <= facts.to_ns));
    moments.sort_unstable();
    moments.dedup();
    let mut all: Vec<(u64, u64)> = Vec::new();
    for (at, &t_ns) in moments.iter().enumerate() {
        let until = moments
            .get(at + 1)
            .copied()
            .unwrap_or(history.to_ns.max(t_ns));
        let Some(part) = within(facts, t_ns, until) else {
            continue;
        };
        if !holds(&history.at(t_ns), facts.degrees.at(t_ns)) {
            continue;
        }
        match all.last_mut().filter(|last| last.1 == part.0) {
            Some(last) => last.1 = part.1,
            None => all.push(part),
        }
    }
    recorded(facts, all)
}

detectors! {
    ClingFacts<'_>;
    moves::CLING_PINGPONG => moves::pingpong,
    moves::WAKE_DRAG => moves::wake_drag,
    nodes::CLING_BUSY_NODE => nodes::busy_node,
    nodes::PREF_FAIL_STORM => nodes::pref_fail_storm,
    nodes::CLING_IMBALANCE => nodes::imbalance,
    nodes::STALE_BUSIEST => nodes::stale_busiest,
}
