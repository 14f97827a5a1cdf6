//! Findings about the idle load balancer, from plain inputs (`docs/algorithms/idle_balancing.md`, I18).
//!
//! A detector is a function of [`IdleBalancingFacts`]. Severities are set by [`findings::rank`](numalens_subject::findings::rank). Impacts are the
//! time in which CPUs were idle while tasks waited, so upper bounds of what better kicks could have saved.

use std::collections::BTreeMap;

use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::Label;
use numalens_events::{IlbKind, Kinds};
use numalens_replay::evidence::CpuSpan;
use numalens_replay::idle_balancing::{ObservedKick, ObservedPass, Outcome};
use numalens_subject::detectors;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{Evidence, Finding, FindingEntry};
use numalens_subject::window::time;

use crate::left::{SEARCH_LEFT_TASKS, left_tasks};
use crate::model::{Annotation, Kind};
use crate::searches::{
    BUSY_PULL, DOMAINS_NARROWER, LONG_SEARCH, Search, busy_pull, long, narrower,
};
use crate::{Curve, ModelKind};

/// A latch longer than this is reported, ns.
pub const LATCH_NS: u64 = 10_000_000;
/// At most this share of the kicks may go to one CPU, percent.
pub const MONOPOLY_PERCENT: u64 = 80;
/// While so many CPUs are idle on average.
pub const MONOPOLY_IDLE: u64 = 8;
/// In windows of this width, ns.
pub const MONOPOLY_NS: u64 = 10_000_000_000;
/// As many kicks as jiffies for this long are a storm, ns.
pub const STORM_NS: u64 = 1_000_000_000;
/// Minimum number of blocked ticks for a finding.
pub const BLOCKED_TICKS: usize = 10;
/// More aborted passes than this are reported, percent.
pub const ABORTED_PERCENT: usize = 20;

/// Inputs of the detectors: all of one window.
#[derive(Debug, Clone, Copy)]
pub struct IdleBalancingFacts<'a> {
    /// The window, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// CPUs of the machine.
    pub cpus: usize,
    /// Jiffies per second.
    pub hz: u32,
    /// The traced kernel.
    pub kernel: Option<KernelVersion>,
    /// If true, also reports what an untraced kernel of 2011 would have done.
    pub what_if: bool,
    /// Kinds of events that were recorded.
    pub kinds: Kinds,
    /// Kicks that were recorded, ascending.
    pub kicks: &'a [ObservedKick],
    /// Passes that were recorded, ascending.
    pub passes: &'a [ObservedPass],
    /// Searches for tasks that were probed, ascending.
    pub searches: &'a [Search],
    /// Times at which CPUs were offline.
    pub offline: &'a [CpuSpan],
    /// Results of the models, each model's ascending; at least drops, handled kicks and blocked ticks of
    /// [`ModelKind::V2011`].
    pub annotations: &'a [(ModelKind, Annotation)],
    /// Idle CPUs while tasks wait.
    pub waste: &'a Curve,
    /// Idle CPUs.
    pub idle: &'a Curve,
}

/// Intervals with waste, each with a CPU, and their waste in all, CPU-ns. They ascend by their beginnings; those that overlap or
/// adjoin are one place.
pub(crate) fn wasted(
    waste: &Curve,
    intervals: impl Iterator<Item = (u64, u64, u32)>,
) -> (u64, Occurrences) {
    let mut places: Vec<(u64, u64, Vec<u32>)> = Vec::new();
    for (from, to, cpu) in intervals {
        match places.last_mut().filter(|last| from <= last.1) {
            Some(last) => {
                last.1 = last.1.max(to);
                last.2.push(cpu);
            }
            None => places.push((from, to.max(from), vec![cpu])),
        }
    }
    let mut sum = 0_u64;
    let all = places.into_iter().map(|(from, to, mut cpus)| {
        let cost = waste.between(from, to);
        sum = sum.saturating_add(cost);
        cpus.sort_unstable();
        cpus.dedup();
        Occurrence {
            cpus,
            ..Occurrence::new(from, to, cost)
        }
    });
    let occurrences = Occurrences::of(all);
    (sum, occurrences)
}

