//! The events that a filter means, of all types together: page by page as text, or as one export.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, Schema};
use numalens_engine::filter::{COMMON_FIELDS, Filter, TableFilter, Wrong};
use numalens_engine::ipc::IpcFile;
use serde::Serialize;

use super::format::Format;
use super::merge::{Picked, Source};
use super::schema::Shape;
use super::{EVENT_TYPE, Out, written};
use crate::bundle::{Open, Table};
use crate::error::Error;
use crate::storage::Pieces;

/// Columns that are not an event's own.
const OWN: [&str; 4] = ["ts_ns", "cpu", "seq", "buffer"];

/// Place of an event among all: time, input, number in the input.
pub(crate) type Key = (u64, u32, u64);

/// Some events in ascending time.
#[derive(Debug, Serialize)]
pub(crate) struct Page {
    events: Vec<Row>,
    /// All events of the window that are meant, on this page or not.
    matched: u64,
    /// Where the next page begins; nothing after the last.
    next: Option<Key>,
}

#[derive(Debug, Serialize)]
struct Row {
    /// Decimal: a float64 does not hold every clock.
    ts_ns: String,
    cpu: u32,
    system: String,
    event: String,
    input: u32,
    /// Name and text of each field that has a value.
    fields: Vec<(String, String)>,
}

/// A table of which some events may be meant.
struct Chosen<'a> {
    table: &'a Table,
    filter: TableFilter,
}

/// Where a row is: its table among the chosen ones, its batch, its place there.
type Found = (Key, usize, usize, usize);

/// Says whether a text is a filter, and one that can mean something here.
pub(crate) fn check(bundle: &Open, text: &str) -> Result<(), Error> {
    choose(bundle, text).map(drop)
}

/// At most `limit` events of the window that come after `after`.
pub(crate) fn page(
    bundle: &Open,
    text: &str,
    window: (Option<u64>, Option<u64>),
    after: Option<Key>,
    limit: usize,
) -> Result<Page, Error> {
    let chosen = choose(bundle, text)?;
    let mut found: Vec<Found> = Vec::new();
    let mut matched = 0;
    for (place, each) in chosen.iter().enumerate() {
        matched += scan(bundle, each, window, &mut |key, batch, row, kept| {
            let wanted = kept <= limit && after.is_none_or(|after| key > after);
            if wanted {
                found.push((key, place, batch, row));
            }
            wanted
        })?;
    }
    found.sort_unstable();
    let more = found.len() > limit;
    found.truncate(limit);
    Ok(Page {
        next: found.last().filter(|_| more).map(|(key, ..)| *key),
        events: rows(bundle, &chosen, &found)?,
        matched,
    })
}

/// Writes all events of the window that are meant and gives their number. The columns are those of all their types, with
/// the type's name in front.
pub(crate) fn export_found(
    bundle: &Open,
    text: &str,
    format: Format,
    window: (Option<u64>, Option<u64>),
    out: Out<'_>,
) -> Result<u64, Error> {
    let mut files = Vec::new();
    for each in choose(bundle, text)? {
        let file = IpcFile::open(bundle.files.pieces(&each.table.file)?, None)?;
        files.push((each, file));
    }
    let name = Field::new(EVENT_TYPE, DataType::Utf8, false);
    let mut schemas: Vec<Schema> = Vec::new();
    for (_, file) in &files {
        let fields = file
            .schema()
            .fields()
            .iter()
            .map(|field| field.as_ref().clone());
        schemas.push(Schema::new(
            std::iter::once(name.clone())
                .chain(fields)
                .collect::<Vec<_>>(),
        ));
    }
    if schemas.is_empty() {
        let times = [
            Field::new("ts_ns", DataType::UInt64, false),
            Field::new("cpu", DataType::UInt32, false),
            name,
        ];
        schemas.push(Schema::new(times.to_vec()));
    }
    let shape = Arc::new(Shape::of(schemas.iter()));
    let (from, to) = (window.0.unwrap_or(0), window.1.unwrap_or(u64::MAX));
    let mut sources = Vec::new();
    for (Chosen { table, filter }, file) in files {
        let source = Source::open(
            table.input,
            file,
            Arc::clone(&shape),
            from,
            to,
            window.1.is_none(),
        )?;
        sources.push(source.picking(Picked {
            filter,
            event: table.event.clone(),
        }));
    }
    written(sources, format, &shape, out)
}

