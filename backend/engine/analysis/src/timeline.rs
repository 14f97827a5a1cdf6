//! The picture of a window: lanes of nodes, CPUs and tasks, bounded by pixels.

use std::sync::Arc;

use arrow_array::RecordBatch;
use numalens_bundle::Error;
use numalens_replay::timeline::{Lane, TaskSpan, TaskSpans};

use crate::context::{Context, Key};
use crate::sections::{Stop, optional, replay};
use crate::shared::Shared;

/// Lanes of tasks that one query may have: each reads the slices of the whole recording when it is first requested.
const MOST_TASKS: usize = 64;

impl Shared for TaskSpans {
    fn heap_bytes(&self) -> usize {
        self.len() * size_of::<TaskSpan>()
    }
}

/// What a pid did in the whole recording.
pub(crate) fn task_spans(open: &Context, pid: i32) -> Result<Arc<TaskSpans>, Stop> {
    let (parts, _) = replay(open)?;
    open.shared(Key::Task(pid), || {
        Ok(open.index.task_spans(pid, &parts.waits)?)
    })
}

/// The items of lanes, each of a kind (`node`, `cpu` or `task`) and a number (of a task the pid), from `from_ns` to `to_ns`; see
/// [`numalens_replay::timeline::Index::window`].
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
    let tasks = lanes.iter().filter(|(kind, _)| kind == "task");
    let pids: Vec<i32> = tasks
        .map(|&(_, pid)| i32::try_from(pid).unwrap_or(-1))
        .collect();
    if pids.len() > MOST_TASKS {
        return Err(Error::Wrong(format!(
            "expected at most {MOST_TASKS} lanes of tasks, found {}",
            pids.len()
        )));
    }
    let nothing = Arc::new(TaskSpans::default());
    let spans: Vec<Arc<TaskSpans>> = pids
        .into_iter()
        .map(|pid| {
            let found = optional(task_spans(open, pid))?;
            Ok(found.unwrap_or_else(|| Arc::clone(&nothing)))
        })
        .collect::<Result<_, Error>>()?;
    let mut spans = spans.iter();
    let lanes: Vec<Lane<'_>> = lanes
        .iter()
        .map(|(kind, number)| match kind.as_str() {
            "node" => Ok(Lane::Node(*number)),
            "cpu" => Ok(Lane::Cpu(*number)),
            "task" => Ok(Lane::Task(spans.next().unwrap_or(&nothing))),
            _ => Err(Error::Wrong(format!(
                "expected a lane \"node\", \"cpu\" or \"task\", found \"{kind}\""
            ))),
        })
        .collect::<Result<_, Error>>()?;
    Ok(open.index.window(&lanes, from_ns, to_ns, px)?)
}
