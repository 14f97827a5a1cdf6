//! Rows of a comparison: the published tables as one row each, and what is told where there is little to tell.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_numa_balancing::statistics::{
    Better, By, ComparedRow, Mean, Measured, Run, compare_sides, harmonic_mean, mean,
};
use proptest::prelude::*;

/// Rows of `tput-N`: N, then per kernel its mean, `*` or `-`, and the percent beside it.
const THROUGHPUT: &str = crate::numa_balancing_common::THROUGHPUT;
/// Rows of the NAS table, for six numbers of threads: the old kernel, the new one, the comparisons.
const NAS: &str = crate::numa_balancing_common::NAS;

fn windows(values: &[f64]) -> Vec<Run> {
    vec![Run {
        values: values.to_vec(),
        ..Run::default()
    }]
}

fn runs(values: &[f64]) -> Vec<Run> {
    values.iter().flat_map(|&value| windows(&[value])).collect()
}

fn counts(values: &[f64], seconds: f64) -> Vec<Run> {
    vec![Run {
        values: values.to_vec(),
        seconds: Some(seconds),
        add: false,
    }]
}

fn told(better: Better, sides: Vec<Vec<Run>>, by: By) -> ComparedRow {
    compare_sides(&Measured { better, sides }, 0, by)
}

#[test]
fn the_seeds_throughput_is_told_with_its_percents() {
    for line in THROUGHPUT.lines() {
        let parts: Vec<&str> = line.split(' ').collect();
        let cells: Vec<&[&str]> = parts[1..].chunks(3).collect();
        let means = cells.iter().map(|cell| cell[0].parse().unwrap());
        let row = told(
            Better::Higher,
            means.map(|mean: f64| windows(&[mean])).collect(),
            By::Windows,
        );
        assert_eq!(row.mean, Mean::Harmonic);
        assert!(row.sides[0].percent.is_none() && row.sides[0].cell_2020.is_none());
        for (side, cell) in row.sides.iter().zip(&cells).skip(1) {
            let printed: f64 = cell[2].parse().unwrap();
            assert!((side.percent.unwrap() - printed).abs() <= 0.0051, "{line}");
            // A single value has no star, whatever the published runs said.
            assert!(side.t_test.is_none() && side.intervals.is_none());
            assert!(side.cell_2024.as_ref().unwrap().starts_with('('));
        }
    }
}

/// The runs of a kernel (0 old, 1 new) with so many threads: five values are their own quartiles.
fn nas(kernel: usize, column: usize) -> Vec<f64> {
    ["max", "min", "first_q", "median", "third_q"]
        .iter()
        .map(|name| {
            let rows: Vec<&str> = NAS.lines().filter(|line| line.starts_with(name)).collect();
            let cells: Vec<&str> = rows[kernel].split(' ').collect();
            cells[column + 1].parse().unwrap()
        })
        .collect()
}

fn nas_row(name: &str, kernel: usize) -> Vec<f64> {
    let rows: Vec<&str> = NAS
        .lines()
        .filter(|line| line.split(' ').next() == Some(name))
        .collect();
    rows[kernel]
        .split(' ')
        .skip(1)
        .map(|cell| cell.parse().unwrap())
        .collect()
}

#[test]
fn the_seeds_runs_are_told_with_their_comparison_rows() {
    for column in 0..6 {
        let sides = vec![runs(&nas(0, column)), runs(&nas(1, column))];
        let row = told(Better::Higher, sides, By::Runs);
        let new = &row.sides[1];
        let summary = new.summary.unwrap();
        assert_eq!(summary.n, 5);
        assert!((summary.mean - nas_row("mean", 1)[column]).abs() <= 0.06);
        assert!((summary.population_deviation - nas_row("stdev", 1)[column]).abs() <= 0.06);
        assert!((summary.first_quartile - nas_row("first_q", 1)[column]).abs() < 1e-9);
        // Old mean, new mean, then the comparison's own row.
        assert_eq!(new.change_mean.unwrap(), nas_row("mean", 2)[column] as i64);
        assert_eq!(
            new.change_median.unwrap(),
            nas_row("median", 2)[column] as i64
        );
    }
    // 8 threads: half the throughput; both rules say so, and the cells have their stars.
    let row = told(
        Better::Higher,
        vec![runs(&nas(0, 0)), runs(&nas(1, 0))],
        By::Runs,
    );
    let new = &row.sides[1];
    assert!(new.t_test.unwrap().significant && new.t_test.unwrap().p.unwrap() < 0.001);
    assert!(new.intervals.unwrap().significant);
    assert!(new.cell_2020.as_ref().unwrap().starts_with("* -4"));
    assert!(new.cell_2024.as_ref().unwrap().starts_with("* -4"));
    // 56 threads: neither does.
    let row = told(
        Better::Higher,
        vec![runs(&nas(0, 4)), runs(&nas(1, 4))],
        By::Runs,
    );
    assert!(
        !row.sides[1].t_test.unwrap().significant && !row.sides[1].intervals.unwrap().significant
    );
    assert!(row.sides[1].cell_2020.as_ref().unwrap().starts_with('('));
}

