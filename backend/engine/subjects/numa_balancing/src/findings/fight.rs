//! `NUMA_LB_FIGHT`: the NUMA balancer brought a task to a node, and something else took it off again within a second.

use std::collections::HashMap;

use numalens_core::provenance::Label;
use numalens_core::topology::Node;
use numalens_replay::migrations::{How, Migration};
use numalens_replay::numa::Verdict;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{
    Evidence, Finding, FindingEntry, MOST, Severity, distinct, worst_pids,
};
use numalens_subject::window::{lowered, times};

use crate::findings as numa_balancing;
use crate::findings::NumaBalancingFacts;

/// Time in which a task that leaves counts, ns (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const WITHIN_NS: u64 = 1_000_000_000;
/// Minimum number in [`OVER_NS`] for a finding (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const MANY: usize = 3;
/// See [`MANY`], ns.
pub(super) const OVER_NS: u64 = 60_000_000_000;
/// Or such a share of the moves, percent (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const SHARE_PERCENT: usize = 10;

/// A task that the NUMA balancer brought to a node.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    pid: i32,
    nid: i32,
    cpu: i32,
    start_ns: u64,
    end_ns: u64,
}

/// A task that was taken off the node.
#[derive(Debug, Clone, Copy)]
struct Fight {
    pid: i32,
    nid: i32,
    from_ns: u64,
    to_ns: u64,
    waking: bool,
}

/// The node of each CPU.
struct Where(HashMap<u32, i32>);

impl Where {
    fn new(nodes: &[Node]) -> Self {
        let of = |node: &Node| {
            let nid = node.nid as i32;
            node.cpus
                .iter()
                .map(move |&cpu| (cpu, nid))
                .collect::<Vec<_>>()
        };
        Self(nodes.iter().flat_map(of).collect())
    }

    fn nid(&self, cpu: u32) -> Option<i32> {
        self.0.get(&cpu).copied()
    }
}

/// The tasks that successful attempts brought to nodes, by time.
fn arrivals(facts: &NumaBalancingFacts<'_>) -> Vec<Arrival> {
    let mut all = Vec::new();
    for attempt in facts.attempts {
        let arrival = Arrival {
            pid: attempt.pid,
            nid: attempt.dst_nid,
            cpu: attempt.dst_cpu,
            start_ns: attempt.start_ns,
            end_ns: attempt.end_ns,
        };
        match (attempt.verdict, attempt.partner) {
            (Verdict::Swapped, Some(partner)) => all.extend([
                arrival,
                Arrival {
                    pid: partner.pid,
                    nid: attempt.src_nid,
                    cpu: attempt.src_cpu,
                    ..arrival
                },
            ]),
            (Verdict::Moved | Verdict::Swapped, _) => all.push(arrival),
            _ => {}
        }
    }
    all
}

/// The fights of one task. `own` are its arrivals and `migrations` its migrations, both by time.
fn fights(own: &[Arrival], migrations: &[&Migration], places: &Where, to_ns: u64) -> Vec<Fight> {
    // Which migration each arrival is: the first one to its CPU since the attempt began.
    let mut numa = vec![false; migrations.len()];
    let arrived: Vec<(Arrival, usize, u64)> = own
        .iter()
        .map(|arrival| {
            let first = migrations.partition_point(|one| one.ts_ns < arrival.start_ns);
            let last = arrival
                .end_ns
                .max(arrival.start_ns)
                .saturating_add(WITHIN_NS);
            let found = migrations.iter().enumerate().skip(first);
            let found = found
                .take_while(|(_, one)| one.ts_ns <= last)
                .find(|(at, one)| i64::from(one.dest_cpu) == i64::from(arrival.cpu) && !numa[*at]);
            if let Some((at, one)) = found {
                numa[at] = true;
                return (*arrival, at + 1, one.ts_ns);
            }
            // Its migration is not recorded: what follows its end is not it.
            let next = migrations.partition_point(|one| one.ts_ns <= arrival.end_ns);
            (*arrival, next, arrival.end_ns)
        })
        .collect();
    let leaves = |nid: i32, one: &Migration| {
        places.nid(one.orig_cpu) == Some(nid)
            && places.nid(one.dest_cpu).is_some_and(|dest| dest != nid)
    };
    let mut fights = Vec::new();
    for (arrival, next, at_ns) in arrived {
        let later = migrations.iter().enumerate().skip(next);
        let left = later
            .take_while(|(_, one)| one.ts_ns <= at_ns.saturating_add(WITHIN_NS))
            .find(|(_, one)| leaves(arrival.nid, one));
        let Some((at, left)) = left.filter(|(at, _)| !numa[*at]) else {
            continue;
        };
        // Until it comes back, or the NUMA balancer wants it elsewhere.
        let end = migrations
            .iter()
            .enumerate()
            .skip(at + 1)
            .find(|(at, one)| numa[*at] || places.nid(one.dest_cpu) == Some(arrival.nid));
        fights.push(Fight {
            pid: arrival.pid,
            nid: arrival.nid,
            from_ns: left.ts_ns,
            to_ns: end.map_or(to_ns, |(_, one)| one.ts_ns).max(left.ts_ns),
            waking: left.how == How::Waking,
        });
    }
    fights
}

