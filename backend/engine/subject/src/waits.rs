//! The parts of waits that lie in a window: of a wait that crosses an edge, what its part inside was spent on.

use numalens_bundle::{Error, Parts};
use numalens_core::EngineError;
use numalens_core::listed;
use numalens_core::tasks::TaskId;
use numalens_replay::waits::{
    Cause, CauseNs, CauseTotals, Order, SegmentLogs, WaitEnd, WaitFrom, WaitPart, WaitRow, Waits,
};

use crate::{Context, Window};

/// Calls `part` with the part of each wait that lies between `from_ns` and `to_ns`, those in which a wait has no time but
/// begins and ends among them. `pid` gives a task's pid. `logs` is called when a wait that crosses an edge has several
/// causes. The parts of a wait in adjoining windows add up to it.
///
/// # Errors
/// The logs could not be read.
pub fn parts_between<'a, E: From<EngineError>>(
    waits: &Waits,
    (from_ns, to_ns): (u64, u64),
    order: Order,
    pid: impl Fn(TaskId) -> i32,
    logs: impl Fn() -> Result<SegmentLogs<'a>, E>,
    mut part: impl FnMut(&WaitPart<'_>),
) -> Result<(), E> {
    let mut failed = None;
    waits.over(from_ns, to_ns, order, |wait, causes| {
        let (begin, end) = (wait.start_ns.max(from_ns), wait.end_ns.min(to_ns));
        if (begin, end) == (wait.start_ns, wait.end_ns) {
            part(&WaitPart::whole(wait, causes));
            return;
        }
        match inside(&logs, wait, causes, pid(wait.task), (begin, end)) {
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

/// Causes of a wait from `from_ns` to `to_ns`, both inside it.
fn inside<'a, E: From<EngineError>>(
    logs: impl Fn() -> Result<SegmentLogs<'a>, E>,
    wait: &WaitRow,
    causes: &[CauseNs],
    pid: i32,
    (from_ns, to_ns): (u64, u64),
) -> Result<Vec<CauseNs>, E> {
    let ns = to_ns - from_ns;
    match causes {
        [only] => Ok(vec![CauseNs { ns, ..*only }]),
        // What passes until a task is on a runqueue is at the start of its wait.
        [first, second] if first.cause == Cause::WakeUp => {
            let queued = wait.start_ns + first.ns;
            let waking = queued.clamp(from_ns, to_ns) - from_ns;
            let parts = [(first.cause, waking), (second.cause, ns - waking)];
            let parts = parts.into_iter().filter(|part| part.1 > 0);
            Ok(parts.map(|(cause, ns)| CauseNs { cause, ns }).collect())
        }
        _ => {
            let logs = logs()?;
            let phases = logs.phases.of(wait, causes, pid)?;
            let mut sums: CauseTotals = [0; Cause::COUNT];
            for part in logs.segments(wait, causes, &phases)? {
                let (from, to) = (part.from_ns.max(from_ns), part.to_ns.min(to_ns));
                sums[part.cause as usize] += to.saturating_sub(from);
            }
            let causes = Cause::ALL.into_iter().map(|cause| CauseNs {
                cause,
                ns: sums[cause as usize],
            });
            Ok(causes.filter(|cause| cause.ns > 0).collect())
        }
    }
}

/// Calls `part` with the part of each wait that lies in the window.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn window_waits(
    open: &Context,
    parts: &Parts,
    window: Window,
    order: Order,
    part: impl FnMut(&WaitPart<'_>),
) -> Result<(), Error> {
    let pid = |task| open.index.task(task).map_or(-1, |(pid, _)| pid);
    parts_between(
        &parts.waits,
        (window.from_ns, window.to_ns),
        order,
        pid,
        || parts.segment_logs(open),
        part,
    )
}

listed! {
    /// Kind of wait; each wait has one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Sort {
        /// After a wakeup.
        WokenUp = 0 => "woken",
        /// After a preemption.
        Preempted = 1 => "preempted",
        /// A new task's wait for its first turn.
        New = 2 => "new",
        /// The task was not seen to get a CPU in the window, or the wait continues into lost events: its length is a minimum.
        Unfinished = 3 => "unfinished",
    }
}

impl Sort {
    /// Kind of a part of a wait.
    #[inline]
    #[must_use]
    pub fn of(part: &WaitPart<'_>) -> Self {
        if part.open_at_end() {
            return Self::Unfinished;
        }
        match (part.wait.end, part.wait.from) {
            (WaitEnd::Ran, WaitFrom::Waking | WaitFrom::Wakeup) => Self::WokenUp,
            (WaitEnd::Ran, WaitFrom::Preempted) => Self::Preempted,
            (WaitEnd::Ran, WaitFrom::New) => Self::New,
            (WaitEnd::Ran, WaitFrom::Resumed)
            | (WaitEnd::Recording | WaitEnd::Lost | WaitEnd::Gone, _) => Self::Unfinished,
        }
    }
}
