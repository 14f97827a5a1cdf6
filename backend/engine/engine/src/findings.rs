//! Findings of a window: the findings of all subjects, ranked, and the window in one sentence.

use numalens_bundle::Error;
use numalens_cling::options::Grouped;
use numalens_cling::sections::Replayed;
use numalens_core::provenance::Label;
use numalens_machine::coverage;
use numalens_machine::sections::utilisation::used;
use numalens_numa_balancing::sections::balancing::BalancingFacts;
use numalens_numa_balancing::sections::reconcile;
use numalens_off_cpu as off_cpu;
use numalens_page_migration::metrics::AMORTISATION_NS;
use numalens_page_migration::sections::migration;
use numalens_psi::findings as psi;
use numalens_psi::options::Pressure;
use numalens_psi::result::Or;
use numalens_psi::sections::blocked::Asleep;
use numalens_psi::sections::sampled::stalled;
use numalens_subject::findings::{Finding, Severity, rank};
use numalens_subject::logs::NumaInputs;
use numalens_subject::report::Request;
use numalens_subject::section::Answer;
use numalens_subject::{Context, Stop, Window, optional, subject};
use numalens_waits::{OfflineCpu, Waited};
use schemars::JsonSchema;
use serde::Serialize;

use crate::headline::{Headline, OtherWaiting};
use numalens_subject::metrics::{Basis, Better, Metric, Metrics, content, figures};

/// Findings, worst first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Findings")]
pub(crate) struct Ranked {
    /// The window in one sentence.
    pub(crate) headline: Headline,
    /// Findings by severity, then by cost; of those that stall tasks, the one with the longest stalls first.
    pub(crate) findings: Vec<Finding>,
    /// Limits of the trust in the others: failed checks of the replay, and missing inputs.
    pub(crate) quality: Vec<Quality>,
    /// Waiting that none of them claims; null when waits are not recorded.
    pub(crate) other_waiting: Option<OtherWaiting>,
}

/// A check of the replay that failed, or something that is missing.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DataQuality")]
pub(crate) struct Quality {
    /// Name of the check; `MISSING` of what the recording lacks.
    pub(crate) id: &'static str,
    /// Result, in one sentence.
    pub(crate) summary: String,
}

/// Missing inputs for run and wait times.
const MISSING: &str = "MISSING";

/// The failed checks, and what is missing of switches and wake-ups.
fn quality(checks: Vec<Finding>, waited: Option<&Waited>) -> Vec<Quality> {
    let lacks = waited.map(|waited| waited.source.missing.join(", "));
    let lacks = lacks.filter(|missing| !missing.is_empty());
    let missing = lacks.map(|missing| Quality {
        id: MISSING,
        summary: format!("Run and wait times are partly inferred: the recording lacks {missing}."),
    });
    let checks = checks.into_iter().map(|check| Quality {
        id: check.id,
        summary: check.summary,
    });
    missing.into_iter().chain(checks).collect()
}

pub(crate) fn findings(open: &Context, window: Window, options: Pressure) -> Result<Ranked, Stop> {
    let waited = optional(Waited::of(open, window))?;
    let waited = waited.as_deref();
    let findings =
        ranked(open, window, &options, waited).map_err(|stop| alone(open, window, stop))?;
    let (findings, checks) = split_checks(findings);
    let used = optional(used(open, window, None))?;
    let facts = waited.map(|waited| waited.facts(open, window));
    let evidence = open.evidence.as_ref();
    let offline = evidence.map_or(&[][..], |evidence| &evidence.offline);
    let offline = OfflineCpu::within(offline, window.from_ns, window.to_ns);
    let mut headline = Headline::of(
        cpus(open),
        used.as_deref(),
        facts.as_ref(),
        &findings,
        offline,
    );
    let first = findings.first();
    let leads = first.is_some_and(|first| {
        first.severity > Severity::Low && off_cpu::findings::is_of_requests(first.id)
    });
    // A finding about requests that leads says the same.
    if !leads && let Some(requests) = off_cpu::sections::requests_sentence(open, window)? {
        headline.summary = format!("{requests} {}", headline.summary);
    }
    Ok(Ranked {
        headline,
        findings,
        quality: quality(checks, waited),
        other_waiting: facts.as_ref().map(OtherWaiting::of),
    })
}

