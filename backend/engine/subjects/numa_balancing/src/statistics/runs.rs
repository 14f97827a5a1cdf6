//! A row of several sides compared: what a table of comparison has in one line.
//!
//! A side is one kernel or one setting, with one or several runs. Its values are either the windows of its runs, or one value
//! per run. Windows of one run are not independent, runs are, so a star over runs is stronger evidence.

use numalens_bundle::Error;
use numalens_subject::metrics::{Better, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statistics::significance::{
    Intervals, Spread, THRESHOLD_2020, TTest, intervals_2024, t_test_2020,
};
use crate::statistics::{
    Summary, cell, harmonic_deviation, harmonic_mean, mean, pdiff, pndiff, rounded_change,
    sample_deviation, summarise,
};

/// Kind of a side's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// One value for each window of each run.
    Windows,
    /// One value for each run: the mean of its windows.
    Runs,
}

/// Mean used for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub enum Mean {
    /// For rows where higher is better and every value is above 0: mmtests' `Hmean`.
    Harmonic,
    /// For all other rows: mmtests' `Amean`.
    Arithmetic,
}

/// A row as it is measured.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Better direction.
    pub better: Better,
    /// By side, its runs.
    pub sides: Vec<Vec<Run>>,
}

/// A side of a row.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SideOfRow {
    /// Sum of the counts; `None` if values are not counts, or none is known.
    pub total: Option<f64>,
    /// Compared value: a count's rate in 1/s, otherwise the values themselves. `None` if no value is known.
    pub mean: Option<f64>,
    /// Distribution around the arithmetic mean; `None` if no value is known.
    pub summary: Option<Summary>,
    /// Difference from the base in percent, with the sign that `better` asks for; `None` at the base, and where there is no
    /// ratio: of nothing, and of 0.
    pub percent: Option<f64>,
    /// The t test of 2020; `None` at the base and where too little is known.
    pub t_test: Option<TTest>,
    /// The intervals of 2024; likewise.
    pub intervals: Option<Intervals>,
    /// The percent as mmtests prints it, with the star of 2020.
    pub cell_2020: Option<String>,
    /// The percent with the star of 2024.
    pub cell_2024: Option<String>,
    /// Change of the arithmetic mean in whole percents, as in the NAS tables.
    pub change_mean: Option<i64>,
    /// Change of the median, likewise.
    pub change_median: Option<i64>,
}

/// A row with what its values say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRow {
    /// Mean used for the sides.
    pub mean: Mean,
    /// By side.
    pub sides: Vec<SideOfRow>,
}

/// Compares the sides of a row with the one at `base`. Values that are not finite are left out.
#[must_use]
pub fn compare_sides(row: &Measured, base: usize, by: By) -> ComparedRow {
    let values: Vec<Vec<f64>> = row.sides.iter().map(|runs| samples(runs, by)).collect();
    let harmonic = row.better == Better::Higher
        && values
            .iter()
            .all(|values| values.iter().all(|&value| value > 0.0));
    let kind = if harmonic {
        Mean::Harmonic
    } else {
        Mean::Arithmetic
    };
    let base_values = values.get(base).map_or(&[][..], Vec::as_slice);
    let sides = values.iter().zip(&row.sides).enumerate();
    ComparedRow {
        mean: kind,
        sides: sides
            .map(|(at, (values, runs))| {
                let other = (at != base).then_some(base_values);
                side(row.better, kind, values, other, total(runs))
            })
            .collect(),
    }
}

/// The values of a side.
fn samples(runs: &[Run], by: By) -> Vec<f64> {
    let known = runs.iter().map(|run| {
        let rate = |value: f64| run.seconds.map_or(value, |seconds| value / seconds);
        let values = if run.add {
            vec![run.values.iter().sum::<f64>() + 0.0]
        } else {
            run.values.clone()
        };
        let rates = values.into_iter().map(rate);
        rates.filter(|value| value.is_finite()).collect::<Vec<_>>()
    });
    match by {
        By::Windows => known.flatten().collect(),
        By::Runs => known.filter_map(|values| mean(&values)).collect(),
    }
}

fn total(runs: &[Run]) -> Option<f64> {
    let counts = runs.iter().filter(|run| run.seconds.is_some());
    let mut counts = counts
        .filter(|run| run.add || !run.values.is_empty())
        .map(|run| run.values.iter().sum::<f64>())
        .peekable();
    // Of floats the sum of nothing is -0.
    counts.peek().is_some().then(|| counts.sum::<f64>() + 0.0)
}

