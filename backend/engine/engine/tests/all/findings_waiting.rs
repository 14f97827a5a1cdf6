//! Claims about waiting: each with waits of which it is true, and with some that look like them and of which it is not.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::convert::Infallible;

use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_engine::catalogue;
use numalens_engine::headline::Headline;
use numalens_replay::waits::{Cause, CauseNs, WaitEnd, WaitFrom, WaitPart, WaitRow};
use numalens_subject::findings::{Finding, Severity, rank};
use numalens_subject::window::Names;
use numalens_waits::findings::{Meanwhile, Tally, Waiting, WaitingFacts, detect};
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) const MS: u64 = 1_000_000;
/// The window, ns.
pub(crate) const WINDOW: u64 = 1_000 * MS;

/// What the detectors find, ranked.
pub(crate) fn find(facts: &WaitingFacts<'_>) -> Vec<Finding> {
    let waited_ns = facts.waiting.total_ns;
    rank(
        detect(facts),
        facts.from_ns,
        facts.to_ns,
        facts.cpus,
        waited_ns,
    )
}

struct Known;

impl Names for Known {
    fn task(&self, task: TaskId) -> (i32, &str) {
        (
            task as i32,
            ["idle", "victim", "hog", "other", "hog"][task as usize],
        )
    }

    fn cgroup(&self, group: u32) -> &str {
        ["/", "/capped"][group as usize]
    }
}

/// A wait: who, from when, and for what how long.
pub(crate) type Wait<'a> = (TaskId, u64, &'a [(Cause, u64)]);

