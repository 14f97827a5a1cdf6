//! `MEMORY_LEFT_BEHIND`: a task went to another node, its memory did not, and its loads stay slower for it.

use numalens_core::provenance::Label;
use numalens_subject::detectors;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{
    Evidence, Finding, FindingEntry, MOST, Severity, distinct, worst_pids,
};
use numalens_subject::window::time;

use crate::{MemoryOutcome, NEAR, Paid};

/// Inputs of the detector.
#[derive(Debug, Clone, Copy)]
pub struct MemorySampleFacts<'a> {
    /// Start of the window, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Tasks that were sampled on one node and then on another.
    pub moves: &'a [MemoryMoveFacts],
}

/// A task that was sampled on one node and then on another (`docs/algorithms/common.md`, K22).
#[derive(Debug, Clone)]
pub struct MemoryMoveFacts {
    pub(crate) pid: i32,
    pub(crate) comm: String,
    pub(crate) from_nid: u32,
    pub(crate) to_nid: u32,
    /// Arrival and last sample there, ns.
    pub(crate) stay_ns: (u64, u64),
    /// Outcome for its memory.
    pub(crate) memory: MemoryOutcome,
    /// The second half of the stay against the time before.
    pub(crate) lasts: Paid,
    /// Mean latency of its loads before, and in the second half of the stay, cycles.
    pub(crate) cycles: [Option<f64>; 2],
    /// The share of the second half's loads from memory that another node's served.
    pub(crate) remote_share: Option<f64>,
    pub(crate) label: Label,
    pub(crate) missing: Vec<String>,
}

impl MemoryMoveFacts {
    /// The time that its loads took longer, if it did nothing but load, ns; `None` unless its memory stayed and costs it that to the end.
    fn cost_ns(&self) -> Option<u64> {
        let stayed = self.memory == MemoryOutcome::Stayed && self.lasts == Paid::Slower;
        let remote = self.remote_share.is_some_and(|share| share >= NEAR);
        let [Some(before), Some(late)] = self.cycles else {
            return None;
        };
        let (from_ns, to_ns) = self.stay_ns;
        let longer = to_ns.saturating_sub(from_ns) as f64 * (1.0 - before / late);
        (stayed && remote).then_some(longer.max(0.0) as u64)
    }
}

pub(crate) const MEMORY_LEFT_BEHIND: FindingEntry = FindingEntry {
    id: "MEMORY_LEFT_BEHIND",
    title: "Memory left behind",
    meaning: "The task moved to another node, its memory stayed on the old one, and its loads remained slower.",
    kernel: "migrate_misplaced_folio (older: migrate_misplaced_page)",
    threshold: "loads in the second half of the stay are at least 5 % and two standard errors slower than before, and another node serves at least 10 % of the loads from memory",
    cost: "upper bound of the extra load time: as if the task did nothing but load",
    evidence: Evidence::LOADS,
};

fn left_behind(facts: &MemorySampleFacts<'_>) -> Vec<Finding> {
    let mut all: Vec<(u64, &MemoryMoveFacts)> = facts
        .moves
        .iter()
        .filter_map(|one| Some((one.cost_ns()?, one)))
        .collect();
    all.sort_by_key(|(ns, one)| (std::cmp::Reverse(*ns), one.stay_ns, one.pid));
    let Some(&(worst_ns, worst)) = all.first() else {
        return Vec::new();
    };
    let ms = |ns: u64| ns as f64 / 1e6;
    let mut missing: Vec<String> = Vec::new();
    for name in all.iter().flat_map(|(_, one)| &one.missing) {
        if !missing.contains(name) {
            missing.push(name.clone());
        }
    }
    let label = all.iter().map(|(_, one)| one.label).max();
    let mut pids = worst_pids(all.iter().map(|(ns, one)| (one.pid, *ns)), all.len());
    let tasks = pids.len();
    pids.truncate(MOST);
    let nodes = all
        .iter()
        .flat_map(|(_, one)| [one.from_nid as i32, one.to_nid as i32]);
    let count = match all.len() {
        1 => String::new(),
        more => format!("{more} times; the worst: "),
    };
    let [before, late] = worst.cycles.map(Option::unwrap_or_default);
    let summary = format!(
        "{count}{} ({}) moved from node {} to node {} and its memory stayed. Another node served {:.0} % of its loads from memory, and a load took {late:.0} cycles instead of {before:.0}, at most {} in all.",
        worst.comm,
        worst.pid,
        worst.from_nid,
        worst.to_nid,
        worst.remote_share.unwrap_or_default() * 100.0,
        time(worst_ns),
    );
    let places = all
        .iter()
        .map(|(ns, one)| Occurrence::new(one.stay_ns.0, one.stay_ns.1, *ns).of([one.pid]));
    let finding = Finding {
        missing,
        impact_ms: all.iter().map(|(ns, _)| ms(*ns)).sum(),
        worst_task_ms: Some(ms(worst_ns)),
        // How much of its time a task loads is not known.
        at_most: Severity::Medium,
        nodes: distinct(nodes),
        tasks,
        pids,
        summary,
        ..MEMORY_LEFT_BEHIND.finding(label.unwrap_or(Label::Inferred), facts.from_ns, facts.to_ns)
    };
    vec![finding.at(Occurrences::of(places))]
}

