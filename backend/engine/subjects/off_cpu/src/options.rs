//! Options of the sections about all of a task's time.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::explain::SLOW;

/// Options of `explain`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Explain {
    /// Name or pid of the tasks; with the pid of a process, all its threads.
    pub(crate) task: Option<String>,
    /// Pid of one task, without the other threads of its process; comes before `task`.
    #[schemars(range(min = 0))]
    pub(crate) pid: Option<i32>,
    /// Requests at or above this percentile of durations are slow.
    #[schemars(range(min = 0, max = 100))]
    pub(crate) slow: f64,
}

impl Default for Explain {
    fn default() -> Self {
        Self {
            task: None,
            pid: None,
            slow: SLOW,
        }
    }
}

/// Default and maximum number of listed requests.
const REQUESTS: usize = 2_000;
const MOST_REQUESTS: usize = 20_000;

/// Options of `requests`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RequestList {
    /// Name or pid of the tasks that served them; with the pid of a process, all its threads.
    pub(crate) task: Option<String>,
    /// Requests at or above this percentile of durations are slow.
    #[schemars(range(min = 0, max = 100))]
    pub(crate) slow: f64,
    /// Most requests.
    #[schemars(range(min = 1, max = MOST_REQUESTS))]
    pub(crate) limit: usize,
}

impl Default for RequestList {
    fn default() -> Self {
        Self {
            task: None,
            slow: SLOW,
            limit: REQUESTS,
        }
    }
}

/// Sleeps that are listed unless an option says otherwise, and at most.
const SLEEPS: usize = 2_000;
const MOST_SLEEPS: usize = 10_000;

/// Options of `sleeps`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TaskSleeps {
    /// Pid of the task.
    #[schemars(range(min = 0))]
    pub(crate) pid: Option<i32>,
    /// Most sleeps.
    #[schemars(range(min = 1, max = MOST_SLEEPS))]
    pub(crate) limit: usize,
}

impl Default for TaskSleeps {
    fn default() -> Self {
        Self {
            pid: None,
            limit: SLEEPS,
        }
    }
}
