//! What went wrong, by severity and then by cost.
//!
//! A [`Detector`] is a row of the catalogue and a function of [`Facts`], declared in its own file and listed in [`CATALOGUE`].
//! [`find`] runs all of them, keeps impacts within what the window could lose, sets severities and sorts. The first finding is the
//! verdict: [`headline`] says it in one sentence.

pub mod blocked;
pub mod cling;
pub mod headline;
pub mod idle_balancing;
pub mod memory_samples;
pub mod numa_balancing;
pub mod occurrence;
pub mod page_migration;
pub mod pressure;
mod severity;
pub mod waiting;

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::blocked::BlockedFacts;
use crate::findings::cling::ClingFacts;
use crate::findings::idle_balancing::IdleBalancingFacts;
use crate::findings::memory_samples::MemorySampleFacts;
use crate::findings::numa_balancing::NumaBalancingFacts;
use crate::findings::occurrence::{Occurrence, Occurrences};
use crate::findings::page_migration::PageMigrationFacts;
use crate::findings::waiting::{Claim, Waiting, WaitingFacts};
use crate::psi::{Psi, SampleSeries};

pub use self::pressure::spike_hidden::Episode;
pub use self::pressure::watch::{Watch, Watched};
pub use self::severity::{HIGH_PERCENT, LEAST_MS, LEAST_PERCENT, MEDIUM_PERCENT, Severity};

/// A detector that fires often tells its worst, so many per resource or cgroup.
pub const MOST: usize = 10;

/// All waiting of the window without what a finding claims, and all else as it was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct WhatIf {
    /// What-if: nothing says what would have come instead.
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
    /// How it is known.
    pub label: Label,
    /// What would make it better known.
    pub missing: Vec<String>,
    /// How bad it is.
    pub severity: Severity,
    /// Where its worst occurrence begins, ns of the reference clock.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Where that ends, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// What it cost, ms; at most the window times its CPUs.
    pub impact_ms: f64,
    /// Its places.
    pub occurrences: Occurrences,
    /// The waiting without it; of findings about waiting only.
    pub what_if: Option<WhatIf>,
    /// What it cost the task that it cost most, ms, where its severity depends on that.
    #[serde(skip)]
    pub worst_task_ms: Option<f64>,
    /// What it cost in all, ms, also where that is more than the window times its CPUs; `impact_ms` where it is not given.
    #[serde(skip)]
    pub cost_ms: Option<f64>,
    /// How long the task that it stalled worst waits on at a random moment of the window, ms, where tasks and times are known.
    #[serde(skip)]
    pub felt_ms: Option<f64>,
    /// What the tasks of the name that it hurt most lost, ms.
    #[serde(skip)]
    pub victims_ms: Option<f64>,
    /// Who lost what to what, and when, without a full stop: the headline's words, if this is the first finding.
    #[serde(skip)]
    pub verdict: Option<String>,
    /// The gravest that it may be: lower where its cost is no time that a task is known to have lost, or is another finding's.
    #[serde(skip)]
    pub at_most: Severity,
    /// Nodes it concerns, if only some.
    pub nodes: Vec<i32>,
    /// How many tasks it concerns; 0 when it is of no task.
    pub tasks: usize,
    /// The tasks that it concerns most, the worst first; not all of many.
    pub pids: Vec<i32>,
    /// The cgroup it concerns.
    pub cgroup: Option<String>,
    /// What happened, which tasks, where, when, what it cost: one sentence.
    pub summary: String,
}

impl Finding {
    /// The same at these places; its interval is that of the worst.
    fn at(mut self, occurrences: Occurrences) -> Self {
        if let Some((from_ns, to_ns)) = occurrences.interval() {
            (self.from_ns, self.to_ns) = (from_ns, to_ns);
        }
        self.occurrences = occurrences;
        self
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
    /// What tasks waited for, when it is known.
    pub waiting: Option<&'a Waiting>,
}

/// What the detectors look at, by subject; a detector without its part finds nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts<'a> {
    /// The window, ns.
    pub from_ns: u64,
    /// Its end, ns.
    pub to_ns: u64,
    /// CPUs of the machine.
    pub cpus: usize,
    /// Pressure.
    pub pressure: Option<PressureFacts<'a>>,
    /// The NUMA balancer and the load balancer.
    pub numa_balancing: Option<NumaBalancingFacts<'a>>,
    /// Cling.
    pub cling: Option<ClingFacts<'a>>,
    /// Page migration.
    pub page_migration: Option<PageMigrationFacts<'a>>,
    /// Memory samples.
    pub memory_samples: Option<MemorySampleFacts<'a>>,
    /// Nohz idle balancing.
    pub idle_balancing: Option<IdleBalancingFacts<'a>>,
    /// What tasks waited for.
    pub waiting: Option<WaitingFacts<'a>>,
    /// Uninterruptible sleeps.
    pub blocked: Option<BlockedFacts<'a>>,
}

