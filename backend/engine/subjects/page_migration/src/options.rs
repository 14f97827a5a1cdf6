//! Options of the section of page migration.

use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `migration`.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Migration {
    /// Time for which a task must stay for its pages to pay off, ns (default: 1 s).
    #[schemars(range(min = 1))]
    pub amortisation_ns: Option<u64>,
    /// Length of a step, ns.
    #[schemars(range(min = 1))]
    pub step_ns: Option<u64>,
    /// Migration interval of the what-if, s (default: 30).
    #[schemars(range(min = 5, max = 300))]
    pub interval_s: Option<u64>,
}
