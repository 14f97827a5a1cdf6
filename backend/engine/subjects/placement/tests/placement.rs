//! CPU time and memory by numa group and node: worked examples, and against a model that looks at every ns.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::collections::BTreeMap;

use numalens_core::provenance::Label;
use numalens_core::topology::Node;
use numalens_page_migration::metrics::MapRow;
use numalens_placement::{Config, GroupMemory, Membership, Placement, Ranking, Whose, resident};
use numalens_replay::timeline::SliceRef;
use numalens_support::rows::{nodes, source};
use proptest::prelude::*;

fn slice(cpu: u32, task: u32, start_ns: u64, end_ns: u64) -> SliceRef {
    SliceRef {
        cpu,
        task,
        prio: 120,
        start_ns,
        end_ns,
    }
}

/// The pid of a task is its number; 0 is the idle task.
fn place(
    machine: &[Node],
    slices: &[SliceRef],
    members: &Membership,
    [from_ns, to_ns]: [u64; 2],
    (step_ns, limit): (Option<u64>, usize),
    memory: impl FnOnce(&[Whose]) -> Option<Vec<GroupMemory>>,
) -> Placement {
    let mut ranking = Ranking::new(Config {
        nodes: machine,
        from_ns,
        to_ns,
        step_ns,
        source: source(),
        members,
    });
    for slice in slices {
        ranking.slice(slice, slice.task as i32);
    }
    let mut meter = ranking.meter(limit);
    for slice in slices {
        meter.slice(slice, slice.task as i32);
    }
    let memory = memory(meter.shown());
    meter.finish(memory)
}

fn members(told: &[(i32, u64, i32)]) -> Membership {
    let mut members = Membership::default();
    for &(pid, t_ns, ngid) in told {
        members.push(pid, pid, t_ns, ngid);
    }
    members
}

#[test]
fn a_task_joins_a_group_and_leaves_the_node() {
    let machine = nodes(&[&[0, 1], &[70]]);
    let slices = [
        slice(0, 5, 0, 30),
        slice(1, 6, 0, 10),
        slice(70, 0, 0, 100),
        slice(70, 5, 30, 45),
        slice(0, 7, 40, 60),
        slice(1, 8, 50, 55),
    ];
    // 5 is in no group until 12, then in 900; 6 is named only later; 7 is in another; 8 is never named.
    let members = members(&[(5, 2, 0), (5, 12, 900), (7, 1, 901), (6, 20, 900)]);
    let told = place(&machine, &slices, &members, [0, 60], (Some(20), 9), |_| {
        None
    });
    let rows = told
        .groups
        .iter()
        .map(|row| (row.whose, serde_json::to_value(row).unwrap()));
    let expected = [
        (
            Whose::Group(900),
            serde_json::json!({"groups": 1, "tasks": 2, "run_ns": 43, "inferred_ns": 10,
                 "nodes": [
                    {"nid": 0, "run_ns": 28, "series": [18, 10, 0]},
                    {"nid": 10, "run_ns": 15, "series": [0, 10, 5]},
                 ], "label": "inferred"}),
        ),
        (
            Whose::Group(901),
            serde_json::json!({"groups": 1, "tasks": 1, "run_ns": 20, "inferred_ns": 0,
                 "nodes": [
                    {"nid": 0, "run_ns": 20, "series": [0, 0, 20]},
                    {"nid": 10, "run_ns": 0, "series": [0, 0, 0]},
                 ], "label": "replayed"}),
        ),
        (
            Whose::NoGroup,
            serde_json::json!({"groups": 0, "tasks": 1, "run_ns": 12, "inferred_ns": 2,
                 "nodes": [
                    {"nid": 0, "run_ns": 12, "series": [12, 0, 0]},
                    {"nid": 10, "run_ns": 0, "series": [0, 0, 0]},
                 ], "label": "inferred"}),
        ),
        (
            Whose::Unknown,
            serde_json::json!({"groups": 0, "tasks": 1, "run_ns": 5, "inferred_ns": 0,
                 "nodes": [
                    {"nid": 0, "run_ns": 5, "series": [0, 0, 5]},
                    {"nid": 10, "run_ns": 0, "series": [0, 0, 0]},
                 ], "label": "inferred"}),
        ),
    ];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    assert_eq!((told.step_ns, told.busy_ns), (20, 80));
    assert_eq!(told.memory, None);
    assert_eq!(told.memory_missing, ["numa_maps"]);
    assert_eq!(told.label, Label::Inferred);
    let all = "sched_move_numa, sched_swap_numa, sched_stick_numa of every task";
    assert_eq!(told.missing, [all]);
}

