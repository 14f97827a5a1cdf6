//! Answer of the section about cling.

use numalens_bundle::Error;
use numalens_core::json::{Moment, OptionalMoment};
use numalens_core::provenance::Label;
use numalens_subject::logs::NumaInputs;
use numalens_subject::{Context, Window, optional};
use schemars::JsonSchema;
use serde::Serialize;

use crate::annotations::Annotation;
use crate::annotations::{Kind, Outcome};
use crate::compare;
use crate::events::{Events, Reached};
use crate::history::{Busy, Degrees, Flip};
use crate::lines::{Checked, Violation};
use crate::options;
use crate::options::Grouped;
use crate::samples::Reading;
use crate::sections::{Replayed, is_decision, steps};
use crate::whatif::View;
use numalens_subject::metrics::{Basis, Better, Metric, Metrics, content, figures, ms};

/// NUMA cling: the groups' counters, busy nodes, decisions, and how exact the replay is.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Cling {
    /// Source of the answer.
    pub(crate) known_by: KnownBy,
    /// At the window's end, percent.
    pub(crate) degree: u32,
    /// Changes of the degree: time and value.
    pub(crate) degrees: Degrees,
    /// Period of the timer that halves the counters, ns.
    pub(crate) timer_period_ns: u64,
    /// The numa groups.
    pub(crate) groups: Vec<Group>,
    /// Kept and allowed tasks, by time.
    pub(crate) decisions: Vec<Annotation>,
    /// Number of further decisions.
    pub(crate) decisions_more: usize,
    /// Other events, by time.
    pub(crate) annotations: Vec<Annotation>,
    /// Number of further annotations.
    pub(crate) annotations_more: usize,
    /// The kernel's lines against the replay; null without lines of the kernel.
    pub(crate) checked: Option<CheckedLines>,
    /// By scheduler events alone; null without lines of the kernel.
    pub(crate) from_events: Option<compare::Table>,
    /// From events, probes and samples of the groups' files; null without lines of the kernel.
    pub(crate) from_everything: Option<compare::Table>,
    /// Agreement of the replay of events with samples of the groups' files.
    pub(crate) readings: Readings,
    /// Null unless a degree was requested.
    pub(crate) what_if: Option<View>,
}

/// Source of cling's state.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "ClingEvidence")]
#[serde(rename_all = "snake_case")]
pub(crate) enum KnownBy {
    /// The kernel's own lines.
    Lines,
    /// Samples of its files.
    Readings,
    /// Nothing: a what-if on a kernel without it.
    WhatIf,
}

/// A numa group: its nodes, their counters over time, when a node was busy.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct Group {
    /// Number of the group object: as printed, or counted by the replay.
    pub(crate) number: u32,
    /// Id of the group; 0 without members.
    pub(crate) gid: i32,
    /// Cgroup's path, if sampled.
    pub(crate) cgroup: Option<String>,
    /// From when on it is known, ns.
    #[serde(with = "Moment")]
    pub(crate) from_ns: u64,
    /// Until when, ns.
    #[serde(with = "Moment")]
    pub(crate) to_ns: u64,
    /// Time at which it was switched off, ns.
    #[serde(with = "OptionalMoment")]
    pub(crate) disabled_ns: Option<u64>,
    /// The nodes: attempts of the window, counters at its end.
    pub(crate) nodes: Vec<GroupNode>,
    /// Ascending, each from its moment on; thinned where there are very many, extremes kept.
    pub(crate) series: Vec<GroupStep>,
    /// Busy times of its nodes.
    pub(crate) busy: Vec<Busy>,
    /// Each change of a busy node.
    pub(crate) flips: Vec<Flip>,
    /// Scan periods without cling; null unless the group's faults were sampled.
    pub(crate) scan_periods: Option<ScanPeriods>,
    /// Provenance.
    pub(crate) label: Label,
    /// Inputs that would improve the provenance.
    pub(crate) missing: Vec<String>,
}

/// Scan periods of a group's tasks, which cling does not scale by the tasks that share memory (G20).
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct ScanPeriods {
    /// Time of the sample, ns.
    #[serde(with = "Moment")]
    pub(crate) t_ns: u64,
    /// Factor by which a kernel without cling would lengthen them.
    pub(crate) factor: f64,
    /// Provenance.
    pub(crate) label: Label,
}

impl ScanPeriods {
    /// By the last sample of a group's file in the window.
    pub(crate) fn of(readings: &[Reading], gid: i32, window: Window) -> Option<Self> {
        let own = |reading: &&Reading| {
            reading.gid == gid && (window.from_ns..=window.to_ns).contains(&reading.t0_ns)
        };
        let last = readings.iter().rfind(own)?;
        Some(Self {
            t_ns: last.t0_ns,
            factor: last.scan_factor()?,
            label: Label::WhatIf,
        })
    }
}

