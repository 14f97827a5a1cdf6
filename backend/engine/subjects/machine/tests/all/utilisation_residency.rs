//! Where tasks ran: worked examples, and against a model that looks at every ns.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::collections::BTreeMap;

use numalens_core::topology::Node;
use numalens_machine::utilisation::{NodeRun, Residencies, Residency, merged};
use numalens_replay::timeline::SliceRef;
use numalens_replay::waits::{WaitEnd, WaitFrom, WaitRow};
use numalens_subject::window::Names;
use numalens_support::rows::{nodes, source};
use proptest::prelude::*;

/// Task 0 is the idle task; the others are called after their number.
struct Pids;

impl Names for Pids {
    fn task(&self, task: u32) -> (i32, &str) {
        (task as i32, "worker")
    }

    fn cgroup(&self, _: u32) -> &'static str {
        "/"
    }
}

fn slice(cpu: u32, task: u32, start_ns: u64, end_ns: u64) -> SliceRef {
    SliceRef {
        cpu,
        task,
        prio: 120,
        start_ns,
        end_ns,
    }
}

fn wait(task: u32, start_ns: u64, end_ns: u64) -> WaitRow {
    WaitRow {
        start_ns,
        end_ns,
        task,
        prio: 120,
        cpu: 0,
        from_cpu: 0,
        from: WaitFrom::Waking,
        end: WaitEnd::Ran,
        waker_pid: -1,
        group: 0,
    }
}

fn reside(
    machine: &[Node],
    slices: &[SliceRef],
    waits: &[WaitRow],
    [from_ns, to_ns]: [u64; 2],
    limit: usize,
) -> Residencies {
    let mut residency = Residency::new(machine, from_ns, to_ns, &source());
    for slice in slices {
        residency.slice(slice);
    }
    for wait in waits {
        residency.wait(wait);
    }
    residency.finish(limit, &Pids)
}

#[test]
fn a_task_goes_to_the_other_node_and_back() {
    let machine = nodes(&[&[0, 1], &[70]]);
    let slices = [
        slice(0, 5, 0, 10),
        slice(1, 5, 12, 15),
        slice(70, 5, 20, 40),
        slice(70, 0, 40, 90),
        slice(1, 5, 41, 60),
        slice(0, 6, 50, 52),
    ];
    let waits = [
        wait(5, 10, 12),
        wait(5, 15, 20),
        wait(5, 60, 99),
        wait(7, 1, 2),
    ];
    let found = reside(&machine, &slices, &waits, [5, 50], 10);
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "tasks": [
                {"task": 5, "pid": 5, "comm": "worker", "run_ns": 37, "wait_ns": 7,
                 "nodes": [{"nid": 0, "run_ns": 17}, {"nid": 10, "run_ns": 20}], "migrations_node": 2, "cpus": 3},
            ],
            "total": 1,
            "label": "replayed",
            "missing": [],
        })
    );
    let found = reside(&machine, &slices, &waits, [0, 60], 2);
    assert_eq!(found.total, 3);
    let order: Vec<u32> = found.tasks.iter().map(|task| task.task).collect();
    assert_eq!(order, [5, 6]);
}

#[test]
fn lanes_are_merged_by_their_starts() {
    let lanes = vec![
        vec![slice(0, 1, 0, 1), slice(0, 2, 5, 6)],
        vec![],
        vec![slice(2, 3, 0, 9), slice(2, 4, 4, 5), slice(2, 5, 5, 6)],
    ];
    let lanes = lanes.into_iter().map(Vec::into_iter).collect();
    let order: Vec<u32> = merged(lanes).map(|slice| slice.task).collect();
    assert_eq!(order, [1, 3, 4, 2, 5]);
}

/// Per CPU of three: stays that follow each other.
fn lanes() -> impl Strategy<Value = Vec<Vec<SliceRef>>> {
    let lane = prop::collection::vec((0_u64..4, 1_u64..6, 0_u32..4), 0..8);
    prop::collection::vec(lane, 3).prop_map(|lanes| {
        (0..)
            .zip(lanes)
            .map(|(cpu, lane)| {
                let mut now = 0;
                lane.into_iter()
                    .map(|(pause, ns, task)| {
                        let start_ns = now + pause;
                        now = start_ns + ns;
                        slice(cpu, task, start_ns, now)
                    })
                    .collect()
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_ns_on_a_cpu_is_somebodys(lanes in lanes(), mut ends in [0_u64..40, 0_u64..40]) {
        ends.sort_unstable();
        let [from, to] = ends;
        let machine = nodes(&[&[0, 1], &[2]]);
        let order: Vec<SliceRef> = merged(lanes.iter().map(|lane| lane.iter().copied()).collect()).collect();
        prop_assert!(order.is_sorted_by_key(|slice| slice.start_ns));
        prop_assert_eq!(order.len(), lanes.iter().map(Vec::len).sum::<usize>());
        let found = reside(&machine, &order, &[], ends, usize::MAX);
        let mut truth: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        for ts_ns in from..to {
            for slice in order.iter().filter(|slice| slice.start_ns <= ts_ns && ts_ns < slice.end_ns) {
                truth.entry(slice.task).or_default()[slice.cpu as usize] += 1;
            }
        }
        truth.remove(&0);
        prop_assert_eq!(found.tasks.len(), truth.len());
        for task in &found.tasks {
            let cpus = truth[&task.task];
            prop_assert_eq!(task.run_ns, cpus.iter().sum::<u64>());
            prop_assert_eq!(task.cpus as usize, cpus.iter().filter(|ns| **ns != 0).count());
            let of_nodes = [NodeRun { nid: 0, run_ns: cpus[0] + cpus[1] }, NodeRun { nid: 10, run_ns: cpus[2] }];
            let of_nodes: Vec<NodeRun> = of_nodes.into_iter().filter(|node| node.run_ns != 0).collect();
            prop_assert_eq!(&task.nodes, &of_nodes);
            let path: Vec<bool> = order.iter()
                .filter(|slice| slice.task == task.task && slice.start_ns < to && slice.end_ns > from)
                .map(|slice| slice.cpu == 2).collect();
            prop_assert_eq!(task.migrations_node as usize, path.windows(2).filter(|pair| pair[0] != pair[1]).count());
        }
        prop_assert!(found.tasks.is_sorted_by_key(|task| std::cmp::Reverse(task.run_ns)));
    }
}
