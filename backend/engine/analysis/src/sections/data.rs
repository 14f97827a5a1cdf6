//! What the bundle holds of the replay, opened when first asked for.

use numalens_bundle::{Error, Open};
pub(super) use numalens_bundle::{Parts, at, integers, lost_events, samples, texts};
use numalens_core::tasks::TaskId;
use numalens_replay::evidence::Evidence;
use numalens_replay::states::Groups;

use crate::latency::{Latency, Meter};
use crate::sections::section::Stop;
use crate::window::Names;

/// Why a bundle without some table has no answer.
pub(super) const EARLIER: &str = "this bundle was made by an earlier version; read the files again";

/// What the sections read.
pub(super) fn replay(open: &Open) -> Result<(&Parts, &Evidence), Stop> {
    let Some(evidence) = &open.evidence else {
        return Err(Stop::unavailable(if open.tables.is_empty() {
            "no input is a recording: add one of the scheduler's events, for example by trace-cmd record -C mono -e sched"
        } else {
            EARLIER
        }));
    };
    if !open.switches {
        return Err(Stop::unavailable(
            "sched_switch was not recorded: record it together with sched_waking, sched_wakeup, sched_wakeup_new and sched_migrate_task",
        ));
    }
    Ok((open.parts()?, evidence))
}

/// Tasks and cgroups by their numbers.
pub(super) struct Named<'a> {
    pub(super) open: &'a Open,
    pub(super) groups: Option<&'a Groups>,
}

impl Names for Named<'_> {
    fn task(&self, task: TaskId) -> (i32, &str) {
        self.open.index.task(task).unwrap_or((-1, ""))
    }

    fn cgroup(&self, group: u32) -> &str {
        self.groups.map_or("/", |groups| groups.path(group))
    }
}

/// What the waits were that a meter has taken, with names and with who ran on the CPUs meanwhile.
pub(super) fn finished(open: &Open, parts: &Parts, meter: Meter<'_>) -> Result<Latency, Error> {
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    let mut failed = None;
    let latency = meter.finish(&names, |cpu, from_ns, to_ns, tell| {
        match open.index.slices(cpu, from_ns, to_ns) {
            Ok(slices) => {
                slices.for_each(|slice| tell(slice.task, slice.start_ns, slice.end_ns));
            }
            Err(error) => failed = Some(error),
        }
    });
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(latency),
    }
}

/// Pids of the tasks, by number.
pub(super) fn pids(open: &Open) -> Vec<i32> {
    (0..)
        .map_while(|task| open.index.task(task).map(|(pid, _)| pid))
        .collect()
}
