//! One recording: decoded into its tables.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::{UInt8Builder, UInt32Builder, UInt64Builder};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use numalens_columns::{
    ByteSource, DecodeError, Guest, LostEvents, Mappings, ReadOptions, Skipped, Symbols,
};
use numalens_core::topology::Learner;
use numalens_events::{LostMark, gap_starts};
use numalens_formats::{Decode, Format};

use super::files::Folder;
use super::limits::Part;
use super::lines::Lines;
use super::sink::{Finished, Sink, Written};
use crate::bundle::{Buffer, LOST, Recording, Table};
use crate::error::Error;

/// An input that was looked at.
pub(super) struct SniffedInput<'a> {
    pub(super) name: &'a str,
    pub(super) format: &'static Format,
    /// Size of the input itself.
    pub(super) bytes: u64,
    /// Source to read: the input, or the trace processor's answers about it.
    pub(super) source: &'a dyn ByteSource,
}

/// Inputs of the index from a decoded recording.
pub(super) struct Decoded {
    pub(super) input: u32,
    pub(super) name: String,
    pub(super) tables: Vec<Written>,
    pub(super) lost: Vec<LostEvents>,
    /// Clock of each tracing instance.
    pub(super) clocks: Vec<Option<String>>,
    /// NUMA nodes that the recording itself carries.
    pub(super) nodes: Option<Vec<(u32, Vec<u32>)>>,
    /// Physical memory of nodes, likewise.
    pub(super) memory: Vec<(u32, u64, u64)>,
    /// True if its events cover only some tasks.
    pub(super) some_tasks: bool,
    /// Older events of its CPUs were overwritten.
    pub(super) overwritten: bool,
    pub(super) notes: Vec<String>,
    /// Damaged parts left out by a tolerant read.
    pub(super) skipped: Vec<Skipped>,
    /// Lines that were written into the trace.
    pub(super) lines: Lines,
    /// The kernel's functions, where events have them as addresses.
    pub(super) symbols: Symbols,
    /// Memory mappings of files.
    pub(super) mappings: Mappings,
    /// Nodes learned from its events.
    pub(super) learner: Learner,
    /// Trace session, and that of the host on whose clock its times are.
    pub(super) session: Option<u64>,
    pub(super) clock_of: Option<u64>,
    /// The guests that were traced with it.
    pub(super) guests: Vec<Guest>,
}

impl Decoded {
    /// The tables as the manifest lists them.
    pub(super) fn into_tables(self) -> impl Iterator<Item = Table> {
        let input = self.input;
        self.tables.into_iter().map(move |table| Table {
            input,
            file: table.file,
            system: table.system,
            event: table.event,
            rows: table.rows,
        })
    }
}

/// Decodes a recording into `events/<input>/` and `lost/<input>.arrow` of the bundle folder.
pub(super) fn decode(
    looked: &SniffedInput<'_>,
    read: Decode,
    input: u32,
    options: ReadOptions,
    folder: Folder<'_>,
    mut progress: Part<'_, '_>,
) -> Result<(Recording, Decoded), Error> {
    let name = looked.name;
    folder.budget().input(name);
    let mut learner = Learner::default();
    let sink = Sink::new(name, tables_of(input), folder, &mut learner);
    let mut sink = sink.tolerant(options.tolerant);
    let stop = sink.stop();
    let result = read(looked.source, &options, &mut sink, &mut |done, total| {
        stop.set(!progress.at(done, total));
    });
    let numalens_columns::Recording {
        info,
        summary,
        symbols,
        mappings,
    } = match result {
        Ok(recording) => recording,
        Err(error) => return Err(why(name, error, &mut sink, &mut progress)),
    };
    if let Some(raised) = progress.raised() {
        return Err(raised);
    }
    let finished = sink.finish()?;
    let Finished { tables, lost, .. } = finished;
    let buffers = info.buffers.iter().enumerate().map(|(at, buffer)| {
        let span = finished.spans.get(at).copied().flatten();
        Buffer {
            index: buffer.index,
            name: buffer.name.clone(),
            clock: buffer.clock.clone(),
            first_ns: span.map(|span| span.0),
            last_ns: span.map(|span| span.1),
            events: summary.buffer_events.get(at).copied().unwrap_or(0),
        }
    });
    let recording = Recording {
        events: summary.events - finished.left_out,
        lost_events: summary.lost_events,
        lost_marks: summary.lost_marks,
        lost_unknown_marks: summary.lost_unknown_marks,
        backwards: summary.backwards,
        clock: info.clock,
        kernel: info.kernel,
        cpus: info.cpus.max(finished.cpus),
        resolution_ns: info.resolution_ns,
        buffers: buffers.collect(),
        cpu_spans: summary.cpu_spans,
        clock_pairs: info.clock_pairs,
        facts: info.facts,
    };
    let left_out = (finished.left_out > 0).then(|| {
        let count = finished.left_out;
        format!("{count} events were left out: they name threads below 0.")
    });
    let notes = info.notes.into_iter().chain(left_out);
    Ok((
        recording,
        Decoded {
            input,
            name: name.to_owned(),
            tables,
            lost,
            clocks: info
                .buffers
                .into_iter()
                .map(|buffer| buffer.clock)
                .collect(),
            nodes: info.nodes,
            memory: info.memory,
            overwritten: info.overwritten,
            some_tasks: info.some_tasks,
            notes: notes.map(|note| format!("{name}: {note}")).collect(),
            skipped: finished.skipped,
            lines: finished.lines,
            symbols,
            mappings,
            learner,
            session: info.session,
            clock_of: info.clock_of,
            guests: info.guests,
        },
    ))
}

