//! Tables of mmtests (`bin/compare-mmtests.pl`): a column per kernel, and per cell a value and its change in percent against the first.
//!
//! ```text
//!                        5.6.0-rc1              5.6.0-rc1
//!                      baseline-v3             loadavg-v3
//! Hmean     tput-1     43593.49 (   0.00%)    41616.85 *  -4.53%*
//! ```
//!
//! Stars around a percentage mean that the difference is significant. A positive one is better, which says which way is better.

use crate::SampleTableId;
use crate::benchmark::{HIGHER, LOWER, NEITHER};
use crate::number::{Odd, short};
use crate::rows::Rows;

/// Values of which mmtests prints rows (`lib/MMTests/SummariseMultiops.pm` and others), and which way is better where the table does not
/// say so. Counts and times of the whole run have no percentages.
const ROWS: [(&str, &str); 20] = [
    ("Hmean", HIGHER),
    ("BHmean", HIGHER),
    ("Gmean", NEITHER),
    ("Amean", LOWER),
    ("BAmean", LOWER),
    ("Lmean", LOWER),
    ("Mean", NEITHER),
    ("Min", NEITHER),
    ("Max", NEITHER),
    ("Stddev", LOWER),
    ("CoeffVar", LOWER),
    ("CV", LOWER),
    ("1st-qrtle", NEITHER),
    ("2nd-qrtle", NEITHER),
    ("3rd-qrtle", NEITHER),
    ("Max-90%", NEITHER),
    ("Max-95%", NEITHER),
    ("Max-99%", NEITHER),
    ("Ops", NEITHER),
    ("Duration", NEITHER),
];
/// Kernels of a table.
const MOST_COLUMNS: usize = 64;

/// A value, and its change in percent where one is printed.
struct Cell {
    value: f64,
    percent: Option<f64>,
    star: bool,
}

/// The table that is being read.
#[derive(Default)]
pub(crate) struct Table {
    /// The last line that was no row.
    head: String,
}

impl Table {
    /// Takes a line; returns whether it is a row.
    pub(crate) fn line(&mut self, line: &str, rows: &mut Rows) -> Result<bool, Odd> {
        let Some((mean, fallback)) = row_of(line) else {
            if !line.is_empty() {
                line.clone_into(&mut self.head);
            }
            return Ok(false);
        };
        let (label, cells) = if line.contains("%)") || line.contains("%*") {
            cells(line).ok_or_else(|| {
                Odd::new(
                    "a row of mmtests: a name, and numbers each with (percent%)",
                    line,
                )
            })?
        } else if mean == "Ops" || mean == "Duration" {
            numbers(line).ok_or_else(|| Odd::new("a row of mmtests: a name and numbers", line))?
        } else {
            return Ok(false);
        };
        let name = label.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = short(&name)?;
        let better = direction(&cells).unwrap_or(fallback);
        let names: Vec<&str> = self.head.split_whitespace().collect();
        rows.sampled(SampleTableId::Benchmarks, name);
        for (at, cell) in cells.iter().enumerate() {
            let unnamed = format!("column {}", at + 1);
            let column = names.get(at).filter(|_| names.len() == cells.len());
            let column = column.copied().unwrap_or(&unnamed);
            let column = (cells.len() > 1).then(|| short(column)).transpose()?;
            rows.push(
                SampleTableId::Benchmarks,
                cells![
                    "mmtests",
                    "",
                    name,
                    column,
                    cell.value,
                    "",
                    better,
                    cell.percent,
                    cell.star
                ],
            );
        }
        Ok(true)
    }
}

/// Returns whether a line is a row with percentages, by which a table is recognized.
pub(crate) fn is_row(line: &str) -> bool {
    row_of(line).is_some() && cells(line).is_some()
}

fn row_of(line: &str) -> Option<(&'static str, &'static str)> {
    let first = line.split_whitespace().next()?;
    // Means of the best values are printed as BHmean-50.
    let first = if first.starts_with('B') {
        first.split('-').next()?
    } else {
        first
    };
    ROWS.iter().copied().find(|row| row.0 == first)
}

/// Name and cells of a row with percentages.
fn cells(line: &str) -> Option<(&str, Vec<Cell>)> {
    let mut label = None;
    let mut cells = Vec::new();
    let mut rest = line;
    while let Some(end) = rest.find("%)").or_else(|| rest.find("%*")) {
        let end = rest.find("%*").map_or(end, |star| star.min(end));
        let open = rest[..end].rfind(['(', '*'])?;
        let front = rest[..open].trim();
        let word = front.rsplit(char::is_whitespace).next()?;
        let before = front[..front.len() - word.len()].trim_end();
        if label.is_none() {
            label = Some(before);
        } else if !before.is_empty() {
            return None;
        }
        // The change of a count from 0 is no number.
        let percent: f64 = rest[open + 1..end].trim().parse().ok()?;
        cells.push(Cell {
            value: finite(word)?,
            percent: percent.is_finite().then_some(percent),
            star: rest[open..].starts_with('*'),
        });
        rest = &rest[end + 2..];
    }
    let label = label.filter(|label| label.contains(char::is_whitespace))?;
    (rest.trim().is_empty() && cells.len() <= MOST_COLUMNS).then_some((label, cells))
}

/// Name and cells of a row of numbers alone.
fn numbers(line: &str) -> Option<(&str, Vec<Cell>)> {
    let (mut label, mut cells) = (line, Vec::new());
    while let Some((before, word)) = label.rsplit_once(char::is_whitespace) {
        let Some(value) = finite(word) else { break };
        cells.push(Cell {
            value,
            percent: None,
            star: false,
        });
        label = before.trim_end();
    }
    cells.reverse();
    let fits = !cells.is_empty() && cells.len() <= MOST_COLUMNS;
    (fits && label.contains(char::is_whitespace)).then_some((label, cells))
}

fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Better direction, by a value that changed: a positive percentage is better.
fn direction(cells: &[Cell]) -> Option<&'static str> {
    let (base, others) = cells.split_first()?;
    let direction = |cell: &Cell| {
        let (value, percent) = (cell.value - base.value, cell.percent?);
        let changed = value.abs() > 0.0 && percent.abs() > 0.0;
        let better = if (value > 0.0) == (percent > 0.0) {
            HIGHER
        } else {
            LOWER
        };
        changed.then_some(better)
    };
    others.iter().find_map(direction)
}
