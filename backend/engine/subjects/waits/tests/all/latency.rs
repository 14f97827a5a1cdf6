//! Waits: worked examples, and the meter against sorting and picking.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::convert::Infallible;

use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;
use numalens_replay::timeline::SliceRef;
use numalens_replay::waits::{Cause, CauseNs, WaitEnd, WaitFrom, WaitPart, WaitRow};
use numalens_subject::distribution::Distribution;
use numalens_subject::window::Names;
use numalens_support::rows::{nodes, source};
use numalens_waits::{Config, Latency, MAX_LIMIT, Meter};
use proptest::prelude::*;

/// Pids of the tasks; tasks 2 and 3 are one pid under two names.
const PIDS: [i32; 6] = [0, 11, 12, 12, 14, 15];
const COMMS: [&str; 6] = ["swapper/0", "a", "b", "exec", "d", "e"];

struct Known;

impl Names for Known {
    fn task(&self, task: TaskId) -> (i32, &str) {
        let at = task as usize;
        (
            PIDS.get(at).copied().unwrap_or(task as i32),
            COMMS.get(at).copied().unwrap_or("many"),
        )
    }

    fn cgroup(&self, group: u32) -> &str {
        ["/", "/web", "/db"][group as usize]
    }
}

fn cause(cause: Cause, ns: u64) -> CauseNs {
    CauseNs { cause, ns }
}

#[derive(Debug, Clone)]
struct Wait {
    row: WaitRow,
    causes: Vec<CauseNs>,
}

fn wait(from: WaitFrom, task: TaskId, cpu: u32, [start_ns, end_ns]: [u64; 2]) -> Wait {
    let causes = match end_ns - start_ns {
        0 => vec![],
        1 => vec![cause(Cause::IdleExit, 1)],
        ns => vec![cause(Cause::WakeUp, 1), cause(Cause::Busy, ns - 1)],
    };
    Wait {
        row: WaitRow {
            start_ns,
            end_ns,
            task,
            prio: 120,
            cpu,
            from_cpu: cpu + 1,
            from,
            end: WaitEnd::Ran,
            waker_pid: if task == 1 { 11 } else { -1 },
            group: task % 3,
        },
        causes,
    }
}

fn machine() -> Vec<Node> {
    nodes(&[&[0, 1], &[2, 3]])
}

struct Asked<'a> {
    slices: &'a [SliceRef],
    own: &'a [bool],
    requests: bool,
    cgroups: bool,
    limit: usize,
}

const PLAIN: Asked = Asked {
    slices: &[],
    own: &[],
    requests: true,
    cgroups: true,
    limit: 50,
};

fn measure(waits: &[Wait], asked: &Asked) -> Latency {
    let machine = machine();
    let mut meter = Meter::new(&Config {
        nodes: &machine,
        pids: &PIDS,
        own: asked.own,
        source: source(),
        requests: asked.requests,
        cgroups: asked.cgroups,
        limit: asked.limit,
    });
    for wait in waits {
        meter.wait(&WaitPart::whole(&wait.row, &wait.causes));
    }
    let ran = |wait: &WaitRow, from_ns: u64, to_ns: u64| {
        let mut sums: BTreeMap<u32, u64> = BTreeMap::new();
        for found in asked.slices.iter().filter(|found| found.cpu == wait.cpu) {
            let inside = found
                .end_ns
                .min(to_ns)
                .saturating_sub(found.start_ns.max(from_ns));
            if inside > 0 {
                *sums.entry(found.task).or_default() += inside;
            }
        }
        let mut ran: Vec<_> = sums.into_iter().collect();
        ran.sort_by_key(|&(task, ns)| (Reverse(ns), task));
        Ok::<_, Infallible>(ran)
    };
    meter.finish(&Known, ran).unwrap()
}

use WaitFrom::{Preempted, Wakeup, Waking};

fn ran(cpu: u32, task: u32, start_ns: u64, end_ns: u64) -> SliceRef {
    SliceRef {
        cpu,
        task,
        prio: 120,
        start_ns,
        end_ns,
    }
}

