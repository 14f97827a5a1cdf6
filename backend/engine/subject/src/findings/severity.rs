//! Severity of a finding: rule K9 of `docs/algorithms/common.md`.

use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::Finding;

/// Severity: by the cost, and by that of the most affected task, as shares of the window's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Below [`MEDIUM_PERCENT`], [`LEAST_MS`] or [`LEAST_PERCENT`].
    Low,
    /// From [`MEDIUM_PERCENT`] on.
    Medium,
    /// From [`HIGH_PERCENT`] on, unless it is inferred.
    High,
}

/// A finding that costs this share of the window, and its worst task this share of its time, is of medium severity, percent.
pub const MEDIUM_PERCENT: f64 = 1.0;
/// Limit for high severity, percent.
pub const HIGH_PERCENT: f64 = 10.0;
/// A finding that costs less is of low severity, ms.
pub const LEAST_MS: f64 = 10.0;
/// A finding that costs less than this share of all waiting is of low severity, percent.
pub const LEAST_PERCENT: f64 = 1.0;

impl Severity {
    /// Severity of a finding in a window of `wall_ms` in which tasks waited for `waited_ms` in all.
    #[must_use]
    pub fn of(finding: &Finding, wall_ms: f64, waited_ms: f64) -> Self {
        let cost_ms = finding.impact_ms;
        if cost_ms < LEAST_MS || cost_ms * 100.0 < waited_ms * LEAST_PERCENT {
            return Self::Low;
        }
        let lost_ms = finding.worst_task_ms.unwrap_or(cost_ms).min(cost_ms);
        let share = lost_ms * 100.0 / wall_ms.max(f64::MIN_POSITIVE);
        let by_cost = if share < MEDIUM_PERCENT {
            Self::Low
        } else if share < HIGH_PERCENT {
            Self::Medium
        } else {
            Self::High
        };
        // A conclusion has no high severity.
        let at_most = match finding.label {
            Label::Inferred | Label::WhatIf => Self::Medium,
            Label::Observed | Label::Replayed => Self::High,
        };
        by_cost.min(at_most).min(finding.at_most)
    }
}
