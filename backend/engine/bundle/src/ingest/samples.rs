//! Files of samples: written while they are read, then again with their times on the reference clock.

use std::collections::BTreeMap;
use std::io::BufWriter;
use std::sync::Arc;

use arrow_array::builder::Int64Builder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, UInt32Array};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use numalens_columns::{SinkError, Skipped};
use numalens_core::clock::{Clock, Distance, SampleTimes, Span};
use numalens_samples::{SampleSink, SampleTableId};

use super::files::{Folder, Limited, close as close_file};
use crate::bundle::{SAMPLES, SampleTable};
use crate::error::Error;

/// Folder of the samples as read, inside the bundle while it is made.
const UNPLACED: &str = "samples.unplaced";
/// Numbers of samples that are kept to be met by marks in the trace.
const MOST_NUMBERS: usize = 360_000;

type Writer = FileWriter<BufWriter<Limited>>;

/// Takes the samples of one input.
pub(super) struct Collector<'a> {
    input: u32,
    folder: Folder<'a>,
    open: BTreeMap<&'static str, (Writer, u64)>,
    skipped: Vec<Skipped>,
    stamps: Stamps,
    pub(super) failed: Option<Error>,
}

/// The samples of one input, as read.
pub(super) struct Collected {
    pub(super) input: u32,
    /// Rows by table.
    pub(super) tables: BTreeMap<&'static str, u64>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) stamps: Stamps,
}

/// Statistics of an input's timestamps.
#[derive(Default)]
pub(super) struct Stamps {
    pub(super) times: SampleTimes,
    /// `CLOCK_MONOTONIC` before and after each numbered sample, ns.
    pub(super) numbers: BTreeMap<i64, (i64, Option<i64>)>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(input: u32, folder: Folder<'a>) -> Self {
        Self {
            input,
            folder,
            open: BTreeMap::new(),
            skipped: Vec::new(),
            stamps: Stamps::default(),
            failed: None,
        }
    }

    pub(super) fn finish(self) -> Result<Collected, Error> {
        let mut tables = BTreeMap::new();
        for (name, (writer, rows)) in self.open {
            close(writer)?;
            tables.insert(name, rows);
        }
        Ok(Collected {
            input: self.input,
            tables,
            skipped: self.skipped,
            stamps: self.stamps,
        })
    }

    fn append(&mut self, name: &'static str, batch: &RecordBatch) -> Result<(), Error> {
        if !self.open.contains_key(name) {
            let file = BufWriter::new(self.folder.create(&unplaced(self.input, name))?);
            let writer = FileWriter::try_new(file, batch.schema_ref())?;
            self.open.insert(name, (writer, 0));
        }
        if let Some((writer, rows)) = self.open.get_mut(name) {
            writer.write(batch)?;
            *rows += batch.num_rows() as u64;
        }
        Ok(())
    }
}

impl SampleSink for Collector<'_> {
    fn write(&mut self, table: SampleTableId, batch: &RecordBatch) -> Result<(), SinkError> {
        self.stamps.observe(batch);
        self.append(table.name(), batch).map_err(|error| {
            let sentence = SinkError(error.to_string());
            self.failed = Some(error);
            sentence
        })
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        self.skipped.push(skipped);
        Ok(())
    }
}

fn unplaced(input: u32, table: &str) -> String {
    format!("{UNPLACED}/{input}.{table}.arrow")
}

fn close(writer: Writer) -> Result<(), Error> {
    Ok(close_file(writer.into_inner()?)?)
}

impl Stamps {
    fn observe(&mut self, batch: &RecordBatch) {
        let column = |name: &str| {
            batch
                .column_by_name(name)
                .and_then(|array| array.as_primitive_opt::<Int64Type>())
        };
        let [idx, mono, real, boot, end] =
            ["idx", "mono_ns", "real_ns", "boot_ns", "end_mono_ns"].map(column);
        for row in 0..batch.num_rows() {
            let at = |array: Option<&Int64Array>| {
                array.and_then(|array| array.is_valid(row).then(|| array.value(row)))
            };
            let (mono, real, boot) = (at(mono), at(real), at(boot));
            widen(&mut self.times.mono, mono);
            widen(&mut self.times.real, real);
            widen(&mut self.times.boot, boot);
            apart(&mut self.times.real_mono, real, mono);
            apart(&mut self.times.boot_mono, boot, mono);
            if let (Some(number), Some(mono)) = (at(idx), mono)
                && self.numbers.len() < MOST_NUMBERS
            {
                self.numbers.entry(number).or_insert((mono, at(end)));
            }
        }
    }
}

