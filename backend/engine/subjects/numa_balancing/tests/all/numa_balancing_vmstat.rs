//! The NUMA rows of `/proc/vmstat`: the five published columns, and what is absent.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_core::provenance::Label;
use numalens_numa_balancing::vmstat::{Row, VmstatTable, table};
use numalens_subject::vmstat::{Counters, Reading, deltas, span};
use proptest::prelude::*;

/// A row each: its name, then the five kernels.
const SEED: &str = crate::numa_balancing_common::VMSTAT;

/// A published column: name and printed value of each row.
fn column(at: usize) -> Vec<(&'static str, &'static str)> {
    let rows = SEED.lines().map(|line| line.split_once(" | ").unwrap());
    rows.map(|(name, values)| (name, values.split(' ').nth(at).unwrap()))
        .collect()
}

/// The counters that a column was made of.
fn counters(column: &[(&str, &str)]) -> Counters {
    [
        ("numa_hit", "NUMA alloc hit"),
        ("numa_miss", "NUMA alloc miss"),
        ("numa_interleave", "NUMA interleave hit"),
        ("numa_local", "NUMA alloc local"),
        ("numa_pte_updates", "NUMA base-page range updates"),
        ("numa_huge_pte_updates", "NUMA PMD updates"),
        ("numa_hint_faults", "NUMA hint faults"),
        ("numa_hint_faults_local", "NUMA hint local faults %"),
        ("numa_pages_migrated", "NUMA pages migrated"),
    ]
    .into_iter()
    .map(|(counter, row)| {
        let printed = column.iter().find(|line| line.0 == row).unwrap().1;
        (counter.to_owned(), printed.parse::<f64>().unwrap() as i64)
    })
    .collect()
}

fn get(table: &VmstatTable, row: Row) -> f64 {
    table.get(row).unwrap()
}

#[test]
fn the_seeds_five_columns_are_reproduced() {
    let intended: Vec<String> = (0..5)
        .map(|at| {
            let column = column(at);
            let table = table(&counters(&column));
            let rows: Vec<(&str, String)> = table
                .rows
                .iter()
                .filter_map(|line| Some((line.name?, format!("{:.2}", line.value?))))
                .collect();
            let printed: Vec<(&str, String)> = column
                .iter()
                .map(|&(name, value)| (name, value.to_owned()))
                .collect();
            assert_eq!(rows, printed);
            assert_eq!((table.label, table.missing.len()), (Label::Replayed, 0));
            format!("{:.2}", get(&table, Row::AutonumaCostIntended))
        })
        .collect();
    // What the model's text means is not what was published.
    assert_eq!(intended[0], "8448.10");
    for (at, intended) in intended.iter().enumerate() {
        assert_ne!(intended, column(at).last().unwrap().1);
    }
}

#[test]
fn the_cost_is_mostly_faults() {
    let named = |names: &[(&str, i64)]| -> Counters {
        names
            .iter()
            .map(|&(name, value)| (name.to_owned(), value))
            .collect()
    };
    let some = table(&named(&[
        ("numa_pte_updates", 0),
        ("numa_hint_faults", 1000),
        ("numa_hint_faults_local", 0),
        ("numa_pages_migrated", 10),
    ]));
    assert!((get(&some, Row::AutonumaCost) - 5.000_19).abs() < 1e-12);
    assert_eq!(format!("{:.2}", get(&some, Row::AutonumaCost)), "5.00");
    assert!((get(&some, Row::AutonumaCostIntended) - 5.005_38).abs() < 1e-12);
    // Faults or none, a share of none is 100.
    assert!(get(&some, Row::HintLocalPercent).abs() < f64::EPSILON);
    let none = table(&named(&[
        ("numa_hint_faults", 0),
        ("numa_hint_faults_local", 0),
    ]));
    assert!((get(&none, Row::HintLocalPercent) - 100.0).abs() < f64::EPSILON);
    // What was not read is absent, and named.
    assert_eq!(none.get(Row::AutonumaCost), None);
    assert_eq!(none.get(Row::PteUpdates), None);
    assert_eq!(none.label, Label::Inferred);
    assert!(none.missing.contains(&"numa_pte_updates".to_owned()));
    assert_eq!(table(&Counters::new()).missing.len(), 9);
}

#[test]
fn readings_stand_around_the_window() {
    let readings: Vec<Reading> = [10, 20, 30, 40]
        .into_iter()
        .map(|t_ns| Reading {
            t_ns,
            counters: Counters::new(),
        })
        .collect();
    let around = |from, to| span(&readings, from, to).map(|(a, b)| (a.t_ns, b.t_ns));
    assert_eq!(around(20, 30), Some((20, 30)));
    assert_eq!(around(21, 29), Some((20, 30)));
    assert_eq!(around(0, 100), Some((10, 40)));
    assert_eq!(around(25, 31), Some((20, 40)));
    assert_eq!(around(40, 100), None);
    assert_eq!(around(0, 5), None);
    assert_eq!(span(&[], 0, 1), None);
}

proptest! {
    /// Differences over adjoining spans add up, and so do the rows that are sums of counters.
    #[test]
    fn spans_add_up(readings in prop::collection::vec(prop::collection::vec(0_i64..1 << 40, 9), 3)) {
        let names: Vec<String> = counters(&column(0)).into_keys().collect();
        let mut sums = vec![0_i64; names.len()];
        let all: Vec<Counters> = readings.iter().map(|grown| {
            for (sum, grown) in sums.iter_mut().zip(grown) {
                *sum += grown;
            }
            names.iter().cloned().zip(sums.iter().copied()).collect()
        }).collect();
        let (first, second) = (table(&deltas(&all[0], &all[1])), table(&deltas(&all[1], &all[2])));
        let whole = table(&deltas(&all[0], &all[2]));
        for row in [Row::AllocHit, Row::PteUpdates, Row::PmdUpdates, Row::HintFaults, Row::AutonumaCost] {
            let parts = get(&first, row) + get(&second, row);
            prop_assert!((parts - get(&whole, row)).abs() <= 1e-9 * (1.0 + parts.abs()));
        }
        // The identity of the published rows.
        let pages = get(&whole, Row::PteUpdates) + 512.0 * get(&whole, Row::PmdUpdates);
        prop_assert!((pages - get(&whole, Row::BasePageRangeUpdates)).abs() < 1.0);
    }

    #[test]
    fn any_counters_are_taken(before in any::<[i64; 9]>(), after in any::<[i64; 9]>()) {
        let names: Vec<String> = counters(&column(0)).into_keys().collect();
        let of = |values: [i64; 9]| -> Counters { names.iter().cloned().zip(values).collect() };
        let grown = deltas(&of(before), &of(after));
        prop_assert!(grown.values().all(|&value| value >= 0));
        let table = table(&grown);
        prop_assert_eq!(table.missing.len(), 9 - grown.len());
        // Implausible differences do no harm either.
        let _ = numalens_numa_balancing::vmstat::table(&of(before));
    }
}
