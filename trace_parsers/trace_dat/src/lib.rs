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
mod options;
mod page;
mod stream;

pub use decode::{DecodeSummary, EventCount};
pub use info::{BufferInfo, CpuSpan, Options, TraceInfo};
pub use layout::{MAGIC, TraceDat};

/// Why decoding stopped.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The recording is damaged.
    #[error(transparent)]
    Input(#[from] numalens_columns::InputError),
    /// The sink refused (disk full, limit reached).
    #[error(transparent)]
    Sink(#[from] numalens_columns::SinkError),
    /// Columns did not fit their own schema: a defect of the reader.
    #[error("the reader made columns that do not fit their table: {0}")]
    Columns(String),
}
