//! Idle CPUs beside waiting tasks: worked examples, and the meter against a model that looks at every ns.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_core::provenance::Label;
use numalens_core::topology::Node;
use numalens_replay::states::{OnCpu, State, StateRow};
use numalens_support::rows::{
    END, at, bound, idle, moments, nodes, recording, row, source, task, window,
};
use numalens_waste::{Config, Meter, Waste, WasteCause};
use proptest::prelude::*;

fn measure(
    machine: &[Node],
    rows: &[StateRow],
    from_ns: u64,
    to_ns: u64,
    step_ns: Option<u64>,
) -> Waste {
    let mut meter = Meter::new(&Config {
        nodes: machine,
        from_ns,
        to_ns,
        step_ns,
        source: source(),
        affinity: true,
        movable: false,
    });
    for row in window(rows, machine, from_ns, to_ns) {
        meter.row(&row);
    }
    meter.finish()
}

/// Placement, balance and affinity.
fn causes(waste: &Waste) -> [u64; 3] {
    WasteCause::ALL.map(|cause| {
        let found = waste.causes.iter().find(|amount| amount.cause == cause);
        found.unwrap().ns
    })
}

fn node_causes(waste: &Waste) -> Vec<Vec<u64>> {
    let nodes = waste.per_node.iter();
    nodes
        .map(|node| node.causes.iter().map(|amount| amount.ns).collect())
        .collect()
}

#[test]
fn a_node_that_could_help_itself() {
    let machine = nodes(&[&[0, 1], &[2, 3]]);
    let rows = [
        row(0, 0, task(3)),
        row(0, 1, idle(0)),
        row(0, 2, task(1)),
        row(0, 3, task(1)),
        row(40, 0, task(1)),
    ];
    let waste = measure(&machine, &rows, 0, 100, None);
    // Two wait, one CPU is idle, for 40 ns.
    assert_eq!(waste.cpu_ns, 40);
    assert_eq!(causes(&waste), [0, 40, 0]);
    assert_eq!(node_causes(&waste), [[0, 40, 0], [0, 0, 0]]);
    assert_eq!((waste.label, waste.missing), (Label::Replayed, vec![]));
}

#[test]
fn a_second_waiting_task_could_go_to_the_other_node() {
    let machine = nodes(&[&[0, 1], &[2, 3]]);
    let rows = [
        row(0, 0, task(3)),
        row(0, 1, idle(0)),
        row(0, 2, idle(0)),
        row(0, 3, idle(0)),
    ];
    let waste = measure(&machine, &rows, 0, 10, None);
    assert_eq!(waste.cpu_ns, 20);
    assert_eq!(causes(&waste), [10, 10, 0]);
    assert_eq!(node_causes(&waste), [[10, 10, 0], [0, 0, 0]]);
    assert!((waste.cpu_seconds - 20e-9).abs() < 1e-18);
}

#[test]
fn bound_tasks_come_last() {
    let machine = nodes(&[&[0, 1]]);
    // Two wait, one of them bound; the idle CPU goes to the other one.
    let rows = [row(0, 0, bound(task(3), 1)), row(0, 1, idle(0))];
    let waste = measure(&machine, &rows, 0, 10, None);
    assert_eq!(causes(&waste), [0, 10, 0]);
    assert!((waste.affine_cpu_seconds.unwrap() - 10e-9).abs() < 1e-18);
    // Both are bound.
    let rows = [row(0, 0, bound(task(3), 2)), row(0, 1, idle(0))];
    let waste = measure(&machine, &rows, 0, 10, None);
    assert_eq!(causes(&waste), [0, 0, 10]);
    assert!(waste.affine_cpu_seconds.unwrap().abs() < 1e-18);
    // Two idle CPUs: the second could only take the bound one.
    let machine = nodes(&[&[0, 1, 2]]);
    let rows = [
        row(0, 0, bound(task(3), 1)),
        row(0, 1, idle(0)),
        row(0, 2, idle(0)),
    ];
    assert_eq!(causes(&measure(&machine, &rows, 0, 10, None)), [0, 10, 10]);
}

