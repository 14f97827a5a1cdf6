//! `LOADAVG_MISLEADING`: the load average counts tasks in uninterruptible sleep; it may be high with nobody waiting for a CPU.

use numalens_core::provenance::Label;

use crate::findings::{Facts, Finding, words};
use crate::psi::result::Resources;

/// How long it must last, ns (`docs/algorithms/psi.md`, P14).
const LONG_NS: u64 = 60_000_000_000;
/// CPU pressure that would explain the load, percent (`docs/algorithms/psi.md`, P14).
const CPU_SOME_PERCENT: f64 = 5.0;

pub(super) fn detect(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = &facts.pressure else {
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
                "The load average stood at {mean:.1} on {} CPUs for {}, but CPU pressure was {some_percent:.1} %: about {sleeping:.1} of \
                 it were tasks in uninterruptible sleep, not tasks waiting for a CPU.",
                facts.cpus,
                words::time(to_ns - from_ns),
            ),
            ..words::finding("LOADAVG_MISLEADING", facts)
        });
    }
    found
}

fn cpu_some_percent(facts: &Facts<'_>, system: &Resources) -> Option<f64> {
    let window = facts.to_ns.saturating_sub(facts.from_ns);
    let some_us = system.cpu.value()?.some_us?;
    (window > 0).then(|| some_us as f64 * 1e5 / window as f64)
}
