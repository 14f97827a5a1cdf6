//! Findings: what went wrong, by severity and then by cost.
//!
//! A detector is a row of the catalogue ([`FindingEntry`]) and a function of its subject's facts, which the subject lists with
//! [`detectors!`](crate::detectors). [`rank`] keeps impacts within what the window could lose, sets severities and sorts.
//!
//! A row has id, title, meaning, kernel function, threshold, the unit of its cost, and the sections that show it. It is a
//! constant in its subject's `findings`, so a new kind is that constant and its line in [`detectors!`](crate::detectors). Only
//! [`FindingEntry::finding`] makes a finding, so that each has its row. The summary is one sentence: what happened, to which tasks, where,
//! when, and the cost. `occurrence` has the places, `severity` the severity, and `claim` the waits that a finding may claim. Replays
//! and drawings do not belong here.

mod claim;
pub mod occurrence;
mod severity;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::occurrence::{Occurrence, Occurrences};

pub use self::claim::Claim;
pub use self::severity::{HIGH_PERCENT, LEAST_MS, LEAST_PERCENT, MEDIUM_PERCENT, Severity};

/// Maximum number of findings of one detector per resource or cgroup: the worst ones.
pub const MOST: usize = 10;

/// All waiting of the window without what a finding claims, and all else as it was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FindingWhatIf")]
pub struct WhatIf {
    /// Label of a what-if: the events without the problem are not known.
    pub label: Label,
    /// In all, ms.
    pub waiting_ms: f64,
    /// The longest wait, ms.
    pub longest_wait_ms: f64,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// Name of the detector.
    pub id: &'static str,
    /// Title of its kind.
    #[serde(skip)]
    pub title: &'static str,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
    /// Severity.
    pub severity: Severity,
    /// Start of its worst occurrence, ns of the reference clock.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// End of its worst occurrence, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Cost, ms; at most the window times its CPUs.
    pub impact_ms: f64,
    /// Occurrences.
    pub occurrences: Occurrences,
    /// The waiting without it; of findings about waiting only.
    pub what_if: Option<WhatIf>,
    /// Cost for the most affected task, ms, if the severity depends on it.
    #[serde(skip)]
    pub worst_task_ms: Option<f64>,
    /// Total cost, ms, even if it exceeds the window times its CPUs; absent if equal to `impact_ms`.
    #[serde(skip)]
    pub cost_ms: Option<f64>,
    /// Expected remaining wait of the most affected task at a random time of the window, ms, if tasks and times are known.
    #[serde(skip)]
    pub felt_ms: Option<f64>,
    /// Loss of the most affected tasks of one name, ms.
    #[serde(skip)]
    pub victims_ms: Option<f64>,
    /// Loss, cause and time, without a full stop: the headline's words, if this is the first finding.
    #[serde(skip)]
    pub verdict: Option<String>,
    /// Highest possible severity: lower if the cost is not time that a task is known to have lost, or belongs to another
    /// finding.
    #[serde(skip)]
    pub at_most: Severity,
    /// Nodes it concerns, if only some.
    pub nodes: Vec<i32>,
    /// Number of affected tasks; 0 if it is not about tasks.
    pub tasks: usize,
    /// The tasks that it concerns most, the worst first; not all of many.
    pub pids: Vec<i32>,
    /// The cgroup it concerns.
    pub cgroup: Option<String>,
    /// Summary in one sentence: event, tasks, place, time and cost.
    pub summary: String,
}

impl Finding {
    /// The same at these places; its interval is that of the worst.
    #[must_use]
    pub fn at(mut self, occurrences: Occurrences) -> Self {
        if let Some((from_ns, to_ns)) = occurrences.interval() {
            (self.from_ns, self.to_ns) = (from_ns, to_ns);
        }
        self.occurrences = occurrences;
        self
    }
}

/// Sections that have what a finding was found in.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "FindingEvidence")]
pub struct Evidence {
    /// Section with the table of evidence.
    pub section: &'static str,
    /// Section whose states over time show the moment.
    pub moment: &'static str,
    /// The causes of waiting that the finding counts; of findings about waiting only.
    #[serde(rename = "causes", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<String>>")]
    pub claim: Option<Claim>,
}

impl Evidence {
    /// Sections with the table and with the states over time.
    #[must_use]
    pub const fn of(section: &'static str, moment: &'static str) -> Self {
        Self {
            section,
            moment,
            claim: None,
        }
    }

    /// Waits with the causes of a claim.
    #[must_use]
    pub const fn claimed(claim: Claim) -> Self {
        Self {
            claim: Some(claim),
            ..Self::WAITS
        }
    }

    /// Evidence of findings about cling.
    pub const CLING: Self = Self::of("cling", "cling");
    /// Evidence of findings about moves that concern cling.
    pub const CLING_MOVES: Self = Self::of("numa_balancing", "cling");
    /// Evidence of findings about the NUMA balancer.
    pub const NUMA_BALANCING: Self = Self::of("numa_balancing", "utilisation");
    /// Evidence of findings about migrations of pages.
    pub const PAGE_MIGRATION: Self = Self::of("page_migration", "page_migration");
    /// Evidence of findings about sampled loads.
    pub const LOADS: Self = Self::of("memory_samples", "page_migration");
    /// Evidence of findings about pressure.
    pub const PRESSURE: Self = Self::of("psi", "psi");
    /// Evidence of findings about how busy nodes were.
    pub const NODES: Self = Self::of("utilisation", "utilisation");
    /// Evidence of findings about requests that slept.
    pub const REQUESTS: Self = Self::of("requests", "sleeps");
    /// Evidence of findings about tasks that slept.
    pub const SLEEPS: Self = Self::of("sleeps", "sleeps");
    /// Evidence of findings about waits.
    pub const WAITS: Self = Self::of("latency", "idle_balancing");
}

