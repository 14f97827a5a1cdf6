//! Means, deviations and quantiles.

use serde::Serialize;

/// `n / Σ(1/x)`; `None` of nothing, and where a value is not above 0.
#[must_use]
pub fn harmonic_mean(values: &[f64]) -> Option<f64> {
    let valid = !values.is_empty() && values.iter().all(|&value| value > 0.0);
    valid.then(|| values.len() as f64 / values.iter().map(|value| 1.0 / value).sum::<f64>())
}

/// The arithmetic mean; `None` of nothing.
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

/// Deviation of a population around its arithmetic mean: divided by n; `None` of nothing. `stdev` of the NAS tables.
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

/// Deviation of a sample in percent of its mean. As in mmtests' `CoeffVar`, 0 where there is no deviation to tell or where the
/// mean is 0; `None` of nothing.
#[must_use]
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    Some(match sample_deviation(values) {
        Some(deviation) if mean != 0.0 => deviation * 100.0 / mean,
        _ => 0.0,
    })
}

/// A quantile by linear interpolation between the values around it (type 7): `share` 0 is the least, 1 the largest value.
/// `sorted` ascends; `None` of nothing.
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

/// What both reports tell of a row's values. Units are those of the values, unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    /// How many values.
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

/// The summary of values in any order; `None` of nothing, and where a value is not a number.
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
