//! `CPU_SOME_WAKE_ONLY`: since 5.7 a woken task counts as CPU pressure until it is switched in, even on an idle CPU. Where
//! most of the pressure is that, the machine is not short of CPUs.

use numalens_replay::states::MACHINE;

use crate::findings::{Facts, Finding, words};

/// Share of CPU SOME that must be wake-ups, percent.
const WAKE_PERCENT: u64 = 50;
/// CPU pressure below which there is nothing to explain, percent of the window.
const LEAST_PERCENT: u64 = 1;

pub(super) fn detect(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = &facts.pressure else {
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
    let (some, wake) = (machine.cpu_some_ns, machine.wake_ns);
    if wake * 100 <= WAKE_PERCENT * some || some * 100 < LEAST_PERCENT * window || some == 0 {
        return Vec::new();
    }
    let nodes = words::worst_nodes(pressure, |node| node.cpu_some_ns);
    let (label, missing) = words::label(&pressure.psi.system.cpu);
    vec![Finding {
        label,
        missing,
        impact_ms: wake as f64 / 1e6,
        summary: format!(
            "{} of the machine's {} CPU pressure ({:.0} %){} was woken tasks on CPUs with nobody else: latency of leaving idle \
             and switching, not too few CPUs.",
            words::time(wake),
            words::time(some),
            wake as f64 / some as f64 * 100.0,
            words::on_nodes(&nodes),
        ),
        nodes,
        ..words::finding("CPU_SOME_WAKE_ONLY", facts)
    }]
}