#[test]
fn an_idle_cpu_serves_its_first_task() {
    let machine = nodes(&[&[0, 1]]);
    let rows = [row(0, 0, idle(1)), row(0, 1, idle(0))];
    assert_eq!(measure(&machine, &rows, 0, 10, None).cpu_ns, 0);
    // Of two, it serves one, the bound one if there is one.
    let rows = [row(0, 0, bound(idle(2), 1)), row(0, 1, idle(0))];
    assert_eq!(causes(&measure(&machine, &rows, 0, 10, None)), [0, 10, 0]);
    let rows = [row(0, 0, bound(idle(2), 2)), row(0, 1, idle(0))];
    assert_eq!(causes(&measure(&machine, &rows, 0, 10, None)), [0, 0, 10]);
}

#[test]
fn what_another_node_could_take_is_shared_by_who_waits() {
    let machine = nodes(&[&[0], &[1], &[2]]);
    // One idle CPU; one task waits on the first node, two on the second: a third of 10 ns and two thirds.
    let rows = [row(0, 0, task(2)), row(0, 1, task(3)), row(0, 2, idle(0))];
    let waste = measure(&machine, &rows, 0, 10, None);
    assert_eq!(node_causes(&waste), [[3, 0, 0], [7, 0, 0], [0, 0, 0]]);
    let many = measure(&machine, &rows, 0, 3_000_000_000, None);
    assert_eq!(many.per_node[0].cpu_ns, 1_000_000_000);
    assert!((many.per_node[1].cpu_seconds - 2.0).abs() < 1e-12);
}

#[test]
fn what_is_not_known_wastes_nothing_and_is_told() {
    let machine = nodes(&[&[0, 1]]);
    let waste = measure(&machine, &[row(0, 0, task(2))], 0, 10, None);
    assert_eq!((waste.cpu_ns, waste.label), (0, Label::Inferred));
    assert_eq!(waste.missing, ["sched_switch"]);
    let lost = State {
        on: OnCpu::Lost,
        ..State::default()
    };
    let rows = [
        row(0, 0, task(2)),
        row(0, 1, idle(0)),
        row(4, 1, lost),
        row(6, 1, idle(0)),
    ];
    let waste = measure(&machine, &rows, 0, 10, None);
    assert_eq!(waste.cpu_ns, 8);
    assert_eq!(waste.missing, ["lost_events"]);
    // Bound tasks are not known.
    let meter = Meter::new(&Config {
        nodes: &[],
        from_ns: 0,
        to_ns: 10,
        step_ns: None,
        source: source(),
        affinity: false,
        movable: false,
    });
    let waste = meter.finish();
    assert_eq!(waste.affine_cpu_seconds, None);
    assert_eq!(waste.label, Label::Inferred);
    assert_eq!(waste.missing, ["cpus_allowed"]);
}

#[test]
fn what_is_outside_the_window_changes_nothing() {
    let machine = nodes(&[&[0, 1]]);
    let rows = [row(0, 0, task(2)), row(0, 1, idle(0))];
    let config = Config {
        nodes: &machine,
        from_ns: 5,
        to_ns: 10,
        step_ns: None,
        source: source(),
        affinity: true,
        movable: false,
    };
    let mut meter = Meter::new(&config);
    for given in rows {
        meter.row(&given);
    }
    // Later, of a cgroup, of CPUs that the machine does not have.
    meter.row(&StateRow {
        group: 3,
        ..row(7, 1, task(9))
    });
    meter.row(&row(8, 5, idle(0)));
    meter.row(&row(8, u32::MAX, idle(0)));
    meter.row(&row(30, 1, task(1)));
    meter.row(&row(50, 1, idle(0)));
    assert_eq!(meter.finish(), measure(&machine, &rows, 5, 10, None));
    assert_eq!(measure(&machine, &rows, 5, 10, None).cpu_ns, 5);
}

#[test]
fn the_answer_has_the_names_of_the_report() {
    let machine = nodes(&[&[0, 1]]);
    let rows = [row(5, 0, task(2)), row(5, 1, idle(0))];
    let waste = measure(&machine, &rows, 0, 10, Some(4));
    let json = serde_json::to_value(&waste).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "cpu_seconds": 5e-9,
            "cpu_ns": 5,
            "per_node": [{"nid": 0, "cpu_seconds": 5e-9, "cpu_ns": 5, "causes": [
                {"cause": "numa_placement", "ns": 0},
                {"cause": "balance_delay", "ns": 5},
                {"cause": "affinity", "ns": 0},
            ]}],
            "causes": [
                {"cause": "numa_placement", "ns": 0},
                {"cause": "balance_delay", "ns": 5},
                {"cause": "affinity", "ns": 0},
            ],
            "affine_cpu_seconds": 5e-9,
            "series": {"step_ns": 4, "cpu_ns": [0, 3, 2]},
            "label": "inferred",
            "missing": ["sched_switch"],
        })
    );
}

