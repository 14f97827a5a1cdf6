//! CPU pressure that is not what it looks like.

use numalens_core::provenance::Label;
use numalens_replay::states::MACHINE;
use numalens_subject::findings::{Evidence, Finding, FindingEntry, Severity};
use numalens_subject::window::time;

use crate::findings as pressure;
use crate::findings::Facts;
use crate::result::Resources;

// `CPU_SOME_WAKE_ONLY`: since 5.7 a woken task counts as CPU pressure until it is switched in, even on an idle CPU. Where
// most of the pressure is that, the machine is not short of CPUs.

/// Share of CPU SOME that must be wake-ups, percent.
const WAKE_PERCENT: u64 = 50;
/// CPU pressure below which there is nothing to explain, percent of the window.
const LEAST_PERCENT: u64 = 1;
/// CPU pressure that matters, percent of the window (`docs/algorithms/psi.md`, P14).
const CPU_SOME_PERCENT: f64 = 5.0;

pub(crate) const CPU_SOME_WAKE_ONLY: FindingEntry = FindingEntry {
    id: "CPU_SOME_WAKE_ONLY",
    title: "CPU pressure from wakeups only",
    meaning: "A single task between its wakeup and running counts as CPU pressure, though nothing competes with it.",
    kernel: "psi_group_change",
    threshold: "more than 50 % of CPU some is one woken task on an otherwise idle CPU, and some is at least 1 % of the window; low below 5 %",
    cost: "that time",
    evidence: Evidence::PRESSURE,
};

pub(super) fn wake_only(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = super::replayed(facts) else {
        return Vec::new();
    };
    let Some(machine) = pressure
        .watched
        .groups
        .iter()
        .find(|group| group.group == MACHINE)
    else {
        return Vec::new();
    };
    let window = facts.to_ns.saturating_sub(facts.from_ns);
    // A runnable task alone on an idle CPU may also be throttled: the waits distinguish the two.
    let waking = pressure.waking_ns.unwrap_or(u64::MAX);
    let (some, wake) = (machine.cpu_some_ns, machine.wake_ns.min(waking));
    if wake * 100 <= WAKE_PERCENT * some || some * 100 < LEAST_PERCENT * window || some == 0 {
        return Vec::new();
    }
    let nodes = pressure::worst_nodes(pressure, |node| node.cpu_some_ns);
    let (label, missing) = pressure::label(&pressure.psi.system.cpu);
    vec![Finding {
        label,
        missing,
        impact_ms: wake as f64 / 1e6,
        summary: format!(
            "{} of the machine's {} CPU pressure ({:.0} %){} was woken tasks that had their CPU to themselves: latency of idle exit and switching, not a lack of CPUs.",
            time(wake),
            time(some),
            wake as f64 / some as f64 * 100.0,
            pressure::on_nodes(&nodes),
        ),
        nodes,
        at_most: if (some as f64) * 100.0 < CPU_SOME_PERCENT * window as f64 {
            Severity::Low
        } else {
            Severity::High
        },
        ..CPU_SOME_WAKE_ONLY.finding(Label::Observed, facts.from_ns, facts.to_ns)
    }]
}

// `LOADAVG_MISLEADING`: the load average counts tasks in uninterruptible sleep; it may be high while no task waits for a CPU.

/// Minimum length, ns (`docs/algorithms/psi.md`, P14).
const LONG_NS: u64 = 60_000_000_000;
pub(crate) const LOADAVG_MISLEADING: FindingEntry = FindingEntry {
    id: "LOADAVG_MISLEADING",
    title: "Load average without CPU pressure",
    meaning: "The load average also counts tasks in uninterruptible sleep, which did not wait for CPUs.",
    kernel: "calc_load_fold_active",
    threshold: "load average above the number of CPUs for 60 s, CPU some below 5 %, most counted tasks not runnable",
    cost: "none",
    evidence: Evidence::PRESSURE,
};

pub(super) fn loadavg(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = super::replayed(facts) else {
        return Vec::new();
    };
    let Some(some_percent) = cpu_some_percent(facts, &pressure.psi.system) else {
        return Vec::new();
    };
    let runnable = pressure.watched.runnable;
    let mut found = Vec::new();
    let loads: Vec<_> = pressure
        .loads
        .iter()
        .filter(|load| load.t_ns >= facts.from_ns && load.t_ns <= facts.to_ns)
        .collect();
    // The longest run of samples above the number of CPUs.
    let high = |one: f64| one > facts.cpus as f64;
    let longest = loads
        .chunk_by(|a, b| high(a.one) && high(b.one))
        .filter(|run| high(run[0].one));
    let longest = longest.max_by_key(|run| run[run.len() - 1].t_ns.saturating_sub(run[0].t_ns));
    let Some(run) = longest else {
        return Vec::new();
    };
    let (from_ns, to_ns) = (run[0].t_ns, run[run.len() - 1].t_ns);
    let mean = run.iter().map(|load| load.one).sum::<f64>() / run.len() as f64;
    // What is in the load and not runnable is in uninterruptible sleep.
    let sleeping = mean - runnable;
    if to_ns - from_ns >= LONG_NS && some_percent < CPU_SOME_PERCENT && sleeping > runnable {
        found.push(Finding {
            label: Label::Inferred,
            missing: vec!["which tasks were in uninterruptible sleep".to_owned()],
            from_ns,
            to_ns,
            summary: format!(
                "The load average was {mean:.1} on {} CPUs for {}, but CPU pressure was {some_percent:.1} %: about {sleeping:.1} of the counted tasks were in uninterruptible sleep, not waiting for a CPU.",
                facts.cpus,
                time(to_ns - from_ns),
            ),
            ..LOADAVG_MISLEADING.finding(Label::Observed, facts.from_ns, facts.to_ns)
        });
    }
    found
}

fn cpu_some_percent(facts: &Facts<'_>, system: &Resources) -> Option<f64> {
    let window = facts.to_ns.saturating_sub(facts.from_ns);
    let some_us = system.cpu.value()?.some_us?;
    (window > 0).then(|| some_us as f64 * 1e5 / window as f64)
}
