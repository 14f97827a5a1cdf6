//! What each attempt met: examples, and against a model that looks at every row.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::Label;
use numalens_core::topology::Node;
use numalens_events::IlbKind;
use numalens_numa_balancing::decision::{
    Config, Explainer, Explanations, Imbalance, Maymove, NoCpu, NodeType,
};
use numalens_replay::idle_balancing::IlbRow;
use numalens_replay::numa::{Attempt, TargetFrom, Verdict};
use numalens_replay::states::{OnCpu, StateRow};
use numalens_support::rows::{END, at, idle, nodes, recording, row, source, task, window};
use proptest::prelude::*;

use crate::numa_balancing_common::attempt;

const V5_7: KernelVersion = KernelVersion { major: 5, minor: 7 };
const V6_1: KernelVersion = KernelVersion { major: 6, minor: 1 };
const MS: u64 = 1_000_000;

fn explain(
    machine: &[Node],
    rows: &[StateRow],
    attempts: &[Attempt],
    kernel: Option<KernelVersion>,
    to_ns: u64,
) -> Explanations {
    let mut explainer = Explainer::new(
        Config {
            nodes: machine,
            kernel,
            llcs_per_node: Some(1),
            from_ns: 0,
            to_ns,
            source: source(),
        },
        attempts,
    );
    for row in window(rows, machine, 0, to_ns) {
        explainer.row(&row);
    }
    explainer.finish()
}

/// Two nodes of four CPUs: so many tasks on each, one to a CPU before two come to one.
fn filled(first: u16, second: u16) -> (Vec<Node>, Vec<StateRow>) {
    let machine = nodes(&[&[0, 1, 2, 3], &[4, 5, 6, 7]]);
    let on = |cpu: u32, tasks: u16| {
        let own = tasks / 4 + u16::from(u32::from(tasks % 4) > cpu % 4);
        row(0, cpu, if own > 0 { task(own) } else { idle(0) })
    };
    let rows = (0..8).map(|cpu| on(cpu, if cpu < 4 { first } else { second }));
    let rows = rows.collect();
    (machine, rows)
}

/// An attempt to go from node 0 to node 10, that found nothing.
fn stuck(start_ns: u64) -> Attempt {
    Attempt {
        dst_cpu: -1,
        dst_nid: -1,
        verdict: Verdict::NoCpu,
        target_nid: 10,
        target_from: TargetFrom::Entry,
        ..attempt(start_ns, Verdict::NoCpu, 0, 0, 4, 10)
    }
}

fn reason(first: u16, second: u16, kernel: KernelVersion) -> NoCpu {
    let (machine, rows) = filled(first, second);
    let all = explain(&machine, &rows, &[stuck(5)], Some(kernel), 10);
    all.attempts[0].no_cpu.unwrap()
}

#[test]
fn reasons_for_no_cpu() {
    assert_eq!(reason(4, 5, V6_1), NoCpu::DstOverloaded);
    assert_eq!(reason(4, 4, V6_1), NoCpu::DstFull);
    // 3 to 3: the destination would run 4, the source 2.
    assert_eq!(reason(3, 3, V6_1), NoCpu::ImbalanceDenied);
    assert_eq!(reason(3, 3, V5_7), NoCpu::IdleCpuNotTaken);
    assert_eq!(reason(4, 0, V6_1), NoCpu::IdleCpuNotTaken);
    let v5_6 = KernelVersion { major: 5, minor: 6 };
    assert_eq!(reason(4, 0, v5_6), NoCpu::Load);
    // Room for one more, but no CPU is idle: one is about to switch, one is leaving its task.
    let (machine, mut rows) = filled(3, 3);
    rows[6] = row(0, 6, task(0));
    rows[7] = row(0, 7, idle(1));
    let all = explain(&machine, &rows, &[stuck(5)], Some(V5_7), 10);
    assert_eq!(all.attempts[0].no_cpu, Some(NoCpu::NoIdleCpu));
}

