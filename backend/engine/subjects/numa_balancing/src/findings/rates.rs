//! `STICK_RATE` and `SWAP_RACE`: how often attempts fail.

use numalens_core::provenance::Label;
use numalens_replay::numa::{Attempt, PageBatch, Verdict};
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{
    Evidence, Finding, FindingEntry, MOST, Severity, distinct, worst_pids,
};
use numalens_subject::window::lowered;

use crate::findings as numa_balancing;
use crate::findings::NumaBalancingFacts;
use crate::vmstat::{COST_FAULT, COST_UNIT, Row};

/// Time over which the rate is reported, ns; a shorter window is reported as a whole (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const OVER_NS: u64 = 60_000_000_000;
/// More failures than this are a finding, percent of the attempts whose end is known (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const STICK_PERCENT: usize = 20;
/// More races than this are a finding, percent of the swaps that were traced (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const RACE_PERCENT: usize = 5;

/// From the first event of each attempt to the one that gave its end, ns.
fn spent<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> u64 {
    attempts
        .map(|attempt| attempt.end_ns.saturating_sub(attempt.start_ns))
        .fold(0, u64::saturating_add)
}

/// Each of them as a place.
fn places<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> Occurrences {
    Occurrences::of(attempts.map(|attempt| {
        let cost = attempt.end_ns.saturating_sub(attempt.start_ns);
        Occurrence::new(attempt.start_ns, attempt.end_ns, cost).of([attempt.pid])
    }))
}

/// Time ranges made of windows of [`OVER_NS`] in which too many of `ends` failed: first and last of each, ascending and
/// disjoint.
fn stretches(facts: &NumaBalancingFacts<'_>, ends: &[(&Attempt, bool)]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let (mut first, mut failed) = (0, 0);
    let whole = facts.to_ns.saturating_sub(facts.from_ns) <= OVER_NS;
    for (at, (attempt, fails)) in ends.iter().enumerate() {
        failed += usize::from(*fails);
        let now = attempt.start_ns;
        while let Some((oldest, fails)) = ends.get(first) {
            if whole || now.saturating_sub(oldest.start_ns) < OVER_NS {
                break;
            }
            failed -= usize::from(*fails);
            first += 1;
        }
        // A window is judged when it is full: at its last attempt.
        let next = ends.get(at + 1).map_or(facts.to_ns, |next| next.0.start_ns);
        let full = if whole {
            at + 1 == ends.len()
        } else {
            next.saturating_sub(facts.from_ns) >= OVER_NS
        };
        if !full || failed * 100 <= STICK_PERCENT * (at + 1 - first) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.1 >= first => last.1 = at,
            _ => found.push((first, at)),
        }
    }
    found
}

pub(crate) const STICK_RATE: FindingEntry = FindingEntry {
    id: "STICK_RATE",
    title: "NUMA migrations failing",
    meaning: "An attempt walks the CPUs of the preferred node and compares tasks; a failed attempt has this cost but moves nothing.",
    kernel: "task_numa_migrate",
    threshold: "more than 20 % of the attempts with a known end failed, over 60 s (or the whole window)",
    cost: "none",
    evidence: Evidence::NUMA_BALANCING,
};

/// Returns a finding for each of the worst time ranges.
pub(super) fn stick_rate(facts: &NumaBalancingFacts<'_>) -> Vec<Finding> {
    let ends: Vec<(&Attempt, bool)> = facts
        .attempts
        .iter()
        .filter_map(|attempt| Some((attempt, attempt.failed()?)))
        .collect();
    let (label, missing) = lowered(facts.attempts_source, &[]);
    let mut found: Vec<Finding> = Vec::new();
    for (first, last) in stretches(facts, &ends) {
        let Some(inside) = ends.get(first..=last) else {
            continue;
        };
        let failed = || inside.iter().filter(|end| end.1).map(|end| end.0);
        let (Some(begin), Some(end)) = (inside.first(), inside.last()) else {
            continue;
        };
        let (count, spent_ns) = (failed().count(), spent(failed()));
        let no_cpu = failed()
            .filter(|attempt| attempt.verdict == Verdict::NoCpu)
            .count();
        let model = count as f64 * COST_FAULT as f64 / COST_UNIT;
        found.push(Finding {
            label,
            missing: missing.clone(),
            from_ns: begin.0.start_ns,
            to_ns: end.0.end_ns,
            impact_ms: spent_ns as f64 / 1e6,
            occurrences: places(failed()),
            nodes: distinct(
                failed()
                    .map(|attempt| attempt.target_nid)
                    .filter(|&nid| nid >= 0),
            ),
            pids: worst_pids(failed().map(|attempt| (attempt.pid, 1)), MOST),
            summary: format!(
                "{count} of {} attempts to bring tasks to their preferred nodes failed ({:.0} %), {no_cpu} of them because no CPU was suitable, the first {}. They cost {}; in mmtests' model, {model:.3} units of AutoNUMA cost.",
                inside.len(),
                count as f64 / inside.len() as f64 * 100.0,
                numa_balancing::at(facts, begin.0.start_ns),
                numa_balancing::time(spent_ns),
            ),
            ..STICK_RATE.finding(Label::Observed, facts.from_ns, facts.to_ns)
        });
    }
    found.sort_by(|a, b| b.impact_ms.total_cmp(&a.impact_ms));
    found.truncate(MOST);
    found
}

