//! What the tests share: captured answers of the trace processor, and a sink that keeps what it gets.
#![allow(dead_code, missing_docs, unreachable_pub)]
#![allow(
    clippy::missing_panics_doc,
    clippy::missing_errors_doc,
    clippy::unwrap_used
)]

use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use numalens_columns::{
    DecodeError, EventSink, LostEvents, Recording, SinkError, TableId, TableSpec,
};
use numalens_perfetto_rows::{Importer, MAGIC};

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
    let calls = answers_file(name);
    let (mut rest, mut found) = (calls.strip_prefix(MAGIC).unwrap(), Vec::new());
    while let Some((head, behind)) = rest.split_first_chunk::<9>() {
        let length = u64::from_le_bytes(head[1..].try_into().unwrap()) as usize;
        let content = behind[..length].to_vec();
        let text = || String::from_utf8(content.clone()).unwrap();
        found.push(match head[0] {
            b'p' => Call::Table(text()),
            b'i' => Call::Finish(text()),
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

/// The file of answers of a fixture, without the trace.
pub fn answers_file(name: &str) -> Vec<u8> {
    let calls = fs::read(
        fixtures()
            .join("perfetto")
            .join(format!("{name}.answers.zst")),
    )
    .unwrap();
    zstd::decode_all(calls.as_slice()).unwrap()
}