#[test]
fn groups_beyond_the_limit_share_a_row_with_their_number() {
    let machine = nodes(&[&[0]]);
    let slices = [
        slice(0, 1, 0, 10),
        slice(0, 2, 10, 15),
        slice(0, 3, 15, 19),
        slice(0, 4, 19, 20),
    ];
    let members = members(&[(1, 0, 11), (2, 0, 12), (3, 0, 13), (4, 0, 14)]);
    let told = place(&machine, &slices, &members, [0, 20], (None, 2), |_| None);
    let rows: Vec<_> = told
        .groups
        .iter()
        .map(|row| (row.whose, row.groups, row.run_ns))
        .collect();
    assert_eq!(
        rows,
        [
            (Whose::Group(11), 1, 10),
            (Whose::Group(12), 1, 5),
            (Whose::Others, 2, 5)
        ]
    );
    assert_eq!((told.label, told.missing.len()), (Label::Replayed, 0));
}

#[test]
fn memory_is_that_of_the_last_reading_of_each_process() {
    let machine = nodes(&[&[0], &[1]]);
    let row = |t_ns, pid, nid, pages, page_kb| MapRow {
        t_ns,
        pid,
        nid: Some(nid),
        pages,
        page_kb,
    };
    let maps = [
        row(5, 1, 0, 100, Some(4)),
        row(9, 1, 0, 10, Some(4)),
        row(9, 1, 10, 3, Some(2048)),
        row(9, 2, 10, 7, None),
        row(8, 3, 0, 1, Some(4)),
        row(99, 1, 0, 1000, Some(4)),
    ];
    // Of process 2 only a thread is known; of 3 nothing.
    let mut members = members(&[(1, 0, 900)]);
    members.push(20, 2, 4, 901);
    let found = resident(&maps, &machine, &members, 50, &[Whose::Group(900)]).unwrap();
    let rows: Vec<_> = found
        .iter()
        .map(|row| {
            let kb: Vec<u64> = row.nodes.iter().map(|node| node.kb).collect();
            (row.whose, row.processes, kb, row.label)
        })
        .collect();
    assert_eq!(
        rows,
        [
            (Whose::Group(900), 1, vec![40, 6144], Label::Observed),
            (Whose::Others, 1, vec![0, 28], Label::Observed),
            (Whose::Unknown, 1, vec![4, 0], Label::Inferred),
        ]
    );
    assert_eq!(resident(&maps, &machine, &members, 4, &[]), None);
}

#[test]
fn hostile_windows_and_numbers_stay_small() {
    let machine = nodes(&[&[0], &[1], &[2], &[3]]);
    let slices = [slice(0, 1, 0, u64::MAX), slice(9, 1, 0, 5)];
    let members = members(&[(1, 0, i32::MAX), (-1, 0, 5), (2, 0, -7)]);
    let told = place(
        &machine,
        &slices,
        &members,
        [0, u64::MAX],
        (Some(1), 64),
        |_| None,
    );
    assert_eq!(told.busy_ns, u64::MAX);
    let cells: usize = told
        .groups
        .iter()
        .flat_map(|row| row.nodes.iter().map(|node| node.series.len()))
        .sum();
    assert!(cells <= 1 << 18, "{cells}");
    let none = place(&machine, &[], &members, [7, 7], (None, 1), |_| None);
    assert_eq!((none.groups.len(), none.busy_ns), (0, 0));
}