/// Time at which balancing could have served a kick at `t_ns`: the next pass for a kick, the next served kick, or two ticks
/// later. Busy CPUs kick at each tick while tasks wait (`nohz_balancer_kick`).
fn served_by(facts: &IdleBalancingFacts<'_>, t_ns: u64) -> u64 {
    let jiffy = 1_000_000_000 / u64::from(facts.hz.max(1));
    let first = facts.passes.partition_point(|pass| pass.from_ns <= t_ns);
    let passes = facts.passes.get(first..).unwrap_or_default();
    let pass = passes.iter().find(|pass| pass.kicked && !pass.aborted);
    let first = facts.kicks.partition_point(|kick| kick.t_ns <= t_ns);
    let kicks = facts.kicks.get(first..).unwrap_or_default();
    let kick = kicks.iter().find(|kick| kick.outcome == Outcome::Handled);
    let tick = t_ns.saturating_add(2 * jiffy);
    pass.map_or(tick, |pass| pass.from_ns)
        .min(kick.map_or(tick, |kick| kick.t_ns))
        .min(tick)
        .min(facts.to_ns)
}

/// Returns whether the kernel is older than a version, or may be reported nevertheless; and the label.
fn older(facts: &IdleBalancingFacts<'_>, before: (u16, u16)) -> Option<Label> {
    let is = facts
        .kernel
        .is_some_and(|kernel| (kernel.major, kernel.minor) < before);
    match (is, facts.what_if) {
        (true, _) => Some(Label::Inferred),
        (false, true) => Some(Label::WhatIf),
        (false, false) => None,
    }
}

fn of_2011<'a>(facts: &IdleBalancingFacts<'a>) -> impl Iterator<Item = &'a Annotation> {
    let all = facts.annotations.iter();
    all.filter(|note| note.0 == ModelKind::V2011)
        .map(|note| &note.1)
}

const GATE: &str = "nohz.next_balance";

pub(crate) const ILB_LATCHED: FindingEntry = FindingEntry {
    id: "ILB_LATCHED",
    title: "Dropped kick blocks later ones",
    meaning: "No other CPU can be kicked until the chosen CPU clears its flag.",
    kernel: "nohz_balancer_kick",
    threshold: "before 3.11 (or as what-if): a flag kept for more than 10 ms after a dropped kick",
    cost: "waste during this time",
    evidence: Evidence::WAITS,
};

/// `ILB_LATCHED`: a dropped kick keeps its CPU's flag, and all later ones are swallowed (up to 3.10).
fn latched(facts: &IdleBalancingFacts<'_>) -> Vec<Finding> {
    let Some(label) = older(facts, (3, 11)) else {
        return Vec::new();
    };
    let mut since: BTreeMap<u32, u64> = BTreeMap::new();
    let mut found = Vec::new();
    for note in of_2011(facts) {
        match note.kind {
            Kind::KickDropped => {
                since.entry(note.cpu).or_insert(note.t_ns);
            }
            Kind::KickHandled => {
                found.extend(
                    since
                        .remove(&note.cpu)
                        .map(|from| (from, note.t_ns, note.cpu)),
                );
            }
            _ => {}
        }
    }
    found.extend(
        since
            .into_iter()
            .map(|(cpu, from)| (from, facts.to_ns, cpu)),
    );
    found.retain(|&(from, to, _)| to.saturating_sub(from) > LATCH_NS);
    found.sort_unstable();
    if found.is_empty() {
        return Vec::new();
    }
    let longest = found.iter().max_by_key(|latch| latch.1 - latch.0);
    let (length, cpu) = longest.map_or((0, 0), |latch| (latch.1 - latch.0, latch.2));
    let (cost, occurrences) = wasted(facts.waste, found.iter().copied());
    let summary = format!(
        "After each of {} dropped kicks, a CPU's flag stayed set for more than {} (at most {}, on CPU {cpu}) and blocked every later kick. During this time CPUs were idle while tasks waited ({} of CPU time).",
        found.len(),
        time(LATCH_NS),
        time(length),
        time(cost),
    );
    vec![
        Finding {
            label,
            missing: vec![GATE.to_owned()],
            summary,
            impact_ms: cost as f64 / 1e6,
            ..ILB_LATCHED.finding(Label::Inferred, facts.from_ns, facts.to_ns)
        }
        .at(occurrences),
    ]
}

/// Time of kicked passes on a CPU (on all for `None`) that begin in a time range, ns.
fn pass_ns(facts: &IdleBalancingFacts<'_>, cpu: Option<u32>, from: u64, to: u64) -> u64 {
    let all = facts.passes.iter();
    let here = all.filter(|pass| {
        pass.from_ns >= from && pass.from_ns < to && cpu.is_none_or(|cpu| cpu == pass.cpu)
    });
    here.fold(0, |sum, pass| {
        sum.saturating_add(pass.to_ns.saturating_sub(pass.from_ns))
    })
}

