//! Options of the section of stacks.

use numalens_subject::options::{MOST_ENTRIES, MOST_STACK_COLUMNS, STACK_COLUMNS};
use schemars::JsonSchema;
use serde::Deserialize;

/// Nodes of a tree of stacks that are given, and that may be requested.
const NODES: usize = 10_000;

const MOST_NODES: usize = 50_000;

/// Options of `stacks`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct StackOptions {
    /// Samples of this thread; of all unless given.
    #[schemars(range(min = 0))]
    pub pid: Option<i32>,
    /// Samples of this CPU; of all unless given.
    pub cpu: Option<u32>,
    /// Samples of this event, a place in the list of events; of all unless given.
    pub event: Option<u32>,
    /// Callsites at most.
    #[schemars(range(min = 1, max = MOST_NODES))]
    pub nodes: usize,
    /// Functions at most, besides those that callsites name.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub limit: usize,
    /// Steps of the window at most.
    #[schemars(range(min = 1, max = MOST_STACK_COLUMNS))]
    pub columns: u64,
}

impl Default for StackOptions {
    fn default() -> Self {
        Self {
            pid: None,
            cpu: None,
            event: None,
            nodes: NODES,
            limit: MOST_ENTRIES,
            columns: STACK_COLUMNS,
        }
    }
}
