//! `MEM_FULL_EPISODE`: nothing productive ran for want of memory.

use numalens_core::provenance::Label;
use numalens_replay::states::MACHINE;
use numalens_subject::findings::{Evidence, Finding, FindingEntry, MOST};
use numalens_subject::window::time;

use crate::findings as pressure;
use crate::findings::spike_hidden::{Episode, worst};
use crate::findings::watch::WatchedGroup;
use crate::findings::{Facts, PressureFacts};
use crate::result::Resources;

/// Tasks that are named.
const TASKS: usize = 5;

pub(crate) const MEM_FULL_EPISODE: FindingEntry = FindingEntry {
    id: "MEM_FULL_EPISODE",
    title: "Every task stalled on memory",
    meaning: "No productive work: every non-idle task waited for memory.",
    kernel: "PSI_MEM_FULL",
    threshold: "memory full at least 10 % of 2 s, or 200 ms without a break on a CPU",
    cost: "stall",
    evidence: Evidence::PRESSURE,
};

pub(super) fn mem_full(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = super::replayed(facts) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for group in &pressure.watched.groups {
        let path = words_of(pressure, group.group);
        let Some((resources, path)) = path else {
            continue;
        };
        found.extend(of(facts, pressure, group, resources, path));
    }
    found
}

fn words_of<'a>(
    pressure: &PressureFacts<'a>,
    group: u32,
) -> Option<(&'a Resources, Option<&'a str>)> {
    if group == MACHINE {
        return Some((&pressure.psi.system, None));
    }
    let path = pressure
        .groups
        .iter()
        .find(|(number, _)| *number == group)?
        .1;
    Some((pressure.psi.cgroups.value()?.get(path)?, Some(path)))
}

fn of(
    facts: &Facts<'_>,
    pressure: &PressureFacts<'_>,
    group: &WatchedGroup,
    resources: &Resources,
    path: Option<&str>,
) -> Vec<Finding> {
    let (mut label, missing) = pressure::label(&resources.memory);
    let checked = match path {
        None => pressure.psi.residual.as_ref(),
        Some(path) => pressure.psi.cgroup_residual.get(path),
    };
    if checked
        .and_then(|checked| checked.memory.as_ref())
        .is_some_and(|memory| memory.check_within)
    {
        // The kernel's own counters say the same.
        label = label.min(Label::Replayed);
    }
    let who = path.map_or("the whole machine".to_owned(), |path| {
        format!("cgroup {path}")
    });
    let mut tasks: Vec<_> = pressure.stalled.iter().filter(|task| task.ns > 0).collect();
    tasks.sort_by(|a, b| b.ns.cmp(&a.ns).then(a.pid.cmp(&b.pid)));
    tasks.truncate(if path.is_none() { TASKS } else { 0 });
    let most = tasks.first().map_or(String::new(), |task| {
        format!(
            "; {} ({}) was stalled longest, {}",
            task.comm,
            task.pid,
            time(task.ns)
        )
    });
    let finding = |episode: &Episode, nodes: Vec<i32>, place: &str| Finding {
        label,
        missing: missing.clone(),
        from_ns: episode.from_ns,
        to_ns: episode.to_ns,
        impact_ms: episode.stall_ns as f64 / 1e6,
        nodes,
        pids: tasks.iter().map(|task| task.pid).collect(),
        cgroup: path.map(str::to_owned),
        summary: format!(
            "Productive work of {who} stopped{place} for {} of {} ({:.0} %) {}, because its tasks were stalled on memory{most}.",
            time(episode.stall_ns),
            time(episode.to_ns - episode.from_ns),
            episode.percent().min(100.0),
            pressure::at(facts, episode.from_ns),
        ),
        ..MEM_FULL_EPISODE.finding(Label::Observed, facts.from_ns, facts.to_ns)
    };
    let mut found: Vec<Finding> = worst(group.mem_full.clone(), MOST)
        .iter()
        .map(|episode| finding(episode, Vec::new(), ""))
        .collect();
    // A span inside an episode is reported with it.
    let covered = |at: &Episode| {
        let inside = |all: &&Episode| all.from_ns <= at.from_ns && at.to_ns <= all.to_ns;
        group.mem_full.iter().find(inside).is_some()
    };
    let mut stretches: Vec<_> = group
        .mem_full_stretches
        .iter()
        .filter(|stretch| !covered(&stretch.episode))
        .collect();
    stretches.sort_by_key(|stretch| {
        (
            std::cmp::Reverse(stretch.episode.stall_ns),
            stretch.episode.from_ns,
            stretch.cpu,
        )
    });
    for stretch in stretches.into_iter().take(MOST) {
        let nid = pressure.watched.node_of(stretch.cpu);
        found.push(finding(
            &stretch.episode,
            nid.into_iter().collect(),
            &format!(" on CPU {}", stretch.cpu),
        ));
    }
    found
}

// `IO_VS_MEM_REFAULT`: I/O that is full while memory is full is reading back what was just thrown out.

/// Share of I/O FULL that must overlap memory FULL, percent (`docs/algorithms/psi.md`, P14).
const OVERLAP_PERCENT: u64 = 50;
/// Overlap below which it is not worth a word, ns.
const LEAST_NS: u64 = 10_000_000;

pub(crate) const IO_VS_MEM_REFAULT: FindingEntry = FindingEntry {
    id: "IO_VS_MEM_REFAULT",
    title: "Slow I/O caused by refaults",
    meaning: "What looks like slow I/O is refaults of recently reclaimed pages.",
    kernel: "psi_memstall_enter, workingset_refault",
    threshold: "at least 50 % of io full is memory full as well, and at least 10 ms",
    cost: "the overlap",
    evidence: Evidence::PRESSURE,
};

pub(super) fn refault(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = super::replayed(facts) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for group in &pressure.watched.groups {
        let (io, both) = (group.io_full_ns, group.both_full_ns);
        if both < LEAST_NS || both * 100 < OVERLAP_PERCENT * io {
            continue;
        }
        let path = pressure
            .groups
            .iter()
            .find(|(number, _)| *number == group.group)
            .map(|group| group.1);
        let resources = match path {
            _ if group.group == MACHINE => Some(&pressure.psi.system),
            Some(path) => pressure.psi.cgroups.value().and_then(|all| all.get(path)),
            None => None,
        };
        let Some(resources) = resources else { continue };
        let (label, mut missing) = pressure::label(&resources.memory);
        let (other, more) = pressure::label(&resources.io);
        missing.extend(more);
        missing.sort();
        missing.dedup();
        let who = path.map_or("the machine".to_owned(), |path| format!("cgroup {path}"));
        found.push(Finding {
            // That the I/O is refaults is a conclusion, whatever the times are.
            label: label.max(other).max(Label::Inferred),
            missing,
            impact_ms: both as f64 / 1e6,
            cgroup: path.map(str::to_owned),
            summary: format!(
                "Of {} in which {who} only waited for I/O, {} ({:.0} %) were also memory stalls: reclaimed pages are read back (thrashing).",
                time(io),
                time(both),
                both as f64 / io.max(1) as f64 * 100.0,
            ),
            ..IO_VS_MEM_REFAULT.finding(Label::Observed, facts.from_ns, facts.to_ns)
        });
    }
    found
}