detectors! {
    MemorySampleFacts<'_>;
    MEMORY_LEFT_BEHIND => left_behind,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::findings::detect;

    const MS: u64 = 1_000_000;

    fn moved() -> MemoryMoveFacts {
        MemoryMoveFacts {
            pid: 7,
            comm: "db".to_owned(),
            from_nid: 0,
            to_nid: 1,
            stay_ns: (100 * MS, 500 * MS),
            memory: MemoryOutcome::Stayed,
            lasts: Paid::Slower,
            cycles: [Some(100.0), Some(400.0)],
            remote_share: Some(0.8),
            label: Label::Observed,
            missing: Vec::new(),
        }
    }

    fn found(moves: &[MemoryMoveFacts]) -> Vec<Finding> {
        detect(&MemorySampleFacts {
            from_ns: 0,
            to_ns: 1000 * MS,
            moves,
        })
    }

    #[test]
    fn memory_that_stayed_and_costs_is_found() {
        let one = found(&[moved()]).pop().unwrap();
        assert_eq!(one.id, "MEMORY_LEFT_BEHIND");
        assert_eq!(
            (one.label, one.at_most),
            (Label::Observed, Severity::Medium)
        );
        // Of 400 ms three quarters.
        assert!((one.impact_ms - 300.0).abs() < 1e-6, "{}", one.impact_ms);
        assert_eq!((one.from_ns, one.to_ns), (100 * MS, 500 * MS));
        assert_eq!(
            (one.pids.as_slice(), one.nodes.as_slice()),
            (&[7][..], &[0, 1][..])
        );
        assert!(one.summary.contains("db (7)"), "{}", one.summary);
        let worse = MemoryMoveFacts {
            pid: 8,
            stay_ns: (0, 900 * MS),
            label: Label::Inferred,
            missing: vec!["addresses".to_owned()],
            ..moved()
        };
        let both = found(&[moved(), worse]).pop().unwrap();
        assert_eq!((both.pids.as_slice(), both.tasks), (&[8, 7][..], 2));
        assert_eq!((both.label, both.missing.len()), (Label::Inferred, 1));
        assert!(both.summary.starts_with("2 times"), "{}", both.summary);
    }

    #[test]
    fn look_alikes_are_not() {
        let not = [
            // Remote at first, and the memory followed.
            MemoryMoveFacts {
                memory: MemoryOutcome::Followed,
                ..moved()
            },
            // Remote, and as fast.
            MemoryMoveFacts {
                lasts: Paid::Same,
                ..moved()
            },
            // Too few samples.
            MemoryMoveFacts {
                memory: MemoryOutcome::Unknown,
                ..moved()
            },
            MemoryMoveFacts {
                lasts: Paid::Unknown,
                cycles: [None, Some(400.0)],
                ..moved()
            },
            // It stayed, and the task uses other pages: something else makes it slow.
            MemoryMoveFacts {
                remote_share: Some(0.02),
                ..moved()
            },
        ];
        for one in not {
            assert_eq!(found(std::slice::from_ref(&one)), [], "{one:?}");
        }
    }
}
