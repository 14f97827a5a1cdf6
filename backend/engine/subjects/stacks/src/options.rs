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
    /// Only samples of this thread (default: all).
    #[schemars(range(min = 0))]
    pub pid: Option<i32>,
    /// Only samples of this CPU (default: all).
    pub cpu: Option<u32>,
    /// Only samples of this event, a position in the list of events (default: all).
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