/// What a ns wastes: every waiting task takes an idle CPU, first those that may leave and find one on their node, then those
/// that find one elsewhere, at last those that are bound. Beside it what the shares of the nodes are in.
struct Moment {
    causes: [u64; 3],
    local: Vec<u64>,
    /// Tasks that the first pass did not serve, and bound tasks, by node.
    left: Vec<u64>,
    bound: Vec<u64>,
}

fn moment(machine: &[Node], rows: &[StateRow], ts_ns: u64) -> Moment {
    let mut free = vec![0_u64; machine.len()];
    let mut left = vec![0_u64; machine.len()];
    let mut fixed = vec![0_u64; machine.len()];
    for (place, node) in machine.iter().enumerate() {
        for &cpu in &node.cpus {
            let Some(state) = at(rows, cpu, ts_ns) else {
                continue;
            };
            free[place] += u64::from(state.on == OnCpu::Idle);
            // The queue, the bound ones at its head; one of it is served here.
            let mut queue: Vec<bool> = Vec::new();
            let waiting = state.running - u16::from(state.on == OnCpu::Task);
            for nth in 0..waiting {
                queue.push(nth < state.bound);
            }
            if state.on != OnCpu::Task && !queue.is_empty() {
                queue.remove(0);
            }
            left[place] += queue.iter().filter(|bound| !**bound).count() as u64;
            fixed[place] += queue.iter().filter(|bound| **bound).count() as u64;
        }
    }
    let mut local = vec![0; machine.len()];
    for place in 0..machine.len() {
        while left[place] > 0 && free[place] > 0 {
            left[place] -= 1;
            free[place] -= 1;
            local[place] += 1;
        }
    }
    let mut free: u64 = free.iter().sum();
    let across = free.min(left.iter().sum());
    free -= across;
    let affinity = free.min(fixed.iter().sum());
    Moment {
        causes: [across, local.iter().sum(), affinity],
        local,
        left,
        bound: fixed,
    }
}