/// Row of the catalogue: a kind of findings.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "FindingEntry")]
pub struct FindingEntry {
    /// Name of what it finds.
    pub id: &'static str,
    /// The same in words.
    pub title: &'static str,
    /// Meaning, in one sentence.
    pub meaning: &'static str,
    /// Kernel functions, with the version where it matters.
    pub kernel: &'static str,
    /// Threshold.
    pub threshold: &'static str,
    /// Meaning of its cost.
    pub cost: &'static str,
    /// Sections that have what it was found in.
    pub evidence: Evidence,
}

impl FindingEntry {
    /// A finding of this kind over a window, without cost or place yet.
    #[must_use]
    pub fn finding(&self, label: Label, from_ns: u64, to_ns: u64) -> Finding {
        Finding {
            id: self.id,
            title: self.title,
            label,
            missing: Vec::new(),
            severity: Severity::Low,
            from_ns,
            to_ns,
            impact_ms: 0.0,
            occurrences: Occurrences::default(),
            what_if: None,
            worst_task_ms: None,
            cost_ms: None,
            felt_ms: None,
            victims_ms: None,
            verdict: None,
            at_most: Severity::High,
            nodes: Vec::new(),
            tasks: 0,
            pids: Vec::new(),
            cgroup: None,
            summary: String::new(),
        }
    }
}

/// Each once, in the order of the numbers.
pub fn distinct(numbers: impl IntoIterator<Item = i32>) -> Vec<i32> {
    let mut numbers: Vec<i32> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The pids with the most of something, the worst first, so many at most.
pub fn worst_pids(amounts: impl IntoIterator<Item = (i32, u64)>, most: usize) -> Vec<i32> {
    let mut sums: BTreeMap<i32, u64> = BTreeMap::new();
    for (pid, amount) in amounts {
        let sum = sums.entry(pid).or_default();
        *sum = sum.saturating_add(amount);
    }
    let mut pids: Vec<(i32, u64)> = sums.into_iter().collect();
    pids.sort_by_key(|&(pid, sum)| (Reverse(sum), pid));
    pids.truncate(most);
    pids.into_iter().map(|(pid, _)| pid).collect()
}

/// Findings of a window of a machine with `cpus` CPUs in which tasks waited for `waiting_ns` in all, whatever they are about: impacts within what could be lost, severities,
/// worst first. A finding without places has one: its interval. One whose tasks no detector counted has those that it names.
#[must_use]
pub fn rank(
    mut all: Vec<Finding>,
    from_ns: u64,
    to_ns: u64,
    cpus: usize,
    waiting_ns: u64,
) -> Vec<Finding> {
    let wall_ms = to_ns.saturating_sub(from_ns) as f64 / 1e6;
    let waited_ms = waiting_ns as f64 / 1e6;
    for finding in &mut all {
        finding.severity = Severity::of(finding, wall_ms, waited_ms);
        finding.cost_ms = finding.cost_ms.or(Some(finding.impact_ms));
        finding.impact_ms = finding.impact_ms.clamp(0.0, wall_ms * cpus as f64);
        if finding.occurrences.count == 0 {
            finding.occurrences = Occurrences::of([Occurrence {
                cost_ms: finding.impact_ms,
                ..Occurrence::new(finding.from_ns, finding.to_ns, 0)
                    .of(finding.pids.iter().copied())
            }]);
        }
        let places = finding.occurrences.worst.iter().map(|one| one.tasks);
        finding.tasks = places
            .chain([finding.tasks, finding.pids.len()])
            .max()
            .unwrap_or(0);
    }
    let cost_ms = |one: &Finding| one.cost_ms.unwrap_or(one.impact_ms);
    all.sort_by(|a, b| {
        b.severity
            .cmp(&a.severity)
            .then(cost_ms(b).total_cmp(&cost_ms(a)))
            .then(a.from_ns.cmp(&b.from_ns))
            .then(a.id.cmp(b.id))
    });
    for severity in all.chunk_by_mut(|a, b| a.severity == b.severity) {
        by_felt(severity);
    }
    all
}

/// Puts the findings that say how long they stall tasks into that order, each in a place that one of them had: one long stall goes
/// before many short waits that add up to more.
fn by_felt(findings: &mut [Finding]) {
    let places = findings.iter().enumerate();
    let places = places.filter(|(_, one)| one.felt_ms.is_some());
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    let mut felt: Vec<Finding> = places
        .iter()
        .map(|&place| findings[place].clone())
        .collect();
    felt.sort_by(|a, b| {
        let felt_ms = |one: &Finding| one.felt_ms.unwrap_or(0.0);
        felt_ms(b).total_cmp(&felt_ms(a))
    });
    for (place, finding) in places.into_iter().zip(felt) {
        findings[place] = finding;
    }
}
