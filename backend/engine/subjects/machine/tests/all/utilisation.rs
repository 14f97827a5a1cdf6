//! The per-node table and what stands beside it: worked examples, and the meter against a model that looks at every ns.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_core::provenance::Label;
use numalens_core::topology::Node;
use numalens_machine::utilisation::{Config, Meter, Utilisation};
use numalens_replay::states::{OnCpu, State, StateRow};
use numalens_subject::window::{MAX_STEPS, Steps};
use numalens_support::rows::{END, at, idle, moments, nodes, recording, row, source, task, window};
use proptest::prelude::*;

const S: u64 = 1_000_000_000;

fn measure(
    machine: &[Node],
    rows: &[StateRow],
    from_ns: u64,
    to_ns: u64,
    step_ns: Option<u64>,
) -> Utilisation {
    let mut meter = Meter::new(&Config {
        nodes: machine,
        from_ns,
        to_ns,
        step_ns,
        source: source(),
    });
    for row in window(rows, machine, from_ns, to_ns) {
        meter.row(&row);
    }
    meter.finish()
}

/// One CPU that is busy for so long at the begin of each step of 5 s.
fn bursts(busy: &[u64]) -> Vec<StateRow> {
    (0..)
        .zip(busy)
        .flat_map(|(step, &ns)| {
            [
                row(step * 5 * S, 0, task(1)),
                row(step * 5 * S + ns, 0, idle(0)),
            ]
        })
        .collect()
}

/// Cells of which all is recorded.
fn known<const N: usize>(cells: [u64; N]) -> Vec<Option<u64>> {
    cells.map(Some).to_vec()
}

#[test]
fn halves_are_rounded_up() {
    let machine = nodes(&[&[0]]);
    // 0.5 % of 5 s is 25 ms.
    let half = 25_000_000;
    let rows = bursts(&[half, half - 1, 3 * half, 3 * half - 1, 199 * half]);
    let table = measure(&machine, &rows, 0, 25 * S, None);
    assert_eq!(table.step_ns, 5 * S);
    assert_eq!(table.nodes[0].percent, known([1, 0, 2, 1, 100]));
}

#[test]
fn the_average_is_taken_before_cells_are_rounded() {
    let machine = nodes(&[&[0]]);
    // Cells 0.4, 0.4, 0.4 and 0.8 %: rounded they are 0, 0, 0, 1; their mean is 0.5.
    let tenth = 5_000_000;
    let rows = bursts(&[4 * tenth, 4 * tenth, 4 * tenth, 8 * tenth]);
    let table = measure(&machine, &rows, 0, 20 * S, None);
    assert_eq!(table.nodes[0].percent, known([0, 0, 0, 1]));
    assert_eq!(table.nodes[0].average, Some(1));
    // A ns less, and the mean is below the half.
    let rows = bursts(&[4 * tenth, 4 * tenth, 4 * tenth, 8 * tenth - 1]);
    assert_eq!(
        measure(&machine, &rows, 0, 20 * S, None).nodes[0].average,
        Some(0)
    );
}

#[test]
fn the_last_step_counts_with_its_own_length() {
    let machine = nodes(&[&[0]]);
    // Busy for the first second of each step; the last one is 2 s long.
    let rows = bursts(&[S, S, S]);
    let table = measure(&machine, &rows, 0, 12 * S, None);
    assert_eq!(table.nodes[0].percent, known([20, 20, 50]));
    assert_eq!(table.nodes[0].average, Some(25));
    // Exactly a second has a cell, a ns less has none; the sums are those of the whole window all the same.
    assert_eq!(
        measure(&machine, &rows, 0, 11 * S, None).nodes[0].percent,
        known([20, 20, 100])
    );
    let table = measure(&machine, &rows, 0, 11 * S - 1, None);
    assert_eq!(table.nodes[0].percent, known([20, 20]));
    assert_eq!(table.imbalance.len(), 2);
    assert_eq!(table.nodes[0].busy_ns, 3 * S - 1);
    // The only one has a cell however short it is.
    let table = measure(&machine, &rows, 0, S / 2, Some(5 * S));
    assert_eq!(table.nodes[0].percent, known([100]));
}