#[test]
fn counts_are_compared_per_second() {
    // Twice the length, twice the count: nothing is different.
    let row = told(
        Better::Lower,
        vec![counts(&[100.0], 10.0), counts(&[200.0], 20.0)],
        By::Windows,
    );
    assert_eq!(row.sides[1].total, Some(200.0));
    assert_eq!(row.sides[1].mean, Some(10.0));
    assert_eq!(row.sides[1].percent, Some(0.0));
    // The sign says better or worse, and without either more or less.
    let sides = || vec![counts(&[100.0], 10.0), counts(&[50.0], 10.0)];
    assert_eq!(
        told(Better::Lower, sides(), By::Windows).sides[1].percent,
        Some(50.0)
    );
    assert_eq!(
        told(Better::Neither, sides(), By::Windows).sides[1].percent,
        Some(-50.0)
    );
    assert_eq!(
        told(Better::Higher, sides(), By::Windows).sides[1].percent,
        Some(-50.0)
    );
    // Parts of one count are one value.
    let parts = |values: &[f64]| {
        vec![Run {
            values: values.to_vec(),
            seconds: Some(2.0),
            add: true,
        }]
    };
    let row = told(
        Better::Lower,
        vec![parts(&[1.0, 2.0, 3.0]), parts(&[])],
        By::Windows,
    );
    assert_eq!(
        (row.sides[0].total, row.sides[0].mean),
        (Some(6.0), Some(3.0))
    );
    assert_eq!(row.sides[0].summary.unwrap().n, 1);
    assert_eq!(
        (row.sides[1].total, row.sides[1].percent),
        (Some(0.0), Some(100.0))
    );
}

#[test]
fn what_has_no_ratio_is_not_told_as_one() {
    let row = told(
        Better::Neither,
        vec![
            windows(&[0.0, 0.0]),
            windows(&[5.0, 7.0]),
            windows(&[0.0]),
            windows(&[]),
        ],
        By::Windows,
    );
    assert_eq!(row.sides[1].percent, None);
    assert_eq!(row.sides[2].percent, Some(0.0));
    assert_eq!((row.sides[3].mean, row.sides[3].percent), (None, None));
    assert!(row.sides[3].summary.is_none() && row.sides[3].total.is_none());
    // What fell to nothing fell by all of it, where mmtests' rule for rates says 0.
    let row = told(
        Better::Higher,
        vec![windows(&[5.0]), windows(&[0.0])],
        By::Windows,
    );
    assert_eq!(
        (row.mean, row.sides[1].percent),
        (Mean::Arithmetic, Some(-100.0))
    );
    // Infinite and missing numbers are not values.
    let row = told(
        Better::Lower,
        vec![windows(&[1.0, f64::NAN, f64::INFINITY]), windows(&[1.0])],
        By::Windows,
    );
    assert_eq!(row.sides[0].summary.unwrap().n, 1);
}

#[test]
fn runs_count_once_however_many_windows_they_have() {
    let long = Run {
        values: vec![10.0; 50],
        ..Run::default()
    };
    let side = vec![long, windows(&[20.0]).remove(0)];
    let row = |by| told(Better::Lower, vec![side.clone(), side.clone()], by);
    assert_eq!(row(By::Runs).sides[0].summary.unwrap().n, 2);
    assert_eq!(row(By::Runs).sides[0].mean, Some(15.0));
    assert_eq!(row(By::Windows).sides[0].summary.unwrap().n, 51);
    assert!(row(By::Windows).sides[0].mean.unwrap() < 10.5);
}

proptest! {
    #[test]
    fn the_mean_is_that_of_the_values(
        values in proptest::collection::vec(0.5f64..1e6, 1..20),
        others in proptest::collection::vec(0.5f64..1e6, 1..20),
    ) {
        let row = told(Better::Higher, vec![windows(&values), windows(&others)], By::Windows);
        prop_assert_eq!(row.sides[0].mean, harmonic_mean(&values));
        let row = told(Better::Lower, vec![windows(&values), windows(&others)], By::Windows);
        prop_assert_eq!(row.sides[1].mean, mean(&others));
        // Less is better: the sign shows which of the two is the lower one.
        let percent = row.sides[1].percent.unwrap();
        let (old, new) = (mean(&values).unwrap(), mean(&others).unwrap());
        prop_assert_eq!(percent > 0.0, new < old);
    }
}
