//! Options of the sections about pressure.

use numalens_subject::options::PsiRules;
use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `findings`.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pressure {
    /// Rules of this kernel version instead of those of the traced kernel.
    pub psi_rules: Option<PsiRules>,
    /// Jiffies per second instead of the recorded value.
    #[schemars(range(min = 1, max = 10_000))]
    pub hz: Option<u32>,
}

/// Options of `psi`.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PressureSeries {
    /// Rules of this kernel version instead of those of the traced kernel.
    pub psi_rules: Option<PsiRules>,
    /// Jiffies per second instead of the recorded value.
    #[schemars(range(min = 1, max = 10_000))]
    pub hz: Option<u32>,
    /// Maximum number of points of a series, plus one (default: all).
    #[schemars(range(min = 1))]
    pub points: Option<usize>,
}
