//! The trace.dat reader: versions 6 and 7.
//!
//! [`TraceDat::open`] reads the metadata (layout, options, event formats, saved task names); [`TraceDat::decode`]
//! walks the ring-buffer data of all CPUs and buffers in time order and hands every event to an
//! [`EventSink`](numalens_columns::EventSink). Facts of the container: trace-cmd's `trace-cmd.dat.v6(5)` and
//! `trace-cmd.dat.v7(5)`; of the sub-buffers: the kernel's `events/header_page`, `events/header_event` and
//! `kernel/trace/ring_buffer.c`.

mod clock;
mod compression;
mod cursor;
mod decode;
mod info;
mod layout;
mod metadata;
mod open;
mod options;
mod page;
mod printed;
mod recover;
mod skips;
mod stream;
mod tracefs;
mod v6;
mod v7;

pub use info::{Options, TraceInfo};
pub use layout::{MAGIC, TraceDat};
pub use tracefs::{join, sets};

pub use numalens_columns::{
    BufferInfo, CpuSpan, DecodeError, EventCount, Summary as DecodeSummary,
};

use numalens_columns::{
    ByteSource, EventSink, Mapping, MappingChange, Mappings, ReadOptions, Recording, Symbols,
};

/// Returns whether an input with this start is a trace.dat.
#[must_use]
pub fn sniff(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Decodes a whole recording into `sink`, ascending by time; ties keep the order of buffer, CPU and recording.
///
/// `progress` gets the finished and total bytes of event data. A tolerant read leaves out damaged parts and reports them to
/// the sink, see [`TraceDat::open_with`].
///
/// # Errors
/// The input is not a trace.dat, is damaged, or the sink refuses.
pub fn decode(
    source: &dyn ByteSource,
    options: &ReadOptions,
    sink: &mut dyn EventSink,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Recording, DecodeError> {
    let trace = TraceDat::open_with(source, options)?;
    trace.counts_time()?;
    let summary = trace.decode(sink, progress)?;
    let mut info = trace.info().into_recording_info();
    if summary.redated > 0 {
        info.notes.push(format!(
            "{} timestamps of the file were wrong by the time since the clock started, as some recorders write them after a CPU was offline. They were corrected.",
            summary.redated
        ));
    }
    info.resolution_ns = trace.options.clock.unit_ns.unwrap_or(1);
    let mut symbols = Symbols::default();
    if trace.names_functions(&summary.counts) {
        // No event is missing without them.
        match trace.symbols() {
            Ok(found) => symbols = found,
            Err(error) => info.notes.push(format!("functions have no names: {error}")),
        }
    }
    let ends = summary.cpu_spans.iter().map(|span| span.last_ns);
    let ts_ns = ends.max().unwrap_or(0);
    let threads = trace.saved_tgids().iter().map(|&(tid, pid)| Mapping {
        ts_ns,
        pid,
        change: MappingChange::Thread { tid, new: false },
    });
    let mappings = Mappings {
        changes: threads.collect(),
        ..Mappings::default()
    };
    Ok(Recording {
        info,
        summary,
        symbols,
        mappings,
    })
}
