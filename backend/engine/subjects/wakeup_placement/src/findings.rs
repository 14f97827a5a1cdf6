//! `WAKEUP_MISSED_IDLE`: wakeups put tasks on busy CPUs while others were idle.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use numalens_core::provenance::Label;
use numalens_subject::detectors;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{Evidence, Finding, FindingEntry, MOST, Severity};
use numalens_subject::window::time;

use crate::catalogue::MissedBy;
use crate::replay::Decision;

/// Less cost is not worth a finding, ns.
const LEAST_NS: u64 = 10_000_000;
/// Most occurrences that are kept.
const KEPT: usize = 1000;

/// A wakeup that put a task on a busy CPU while another was idle that the task may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissedWakeup {
    /// Time of the request, ns.
    pub from_ns: u64,
    /// End of the wait that followed, ns.
    pub to_ns: u64,
    /// Part of that wait that no other finding counts, ns.
    pub cost_ns: u64,
    /// The task.
    pub pid: i32,
    /// The busy CPU.
    pub cpu: u32,
}

/// Wakeups of a window that missed an idle CPU of which something recorded shows that the task may use it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissedIdle {
    /// By rule: wakeups, and the waits that followed, task-ns.
    pub by: BTreeMap<MissedBy, (u64, u64)>,
    /// Cost of these waits beyond what other findings count, task-ns.
    pub cost_ns: u64,
    /// Cost by pid.
    pub tasks: BTreeMap<i32, u64>,
    /// The costliest, the first one most.
    pub costliest: Vec<MissedWakeup>,
}

impl MissedIdle {
    /// Adds a decision of a window that ends at `to_ns`.
    pub fn add(&mut self, decision: &Decision, to_ns: u64) {
        let Some(missed) = decision.missed.filter(|missed| missed.proven) else {
            return;
        };
        let wait_ns = decision.wait_ns(to_ns);
        // The kernel leaves a task that ran lately: no balancer moves it, so the wakeup alone decided.
        let cost_ns = decision.hot_ns.min(wait_ns);
        let by = self.by.entry(missed.by).or_default();
        *by = (by.0 + 1, by.1.saturating_add(wait_ns));
        self.cost_ns = self.cost_ns.saturating_add(cost_ns);
        let task = self.tasks.entry(decision.pid).or_default();
        *task = task.saturating_add(cost_ns);
        if cost_ns == 0 {
            return;
        }
        self.costliest.push(MissedWakeup {
            from_ns: decision.ts_ns,
            to_ns: decision.ran_ns.min(to_ns),
            cost_ns,
            pid: decision.pid,
            cpu: decision.cpu,
        });
        if self.costliest.len() >= 2 * KEPT {
            self.keep_costliest();
        }
    }

    pub(crate) fn keep_costliest(&mut self) {
        self.costliest
            .sort_by_key(|one| (Reverse(one.cost_ns), one.from_ns, one.pid));
        self.costliest.truncate(KEPT);
    }

    /// Number of wakeups and forks.
    #[must_use]
    pub fn wakeups(&self) -> u64 {
        self.by.values().map(|one| one.0).sum()
    }

    /// Length of the waits that followed, task-ns.
    #[must_use]
    pub fn wait_ns(&self) -> u64 {
        self.by
            .values()
            .map(|one| one.1)
            .fold(0, u64::saturating_add)
    }
}

/// Input of the detector.
#[derive(Debug, Clone, Copy)]
pub struct PlacementFacts<'a> {
    /// Start of the window, ns of the reference clock.
    pub from_ns: u64,
    /// End of the window.
    pub to_ns: u64,
    /// Wakeups that missed an idle CPU which the task may certainly use.
    pub missed: &'a MissedIdle,
    /// Pid, name and cost of their tasks, the costliest first; never the recorder.
    pub tasks: &'a [(i32, String, u64)],
    /// All waiting of the window, task-ns.
    pub waiting_ns: u64,
}

pub(crate) const WAKEUP_MISSED_IDLE: FindingEntry = FindingEntry {
    id: "WAKEUP_MISSED_IDLE",
    title: "Wakeups missed idle CPUs",
    meaning: "Wakeups put tasks on busy CPUs although a CPU within their affinity was idle.",
    kernel: "select_task_rq_fair, select_idle_sibling",
    threshold: "such wakeups cost 10 ms and 1 % of all waiting; only tasks whose recorded affinity includes the idle CPU count",
    cost: "waiting after such wakeups while the tasks are cache hot, so that no balancer moves them",
    evidence: Evidence::of("wakeup_placement", "idle_balancing"),
};