#[test]
fn what_is_not_known_is_said() {
    let (machine, rows) = filled(4, 5);
    let lost = Attempt {
        target_nid: -1,
        ..stuck(5)
    };
    let all = explain(&machine, &rows, &[lost], Some(V6_1), 10);
    assert_eq!(all.attempts[0].no_cpu, Some(NoCpu::TargetUnknown));
    assert!(all.attempts[0].imbalance.is_none() && all.attempts[0].answers.is_empty());
    // A CPU of which nothing was reported.
    let all = explain(&machine, &rows[..7], &[stuck(5)], Some(V6_1), 10);
    let explained = &all.attempts[0];
    assert_eq!(explained.no_cpu, Some(NoCpu::CpusUnknown));
    assert_eq!(explained.nodes[1].unknown_cpus, 1);
    assert!(explained.missing.contains(&"sched_switch"));
    // Rules are assumed where the version is not known.
    let all = explain(&machine, &rows, &[stuck(5)], None, 10);
    assert!(all.assumed && all.missing.contains(&"kernel version".to_owned()));
    assert_eq!(all.rules.name, "6.0");
    // All classes of tasks are counted.
    assert!(all.missing.contains(&"sched_class".to_owned()));
    assert!(all.missing.contains(&"pelt".to_owned()));
}

/// Averages of a CPU: use, expected use, runnable time.
fn average(cpu: u32, [util, estimated, runnable]: [u64; 3], capacity: u64) -> IlbRow {
    IlbRow {
        ts_ns: 1,
        cpu: 0,
        kind: IlbKind::Averages,
        subject: cpu,
        a: util | runnable << 32,
        b: estimated | capacity << 32,
    }
}

/// What the destination, with `second` tasks on 4 CPUs, is to a task that wants to leave a node with 8, and what 6.1 says.
fn with_averages(
    second: u16,
    averages: &[IlbRow],
) -> (Vec<NodeType>, Label, Maymove, Vec<&'static str>) {
    let (machine, rows) = filled(8, second);
    let attempts = [stuck(5)];
    let config = Config {
        nodes: &machine,
        kernel: Some(V6_1),
        llcs_per_node: Some(1),
        from_ns: 0,
        to_ns: 10,
        source: source(),
    };
    let mut explainer = Explainer::new(config, &attempts);
    for row in window(&rows, &machine, 0, 10) {
        explainer.row(&row);
    }
    for row in averages {
        explainer.averages(row);
    }
    let all = explainer.finish();
    let first = &all.attempts[0];
    let node = &first.nodes[1];
    let answer = first.answers.iter().find(|answer| answer.recorded);
    let missing = first.missing.clone();
    (
        node.node_type.to_vec(),
        node.label,
        answer.unwrap().maymove,
        missing,
    )
}

/// Where every CPU has a task, averages say what the node is: by 6.1's 108 %, four CPUs of 1024 have spare up to 3792.
#[test]
fn averages_that_were_read_say_what_a_node_is() {
    use NodeType::{FullyBusy, HasSpare, Overloaded};
    let all =
        |each: [u64; 3]| -> Vec<IlbRow> { (4..8).map(|cpu| average(cpu, each, 1024)).collect() };
    let (types, label, maymove, missing) = with_averages(4, &all([300, 948, 948]));
    assert_eq!(
        (types, label, maymove),
        (vec![HasSpare], Label::Replayed, Maymove::Allowed)
    );
    assert!(!missing.contains(&"pelt"));
    // A look-alike whose tasks are expected to use a little more, or that waited for a CPU.
    let (types, label, maymove, missing) = with_averages(4, &all([300, 949, 948]));
    assert_eq!(
        (types, label, maymove),
        (vec![FullyBusy], Label::Inferred, Maymove::LoadTest)
    );
    assert!(missing.contains(&"task_h_load") && !missing.contains(&"pelt"));
    assert_eq!(with_averages(4, &all([300, 0, 1106])).0, [FullyBusy]);
    assert_eq!(with_averages(5, &all([300, 0, 1106])).0, [Overloaded]);
    // Fewer tasks than CPUs is spare, whatever else.
    assert_eq!(with_averages(3, &all([1024, 0, 4096])).0, [HasSpare]);
    // One CPU's averages are not known, or may have changed behind lost events.
    let unknown = (vec![HasSpare, FullyBusy], Label::Inferred, Maymove::Unknown);
    let of = |averages: &[IlbRow]| {
        let (types, label, maymove, missing) = with_averages(4, averages);
        assert!(missing.contains(&"pelt"));
        (types, label, maymove)
    };
    assert_eq!(of(&all([300, 0, 300])[..3]), unknown);
    let lost = IlbRow {
        kind: IlbKind::Lost,
        ..average(0, [0; 3], 0)
    };
    assert_eq!(of(&[all([300, 0, 300]), vec![lost]].concat()), unknown);
    // Expected use alone is reported later: the rest stays.
    let later = [all([300, 0, 300]), vec![average(4, [0, 4000, 0], 0)]].concat();
    assert_eq!(with_averages(4, &later).0, [FullyBusy]);
    assert_eq!(of(&[average(4, [0, 4000, 0], 0)]), unknown);
}

