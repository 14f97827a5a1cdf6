//! Statistics to compare runs: the published tables of 2020, known values of Student's t, and properties.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_numa_balancing::statistics::{
    Direction, Rule, Spread, THRESHOLD_2020, cell, coefficient_of_variation, compare,
    harmonic_deviation, harmonic_mean, intervals_2024, mean, pdiff, pndiff, population_deviation,
    quantile, rounded_change, sample_deviation, student_cdf, student_two_sided, summarise,
    t_test_2020,
};
use proptest::prelude::*;

/// Rows of `tput-N`: N, then per kernel its mean, `*` or `-`, and the percent beside it.
const THROUGHPUT: &str = crate::numa_balancing_common::THROUGHPUT;
/// Rows of the NAS table, for six numbers of threads: the old kernel, the new one, the comparisons.
const NAS: &str = crate::numa_balancing_common::NAS;

fn close(a: f64, b: f64, error: f64) -> bool {
    (a - b).abs() <= error
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

/// The rows of this name, in the table's order, six columns each.
fn nas(name: &str) -> Vec<Vec<f64>> {
    let rows = NAS.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    rows.filter(|row| row[0] == name)
        .map(|row| row[1..].iter().copied().map(number).collect())
        .collect()
}

/// The five runs of a kernel (0 old, 1 new) and a column: least, quartiles and largest of five values are the values.
fn runs(kernel: usize, column: usize) -> [f64; 5] {
    // Not in order: nothing may depend on that.
    ["median", "max", "min", "third_q", "first_q"].map(|name| nas(name)[kernel][column])
}

#[test]
fn the_seeds_percents_are_reproduced() {
    let (mut cells, mut starred) = (0, 0);
    for line in THROUGHPUT.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let base = number(words[1]);
        for (at, kernel) in words[1..].chunks(3).enumerate() {
            let percent = pdiff(number(kernel[0]), base);
            assert!(close(percent, number(kernel[2]), 0.005 + 1e-4), "{line}");
            assert_eq!(format!("{percent:.2}"), kernel[2], "{line}");
            cells += 1;
            starred += usize::from(kernel[1] == "*");
            // The base is never starred.
            assert!(at > 0 || kernel[1] == "-");
        }
    }
    assert_eq!((cells, starred), (200, 33));
}

#[test]
fn the_seeds_nas_rows_are_reproduced() {
    let mut cells = 0;
    for kernel in 0..2 {
        for column in 0..6 {
            let summary = summarise(&runs(kernel, column)).unwrap();
            for (name, value) in [
                ("mean", summary.mean),
                ("max", summary.max),
                ("min", summary.min),
                ("stdev", summary.population_deviation),
                ("first_q", summary.first_quartile),
                ("median", summary.median),
                ("third_q", summary.third_quartile),
            ] {
                // The values are rounded to 0.1 themselves.
                let printed = nas(name)[kernel][column];
                assert!(
                    close(value, printed, 0.1 + 1e-6),
                    "{name} {column}: {value}"
                );
                cells += 1;
            }
        }
    }
    assert_eq!(cells, 84);
}

#[test]
fn the_seeds_comparison_rows_are_reproduced() {
    for name in ["mean", "median"] {
        let rows = nas(name);
        for ((old, new), change) in rows[0].iter().zip(&rows[1]).zip(&rows[2]) {
            assert_eq!(rounded_change(*old, *new), Some(*change as i64), "{name}");
        }
    }
    assert_eq!(rounded_change(0.0, 1.0), None);
    assert_eq!(rounded_change(f64::NAN, 1.0), None);
}

#[test]
fn five_values_are_their_own_quartiles() {
    let summary = summarise(&[9869.9, 10763.4, 10855.0, 11294.5, 17772.9]).unwrap();
    assert_eq!(format!("{:.1}", summary.first_quartile), "10763.4");
    assert_eq!(format!("{:.1}", summary.median), "10855.0");
    assert_eq!(format!("{:.1}", summary.third_quartile), "11294.5");
    assert_eq!(format!("{:.1}", summary.mean), "12111.1");
    assert_eq!(format!("{:.1}", summary.population_deviation), "2868.4");
    // Of a sample it would be another number.
    assert_eq!(
        format!("{:.1}", summary.sample_deviation.unwrap()),
        "3207.0"
    );
    let old = summarise(&runs(0, 0)).unwrap();
    assert_eq!(format!("{:.1}", old.sample_deviation.unwrap()), "1226.1");
}