fn side(
    better: Better,
    kind: Mean,
    values: &[f64],
    base: Option<&[f64]>,
    total: Option<f64>,
) -> SideOfRow {
    let summary = summarise(values);
    let mean = mean_of(kind, values);
    let base_mean = base.and_then(|base| mean_of(kind, base));
    let percent = mean
        .zip(base_mean)
        .and_then(|(new, base)| difference(better, new, base));
    let (new_2020, base_2020) = spreads(kind, values, base, |_, values| sample_deviation(values));
    let t_test = new_2020
        .zip(base_2020)
        .and_then(|(new, base)| t_test_2020(new, base, THRESHOLD_2020));
    let (new_2024, base_2024) = spreads(kind, values, base, |kind, values| match kind {
        // Around a harmonic mean this deviation is given for a single value too, where it says nothing.
        Mean::Harmonic => (values.len() > 1).then(|| harmonic_deviation(values))?,
        Mean::Arithmetic => sample_deviation(values),
    });
    let intervals = new_2024
        .zip(base_2024)
        .map(|(new, base)| intervals_2024(new, base));
    let starred =
        |significant: Option<bool>| percent.map(|percent| cell(percent, significant == Some(true)));
    let before = base.and_then(summarise);
    let change = |of: fn(&Summary) -> f64| {
        let (old, new) = (before.as_ref().map(of)?, summary.as_ref().map(of)?);
        rounded_change(old, new)
    };
    SideOfRow {
        total,
        mean,
        percent,
        cell_2020: starred(t_test.map(|test| test.significant)),
        cell_2024: starred(intervals.map(|test| test.significant)),
        t_test,
        intervals,
        change_mean: change(|summary| summary.mean),
        change_median: change(|summary| summary.median),
        summary,
    }
}

fn mean_of(kind: Mean, values: &[f64]) -> Option<f64> {
    match kind {
        Mean::Harmonic => harmonic_mean(values),
        Mean::Arithmetic => mean(values),
    }
}

/// Percentage of mmtests if there is a ratio. Without a ratio mmtests prints 0, 100 or -99; here no percentage is returned,
/// and a fall to 0 is -100 %.
fn difference(better: Better, new: f64, base: f64) -> Option<f64> {
    if base == 0.0 {
        return (new == 0.0).then_some(0.0);
    }
    Some(match better {
        Better::Lower => pndiff(new, base),
        _ if new == 0.0 => -100.0,
        _ => pdiff(new, base),
    })
}

fn spreads(
    kind: Mean,
    values: &[f64],
    base: Option<&[f64]>,
    deviation: impl Fn(Mean, &[f64]) -> Option<f64>,
) -> (Option<Spread>, Option<Spread>) {
    let spread = |values: &[f64]| {
        Some(Spread {
            mean: mean_of(kind, values)?,
            deviation: deviation(kind, values)?,
            n: values.len(),
        })
    };
    (spread(values), base.and_then(spread))
}

// Rows of a comparison: numbers in, the engine's statistics out.

/// Values to compare.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowsRequest {
    by: By,
    base: usize,
    rows: Vec<Measured>,
}

/// The rows side by side, as JSON, in the order of the query.
///
/// # Errors
///
/// Fails when the query is not JSON of that shape, or a value is invalid.
pub fn compare_rows(request: &str) -> Result<String, Error> {
    let request: RowsRequest = serde_json::from_str(request)
        .map_err(|error| Error::Wrong(format!("the rows: {error}")))?;
    for (number, row) in request.rows.iter().enumerate() {
        if request.base >= row.sides.len() {
            return Err(Error::Wrong(format!(
                "row {number}: expected a base below {}, found {}",
                row.sides.len(),
                request.base
            )));
        }
        let seconds = row.sides.iter().flatten().filter_map(|run| run.seconds);
        if let Some(wrong) = seconds
            .into_iter()
            .find(|seconds| seconds.is_nan() || *seconds <= 0.0)
        {
            return Err(Error::Wrong(format!(
                "row {number}: expected seconds above 0, found {wrong}"
            )));
        }
    }
    let rows = request.rows.iter();
    let compared: Vec<ComparedRow> = rows
        .map(|row| compare_sides(row, request.base, request.by))
        .collect();
    serde_json::to_string(&compared).map_err(|error| Error::Bundle(error.to_string()))
}
