//! The shape of the answer.

use std::collections::BTreeMap;

use numalens_core::json::Moment;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Explained {
    /// Tasks.
    pub task: Tasks,
    /// The window, ns of the reference clock.
    pub window_ns: [Moment; 2],
    /// Time of all the tasks by state and cause, the longest first.
    pub states: BTreeMap<&'static str, Vec<CauseSum>>,
    /// Result for the requests; `None` without a log of requests.
    pub requests: Option<Requests>,
    /// Summary in one sentence.
    pub summary: String,
    /// Unknown facts, and the inputs that would show them.
    pub notes: Vec<String>,
}

/// The tasks that the question is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ExplainedTasks")]
pub struct Tasks {
    /// Pid of the one that ran longest.
    pub pid: i32,
    /// Name.
    pub comm: String,
    /// Number.
    #[serde(rename = "tasks")]
    pub count: usize,
}

/// Time of one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ExplainedCause")]
pub struct CauseSum {
    /// Id of the cause.
    pub cause: &'static str,
    /// Title.
    pub title: &'static str,
    /// Thing that was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// Time, ns.
    pub ns: u64,
    /// Causing tasks, the longest first.
    pub by: Vec<BySum>,
    /// Provenance.
    pub provenance: &'static str,
}

/// Time for which one task or interrupt was responsible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ExplainedBy")]
pub struct BySum {
    /// Pid; 0 for an interrupt or a timer.
    pub pid: i32,
    /// Name.
    pub comm: String,
    /// Time, ns.
    pub ns: u64,
}

/// Result for the requests.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ExplainedRequests")]
pub struct Requests {
    /// Requests in the window.
    pub count: usize,
    /// The slow ones.
    pub slow: Slow,
    /// Typical ones, to compare the slow ones with.
    pub typical: Typical,
    /// The slowest.
    pub worst: Vec<Worst>,
}

/// Result for the slow requests.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SlowRequests")]
pub struct Slow {
    /// Number.
    pub count: usize,
    /// Shortest duration among them, ms.
    pub from_ms: f64,
    /// Causes of their time, the longest first; they add up to their durations.
    pub causes: Vec<SlowCause>,
}

/// Causes of the time of typical requests.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "TypicalRequests")]
pub struct Typical {
    /// Requests of the middle half that were looked into, evenly among them.
    pub count: usize,
    /// Causes of their time, the longest first; they add up to their durations.
    pub causes: Vec<SlowCause>,
}

/// Part of the time of some requests.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SlowRequestCause")]
pub struct SlowCause {
    /// Id of the state.
    pub state: &'static str,
    /// Id of the cause.
    pub cause: &'static str,
    /// Title of the cause.
    pub title: &'static str,
    /// Name of the causing task.
    pub by: Option<String>,
    /// Name of the task for which the requests waited, where the cause kept that one and not the service from running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// Time, ms.
    pub ms: f64,
    /// Share of these requests' time.
    pub percent: u64,
    /// Provenance.
    pub provenance: &'static str,
}

/// One slow request.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SlowRequest")]
pub struct Worst {
    /// Begin, ns of the reference clock.
    #[serde(with = "Moment")]
    pub start_ns: u64,
    /// Duration, ms.
    pub ms: f64,
    /// Main cause, in one sentence.
    pub summary: String,
    /// Parts in order: the longest ones, if there are many.
    pub parts: Vec<Part>,
}

/// Part of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SlowRequestPart")]
pub struct Part {
    /// Begin, ns of the reference clock.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// End, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Id of the state.
    pub state: &'static str,
    /// Id of the cause.
    pub cause: &'static str,
    /// Title of the cause.
    pub title: &'static str,
    /// Name of the causing task.
    pub by: Option<String>,
}
