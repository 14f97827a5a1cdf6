//! What the tests share: captured answers of the trace processor, and a sink that keeps what it gets.
#![allow(dead_code, missing_docs, unreachable_pub)]
#![allow(clippy::missing_panics_doc, clippy::missing_errors_doc)]

use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use numalens_columns::{
    DecodeError, EventSink, LostEvents, Recording, SinkError, TableId, TableSpec,
};
use numalens_perfetto_rows::Importer;

/// A sink that keeps everything.
#[derive(Default)]
pub struct Kept {
    pub tables: Vec<(TableSpec, Vec<RecordBatch>)>,
    pub lost: Vec<LostEvents>,
}

impl EventSink for Kept {
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
}

/// One captured call of the asking side.
pub enum Call {
    Table(String),
    Rows(Vec<u8>),
    Finish(String),
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/fixtures")
}

/// The trace and the captured calls of a fixture.
pub fn capture(name: &str) -> (Vec<u8>, Vec<Call>) {
    let folder = fixtures().join("perfetto");
    let trace = fs::read(folder.join(format!("{name}.pftrace"))).unwrap();
    let calls = fs::read(folder.join(format!("{name}.rows.zst"))).unwrap();
    let calls = zstd::decode_all(calls.as_slice()).unwrap();
    let (mut rest, mut found) = (calls.as_slice(), Vec::new());
    while let Some((head, behind)) = rest.split_first_chunk::<5>() {
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let content = behind[..length].to_vec();
        let text = || String::from_utf8(content.clone()).unwrap();
        found.push(match head[0] {
            b'P' => Call::Table(text()),
            b'F' => Call::Finish(text()),
            _ => Call::Rows(content),
        });
        rest = &behind[length..];
    }
    (trace, found)
}

/// Makes the calls.
pub fn replay(trace: &[u8], calls: &[Call], sink: &mut Kept) -> Result<Recording, DecodeError> {
    let mut importer = Importer::new();
    importer.trace(trace);
    for call in calls {
        match call {
            Call::Table(plan) => importer.table(plan, sink)?,
            Call::Rows(part) => importer.rows(part, sink)?,
            Call::Finish(info) => return importer.finish(info, sink),
        }
    }
    importer.finish(r#"{"cpus": 0}"#, sink)
}