/// Sections that have what a finding was found in.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "FindingEvidence")]
pub struct Evidence {
    /// Section with the table of it.
    pub section: &'static str,
    /// Section whose states over time show the moment.
    pub moment: &'static str,
    /// The causes of waiting that the finding counts; of findings about waiting only.
    #[serde(rename = "causes", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<String>>")]
    pub claim: Option<Claim>,
}

impl Evidence {
    const fn of(section: &'static str, moment: &'static str) -> Self {
        Self {
            section,
            moment,
            claim: None,
        }
    }

    /// Waits with the causes of a claim.
    const fn claimed(claim: Claim) -> Self {
        Self {
            claim: Some(claim),
            ..Self::WAITS
        }
    }

    const CLING: Self = Self::of("cling", "cling");
    const CLING_MOVES: Self = Self::of("numa_balancing", "cling");
    const NUMA_BALANCING: Self = Self::of("numa_balancing", "utilisation");
    const PAGE_MIGRATION: Self = Self::of("page_migration", "page_migration");
    const LOADS: Self = Self::of("memory_samples", "page_migration");
    const PRESSURE: Self = Self::of("psi", "psi");
    const NODES: Self = Self::of("utilisation", "utilisation");
    const WAITS: Self = Self::of("latency", "idle_balancing");
}

