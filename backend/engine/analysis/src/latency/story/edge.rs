//! The parts of waits that lie in a window: of a wait that crosses an edge, what its part inside was spent on.

use numalens_core::EngineError;
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;
use numalens_replay::migrations::{Migration, Migrations};
use numalens_replay::states::{Groups, States};
use numalens_replay::waits::{Cause, CauseNs, CauseSpans, Order, WaitPart, WaitRow, Waits};

use crate::latency::story::causes::{Logs, between};
use crate::latency::story::{StoryOf, queues_of};
use crate::window::Places;

/// The logs that tell what a part of a wait was spent on.
#[derive(Debug, Clone, Copy)]
pub struct EdgeLogs<'a> {
    /// The machine.
    pub nodes: &'a [Node],
    /// Which CPUs were idle when.
    pub states: &'a States,
    /// The cgroups, if they are known.
    pub groups: Option<&'a Groups>,
}

/// What else tells it: interrupts, softirqs, pending balancing and throttling; and who moved where.
pub type Details<'a> = (&'a CauseSpans, &'a Migrations);

/// Calls `part` with the part of each wait that lies between `from_ns` and `to_ns`, those in which a wait has no time but
/// begins and ends among them. `pid` gives a task's pid. `details` is called when a wait that crosses an edge has several
/// causes. The parts of a wait in adjoining windows add up to it.
///
/// # Errors
/// The logs could not be read.
pub fn parts_between<'a, E: From<EngineError>>(
    waits: &Waits,
    logs: EdgeLogs<'a>,
    (from_ns, to_ns): (u64, u64),
    order: Order,
    pid: impl Fn(TaskId) -> i32,
    details: impl Fn() -> Result<Details<'a>, E>,
    mut part: impl FnMut(&WaitPart<'_>),
) -> Result<(), E> {
    let places = Places::new(logs.nodes);
    let mut failed = None;
    waits.over(from_ns, to_ns, order, |wait, causes| {
        let (begin, end) = (wait.start_ns.max(from_ns), wait.end_ns.min(to_ns));
        if (begin, end) == (wait.start_ns, wait.end_ns) {
            part(&WaitPart::whole(wait, causes));
            return;
        }
        let of = StoryOf { wait, causes };
        match inside(logs, &places, of, pid(wait.task), &details, (begin, end)) {
            Ok(causes) => part(&WaitPart {
                wait,
                from_ns: begin,
                to_ns: end,
                causes: &causes,
            }),
            Err(error) => failed = Some(error),
        }
    })?;
    failed.map_or(Ok(()), Err)
}

/// What a wait was spent on from `from_ns` to `to_ns`, both inside it.
fn inside<'a, E: From<EngineError>>(
    logs: EdgeLogs<'a>,
    places: &Places,
    of: StoryOf<'_>,
    pid: i32,
    details: impl Fn() -> Result<Details<'a>, E>,
    (from_ns, to_ns): (u64, u64),
) -> Result<Vec<CauseNs>, E> {
    let ns = to_ns - from_ns;
    let all = |cause| Ok(vec![CauseNs { cause, ns }]);
    let WaitRow {
        start_ns, end_ns, ..
    } = *of.wait;
    match of.causes {
        [only] => all(only.cause),
        // What passes until a task is on a runqueue is at the begin of its wait.
        [first, second] if first.cause == Cause::WakeUp => {
            let queued = start_ns + first.ns;
            let waking = queued.clamp(from_ns, to_ns) - from_ns;
            let parts = [(first.cause, waking), (second.cause, ns - waking)];
            let parts = parts.into_iter().filter(|part| part.1 > 0);
            Ok(parts.map(|(cause, ns)| CauseNs { cause, ns }).collect())
        }
        _ => {
            let (spans, migrations) = details()?;
            let moved: Vec<Migration> = migrations
                .rows(start_ns, end_ns)?
                .filter(|moved| moved.pid == pid)
                .collect();
            let read = Logs {
                nodes: logs.nodes,
                states: logs.states,
                spans,
                groups: logs.groups,
                pid,
            };
            let sums = between(read, places, of, &queues_of(of, &moved), (from_ns, to_ns))?;
            let causes = Cause::ALL.into_iter().map(|cause| CauseNs {
                cause,
                ns: sums[cause as usize],
            });
            Ok(causes.filter(|cause| cause.ns > 0).collect())
        }
    }
}