pub(crate) const ILB_MONOPOLY: FindingEntry = FindingEntry {
    id: "ILB_MONOPOLY",
    title: "One CPU does nearly all idle balancing",
    meaning: "The first idle CPU in the mask always does the balancing for all others.",
    kernel: "find_new_ilb",
    threshold: "in 10 s one CPU got more than 80 % of at least 10 kicks while 8 or more CPUs were idle on average",
    cost: "time of its passes",
    evidence: Evidence::WAITS,
};

/// `ILB_MONOPOLY`: the same CPU serves nearly all kicks though many are idle.
fn monopoly(facts: &IdleBalancingFacts<'_>) -> Vec<Finding> {
    /// Fewer kicks in a window say nothing.
    const FEWEST: usize = 10;
    let mut found = Vec::new();
    let mut from = facts.from_ns;
    while from.saturating_add(MONOPOLY_NS) <= facts.to_ns {
        let first = facts.kicks.partition_point(|kick| kick.t_ns < from);
        let Some(next) = facts.kicks.get(first) else {
            break;
        };
        // Windows without a kick show nothing.
        from += (next.t_ns - from) / MONOPOLY_NS * MONOPOLY_NS;
        if from.saturating_add(MONOPOLY_NS) > facts.to_ns {
            break;
        }
        let to = from + MONOPOLY_NS;
        let end = facts.kicks.partition_point(|kick| kick.t_ns < to);
        let kicks = facts.kicks.get(first..end).unwrap_or_default();
        let mut targets: BTreeMap<u32, u64> = BTreeMap::new();
        for kick in kicks {
            *targets.entry(kick.target).or_default() += 1;
        }
        let idle = facts.idle.between(from, to) / MONOPOLY_NS;
        let worst = targets.into_iter().max_by_key(|target| target.1);
        if let Some((cpu, count)) = worst {
            let share = count * 100 / kicks.len().max(1) as u64;
            if kicks.len() >= FEWEST && idle >= MONOPOLY_IDLE && share > MONOPOLY_PERCENT {
                let cost = pass_ns(facts, Some(cpu), from, to);
                let summary = format!(
                    "CPU {cpu} served {count} of {} kicks ({share} %) within 10 s though {idle} CPUs were idle on average; its \
                     passes took {}.",
                    kicks.len(),
                    time(cost),
                );
                found.push(Finding {
                    label: Label::Observed,
                    from_ns: from,
                    to_ns: to,
                    summary,
                    impact_ms: cost as f64 / 1e6,
                    ..ILB_MONOPOLY.finding(Label::Inferred, facts.from_ns, facts.to_ns)
                });
            }
        }
        from = to;
    }
    found.sort_by(|a, b| b.impact_ms.total_cmp(&a.impact_ms));
    found.truncate(numalens_subject::findings::MOST);
    found
}

pub(crate) const ILB_STORM: FindingEntry = FindingEntry {
    id: "ILB_STORM",
    title: "Idle-balance kicks at nearly every tick",
    meaning: "Kicks came at nearly every tick, and each interrupts an idle CPU.",
    kernel: "kick_ilb",
    threshold: "as many kicks as jiffies for 1 s",
    cost: "time of the passes",
    evidence: Evidence::WAITS,
};

/// `ILB_STORM`: a kick per jiffy or more, for a second or more.
fn storm(facts: &IdleBalancingFacts<'_>) -> Vec<Finding> {
    let many = facts.hz.max(1) as usize;
    let mut stretches: Vec<(u64, u64)> = Vec::new();
    for span in facts.kicks.windows(many) {
        let (Some(first), Some(last)) = (span.first(), span.last()) else {
            continue;
        };
        let to = first.t_ns.saturating_add(STORM_NS);
        if last.t_ns >= to {
            continue;
        }
        match stretches.last_mut() {
            Some(open) if open.1 >= first.t_ns => open.1 = to,
            _ => stretches.push((first.t_ns, to)),
        }
    }
    let found = stretches.into_iter().map(|(from, to)| {
        let first = facts.kicks.partition_point(|kick| kick.t_ns < from);
        let end = facts.kicks.partition_point(|kick| kick.t_ns < to);
        let cost = pass_ns(facts, None, from, to);
        let summary = format!(
            "{} kicks came within {:.1} s, one per jiffy or more; their passes took {} of CPU time.",
            end - first,
            (to - from) as f64 / 1e9,
            time(cost),
        );
        Finding {
            label: Label::Observed,
            from_ns: from,
            to_ns: to.min(facts.to_ns),
            summary,
impact_ms: cost as f64 / 1e6,
..ILB_STORM.finding(Label::Inferred, facts.from_ns, facts.to_ns)
        }
    });
    found.take(numalens_subject::findings::MOST).collect()
}

