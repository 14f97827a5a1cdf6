//! The detectors of migrate-on-fault (`docs/algorithms/page_migration.md`, M16).

pub(super) mod counters;
pub(super) mod tasks;

use numalens_subject::detectors;

use crate::metrics::Metrics;
use crate::table::Table;

pub use self::tasks::MIGRATE_FAULT_LATENCY;

/// Inputs of the detectors.
#[derive(Debug, Clone, Copy)]
pub struct PageMigrationFacts<'a> {
    /// Start of the window, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Metrics of the window.
    pub metrics: &'a Metrics,
    /// Rows of the table of 2010 in the window, if there are any.
    pub table: Option<&'a Table>,
}

/// Tasks or processes that a finding names.
const MOST_NAMED: usize = 10;

/// Two lists without doubles.
fn joined(a: &[String], b: &[String]) -> Vec<String> {
    let mut all = a.to_vec();
    for name in b {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    all
}

/// ns as ms.
fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

/// A share as percent.
fn percent(share: f64) -> f64 {
    share * 100.0
}

/// "1 page", "2 pages".
fn plural(count: u64, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    }
}

detectors! {
    PageMigrationFacts<'_>;
    counters::LAZY_WASTE => counters::lazy_waste,
    counters::REFCOUNT_LEAK => counters::refcount_leak,
    tasks::JUST_TOO_LATE => tasks::just_too_late,
    tasks::MEM_CPU_FIGHT => tasks::fight,
    tasks::SHORT_DWELL => tasks::short_dwell,
    tasks::MIGRATE_FAULT_LATENCY => tasks::fault_latency,
}