#[test]
fn runs_of_eight_nodes_have_the_cells_that_their_length_says() {
    // 59.83 s: eleven steps of 5 s and one of 4.83 s.
    let cpus: Vec<Vec<u32>> = (0..8)
        .map(|node| (node * 8..node * 8 + 8).collect())
        .collect();
    let cpus: Vec<&[u32]> = cpus.iter().map(Vec::as_slice).collect();
    let machine = nodes(&cpus);
    // Eight threads, one on each first CPU: an eighth of each node.
    let mut rows: Vec<StateRow> = (0..64).map(|cpu| row(0, cpu, idle(0))).collect();
    rows.extend((0..8).map(|node| row(0, node * 8, task(1))));
    let table = measure(&machine, &rows, 0, 59_830_000_000, None);
    for node in &table.nodes {
        assert_eq!(node.percent, known([13; 12]));
        assert_eq!(node.between, [(13, 13); 12]);
        assert_eq!(node.average, Some(13));
    }
    let even = &table.imbalance[11];
    assert_eq!(even.from_ns, 55 * S);
    assert!(even.max_min.unwrap().abs() < 1e-9 && even.stdev.unwrap().abs() < 1e-9);
    assert!((even.hhi.unwrap() - 0.125).abs() < 1e-12);
}

#[test]
fn imbalance_tells_how_uneven_nodes_are() {
    let machine = nodes(&[&[0], &[1], &[2], &[3]]);
    // 100 %, 60 %, 40 %, 0 % of 10 ns.
    let rows = [
        row(0, 0, task(1)),
        row(0, 1, task(1)),
        row(0, 2, task(1)),
        row(0, 3, idle(0)),
        row(4, 2, idle(0)),
        row(6, 1, idle(0)),
    ];
    let table = measure(&machine, &rows, 0, 10, Some(10));
    let uneven = &table.imbalance[0];
    assert!((uneven.max_min.unwrap() - 100.0).abs() < 1e-9);
    // The mean is 50; the squares of 50, 10, 10 and 50 have the mean 1300.
    assert!((uneven.stdev.unwrap() - 1300_f64.sqrt()).abs() < 1e-9);
    // Shares 0.5, 0.3, 0.2.
    assert!((uneven.hhi.unwrap() - 0.38).abs() < 1e-12);
    let nothing = measure(&machine, &[], 0, 10, Some(10));
    let nothing = &nothing.imbalance[0];
    assert_eq!(
        (nothing.max_min, nothing.stdev, nothing.hhi),
        (None, None, None)
    );
}

#[test]
fn what_is_not_recorded_counts_as_neither_busy_nor_idle() {
    let machine = nodes(&[&[0, 1], &[2]]);
    // CPU 0 is busy for 4 of the 8 ns that are recorded of it; nothing is recorded of the others.
    let rows = [
        row(0, 0, task(1)),
        row(4, 0, idle(0)),
        row(
            8,
            0,
            State {
                on: OnCpu::Lost,
                ..idle(0)
            },
        ),
    ];
    let table = measure(&machine, &rows, 0, 10, Some(10));
    let [first, second] = &table.nodes[..] else {
        panic!("{table:?}");
    };
    assert_eq!(
        (&first.percent[..], first.average),
        (&[Some(50)][..], Some(50))
    );
    // Of the node's 20 CPU-ns at least 4 were busy, and at least 4 idle.
    assert_eq!(first.between, [(20, 80)]);
    assert_eq!((&second.percent[..], second.average), (&[None][..], None));
    assert_eq!(second.between, [(0, 100)]);
    assert_eq!(table.imbalance[0].max_min, None);
}

