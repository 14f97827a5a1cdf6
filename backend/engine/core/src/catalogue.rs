//! Rows of the catalogue: the only wording of causes in reports, on the page and in its reference.

use schemars::JsonSchema;
use serde::Serialize;

/// Wording of a cause of waiting or of waste.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CauseEntry {
    /// Name in reports.
    pub id: &'static str,
    /// Label on the page.
    pub title: &'static str,
    /// Meaning, in one sentence.
    pub meaning: &'static str,
    /// Unit of its time: `ns`, or `CPU-ns` for waste.
    pub unit: &'static str,
    /// Kernel functions, with the version where it matters.
    pub kernel: &'static str,
    /// CSS background, the same in every chart.
    pub color: &'static str,
    /// Whether it is concluded, because no event shows it.
    pub inferred: bool,
}
