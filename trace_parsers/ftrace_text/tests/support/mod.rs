//! What the tests share: the sink and the fixtures of the trace.dat reader's tests, and tables as rows of text.
#![allow(dead_code, missing_docs, unreachable_pub)]
#![allow(clippy::missing_panics_doc, clippy::must_use_candidate)]

#[path = "../../../trace_dat/tests/support/mod.rs"]
pub mod trace_dat;

use std::collections::BTreeMap;

use numalens_columns::{
    Cell, DecodeError, EventSink, LostEvents, ReadOptions, Recording, SinkError, Skipped,
    SliceSource, TableId, TableSpec,
};
use numalens_ftrace_text::decode;
pub use trace_dat::{Memory, fixture};

/// The sink with what was reported as left out.
#[derive(Default)]
pub struct Sink {
    pub memory: Memory,
    pub skipped: Vec<Skipped>,
}

impl EventSink for Sink {
    fn open_table(&mut self, spec: &TableSpec) -> Result<TableId, SinkError> {
        self.memory.open_table(spec)
    }

    fn write(&mut self, table: TableId, batch: &arrow_array::RecordBatch) -> Result<(), SinkError> {
        self.memory.write(table, batch)
    }

    fn lost(&mut self, lost: LostEvents) -> Result<(), SinkError> {
        self.memory.lost(lost)
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        self.skipped.push(skipped);
        Ok(())
    }
}

pub fn read(text: &[u8], tolerant: bool) -> (Sink, Result<Recording, DecodeError>) {
    let mut sink = Sink::default();
    let result = decode(
        &SliceSource(text),
        &ReadOptions { tolerant },
        &mut sink,
        &mut |_, _| {},
    );
    (sink, result)
}

/// Reads a text without damage.
pub fn strict(text: &[u8]) -> (Sink, Recording) {
    let (sink, result) = read(text, false);
    (sink, result.unwrap())
}

/// The sentence that a strict reading ends with.
pub fn sentence(text: &[u8]) -> String {
    read(text, false).1.unwrap_err().to_string()
}

/// A fixture of this crate.
pub fn text(name: &str) -> Vec<u8> {
    fixture(&format!("text/{name}.txt"))
}

/// A table: its columns' names and types, and its rows' cells by column name.
pub struct Rows {
    pub columns: Vec<(String, String)>,
    pub rows: Vec<BTreeMap<String, String>>,
}

/// The table of an event.
pub fn rows(memory: &Memory, event: &str) -> Rows {
    let table = memory
        .specs
        .iter()
        .position(|spec| spec.event == event)
        .unwrap();
    let schema = memory.specs[table].schema();
    let columns = schema
        .fields()
        .iter()
        .map(|field| (field.name().clone(), field.data_type().to_string()))
        .collect();
    let mut rows = Vec::new();
    for batch in &memory.batches[table] {
        let cells = batch.columns();
        for row in 0..batch.num_rows() {
            let names = schema.fields().iter().map(|field| field.name().clone());
            rows.push(
                names
                    .zip(cells.iter().map(|cell| Cell::of(cell, row).to_string()))
                    .collect(),
            );
        }
    }
    Rows { columns, rows }
}
