//! The parts of waits that lie in a window: of a wait that crosses an edge, what its part inside was spent on.

use numalens_core::EngineError;
use numalens_core::tasks::TaskId;
use numalens_replay::waits::{
    Cause, CauseNs, CauseTotals, Order, SegmentLogs, WaitPart, WaitRow, Waits,
};

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

/// What a wait was spent on from `from_ns` to `to_ns`, both inside it.
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
        // What passes until a task is on a runqueue is at the begin of its wait.
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