#[test]
fn medians_are_not_those_of_mmtests() {
    for (values, median) in [
        (&[1.0, 2.0, 3.0, 4.0][..], 2.5),
        (&[1.0, 2.0, 3.0, 4.0, 5.0], 3.0),
        (&[10.0, 20.0, 30.0], 20.0),
    ] {
        assert!(close(quantile(values, 0.5).unwrap(), median, 0.0));
    }
    // Type 7: between the values by their places.
    assert!(close(
        quantile(&[1.0, 2.0, 3.0, 4.0], 0.25).unwrap(),
        1.75,
        0.0
    ));
    assert_eq!(quantile(&[], 0.5), None);
}

#[test]
fn nothing_and_zeros_have_no_mean() {
    assert_eq!(harmonic_mean(&[]), None);
    assert_eq!(harmonic_mean(&[1.0, 0.0]), None);
    assert_eq!(harmonic_mean(&[1.0, -1.0]), None);
    assert_eq!(harmonic_mean(&[f64::NAN]), None);
    assert!(close(harmonic_mean(&[40.0, 60.0]).unwrap(), 48.0, 1e-12));
    assert_eq!(mean(&[]), None);
    assert_eq!(sample_deviation(&[1.0]), None);
    assert_eq!(population_deviation(&[1.0]), Some(0.0));
    assert_eq!(coefficient_of_variation(&[1.0]), Some(0.0));
    assert_eq!(coefficient_of_variation(&[1.0, -1.0]), Some(0.0));
    assert!(close(
        coefficient_of_variation(&[1.0, 3.0]).unwrap(),
        50.0 * 2_f64.sqrt(),
        1e-9
    ));
    assert!(summarise(&[]).is_none());
    assert!(summarise(&[1.0, f64::NAN]).is_none());
}

#[test]
fn differences_without_a_ratio_have_their_own_answers() {
    let nan = f64::NAN;
    for (new, base, higher, lower) in [
        (5.0, 5.0, 0.0, 0.0),
        (0.0, 0.0, 0.0, 0.0),
        (0.0, 5.0, 0.0, 100.0),
        (5.0, 0.0, 100.0, -99.0),
        (4.0, 5.0, -20.0, 20.0),
        (6.0, 5.0, 20.0, -20.0),
    ] {
        assert!(close(pdiff(new, base), higher, 1e-12), "{new} {base}");
        assert!(close(pndiff(new, base), lower, 1e-12), "{new} {base}");
    }
    assert!(close(pdiff(5.0, nan), 100.0, 0.0));
    assert!(close(pdiff(0.0, nan), 0.0, 0.0));
}

#[test]
fn cells_are_printed_as_mmtests_prints_them() {
    assert_eq!(cell(-4.53, false), "(  -4.53%)");
    assert_eq!(cell(-12.58, true), "* -12.58%*");
    assert_eq!(cell(0.0, false), "(   0.00%)");
}

/// Probability of |t| or more with whole degrees of freedom, by the finite sums of sines and cosines.
fn two_sided(t: f64, df: u32) -> f64 {
    let angle = (t.abs() / f64::from(df).sqrt()).atan();
    let (sin, cos) = angle.sin_cos();
    let (mut sum, mut term) = (0.0, if df % 2 == 1 { cos } else { 1.0 });
    let mut factor = if df % 2 == 1 { 2.0 } else { 1.0 };
    let terms = df / 2;
    for _ in 0..terms {
        sum += term;
        term *= cos * cos * factor / (factor + 1.0);
        factor += 2.0;
    }
    if df % 2 == 1 {
        1.0 - (angle + sin * sum) * 2.0 / std::f64::consts::PI
    } else {
        1.0 - sin * sum
    }
}