pub(crate) const SWAP_RACE: FindingEntry = FindingEntry {
    id: "SWAP_RACE",
    title: "NUMA swaps came too late",
    meaning: "The task to be swapped with had moved or slept before the swap was carried out.",
    kernel: "migrate_swap_stop",
    threshold: "more than 5 % of traced swaps raced",
    cost: "none",
    evidence: Evidence::NUMA_BALANCING,
};

/// One finding for the window.
pub(super) fn swap_race(facts: &NumaBalancingFacts<'_>) -> Vec<Finding> {
    let traced =
        |attempt: &&Attempt| matches!(attempt.verdict, Verdict::Swapped | Verdict::SwapRaced);
    let failed = || {
        let all = facts.attempts.iter();
        all.filter(|attempt| attempt.verdict == Verdict::SwapRaced)
    };
    let (swaps, races) = (
        facts.attempts.iter().filter(traced).count(),
        failed().count(),
    );
    let (Some(first), Some(last)) = (failed().next(), failed().next_back()) else {
        return Vec::new();
    };
    if races * 100 <= RACE_PERCENT * swaps {
        return Vec::new();
    }
    let spent_ns = spent(failed());
    let (label, missing) = lowered(facts.attempts_source, &[]);
    vec![Finding {
        label,
        missing,
        from_ns: first.start_ns,
        to_ns: last.end_ns,
        impact_ms: spent_ns as f64 / 1e6,
        occurrences: places(failed()),
        nodes: distinct(
            failed()
                .map(|attempt| attempt.dst_nid)
                .filter(|&nid| nid >= 0),
        ),
        pids: worst_pids(failed().map(|attempt| (attempt.pid, 1)), MOST),
        summary: format!(
            "{races} of {swaps} swaps of tasks between nodes ({:.0} %) failed because one of the two had moved in between, the first {}. They cost {}.",
            races as f64 / swaps as f64 * 100.0,
            numa_balancing::at(facts, first.start_ns),
            numa_balancing::time(spent_ns),
        ),
        ..SWAP_RACE.finding(Label::Observed, facts.from_ns, facts.to_ns)
    }]
}

// `PAGE_CHURN`: many pages were migrated for each hint fault, and locality stayed low.

/// More pages than this for each hint fault are a finding, percent (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const PAGES_PERCENT: f64 = 10.0;
/// Only while fewer faults than this are local, percent (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const LOCAL_PERCENT: f64 = 80.0;

/// Number of the reason `numa_misplaced` (`enum migrate_reason`).
const NUMA_MISPLACED: u8 = numalens_replay::numa::Reason::NumaMisplaced as u8;
/// Bytes of a base page on x86.
const PAGE: f64 = 4096.0;
/// Missing input: start of the calls that migrate pages.
const MIGRATE_START: &str = "mm_migrate_pages_start";

/// Many migrations of pages per hint fault.
pub const PAGE_CHURN: FindingEntry = FindingEntry {
    id: "PAGE_CHURN",
    title: "Page migration without local accesses",
    meaning: "Pages were migrated for many hint faults, but few faults were local afterwards, so the copies did not pay off.",
    kernel: "migrate_misplaced_page (newer: migrate_misplaced_folio)",
    threshold: "more than 10 pages migrated for 100 hint faults while less than 80 % of the faults are local",
    cost: "time of those calls, excluding calls counted by MIGRATE_FAULT_LATENCY",
    evidence: Evidence::PAGE_MIGRATION,
};

/// One finding for the window.
pub(super) fn churn(facts: &NumaBalancingFacts<'_>) -> Vec<Finding> {
    let Some(vmstat) = facts.vmstat else {
        return Vec::new();
    };
    let rows = (
        vmstat.get(Row::PagesMigrated),
        vmstat.get(Row::HintFaults),
        vmstat.get(Row::HintLocalPercent),
    );
    let (Some(pages), Some(faults), Some(local)) = rows else {
        return Vec::new();
    };
    let share = pages * 100.0 / faults;
    if faults <= 0.0 || share <= PAGES_PERCENT || local >= LOCAL_PERCENT {
        return Vec::new();
    }
    // Rows that show nodes repeat pages of the others.
    let own = || {
        let all = facts.batches.iter();
        all.filter(|batch| batch.reason == NUMA_MISPLACED && batch.src_nid < 0)
    };
    let time_of = |batch: &PageBatch| Some(batch.end_ns.saturating_sub(batch.start_ns?));
    let spent_ns = own().filter_map(time_of).fold(0, u64::saturating_add);
    let mut missing = vmstat.missing.clone();
    if own().next().is_none() || own().any(|batch| batch.start_ns.is_none()) {
        missing.push(MIGRATE_START.to_owned());
    }
    let label = if missing.is_empty() {
        vmstat.label
    } else {
        Label::Inferred
    };
    vec![Finding {
        label,
        missing,
        impact_ms: spent_ns as f64 / 1e6,
        // That a call is slow is `MIGRATE_FAULT_LATENCY`.
        at_most: Severity::Medium,
        pids: worst_pids(own().map(|batch| (batch.pid, batch.succeeded)), MOST),
        summary: format!(
            "{pages:.0} pages ({:.1} MB) were migrated for {faults:.0} NUMA hint faults ({share:.0} %) in the window, and only \
             {local:.0} % of the faults were local; the calls that migrated them took {}.",
            pages * PAGE / 1e6,
            numa_balancing::time(spent_ns),
        ),
        ..PAGE_CHURN.finding(Label::Observed, facts.from_ns, facts.to_ns)
    }]
}