pub(crate) const NUMA_LB_FIGHT: FindingEntry = FindingEntry {
    id: "NUMA_LB_FIGHT",
    title: "NUMA balancer and load balancer ping-pong",
    meaning: "The load balancer and the NUMA balancer undo each other's moves.",
    kernel: "load_balance, task_numa_migrate",
    threshold: "a task that the NUMA balancer brought to a node is taken off it by something else within 1 s, 3 times in 60 s or 10 % of the placements",
    cost: "time on the other node",
    evidence: Evidence::NUMA_BALANCING,
};

/// One finding for the window.
pub(super) fn fight(facts: &NumaBalancingFacts<'_>) -> Vec<Finding> {
    let Some(migrations) = facts.migrations else {
        return Vec::new();
    };
    let arrivals = arrivals(facts);
    let mut tasks: HashMap<i32, (Vec<Arrival>, Vec<&Migration>)> = HashMap::new();
    for arrival in &arrivals {
        tasks.entry(arrival.pid).or_default().0.push(*arrival);
    }
    for migration in migrations {
        if let Some(task) = tasks.get_mut(&migration.pid) {
            task.1.push(migration);
        }
    }
    let places = Where::new(facts.nodes);
    let mut all: Vec<Fight> = tasks
        .values()
        .flat_map(|(own, migrations)| fights(own, migrations, &places, facts.to_ns))
        .collect();
    all.sort_by_key(|fight| (fight.from_ns, fight.pid));
    let crowded = all
        .iter()
        .zip(all.iter().skip(MANY - 1))
        .any(|(first, last)| last.from_ns - first.from_ns < OVER_NS);
    let Some(first) = all.first() else {
        return Vec::new();
    };
    if !crowded && all.len() * 100 < SHARE_PERCENT * arrivals.len() {
        return Vec::new();
    }
    let away_ns = all
        .iter()
        .map(|fight| fight.to_ns - fight.from_ns)
        .fold(0, u64::saturating_add);
    let waking = all.iter().filter(|fight| fight.waking).count();
    let (label, missing) = lowered(facts.attempts_source, &[]);
    vec![Finding {
        label,
        missing,
        impact_ms: away_ns as f64 / 1e6,
        at_most: Severity::Medium,
        // Once or twice may be chance, and no task is known to have lost anything by it.
        worst_task_ms: (all.len() < MANY).then_some(0.0),
        nodes: distinct(all.iter().map(|fight| fight.nid)),
        pids: worst_pids(
            all.iter()
                .map(|fight| (fight.pid, fight.to_ns - fight.from_ns)),
            MOST,
        ),
        summary: format!(
            "Tasks that the NUMA balancer had brought to a node were taken off it within 1 s {} of {} ({waking} by a wakeup), the first {}. They were on another node for {}.",
            times(all.len() as u64),
            arrivals.len(),
            numa_balancing::at(facts, first.from_ns),
            numa_balancing::time(away_ns),
        ),
        ..NUMA_LB_FIGHT.finding(Label::Observed, facts.from_ns, facts.to_ns)
    }
    .at(Occurrences::of(all.iter().map(|fight| {
        Occurrence::new(fight.from_ns, fight.to_ns, fight.to_ns - fight.from_ns).of([fight.pid])
    })))]
}