#[test]
fn student_has_its_known_values() {
    // Quantiles out of the tables, to all of their digits.
    for (t, df, p) in [
        (12.706_204_736_432_1, 1.0, 0.05),
        (2.776_445_105_197_79, 4.0, 0.05),
        (1.859_548_037_530_9, 8.0, 0.10),
        (2.306_004_135_204_17, 8.0, 0.05),
        (3.355_387_331_333_4, 8.0, 0.01),
        (2.042_272_456_301_24, 30.0, 0.05),
        (1.660_391_156, 99.0, 0.10),
    ] {
        let found = student_two_sided(t, df);
        assert!(close(found, p, 1e-9), "{t} {df}: {found}");
        assert!(
            close(found, two_sided(t, df as u32), 1e-12),
            "{t} {df}: {found}"
        );
    }
    assert!(close(student_two_sided(0.0, 5.0), 1.0, 0.0));
    assert!(close(student_two_sided(f64::INFINITY, 5.0), 0.0, 0.0));
    assert!(student_two_sided(1.0, 0.0).is_nan());
    assert!(close(student_cdf(1.0, 1.0), 0.75, 1e-14));
    assert!(close(student_cdf(-1.0, 1.0), 0.25, 1e-14));
    // With many degrees of freedom it is a normal distribution, and (z³ + z) / 4 df further out (z = 1.959 963 984 5).
    assert!(close(student_cdf(1.959_966_356_8, 1e6), 0.975, 1e-9));
}

#[test]
fn the_rules_tell_which_nas_columns_differ() {
    // t and cidiff as computed in another language from the same numbers.
    let expected = [
        (7.273_067_704, 8.610_392_7e-5, true, -1.757_593_538, true),
        (5.733_808_164, 4.370_417_294e-4, true, -1.031_573_546, true),
        (2.309_753_953, 0.049_708_173_4, true, -0.406_162_701, false),
        (1.401_112_000, 0.198_758_791_7, false, 0.269_161_325, false),
        (0.809_110_584, 0.441_848_674_2, false, 0.161_851_583, false),
        (2.074_888_086, 0.071_682_485_4, true, -0.416_361_546, false),
    ];
    for (column, (t, p, starred, cidiff, apart)) in expected.into_iter().enumerate() {
        let (old, new) = (runs(0, column), runs(1, column));
        let spread = |values: &[f64], deviation: fn(&[f64]) -> Option<f64>| Spread {
            mean: harmonic_mean(values).unwrap(),
            deviation: deviation(values).unwrap(),
            n: values.len(),
        };
        let test = t_test_2020(
            spread(&new, sample_deviation),
            spread(&old, sample_deviation),
            THRESHOLD_2020,
        )
        .unwrap();
        assert_eq!(test.df, 8);
        assert!(close(test.t.unwrap(), t, 1e-8), "{column}");
        assert!(close(test.p.unwrap(), p, 1e-10), "{column}");
        assert_eq!(test.significant, starred, "{column}");
        let test = intervals_2024(
            spread(&new, harmonic_deviation),
            spread(&old, harmonic_deviation),
        );
        assert!(close(test.cidiff, cidiff, 1e-8), "{column}");
        for (rule, significant) in [(Rule::TTest2020, starred), (Rule::Intervals2024, apart)] {
            let row = compare(&old, &new, Direction::HigherIsBetter, rule).unwrap();
            assert_eq!(row.significant, Some(significant), "{column} {rule:?}");
            assert_eq!(row.percent > 0.0, row.new > row.base);
        }
    }
}

#[test]
fn direction_tells_the_mean_and_the_sign() {
    let (base, new) = ([40.0, 60.0], [20.0, 30.0]);
    let higher = compare(&base, &new, Direction::HigherIsBetter, Rule::TTest2020).unwrap();
    assert!(close(higher.base, 48.0, 1e-12) && close(higher.percent, -50.0, 1e-12));
    let lower = compare(&base, &new, Direction::LowerIsBetter, Rule::TTest2020).unwrap();
    assert!(close(lower.base, 50.0, 1e-12) && close(lower.percent, 50.0, 1e-12));
    // Two values each leave two degrees of freedom, one each leaves none.
    assert!(higher.significant.is_some());
    let one = compare(&[1.0], &[2.0], Direction::LowerIsBetter, Rule::TTest2020).unwrap();
    assert_eq!(one.significant, None);
    assert!(compare(&[0.0], &[1.0], Direction::HigherIsBetter, Rule::TTest2020).is_none());
}

