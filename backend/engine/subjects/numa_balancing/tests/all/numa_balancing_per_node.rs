//! The per-node table: the two published tables, and cells against models.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_core::topology::Node;
use numalens_machine::utilisation::{Config, Meter};
use numalens_numa_balancing::per_node::Table;
use numalens_replay::states::StateRow;
use numalens_support::rows::{at, idle, nodes, recording, row, source, task, window};
use proptest::prelude::*;

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;
/// Length of a step.
const STEP_NS: u64 = 5 * S;

/// Rows of both tables: node, AVR, cells.
const SEED: &str = crate::numa_balancing_common::PER_NODE;

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
        // A node of one CPU that is busy for the printed share at the start of each step.
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
            assert!(
                node.percent.iter().eq(cells
                    .iter()
                    .map(|&cell| Some(cell))
                    .collect::<Vec<_>>()
                    .iter())
            );
            assert_eq!(node.average, Some(*average));
            // The average is the rounded mean of the printed cells.
            let sum: u64 = cells.iter().sum();
            assert_eq!((2 * sum + bins as u64) / (2 * bins as u64), *average);
        }
        for (at, imbalance) in table.imbalance.iter().enumerate() {
            let cells: Vec<u64> = printed.iter().map(|row| row.1[at]).collect();
            let spread = cells.iter().max().unwrap() - cells.iter().min().unwrap();
            assert!((imbalance.max_min.unwrap() - spread as f64).abs() < 1e-9);
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

proptest! {
    /// Cells are shares, and add up to the busy time as far as rounding goes; two equal steps in one are their mean.
    #[test]
    fn cells_add_up((machine, rows) in recording(), step in 1_u64..20) {
        let table = busy(&machine, &rows, 0, step * 4, Some(step));
        let wide = busy(&machine, &rows, 0, step * 4, Some(step * 2));
        for ((node, told), wide) in machine.iter().zip(&table.nodes).zip(&wide.nodes) {
            // As if what is not recorded were idle.
            let least = |node: &numalens_numa_balancing::per_node::NodeRow| -> Vec<u64> {
                node.between.iter().map(|cell| cell.0).collect()
            };
            let (told, wide) = (least(told), least(wide));
            prop_assert!(told.iter().all(|&cell| cell <= 100));
            let len = (step * node.cpus.len() as u64) as f64;
            let cells: f64 = told.iter().map(|&cell| cell as f64 / 100.0 * len).sum();
            let total = (0..step * 4).flat_map(|ts| node.cpus.iter().map(move |&cpu| (ts, cpu)))
                .filter(|&(ts, cpu)| at(&rows, cpu, ts).is_some_and(|state| state.on == numalens_replay::states::OnCpu::Task)).count();
            prop_assert!((cells - total as f64).abs() <= 0.005 * len * told.len() as f64 + 1e-9);
            for (two, one) in told.chunks(2).zip(&wide) {
                let mean = two.iter().sum::<u64>() as f64 / 2.0;
                prop_assert!((mean - *one as f64).abs() <= 1.0);
            }
        }
    }
}
