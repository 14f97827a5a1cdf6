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
use numalens_columns::{
    Cell, DecodeError, EventSink, LostEvents, ReadOptions, Recording, SinkError, Skipped,
    SliceSource, Summary, TableId, TableSpec,
};

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
#[derive(Debug, Default)]
pub struct Memory {
    pub specs: Vec<TableSpec>,
    pub batches: Vec<Vec<RecordBatch>>,
    pub lost: Vec<LostEvents>,
    pub skipped: Vec<Skipped>,
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

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        self.skipped.push(skipped);
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
            for row in 0..batch.num_rows() {
                let cells: Vec<String> = batch
                    .columns()
                    .iter()
                    .map(|column| Cell::of(column, row).to_string())
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

    /// Every row as text without its rank, with its event in front.
    pub fn row_set(&self) -> BTreeMap<String, usize> {
        let mut rows = BTreeMap::new();
        for (event, text) in self.all() {
            for line in text.lines().skip(1) {
                let mut cells: Vec<&str> = line.split('|').collect();
                cells.remove(2);
                *rows
                    .entry(format!("{event} {}", cells.join("|")))
                    .or_insert(0) += 1;
            }
        }
        rows
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
pub fn decode(bytes: &[u8]) -> Result<(Memory, Summary), DecodeError> {
    read(bytes, false).map(|(sink, recording)| (sink, recording.summary))
}

/// Decodes a recording that is in memory, tolerant or not.
pub fn read(bytes: &[u8], tolerant: bool) -> Result<(Memory, Recording), DecodeError> {
    let mut sink = Memory::default();
    let options = ReadOptions { tolerant };
    let source = SliceSource(bytes);
    let recording = numalens_trace_dat::decode(&source, &options, &mut sink, &mut |_, _| {})?;
    Ok((sink, recording))
}

pub fn counts(summary: &Summary) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for count in &summary.counts {
        *counts.entry(count.event.clone()).or_insert(0) += count.count;
    }
    counts
}
