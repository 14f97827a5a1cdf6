//! Tables of samples of a copy.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;

use super::names::Names;
use super::rows::threads;
use super::{Cut, rewrite};
use crate::bundle::{Input, SampleTable};
use crate::error::Error;
use crate::ingest::files::Folder;

/// The samples of one instant are taken one after the other.
const INSTANT_NS: i64 = 1_000_000_000;

/// Table of the logs of requests: only a reader of its format knows the times and names in a line.
const LOGS: &str = "requests";

/// Keeps the samples of each table inside the time range and next to it, for interpolation at its ends. Returns whether logs of
/// requests were left out.
pub(super) fn cut(
    cut: &Cut,
    tables: &mut Vec<SampleTable>,
    listed: &mut [Input],
    names: &mut Names,
    folder: Folder<'_>,
) -> Result<bool, Error> {
    let mut rows: BTreeMap<(u32, String), u64> = BTreeMap::new();
    let logs: Vec<SampleTable> = tables.extract_if(.., |table| table.table == LOGS).collect();
    for log in &logs {
        folder.remove(&log.file)?;
    }
    for table in tables.iter_mut() {
        let (from, to) = stretch(cut, folder, &table.file)?;
        let (mut first, mut last) = (None, None);
        table.rows = rewrite(folder, &table.file, &mut |batch| {
            let batch = filter_record_batch(batch, &wanted(cut, batch, (from, to)))?;
            let batch = names.samples(batch)?;
            let times = batch.column(0).as_primitive::<Int64Type>();
            first = first.into_iter().chain(times.iter().flatten()).min();
            last = last.into_iter().chain(times.iter().flatten()).max();
            let inputs = batch.column(1).as_primitive::<UInt32Type>();
            for &input in inputs.values() {
                *rows.entry((input, table.table.clone())).or_default() += 1;
            }
            Ok(batch)
        })?;
        table.placed = table.rows;
        (table.from_ns, table.to_ns) = (first, last);
        if table.rows == 0 {
            folder.remove(&table.file)?;
        }
    }
    tables.retain(|table| table.rows > 0);
    for (at, input) in (0_u32..).zip(listed) {
        let Some(sampled) = &mut input.samples else {
            continue;
        };
        let left = |name: &str| rows.get(&(at, name.to_owned())).copied().unwrap_or(0);
        let before = sampled.rows;
        sampled.tables = std::mem::take(&mut sampled.tables)
            .into_keys()
            .map(|name| (name, left(name)))
            .filter(|(_, rows)| *rows > 0)
            .collect();
        sampled.rows = sampled.tables.values().sum();
        // Instants have about as many rows each.
        sampled.samples = match before {
            0 => 0,
            before => (u128::from(sampled.samples) * u128::from(sampled.rows))
                .div_ceil(u128::from(before)) as u64,
        };
    }
    Ok(!logs.is_empty())
}

/// The time range, extended to the instants next to it.
fn stretch(cut: &Cut, folder: Folder<'_>, file: &str) -> Result<(i64, i64), Error> {
    let signed = |time: u64| i64::try_from(time).unwrap_or(i64::MAX);
    let from = cut.from_ns.map_or(i64::MIN, signed);
    let to = cut.to_ns.map_or(i64::MAX, signed);
    let (mut before, mut after) = (None, None);
    for batch in folder.batches(file, None)? {
        let batch = batch?;
        let times = batch.column(0).as_primitive::<Int64Type>();
        before = before
            .into_iter()
            .chain(times.iter().flatten().filter(|at| *at <= from))
            .max();
        after = after
            .into_iter()
            .chain(times.iter().flatten().filter(|at| *at >= to))
            .min();
    }
    Ok((
        before.map_or(from, |at| at.saturating_sub(INSTANT_NS)),
        after.unwrap_or(to),
    ))
}

/// Rows with a time inside that are not about other threads. A row without a known time counts as outside.
fn wanted(cut: &Cut, batch: &RecordBatch, (from, to): (i64, i64)) -> BooleanArray {
    let times = batch.column(0).as_primitive::<Int64Type>();
    let theirs: Vec<_> = ["pid", "tid"]
        .iter()
        .filter_map(|name| threads(batch, name))
        .collect();
    (0..batch.num_rows())
        .map(|row| {
            let inside = times.is_valid(row) && (from..=to).contains(&times.value(row));
            let ours = match &cut.tasks {
                Some(tasks) if !theirs.is_empty() => theirs
                    .iter()
                    .any(|column| column.is_valid(row) && tasks.contains(&column.value(row))),
                _ => true,
            };
            Some(inside && ours)
        })
        .collect()
}
