//! What the tests share: fixtures, a sink that keeps everything, and a writer of small recordings.
#![allow(dead_code, missing_docs, unreachable_pub)]
#![allow(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::option_option
)]
#![allow(
    clippy::decimal_bitwise_operands,
    clippy::semicolon_if_nothing_returned
)]

pub mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use numalens_columns::{EventSink, LostEvents, SinkError, SliceSource, TableId, TableSpec};
use numalens_trace_dat::{DecodeError, DecodeSummary, TraceDat};

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/fixtures")
}

/// A fixture's bytes; those ending in `.zst` are stored compressed whole.
pub fn fixture(name: &str) -> Vec<u8> {
    let plain = fixtures().join(name);
    if plain.exists() {
        return std::fs::read(plain).unwrap();
    }
    let packed = std::fs::read(fixtures().join(format!("{name}.zst"))).unwrap();
    zstd::stream::decode_all(&packed[..]).unwrap()
}

pub fn expected(recording: &str) -> serde_json::Value {
    let text =
        std::fs::read_to_string(fixtures().join(format!("{recording}.counts.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Keeps every table in memory.
#[derive(Default)]
pub struct Memory {
    pub specs: Vec<TableSpec>,
    pub batches: Vec<Vec<RecordBatch>>,
    pub lost: Vec<LostEvents>,
}

impl EventSink for Memory {
    fn open_table(&mut self, spec: &TableSpec) -> Result<TableId, SinkError> {
        self.specs.push(spec.clone());
        self.batches.push(Vec::new());
        Ok(self.specs.len() - 1)
    }

    fn write(&mut self, table: TableId, batch: &RecordBatch) -> Result<(), SinkError> {
        self.batches[table].push(batch.clone());
        Ok(())
    }

    fn lost(&mut self, lost: LostEvents) -> Result<(), SinkError> {
        self.lost.push(lost);
        Ok(())
    }
}

impl Memory {
    /// One table as text: a head line, then a line per row, fields separated by a bar.
    pub fn text(&self, event: &str, most: usize) -> String {
        let table = self
            .specs
            .iter()
            .position(|spec| spec.event == event)
            .unwrap();
        let mut lines = Vec::new();
        for batch in &self.batches[table] {
            if lines.is_empty() {
                let names: Vec<&str> = batch
                    .schema_ref()
                    .fields()
                    .iter()
                    .map(|field| field.name().as_str())
                    .collect();
                lines.push(names.join("|"));
            }
            let options = FormatOptions::default();
            let columns: Vec<ArrayFormatter<'_>> = batch
                .columns()
                .iter()
                .map(|column| ArrayFormatter::try_new(column.as_ref(), &options).unwrap())
                .collect();
            for row in 0..batch.num_rows() {
                let cells: Vec<String> = columns
                    .iter()
                    .map(|column| column.value(row).to_string())
                    .collect();
                lines.push(cells.join("|"));
            }
        }
        lines.truncate(most.saturating_add(1));
        lines.join("\n")
    }

    /// Every table as text, by event.
    pub fn all(&self) -> BTreeMap<String, String> {
        self.specs
            .iter()
            .map(|spec| {
                (
                    format!("{}:{}", spec.system, spec.event),
                    self.text(&spec.event, usize::MAX - 1),
                )
            })
            .collect()
    }

    pub fn rows(&self) -> usize {
        self.batches
            .iter()
            .flatten()
            .map(RecordBatch::num_rows)
            .sum()
    }
}

/// Decodes a recording that is in memory.
pub fn decode(bytes: &[u8]) -> Result<(Memory, DecodeSummary), DecodeError> {
    let source = SliceSource(bytes);
    let trace = TraceDat::open(&source)?;
    let mut sink = Memory::default();
    let summary = trace.decode(&mut sink, &mut |_, _| {})?;
    Ok((sink, summary))
}

pub fn counts(summary: &DecodeSummary) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for count in &summary.counts {
        *counts.entry(count.event.clone()).or_insert(0) += count.count;
    }
    counts
}