#[test]
fn each_versions_rules_are_asked() {
    let (machine, rows) = filled(2, 3);
    let all = explain(&machine, &rows, &[stuck(5)], Some(V6_1), 10);
    let explained = &all.attempts[0];
    let move_of = explained.imbalance.unwrap();
    assert_eq!(
        (move_of.src_running, move_of.dst_running, move_of.imbalance),
        (1, 4, 3)
    );
    let answers: Vec<_> = explained
        .answers
        .iter()
        .map(|answer| (answer.rules, answer.maymove, answer.imbalance, answer.label))
        .collect();
    assert_eq!(
        answers,
        [
            ("5.6", Maymove::LoadTest, None, Label::WhatIf),
            ("5.7", Maymove::Allowed, Some(0), Label::WhatIf),
            ("5.11", Maymove::Denied, Some(3), Label::WhatIf),
            ("5.18", Maymove::Denied, Some(3), Label::WhatIf),
            ("6.0", Maymove::Denied, Some(3), Label::Inferred),
        ]
    );
    assert_eq!(explained.answers[4].imb_numa_nr, Some(1));
    assert!(
        explained
            .answers
            .iter()
            .filter(|answer| answer.recorded)
            .count()
            == 1
    );
    assert_eq!(explained.nodes[1].node_type, [NodeType::HasSpare]);
    assert_eq!(explained.nodes[1].label, Label::Replayed);
    assert_eq!(
        (explained.nodes[1].idle_cpus, explained.nodes[1].weight),
        (1, 4)
    );
    // Fewer tasks than CPUs or not: with as many, averages decide.
    let (machine, rows) = filled(2, 4);
    let all = explain(&machine, &rows, &[stuck(5)], Some(V6_1), 10);
    let explained = &all.attempts[0];
    assert_eq!(explained.answers[4].maymove, Maymove::Unknown);
    assert_eq!(explained.nodes[1].label, Label::Inferred);
    assert_eq!(explained.nodes[1].node_type.len(), 2);
}

#[test]
fn what_happens_with_the_attempt_comes_after_it() {
    let (machine, mut rows) = filled(2, 0);
    rows.push(row(5, 4, task(1)));
    rows.push(row(6, 5, task(1)));
    let of = |start| {
        let all = explain(&machine, &rows, &[stuck(start)], Some(V6_1), 10);
        all.attempts[0].nodes[1].nr_running
    };
    assert_eq!((of(4), of(5), of(6), of(7), of(10)), (0, 0, 1, 2, 2));
    // At the window's start, what held then.
    assert_eq!(of(0), 0);
    let all = explain(&machine, &rows, &[stuck(5), stuck(11)], Some(V6_1), 10);
    assert_eq!(all.attempts.len(), 1);
}

#[test]
fn waits_after_a_move_into_a_busier_node_are_followed() {
    // 2 tasks here, 6 there on 4 CPUs: 2 wait there already.
    let (machine, mut rows) = filled(2, 6);
    let start = 10 * MS;
    // The move: one more waits, from 20 ms on, for 30 ms, and 2 more for another 10 ms.
    rows.push(row(20 * MS, 4, task(3)));
    rows.push(row(50 * MS, 4, task(5)));
    rows.push(row(60 * MS, 4, task(2)));
    let moved = attempt(start, Verdict::Moved, 0, 0, 4, 10);
    let all = explain(&machine, &rows, &[moved], Some(V5_7), 1000 * MS);
    assert_eq!(all.attempts[0].extra_wait_ns, Some(30 * MS + 3 * 10 * MS));
    // Only 100 ms count, and only as many as the window has.
    let all = explain(&machine, &rows, &[moved], Some(V5_7), 40 * MS);
    assert_eq!(all.attempts[0].extra_wait_ns, Some(20 * MS));
    rows[10] = row(105 * MS, 4, task(2));
    let all = explain(&machine, &rows, &[moved], Some(V5_7), 1000 * MS);
    assert_eq!(all.attempts[0].extra_wait_ns, Some(30 * MS + 3 * 55 * MS));
    rows[10] = row(205 * MS, 4, task(2));
    let all = explain(&machine, &rows, &[moved], Some(V5_7), 1000 * MS);
    assert_eq!(all.attempts[0].extra_wait_ns, Some(30 * MS + 3 * 60 * MS));
    // Not of swaps, nor of moves that end up 2 above: 5 and 3.
    let swap = attempt(start, Verdict::Swapped, 0, 0, 4, 10);
    let all = explain(&machine, &rows, &[swap], Some(V5_7), 1000 * MS);
    assert_eq!(all.attempts[0].extra_wait_ns, None);
    let (machine, rows) = filled(4, 4);
    let all = explain(&machine, &rows, &[moved], Some(V5_7), 1000 * MS);
    assert_eq!(all.attempts[0].imbalance.unwrap().imbalance, 2);
    assert_eq!(all.attempts[0].extra_wait_ns, None);
}

