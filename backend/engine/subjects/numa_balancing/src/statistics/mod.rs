//! Means, deviations and quantiles.

mod runs;
mod significance;

use schemars::JsonSchema;
use serde::Serialize;

pub use self::runs::{By, ComparedRow, Mean, Measured, SideOfRow, compare_rows, compare_sides};
pub use self::significance::{
    Intervals, NORMAL_95, Spread, THRESHOLD_2020, TTest, intervals_2024, student_cdf,
    student_two_sided, t_test_2020,
};
pub use numalens_subject::metrics::{Better, Run};

/// `n / Σ(1/x)`; `None` without values, and where a value is not above 0.
#[must_use]
pub fn harmonic_mean(values: &[f64]) -> Option<f64> {
    let valid = !values.is_empty() && values.iter().all(|&value| value > 0.0);
    valid.then(|| values.len() as f64 / values.iter().map(|value| 1.0 / value).sum::<f64>())
}

/// The arithmetic mean; `None` without values.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Sum of the squared distances from the mean.
fn squares(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    Some(values.iter().map(|value| (value - mean).powi(2)).sum())
}

/// Deviation of a sample around its arithmetic mean: divided by n - 1; `None` of fewer than two values. mmtests' `Stddev`.
#[must_use]
pub fn sample_deviation(values: &[f64]) -> Option<f64> {
    (values.len() > 1).then(|| Some((squares(values)? / (values.len() as f64 - 1.0)).sqrt()))?
}

/// Deviation of a population around its arithmetic mean: divided by n; `None` without values. `stdev` of the NAS tables.
#[must_use]
pub fn population_deviation(values: &[f64]) -> Option<f64> {
    Some((squares(values)? / values.len() as f64).sqrt())
}

/// Deviation around the harmonic mean H: `sqrt(Σ(1/x - 1/H)² · H⁴ / n)`. mmtests since 2024-11-28.
#[must_use]
pub fn harmonic_deviation(values: &[f64]) -> Option<f64> {
    let mean = harmonic_mean(values)?;
    let sum: f64 = values
        .iter()
        .map(|value| (1.0 / value - 1.0 / mean).powi(2))
        .sum();
    Some((sum / values.len() as f64).sqrt() * mean * mean)
}

/// Deviation of a sample in percent of its mean. As in mmtests' `CoeffVar`, 0 without a deviation or with a mean of 0; `None`
/// without values.
#[must_use]
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    Some(match sample_deviation(values) {
        Some(deviation) if mean != 0.0 => deviation * 100.0 / mean,
        _ => 0.0,
    })
}

/// A quantile by linear interpolation between the values around it (type 7): `share` 0 is the least, 1 the largest value.
/// `sorted` ascends; `None` without values.
#[must_use]
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = share.clamp(0.0, 1.0) * last as f64;
    let below = (at.floor() as usize).min(last);
    let (low, high) = (*sorted.get(below)?, *sorted.get((below + 1).min(last))?);
    let part = at - below as f64;
    Some(if part == 0.0 {
        low
    } else {
        low + (high - low) * part
    })
}

/// Summary of a row's values for both reports. Units are those of the values, except where noted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ComparedValues")]
pub struct Summary {
    /// Number of values.
    pub n: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Harmonic mean; `None` where a value is not above 0.
    pub harmonic_mean: Option<f64>,
    /// Least value.
    pub min: f64,
    /// A quarter of the values is at most this.
    pub first_quartile: f64,
    /// Half of the values is at most this.
    pub median: f64,
    /// Three quarters of the values are at most this.
    pub third_quartile: f64,
    /// Largest value.
    pub max: f64,
    /// Deviation of a sample (n - 1); `None` of one value.
    pub sample_deviation: Option<f64>,
    /// Deviation of a population (n).
    pub population_deviation: f64,
    /// Sample deviation in percent of the mean.
    pub coefficient_of_variation: f64,
}

/// The summary of values in any order; `None` without values, and where a value is not a number.
#[must_use]
pub fn summarise(values: &[f64]) -> Option<Summary> {
    if values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(Summary {
        n: sorted.len(),
        mean: mean(&sorted)?,
        harmonic_mean: harmonic_mean(&sorted),
        min: *sorted.first()?,
        first_quartile: quantile(&sorted, 0.25)?,
        median: quantile(&sorted, 0.5)?,
        third_quartile: quantile(&sorted, 0.75)?,
        max: *sorted.last()?,
        sample_deviation: sample_deviation(&sorted),
        population_deviation: population_deviation(&sorted)?,
        coefficient_of_variation: coefficient_of_variation(&sorted)?,
    })
}

// A row of two runs side by side.

/// Better direction. It also decides the mean that mmtests prints: a harmonic mean if higher is better, an arithmetic one if
/// lower is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Throughput, rates.
    HigherIsBetter,
    /// Times, latencies, deviations.
    LowerIsBetter,
}

/// Rule for stars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A t test at [`THRESHOLD_2020`], see [`t_test_2020`].
    TTest2020,
    /// Intervals that do not overlap, see [`intervals_2024`].
    Intervals2024,
}

/// A mean next to that of another run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// The base's mean.
    pub base: f64,
    /// The new one.
    pub new: f64,
    /// By how much the new one is better, percent; negative is worse.
    pub percent: f64,
    /// True if the difference is significant; `None` with too few values.
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

// Differences in percent, with mmtests' answers where there is no ratio.

/// By how much `new` is above `base`, percent: for rows where higher is better. 0 when both are the same or `new` is 0, 100
/// when `base` is 0 or not a number.
#[must_use]
pub fn pdiff(new: f64, base: f64) -> f64 {
    if same(new, base) || new == 0.0 {
        0.0
    } else if base == 0.0 || base.is_nan() {
        100.0
    } else {
        new * 100.0 / base - 100.0
    }
}

/// By how much `new` is below `base`, percent: for rows where lower is better, and for deviations. Positive is better. 0 when
/// both are the same, 100 when `new` is 0, -99 when only `base` is.
#[must_use]
pub fn pndiff(new: f64, base: f64) -> f64 {
    if same(new, base) {
        0.0
    } else if new == 0.0 {
        100.0
    } else if base == 0.0 {
        -99.0
    } else {
        100.0 - new * 100.0 / base
    }
}

/// Exactly the same number: the rules are about equality, not about nearness.
#[allow(clippy::float_cmp)]
fn same(a: f64, b: f64) -> bool {
    a == b
}
