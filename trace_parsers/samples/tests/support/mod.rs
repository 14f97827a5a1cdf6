//! What the tests share: fixtures, and a sink that keeps everything.
#![allow(dead_code, missing_docs, unreachable_pub)]
#![allow(clippy::missing_panics_doc, clippy::must_use_candidate)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use numalens_columns::{Cell, DecodeError, ReadOptions, SinkError, Skipped, SliceSource};
use numalens_samples::{SampleSink, SampleSummary, SampleTableId, read, read_perf};

/// A fixture's bytes; those ending in `.zst` are stored compressed.
pub fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/fixtures/samples");
    let packed = folder.join(format!("{name}.zst"));
    if packed.exists() {
        return zstd::stream::decode_all(&std::fs::read(packed).unwrap()[..]).unwrap();
    }
    std::fs::read(folder.join(name)).unwrap()
}

/// Keeps every table and every complaint in memory.
#[derive(Default)]
pub struct Kept {
    pub batches: BTreeMap<SampleTableId, Vec<RecordBatch>>,
    pub skipped: Vec<Skipped>,
}

impl SampleSink for Kept {
    fn write(&mut self, table: SampleTableId, batch: &RecordBatch) -> Result<(), SinkError> {
        assert_eq!(batch.schema(), table.schema());
        self.batches.entry(table).or_default().push(batch.clone());
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        assert!(skipped.range.start < skipped.range.end);
        self.skipped.push(skipped);
        Ok(())
    }
}

impl Kept {
    /// The rows of a table, each as `column=value` without what it has not.
    pub fn rows(&self, table: SampleTableId) -> Vec<String> {
        let mut rows = Vec::new();
        for batch in self.batches.get(&table).into_iter().flatten() {
            let schema = batch.schema();
            for row in 0..batch.num_rows() {
                let mut line = String::new();
                for (column, field) in batch.columns().iter().zip(schema.fields()) {
                    if column.is_valid(row) {
                        let value = Cell::of(column, row);
                        write!(line, "{}={value} ", field.name()).unwrap();
                    }
                }
                rows.push(line.trim_end().to_owned());
            }
        }
        rows
    }

    /// The first rows of a table, one a line.
    pub fn first(&self, table: SampleTableId, most: usize) -> String {
        let rows = self.rows(table);
        rows[..rows.len().min(most)].join("\n")
    }

    /// One column of numbers.
    pub fn column<T: ArrowPrimitiveType>(
        &self,
        table: SampleTableId,
        name: &str,
    ) -> Vec<Option<T::Native>> {
        let batches = self.batches.get(&table).into_iter().flatten();
        batches
            .flat_map(|batch| batch[name].as_primitive::<T>().iter().collect::<Vec<_>>())
            .collect()
    }
}

pub fn read_as(
    bytes: &[u8],
    name: &str,
    tolerant: bool,
) -> Result<(Kept, SampleSummary), DecodeError> {
    let mut sink = Kept::default();
    let mut progress = (0, 0);
    let source = SliceSource(bytes);
    let options = ReadOptions { tolerant };
    let summary = read(&source, name, &options, &mut sink, &mut |done, total| {
        progress = (done, total);
    })?;
    assert_eq!(progress, (bytes.len() as u64, bytes.len() as u64));
    let rows: usize = sink
        .batches
        .values()
        .flatten()
        .map(RecordBatch::num_rows)
        .sum();
    assert_eq!(summary.rows, rows as u64);
    assert_eq!(summary.counts.values().sum::<u64>(), summary.rows);
    assert!(tolerant || sink.skipped.is_empty());
    Ok((sink, summary))
}

/// Reads what `perf sched stats record` wrote.
pub fn perf(bytes: &[u8], options: ReadOptions) -> (Kept, Result<SampleSummary, DecodeError>) {
    let mut sink = Kept::default();
    let found = read_perf(
        &SliceSource(bytes),
        "x",
        &options,
        &mut sink,
        &mut |_, _| {},
    );
    (sink, found)
}

/// Reads a text strictly.
pub fn text(text: &str, name: &str) -> (Kept, SampleSummary) {
    match read_as(text.as_bytes(), name, false) {
        Ok(read) => read,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// The sentence that a strict reading ends with.
pub fn refusal(text: &str, name: &str) -> String {
    match read_as(text.as_bytes(), name, false) {
        Ok((_, summary)) => panic!("read as {summary:?}\n{text}"),
        Err(error) => error.to_string(),
    }
}