proptest! {
    #[test]
    fn counts_are_those_of_a_look_at_every_row(
        (machine, rows) in recording(),
        starts in prop::collection::vec(0..END + 5, 0..8),
        from in 0..END, minor in 5_u16..20,
    ) {
        let mut starts = starts;
        starts.sort_unstable();
        let attempts: Vec<Attempt> = starts.iter().map(|&start| stuck(start)).collect();
        let kernel = KernelVersion { major: 5, minor };
        let mut explainer = Explainer::new(Config {
            nodes: &machine, kernel: Some(kernel), llcs_per_node: None, from_ns: from, to_ns: END, source: source(),
        }, &attempts);
        for row in window(&rows, &machine, from, END) {
            explainer.row(&row);
        }
        let all = explainer.finish();
        let inside = starts.iter().filter(|&&start| (from..=END).contains(&start));
        prop_assert_eq!(all.attempts.len(), inside.clone().count());
        for (explained, &start) in all.attempts.iter().zip(inside) {
            prop_assert_eq!(explained.start_ns, start);
            prop_assert_eq!(attempts[explained.attempt].start_ns, start);
            let look = if start == from { from } else { start - 1 };
            for (node, told) in machine.iter().zip(&explained.nodes) {
                let states = || node.cpus.iter().map(|&cpu| at(&rows, cpu, look).unwrap_or_default());
                let running: u64 = states().map(|state| u64::from(state.running)).sum();
                prop_assert_eq!(told.nr_running, running);
                prop_assert_eq!(told.weight as usize, node.cpus.len());
                let idle = states().filter(|state| state.on == OnCpu::Idle && state.running == 0).count();
                prop_assert_eq!(told.idle_cpus as usize, idle);
                let unknown = states().filter(|state| matches!(state.on, OnCpu::Unknown | OnCpu::Lost)).count();
                prop_assert_eq!(told.unknown_cpus as usize, unknown);
            }
            if machine.len() > 1 {
                let (src, dst) = (&explained.nodes[0], &explained.nodes[1]);
                let expected = Imbalance::of_move(src.nr_running as i64, dst.nr_running as i64);
                prop_assert_eq!(explained.imbalance, expected);
                let spare = dst.nr_running < u64::from(dst.weight);
                for answer in explained.answers.iter().skip(1) {
                    prop_assert_eq!(answer.maymove == Maymove::Unknown, !spare);
                    prop_assert_eq!(answer.imbalance.is_some(), spare);
                }
            } else {
                prop_assert_eq!(explained.no_cpu, Some(NoCpu::TargetUnknown));
            }
        }
    }

    /// A common offset of all times changes nothing but the times.
    #[test]
    fn offsets_do_not_matter((machine, rows) in recording(), start in 0..END, offset in 0_u64..1 << 40) {
        let run = |offset: u64| {
            let attempts = [stuck(start + offset)];
            let moved: Vec<StateRow> = rows.iter().map(|row| StateRow { ts_ns: row.ts_ns + offset, ..*row }).collect();
            let mut explainer = Explainer::new(Config {
                nodes: &machine, kernel: None, llcs_per_node: None, from_ns: offset, to_ns: offset + END, source: source(),
            }, &attempts);
            for row in window(&moved, &machine, offset, offset + END) {
                explainer.row(&row);
            }
            let mut all = explainer.finish();
            for one in &mut all.attempts {
                one.start_ns -= offset;
            }
            all
        };
        prop_assert_eq!(run(0), run(offset));
    }
}
