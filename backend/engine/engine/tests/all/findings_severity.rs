//! Rule K9: severity by cost per window and per task.
#![allow(missing_docs)]

use numalens_core::provenance::Label;
use numalens_engine::findings::count_once;
use numalens_replay::waits::Cause;
use numalens_subject::findings::{Finding, Severity, rank};

use crate::findings_waiting::{MS, all, waiting};

const WALL: u64 = 1_000 * MS;

/// Severity of a finding in a window of 1 s.
fn severity(impact_ms: f64, worst_task_ms: Option<f64>, label: Label, waited_ms: u64) -> Severity {
    let waits = [(Cause::Unknown, waited_ms * MS)];
    let waited = waiting(&[(1, 0, &waits)]);
    let mut one = all(&waiting(&[(1, 0, &[(Cause::Busy, 500 * MS)])]), false).remove(0);
    one.impact_ms = impact_ms;
    one.worst_task_ms = worst_task_ms;
    one.label = label;
    rank(vec![one], 0, WALL, 4, waited.total_ns)
        .remove(0)
        .severity
}

#[test]
fn both_costs_decide() {
    use Severity::{High, Low, Medium};
    for (impact_ms, worst_task_ms, expected) in [
        (0.0, None, Low),
        (9.9, None, Low),
        (10.0, None, Medium),
        (99.9, None, Medium),
        (100.0, None, High),
        // Much in all, little of it for any one task.
        (500.0, Some(9.9), Low),
        (500.0, Some(10.0), Medium),
        (5_000.0, Some(99.9), Medium),
        (5_000.0, Some(100.0), High),
        // One task lost it all.
        (100.0, Some(100.0), High),
        (50.0, Some(50.0), Medium),
    ] {
        assert_eq!(
            severity(impact_ms, worst_task_ms, Label::Replayed, 0),
            expected,
            "{impact_ms} {worst_task_ms:?}"
        );
    }
}

#[test]
fn a_hundredth_of_all_waiting_is_low() {
    assert_eq!(
        severity(200.0, None, Label::Observed, 20_001),
        Severity::Low
    );
    assert_eq!(
        severity(200.0, None, Label::Observed, 20_000),
        Severity::High
    );
}

#[test]
fn conclusions_are_at_most_medium() {
    for label in [Label::Inferred, Label::WhatIf] {
        assert_eq!(severity(900.0, Some(900.0), label, 0), Severity::Medium);
    }
    for label in [Label::Observed, Label::Replayed] {
        assert_eq!(severity(900.0, Some(900.0), label, 0), Severity::High);
    }
}

#[test]
fn the_time_of_calls_that_migrate_pages_counts_once() {
    let any = all(&waiting(&[(1, 0, &[(Cause::Busy, 50 * MS)])]), false).remove(0);
    let of = |id, impact_ms| Finding {
        id,
        impact_ms,
        ..any.clone()
    };
    let costs = |mut found: Vec<Finding>| -> Vec<_> {
        count_once(&mut found);
        let ranked = rank(found, 0, WALL, 4, 0).into_iter();
        ranked.map(|one| (one.id, one.impact_ms)).collect()
    };
    let (latency, churn) = ("MIGRATE_FAULT_LATENCY", "PAGE_CHURN");
    assert_eq!(
        costs(vec![of(churn, 300.0), of(latency, 250.0)]),
        [(latency, 250.0), (churn, 50.0)]
    );
    // Calls that are fast are no latency: the churn has their time.
    assert_eq!(costs(vec![of(churn, 300.0)]), [(churn, 300.0)]);
}
