//! Provenance of values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Provenance of a value (`docs/algorithms/common.md`, K4).
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
    /// Result of rules that the traced kernel did not use.
    WhatIf,
}

/// Source of a kind of fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EvidenceSource")]
pub struct Source {
    /// Name of the event, file or rule.
    pub name: String,
    /// Provenance.
    pub label: Label,
    /// Inputs that a better answer needs; empty if not inferred.
    pub missing: Vec<String>,
}
