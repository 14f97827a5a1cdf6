//! A row of two runs beside each other.

use serde::Serialize;

use crate::reconcile::statistics::significance::{
    Spread, THRESHOLD_2020, intervals_2024, t_test_2020,
};
use crate::reconcile::statistics::summary::{
    harmonic_deviation, harmonic_mean, mean, sample_deviation,
};
use crate::reconcile::statistics::{pdiff, pndiff};

/// Which way is better. It says what mmtests prints as well: a harmonic mean of what should be high, an arithmetic one of what
/// should be low.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Throughput, rates.
    HigherIsBetter,
    /// Times, latencies, deviations.
    LowerIsBetter,
}

/// What gets a star.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A t test at [`THRESHOLD_2020`], see [`t_test_2020`].
    TTest2020,
    /// Intervals that do not overlap, see [`intervals_2024`].
    Intervals2024,
}

/// A mean beside the one of another run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// The base's mean.
    pub base: f64,
    /// The new one.
    pub new: f64,
    /// By how much the new one is better, percent; negative is worse.
    pub percent: f64,
    /// Whether the difference is significant; `None` when there are too few values to tell.
    pub significant: Option<bool>,
}

/// Compares the values of a new run with those of a base. `None` when one of them has no mean of the kind that `direction`
/// asks for.
#[must_use]
pub fn compare(base: &[f64], new: &[f64], direction: Direction, rule: Rule) -> Option<Comparison> {
    let mean_of = |values| match direction {
        Direction::HigherIsBetter => harmonic_mean(values),
        Direction::LowerIsBetter => mean(values),
    };
    let (base_mean, new_mean) = (mean_of(base)?, mean_of(new)?);
    let spread = |values: &[f64], mean| {
        let deviation = match (rule, direction) {
            (Rule::Intervals2024, Direction::HigherIsBetter) => harmonic_deviation(values),
            _ => sample_deviation(values),
        };
        Some(Spread {
            mean,
            deviation: deviation?,
            n: values.len(),
        })
    };
    let significant = || {
        let (base, new) = (spread(base, base_mean)?, spread(new, new_mean)?);
        match rule {
            Rule::TTest2020 => Some(t_test_2020(new, base, THRESHOLD_2020)?.significant),
            Rule::Intervals2024 => Some(intervals_2024(new, base).significant),
        }
    };
    Some(Comparison {
        base: base_mean,
        new: new_mean,
        percent: match direction {
            Direction::HigherIsBetter => pdiff(new_mean, base_mean),
            Direction::LowerIsBetter => pndiff(new_mean, base_mean),
        },
        significant: significant(),
    })
}

/// A percent as mmtests prints it: in parentheses, in stars when significant.
#[must_use]
pub fn cell(percent: f64, significant: bool) -> String {
    if significant {
        format!("*{percent:7.2}%*")
    } else {
        format!("({percent:7.2}%)")
    }
}

/// A cell of the NAS tables' rows "Comparison": the change from `old` to `new` in whole percents. `None` when there is no
/// ratio.
#[must_use]
pub fn rounded_change(old: f64, new: f64) -> Option<i64> {
    let change = ((new / old - 1.0) * 100.0).round();
    change.is_finite().then_some(change as i64)
}
