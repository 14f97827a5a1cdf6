//! How long a task must stay for its pages to be worth the way.

use numalens_core::provenance::Label;
use serde::Serialize;

/// What things cost, as a user believes. None of it can be observed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Costs {
    /// Copying a page, ns.
    pub copy_ns: f64,
    /// A fault, ns.
    pub fault_ns: f64,
    /// What a remote access takes longer than a local one, ns.
    pub remote_penalty_ns: f64,
    /// Accesses per second.
    pub access_rate: f64,
}

/// The stay from which on migrating pays.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BreakEven {
    /// What it was computed from.
    pub costs: Costs,
    /// Pages.
    pub pages: u64,
    /// Faults.
    pub faults: u64,
    /// The stay, seconds; `None` when remote accesses cost nothing.
    pub dwell_s: Option<f64>,
    /// Never better than inferred: users told the costs.
    pub label: Label,
    /// What would make it better.
    pub missing: Vec<String>,
}

/// The stay from which on it pays to migrate so many pages with so many faults:
/// `(pages * copy_ns + faults * fault_ns) / (remote_penalty_ns * access_rate)` (`docs/algorithms/page_migration.md`, M13).
#[must_use]
pub fn break_even(costs: Costs, pages: u64, faults: u64) -> BreakEven {
    let paid_ns = pages as f64 * costs.copy_ns + faults as f64 * costs.fault_ns;
    // ns saved in a second of running.
    let saved = costs.remote_penalty_ns * costs.access_rate;
    let dwell = paid_ns / saved;
    BreakEven {
        costs,
        pages,
        faults,
        dwell_s: (saved > 0.0 && dwell.is_finite() && dwell >= 0.0).then_some(dwell),
        label: Label::Inferred,
        missing: ["copy_ns", "fault_ns", "remote_penalty_ns", "access_rate"]
            .map(str::to_owned)
            .to_vec(),
    }
}