#[test]
fn the_answer_has_the_names_of_the_report() {
    let waits = [
        wait(Waking, 1, 0, [100, 110]),
        wait(Preempted, 1, 2, [112, 115]),
        wait(Waking, 4, 2, [120, 150]),
        wait(Waking, 0, 0, [0, 1000]),
    ];
    let slices = [
        // Began before the wait and ends in it, runs in it, runs beyond it; the last is on another CPU.
        ran(2, 2, 90, 125),
        ran(2, 5, 125, 145),
        ran(2, 4, 150, 160),
        ran(1, 3, 100, 200),
    ];
    let found = measure(
        &waits,
        &Asked {
            slices: &slices,
            limit: 1,
            ..PLAIN
        },
    );
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "wakeups": 2,
            "wait_ns": 40,
            "p50_ns": 10, "p90_ns": 30, "p99_ns": 30, "max_ns": 30, "error_percent": 0,
            "worst": [{
                "pid": 14, "comm": "d", "task": 4,
                "waking_ns": 120, "switch_in_ns": 150, "wait_ns": 30,
                "cpu": 2, "from_cpu": 3, "nid": 10, "waker_pid": null, "prio": 120, "cgroup": "/web",
                "causes": [{"cause": "wake_up", "ns": 1}, {"cause": "busy", "ns": 29}],
                "antagonists": [
                    {"task": 5, "pid": 15, "comm": "e", "ns": 20},
                    {"task": 2, "pid": 12, "comm": "b", "ns": 4},
                ],
                "others": null,
            }],
            "preempted": {
                "count": 1, "wait_ns": 3,
                "p50_ns": 3, "p90_ns": 3, "p99_ns": 3, "max_ns": 3, "error_percent": 0,
                "causes": [{"cause": "wake_up", "ns": 1}, {"cause": "busy", "ns": 2}],
                "worst": [{
                    "pid": 11, "comm": "a", "task": 1,
                    "waking_ns": 112, "switch_in_ns": 115, "wait_ns": 3,
                    "cpu": 2, "from_cpu": 3, "nid": 10, "waker_pid": 11, "prio": 120, "cgroup": "/web",
                    "causes": [{"cause": "wake_up", "ns": 1}, {"cause": "busy", "ns": 2}],
                    "antagonists": [{"task": 2, "pid": 12, "comm": "b", "ns": 2}],
                    "others": null,
                }],
            },
            "new": {"count": 0, "wait_ns": 0, "p50_ns": null, "p90_ns": null, "p99_ns": null, "max_ns": null, "error_percent": 0,
                "causes": [], "worst": []},
            "unfinished": {"count": 0, "wait_ns": 0, "p50_ns": null, "p90_ns": null, "p99_ns": null, "max_ns": null, "error_percent": 0,
                "causes": [], "worst": []},
            "edges": {"begun_before": 0, "open_at_end": 0, "wait_ns": 0},
            "by_node": [
                {"nid": 0, "count": 1, "p50_ns": 10, "p90_ns": 10, "p99_ns": 10, "max_ns": 10, "error_percent": 0, "wait_ns": 10,
                 "causes": [{"cause": "wake_up", "ns": 1}, {"cause": "busy", "ns": 9}], "preempted": 0, "preempted_ns": 0,
                 "preempted_causes": [],
                 "all": {"p50_ns": 10, "p90_ns": 10, "p99_ns": 10, "max_ns": 10, "error_percent": 0}},
                {"nid": 10, "count": 1, "p50_ns": 30, "p90_ns": 30, "p99_ns": 30, "max_ns": 30, "error_percent": 0, "wait_ns": 30,
                 "causes": [{"cause": "wake_up", "ns": 1}, {"cause": "busy", "ns": 29}], "preempted": 1, "preempted_ns": 3,
                 "preempted_causes": [{"cause": "wake_up", "ns": 1}, {"cause": "busy", "ns": 2}],
                 "all": {"p50_ns": 3, "p90_ns": 30, "p99_ns": 30, "max_ns": 30, "error_percent": 0}},
            ],
            "by_task": [
                {"task": 4, "pid": 14, "comm": "d",
                 "count": 1, "p50_ns": 30, "p90_ns": 30, "p99_ns": 30, "max_ns": 30, "error_percent": 0, "wait_ns": 30,
                 "causes": [{"cause": "wake_up", "ns": 1}, {"cause": "busy", "ns": 29}], "preempted": 0, "preempted_ns": 0,
                 "preempted_causes": [],
                 "all": {"p50_ns": 30, "p90_ns": 30, "p99_ns": 30, "max_ns": 30, "error_percent": 0}},
            ],
            "tasks": 2,
            "by_cgroup": [
                {"cgroup": "/web",
                 "count": 2, "p50_ns": 10, "p90_ns": 30, "p99_ns": 30, "max_ns": 30, "error_percent": 0, "wait_ns": 40,
                 "causes": [{"cause": "wake_up", "ns": 2}, {"cause": "busy", "ns": 38}], "preempted": 1, "preempted_ns": 3,
                 "preempted_causes": [{"cause": "wake_up", "ns": 1}, {"cause": "busy", "ns": 2}],
                 "all": {"p50_ns": 10, "p90_ns": 30, "p99_ns": 30, "max_ns": 30, "error_percent": 0}},
            ],
            "causes": [{"cause": "wake_up", "ns": 2}, {"cause": "busy", "ns": 38}],
            "label": "replayed",
            "missing": [],
        })
    );
}