/// If there are only samples, their content comes before the reason for missing findings.
fn alone(open: &Context, window: Window, stop: Stop) -> Stop {
    let Stop::Unavailable(reason) = stop else {
        return stop;
    };
    if !open.tables.is_empty() {
        return Stop::Unavailable(reason);
    }
    match stalled(open, window) {
        Ok(Some(stalled)) => Stop::Unavailable(format!("{stalled}; {reason}")),
        Ok(None) => Stop::Unavailable(reason),
        Err(error) => error.into(),
    }
}

/// The findings, ranked.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn found(open: &Context, window: Window, options: &Pressure) -> Result<Vec<Finding>, Stop> {
    let waited = optional(Waited::of(open, window))?;
    Ok(split_checks(ranked(open, window, options, waited.as_deref())?).0)
}

fn cpus(open: &Context) -> usize {
    open.index.nodes().iter().map(|node| node.cpus.len()).sum()
}

fn ranked(
    open: &Context,
    window: Window,
    options: &Pressure,
    waited: Option<&Waited>,
) -> Result<Vec<Finding>, Stop> {
    let asleep = optional(Asleep::of(open, window))?;
    let asleep = asleep.as_deref();
    let waking_ns = waited.map(|waited| waited.waiting.waking_ns);
    let pressure = numalens_psi::sections::found::found(open, window, options, waking_ns, asleep);
    let mut others = waited.map_or_else(Vec::new, |waited| {
        numalens_waits::findings::detect(&waited.facts(open, window))
    });
    let slow = off_cpu::sections::slow(open, window)?;
    others.extend(off_cpu::findings::detect(&off_cpu::findings::Facts {
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        halted: asleep.map_or(&[][..], Asleep::halted),
        requests: slow.as_ref(),
    }));
    others.extend(of_numa(open, window)?);
    others.extend(crate::subjects::found(open, window)?);
    let waited_ns = waited.map_or(0, |waited| waited.waiting.total_ns);
    others.extend(numalens_wakeup_placement::found(open, window, waited_ns)?);
    let mut found = match pressure {
        Ok(found) => found,
        // Without pressure the others still count; when there is nothing else, why nothing could be looked for.
        Err(Stop::Unavailable(_)) if waited.is_some() || !others.is_empty() => {
            psi::detect(&psi::Facts {
                from_ns: window.from_ns,
                to_ns: window.to_ns,
                blocked: asleep.map(|asleep| asleep.facts(window)),
                ..psi::Facts::default()
            })
        }
        Err(stop) => return Err(stop),
    };
    found.extend(others);
    count_once(&mut found);
    let found = rank(found, window.from_ns, window.to_ns, cpus(open), waited_ns);
    Ok(covered(open, window, found)?)
}

/// Leaves out what is said of CPUs, and findings about nodes, in time in which they recorded nothing. The other findings say how
/// much is not recorded.
fn covered(open: &Context, window: Window, mut found: Vec<Finding>) -> Result<Vec<Finding>, Error> {
    for finding in &mut found {
        coverage::keep_recorded(open, window, &mut finding.occurrences.worst)?;
    }
    let percent = coverage::unrecorded(open, window)?;
    if percent < coverage::LEAST_PERCENT {
        return Ok(found);
    }
    let mut kept = Vec::with_capacity(found.len());
    for mut finding in found {
        let from_ns = finding.from_ns;
        let own = Window {
            from_ns,
            to_ns: finding.to_ns.max(from_ns.saturating_add(1)),
        };
        if coverage::is_any_dark(open, own, &finding.nodes)? {
            continue;
        }
        if finding.label != Label::Observed {
            let part = format!(" {percent:.0} % of the CPUs' time is not recorded.");
            finding.summary.push_str(&part);
        }
        kept.push(finding);
    }
    Ok(kept)
}

// What went wrong with the NUMA balancers.

/// Findings of the window, in any order; none where the bundle holds nothing of the NUMA balancers.
pub(crate) fn of_numa(open: &Context, window: Window) -> Result<Vec<Finding>, Error> {
    let Some(known) = optional(NumaInputs::of(open))? else {
        return Ok(Vec::new());
    };
    // On one node nothing can be placed wrong.
    if known.nodes().len() < 2 {
        return Ok(Vec::new());
    }
    let met = BalancingFacts::of(&known, window)?;
    let mut found = reconcile(&known, window, &met)?;
    let replayed = Replayed::of(&known, Grouped::Recorded)?;
    found.extend(replayed.findings(&known, window)?);
    let metrics = migration::measured(&known, window, AMORTISATION_NS, None)?;
    let table = migration::statistics(open, window)?;
    let facts = migration::facts(window, &metrics, table.as_ref());
    found.extend(numalens_page_migration::findings::detect(&facts));
    Ok(found)
}

