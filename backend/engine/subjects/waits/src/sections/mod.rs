//! Sections about waits.

mod decided;
pub mod latency;
mod task;

use numalens_bundle::{Error, Parts};
use numalens_subject::report::{as_is, usual};
use numalens_subject::section::Named;
use numalens_subject::window::{Names as _, is_own};
use numalens_subject::{Context, subject};

use crate::options::Heat;
use crate::queues::{moves, queues_until, ran_on};
use crate::{Latency, Meter, findings};

subject! {
    kinds: findings::KINDS, metrics: latency::metrics;
    "latency", latency::latency, false, Some(
        "Wakeup latency of the waits that ended inside the window, and their causes."
    ), report(usual, as_is);
    "wait_heat", latency::wait_heat, false, Some(
        "Number of waits by length and end time, for the waits whose percentiles `latency` has."
    ), report(|_| Heat {
        columns: latency::HEAT_COLUMNS,
    }, as_is);
    "wait_windows", latency::wait_windows, false, None;
    "waits", latency::waits, false, Some(
        "The longest of the window's waits whose length is within `least_ns` and `below_ns` and whose end within the other two.\n\n\
         That is what a cell of `wait_heat` counts."
    );
    "wait", latency::wait, false, Some(
        "One wait in detail: its causes part by part, the tasks that ran, the idle CPUs, and the wakeup chain before.\n\nThe \
         window is the wait: `from_ns` its `waking_ns`, `to_ns` its `switch_in_ns`."
    );
    "task", task::task, false, Some(
        "One task: time in each state and on each CPU, causes of its waits, its wakeups, wakers and wakees, and what balancers decided about it."
    );
    "critical_path", task::critical_path, false, Some(
        "Critical path of a task: from the end of its wait or sleep back to its waker, what the waker did since its own wakeup, and so on.\n\nThe window begins at a moment of that wait or sleep."
    );
}

/// Returns, by number, which tasks make recordings.
fn recorders(open: &Context) -> Vec<bool> {
    (0..)
        .map_while(|task| open.index.task(task).map(|(_, comm)| is_own(comm)))
        .collect()
}

/// Summary of the waits of a meter, with names and with the tasks that ran on the CPUs.
pub(super) fn finished(open: &Context, parts: &Parts, meter: Meter<'_>) -> Result<Latency, Error> {
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    let migrations = &open.numa_logs()?.migrations;
    let latency = meter.finish(&names, |wait, from_ns, to_ns| {
        let pid = names.task(wait.task).0;
        let span = (from_ns, to_ns);
        let queues = queues_until(span, wait.cpu, &moves(migrations, pid, span)?);
        ran_on(&open.index, &queues)
    })?;
    Ok(latency)
}
