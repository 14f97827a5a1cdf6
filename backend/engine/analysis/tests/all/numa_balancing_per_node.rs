//! The per-node table: the two published tables, the begin of a workload, and the readings against models.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_analysis::numa_balancing::per_node::{
    LoadMeter, Reading, STEP_NS, Table, WorkloadMeter, workload_begin,
};
use numalens_analysis::utilisation::{Config, Meter};
use numalens_analysis::window::Steps;
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;
use numalens_replay::states::StateRow;
use numalens_replay::timeline::SliceRef;
use numalens_support::rows::{END, at, idle, moments, nodes, recording, row, source, task, window};
use proptest::prelude::*;

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

/// Rows of both tables: node, AVR, cells.
const SEED: &str = include_str!("numa_balancing_seed/per_node.txt");

/// The tables of the new kernel and of the old one: AVR and cells of nodes 0 to 7.
fn seed() -> [Vec<(u64, Vec<u64>)>; 2] {
    let numbers = |text: &str| {
        text.split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect::<Vec<u64>>()
    };
    let rows: Vec<_> = SEED
        .lines()
        .map(|line| {
            let parts: Vec<&str> = line.split('|').collect();
            (numbers(parts[1])[0], numbers(parts[2]))
        })
        .collect();
    [rows[..8].to_vec(), rows[8..].to_vec()]
}

fn busy(machine: &[Node], rows: &[StateRow], t0: u64, to: u64, step: Option<u64>) -> Table {
    let mut meter = Meter::new(&Config {
        nodes: machine,
        from_ns: t0,
        to_ns: to,
        step_ns: step,
        source: source(),
    });
    for row in window(rows, machine, t0, to) {
        meter.row(&row);
    }
    Table::busy(&meter.finish(), t0)
}

#[test]
fn the_seeds_tables_are_reproduced() {
    for (printed, bins) in seed().iter().zip([19, 12]) {
        // A node of one CPU that is busy for the printed share at the begin of each step.
        let cpus: Vec<[u32; 1]> = (0..8).map(|cpu| [cpu]).collect();
        let cpus: Vec<&[u32]> = cpus.iter().map(<[u32; 1]>::as_slice).collect();
        let machine = nodes(&cpus);
        let t0 = 17 * S;
        let mut rows = Vec::new();
        for bin in 0..bins {
            let begin = t0 + bin as u64 * STEP_NS;
            rows.extend((0..8).map(|cpu| row(begin, cpu, task(1))));
            let mut ends: Vec<(u64, u32)> = (0..8)
                .map(|cpu| (begin + printed[cpu as usize].1[bin] * STEP_NS / 100, cpu))
                .collect();
            ends.sort_unstable();
            rows.extend(ends.iter().map(|&(ts, cpu)| row(ts, cpu, idle(0))));
        }
        let table = busy(&machine, &rows, t0, t0 + bins as u64 * STEP_NS, None);
        assert_eq!((table.t0_ns, table.step_ns), (t0, STEP_NS));
        for (node, (average, cells)) in table.nodes.iter().zip(printed) {
            assert_eq!(cells.len(), bins);
            assert_eq!(&node.percent, cells);
            assert_eq!(node.average, *average);
            // The average is the rounded mean of the printed cells.
            let sum: u64 = cells.iter().sum();
            assert_eq!((2 * sum + bins as u64) / (2 * bins as u64), *average);
        }
        for (at, imbalance) in table.imbalance.iter().enumerate() {
            let cells: Vec<u64> = printed.iter().map(|row| row.1[at]).collect();
            let spread = cells.iter().max().unwrap() - cells.iter().min().unwrap();
            assert!((imbalance.max_min - spread as f64).abs() < 1e-9);
        }
    }
}

#[test]
fn runtimes_tell_the_number_of_steps() {
    let machine = nodes(&[&[0]]);
    let bins = |ns| busy(&machine, &[], 0, ns, None).nodes[0].percent.len();
    assert_eq!(bins(59_830 * MS), 12);
    // The 19 steps of the other table are a run of 91 s to 96 s; the benchmark's own 87.54 s alone would be 18.
    assert_eq!(
        (bins(87_540 * MS), bins(90_999 * MS), bins(91_000 * MS)),
        (18, 18, 19)
    );
    assert_eq!((bins(95_999 * MS), bins(96_000 * MS)), (19, 20));
}

fn slice(cpu: u32, start_ns: u64, end_ns: u64) -> SliceRef {
    SliceRef {
        cpu,
        task: TaskId::default(),
        prio: 120,
        start_ns,
        end_ns,
    }
}