fn missed_idle(placement: &PlacementFacts<'_>) -> Vec<Finding> {
    let cost_ns: u64 = placement.tasks.iter().map(|task| task.2).sum();
    if cost_ns < LEAST_NS.max(placement.waiting_ns / 100) {
        return Vec::new();
    }
    let missed = placement.missed;
    let rules: Vec<String> = missed
        .by
        .iter()
        .map(|(by, (wakeups, _))| {
            let entry = by.entry();
            format!(
                "{} ({wakeups}: {})",
                entry.title.to_lowercase(),
                entry.kernel
            )
        })
        .collect();
    let named: Vec<String> = placement
        .tasks
        .iter()
        .take(3)
        .map(|(pid, comm, ns)| format!("{comm} ({pid}) {}", time(*ns)))
        .collect();
    let summary = format!(
        "{} wakeups put tasks on busy CPUs although a CPU within their affinity was idle: {}. The tasks then waited {}, including {} \
         in which they were cache hot, so that no balancer moved them: {}.",
        missed.wakeups(),
        rules.join(", "),
        time(missed.wait_ns()),
        time(cost_ns),
        named.join(", "),
    );
    let own = |pid: i32| placement.tasks.iter().any(|task| task.0 == pid);
    let places = missed.costliest.iter().filter(|one| own(one.pid));
    let places = places.map(|one| {
        Occurrence::new(one.from_ns, one.to_ns, one.cost_ns)
            .of([one.pid])
            .on(one.cpu)
    });
    let finding = WAKEUP_MISSED_IDLE.finding(Label::Inferred, placement.from_ns, placement.to_ns);
    vec![
        Finding {
            missing: vec!["loads, WF_SYNC and the depth of searches".to_owned()],
            impact_ms: cost_ns as f64 / 1e6,
            worst_task_ms: placement.tasks.first().map(|task| task.2 as f64 / 1e6),
            at_most: Severity::Medium,
            tasks: placement.tasks.len(),
            pids: placement
                .tasks
                .iter()
                .take(MOST)
                .map(|task| task.0)
                .collect(),
            summary,
            ..finding
        }
        .at(Occurrences::of(places)),
    ]
}

detectors! {
    PlacementFacts<'_>;
    WAKEUP_MISSED_IDLE => missed_idle,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missed(cost_ns: u64) -> MissedIdle {
        MissedIdle {
            by: [(MissedBy::OtherNode, (40, 3 * cost_ns))].into(),
            cost_ns,
            tasks: [(7, cost_ns)].into(),
            costliest: vec![MissedWakeup {
                from_ns: 100,
                to_ns: 100 + cost_ns,
                cost_ns,
                pid: 7,
                cpu: 2,
            }],
        }
    }

    fn found(missed: &MissedIdle, tasks: &[(i32, String, u64)], waiting_ns: u64) -> Vec<Finding> {
        detect(&PlacementFacts {
            from_ns: 0,
            to_ns: 1_000_000_000,
            missed,
            tasks,
            waiting_ns,
        })
    }

    #[test]
    fn only_what_costs_enough_is_found() {
        let tasks = |ns| [(7, "worker".to_owned(), ns)];
        let found_one = found(&missed(20_000_000), &tasks(20_000_000), 60_000_000);
        assert_eq!(found_one.len(), 1);
        assert_eq!(found_one[0].pids, [7]);
        assert_eq!(
            found_one[0].summary,
            "40 wakeups put tasks on busy CPUs although a CPU within their affinity was idle: other node (40: select_idle_sibling). The tasks then waited \
             60.0 ms, including 20.0 ms in which they were cache hot, so that no balancer moved them: worker (7) 20.0 ms."
        );
        // Little, or little of all waiting, or of the recorder only.
        assert!(found(&missed(9_000_000), &tasks(9_000_000), 60_000_000).is_empty());
        assert!(found(&missed(20_000_000), &tasks(20_000_000), 3_000_000_000).is_empty());
        assert!(found(&missed(20_000_000), &[], 60_000_000).is_empty());
    }
}