/// Detectors that check the replay, not the machine: what they find says how far the other findings can be trusted.
const CHECKS: [&str; 2] = [psi::PSI_OBSERVER_LOSS.id, psi::PSI_MISMATCH.id];

/// Moves the results of the replay's checks out of the findings.
#[must_use]
pub fn split_checks(found: Vec<Finding>) -> (Vec<Finding>, Vec<Finding>) {
    found
        .into_iter()
        .partition(|finding| !CHECKS.contains(&finding.id))
}

/// The time of calls that migrate pages on fault counts as latency of the tasks, or else as cost of the churn.
pub fn count_once(all: &mut [Finding]) {
    let latency = numalens_page_migration::findings::MIGRATE_FAULT_LATENCY.id;
    let counted: f64 = all
        .iter()
        .filter(|one| one.id == latency)
        .map(|one| one.impact_ms)
        .sum();
    let churn = numalens_numa_balancing::findings::PAGE_CHURN.id;
    for one in all.iter_mut().filter(|one| one.id == churn) {
        one.impact_ms = (one.impact_ms - counted).max(0.0);
    }
}

/// Findings, the window in one sentence, and waiting that no finding claims.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ReportFindings {
    /// The window in one sentence.
    headline: Or<Headline>,
    /// Findings, worst first.
    findings: Or<Vec<Finding>>,
    /// Checks of the replay that failed, and what the recording lacks.
    quality: Vec<Quality>,
    /// Waiting that no finding claims; null when waits are not recorded.
    other_waiting: Option<OtherWaiting>,
}

impl ReportFindings {
    #[allow(clippy::unnecessary_wraps, reason = "other shapes can fail")]
    pub(crate) fn new(found: Answer<Ranked>, _: &Request<'_>) -> Result<Self, Error> {
        Ok(match found {
            Answer::Content(found) => Self {
                headline: Or::Value(found.section.headline),
                findings: Or::Value(found.section.findings),
                quality: found.section.quality,
                other_waiting: found.section.other_waiting,
            },
            Answer::Unavailable(missing) => Self {
                headline: Or::Unavailable(missing.clone()),
                findings: Or::Unavailable(missing),
                quality: Vec::new(),
                other_waiting: None,
            },
        })
    }
}

/// Figures for comparisons: the cost of each kind of finding.
fn metrics(open: &Context, window: (u64, u64), _step_ns: u64) -> Result<Vec<Metrics>, Error> {
    let found = content(findings, open, window, Pressure::default(), false)?;
    let seconds = found.as_ref().map_or(1.0, |(_, seconds)| *seconds);
    let basis = Basis::new(Label::Replayed, &[""; 0], seconds);
    let metrics = figures("findings", &found, |found, seconds| {
        let mut kinds: Vec<&Finding> = Vec::new();
        for finding in &found.findings {
            if kinds.iter().all(|kind| kind.id != finding.id) {
                kinds.push(finding);
            }
        }
        let row = |first: &&Finding| {
            let all = || found.findings.iter().filter(|other| other.id == first.id);
            let mut missing: Vec<&String> = Vec::new();
            for name in all().flat_map(|finding| &finding.missing) {
                if !missing.contains(&name) {
                    missing.push(name);
                }
            }
            let basis = Basis::new(first.label, &missing, seconds);
            let cost = basis.sum(all().map(|finding| finding.impact_ms));
            Metric::new(format!("finding_{}", first.id), first.id, Ok(cost)).of("ms", Better::Lower)
        };
        kinds.iter().map(row).collect()
    });
    Ok(vec![Metrics {
        otherwise: Ok(basis.sum(std::iter::empty())),
        above_0: true,
        ..metrics
    }])
}

subject! {
    kinds: &[], metrics: metrics;
    "findings", findings, false, Some("Findings of the window, worst first."), report(|it| Pressure {
        psi_rules: it.psi_rules,
        hz: it.hz,
    }, ReportFindings::new);
}
