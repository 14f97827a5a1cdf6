//! Reads files of samples and tells what is in them: `samples FILE...`, a JSON object a line.
//!
//! Each file is read strictly; one that is damaged is read once more, tolerantly, with what was left out.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;
use std::time::Instant;

use arrow_array::RecordBatch;
use numalens_columns::{ReadOptions, SinkError, Skipped, SliceSource};
use numalens_samples::{SampleSink, SampleTableId, read};

/// Counts what was left out and forgets the rest.
#[derive(Default)]
struct Nowhere(usize);

impl SampleSink for Nowhere {
    fn write(&mut self, _table: SampleTableId, _batch: &RecordBatch) -> Result<(), SinkError> {
        Ok(())
    }

    fn skipped(&mut self, _skipped: Skipped) -> Result<(), SinkError> {
        self.0 += 1;
        Ok(())
    }
}

fn one(name: &str) -> Result<(), String> {
    let bytes = std::fs::read(name).map_err(|error| format!("{name}: {error}"))?;
    let source = SliceSource(&bytes);
    for tolerant in [false, true] {
        let mut sink = Nowhere::default();
        let begun = Instant::now();
        match read(
            &source,
            name,
            &ReadOptions { tolerant },
            &mut sink,
            &mut |_, _| {},
        ) {
            Ok(summary) => {
                let summary = serde_json::to_string(&summary).map_err(|error| error.to_string())?;
                let ms = begun.elapsed().as_secs_f64() * 1e3;
                println!("{name} {summary} left out {} in {ms:.1} ms", sink.0);
                break;
            }
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    for name in std::env::args().skip(1) {
        if let Err(error) = one(&name) {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