#[test]
fn a_workload_begins_with_its_first_switch_in() {
    let slices = [slice(0, 30, 40), slice(1, 12, 15), slice(0, 20, 25)];
    assert_eq!(workload_begin(slices), Some(12));
    assert_eq!(workload_begin([]), None);
    let machine = nodes(&[&[0], &[1, 2]]);
    let mut meter = WorkloadMeter::new(&machine, 12, 32, Some(10), source());
    for slice in &slices {
        meter.slice(slice);
    }
    meter.slice(&slice(9, 0, 99));
    let table = meter.finish();
    assert_eq!((table.reading, table.t0_ns), (Reading::Workload, 12));
    // CPU 0: 2 ns of 20..22, then 3 ns and 2 ns; CPU 1: 3 ns of 20.
    assert_eq!(table.nodes[0].percent, [20, 50]);
    assert_eq!(table.nodes[1].percent, [15, 0]);
    assert_eq!(table.nodes[0].average, 35);
}

#[test]
fn load_counts_who_waits() {
    let machine = nodes(&[&[0], &[1, 2]]);
    let rows = [
        row(0, 0, task(3)),
        row(0, 1, task(1)),
        row(0, 2, idle(0)),
        row(5, 0, task(1)),
        row(10, 2, idle(2)),
    ];
    let mut meter = LoadMeter::new(&machine, 0, 20, Some(10), source());
    for row in window(&rows, &machine, 0, 20) {
        meter.row(&row);
    }
    let table = meter.finish();
    assert_eq!(table.reading, Reading::Load);
    assert_eq!(table.nodes[0].percent, [200, 100]);
    assert_eq!(table.nodes[1].percent, [50, 150]);
}

proptest! {
    #[test]
    fn load_is_a_look_at_every_ns((machine, rows) in recording(), edges in moments(), step in 1_u64..20) {
        let [from, to, _] = edges;
        let mut meter = LoadMeter::new(&machine, from, to, Some(step), source());
        for row in window(&rows, &machine, from, to) {
            meter.row(&row);
        }
        let table = meter.finish();
        let steps = Steps::new(from, to, step);
        for (node, told) in machine.iter().zip(&table.nodes) {
            for (bin, &percent) in told.percent.iter().enumerate() {
                let (begin, end) = (steps.start(bin), steps.end(bin));
                let sum: u64 = (begin..end).flat_map(|ts| node.cpus.iter().map(move |&cpu| (ts, cpu)))
                    .map(|(ts, cpu)| u64::from(at(&rows, cpu, ts).unwrap_or_default().running)).sum();
                let wall = (end - begin) * node.cpus.len() as u64;
                prop_assert_eq!(percent, (200 * sum + wall) / (2 * wall));
            }
        }
    }

    /// All tasks' stays are the busy time.
    #[test]
    fn a_workload_of_all_tasks_is_the_busy_reading((machine, rows) in recording(), edges in moments(), step in 1_u64..20) {
        let [from, to, _] = edges;
        let mut meter = WorkloadMeter::new(&machine, from, to, Some(step), source());
        for cpu in numalens_support::rows::cpus(&machine) {
            for ts in 0..END + 10 {
                if at(&rows, cpu, ts).is_some_and(|state| state.on == numalens_replay::states::OnCpu::Task) {
                    meter.slice(&slice(cpu, ts, ts + 1));
                }
            }
        }
        let (own, busy) = (meter.finish(), busy(&machine, &rows, from, to, Some(step)));
        prop_assert_eq!(own.nodes, busy.nodes);
        prop_assert_eq!(own.imbalance.len(), busy.imbalance.len());
    }

    /// Cells are shares, and add up to the busy time as far as rounding goes; two equal steps in one are their mean.
    #[test]
    fn cells_add_up((machine, rows) in recording(), step in 1_u64..20) {
        let table = busy(&machine, &rows, 0, step * 4, Some(step));
        let wide = busy(&machine, &rows, 0, step * 4, Some(step * 2));
        for ((node, told), wide) in machine.iter().zip(&table.nodes).zip(&wide.nodes) {
            prop_assert!(told.percent.iter().all(|&cell| cell <= 100));
            let len = (step * node.cpus.len() as u64) as f64;
            let cells: f64 = told.percent.iter().map(|&cell| cell as f64 / 100.0 * len).sum();
            let total = (0..step * 4).flat_map(|ts| node.cpus.iter().map(move |&cpu| (ts, cpu)))
                .filter(|&(ts, cpu)| at(&rows, cpu, ts).is_some_and(|state| state.on == numalens_replay::states::OnCpu::Task)).count();
            prop_assert!((cells - total as f64).abs() <= 0.005 * len * told.percent.len() as f64 + 1e-9);
            for (two, one) in told.percent.chunks(2).zip(&wide.percent) {
                let mean = two.iter().sum::<u64>() as f64 / 2.0;
                prop_assert!((mean - *one as f64).abs() <= 1.0);
            }
        }
    }
}
