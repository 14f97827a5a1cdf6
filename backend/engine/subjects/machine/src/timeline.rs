//! The picture of a window: lanes of nodes, CPUs and tasks, bounded by pixels.

use std::sync::Arc;

use arrow_array::RecordBatch;
use numalens_bundle::Error;
use numalens_replay::timeline::{Lane, TaskSpans, ThreadCounts};
use numalens_subject::section::replay;
use numalens_subject::{Context, Stop, optional};

use crate::sections::threads::{Together, thread_counts};

/// Lanes of tasks, processes and cgroups that one query may have: each reads the slices of the whole recording when it is first
/// requested.
const MOST_TASKS: usize = 64;

/// Source of a lane of a query.
enum Source {
    Node(u32),
    Cpu(u32),
    Task(Arc<TaskSpans>),
    Threads(Arc<ThreadCounts>),
}

/// States of a pid in the whole recording.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn task_spans(open: &Context, pid: i32) -> Result<Arc<TaskSpans>, Stop> {
    let (parts, _) = replay(open)?;
    open.shared(pid, || Ok(open.index.task_spans(pid, &parts.waits)?))
}

/// The items of lanes, each of a kind (`node`, `cpu`, `task`, `process` or `cgroup`) and a number (of a task and a process the pid,
/// of a cgroup [`cgroup_lane`]), from `from_ns` to `to_ns`; see [`numalens_replay::timeline::Index::window`].
///
/// # Errors
///
/// Fails when there are too many lanes or one of another kind, or a log cannot be read.
pub fn timeline(
    open: &Context,
    lanes: &[(String, u32)],
    (from_ns, to_ns): (u64, u64),
    px: u32,
) -> Result<RecordBatch, Error> {
    let most = usize::from(u16::MAX);
    if lanes.len() > most {
        return Err(Error::Wrong(format!(
            "expected at most {most} lanes, found {}",
            lanes.len()
        )));
    }
    let tasks = lanes
        .iter()
        .filter(|(kind, _)| !matches!(kind.as_str(), "node" | "cpu"));
    let tasks = tasks.count();
    if tasks > MOST_TASKS {
        return Err(Error::Wrong(format!(
            "expected at most {MOST_TASKS} lanes of tasks, found {tasks}"
        )));
    }
    let sources: Vec<Source> = lanes
        .iter()
        .map(|(kind, number)| source(open, kind, *number))
        .collect::<Result<_, _>>()?;
    let lanes: Vec<Lane<'_>> = sources
        .iter()
        .map(|source| match source {
            Source::Node(nid) => Lane::Node(*nid),
            Source::Cpu(cpu) => Lane::Cpu(*cpu),
            Source::Task(spans) => Lane::Task(spans),
            Source::Threads(counts) => Lane::Threads(counts),
        })
        .collect();
    Ok(open.index.window(&lanes, from_ns, to_ns, px)?)
}

/// Without a replay lanes of tasks have nothing.
fn source(open: &Context, kind: &str, number: u32) -> Result<Source, Error> {
    let pid = i32::try_from(number).unwrap_or(-1);
    let threads = |together| {
        let found = optional(thread_counts(open, together))?;
        Ok(Source::Threads(found.unwrap_or_default()))
    };
    match kind {
        "node" => Ok(Source::Node(number)),
        "cpu" => Ok(Source::Cpu(number)),
        "task" => {
            let found = optional(task_spans(open, pid))?;
            Ok(Source::Task(found.unwrap_or_default()))
        }
        "process" => threads(Together::Process(pid)),
        "cgroup" => threads(Together::Cgroup(number)),
        _ => Err(Error::Wrong(format!(
            "expected a lane \"node\", \"cpu\", \"task\", \"process\" or \"cgroup\", found \"{kind}\""
        ))),
    }
}