pub(crate) const PICK_BLOCKED: FindingEntry = FindingEntry {
    id: "PICK_BLOCKED",
    title: "No CPU could be picked for idle balancing",
    meaning: "No CPU could be chosen as idle load balancer although CPUs were idle.",
    kernel: "nohz_kick_needed",
    threshold: "before 3.13 (or as what-if): 10 ticks that sent no kick because two CPUs were picked",
    cost: "waste in those jiffies",
    evidence: Evidence::WAITS,
};

/// `PICK_BLOCKED`: CPUs with waiting tasks could not kick, because two others were picked to (2011; gone in 3.13).
fn pick_blocked(facts: &IdleBalancingFacts<'_>) -> Vec<Finding> {
    let Some(label) = older(facts, (3, 13)) else {
        return Vec::new();
    };
    let blocked: Vec<&Annotation> = of_2011(facts)
        .filter(|note| note.kind == Kind::PickBlocked)
        .collect();
    if blocked.len() < BLOCKED_TICKS {
        return Vec::new();
    }
    let jiffy = 1_000_000_000 / u64::from(facts.hz.max(1));
    let jiffies = blocked
        .iter()
        .map(|note| (note.t_ns, note.t_ns.saturating_add(jiffy), note.cpu));
    let (cost, occurrences) = wasted(facts.waste, jiffies);
    let summary = format!(
        "{} ticks on CPUs with waiting tasks sent no kick, because only two picked CPUs may send one, and those did not. In the following jiffies, CPUs were idle while tasks waited ({} of CPU time).",
        blocked.len(),
        time(cost),
    );
    vec![
        Finding {
            label,
            missing: vec![GATE.to_owned()],
            summary,
            impact_ms: cost as f64 / 1e6,
            ..PICK_BLOCKED.finding(Label::Inferred, facts.from_ns, facts.to_ns)
        }
        .at(occurrences),
    ]
}

pub(crate) const ILB_ABORTED: FindingEntry = FindingEntry {
    id: "ILB_ABORTED",
    title: "Idle balancing aborted",
    meaning: "The balancing CPU got a task of its own and stopped before it had balanced for all idle CPUs.",
    kernel: "_nohz_idle_balance, need_resched",
    threshold: "more than 20 % of kicked passes aborted",
    cost: "waste until the next pass",
    evidence: Evidence::WAITS,
};

/// `ILB_ABORTED`: passes end because a task comes.
fn aborted(facts: &IdleBalancingFacts<'_>) -> Vec<Finding> {
    let kicked = || facts.passes.iter().filter(|pass| pass.kicked);
    let ended = || kicked().filter(|pass| pass.aborted);
    let (count, all) = (ended().count(), kicked().count());
    if count * 100 <= all * ABORTED_PERCENT {
        return Vec::new();
    }
    let until = |pass: &ObservedPass| (pass.to_ns, served_by(facts, pass.to_ns), pass.cpu);
    let (cost, occurrences) = wasted(facts.waste, ended().map(until));
    let mut missing = vec!["need_resched".to_owned()];
    if !facts.kinds.has(IlbKind::Balance) {
        missing.push("rebalance_domains".to_owned());
    }
    let summary = format!(
        "{count} of {all} passes ({:.0} %) ended within 50 µs because a task came onto their CPU, so other idle CPUs may not have been served. Until the next pass, CPUs were idle while tasks waited ({} of CPU time).",
        count as f64 * 100.0 / all.max(1) as f64,
        time(cost),
    );
    vec![
        Finding {
            missing,
            summary,
            impact_ms: cost as f64 / 1e6,
            ..ILB_ABORTED.finding(Label::Inferred, facts.from_ns, facts.to_ns)
        }
        .at(occurrences),
    ]
}

detectors! {
    IdleBalancingFacts<'_>;
    ILB_LATCHED => latched,
    ILB_MONOPOLY => monopoly,
    ILB_STORM => storm,
    PICK_BLOCKED => pick_blocked,
    ILB_ABORTED => aborted,
    BUSY_PULL => busy_pull,
    DOMAINS_NARROWER => narrower,
    LONG_SEARCH => long,
    SEARCH_LEFT_TASKS => left_tasks,
}
