//! Decodes one recording: `decode FILE [DIR]`.
//!
//! With DIR each event table is written there as an Arrow IPC file; the summary goes to stdout as JSON. This is what
//! the bench measures against other decoders.
//!
//! It maps the file and writes tables, and does nothing else, since it is measured.
#![allow(unsafe_code, clippy::print_stdout, clippy::print_stderr)]

use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use memmap2::{Mmap, UncheckedAdvice};
use numalens_columns::{
    ByteSource, EventSink, LostEvents, ReadOptions, SinkError, TableId, TableSpec,
};
use numalens_formats::{Format, Found, Reader};

struct Mapped(Mmap);

impl ByteSource for Mapped {
    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn release(&self, range: Range<usize>) {
        const PAGE: usize = 4096;
        let (start, end) = (range.start.next_multiple_of(PAGE), range.end / PAGE * PAGE);
        if start < end {
            // SAFETY: the mapping is a private, read-only view of a file; dropped pages are read again on demand.
            let _ = unsafe {
                self.0
                    .unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start)
            };
        }
    }
}

struct Files {
    dir: Option<PathBuf>,
    writers: Vec<Option<FileWriter<BufWriter<File>>>>,
}

fn failed(error: &dyn std::fmt::Display) -> SinkError {
    SinkError(error.to_string())
}

impl EventSink for Files {
    fn open_table(&mut self, spec: &TableSpec) -> Result<TableId, SinkError> {
        let writer = match &self.dir {
            Some(dir) => {
                let file = File::create(dir.join(format!("{}.{}.arrow", spec.system, spec.event)));
                let file = BufWriter::new(file.map_err(|error| failed(&error))?);
                Some(FileWriter::try_new(file, &spec.schema()).map_err(|error| failed(&error))?)
            }
            None => None,
        };
        self.writers.push(writer);
        Ok(self.writers.len() - 1)
    }

    fn write(&mut self, table: TableId, batch: &RecordBatch) -> Result<(), SinkError> {
        match &mut self.writers[table] {
            Some(writer) => writer.write(batch).map_err(|error| failed(&error)),
            None => Ok(()),
        }
    }

    fn lost(&mut self, _lost: LostEvents) -> Result<(), SinkError> {
        Ok(())
    }
}

fn run() -> Result<(), String> {
    let mut args = std::env::args_os().skip(1);
    let name = args.next().ok_or("usage: decode FILE [DIR]")?;
    let shown = name.to_string_lossy().into_owned();
    let file = File::open(&name).map_err(|error| format!("{shown}: {error}"))?;
    // SAFETY: the program reads a file that no process writes to.
    let source = Mapped(unsafe { Mmap::map(&file) }.map_err(|error| format!("{shown}: {error}"))?);
    let mut sink = Files {
        dir: args.next().map(PathBuf::from),
        writers: Vec::new(),
    };
    let options = ReadOptions::default();
    let found = Found::expect(source.bytes()).map_err(|error| error.sentence(&shown))?;
    let Found::Input(Format {
        reader: Reader::Recording(decode),
        ..
    }) = found
    else {
        return Err(format!("{shown}: expected a recording"));
    };
    let recording = decode(&source, &options, &mut sink, &mut |_, _| {})
        .map_err(|error| format!("{shown}: {error}"))?;
    for mut writer in sink.writers.into_iter().flatten() {
        writer.finish().map_err(|error| error.to_string())?;
    }
    let json = serde_json::to_string_pretty(&recording).map_err(|error| error.to_string())?;
    println!("{json}");
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