fn widen(range: &mut Option<(i64, i64)>, stamp: Option<i64>) {
    if let Some(stamp) = stamp {
        let (first, last) = range.get_or_insert((stamp, stamp));
        *first = (*first).min(stamp);
        *last = (*last).max(stamp);
    }
}

fn apart(distance: &mut Option<Distance>, other: Option<i64>, mono: Option<i64>) {
    if let (Some(other), Some(mono)) = (other, mono) {
        let between = other.saturating_sub(mono);
        let distance = distance.get_or_insert(Distance {
            low_ns: between,
            high_ns: between,
            samples: 0,
        });
        distance.low_ns = distance.low_ns.min(between);
        distance.high_ns = distance.high_ns.max(between);
        distance.samples += 1;
    }
}

/// From which clock an input's rows get their place, and how.
pub(super) type Place = Option<(Clock, Span)>;

/// Writes the tables of all inputs together, each row with its time on the reference clock and its input's position.
pub(super) fn place(
    folder: Folder<'_>,
    collected: &[(&Collected, Place)],
) -> Result<Vec<SampleTable>, Error> {
    let mut tables: BTreeMap<&str, Placing> = BTreeMap::new();
    for (collected, place) in collected {
        for &name in collected.tables.keys() {
            let file = folder.open(&unplaced(collected.input, name), None)?;
            let schema = placed_schema(file.schema());
            let table = match tables.entry(name) {
                std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) => {
                    let path = format!("{SAMPLES}/{name}.arrow");
                    let file = BufWriter::new(folder.create(&path)?);
                    entry.insert(Placing::new(
                        name,
                        path,
                        FileWriter::try_new(file, &schema)?,
                    ))
                }
            };
            for batch in file.into_batches() {
                let batch = put(&batch?, &schema, collected.input, place.as_ref())?;
                table.write(&batch)?;
            }
        }
    }
    if !tables.is_empty() {
        folder.remove(UNPLACED)?;
    }
    tables.into_values().map(Placing::finish).collect()
}

/// A table being written.
struct Placing {
    writer: Writer,
    table: SampleTable,
}

impl Placing {
    fn new(name: &str, file: String, writer: Writer) -> Self {
        let table = SampleTable {
            table: name.to_owned(),
            file,
            rows: 0,
            placed: 0,
            from_ns: None,
            to_ns: None,
        };
        Self { writer, table }
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.writer.write(batch)?;
        self.table.rows += batch.num_rows() as u64;
        let times = batch.column(0).as_primitive::<Int64Type>();
        for time in times.iter().flatten() {
            self.table.placed += 1;
            self.table.from_ns = Some(self.table.from_ns.map_or(time, |first| first.min(time)));
            self.table.to_ns = Some(self.table.to_ns.map_or(time, |last| last.max(time)));
        }
        Ok(())
    }

    fn finish(self) -> Result<SampleTable, Error> {
        close(self.writer)?;
        Ok(self.table)
    }
}

/// `ts_ns` and `input` in front of the columns as read.
fn placed_schema(read: &SchemaRef) -> SchemaRef {
    let mut fields = vec![
        Arc::new(Field::new("ts_ns", DataType::Int64, true)),
        Arc::new(Field::new("input", DataType::UInt32, false)),
    ];
    fields.extend(read.fields().iter().cloned());
    Arc::new(Schema::new_with_metadata(fields, read.metadata().clone()))
}

fn put(
    batch: &RecordBatch,
    schema: &SchemaRef,
    input: u32,
    place: Option<&(Clock, Span)>,
) -> Result<RecordBatch, Error> {
    let rows = batch.num_rows();
    let mut times = Int64Builder::with_capacity(rows);
    let stamps = place.and_then(|(clock, span)| {
        let column = batch.column_by_name(stamp_column(clock)?)?;
        Some((column.as_primitive_opt::<Int64Type>()?, *span))
    });
    match stamps {
        Some((stamps, span)) => {
            for stamp in stamps {
                times.append_option(stamp.map(|stamp| span.apply(stamp)));
            }
        }
        None => times.append_nulls(rows),
    }
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(times.finish()),
        Arc::new(UInt32Array::from(vec![input; rows])),
    ];
    columns.extend(batch.columns().iter().cloned());
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// The column with the stamps of a clock.
fn stamp_column(clock: &Clock) -> Option<&'static str> {
    Some(match clock {
        Clock::Trace(_) => "trace_ns",
        Clock::Monotonic => "mono_ns",
        Clock::Boot => "boot_ns",
        Clock::Real => "real_ns",
        _ => return None,
    })
}