/// Waits after preemptions in cgroup 1, while a task 2 ran all but 1 ns.
pub(crate) fn waiting(waits: &[Wait<'_>]) -> Waiting {
    waiting_from(|_| WaitFrom::Preempted, waits)
}

/// The same; `from` says by a wait's begin what began it.
fn waiting_from(from: impl Fn(u64) -> WaitFrom, waits: &[Wait<'_>]) -> Waiting {
    let mut rows: Vec<(WaitRow, Vec<CauseNs>)> = Vec::new();
    for &(task, start_ns, causes) in waits {
        let ns: u64 = causes.iter().map(|cause| cause.1).sum();
        let row = WaitRow {
            start_ns,
            end_ns: start_ns + ns,
            task,
            prio: 120,
            cpu: 3,
            from_cpu: 3,
            from: from(start_ns),
            end: WaitEnd::Ran,
            waker_pid: -1,
            group: 1,
        };
        let causes = causes.iter().map(|&(cause, ns)| CauseNs { cause, ns });
        rows.push((row, causes.collect()));
    }
    rows.sort_by_key(|one| std::cmp::Reverse(one.0.end_ns));
    let mut tally = Tally::default();
    for (row, causes) in &rows {
        tally.wait(&WaitPart::whole(row, causes));
    }
    let meanwhile = |row: &WaitRow| -> Result<Meanwhile, Infallible> {
        let (from, to) = (row.start_ns, row.end_ns);
        assert!(
            rows.iter()
                .any(|one| (one.0.start_ns, one.0.end_ns) == (from, to))
        );
        Ok(Meanwhile {
            cpus: vec![1, row.cpu],
            ran: vec![(2, to - from - 1), (3, 1)],
        })
    };
    tally.finish(WINDOW, &Known, true, meanwhile).unwrap()
}

pub(crate) fn facts(waiting: &Waiting, affinity: bool) -> WaitingFacts<'_> {
    WaitingFacts {
        from_ns: 0,
        to_ns: WINDOW,
        cpus: 4,
        waiting,
        label: Label::Replayed,
        missing: &[],
        affinity,
        steal_ns: None,
        sched_ext: None,
        wakeups: true,
        offline: false,
    }
}

pub(crate) fn all(waiting: &Waiting, affinity: bool) -> Vec<Finding> {
    let found = find(&facts(waiting, affinity));
    for sentence in found.iter().flat_map(|one| one.summary.split(". ")) {
        assert!(sentence.split(' ').count() <= 35, "{sentence}");
    }
    found
}

/// Of a wait of task 1 from 100 ms on.
fn found(causes: &[(Cause, u64)], affinity: bool) -> Vec<Finding> {
    all(&waiting(&[(1, 100 * MS, causes)]), affinity)
}

fn one(causes: &[(Cause, u64)]) -> Finding {
    let mut found = found(causes, false);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn who_gets_more_of_the_cpu_is_said_with_the_reason() {
    let mut waiting = waiting(&[(1, 100 * MS, &[(Cause::Busy, 50 * MS)])]);
    let said = |waiting: &Waiting| all(waiting, false).remove(0).summary;
    assert!(!said(&waiting).contains("weight"));
    assert!(said(&waiting).contains("victim (1) lost 50.0 ms on CPUs 1 and 3, "));
    waiting
        .weigh(|wait, other| {
            assert_eq!((wait.task, other.task, other.pid), (1, 2, 2));
            Ok::<_, Infallible>(Some("nice 19 against nice 0".to_owned()))
        })
        .unwrap();
    let said = said(&waiting);
    let expected = "while hog (2) ran there for 50.0 ms. That task has a larger weight (nice 19 against nice 0).";
    assert!(said.ends_with(expected), "{said}");
}

#[test]
fn each_cause_is_of_one_claim() {
    for (cause, id) in [
        (Cause::PassedOverSameNode, "PASSED_OVER"),
        (Cause::PassedOverOtherNode, "PASSED_OVER"),
        (Cause::NumaKept, "PASSED_OVER"),
        (Cause::ImbalanceAllowed, "PASSED_OVER"),
        (Cause::KickDropped, "ILB_KICK_DROPPED"),
        (Cause::Busy, "CPU_SATURATED"),
        (Cause::BehindHigherClass, "RT_HOG"),
        (Cause::PinnedBehindHigherClass, "RT_HOG"),
        (Cause::Pinned, "PINNED_HOTSPOT"),
        (Cause::ProbablyPinned, "PINNED_HOTSPOT"),
        (Cause::Throttled, "CGROUP_THROTTLE"),
        (Cause::Interrupt, "IRQ_STORM"),
        (Cause::Softirq, "IRQ_STORM"),
        (Cause::NumaScan, "NUMA_SCAN"),
        (Cause::NewIdle, "NEWIDLE"),
        (Cause::Steal, "STEAL"),
        (Cause::HardwareNoise, "HARDWARE_NOISE"),
        (Cause::NotEligible, "CPU_SATURATED"),
        (Cause::LaterDeadline, "CPU_SATURATED"),
        (Cause::SliceProtected, "CPU_SATURATED"),
        (Cause::ShortBehindBuddy, "BUDDY_FIRST"),
        (Cause::ScxQueued, "SCX_QUEUED"),
        (Cause::ScxStalled, "SCX_STALLED"),
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
    for cause in [
        Cause::WakeUp,
        Cause::IdleExit,
        Cause::MigrationCost,
        Cause::Unknown,
    ] {
        assert!(found(&[(cause, 200 * MS)], false).is_empty());
    }
}

#[test]
fn many_new_tasks_on_busy_cpus_are_a_fork_storm() {
    let busy: &[(Cause, u64)] = &[(Cause::Busy, 10 * MS)];
    let waited = |new: u64, old: u64| {
        let waits: Vec<Wait<'_>> = (0..new + old)
            .map(|at| (1 + (at % 3) as TaskId, at * MS, busy))
            .collect();
        let from = |start_ns| {
            if start_ns < new * MS {
                WaitFrom::New
            } else {
                WaitFrom::Waking
            }
        };
        waiting_from(from, &waits)
    };
    let found = |new, old| all(&waited(new, old), false);
    let storm = found(120, 80);
    let ids: Vec<_> = storm.iter().map(|one| one.id).collect();
    assert_eq!(ids, ["FORK_STORM"]);
    let summary = &storm[0].summary;
    assert!(
        summary.contains(
            "60 % of this waiting is that of 120 new tasks (120 a second) before their first run. "
        ),
        "{summary}"
    );
    assert!(!summary.contains("  "), "{summary}");
    let begin = |cpus| {
        let waiting = waited(1, 199);
        let waiting = WaitingFacts {
            cpus,
            ..facts(&waiting, false)
        };
        find(&waiting)[0].summary.clone()
    };
    assert!(begin(4).starts_with("None of the 4 CPUs was seen idle while "));
    assert!(begin(1).starts_with("The only CPU was never seen idle while "));
    assert!((storm[0].impact_ms - 2000.0).abs() < 1e-9);
    let said = |new, old| {
        let waiting = waited(new, old);
        let found = all(&waiting, false);
        Headline::of(4, None, Some(&facts(&waiting, false)), &found, Vec::new()).summary
    };
    assert!(said(120, 80).contains("a fork storm while no CPU was idle"));
    assert!(!said(120, 120).contains("storm"));
    // Fewer new tasks, or many whose waiting is the smaller part: busy CPUs.
    for (new, old) in [(99, 0), (120, 120), (0, 200)] {
        let ids: Vec<_> = found(new, old).iter().map(|one| one.id).collect();
        assert_eq!(ids, ["CPU_SATURATED"], "{new} {old}");
    }
}

#[test]
fn the_catalogue_has_the_causes_of_findings_about_waiting() {
    let rows: serde_json::Value = serde_json::from_slice(&catalogue().unwrap()).unwrap();
    let causes = |id: &str| {
        let kinds = rows["findings"].as_array().unwrap();
        let kind = kinds.iter().find(|kind| kind["id"] == id).unwrap();
        kind["evidence"].get("causes").cloned()
    };
    assert_eq!(
        causes("IRQ_STORM"),
        Some(serde_json::json!(["interrupt", "softirq"]))
    );
    assert_eq!(causes("CPU_SATURATED"), causes("FORK_STORM"));
    assert_eq!(causes("ILB_LATCHED"), None);
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
fn a_slow_cpu_of_a_guest_is_no_finding_of_weight() {
    let long = one(&[(Cause::IdleUnexplained, 20 * MS)]);
    assert_eq!(long.severity, Severity::Medium);
    let short = (Cause::IdleUnexplained, 19 * MS);
    let waits: Vec<Wait<'_>> = (0..5)
        .map(|at| (1, at * 100 * MS, std::slice::from_ref(&short)))
        .collect();
    let waiting = waiting(&waits);
    assert_eq!(all(&waiting, false)[0].severity, Severity::Low);
    let said = |steal_ns| {
        let waiting = WaitingFacts {
            steal_ns,
            ..facts(&waiting, false)
        };
        find(&waiting)[0].summary.clone()
    };
    assert!(said(Some(0)).contains("(in a guest, perhaps stolen by the host)"));
    let taken = "(in a guest, steal time in /proc/stat: 230.0 ms over all CPUs)";
    assert!(said(Some(230 * MS)).contains(taken));
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
fn what_no_task_waited_longest_for_is_not_high() {
    let severity = |waits: &[Wait<'_>], id: &str| {
        let found = all(&waiting(waits), false);
        found.iter().find(|one| one.id == id).unwrap().severity
    };
    // A task that is bound to a busy CPU waits on when the other CPUs are busy, too: that is not what it lacks.
    let bound: Wait<'_> = (1, 0, &[(Cause::Pinned, 400 * MS), (Cause::Busy, 200 * MS)]);
    assert_eq!(severity(&[bound], "CPU_SATURATED"), Severity::Medium);
    assert_eq!(severity(&[bound], "PINNED_HOTSPOT"), Severity::High);
    // Others wait for nothing else, one of them long enough.
    let short: Wait<'_> = (2, 0, &[(Cause::Busy, 99 * MS)]);
    assert_eq!(severity(&[bound, short], "CPU_SATURATED"), Severity::Medium);
    let long: Wait<'_> = (2, 0, &[(Cause::Busy, 100 * MS)]);
    assert_eq!(severity(&[bound, long], "CPU_SATURATED"), Severity::High);
    // The same task, which waits longer on busy CPUs in all.
    let busier: Wait<'_> = (1, 700 * MS, &[(Cause::Busy, 201 * MS)]);
    assert_eq!(severity(&[bound, busier], "CPU_SATURATED"), Severity::High);
}

#[test]
fn sentences_are_short() {
    for causes in [
        [
            Cause::PassedOverSameNode,
            Cause::PassedOverOtherNode,
            Cause::ImbalanceAllowed,
            Cause::NumaKept,
        ],
        [
            Cause::IdleSameNode,
            Cause::IdleOtherNode,
            Cause::PendingBalance,
            Cause::IdleUnexplained,
        ],
    ] {
        let causes = causes.map(|cause| (cause, 50 * MS));
        let waits = [1, 2, 3].map(|task| (task, u64::from(task) * MS, &causes[..]));
        let found = all(&waiting(&waits), false);
        assert!(
            found[0].summary.matches(". ").count() >= 4,
            "{}",
            found[0].summary
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
    assert!(late(false).summary.contains("some may be pinned"));
    assert!(
        late(true)
            .summary
            .contains("Their sampled affinity allows it")
    );
    assert_eq!(late(false).missing, ["cpus_allowed"]);
    let throttled = one(&[(Cause::Throttled, 50 * MS)]);
    assert_eq!(throttled.cgroup.as_deref(), Some("/capped"));
}

#[test]
fn occurrences_are_clusters_of_waits() {
    let busy = |ms: u64| [(Cause::Busy, ms * MS)];
    let (long, short) = (busy(40), busy(20));
    // Two overlap and a third adjoins; one is separate.
    let waiting = waiting(&[
        (1, 100 * MS, &long),
        (2, 130 * MS, &short),
        (1, 150 * MS, &short),
        (3, 500 * MS, &long),
    ]);
    let found = all(&waiting, false).remove(0);
    assert_eq!((found.from_ns, found.to_ns), (100 * MS, 170 * MS));
    assert_eq!(found.occurrences.count, 2);
    let places: Vec<_> = found
        .occurrences
        .worst
        .iter()
        .map(|one| (one.cost_ms, one.tasks, &one.pids[..], &one.cpus[..]))
        .collect();
    assert_eq!(
        places,
        [
            (80.0, 2, &[1, 2][..], &[3][..]),
            (40.0, 1, &[3][..], &[3][..])
        ]
    );
}

#[test]
fn what_if_is_the_waiting_without_it() {
    let waiting = waiting(&[
        (1, 0, &[(Cause::Busy, 300 * MS), (Cause::Pinned, 100 * MS)]),
        (2, 0, &[(Cause::Pinned, 350 * MS)]),
    ]);
    let found = all(&waiting, false);
    let what_if = |id: &str| {
        let finding = found.iter().find(|one| one.id == id).unwrap();
        let what_if = finding.what_if.unwrap();
        assert_eq!(what_if.label, Label::WhatIf);
        (what_if.waiting_ms, what_if.longest_wait_ms)
    };
    assert_eq!(what_if("CPU_SATURATED"), (450.0, 350.0));
    assert_eq!(what_if("PINNED_HOTSPOT"), (300.0, 300.0));
}

const CAUSES: [Cause; 8] = [
    Cause::Busy,
    Cause::Pinned,
    Cause::Throttled,
    Cause::Softirq,
    Cause::IdleSameNode,
    Cause::IdleUnexplained,
    Cause::WakeUp,
    Cause::Unknown,
];

proptest! {
    #[test]
    fn occurrences_cost_what_the_finding_costs(
        waits in vec((1..4u32, 0..800u64, vec((0..CAUSES.len(), 1..25u64), 1..4)), 1..60),
    ) {
        let waits: Vec<_> = waits
            .into_iter()
            .map(|(task, from, causes)| {
                let causes = causes.into_iter().map(|(at, ms)| (CAUSES[at], ms * MS));
                (task, from * MS, causes.collect::<Vec<_>>())
            })
            .collect();
        let rows: Vec<Wait<'_>> = waits.iter().map(|one| (one.0, one.1, &one.2[..])).collect();
        let waiting = waiting(&rows);
        for finding in all(&waiting, false) {
            let worst = &finding.occurrences.worst;
            let sum: f64 = worst.iter().map(|one| one.cost_ms).sum();
            let cost_ms = finding.occurrences.cost_ms;
            prop_assert!((sum - cost_ms).abs() < 1e-6, "{finding:?}");
            let most = WINDOW as f64 / 1e6 * 4.0;
            prop_assert!((finding.impact_ms - cost_ms.min(most)).abs() < 1e-6, "{finding:?}");
            prop_assert_eq!(finding.occurrences.count, worst.len() as u64);
            prop_assert_eq!((finding.from_ns, finding.to_ns), (worst[0].from_ns, worst[0].to_ns));
            prop_assert!(worst.is_sorted_by(|a, b| a.cost_ms >= b.cost_ms));
            let mut places: Vec<_> = worst.iter().map(|one| (one.from_ns, one.to_ns)).collect();
            places.sort_unstable();
            prop_assert!(places.windows(2).all(|pair| pair[0].1 < pair[1].0));
            let what_if = finding.what_if.unwrap().waiting_ms;
            let total = waiting.total_ns as f64 / 1e6;
            prop_assert!((what_if + cost_ms - total).abs() < 1e-6);
        }
    }
}