#[test]
fn steps_fit_the_window() {
    let count = |to_ns| {
        let table = measure(&nodes(&[&[0]]), &[], 0, to_ns, None);
        (table.step_ns, table.nodes[0].percent.len() as u64)
    };
    assert_eq!(count(10 * S), (5 * S, 2));
    assert_eq!(
        count(10 * S - 1),
        (S, 9),
        "the last one is shorter than 1 s"
    );
    assert_eq!(count(2 * S), (S / 5, 10));
    assert_eq!(count(2 * S + 1), (S / 2, 4), "and here than 0.5 s");
    for to_ns in (1..50).chain(95..105).chain(9_990..10_010) {
        let steps = Steps::round(0, to_ns, 10);
        assert!(
            steps.count() <= 10 && (to_ns < 5 || steps.count() >= 5),
            "{to_ns}"
        );
    }
    let wide = Steps::new(0, u64::MAX, 1);
    assert!(wide.count() as u64 <= MAX_STEPS);
    let depth = measure(&nodes(&[&[0]]), &[], 0, 10 * S, None).depth;
    assert_eq!((depth.step_ns, depth.nodes[0].max.len()), (S / 50, 500));
}

#[test]
fn depth_is_the_mean_and_the_most_of_waiting_tasks() {
    let machine = nodes(&[&[0, 1]]);
    // One waits for 4 ns; then it is reported as gone from CPU 0 and come to CPU 1 in one moment, the other way round again.
    let rows = [
        row(0, 0, task(2)),
        row(0, 1, task(1)),
        row(4, 1, task(2)),
        row(4, 0, task(1)),
        row(6, 1, task(4)),
        row(7, 1, task(1)),
    ];
    let mut meter = Meter::new(&Config {
        nodes: &machine,
        from_ns: 0,
        to_ns: 1000,
        step_ns: None,
        source: source(),
    });
    for row in window(&rows, &machine, 0, 1000) {
        meter.row(&row);
    }
    let depth = meter.finish().depth;
    assert_eq!(depth.step_ns, 2);
    assert_eq!(depth.nodes[0].max[..5], [1, 1, 1, 3, 0]);
    let mean = &depth.nodes[0].mean;
    assert!(
        (mean[2] - 1.0).abs() < 1e-12 && (mean[3] - 1.5).abs() < 1e-12 && mean[4].abs() < 1e-12
    );
}

#[test]
fn what_is_not_known_is_neither_busy_nor_idle() {
    let machine = nodes(&[&[0, 1]]);
    let lost = State {
        on: OnCpu::Lost,
        running: 1,
        ..State::default()
    };
    let rows = [row(3, 0, task(1)), row(5, 0, lost), row(8, 0, idle(0))];
    let table = measure(&machine, &rows, 0, 10, None);
    let cpu = &table.cpus[0];
    assert_eq!((cpu.busy_ns, cpu.idle_ns, cpu.unknown_ns), (2, 2, 6));
    let node = &table.nodes[0];
    assert_eq!((node.busy_ns, node.idle_ns, node.unknown_ns), (2, 2, 16));
    assert_eq!(table.label, Label::Inferred);
    assert_eq!(table.missing, ["sched_switch", "lost_events"]);
    let table = measure(&machine, &[], 5, 5, None);
    assert_eq!(table.nodes[0].percent, known([]));
    assert_eq!(table.label, Label::Replayed);
}

#[test]
fn rows_at_the_windows_end_change_nothing() {
    let machine = nodes(&[&[0, 1]]);
    let mut rows = vec![row(0, 0, task(2)), row(0, 1, idle(0))];
    let before = measure(&machine, &rows, 0, 10, Some(10));
    rows.extend([
        row(10, 0, idle(0)),
        row(10, 1, task(5)),
        row(10, 0, task(3)),
    ]);
    assert_eq!(measure(&machine, &rows, 0, 10, Some(10)), before);
    let mut meter = Meter::new(&Config {
        nodes: &machine,
        from_ns: 0,
        to_ns: 10,
        step_ns: Some(10),
        source: source(),
    });
    for row in &rows {
        meter.row(row);
    }
    // Later, of a cgroup, of CPUs that the machine does not have.
    meter.row(&StateRow {
        group: 3,
        ..row(7, 1, task(9))
    });
    meter.row(&row(8, 5, task(0)));
    meter.row(&row(8, u32::MAX, task(0)));
    meter.row(&row(30, 1, task(1)));
    assert_eq!(meter.finish(), before);
    // Rows from before the window are what holds at its start.
    let mut meter = Meter::new(&Config {
        nodes: &machine,
        from_ns: 4,
        to_ns: 10,
        step_ns: Some(10),
        source: source(),
    });
    for row in &rows {
        meter.row(row);
    }
    assert_eq!(meter.finish(), measure(&machine, &rows, 4, 10, Some(10)));
}

