//! Rows of a comparison: numbers in, the engine's statistics out.

use numalens_bundle::Error;
use serde::Deserialize;

use crate::reconcile::statistics::{By, Measured, RowBeside, beside};

/// What is to be compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    by: By,
    base: usize,
    rows: Vec<Measured>,
}

/// The rows beside each other, as JSON, in the order of the question.
///
/// # Errors
///
/// Fails when the question is no JSON of that shape, or a value cannot be.
pub fn compare_rows(asked: &str) -> Result<String, Error> {
    let asked: Asked =
        serde_json::from_str(asked).map_err(|error| Error::Wrong(format!("the rows: {error}")))?;
    for (number, row) in asked.rows.iter().enumerate() {
        if asked.base >= row.sides.len() {
            return Err(Error::Wrong(format!(
                "row {number}: expected a base below {}, found {}",
                row.sides.len(),
                asked.base
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
    let rows = asked.rows.iter();
    let told: Vec<RowBeside> = rows.map(|row| beside(row, asked.base, asked.by)).collect();
    serde_json::to_string(&told).map_err(|error| Error::Bundle(error.to_string()))
}
