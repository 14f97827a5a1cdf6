//! Tasks that go back and forth between nodes: `CLING_PINGPONG` and `WAKE_DRAG`.

use std::collections::BTreeMap;

use numalens_core::provenance::Label;
use numalens_replay::migrations::{How, Migration};
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{Evidence, Finding, FindingEntry, MOST};
use numalens_subject::window::time;

use crate::findings::{ClingFacts, at};

/// Round trips within [`WITHIN_NS`] that count as too many.
const TRIPS: usize = 3;
const WITHIN_NS: u64 = 60_000_000_000;
/// The share of a task's wake-ups from which on dragging counts.
const DRAGGED: f64 = 0.05;

/// A move to another node.
#[derive(Debug, Clone, Copy)]
struct Move {
    t_ns: u64,
    from: i32,
    to: i32,
    /// A wake-up placed it, by a waker on this node.
    waker: Option<i32>,
}

/// Members' moves between nodes in the window, by task and time.
fn moves(facts: &ClingFacts<'_>) -> BTreeMap<i32, Vec<Move>> {
    let mut all: BTreeMap<i32, Vec<Move>> = BTreeMap::new();
    let inside = |row: &&Migration| (facts.from_ns..=facts.to_ns).contains(&row.ts_ns);
    for row in facts.migrations.iter().filter(inside) {
        let node = |cpu: u32| (facts.node_of)(cpu);
        let (Some(from), Some(to)) = (node(row.orig_cpu), node(row.dest_cpu)) else {
            continue;
        };
        if from == to || (facts.group_of)(row.pid, row.ts_ns).is_none() {
            continue;
        }
        all.entry(row.pid).or_default().push(Move {
            t_ns: row.ts_ns,
            from,
            to,
            waker: (row.how == How::Waking).then(|| node(row.cpu)).flatten(),
        });
    }
    all
}

fn tell(
    facts: &ClingFacts<'_>,
    kind: &FindingEntry,
    pid: i32,
    stay: (&[(u64, u64)], bool),
    nodes: Vec<i32>,
    summary: &str,
) -> Finding {
    let (stays, known) = stay;
    let ran = |&(from, to): &(u64, u64)| facts.costs.ran_ns(pid, from, to);
    let away: Option<u64> = stays.iter().map(ran).sum();
    let places = stays
        .iter()
        .map(|stay| Occurrence::new(stay.0, stay.1, ran(stay).unwrap_or(0)).of([pid]));
    let mut missing = Vec::new();
    if away.is_none() {
        missing.push("when the task ran".to_owned());
    }
    if !known {
        missing.push("the task's preferred node".to_owned());
    }
    let remote = away.map_or_else(String::new, |away| {
        format!(" It ran for {} away from its node.", time(away))
    });
    Finding {
        // That cling has to do with it is a reading of the events.
        label: Label::Inferred,
        missing,
        impact_ms: away.unwrap_or(0) as f64 / 1e6,
        nodes,
        pids: vec![pid],
        summary: format!("{summary}{remote}"),
        ..kind.finding(Label::Inferred, facts.from_ns, facts.to_ns)
    }
    .at(Occurrences::of(places))
}

/// The worst of many.
fn worst(mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort_by(|a, b| b.impact_ms.total_cmp(&a.impact_ms));
    found.truncate(MOST);
    found
}

pub(crate) const CLING_PINGPONG: FindingEntry = FindingEntry {
    id: "CLING_PINGPONG",
    title: "Tasks bounce between nodes",
    meaning: "Each trip costs the caches and the local memory that the task had on the node it left.",
    kernel: "task_numa_migrate, load_balance",
    threshold: "3 round trips of a member within 60 s",
    cost: "run time off the preferred node",
    evidence: Evidence::CLING_MOVES,
};

/// Finds tasks that repeatedly leave a node and come back.
pub(super) fn pingpong(facts: &ClingFacts<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (pid, list) in moves(facts) {
        let mut trips: Vec<(u64, u64, i32)> = Vec::new();
        for pair in list.windows(2) {
            if let [there, back] = pair
                && there.to == back.from
                && back.to == there.from
            {
                trips.push((there.t_ns, back.t_ns, there.from));
            }
        }
        let too_many = trips
            .windows(TRIPS)
            .any(|few| match (few.first(), few.last()) {
                (Some(first), Some(last)) => last.1.saturating_sub(first.0) <= WITHIN_NS,
                _ => false,
            });
        let Some(first) = trips.first().filter(|_| too_many) else {
            continue;
        };
        let known = trips
            .iter()
            .all(|trip| facts.prefs.at(pid, trip.0).is_some());
        // Trips of which the far side is not the preferred node; both sides of a trip are trips of their own.
        let away: Vec<(u64, u64)> = trips
            .iter()
            .filter(|trip| match facts.prefs.at(pid, trip.0) {
                Some(pref) => pref.nid == trip.2,
                None => trip.2 == first.2,
            })
            .map(|trip| (trip.0, trip.1))
            .collect();
        let mut nodes: Vec<i32> = list.iter().flat_map(|step| [step.from, step.to]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let summary = format!(
            "Task {pid} left node {} and came back: {} round trips, starting {}.",
            first.2,
            trips.len(),
            at(facts, first.0),
        );
        let stays = (away.as_slice(), known);
        found.push(tell(facts, &CLING_PINGPONG, pid, stays, nodes, &summary));
    }
    worst(found)
}

pub(crate) const WAKE_DRAG: FindingEntry = FindingEntry {
    id: "WAKE_DRAG",
    title: "Wakeups pull tasks off their node",
    meaning: "A waker on another node pulled the task off the node with most of its memory.",
    kernel: "select_task_rq_fair, wake_affine",
    threshold: "at least 5 % of a task's wakeups take it off its preferred node to its waker's",
    cost: "run time there within one scan period",
    evidence: Evidence::CLING_MOVES,
};

/// Wake-ups take a task off its preferred node, to the waker's.
pub(super) fn wake_drag(facts: &ClingFacts<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (pid, list) in moves(facts) {
        let mut stays: Vec<(u64, u64)> = Vec::new();
        let mut nodes = Vec::new();
        for (at, step) in list.iter().enumerate() {
            let home = facts
                .prefs
                .at(pid, step.t_ns)
                .is_some_and(|pref| pref.nid == step.from);
            if !home || step.waker.is_none_or(|waker| waker == step.from) {
                continue;
            }
            let next = list.get(at + 1).map_or(facts.to_ns, |next| next.t_ns);
            let until = next
                .min(step.t_ns.saturating_add(facts.scan_ns))
                .min(facts.to_ns);
            stays.push((step.t_ns, until));
            nodes.extend([step.from, step.to]);
        }
        let Some(woken) = facts.costs.wakeups(pid).filter(|&woken| woken > 0) else {
            continue;
        };
        let share = stays.len() as f64 / woken as f64;
        if stays.is_empty() || share < DRAGGED {
            continue;
        }
        nodes.sort_unstable();
        nodes.dedup();
        let summary = format!(
            "{} of {woken} wakeups ({:.0} %) took task {pid} off its preferred node to its waker's.",
            stays.len(),
            share * 100.0,
        );
        let stays = (stays.as_slice(), true);
        found.push(tell(facts, &WAKE_DRAG, pid, stays, nodes, &summary));
    }
    worst(found)
}