#[test]
fn without_requests_the_wake_ups_themselves_count() {
    let waits = [wait(Waking, 1, 0, [0, 10]), wait(Wakeup, 2, 0, [0, 30])];
    let with = measure(&waits, &PLAIN);
    assert_eq!((with.wakeups, with.spread.max_ns), (2, Some(30)));
    assert_eq!((with.tasks, with.label), (2, Label::Replayed));
    let without = measure(
        &waits[1..],
        &Asked {
            requests: false,
            ..PLAIN
        },
    );
    assert_eq!((without.wakeups, without.spread.max_ns), (1, Some(30)));
    assert_eq!(without.label, Label::Inferred);
    assert_eq!(without.missing, ["sched_waking"]);
}

#[test]
fn nothing_has_no_percentiles() {
    let found = measure(
        &[],
        &Asked {
            cgroups: false,
            ..PLAIN
        },
    );
    assert_eq!(
        (found.wakeups, found.spread.p50_ns, found.spread.max_ns),
        (0, None, None)
    );
    assert_eq!(found.preempted.spread.p99_ns, None);
    assert_eq!(found.by_node.len(), 2);
    assert!(found.by_task.is_empty() && found.by_cgroup.is_empty() && found.worst.is_empty());
}

#[test]
fn an_unknown_part_makes_it_inferred() {
    let mut unknown = wait(Preempted, 1, 0, [0, 10]);
    unknown.causes = vec![cause(Cause::Unknown, 10)];
    let found = measure(&[unknown], &PLAIN);
    assert_eq!(found.label, Label::Inferred);
    assert_eq!(found.missing, ["sched_switch"]);
}

#[test]
fn many_antagonists_are_summed_up() {
    let slices: Vec<SliceRef> = (0..13)
        .map(|at| SliceRef {
            cpu: 0,
            task: 100 + at,
            prio: 120,
            start_ns: u64::from(at) * 10,
            end_ns: u64::from(at) * 10 + if at == 7 { 9 } else { 4 },
        })
        .collect();
    let found = measure(
        &[wait(Waking, 1, 0, [2, 125])],
        &Asked {
            slices: &slices,
            ..PLAIN
        },
    );
    let worst = &found.worst[0];
    let order: Vec<(u32, u64)> = worst
        .antagonists
        .iter()
        .map(|antagonist| (antagonist.task, antagonist.ns))
        .collect();
    // The longest, then those that are as long by their numbers; the first ran for 2 ns of the wait, 1 ns of it while the task
    // came to its queue.
    assert_eq!(order[..3], [(107, 9), (101, 4), (102, 4)]);
    assert_eq!(order.len(), 10);
    let others = worst.others.unwrap();
    assert_eq!((others.tasks, others.ns), (3, 4 + 4 + 1));
}

