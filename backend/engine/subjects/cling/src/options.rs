//! Options of the section of cling.

use numalens_subject::options::{ENTRIES, MOST_ENTRIES};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Definition of numa groups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the schema has their names alone")]
pub enum Grouped {
    #[default]
    Recorded,
    Cgroup,
}

/// Decisions that are listed unless an option says otherwise.
const MOST_DECISIONS: usize = 1 << 14;

/// Options of `cling`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cling {
    /// Degree of cling for a what-if, percent.
    #[schemars(range(min = 0, max = 100))]
    pub degree: Option<u32>,
    /// Definition of numa groups: as recorded, or as if each cgroup had one.
    pub groups: Grouped,
    /// Most entries of each list.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub limit: usize,
    /// Most decisions.
    #[schemars(range(min = 1, max = MOST_DECISIONS))]
    pub decisions: usize,
    /// Approximate maximum number of points of a group's series (default: all).
    #[schemars(range(min = 1))]
    pub points: Option<usize>,
}

impl Default for Cling {
    fn default() -> Self {
        Self {
            degree: None,
            groups: Grouped::Recorded,
            limit: ENTRIES,
            decisions: MOST_DECISIONS,
            points: None,
        }
    }
}
