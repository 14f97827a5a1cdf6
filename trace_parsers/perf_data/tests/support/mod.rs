//! What the tests share: fixtures, a sink that keeps everything, and a writer of small recordings.
#![allow(dead_code, missing_docs, unreachable_pub)]
#![allow(clippy::missing_panics_doc, clippy::must_use_candidate)]

pub mod memory;
pub mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use numalens_columns::{
    Cell, DecodeError, EventSink, LostEvents, ReadOptions, Recording, SinkError, Skipped,
    SliceSource, TableId, TableSpec,
};

pub const RECORDINGS: [&str; 8] = [
    "perf-numa-2x4",
    "perf-numa-mem",
    "perf-sched-all-defclock",
    "perf-sched-all-file",
    "perf-sched-all-g",
    "perf-sched-all-z",
    "perf-sched-pipe",
    "perf-sched-pipe-z",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/fixtures/perf")
}

/// A fixture's bytes, inflated.
pub fn fixture(name: &str) -> Vec<u8> {
    let form = if name.contains("pipe") {
        "pipe.data"
    } else {
        "data"
    };
    let packed = std::fs::read(folder().join(format!("{name}.{form}.zst"))).unwrap();
    zstd::stream::decode_all(&packed[..]).unwrap()
}

/// A text that stands next to the fixtures.
pub fn text_file(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// Keeps every table in memory.
#[derive(Default)]
pub struct Memory {
    pub tables: Vec<(TableSpec, Vec<RecordBatch>)>,
    pub lost: Vec<LostEvents>,
    pub skipped: Vec<Skipped>,
}

impl EventSink for Memory {
    fn open_table(&mut self, spec: &TableSpec) -> Result<TableId, SinkError> {
        self.tables.push((spec.clone(), Vec::new()));
        Ok(self.tables.len() - 1)
    }

    fn write(&mut self, table: TableId, batch: &RecordBatch) -> Result<(), SinkError> {
        self.tables[table].1.push(batch.clone());
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
    /// The batches of an event.
    pub fn batches(&self, event: &str) -> &[RecordBatch] {
        let table = self.tables.iter().find(|table| table.0.event == event);
        &table.unwrap().1
    }

    /// These columns of an event as lines of cells, separated by a bar.
    pub fn lines(&self, event: &str, columns: &[&str]) -> Vec<String> {
        let line = |batch: &RecordBatch, row: usize| {
            let cell = |name: &&str| Cell::of(&batch[*name], row).to_string();
            columns.iter().map(cell).collect::<Vec<_>>().join("|")
        };
        let rows = |batch| (0..RecordBatch::num_rows(batch)).map(move |row| (batch, row));
        let all = self.batches(event).iter().flat_map(rows);
        all.map(|(batch, row)| line(batch, row)).collect()
    }

    /// A table's head and first rows.
    pub fn text(&self, event: &str, most: usize) -> String {
        let schema = self.batches(event)[0].schema();
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        let mut lines = vec![names.join("|")];
        lines.extend(self.lines(event, &names).into_iter().take(most));
        lines.join("\n")
    }

    /// `seq|ts_ns|cpu|event` of all rows, by rank.
    pub fn order(&self) -> Vec<String> {
        let mut all = BTreeMap::new();
        for (spec, _) in &self.tables {
            for line in self.lines(&spec.event, &["seq", "ts_ns", "cpu"]) {
                let (seq, rest) = line.split_once('|').unwrap();
                let row = format!("{rest}|{}", spec.event);
                assert!(
                    all.insert(seq.parse::<u64>().unwrap(), row).is_none(),
                    "two of rank {seq}"
                );
            }
        }
        assert!(
            all.keys().copied().eq(0..all.len() as u64),
            "ranks have gaps"
        );
        all.into_values().collect()
    }
}

pub fn read(bytes: &[u8], tolerant: bool) -> Result<(Memory, Recording), DecodeError> {
    let mut sink = Memory::default();
    let options = ReadOptions { tolerant };
    let source = SliceSource(bytes);
    let recording = numalens_perf_data::decode(&source, &options, &mut sink, &mut |_, _| {})?;
    Ok((sink, recording))
}

/// A strict reading that succeeds.
pub fn decode(bytes: &[u8]) -> (Memory, Recording) {
    read(bytes, false).unwrap()
}

/// What a strict reading says.
pub fn sentence(bytes: &[u8]) -> String {
    match read(bytes, false) {
        Ok(_) => "read".to_owned(),
        Err(DecodeError::Input(error)) => error.sentence("perf.data"),
        Err(other) => panic!("not about the input: {other}"),
    }
}

pub fn counts(recording: &Recording) -> BTreeMap<String, u64> {
    let counts = recording.summary.counts.iter();
    counts
        .map(|count| (count.event.clone(), count.count))
        .collect()
}
