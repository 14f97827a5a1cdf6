//! Options of the sections about waits.

use numalens_subject::options::{ENTRIES, MOST_ENTRIES};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Columns that a map of waits may have.
const MOST_COLUMNS: u64 = 240;

/// Options of `wait_heat`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Heat {
    /// Columns at most.
    #[schemars(range(min = 1, max = MOST_COLUMNS))]
    pub columns: u64,
}

impl Default for Heat {
    fn default() -> Self {
        Self {
            columns: MOST_COLUMNS,
        }
    }
}

/// Start of waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WaitKind {
    Wakeups,
    Preempted,
}

/// Options of `waits`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct WaitList {
    /// Waits that began with a wake-up or with a preemption.
    pub kind: WaitKind,
    /// Waits of at least this length, ns.
    pub least_ns: u64,
    /// Waits of less than this length, ns.
    pub below_ns: Option<u64>,
    /// Waits that end from here on, ns of the trace's clock.
    pub ended_from_ns: u64,
    /// Waits that end before this moment, ns of the trace's clock.
    pub ended_to_ns: Option<u64>,
    /// Most entries of the list.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub limit: usize,
}

impl Default for WaitList {
    fn default() -> Self {
        Self {
            kind: WaitKind::Wakeups,
            least_ns: 0,
            below_ns: None,
            ended_from_ns: 0,
            ended_to_ns: None,
            limit: ENTRIES,
        }
    }
}

/// Options of `wait`: with its window, which wait.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OneWait {
    /// Pid of the waiting task.
    #[schemars(range(min = 0))]
    pub pid: Option<i32>,
    /// CPU on which it ran.
    pub cpu: Option<u32>,
}

/// Options of `critical_path`: with the start of its window they identify task and time.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OnePath {
    /// Pid of the task.
    #[schemars(range(min = 0))]
    pub pid: Option<i32>,
}

/// Options of `task`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OneTask {
    /// Pid of the task.
    #[schemars(range(min = 0))]
    pub pid: Option<i32>,
    /// Most entries of each list.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub limit: usize,
}

impl Default for OneTask {
    fn default() -> Self {
        Self {
            pid: None,
            limit: ENTRIES,
        }
    }
}
