//! `PAGE_CHURN`: many pages were migrated for each hint fault, and locality stayed low.

use numalens_core::provenance::Label;
use numalens_replay::numa::PageBatch;

use crate::findings::{Finding, MOST};
use crate::reconcile::findings::{ReconcileFacts, words};
use crate::reconcile::vmstat::Row;

/// More pages than this for each hint fault are a finding, percent (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const PAGES_PERCENT: f64 = 10.0;
/// Only while fewer faults than this are local, percent (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const LOCAL_PERCENT: f64 = 80.0;

/// Number of the reason `numa_misplaced` (`enum migrate_reason`).
const NUMA_MISPLACED: u8 = numalens_replay::numa::Reason::NumaMisplaced as u8;
/// Bytes of a base page on x86.
const PAGE: f64 = 4096.0;
/// When the calls that migrate pages begin.
const MIGRATE_START: &str = "mm_migrate_pages_start";

/// One finding for the window.
pub(super) fn detect(facts: &ReconcileFacts<'_>) -> Vec<Finding> {
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
    // Rows that tell nodes repeat pages of the others.
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
        pids: words::worst_pids(own().map(|batch| (batch.pid, batch.succeeded)), MOST),
        summary: format!(
            "{pages:.0} pages ({:.1} MB) were migrated for {faults:.0} NUMA hint faults ({share:.0} %) in the window, and only \
             {local:.0} % of the faults were local; the calls that migrated them took {}.",
            pages * PAGE / 1e6,
            words::time(spent_ns),
        ),
        ..words::finding("PAGE_CHURN", facts)
    }]
}