/// A detector with its row of the catalogue, declared in its own file. Serialized without the function.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "FindingEntry")]
pub struct Detector {
    /// Name of what it finds.
    pub id: &'static str,
    /// The same in words.
    pub title: &'static str,
    /// What it means, in one sentence.
    pub meaning: &'static str,
    /// Kernel functions, with the version where it matters.
    pub kernel: &'static str,
    /// When it is found.
    pub threshold: &'static str,
    /// What its cost counts.
    pub cost: &'static str,
    /// Sections that have what it was found in.
    pub evidence: Evidence,
    /// Looks for it.
    #[serde(skip)]
    pub detect: fn(&Facts<'_>) -> Vec<Finding>,
}

impl Detector {
    /// A finding of this kind over a window, without cost or place yet.
    fn finding(&self, label: Label, from_ns: u64, to_ns: u64) -> Finding {
        Finding {
            id: self.id,
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

/// What a detector finds in its subject's facts; nothing without them.
fn on<T>(facts: Option<&T>, detect: impl FnOnce(&T) -> Vec<Finding>) -> Vec<Finding> {
    facts.map_or_else(Vec::new, detect)
}

/// Each once, in the order of the numbers.
pub(crate) fn distinct(numbers: impl IntoIterator<Item = i32>) -> Vec<i32> {
    let mut numbers: Vec<i32> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The pids with the most of something, the worst first, so many at most.
pub(crate) fn worst_pids(amounts: impl IntoIterator<Item = (i32, u64)>, most: usize) -> Vec<i32> {
    let mut sums: std::collections::BTreeMap<i32, u64> = std::collections::BTreeMap::new();
    for (pid, amount) in amounts {
        let sum = sums.entry(pid).or_default();
        *sum = sum.saturating_add(amount);
    }
    let mut pids: Vec<(i32, u64)> = sums.into_iter().collect();
    pids.sort_by_key(|&(pid, sum)| (std::cmp::Reverse(sum), pid));
    pids.truncate(most);
    pids.into_iter().map(|(pid, _)| pid).collect()
}

/// The catalogue: all detectors, by subject.
pub const CATALOGUE: &[Detector] = &[
    cling::moves::CLING_PINGPONG,
    cling::moves::WAKE_DRAG,
    cling::nodes::CLING_BUSY_NODE,
    cling::nodes::PREF_FAIL_STORM,
    cling::nodes::CLING_IMBALANCE,
    cling::nodes::STALE_BUSIEST,
    idle_balancing::ILB_LATCHED,
    idle_balancing::ILB_MONOPOLY,
    idle_balancing::ILB_STORM,
    idle_balancing::PICK_BLOCKED,
    idle_balancing::ILB_ABORTED,
    memory_samples::MEMORY_LEFT_BEHIND,
    numa_balancing::fight::NUMA_LB_FIGHT,
    numa_balancing::imbalance::MOVE_INTO_BUSIER,
    numa_balancing::imbalance::NODE_IMBALANCE_PERSISTENT,
    numa_balancing::rates::STICK_RATE,
    numa_balancing::rates::SWAP_RACE,
    numa_balancing::rates::PAGE_CHURN,
    numa_balancing::stacking::NUMA_NODE_STACKING,
    page_migration::counters::LAZY_WASTE,
    page_migration::counters::REFCOUNT_LEAK,
    page_migration::tasks::JUST_TOO_LATE,
    page_migration::tasks::MEM_CPU_FIGHT,
    page_migration::tasks::SHORT_DWELL,
    page_migration::tasks::MIGRATE_FAULT_LATENCY,
    pressure::cpu::CPU_SOME_WAKE_ONLY,
    pressure::cpu::LOADAVG_MISLEADING,
    pressure::memory::MEM_FULL_EPISODE,
    pressure::memory::IO_VS_MEM_REFAULT,
    blocked::IO_BOUND,
    blocked::REFAULTS,
    blocked::BLOCKED,
    pressure::replay::PSI_OBSERVER_LOSS,
    pressure::replay::PSI_MISMATCH,
    pressure::spike_hidden::PSI_SPIKE_HIDDEN,
    waiting::CPU_SATURATED,
    waiting::FORK_STORM,
    waiting::RT_HOG,
    waiting::PINNED_HOTSPOT,
    waiting::CGROUP_THROTTLE,
    waiting::IRQ_STORM,
    waiting::NUMA_SCAN,
    waiting::NEWIDLE,
    waiting::STEAL,
    waiting::HARDWARE_NOISE,
    waiting::sched_ext::SCX_QUEUED,
    waiting::sched_ext::SCX_STALLED,
    waiting::ILB_LATE,
    waiting::ILB_KICK_DROPPED,
    waiting::PASSED_OVER,
    waiting::IDLE_UNEXPLAINED,
];

/// Detectors that check the replay, not the machine: what they find says how far the other findings can be trusted.
const CHECKS: [&str; 2] = [
    pressure::replay::PSI_OBSERVER_LOSS.id,
    pressure::replay::PSI_MISMATCH.id,
];

/// Takes what the checks of the replay found out of the findings.
#[must_use]
pub fn split_checks(found: Vec<Finding>) -> (Vec<Finding>, Vec<Finding>) {
    found
        .into_iter()
        .partition(|finding| !CHECKS.contains(&finding.id))
}

/// Everything that the detectors find in `facts`, unranked.
#[must_use]
pub fn detect(facts: &Facts<'_>) -> Vec<Finding> {
    let found = CATALOGUE
        .iter()
        .flat_map(|detector| (detector.detect)(facts));
    found.collect()
}

/// As [`detect`], worst first.
#[must_use]
pub fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let waited = facts.waiting.map(|facts| facts.waiting);
    rank(
        detect(facts),
        facts.from_ns,
        facts.to_ns,
        facts.cpus,
        waited,
    )
}

/// The time of calls that migrate pages on fault counts as latency of the tasks, or else as cost of the churn.
fn count_once(all: &mut [Finding]) {
    let latency = page_migration::tasks::MIGRATE_FAULT_LATENCY.id;
    let counted: f64 = all
        .iter()
        .filter(|one| one.id == latency)
        .map(|one| one.impact_ms)
        .sum();
    let churn = numa_balancing::rates::PAGE_CHURN.id;
    for one in all.iter_mut().filter(|one| one.id == churn) {
        one.impact_ms = (one.impact_ms - counted).max(0.0);
    }
}

/// Findings of a window of a machine with `cpus` CPUs, whatever they are about: impacts within what could be lost, severities,
/// worst first. A finding without places has one: its interval. One whose tasks no detector counted has those that it names.
#[must_use]
pub fn rank(
    mut all: Vec<Finding>,
    from_ns: u64,
    to_ns: u64,
    cpus: usize,
    waited: Option<&Waiting>,
) -> Vec<Finding> {
    let wall_ms = to_ns.saturating_sub(from_ns) as f64 / 1e6;
    let waited_ms = waited.map_or(0.0, |waited| waited.total_ns as f64 / 1e6);
    count_once(&mut all);
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