#[test]
fn the_worst_are_the_longest_and_then_the_earliest() {
    let waits: Vec<Wait> = [[50, 60], [10, 20], [30, 45], [70, 80], [0, 3]]
        .into_iter()
        .map(|span| wait(Waking, 1, 0, span))
        .collect();
    let starts = |limit| -> Vec<u64> {
        let found = measure(&waits, &Asked { limit, ..PLAIN });
        found.worst.iter().map(|wait| wait.waking_ns).collect()
    };
    assert_eq!(starts(3), [30, 10, 50]);
    assert_eq!(starts(9), [30, 10, 50, 70, 0]);
    assert_eq!(starts(0), [0_u64; 0]);
}

#[test]
fn waits_of_the_recorder_come_last() {
    let waits = [(1, [10, 20]), (4, [30, 90]), (5, [40, 45])]
        .map(|(task, span)| wait(Waking, task, 0, span));
    let own = [false, false, false, false, true];
    let starts = |limit, own| -> Vec<u64> {
        let found = measure(
            &waits,
            &Asked {
                own,
                limit,
                ..PLAIN
            },
        );
        assert_eq!((found.wakeups, found.spread.max_ns), (3, Some(60)));
        found.worst.iter().map(|wait| wait.waking_ns).collect()
    };
    assert_eq!(starts(1, &own), [10]);
    assert_eq!(starts(9, &own), [10, 40, 30]);
    assert_eq!(starts(9, &[]), [30, 10, 40]);
}

#[test]
fn lists_have_an_end() {
    let waits: Vec<Wait> = (1..3000)
        .map(|task| wait(Waking, task, 0, [0, u64::from(task)]))
        .collect();
    let found = measure(
        &waits,
        &Asked {
            limit: usize::MAX,
            cgroups: false,
            ..PLAIN
        },
    );
    assert_eq!(
        (found.worst.len(), found.by_task.len()),
        (MAX_LIMIT, MAX_LIMIT)
    );
    assert_eq!(found.tasks, 2999);
    assert_eq!(found.by_task[0].task, 2999);
}

#[test]
fn any_number_fits_a_distribution() {
    let mut large = Distribution::default();
    for _ in 0..300 {
        large.add(u64::MAX);
        large.add(0);
    }
    assert_eq!(
        (large.count(), large.max(), large.sum()),
        (600, Some(u64::MAX), u64::MAX)
    );
    let [p50, p51] = large.percentiles([50, 51]);
    assert_eq!(p50, Some(0));
    assert!(p51.unwrap() >= 1 << 62);
}

