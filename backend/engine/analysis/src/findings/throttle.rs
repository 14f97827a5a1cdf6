//! `CGROUP_THROTTLE`: a cgroup's tasks were runnable on CPUs that stood idle: `cpu.max` held their runqueue back.
//!
//! That the system is idle while the cgroup has CPU FULL is not enough. Only the CPU that a task stays on tells a
//! throttled cgroup from one whose tasks wait behind others while CPUs elsewhere are idle, so that one is looked at.

use numalens_replay::states::MACHINE;

use crate::findings::episodes::Episode;
use crate::findings::{Facts, Finding, words};

pub(super) fn detect(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = &facts.pressure else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for group in pressure
        .watched
        .groups
        .iter()
        .filter(|group| group.group != MACHINE)
    {
        let Some(path) = pressure
            .groups
            .iter()
            .find(|(number, _)| *number == group.group)
            .map(|group| group.1)
        else {
            continue;
        };
        let Some(resources) = pressure.psi.cgroups.value().and_then(|all| all.get(path)) else {
            continue;
        };
        let (label, missing) = words::label(&resources.cpu);
        let (Some(first), Some(last)) = (group.throttled.first(), group.throttled.last()) else {
            continue;
        };
        // One cgroup, one finding: a quota throttles period after period.
        let stall_ns = group.throttled.iter().map(|episode| episode.stall_ns).sum();
        let time_ns: u64 = group
            .throttled
            .iter()
            .map(|episode| episode.to_ns - episode.from_ns)
            .sum();
        let times = match group.throttled.len() {
            1 => words::at(facts, first.from_ns),
            many => format!("{many} times from {} on", words::at(facts, first.from_ns)),
        };
        let share = Episode {
            from_ns: 0,
            to_ns: time_ns,
            stall_ns,
        };
        found.push(Finding {
            label,
            missing,
            from_ns: first.from_ns,
            to_ns: last.to_ns,
            impact_ms: stall_ns as f64 / 1e6,
            cgroup: Some(path.to_owned()),
            summary: format!(
                "Tasks of cgroup {path} were runnable and none of them ran for {} of {} ({:.0} %) {times} while their own CPUs \
                 stood idle: cpu.max held them back, or the idle CPUs took long to leave idle.",
                words::time(stall_ns),
                words::time(time_ns),
                share.percent().min(100.0),
            ),
            ..words::finding("CGROUP_THROTTLE", facts)
        });
    }
    found
}
