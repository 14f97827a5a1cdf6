//! How values are known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a value came about (`docs/algorithms/common.md`, K4).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Printed in an event or a sample.
    Observed,
    /// Follows from observed values by the kernel's rules, nothing missing.
    Replayed,
    /// Something was missing, approximated or assumed.
    Inferred,
    /// What the traced kernel would have computed under rules that it did not run.
    WhatIf,
}

/// Where a kind of fact comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EvidenceSource")]
pub struct Source {
    /// Name of the event, file or rule.
    pub name: String,
    /// How good it is.
    pub label: Label,
    /// What a better answer would need; empty unless inferred.
    pub missing: Vec<String>,
}
