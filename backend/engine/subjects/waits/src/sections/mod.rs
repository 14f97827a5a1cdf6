//! Sections about waits.

pub mod latency;
mod task;

use numalens_bundle::{Error, Parts};
use numalens_subject::report::{as_is, usual};
use numalens_subject::section::Named;
use numalens_subject::window::Names as _;
use numalens_subject::{Context, subject};

use crate::options::Heat;
use crate::queues::{moves, queues_until, ran_on};
use crate::{Latency, Meter, findings};

subject! {
    kinds: findings::KINDS;
    "latency", latency::latency, false, Some(
        "From wake-up to running, for the waits that ended inside the window, and what they are made of."
    ), report(usual, as_is);
    "wait_heat", latency::wait_heat, false, Some(
        "How many of the window's waits were how long when: those that `latency` has percentiles of, by when they ended."
    ), report(|_| Heat {
        columns: latency::HEAT_COLUMNS,
    }, as_is);
    "wait_windows", latency::wait_windows, false, None;
    "waits", latency::waits, false, Some(
        "The longest of the window's waits whose length is within `least_ns` and `below_ns` and whose end within the other two.\n\n\
         That is what a cell of `wait_heat` counts."
    );
    "wait", latency::wait, false, Some(
        "One wait opened: its causes part by part, who ran meanwhile, which CPUs were idle, and the wakeup chain before.\n\nThe \
         window is the wait: `from_ns` its `waking_ns`, `to_ns` its `switch_in_ns`."
    );
    "task", task::task, false, Some(
        "One task: how long it was in which state and where it ran, what it waited for, who woke it and whom it woke."
    );
    "critical_path", task::critical_path, false, Some(
        "Who held a task up: from the end of its wait or sleep back over who woke it, what that one did since its own wake-up, and so \
         on.\n\nThe window begins at a moment of that wait or sleep."
    );
}

/// What the waits were that a meter has taken, with names and with who ran on the CPUs meanwhile.
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
