//! Claims about waiting: each with waits of which it is true, and with some that look like them and of which it is not.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::convert::Infallible;

use numalens_analysis::findings::waiting::{Tally, WaitingFacts};
use numalens_analysis::findings::{Facts, Finding, Severity, find};
use numalens_analysis::window::Names;
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_replay::waits::{Cause, CauseNs, WaitEnd, WaitFrom, WaitPart, WaitRow};

const MS: u64 = 1_000_000;
/// The window, ns.
const WINDOW: u64 = 1_000 * MS;

struct Known;

impl Names for Known {
    fn task(&self, task: TaskId) -> (i32, &str) {
        (
            task as i32,
            ["idle", "victim", "hog", "other"][task as usize],
        )
    }

    fn cgroup(&self, group: u32) -> &str {
        ["/", "/capped"][group as usize]
    }
}

/// A wait of task 1 in cgroup 1 from 100 ms on, while task 2 ran.
fn found(causes: &[(Cause, u64)], affinity: bool) -> Vec<Finding> {
    let ns: u64 = causes.iter().map(|cause| cause.1).sum();
    let row = WaitRow {
        start_ns: 100 * MS,
        end_ns: 100 * MS + ns,
        task: 1,
        prio: 120,
        cpu: 3,
        from_cpu: 3,
        from: WaitFrom::Preempted,
        end: WaitEnd::Ran,
        waker_pid: -1,
        group: 1,
    };
    let causes: Vec<_> = causes
        .iter()
        .map(|&(cause, ns)| CauseNs { cause, ns })
        .collect();
    let mut tally = Tally::default();
    tally.wait(&WaitPart::whole(&row, &causes));
    let ran = |cpu, from, to| -> Result<Vec<(TaskId, u64)>, Infallible> {
        assert_eq!((cpu, from, to), (3, row.start_ns, row.end_ns));
        Ok(vec![(3, 1), (2, ns - 1)])
    };
    let waiting = tally.finish(&Known, true, ran).unwrap();
    find(&Facts {
        from_ns: 0,
        to_ns: WINDOW,
        cpus: 4,
        waiting: Some(WaitingFacts {
            from_ns: 0,
            to_ns: WINDOW,
            cpus: 4,
            waiting: &waiting,
            label: Label::Replayed,
            missing: &[],
            affinity,
        }),
        ..Facts::default()
    })
}

fn one(causes: &[(Cause, u64)]) -> Finding {
    let mut found = found(causes, false);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn each_cause_is_of_one_claim() {
    for (cause, id) in [
        (Cause::Busy, "CPU_SATURATED"),
        (Cause::BehindHigherClass, "RT_HOG"),
        (Cause::PinnedBehindHigherClass, "RT_HOG"),
        (Cause::Pinned, "PINNED_HOTSPOT"),
        (Cause::ProbablyPinned, "PINNED_HOTSPOT"),
        (Cause::Throttled, "CGROUP_THROTTLE"),
        (Cause::Interrupt, "IRQ_STORM"),
        (Cause::Softirq, "IRQ_STORM"),
        (Cause::IdleSameNode, "ILB_LATE"),
        (Cause::IdleOtherNode, "ILB_LATE"),
        (Cause::PendingBalance, "ILB_LATE"),
        (Cause::IdleUnexplained, "IDLE_UNEXPLAINED"),
    ] {
        let finding = one(&[(cause, 200 * MS)]);
        assert_eq!(finding.id, id);
        assert!((finding.impact_ms - 200.0).abs() < 1e-9);
        assert_eq!((finding.from_ns, finding.to_ns), (100 * MS, 300 * MS));
        assert!(
            finding.summary.contains("victim (1)"),
            "{}",
            finding.summary
        );
        assert!(
            finding.summary.contains("hog (2) ran there for 200.0 ms"),
            "{}",
            finding.summary
        );
    }
    for cause in [Cause::WakeUp, Cause::IdleExit, Cause::Unknown] {
        assert!(found(&[(cause, 200 * MS)], false).is_empty());
    }
}

#[test]
fn claims_share_no_time() {
    let all = found(&[(Cause::Busy, 300 * MS), (Cause::Pinned, 100 * MS)], false);
    let costs: Vec<_> = all.iter().map(|one| (one.id, one.impact_ms)).collect();
    assert_eq!(costs, [("CPU_SATURATED", 300.0), ("PINNED_HOTSPOT", 100.0)]);
}

#[test]
fn short_waiting_is_not_worth_a_word() {
    assert!(found(&[(Cause::Busy, 10 * MS - 1)], false).is_empty());
    assert_eq!(one(&[(Cause::Busy, 10 * MS)]).severity, Severity::Medium);
    // 1 % of all waiting.
    let few = [(Cause::Busy, 500 * MS), (Cause::Softirq, 4 * MS)];
    assert_eq!(found(&few, false).len(), 1);
}

#[test]
fn what_is_inferred_is_never_high() {
    for (cause, severity, label) in [
        (Cause::Busy, Severity::High, Label::Replayed),
        (Cause::Pinned, Severity::High, Label::Replayed),
        (Cause::ProbablyPinned, Severity::Medium, Label::Inferred),
        (Cause::IdleSameNode, Severity::Medium, Label::Inferred),
        (Cause::IdleUnexplained, Severity::Medium, Label::Inferred),
    ] {
        let finding = one(&[(cause, 500 * MS)]);
        assert_eq!(
            (finding.severity, finding.label),
            (severity, label),
            "{cause:?}"
        );
    }
}

#[test]
fn sentences_say_what_is_known() {
    // What most of it rests on decides.
    let mostly = |probably, surely| {
        one(&[(Cause::Pinned, surely), (Cause::ProbablyPinned, probably)]).summary
    };
    assert!(mostly(60 * MS, 50 * MS).contains("probably pinned"));
    assert!(!mostly(50 * MS, 60 * MS).contains("probably"));
    let bound = one(&[(Cause::PinnedBehindHigherClass, 50 * MS)]).summary;
    assert!(bound.contains("pinned"), "{bound}");
    let free = one(&[(Cause::BehindHigherClass, 50 * MS)]).summary;
    assert!(!free.contains("pinned"), "{free}");
    // Where affinity was sampled, it is no excuse.
    let late = |affinity| found(&[(Cause::IdleSameNode, 50 * MS)], affinity).remove(0);
    assert!(late(false).summary.contains("bound by affinity"));
    assert!(!late(true).summary.contains("bound by affinity"));
    assert_eq!(late(false).missing, ["cpus_allowed"]);
    let throttled = one(&[(Cause::Throttled, 50 * MS)]);
    assert_eq!(throttled.cgroup.as_deref(), Some("/capped"));
}
