//! The requests of a window as points: when each began, how long it took, and what the slow ones met.

use std::cmp::Reverse;

use numalens_bundle::{Error, Open};
use numalens_core::json::Moment;
use schemars::JsonSchema;
use serde::Serialize;

use crate::explain::{Question, SLOW, Subject, first_slow, main_cause};

/// Slow requests whose cause is looked for, the slowest first.
const EXPLAINED: usize = 1_000;

/// Requests of a window.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "RequestPoints")]
pub struct RequestPoints {
    /// Number of requests.
    pub count: usize,
    /// Number of slow ones.
    pub slow: usize,
    /// Duration from which on they are slow, ns.
    pub slow_from_ns: u64,
    /// Requests in order of their begins: all slow ones first of all, then others evenly, up to the limit.
    pub points: Vec<RequestPoint>,
    /// Number of requests that were left out.
    pub left_out: usize,
    /// Assumptions, one sentence each.
    pub notes: Vec<String>,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequestPoint {
    /// Begin, ns of the reference clock.
    #[serde(with = "Moment")]
    pub start_ns: u64,
    /// Duration, ns.
    pub ns: u64,
    /// Main cause of a slow request; `None` for the others.
    pub cause: Option<RequestCause>,
}

/// Cause that took most of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequestCause {
    /// Id of the state.
    pub state: &'static str,
    /// Id of the cause.
    pub cause: &'static str,
    /// Title of the cause.
    pub title: &'static str,
    /// Name of the task or interrupt responsible.
    pub by: Option<String>,
    /// Time, ns.
    pub ns: u64,
}

/// Returns the requests of a window, at most `limit` of them; `None` when no input is a log of requests.
///
/// # Errors
///
/// Fails when a log cannot be read, no such task was recorded, or no request lies in the recording.
pub fn request_points(
    open: &Open,
    question: &Question,
    limit: usize,
) -> Result<Option<RequestPoints>, Error> {
    let subject = Subject::new(open, question, None)?;
    let Some(mut requests) = subject.requests else {
        return Ok(None);
    };
    requests.sort_by_key(|it| (it.ns, it.start_ns));
    let count = requests.len();
    let first = first_slow(count, question.slow.unwrap_or(SLOW));
    let slow = count - first;
    let slow_from_ns = requests.get(first).map_or(0, |it| it.ns);
    let mut points = Vec::with_capacity(count.min(limit));
    for (at, request) in requests[first..].iter().rev().take(limit).enumerate() {
        let mut cause = None;
        if at < EXPLAINED {
            let path = subject.service.path(&subject.ledger, request)?;
            cause = main_cause(&path).map(|(cause, by, ns)| RequestCause {
                state: cause.state().id(),
                cause: cause.entry().id,
                title: cause.entry().title,
                by: subject.ledger.name(by),
                ns,
            });
        }
        points.push(RequestPoint {
            start_ns: request.start_ns,
            ns: request.ns,
            cause,
        });
    }
    let room = limit.saturating_sub(points.len());
    if room > 0 && first > 0 {
        let others = requests[..first].iter().rev();
        points.extend(others.step_by(first.div_ceil(room)).map(|it| RequestPoint {
            start_ns: it.start_ns,
            ns: it.ns,
            cause: None,
        }));
    }
    points.sort_by_key(|it| (it.start_ns, Reverse(it.ns)));
    Ok(Some(RequestPoints {
        count,
        slow,
        slow_from_ns,
        left_out: count - points.len(),
        points,
        notes: subject.notes,
    }))
}