#[test]
fn values_that_do_not_spread_differ_or_do_not() {
    let point = |mean, n| Spread {
        mean,
        deviation: 0.0,
        n,
    };
    let test = |a, b| t_test_2020(a, b, THRESHOLD_2020).unwrap().significant;
    assert!(test(point(1.0, 3), point(1.5, 3)));
    assert!(!test(point(1.0, 3), point(1.0, 3)));
    assert!(t_test_2020(point(1.0, 1), point(2.0, 1), THRESHOLD_2020).is_none());
    assert!(t_test_2020(point(1.0, 0), point(2.0, 5), THRESHOLD_2020).is_none());
    // Two points: the bare difference stands for the ratio, so below 1 it is none.
    assert!(!intervals_2024(point(1.5, 3), point(1.0, 3)).significant);
    assert!(intervals_2024(point(3.0, 3), point(1.0, 3)).significant);
}

fn values() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.001_f64..1e6, 2..20)
}

proptest! {
    #[test]
    fn student_is_the_finite_sum(t in -60.0_f64..60.0, df in 1_u32..60) {
        prop_assert!(close(student_two_sided(t, f64::from(df)), two_sided(t, df), 1e-11));
    }

    #[test]
    fn student_falls_with_t(t in 0.0_f64..50.0, more in 0.0_f64..5.0, df in 0.5_f64..1e4) {
        let (near, far) = (student_two_sided(t, df), student_two_sided(t + more, df));
        prop_assert!((0.0..=1.0).contains(&near) && far <= near + 1e-14);
        prop_assert!(close(student_cdf(t, df) + student_cdf(-t, df), 1.0, 1e-14));
    }

    #[test]
    fn summaries_are_in_order(values in values()) {
        let all = summarise(&values).unwrap();
        let order = [all.min, all.first_quartile, all.median, all.third_quartile, all.max];
        prop_assert!(order.is_sorted());
        prop_assert!(all.harmonic_mean.unwrap() <= all.mean * (1.0 + 1e-12));
        prop_assert!(all.population_deviation <= all.sample_deviation.unwrap());
        let n = values.len() as f64;
        let ratio = (n / (n - 1.0)).sqrt();
        prop_assert!(close(all.population_deviation * ratio, all.sample_deviation.unwrap(), 1e-6));
        let mut turned = values.clone();
        turned.reverse();
        prop_assert_eq!(summarise(&turned), Some(all));
    }

    #[test]
    fn units_do_not_matter(a in values(), b in values(), factor in 0.01_f64..100.0) {
        let scaled = |values: &[f64]| values.iter().map(|value| value * factor).collect::<Vec<_>>();
        for direction in [Direction::HigherIsBetter, Direction::LowerIsBetter] {
            let plain = compare(&a, &b, direction, Rule::TTest2020).unwrap();
            let other = compare(&scaled(&a), &scaled(&b), direction, Rule::TTest2020).unwrap();
            prop_assert!(close(plain.percent, other.percent, 1e-6 * (1.0 + plain.percent.abs())));
            // Both ways round it is the same difference.
            let back = compare(&b, &a, direction, Rule::TTest2020).unwrap();
            prop_assert_eq!(plain.significant, back.significant);
        }
    }

    #[test]
    fn any_numbers_are_taken(a in prop::collection::vec(any::<f64>(), 0..6), b in prop::collection::vec(any::<f64>(), 0..6)) {
        for direction in [Direction::HigherIsBetter, Direction::LowerIsBetter] {
            for rule in [Rule::TTest2020, Rule::Intervals2024] {
                let _ = compare(&a, &b, direction, rule);
            }
        }
        let _ = summarise(&a);
    }
}