/// Per CPU of three: stays that follow each other.
fn lanes() -> impl Strategy<Value = Vec<SliceRef>> {
    let lane = prop::collection::vec((0_u64..4, 1_u64..9, 0_u32..6), 0..9);
    prop::collection::vec(lane, 3).prop_map(|lanes| {
        let mut slices = Vec::new();
        for (cpu, lane) in (0..).zip(lanes) {
            let mut now = 0;
            for (gap, length, task) in lane {
                slices.push(slice(cpu, task, now + gap, now + gap + length));
                now += gap + length;
            }
        }
        slices.sort_by_key(|slice| slice.start_ns);
        slices
    })
}

fn memberships() -> impl Strategy<Value = Vec<(i32, u64, i32)>> {
    prop::collection::vec((0_i32..6, 0_u64..60, -1_i32..4), 0..14).prop_map(|mut told| {
        told.sort_by_key(|step| step.1);
        told
    })
}

/// Group of a task at a ns: the last that was told, else the first.
fn model(told: &[(i32, u64, i32)], pid: i32, t_ns: u64) -> Whose {
    let mut own = told
        .iter()
        .filter(|step| step.0 == pid && step.2 >= 0)
        .peekable();
    let first = own.peek().map(|step| step.2);
    let last = own.rfind(|step| step.1 <= t_ns).map(|step| step.2);
    last.or(first).map_or(Whose::Unknown, Whose::of)
}

proptest! {
    #[test]
    fn every_ns_of_a_task_is_in_one_cell(
        slices in lanes(),
        told in memberships(),
        from in 0_u64..40,
        length in 0_u64..60,
        step in 1_u64..30,
        limit in 0_usize..5,
    ) {
        let machine = nodes(&[&[0, 2], &[1]]);
        let to = from + length;
        let found = place(&machine, &slices, &members(&told), [from, to], (Some(step), limit), |_| None);
        let mut cells: BTreeMap<(Whose, u32, usize), u64> = BTreeMap::new();
        let mut busy = 0;
        for slice in slices.iter().filter(|slice| slice.task != 0) {
            for t_ns in slice.start_ns.max(from)..slice.end_ns.min(to) {
                let whose = model(&told, slice.task as i32, t_ns);
                let nid = if slice.cpu == 1 { 10 } else { 0 };
                *cells.entry((whose, nid, ((t_ns - from) / step) as usize)).or_default() += 1;
                busy += 1;
            }
        }
        prop_assert_eq!(found.busy_ns, busy);
        let shown: Vec<Whose> = found.groups.iter().map(|row| row.whose).collect();
        let mut expected: BTreeMap<(Whose, u32, usize), u64> = BTreeMap::new();
        for ((whose, nid, at), ns) in cells {
            let whose = if shown.contains(&whose) { whose } else { Whose::Others };
            *expected.entry((whose, nid, at)).or_default() += ns;
        }
        let mut told: BTreeMap<(Whose, u32, usize), u64> = BTreeMap::new();
        for row in &found.groups {
            prop_assert_eq!(row.run_ns, row.nodes.iter().map(|node| node.run_ns).sum::<u64>());
            for node in &row.nodes {
                prop_assert_eq!(node.run_ns, node.series.iter().sum::<u64>());
                for (at, &ns) in node.series.iter().enumerate().filter(|cell| *cell.1 != 0) {
                    told.insert((row.whose, node.nid, at), ns);
                }
            }
        }
        prop_assert_eq!(told, expected);
        // The groups that ran longest have the rows.
        let of = |whose: Whose| found.groups.iter().find(|row| row.whose == whose).map_or(0, |row| row.run_ns);
        let groups: Vec<u64> = found.groups.iter().filter(|row| matches!(row.whose, Whose::Group(_))).map(|row| row.run_ns).collect();
        prop_assert!(groups.len() <= limit && groups.is_sorted_by(|a, b| a >= b));
        if of(Whose::Others) > 0 {
            prop_assert_eq!(groups.len(), limit);
        }
    }
}
