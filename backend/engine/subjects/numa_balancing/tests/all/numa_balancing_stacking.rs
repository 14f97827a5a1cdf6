//! Nodes with more tasks than CPUs beside idle ones: examples, and against a model.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_core::provenance::Label;
use numalens_core::topology::Node;
use numalens_numa_balancing::findings::{NumaBalancingFacts, Stacked, StackingWatch};
use numalens_replay::states::StateRow;
use numalens_support::rows::{END, at, idle, nodes, recording, row, source, task, window};
use numalens_waste as waste;
use proptest::prelude::*;

use crate::numa_balancing_common::{Given, find};

const MS: u64 = 1_000_000;
const S: u64 = 1_000_000_000;

fn stacked(machine: &[Node], rows: &[StateRow], from: u64, to: u64) -> Stacked {
    let mut watch = StackingWatch::new(machine, from, to, true, source());
    for row in window(rows, machine, from, to) {
        watch.row(&row);
    }
    watch.finish()
}

#[test]
fn stacking_lasts_a_tenth_of_a_second() {
    let machine = nodes(&[&[0, 1], &[2, 3]]);
    let rows = |end_ns| {
        vec![
            row(0, 0, task(3)),
            row(0, 1, task(2)),
            row(0, 2, task(1)),
            row(0, 3, task(1)),
            row(S, 3, idle(0)),
            row(S + 50 * MS, 2, idle(0)),
            row(end_ns, 0, task(1)),
            row(end_ns + MS, 1, task(1)),
        ]
    };
    let all = stacked(&machine, &rows(S + 99 * MS), 0, 2 * S);
    assert_eq!(all.nodes[0].episodes.len(), 1);
    assert_eq!(
        stacked(&machine, &rows(S + 98 * MS), 0, 2 * S).nodes.len(),
        0
    );
    let node = &all.nodes[0];
    assert_eq!((node.nid, node.weight, node.most), (0, 2, 5));
    let episode = node.episodes[0];
    assert_eq!((episode.from_ns, episode.to_ns), (S, S + 100 * MS));
    // 3 tasks too many, first for 1 idle CPU, then for 2, and for a ms 1 task too many.
    assert_eq!(episode.cpu_ns, 50 * MS + 2 * 49 * MS + MS);
    assert_eq!(all.missing, ["sched_class"]);
    let given = Given::new();
    let found = find(&NumaBalancingFacts {
        stacked: Some(&all),
        ..given.facts()
    });
    assert_eq!(
        (found[0].id, found[0].label),
        ("NUMA_NODE_STACKING", Label::Inferred)
    );
    assert!((found[0].impact_ms - 149.0).abs() < 1e-9);
    assert!(
        found[0]
            .summary
            .contains("up to 5 runnable tasks on 2 CPUs")
    );
    // It is reported until the window's end.
    let all = stacked(&machine, &rows(S + 900 * MS), 0, S + 500 * MS);
    assert_eq!(all.nodes[0].episodes[0].to_ns, S + 500 * MS);
    // What changes and changes back at one moment is no break.
    let mut flicker = rows(S + 99 * MS);
    flicker.insert(6, row(S + 60 * MS, 2, task(1)));
    flicker.insert(6, row(S + 60 * MS, 3, task(1)));
    flicker.insert(8, row(S + 60 * MS, 2, idle(0)));
    flicker.insert(8, row(S + 60 * MS, 3, idle(0)));
    assert_eq!(
        stacked(&machine, &flicker, 0, 2 * S).nodes[0].episodes,
        node.episodes
    );
    // Its own idle CPUs are the load balancer's matter.
    let own = [
        row(0, 0, task(5)),
        row(0, 1, idle(0)),
        row(0, 2, task(1)),
        row(0, 3, task(1)),
    ];
    assert!(stacked(&machine, &own, 0, S).nodes.is_empty());
}

#[test]
fn stacked_nodes_share_what_is_idle() {
    let machine = nodes(&[&[0], &[1], &[2]]);
    // 1 and 3 tasks too many, and one idle CPU.
    let rows = [row(0, 0, task(2)), row(0, 1, task(4)), row(0, 2, idle(0))];
    let all = stacked(&machine, &rows, 0, S);
    let lost: Vec<_> = all
        .nodes
        .iter()
        .map(|node| (node.nid, node.episodes[0].cpu_ns))
        .collect();
    assert_eq!(lost, [(0, S / 2), (10, S / 2)]);
    // Two idle CPUs: one task of the first node, one or two of the other.
    let machine = nodes(&[&[0], &[1], &[2, 3]]);
    let rows = [rows[0], rows[1], rows[2], row(0, 3, idle(0))];
    let all = stacked(&machine, &rows, 0, S);
    let lost: Vec<_> = all
        .nodes
        .iter()
        .map(|node| node.episodes[0].cpu_ns)
        .collect();
    assert_eq!(lost[0], ((699_050 * u128::from(S)) >> 20) as u64);
    assert!(2 * S - lost[0] - lost[1] < 10_000);
}

proptest! {
    /// Stretches are those that a look at every moment finds, and never lose more than there is.
    #[test]
    fn stacking_is_a_look_at_every_moment((machine, rows) in recording(), from in 0..END) {
        let unit = 20 * MS;
        let scaled: Vec<StateRow> = rows.iter().map(|row| StateRow { ts_ns: row.ts_ns * unit, ..*row }).collect();
        let (from_ns, to_ns) = (from * unit, END * unit);
        let all = stacked(&machine, &scaled, from_ns, to_ns);
        let look = &rows[..];
        let sums = |node: &Node, ts| {
            let states = || node.cpus.iter().map(move |&cpu| at(look, cpu, ts).unwrap_or_default());
            let tasks: u64 = states().map(|state| u64::from(state.running)).sum();
            let bound: u64 = states().map(|state| u64::from(state.bound)).sum();
            let idle = states().filter(|state| *state == idle(0)).count();
            (tasks, idle, node.cpus.len() as u64 + bound)
        };
        let mut expected = Vec::new();
        for node in &machine {
            let on = |ts| {
                let (tasks, own, weight) = sums(node, ts);
                let idle: usize = machine.iter().map(|node| sums(node, ts).1).sum();
                tasks > weight && idle > own
            };
            let mut since = None;
            for ts in from..=END {
                match (ts < END && on(ts), since) {
                    (true, None) => since = Some(ts),
                    (false, Some(begin)) => {
                        since = None;
                        if (ts - begin) * unit >= 100 * MS {
                            expected.push((node.nid as i32, begin * unit, ts * unit));
                        }
                    }
                    _ => {}
                }
            }
        }
        let found: Vec<_> = all.nodes.iter()
            .flat_map(|node| node.episodes.iter().map(|episode| (node.nid, episode.from_ns, episode.to_ns)))
            .collect();
        prop_assert_eq!(found, expected);
        let mut meter = waste::Meter::new(&waste::Config {
            nodes: &machine, from_ns, to_ns, step_ns: None, source: source(), affinity: false, movable: false,
        });
        for row in window(&scaled, &machine, from_ns, to_ns) {
            meter.row(&row);
        }
        let lost: u64 = all.nodes.iter().flat_map(|node| &node.episodes).map(|episode| episode.cpu_ns).sum();
        prop_assert!(lost <= meter.finish().cpu_ns);
    }
}