/// A node in a group: attempts of the window, and its counters at the window's end.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct GroupNode {
    /// The node.
    pub(crate) nid: i32,
    /// Attempts to reach it.
    pub(crate) attempts: u64,
    /// Of these, those that failed.
    pub(crate) failures: u64,
    /// Failures as the kernel weighs them.
    pub(crate) failure_scaled: u64,
    /// Attempts as the kernel weighs them.
    pub(crate) total_scaled: u64,
    /// Failures of attempts, percent.
    pub(crate) ratio_percent: u64,
}

/// A node's counters from a moment on.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct GroupStep {
    /// From when on, ns.
    #[serde(with = "Moment")]
    pub(crate) t_ns: u64,
    /// The node.
    pub(crate) nid: i32,
    /// Failures as the kernel weighs them.
    pub(crate) failure_scaled: u64,
    /// Attempts as the kernel weighs them.
    pub(crate) total_scaled: u64,
    /// Failures of attempts, percent.
    pub(crate) ratio_percent: u64,
    /// The group's busiest node; -1 for none.
    pub(crate) busiest_nid: i32,
}

/// Output of the kernel, compared with the replay.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CheckedLines {
    /// Number of compared lines of each kind.
    pub(crate) kinds: Vec<Checked>,
    /// The first of the window.
    pub(crate) violations: Vec<Violation>,
    /// Of the whole recording.
    pub(crate) violations_all: usize,
}

/// Agreement of the replay of events with samples of the groups' files.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct Readings {
    /// Number of samples.
    pub(crate) all: usize,
    /// Taken over, for nothing was known before.
    pub(crate) adopted: usize,
    /// As read.
    pub(crate) exactly: usize,
    /// With attempts in another order than their events.
    pub(crate) reordered: usize,
    /// With a timer at another moment.
    pub(crate) timer_shifted: usize,
    /// Samples not reached: the replay continues from the sample.
    pub(crate) not: usize,
}

impl Readings {
    pub(crate) fn of(events: &Events) -> Self {
        let count = |reached: Reached| {
            let residuals = events.residuals.iter();
            residuals
                .filter(|residual| residual.reached == reached)
                .count()
        };
        Self {
            all: events.residuals.len(),
            adopted: count(Reached::Adopted),
            exactly: count(Reached::Exactly),
            reordered: count(Reached::Reordered),
            timer_shifted: count(Reached::TimerShifted),
            not: count(Reached::Not),
        }
    }
}

// What cling did in a window, for views over time.

/// The groups, and what was decided about their tasks.
pub struct ClingTracks {
    /// The groups.
    pub groups: Vec<GroupTrack>,
    /// The decisions, ascending.
    pub decisions: Vec<Annotation>,
}

/// A numa group.
pub struct GroupTrack {
    /// Number.
    pub gid: i32,
    /// The cgroup of its tasks, when they have one in common.
    pub cgroup: Option<String>,
    /// The nodes that it counts.
    pub nodes: Vec<NodeTrack>,
    /// Source of this value.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// A node as the group counts it.
pub struct NodeTrack {
    /// Number.
    pub nid: i32,
    /// From when on which share of the migrations to it failed, percent.
    pub ratios: Vec<(u64, u64)>,
    /// Busy times for the group.
    pub busy: Vec<Busy>,
}

/// Returns the known state of cling; `None` if nothing is known.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn cling_tracks(open: &Context, window: Window) -> Result<Option<ClingTracks>, Error> {
    let Some(known) = optional(NumaInputs::of(open))? else {
        return Ok(None);
    };
    let replayed = Replayed::of(&known, Grouped::Recorded)?;
    if replayed.records().is_empty() {
        return Ok(None);
    }
    let label = if replayed.has_cling() {
        Label::Observed
    } else {
        Label::WhatIf
    };
    let groups = replayed.histories().iter().map(|history| {
        let mut busy = history.busy(replayed.degrees());
        busy.retain(|busy| busy.from_ns <= window.to_ns && busy.to_ns >= window.from_ns);
        let nodes = history.nodes.iter().map(|node| NodeTrack {
            nid: node.nid,
            ratios: steps(node, window)
                .iter()
                .map(|step| (step.t_ns.max(window.from_ns), step.stat.q))
                .collect(),
            busy: busy
                .iter()
                .filter(|busy| busy.nid == node.nid)
                .copied()
                .collect(),
        });
        GroupTrack {
            gid: history.group.gid,
            cgroup: history.group.cgroup.clone(),
            nodes: nodes.collect(),
            label: label.max(history.label),
            missing: history.missing.clone(),
        }
    });
    let groups = groups.collect();
    let mut decisions = replayed.annotations(&known, window)?;
    decisions.retain(is_decision);
    Ok(Some(ClingTracks { groups, decisions }))
}