/// The tables that have something that is meant.
fn choose<'a>(bundle: &'a Open, text: &str) -> Result<Vec<Chosen<'a>>, Error> {
    let wrong = |wrong: Wrong| Error::Wrong(wrong.sentence);
    let filter = Filter::parse(text).map_err(wrong)?;
    let mut kinds: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    let mut chosen = Vec::new();
    for table in &bundle.tables {
        let file = IpcFile::open(bundle.files.pieces(&table.file)?, None)?;
        for field in file.schema().fields() {
            let (number, text) = kinds.entry(field.name().clone()).or_default();
            *number |= field.data_type().is_integer();
            *text |= field.data_type() == &DataType::Utf8;
        }
        if let Some(filter) = filter.of_table(&table.system, &table.event, file.schema()) {
            chosen.push(Chosen { table, filter });
        }
    }
    for name in COMMON_FIELDS {
        let is_text = name == "event" || name == "system";
        kinds.insert(name.to_owned(), (!is_text, is_text));
    }
    filter
        .check(&|name| kinds.get(name).copied().unwrap_or_default())
        .map_err(wrong)?;
    Ok(chosen)
}

/// Goes through the events of a table that are meant and counts them. `each` gets the key, the batch, the row and how many
/// it has taken, and says whether it takes this one, too.
fn scan(
    bundle: &Open,
    chosen: &Chosen<'_>,
    window: (Option<u64>, Option<u64>),
    each: &mut dyn FnMut(Key, usize, usize, usize) -> bool,
) -> Result<u64, Error> {
    let mut columns: BTreeSet<&str> = chosen.filter.columns();
    columns.extend(["ts_ns", "seq"]);
    let columns: Vec<&str> = columns.into_iter().collect();
    let storage = bundle.files.pieces(&chosen.table.file)?;
    let file = IpcFile::open(storage, Some(&columns))?;
    let (from, to) = (window.0.unwrap_or(0), window.1.unwrap_or(u64::MAX));
    let (mut matched, mut kept) = (0, 0);
    for place in 0..file.batches() {
        let batch = file.batch(place)?;
        let (ts, seq) = (numbers(&batch, "ts_ns")?, numbers(&batch, "seq")?);
        if ts.last().is_none_or(|&ts| ts < from) {
            continue;
        }
        if window.1.is_some() && ts.first().is_some_and(|&ts| ts >= to) {
            break;
        }
        let mask = chosen.filter.mask(&batch);
        for row in mask.set_indices() {
            if ts[row] < from || (window.1.is_some() && ts[row] >= to) {
                continue;
            }
            matched += 1;
            kept += usize::from(each(
                (ts[row], chosen.table.input, seq[row]),
                place,
                row,
                kept,
            ));
        }
    }
    Ok(matched)
}

fn numbers<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a [u64], Error> {
    batch
        .column_by_name(name)
        .and_then(|column| column.as_primitive_opt::<UInt64Type>())
        .map(|column| column.values().as_ref())
        .ok_or_else(|| Error::Bundle("an event table has no times".to_owned()))
}

/// The rows as text, in the order in which they were found; each batch is read once.
fn rows(bundle: &Open, chosen: &[Chosen<'_>], found: &[Found]) -> Result<Vec<Row>, Error> {
    let mut by_batch: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for (at, (_, table, batch, row)) in found.iter().enumerate() {
        by_batch
            .entry((*table, *batch))
            .or_default()
            .push((at, *row));
    }
    let mut made: Vec<(usize, Row)> = Vec::with_capacity(found.len());
    let mut open: Option<(usize, IpcFile<Pieces>)> = None;
    for ((place, batch), wanted) in by_batch {
        let table = chosen[place].table;
        if open.as_ref().is_none_or(|(opened, _)| *opened != place) {
            open = Some((
                place,
                IpcFile::open(bundle.files.pieces(&table.file)?, None)?,
            ));
        }
        let Some((_, file)) = open.as_ref() else {
            continue;
        };
        let batch = file.batch(batch)?;
        for (at, row) in wanted {
            made.push((at, row_of(table, &batch, row)?));
        }
    }
    made.sort_unstable_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, row)| row).collect())
}

fn row_of(table: &Table, batch: &RecordBatch, row: usize) -> Result<Row, Error> {
    let cpu = batch
        .column_by_name("cpu")
        .and_then(|column| column.as_primitive_opt::<UInt32Type>())
        .map(|column| column.value(row));
    let mut fields = Vec::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        if OWN.contains(&field.name().as_str()) || column.is_null(row) {
            continue;
        }
        let one = column.slice(row, 1);
        let text = ArrayFormatter::try_new(&one, &FormatOptions::default())?
            .value(0)
            .to_string();
        fields.push((field.name().clone(), text));
    }
    Ok(Row {
        ts_ns: numbers(batch, "ts_ns")?[row].to_string(),
        cpu: cpu.unwrap_or_default(),
        system: table.system.clone(),
        event: table.event.clone(),
        input: table.input,
        fields,
    })
}
