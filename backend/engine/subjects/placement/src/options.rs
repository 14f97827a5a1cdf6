//! Options of the section of placement.

use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `placement`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Placement {
    /// Length of a step, ns.
    #[schemars(range(min = 1))]
    pub step_ns: Option<u64>,
    /// Most numa groups that get rows of their own; the others share one.
    #[schemars(range(min = 1, max = 64))]
    pub limit: usize,
}

impl Default for Placement {
    fn default() -> Self {
        Self {
            step_ns: None,
            limit: 12,
        }
    }
}