/// The smallest value with at least so many percent of all at or below it.
fn pick(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// All that can be asked of a distribution.
fn answers(distribution: &Distribution) -> (u64, u64, Option<u64>, u8, Vec<Option<u64>>) {
    let percents: [u64; 101] = std::array::from_fn(|percent| percent as u64);
    (
        distribution.count(),
        distribution.sum(),
        distribution.max(),
        distribution.error_percent(),
        distribution.percentiles(percents).to_vec(),
    )
}

fn fill(values: &[u64]) -> Distribution {
    let mut filled = Distribution::default();
    for &value in values {
        filled.add(value);
    }
    filled
}

/// Lengths of waits, of all magnitudes; often as many as are kept one by one, or a little more.
fn values() -> impl Strategy<Value = Vec<u64>> {
    let value = (0_u32..44, any::<u64>()).prop_map(|(bits, value)| value % (1 << bits));
    prop_oneof![
        prop::collection::vec(value.clone(), 0..20),
        prop::collection::vec(value.clone(), 100..400),
        prop::collection::vec(value, 400..900),
    ]
}

fn waits() -> impl Strategy<Value = Vec<Wait>> {
    let one = (0_u8..5, 0_u32..6, 0_u32..4, 0_u64..80, 0_u64..20);
    prop::collection::vec(one, 0..60).prop_map(|waits| {
        let mut waits: Vec<Wait> = waits
            .into_iter()
            .map(|(from, task, cpu, start_ns, ns)| {
                let from = match from {
                    0 => Wakeup,
                    1 => Preempted,
                    _ => Waking,
                };
                wait(from, task, cpu, [start_ns, start_ns + ns])
            })
            .collect();
        waits.sort_by_key(|wait| wait.row.end_ns);
        waits
    })
}

fn lengths(waits: &[Wait], keep: impl Fn(&WaitRow) -> bool) -> Vec<u64> {
    let kept = waits.iter().filter(|wait| keep(&wait.row));
    let mut lengths: Vec<u64> = kept
        .map(|wait| wait.row.end_ns - wait.row.start_ns)
        .collect();
    lengths.sort_unstable();
    lengths
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn percentiles_are_picked_from_the_sorted(values in values()) {
        let told = fill(&values);
        let mut sorted = values;
        sorted.sort_unstable();
        for percent in 0..=100 {
            let (truth, [told]) = (pick(&sorted, percent), told.percentiles([percent as u64]));
            if sorted.len() <= 256 {
                prop_assert_eq!(told, truth);
            } else {
                let (truth, told) = (truth.unwrap(), told.unwrap());
                prop_assert!(told >= truth && told - truth <= truth / 100, "{} {}", told, truth);
            }
        }
        prop_assert_eq!(told.error_percent(), u8::from(sorted.len() > 256));
    }

    #[test]
    fn merging_is_adding_all(one in values(), two in values()) {
        let mut merged = fill(&one);
        merged.merge(&fill(&two));
        let mut turned = fill(&two);
        turned.merge(&fill(&one));
        let both = fill(&[one, two].concat());
        prop_assert_eq!(answers(&merged), answers(&both));
        prop_assert_eq!(answers(&turned), answers(&both));
    }

    #[test]
    fn many_at_once_are_as_many_one_by_one(one in values(), two in values()) {
        let mut together = fill(&one);
        prop_assert_eq!(together.extend(two.iter().copied()), two.iter().sum::<u64>());
        prop_assert_eq!(answers(&together), answers(&fill(&[one, two].concat())));
    }

    #[test]
    fn sums_and_percentiles_are_those_of_the_waits(waits in waits(), requests: bool, limit in 0_usize..8) {
        let found = measure(&waits, &Asked { requests, limit, ..PLAIN });
        let is_wakeup = |wait: &WaitRow| wait.task != 0 && matches!(wait.from, Waking | Wakeup);
        let is_preempted = |wait: &WaitRow| wait.task != 0 && wait.from == Preempted;
        let all = lengths(&waits, is_wakeup);
        let told = [found.spread.p50_ns, found.spread.p90_ns, found.spread.p99_ns, found.spread.max_ns];
        prop_assert_eq!(told, [pick(&all, 50), pick(&all, 90), pick(&all, 99), pick(&all, 100)]);
        prop_assert_eq!((found.wakeups, found.wait_ns), (all.len() as u64, all.iter().sum::<u64>()));
        prop_assert_eq!(found.causes.iter().map(|cause| cause.ns).sum::<u64>(), found.wait_ns);
        let preempted = lengths(&waits, is_preempted);
        let told = [found.preempted.spread.p50_ns, found.preempted.spread.p90_ns, found.preempted.spread.p99_ns];
        prop_assert_eq!(told, [pick(&preempted, 50), pick(&preempted, 90), pick(&preempted, 99)]);
        prop_assert_eq!(found.preempted.causes.iter().map(|cause| cause.ns).sum::<u64>(), found.preempted.wait_ns);
        prop_assert_eq!(
            lengths(&waits, |wait| wait.task != 0).len() as u64,
            found.wakeups + found.preempted.count + found.new.count + found.unfinished.count
        );
        // The worst.
        let longest: Vec<u64> = all.iter().rev().take(limit).copied().collect();
        let told: Vec<u64> = found.worst.iter().map(|wait| wait.wait_ns).collect();
        prop_assert_eq!(told, longest);
        prop_assert!(found.worst.is_sorted_by_key(|wait| (std::cmp::Reverse(wait.wait_ns), wait.waking_ns)));
        for wait in found.worst.iter().chain(&found.preempted.worst) {
            prop_assert_eq!(wait.causes.iter().map(|cause| cause.ns).sum::<u64>(), wait.wait_ns);
            prop_assert_eq!(wait.switch_in_ns - wait.waking_ns, wait.wait_ns);
        }
        // Groups.
        for node in &found.by_node {
            let on = |cpu: u32| (cpu / 2) * 10 == node.nid;
            let own = lengths(&waits, |wait| is_wakeup(wait) && on(wait.cpu));
            prop_assert_eq!((node.count, node.spread.p90_ns, node.wait_ns), (own.len() as u64, pick(&own, 90), own.iter().sum::<u64>()));
            prop_assert_eq!(node.causes.iter().map(|cause| cause.ns).sum::<u64>(), node.wait_ns);
            let own = lengths(&waits, |wait| is_preempted(wait) && on(wait.cpu));
            prop_assert_eq!((node.preempted, node.preempted_ns), (own.len() as u64, own.iter().sum::<u64>()));
            prop_assert_eq!(node.preempted_causes.iter().map(|cause| cause.ns).sum::<u64>(), node.preempted_ns);
        }
        for task in &found.by_task {
            let own = lengths(&waits, |wait| is_wakeup(wait) && wait.task == task.task);
            prop_assert_eq!((task.count, task.spread.p50_ns, task.wait_ns), (own.len() as u64, pick(&own, 50), own.iter().sum::<u64>()));
            prop_assert_eq!((task.pid, task.comm.as_str()), (PIDS[task.task as usize], COMMS[task.task as usize]));
            let own = lengths(&waits, |wait| is_preempted(wait) && wait.task == task.task);
            prop_assert_eq!((task.preempted, task.preempted_ns), (own.len() as u64, own.iter().sum::<u64>()));
            prop_assert_eq!(task.preempted_causes.iter().map(|cause| cause.ns).sum::<u64>(), task.preempted_ns);
        }
        prop_assert_eq!(found.by_task.len(), limit.min(found.tasks));
        prop_assert!(found.by_task.is_sorted_by_key(|task| std::cmp::Reverse(task.wait_ns + task.preempted_ns)));
        for group in &found.by_cgroup {
            let path = |wait: &WaitRow| Known.cgroup(wait.group) == group.cgroup;
            let own = lengths(&waits, |wait| is_wakeup(wait) && path(wait));
            prop_assert_eq!((group.count, group.spread.p99_ns), (own.len() as u64, pick(&own, 99)));
        }
    }

    #[test]
    fn adjoining_windows_have_all_but_what_crosses(waits in waits(), cut in 0_u64..100) {
        let of = |from: u64, to: u64| -> Vec<Wait> {
            waits.iter().filter(|wait| wait.row.start_ns >= from && wait.row.end_ns <= to).cloned().collect()
        };
        let crossing: Vec<Wait> = waits.iter().filter(|wait| wait.row.start_ns < cut && wait.row.end_ns > cut).cloned().collect();
        let zero = |wait: &Wait| wait.row.start_ns == cut && wait.row.end_ns == cut;
        prop_assume!(!waits.iter().any(zero));
        let [one, two, across, all] = [of(0, cut), of(cut, 1000), crossing, waits.clone()].map(|waits| measure(&waits, &PLAIN));
        prop_assert_eq!(one.wakeups + two.wakeups + across.wakeups, all.wakeups);
        prop_assert_eq!(one.wait_ns + two.wait_ns + across.wait_ns, all.wait_ns);
        prop_assert_eq!(one.preempted.wait_ns + two.preempted.wait_ns + across.preempted.wait_ns, all.preempted.wait_ns);
    }

    #[test]
    fn the_clocks_zero_means_nothing(waits in waits(), shift in 0_u64..1 << 60) {
        let shifted: Vec<Wait> = waits.iter().map(|wait| Wait {
            row: WaitRow { start_ns: wait.row.start_ns + shift, end_ns: wait.row.end_ns + shift, ..wait.row },
            causes: wait.causes.clone(),
        }).collect();
        let mut moved = measure(&shifted, &PLAIN);
        for wait in moved.worst.iter_mut().chain(&mut moved.preempted.worst) {
            wait.waking_ns -= shift;
            wait.switch_in_ns -= shift;
        }
        prop_assert_eq!(measure(&waits, &PLAIN), moved);
    }
}
