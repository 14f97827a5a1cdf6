//! Waits of tasks of BPF schedulers (`sched_ext`).

use numalens_core::provenance::Label;
use numalens_replay::evidence::{DsqKind, SchedExt, ScxDump, ScxTask};
use numalens_subject::findings::{Claim, Evidence, Finding, FindingEntry};
use numalens_subject::window::time;

use super::{WaitingFacts, Worst};

/// Missing input for the scheduler's queues.
const DISPATCHES: &str =
    "dispatches of the BPF scheduler (its enqueue and dispatch operations have no event)";

pub(crate) const SCX_QUEUED: FindingEntry = FindingEntry {
    id: "SCX_QUEUED",
    title: "Held by the BPF scheduler",
    meaning: "A BPF scheduler (sched_ext) had not dispatched runnable tasks although idle CPUs were within their affinity.",
    kernel: "do_enqueue_task, balance_one, scx_bpf_dsq_insert",
    threshold: "tasks of a BPF scheduler waited while their CPU, or another within their affinity, was idle, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::ScxQueued),
};

pub(super) fn queued(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::ScxQueued).map(|(claimed, worst)| {
        let first = format!(
            "{} held runnable tasks while CPUs within their affinity (as far as known) were idle",
            scheduler(facts.sched_ext, worst),
        );
        let waited = format!("{}.", facts.waited(claimed));
        let summary = facts.summary(&first, &[&waited], claimed, worst);
        facts.finding(
            &SCX_QUEUED,
            claimed,
            (Label::Inferred, &[DISPATCHES]),
            summary,
        )
    });
    found.into_iter().collect()
}

pub(crate) const SCX_STALLED: FindingEntry = FindingEntry {
    id: "SCX_STALLED",
    title: "Stalled by the BPF scheduler",
    meaning: "The watchdog of sched_ext found a runnable task that did not run for the whole timeout, and disabled the BPF scheduler.",
    kernel: "check_rq_for_timeouts, scx_watchdog_workfn",
    threshold: "a dump of sched_ext (sched_ext_dump) names the task, 10 ms and 1 % of all waiting",
    cost: "that waiting",
    evidence: Evidence::claimed(Claim::ScxStalled),
};

pub(super) fn stalled(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let found = facts.claimed(Claim::ScxStalled).map(|(claimed, worst)| {
        let dump = dump_of(facts.sched_ext, worst);
        let story = dump.map_or(String::new(), |dump| story(&dump, worst.waiter.pid));
        let first = format!(
            "{} stalled tasks until the watchdog disabled it{story}",
            scheduler(facts.sched_ext, worst),
        );
        let waited = format!("{}.", facts.waited(claimed));
        let summary = facts.summary(&first, &[&waited], claimed, worst);
        facts.finding(&SCX_STALLED, claimed, (Label::Observed, &[]), summary)
    });
    found.into_iter().collect()
}

/// The BPF scheduler that had a task during a wait, by its name where that is known.
fn scheduler(known: Option<&SchedExt>, worst: &Worst) -> String {
    let spans = known.iter().flat_map(|known| &known.loaded);
    let name = spans
        .filter(|span| span.from_ns < worst.row.end_ns)
        .filter(|span| span.to_ns.is_none_or(|to_ns| to_ns > worst.row.start_ns))
        .find_map(|span| span.ops.as_deref());
    name.map_or("A BPF scheduler".to_owned(), |name| {
        format!("The BPF scheduler {name}")
    })
}

/// The dump whose watchdog found the task of a wait.
fn dump_of(known: Option<&SchedExt>, worst: &Worst) -> Option<ScxDump> {
    let dumps = known?.dumps().into_iter();
    let mut of_task = dumps.filter(|dump| {
        let stalled = dump.stalled.as_ref();
        stalled.is_some_and(|stalled| stalled.task.pid == worst.waiter.pid)
    });
    of_task.find(|dump| dump.ts_ns >= worst.row.start_ns)
}

/// Queue of the task in the scheduler, its time there, and the running task of that runqueue's CPU.
fn story(dump: &ScxDump, pid: i32) -> String {
    let Some(task) = dump.tasks.iter().find(|task| task.task.pid == pid) else {
        return format!(" ({})", dump.reason);
    };
    let ran = dump.cpus.iter().find(|cpu| cpu.cpu == task.cpu);
    let ran = ran.map_or(String::new(), |cpu| match cpu.current.pid {
        0 => format!(", and CPU {} was idle", cpu.cpu),
        pid => format!(", and {} ({pid}) ran on CPU {}", cpu.current.comm, cpu.cpu),
    });
    format!(
        ": the task was {} and had been runnable for {}{ran}",
        queue(task),
        time(task.runnable_ms.saturating_mul(1_000_000)),
    )
}

/// Queue of a task in a dump.
fn queue(task: &ScxTask) -> String {
    let id = task.dsq.as_deref().unwrap_or_default();
    match task.dsq_kind {
        DsqKind::None => "in no DSQ".to_owned(),
        DsqKind::Scheduler => "with the scheduler, in no DSQ".to_owned(),
        DsqKind::User => format!("in the scheduler's DSQ {id}"),
        DsqKind::Global => "in the global DSQ".to_owned(),
        DsqKind::Local => "in a CPU's local DSQ".to_owned(),
        DsqKind::Bypass => "in the bypass DSQ".to_owned(),
    }
}