fn total(sums: &[u64]) -> f64 {
    sums.iter().sum::<u64>() as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_ns_counts_once((machine, rows) in recording(), [from, _, to] in moments()) {
        let waste = measure(&machine, &rows, from, to, Some(7));
        let mut sums = [0; 3];
        let mut series = vec![0; (to - from).div_ceil(7) as usize];
        let mut by_node = vec![[0.0; 3]; machine.len()];
        for ts_ns in from..to {
            let now = moment(&machine, &rows, ts_ns);
            for (sum, ns) in sums.iter_mut().zip(now.causes) {
                *sum += ns;
            }
            series[((ts_ns - from) / 7) as usize] += now.causes.iter().sum::<u64>();
            for place in 0..machine.len() {
                let share = |amount: u64, weights: &[u64]| {
                    if amount == 0 { 0.0 } else { amount as f64 * weights[place] as f64 / total(weights) }
                };
                by_node[place][0] += share(now.causes[0], &now.left);
                by_node[place][1] += now.local[place] as f64;
                by_node[place][2] += share(now.causes[2], &now.bound);
            }
        }
        prop_assert_eq!(causes(&waste), sums);
        prop_assert_eq!(waste.cpu_ns, sums.iter().sum::<u64>());
        prop_assert_eq!(&waste.series.cpu_ns, &series);
        prop_assert_eq!(waste.per_node.iter().map(|node| node.cpu_ns).sum::<u64>(), waste.cpu_ns);
        let affine = waste.affine_cpu_seconds.unwrap() * 1e9;
        prop_assert!((affine - (sums[0] + sums[1]) as f64).abs() < 1e-6);
        for ((node, sum), told) in by_node.iter().zip(&waste.per_node).zip(node_causes(&waste)) {
            prop_assert_eq!(sum.cpu_ns, told.iter().sum::<u64>());
            prop_assert!((node[1] - told[1] as f64).abs() < 1e-6);
            for cause in [0, 2] {
                prop_assert!((node[cause] - told[cause] as f64).abs() < 1.0, "{} {}", node[cause], told[cause]);
            }
        }
        for cause in 0..3 {
            let sum: u64 = node_causes(&waste).iter().map(|causes| causes[cause]).sum();
            prop_assert_eq!(sum, sums[cause]);
        }
    }

    #[test]
    fn the_machine_wastes_what_its_nodes_waste_alone_or_more((machine, rows) in recording(), [from, _, to] in moments()) {
        let all = measure(&machine, &rows, from, to, None);
        let alone: u64 = machine.iter().map(|node| {
            let node = [node.clone()];
            measure(&node, &rows, from, to, None).cpu_ns
        }).sum();
        prop_assert!(all.cpu_ns >= alone);
        prop_assert!(all.cpu_ns <= (to - from) * machine.iter().map(|node| node.cpus.len() as u64).sum::<u64>());
    }

    #[test]
    fn the_names_of_a_nodes_cpus_mean_nothing((machine, rows) in recording(), [from, _, to] in moments()) {
        // Each node's CPUs swap their numbers, end for end.
        let other = |cpu: u32| {
            let node = machine.iter().find(|node| node.cpus.contains(&cpu)).unwrap();
            let place = node.cpus.iter().position(|&own| own == cpu).unwrap();
            node.cpus[node.cpus.len() - 1 - place]
        };
        let renamed: Vec<StateRow> = rows.iter().map(|row| StateRow { cpu: other(row.cpu), ..*row }).collect();
        prop_assert_eq!(
            measure(&machine, &rows, from, to, Some(5)),
            measure(&machine, &renamed, from, to, Some(5))
        );
    }

    #[test]
    fn one_more_idle_cpu_never_lowers_it((machine, rows) in recording(), [from, _, to] in moments()) {
        let before = measure(&machine, &rows, from, to, None);
        let mut more = machine.clone();
        more[0].cpus.push(100);
        let mut with = vec![row(0, 100, idle(0))];
        with.extend(&rows);
        prop_assert!(measure(&more, &with, from, to, None).cpu_ns >= before.cpu_ns);
    }

    #[test]
    fn the_clocks_zero_means_nothing((machine, rows) in recording(), [from, _, to] in moments(), shift in 0_u64..1 << 60) {
        let shifted: Vec<StateRow> = rows.iter().map(|row| StateRow { ts_ns: row.ts_ns + shift, ..*row }).collect();
        prop_assert_eq!(
            measure(&machine, &rows, from, to, Some(3)),
            measure(&machine, &shifted, from + shift, to + shift, Some(3))
        );
    }

    #[test]
    fn an_idle_gap_adds_nothing((machine, rows) in recording(), gap in 1_u64..1000) {
        let mut ended = rows.clone();
        ended.extend(numalens_support::rows::cpus(&machine).into_iter().map(|cpu| row(END, cpu, idle(0))));
        let short = measure(&machine, &ended, 0, END, Some(END));
        let long = measure(&machine, &ended, 0, END + gap, Some(END));
        prop_assert_eq!(&short.causes, &long.causes);
        prop_assert_eq!(&short.per_node, &long.per_node);
        prop_assert!(long.series.cpu_ns[1..].iter().all(|ns| *ns == 0));
    }

    #[test]
    fn adjoining_windows_add_up((machine, rows) in recording(), [a, b, c] in moments()) {
        let (first, second) = (measure(&machine, &rows, a, b, None), measure(&machine, &rows, b, c, None));
        let both = measure(&machine, &rows, a, c, None);
        prop_assert_eq!(first.cpu_ns + second.cpu_ns, both.cpu_ns);
        for ((one, two), all) in causes(&first).into_iter().zip(causes(&second)).zip(causes(&both)) {
            prop_assert_eq!(one + two, all);
        }
        for ((one, two), all) in first.per_node.iter().zip(&second.per_node).zip(&both.per_node) {
            // What is shared among nodes is rounded in each window.
            for cause in [0, 2] {
                prop_assert!((one.causes[cause].ns + two.causes[cause].ns).abs_diff(all.causes[cause].ns) <= 2);
            }
            prop_assert_eq!(one.causes[1].ns + two.causes[1].ns, all.causes[1].ns);
        }
    }
}