/// Folder of the event tables inside the bundle.
pub(super) const TABLES: &str = "events";

/// The folder of a recording's tables.
pub(super) fn tables_of(input: u32) -> String {
    format!("{TABLES}/{input}")
}

/// Reason for which decoding stopped: errors of the listener or the sink have precedence over the reader's.
fn why(name: &str, error: DecodeError, sink: &mut Sink<'_>, progress: &mut Part<'_, '_>) -> Error {
    if let Some(error) = progress.raised().or_else(|| sink.failed()) {
        return error;
    }
    match error {
        DecodeError::Input(error) => Error::input(name, error),
        error => Error::Bundle(format!("{name}: {error}")),
    }
}

/// Writes the marks of lost events: `ts_ns`, `cpu`, `buffer`, `seq` of the first event after each gap, and `count`.
pub(super) fn write_lost(folder: Folder<'_>, input: u32, lost: &[LostEvents]) -> Result<(), Error> {
    let schema = Arc::new(Schema::new(vec![
        Field::new("ts_ns", DataType::UInt64, false),
        Field::new("cpu", DataType::UInt32, false),
        Field::new("buffer", DataType::UInt8, false),
        Field::new("seq", DataType::UInt64, false),
        Field::new("count", DataType::UInt64, true),
    ]));
    let (mut ts, mut cpu, mut buffer) = (
        UInt64Builder::new(),
        UInt32Builder::new(),
        UInt8Builder::new(),
    );
    let (mut seq, mut count) = (UInt64Builder::new(), UInt64Builder::new());
    for mark in lost {
        ts.append_value(mark.ts_ns);
        cpu.append_value(mark.cpu);
        buffer.append_value(mark.buffer);
        seq.append_value(mark.seq);
        count.append_option(mark.count);
    }
    let batch = RecordBatch::try_new(
        Arc::clone(&schema),
        vec![
            Arc::new(ts.finish()),
            Arc::new(cpu.finish()),
            Arc::new(buffer.finish()),
            Arc::new(seq.finish()),
            Arc::new(count.finish()),
        ],
    )?;
    let file = folder.create(&lost_file(input))?;
    let mut writer = FileWriter::try_new_buffered(file, &schema)?;
    writer.write(&batch)?;
    writer.finish()?;
    Ok(())
}

fn lost_file(input: u32) -> String {
    format!("{LOST}/{input}.arrow")
}

/// Replaces the marks that were written before.
pub(super) fn rewrite_lost(
    folder: Folder<'_>,
    input: u32,
    lost: &[LostEvents],
) -> Result<(), Error> {
    folder.remove(&lost_file(input))?;
    write_lost(folder, input, lost)
}

/// The gaps of some tracing instances.
pub(super) fn marks_of(gaps: &[LostMark], buffers: &[u8]) -> Vec<LostMark> {
    let used = gaps.iter().filter(|gap| buffers.contains(&gap.buffer));
    used.copied().collect()
}

/// The recording's gaps.
pub(super) fn gaps(folder: Folder<'_>, recording: &Decoded) -> Result<Vec<LostMark>, Error> {
    let mut marks: Vec<LostMark> = recording
        .lost
        .iter()
        .map(|lost| LostMark {
            since_ns: 0,
            until_ns: lost.ts_ns,
            seq: lost.seq,
            cpu: lost.cpu,
            buffer: lost.buffer,
        })
        .collect();
    if marks.is_empty() {
        return Ok(marks);
    }
    marks.sort_unstable_by_key(|mark| (mark.cpu, mark.buffer, mark.seq));
    for table in &recording.tables {
        let columns = ["ts_ns", "cpu", "seq", "buffer"];
        for batch in folder.batches(&table.file, Some(&columns))? {
            gap_starts(&mut marks, &batch?);
        }
    }
    for mark in &mut marks {
        // Nothing came before: the gap reaches back to where the buffer begins, which is the first event after it.
        if mark.since_ns == 0 || mark.since_ns > mark.until_ns {
            mark.since_ns = mark.until_ns;
        }
    }
    Ok(marks)
}