/// Figures for comparisons: attempts, busy nodes and decisions.
pub(super) fn metrics(
    open: &Context,
    window: (u64, u64),
    _step_ns: u64,
) -> Result<Vec<Metrics>, Error> {
    let options = options::Cling {
        limit: 1,
        ..options::Cling::default()
    };
    let found = content(super::cling, open, window, options, false)?;
    Ok(vec![figures("cling", &found, |answer, seconds| {
        let mut rows = of_groups(answer, seconds);
        rows.extend(
            COMPARED
                .iter()
                .map(|decision| decided(answer, decision, seconds)),
        );
        rows
    })])
}

/// Compared decisions: name, title, kind and outcome.
const COMPARED: [(&str, &str, Kind, Outcome); 6] = [
    (
        "cling_wake_affine_clings",
        "Wakeups kept on their node",
        Kind::WakeAffine,
        Outcome::Clings,
    ),
    (
        "cling_wake_affine_released",
        "Wakeups let off a busy node",
        Kind::WakeAffine,
        Outcome::Released,
    ),
    (
        "cling_load_balance_clings",
        "Pulls refused",
        Kind::LoadBalance,
        Outcome::Clings,
    ),
    (
        "cling_load_balance_released",
        "Pulls let off a busy node",
        Kind::LoadBalance,
        Outcome::Released,
    ),
    (
        "cling_swap_clings",
        "Swaps refused",
        Kind::Swap,
        Outcome::Clings,
    ),
    (
        "cling_swap_released",
        "Swaps let off a busy node",
        Kind::Swap,
        Outcome::Released,
    ),
];

/// Inputs that would improve the provenance, each once.
fn lacking<'a>(lists: impl Iterator<Item = &'a Vec<String>>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for name in lists.flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name.as_str());
        }
    }
    names
}

fn of_groups(answer: &Cling, seconds: f64) -> Vec<Metric> {
    let groups = &answer.groups;
    let label = match answer.known_by {
        KnownBy::WhatIf => Label::WhatIf,
        _ => groups.first().map_or(Label::Replayed, |group| group.label),
    };
    let basis = Basis::new(
        label,
        &lacking(groups.iter().map(|group| &group.missing)),
        seconds,
    );
    let nodes = || groups.iter().flat_map(|group| &group.nodes);
    let attempts = basis.sum(nodes().map(|node| node.attempts as f64));
    let failures = basis.sum(nodes().map(|node| node.failures as f64));
    let flips = basis.sum(groups.iter().flat_map(|group| &group.flips).map(|_| 1.0));
    let busy = groups.iter().flat_map(|group| &group.busy);
    let busy = basis.sum(busy.map(|busy| ms(busy.to_ns - busy.from_ns)));
    vec![
        Metric::new("cling_attempts", "Attempts to migrate", Ok(attempts)),
        Metric::new("cling_failures", "Failed", Ok(failures)).of("", Better::Lower),
        Metric::new("cling_flips", "Flips of busy nodes", Ok(flips)).of("", Better::Lower),
        Metric::new("cling_busy", "Busy time of nodes", Ok(busy)).of("ms", Better::Lower),
    ]
}

fn decided(
    answer: &Cling,
    &(name, title, kind, outcome): &(&'static str, &'static str, Kind, Outcome),
    seconds: f64,
) -> Metric {
    if answer.decisions_more > 0 {
        let reason = format!(
            "{} more decisions than are listed",
            grouped(answer.decisions_more)
        );
        return Metric::new(name, title, Err(reason));
    }
    let of_kind = |note: &&Annotation| note.kind == kind && note.outcome == outcome;
    let notes = || answer.decisions.iter().filter(of_kind);
    let unknown = match answer.known_by {
        KnownBy::WhatIf => Label::WhatIf,
        _ => Label::Replayed,
    };
    let label = notes().map(|note| note.label).max().unwrap_or(unknown);
    let basis = Basis::new(label, &lacking(notes().map(|note| &note.missing)), seconds);
    Metric::new(name, title, Ok(basis.sum(notes().map(|_| 1.0))))
}

/// A number with commas between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let first = (digits.len() - 1) % 3 + 1;
    let (first, others) = digits.split_at(first);
    let others = others.as_bytes().chunks(3).map(String::from_utf8_lossy);
    others.fold(first.to_owned(), |text, group| text + "," + &group)
}
