//! Events that match a filter, of all types together: page by page as text, or as one export.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use numalens_bundle::{Error, Open, Table};
use numalens_columns::Cell;
use numalens_core::ipc::{Bytes, IpcFile};
pub use numalens_events::Key;
use numalens_events::filter::{COMMON_FIELDS, Filter, TableFilter, Wrong};
use numalens_events::{Page as Wanted, Searched, Span, find, times};
use serde::Serialize;

use super::format::Format;
use super::merge::{Picked, Source};
use super::schema::Shape;
use super::{EVENT_TYPE, Out, written};

/// Columns that are not an event's own.
const OWN: [&str; 4] = ["ts_ns", "cpu", "seq", "buffer"];

/// Begins the names of the fields that kprobes and fprobes have (`kernel/trace/trace_probe.h`).
const PROBE: &str = "__probe_";

/// Some events in ascending time.
#[derive(Debug, Serialize)]
pub struct Page {
    events: Vec<Row>,
    /// All matching events of the window, on this page or not.
    matched: u64,
    /// Start of the next page; nothing after the last.
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
    /// Name and text of each field with a value.
    fields: Vec<(String, String)>,
}

/// A table of which some events may be meant.
struct Chosen<'a> {
    /// Position among the bundle's tables.
    at: usize,
    table: &'a Table,
    filter: TableFilter,
}

/// Position of a row: its table among the chosen ones, its batch, its position there.
type Place = (Key, usize, usize, usize);

/// Checks that a text is a valid filter that can match events of this bundle.
///
/// # Errors
///
/// Fails when the filter is invalid.
pub fn check(bundle: &Open, text: &str) -> Result<(), Error> {
    choose(bundle, text).map(drop)
}

/// At most `limit` events of the window that come after `after`. The page that another one follows need not count again.
///
/// # Errors
///
/// Fails when `text` is an invalid filter or a table cannot be read.
pub fn page(
    bundle: &Open,
    text: &str,
    window: (Option<u64>, Option<u64>),
    after: Option<Key>,
    limit: usize,
) -> Result<Page, Error> {
    let chosen = choose(bundle, text)?;
    let window = Span::new(window.0, window.1);
    let counted = bundle.counted(text, window);
    let mut tables = Vec::with_capacity(chosen.len());
    for each in &chosen {
        let mut columns: BTreeSet<&str> = each.filter.columns();
        columns.extend(["ts_ns", "seq"]);
        let columns: Vec<&str> = columns.into_iter().collect();
        tables.push(Searched {
            input: each.table.input,
            file: bundle.events(each.at, Some(&columns))?,
            extents: bundle.extents(each.at)?,
            filter: &each.filter,
        });
    }
    let wanted = Wanted {
        window,
        after,
        limit,
        count: counted.is_none(),
    };
    let found = find(&tables, &wanted)?;
    if let Some(matched) = found.matched {
        bundle.keep_count(text, window, matched);
    }
    let last = found.events.last().map(|(key, ..)| *key);
    Ok(Page {
        next: last.filter(|_| found.more),
        events: rows(bundle, &chosen, &found.events)?,
        matched: counted.or(found.matched).unwrap_or_default(),
    })
}

/// Writes all matching events of the window and returns their number. The columns are those of all their types, with
/// the type's name in front.
///
/// # Errors
///
/// Fails when `text` is an invalid filter, a table cannot be read, and when `out` does.
pub fn export_found(
    bundle: &Open,
    text: &str,
    format: Format,
    window: (Option<u64>, Option<u64>),
    out: Out<'_>,
) -> Result<u64, Error> {
    let mut files = Vec::new();
    for each in choose(bundle, text)? {
        let file = bundle.events(each.at, None)?;
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
    let window = Span::new(window.0, window.1);
    let mut sources = Vec::new();
    for (Chosen { at, table, filter }, file) in files {
        let extents = bundle.extents(at)?;
        let source = Source::open(table.input, file, extents, Arc::clone(&shape), window);
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
    for (at, table) in bundle.tables.iter().enumerate() {
        let schema = bundle.footer(at)?.schema();
        for field in schema.fields() {
            let (number, text) = kinds.entry(field.name().clone()).or_default();
            *number |= field.data_type().is_integer();
            *text |= field.data_type() == &DataType::Utf8;
        }
        if let Some(filter) = filter.of_table(&table.system, &table.event, schema) {
            chosen.push(Chosen { at, table, filter });
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

/// The rows as text, in the order in which they were found; each batch is read once.
fn rows(bundle: &Open, chosen: &[Chosen<'_>], found: &[Place]) -> Result<Vec<Row>, Error> {
    let mut by_batch: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for (at, (_, table, batch, row)) in found.iter().enumerate() {
        by_batch
            .entry((*table, *batch))
            .or_default()
            .push((at, *row));
    }
    let mut made: Vec<(usize, Row)> = Vec::with_capacity(found.len());
    let mut open: Option<(usize, IpcFile<Bytes>)> = None;
    for ((place, batch), wanted) in by_batch {
        let Chosen { at, table, .. } = chosen[place];
        if open.as_ref().is_none_or(|(opened, _)| *opened != place) {
            open = Some((place, bundle.events(at, None)?));
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

/// A value as text. The kernel prints addresses and masks in base 16: lists of 64-bit words, and where a probe is.
fn text_of(name: &str, column: &ArrayRef, row: usize) -> String {
    let words = column.as_list_opt::<i32>().map(|lists| lists.value(row));
    if let Some(words) = words
        .as_ref()
        .and_then(|one| one.as_primitive_opt::<UInt64Type>())
    {
        let words: Vec<String> = words
            .iter()
            .map(|word| format!("{:#x}", word.unwrap_or_default()))
            .collect();
        return format!("[{}]", words.join(", "));
    }
    if let Some(word) =
        (column.as_primitive_opt::<UInt64Type>()).filter(|_| name.starts_with(PROBE))
    {
        return format!("{:#x}", word.value(row));
    }
    Cell::of(column, row).to_string()
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
        fields.push((field.name().clone(), text_of(field.name(), column, row)));
    }
    Ok(Row {
        ts_ns: times(batch)?[row].to_string(),
        cpu: cpu.unwrap_or_default(),
        system: table.system.clone(),
        event: table.event.clone(),
        input: table.input,
        fields,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{Int64Array, ListArray, UInt64Array};

    use super::*;

    #[test]
    fn addresses_are_in_base_16_and_other_lists_and_numbers_as_they_are() {
        let chain = [Some(vec![
            Some(-128_i64 as u64),
            Some(0xffff_ffff_8110_2030),
        ])];
        let words = ListArray::from_iter_primitive::<UInt64Type, _, _>(chain);
        let numbers =
            ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(-1), Some(2)])]);
        let columns: [(&str, ArrayRef, &str); 5] = [
            (
                "callchain",
                Arc::new(words),
                "[0xffffffffffffff80, 0xffffffff81102030]",
            ),
            ("pair", Arc::new(numbers), "[-1, 2]"),
            ("prio", Arc::new(Int64Array::from(vec![-7])), "-7"),
            (
                "runtime",
                Arc::new(UInt64Array::from(vec![129_788])),
                "129788",
            ),
            ("__probe_ip", Arc::new(UInt64Array::from(vec![255])), "0xff"),
        ];
        for (name, column, text) in columns {
            assert_eq!(text_of(name, &column, 0), text);
        }
    }
}
