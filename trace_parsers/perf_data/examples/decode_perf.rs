//! Decodes one recording and nothing else: `decode FILE [tolerant]`.
//!
//! Rows go nowhere; the summary goes to stdout as JSON, with the events and the ns that decoding took. This is what the
//! bench measures against `perf script`.
#![allow(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

use std::fs::File;
use std::ops::Range;
use std::process::ExitCode;
use std::time::Instant;

use arrow_array::RecordBatch;
use memmap2::{Mmap, UncheckedAdvice};
use numalens_columns::{
    ByteSource, EventSink, LostEvents, ReadOptions, SinkError, Skipped, TableId, TableSpec,
};
use numalens_perf_data::decode;

struct Mapped(Mmap);

impl ByteSource for Mapped {
    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn release(&self, range: Range<usize>) {
        const PAGE: usize = 4096;
        let start = range.start.next_multiple_of(PAGE);
        let len = (range.end / PAGE * PAGE).saturating_sub(start);
        if len > 0 {
            // SAFETY: the mapping is a private, read-only view of a file; dropped pages are read again on demand.
            let _ = unsafe {
                self.0
                    .unchecked_advise_range(UncheckedAdvice::DontNeed, start, len)
            };
        }
    }
}

/// Counts and forgets.
#[derive(Default)]
struct Nothing {
    tables: usize,
    rows: u64,
    skipped: Vec<Skipped>,
}

impl EventSink for Nothing {
    fn open_table(&mut self, _spec: &TableSpec) -> Result<TableId, SinkError> {
        self.tables += 1;
        Ok(self.tables - 1)
    }

    fn write(&mut self, _table: TableId, batch: &RecordBatch) -> Result<(), SinkError> {
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    fn lost(&mut self, _lost: LostEvents) -> Result<(), SinkError> {
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        self.skipped.push(skipped);
        Ok(())
    }
}

fn run() -> Result<(), String> {
    let mut args = std::env::args_os().skip(1);
    let name = args.next().ok_or("usage: decode FILE [tolerant]")?;
    let shown = name.to_string_lossy().into_owned();
    let file = File::open(&name).map_err(|error| format!("{shown}: {error}"))?;
    // SAFETY: the example reads a file that nobody writes to.
    let source = Mapped(unsafe { Mmap::map(&file) }.map_err(|error| format!("{shown}: {error}"))?);
    let options = ReadOptions {
        tolerant: args.next().is_some(),
    };
    let mut sink = Nothing::default();
    let start = Instant::now();
    let recording = decode(&source, &options, &mut sink, &mut |_, _| {})
        .map_err(|error| format!("{shown}: {error}"))?;
    let ns = start.elapsed().as_nanos() as u64;
    let json = serde_json::json!({
        "recording": recording,
        "skipped": sink.skipped,
        "tables": sink.tables,
        "events": recording.summary.events,
        "rows": sink.rows,
        "ns": ns,
    });
    println!("{json:#}");
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::from(3)
        }
    }
}
