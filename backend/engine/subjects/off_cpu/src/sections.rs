//! Sections about the time of tasks and their sleeps.

use std::cmp::Reverse;

use numalens_bundle::Error;
use numalens_subject::report::as_is;
use numalens_subject::section::replay;
use numalens_subject::{Context, Stop, Window, subject};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Explained;
use crate::explain::{self, Question, SLOW};
use crate::findings;
use crate::ledger::Ledger;
use crate::options::{Explain, RequestList, TaskSleeps};
use crate::points::{RequestPoints, request_points};
use crate::sleeps::TaskSleep;
use crate::slow::{SlowSleeps, slow_sleeps};

/// The time of a task or service, by state and cause.
pub(crate) fn explain(open: &Context, window: Window, options: Explain) -> Result<Explained, Stop> {
    replay(open)?;
    let question = Question {
        pid: options.pid,
        ..question(window, options.task, options.slow)
    };
    explain::explain(open, &question, None).map_err(unanswered)
}

/// The requests of a service, as points.
pub(crate) fn requests(
    open: &Context,
    window: Window,
    options: RequestList,
) -> Result<RequestPoints, Stop> {
    let question = question(window, options.task, options.slow);
    points(open, &question, options.limit)
}

fn points(open: &Context, question: &Question, limit: usize) -> Result<RequestPoints, Stop> {
    replay(open)?;
    let found = request_points(open, question, limit).map_err(unanswered)?;
    found.ok_or_else(|| Stop::unavailable(NO_LOG))
}

/// All requests of a window.
///
/// # Errors
///
/// Stops when no input is a log of requests, or a log cannot be read.
pub fn all_requests(open: &Context, window: Window) -> Result<RequestPoints, Stop> {
    points(open, &question(window, None, SLOW), usize::MAX)
}

/// Passes on the sleeps of all tasks that overlap a window, with the pid of the task, task by task.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read, and when `each` fails.
pub fn each_sleep(
    open: &Context,
    window: Window,
    each: impl FnMut(i32, TaskSleep) -> Result<(), Error>,
) -> Result<(), Stop> {
    replay(open)?;
    Ok(Ledger::new(open)?.each_sleep((window.from_ns, window.to_ns), each)?)
}

/// Sleeps of slow requests, for findings; `None` without a log of requests, or if its service is unknown.
///
/// # Errors
///
/// Fails when a log of the bundle cannot be read.
pub fn slow(open: &Context, window: Window) -> Result<Option<SlowSleeps>, Error> {
    of_requests(open, || slow_sleeps(open, &question(window, None, SLOW)))
}

/// Summary of slow requests in one sentence; `None` as for [`slow`].
///
/// # Errors
///
/// Fails when a log of the bundle cannot be read.
pub fn requests_sentence(open: &Context, window: Window) -> Result<Option<String>, Error> {
    let explained = of_requests(open, || {
        explain::explain(open, &question(window, None, SLOW), None).map(Some)
    })?;
    let met = explained.filter(|it| it.requests.as_ref().is_some_and(|all| all.count > 0));
    Ok(met.map(|explained| explained.summary))
}

fn of_requests<T>(
    open: &Context,
    ask: impl FnOnce() -> Result<Option<T>, Error>,
) -> Result<Option<T>, Error> {
    if open.samples.iter().all(|table| table.table != "requests") || replay(open).is_err() {
        return Ok(None);
    }
    match ask() {
        Err(Error::Option(_)) => Ok(None),
        answer => answer,
    }
}

/// Reason for having no requests.
const NO_LOG: &str = "no input is a log of requests: add one, such as a CSV with the columns start_ns and duration_ns";

fn question(window: Window, task: Option<String>, slow: f64) -> Question {
    Question {
        task,
        pid: None,
        slow: Some(slow),
        from_ns: Some(window.from_ns),
        to_ns: Some(window.to_ns),
    }
}

/// A question without an answer in this recording is not a wrong request.
fn unanswered(error: Error) -> Stop {
    match error {
        Error::Option(reason) => Stop::unavailable(reason.trim_end_matches('.')),
        error => Stop::Failed(error),
    }
}

/// Sleeps of one task.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Sleeps")]
pub(crate) struct SleepsOfTask {
    pid: i32,
    /// Last name of the task.
    comm: String,
    /// Sleeps that overlap the window, whole and in order of time; the longest, if there are more than the limit.
    sleeps: Vec<TaskSleep>,
    /// Number of sleeps that were left out.
    left_out: usize,
}

pub(crate) fn sleeps(
    open: &Context,
    window: Window,
    options: TaskSleeps,
) -> Result<SleepsOfTask, Stop> {
    replay(open)?;
    let Some(pid) = options.pid else {
        return Err(Stop::unavailable("it is of one task, whose pid is needed"));
    };
    let Some(comm) = open.index.comm_of(pid) else {
        return Err(Stop::unavailable(format!(
            "no task of the pid {pid} ran or waited in this recording"
        )));
    };
    let mut sleeps = Ledger::new(open)?.sleeps(pid, window.from_ns, window.to_ns)?;
    let all = sleeps.len();
    if all > options.limit {
        sleeps.sort_by_key(|it| (Reverse(it.to_ns - it.from_ns), it.from_ns));
        sleeps.truncate(options.limit);
        sleeps.sort_by_key(|it| it.from_ns);
    }
    Ok(SleepsOfTask {
        pid,
        comm: comm.to_owned(),
        left_out: all - sleeps.len(),
        sleeps,
    })
}

subject! {
    kinds: findings::KINDS;
    "explain", explain, false, Some(
        "Where the time of a task or service went, running, runnable and asleep, by cause; with a log of requests among the inputs, also \
         what the slow ones waited for.\n\nThe service is the one that the logs name, unless the query says otherwise."
    ), report(|_| Explain::default(), as_is);
    "requests", requests, false, Some(
        "Requests of the logs among the inputs: when each began, how long it took, and what took most of the slow ones."
    );
    "sleeps", sleeps, false, Some(
        "Sleeps of one task: what each was for, who ended it, and who held the lock. With a moment as the window, the sleep around it."
    );
}
