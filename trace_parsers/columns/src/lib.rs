//! Event columns: what every reader produces and every replay consumes.
//!
//! A reader turns bytes into *event tables*, one per event type, as Arrow record batches, and hands them to an
//! [`EventSink`]. It never sees a file: bytes come from a [`ByteSource`]. Everything that can be wrong with an input
//! is an [`InputError`]: one sentence with the place and what was expected there.
//!
//! Every event table has the columns `ts_ns` (u64, ns of the trace clock), `cpu` (u32), `seq` (u64, the event's rank in the
//! total order of its input) and `buffer` (u8, tracing instance). Then come the event's own fields by the kernel's names. A
//! field whose name is one of these four gets `arg_` in front: `ipi_send_cpu` has `arg_cpu`.
//!
//! Marks of lost events and the order in time of many sources ([`Tournament`]) are here too. File formats, the meaning of events, files
//! and threads are not.

mod cell;
mod error;
mod mappings;
mod merge;
mod perf_name;
mod recording;
mod source;
mod symbols;
mod table;

pub use cell::Cell;
pub use error::{InputError, Place, Unexpected};
pub use mappings::{
    FileFunctions, FilePlace, KALLSYMS, KERNEL_PID, Mapping, MappingChange, Mappings, build_id_text,
};
pub use merge::Tournament;
pub use perf_name::perf_event_name;
pub use recording::{
    BufferInfo, ClockPair, CpuSpan, DecodeError, EventCount, Guest, LostEvents, ReadOptions,
    Recording, RecordingInfo, Skipped, Summary,
};
pub use source::{ByteSource, SliceSource};
pub use symbols::{FunctionPlace, Functions, Symbols};
pub use table::{
    BUFFER, CPU, Column, ColumnType, EventSink, SEQ, SinkError, TS_NS, TableId, TableSpec,
    argument_name,
};