#[test]
fn the_answer_has_the_names_of_the_report() {
    let machine = nodes(&[&[0], &[1]]);
    let rows = [row(0, 0, task(2)), row(0, 1, idle(0))];
    let json = serde_json::to_value(measure(&machine, &rows, 0, 4, Some(4))).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "step_ns": 4,
            "nodes": [
                {"nid": 0, "percent": [100], "average": 100, "busy_ns": 4, "idle_ns": 0, "unknown_ns": 0},
                {"nid": 10, "percent": [0], "average": 0, "busy_ns": 0, "idle_ns": 4, "unknown_ns": 0},
            ],
            "cpus": [
                {"cpu": 0, "nid": 0, "busy_ns": 4, "idle_ns": 0, "unknown_ns": 0},
                {"cpu": 1, "nid": 10, "busy_ns": 0, "idle_ns": 4, "unknown_ns": 0},
            ],
            "imbalance": [{"from_ns": 0, "max_min": 100.0, "stdev": 50.0, "hhi": 1.0}],
            "depth": {"step_ns": 1, "nodes": [
                {"nid": 0, "mean": [1.0, 1.0, 1.0, 1.0], "max": [1, 1, 1, 1]},
                {"nid": 10, "mean": [0.0, 0.0, 0.0, 0.0], "max": [0, 0, 0, 0]},
            ]},
            "label": "replayed",
            "missing": [],
        })
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_ns_counts_once((machine, rows) in recording(), [from, _, to] in moments(), step in 1_u64..20) {
        let table = measure(&machine, &rows, from, to, Some(step));
        let states = |cpu: u32| (from..to).map(move |ts_ns| (ts_ns, cpu));
        for cpu in &table.cpus {
            let mut sums = [0; 3];
            for (ts_ns, cpu) in states(cpu.cpu) {
                match at(&rows, cpu, ts_ns).map(|state| state.on) {
                    Some(OnCpu::Task) => sums[0] += 1,
                    Some(OnCpu::Idle) => sums[1] += 1,
                    _ => sums[2] += 1,
                }
            }
            prop_assert_eq!([cpu.busy_ns, cpu.idle_ns, cpu.unknown_ns], sums);
            prop_assert_eq!(sums.iter().sum::<u64>(), to - from);
        }
        for (place, node) in machine.iter().enumerate() {
            let cpus: Vec<u32> = node.cpus.clone();
            let count = |from: u64, to: u64| -> u64 {
                let busy = |ts_ns: u64| cpus.iter().filter(|&&cpu| at(&rows, cpu, ts_ns).is_some_and(|state| state.on == OnCpu::Task)).count() as u64;
                (from..to).map(busy).sum()
            };
            let (mut cells, mut begin) = (Vec::new(), from);
            while begin < to {
                let end = to.min(begin + step);
                if end - begin == step || begin == from {
                    cells.push((count(begin, end), end - begin));
                }
                begin += step;
            }
            let ncpu = cpus.len() as u64;
            let percent: Vec<u64> = cells.iter().map(|(busy, len)| (200 * busy + ncpu * len) / (2 * ncpu * len)).collect();
            // As if what is not recorded were idle.
            let least: Vec<u64> = table.nodes[place].between.iter().map(|cell| cell.0).collect();
            prop_assert_eq!(least, percent);
            prop_assert_eq!(table.nodes[place].busy_ns, count(from, to));
            // Waiting tasks, in steps of 1 ns as the window is short.
            prop_assert!(table.depth.step_ns == 1);
            for (at_step, ts_ns) in (from..to).enumerate() {
                let waiting: u32 = cpus.iter().filter_map(|&cpu| at(&rows, cpu, ts_ns)).map(|state| u32::from(state.waiting())).sum();
                prop_assert_eq!(table.depth.nodes[place].max[at_step], waiting);
                prop_assert!((table.depth.nodes[place].mean[at_step] - f64::from(waiting)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn longer_steps_of_depth_are_means((machine, rows) in recording(), factor in 20_u64..200) {
        // Every ns becomes so many that steps of the depth are longer than a ns.
        let wide: Vec<StateRow> = rows.iter().map(|row| StateRow { ts_ns: row.ts_ns * factor, ..*row }).collect();
        let to = END * factor;
        let depth = measure(&machine, &wide, 0, to, None).depth;
        let step = depth.step_ns;
        prop_assert!(step > 1);
        for (place, node) in machine.iter().enumerate() {
            for at_step in 0..to.div_ceil(step) {
                let (begin, end) = (at_step * step, to.min(at_step * step + step));
                let waiting = |ts_ns: u64| -> u32 {
                    node.cpus.iter().filter_map(|&cpu| at(&wide, cpu, ts_ns)).map(|state| u32::from(state.waiting())).sum()
                };
                let sum: u32 = (begin..end).map(waiting).sum();
                let mean = depth.nodes[place].mean[at_step as usize];
                prop_assert!((mean - f64::from(sum) / (end - begin) as f64).abs() < 1e-9);
                prop_assert_eq!(Some(depth.nodes[place].max[at_step as usize]), (begin..end).map(waiting).max());
            }
        }
    }

    #[test]
    fn the_average_lies_among_the_cells((machine, rows) in recording(), [from, _, to] in moments(), step in 1_u64..20) {
        for node in measure(&machine, &rows, from, to, Some(step)).nodes {
            let known = || node.percent.iter().flatten().copied();
            // A short last step has no cell, but none of the average, either.
            prop_assert!(known().min() <= node.average && node.average <= known().max());
        }
    }

    #[test]
    fn the_clocks_zero_means_nothing((machine, rows) in recording(), [from, _, to] in moments(), shift in 0_u64..1 << 60) {
        let shifted: Vec<StateRow> = rows.iter().map(|row| StateRow { ts_ns: row.ts_ns + shift, ..*row }).collect();
        let mut moved = measure(&machine, &shifted, from + shift, to + shift, Some(3));
        for cell in &mut moved.imbalance {
            cell.from_ns -= shift;
        }
        prop_assert_eq!(measure(&machine, &rows, from, to, Some(3)), moved);
    }

    #[test]
    fn adjoining_windows_add_up((machine, rows) in recording(), [a, b, c] in moments()) {
        let (first, second) = (measure(&machine, &rows, a, b, None), measure(&machine, &rows, b, c, None));
        let both = measure(&machine, &rows, a, c, None);
        for ((one, two), all) in first.cpus.iter().zip(&second.cpus).zip(&both.cpus) {
            prop_assert_eq!(one.busy_ns + two.busy_ns, all.busy_ns);
            prop_assert_eq!(one.idle_ns + two.idle_ns, all.idle_ns);
            prop_assert_eq!(one.unknown_ns + two.unknown_ns, all.unknown_ns);
        }
    }

    #[test]
    fn an_idle_gap_adds_idle_time_only((machine, rows) in recording(), gap in 1_u64..1000) {
        let mut ended = rows.clone();
        ended.extend(numalens_support::rows::cpus(&machine).into_iter().map(|cpu| row(END, cpu, idle(0))));
        let (short, long) = (measure(&machine, &ended, 0, END, None), measure(&machine, &ended, 0, END + gap, None));
        for (short, long) in short.cpus.iter().zip(&long.cpus) {
            prop_assert_eq!(short.busy_ns, long.busy_ns);
            prop_assert_eq!(short.unknown_ns, long.unknown_ns);
            prop_assert_eq!(short.idle_ns + gap, long.idle_ns);
        }
    }
}
