//! Options of the section of page migration.

use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `migration`.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Migration {
    /// How long a task must stay for its pages to be worth the way, ns; 1 s unless given.
    #[schemars(range(min = 1))]
    pub amortisation_ns: Option<u64>,
    /// Length of a step, ns.
    #[schemars(range(min = 1))]
    pub step_ns: Option<u64>,
    /// Migration interval of the what-if, s; 30 unless given.
    #[schemars(range(min = 5, max = 300))]
    pub interval_s: Option<u64>,
}
