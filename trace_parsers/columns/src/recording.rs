use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;

use crate::{InputError, Mappings, SinkError, Symbols};

/// Options of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// If true, reading continues after damage: unreadable parts are left out and reported through
    /// [`crate::EventSink::skipped`]. Otherwise the first damage is an error.
    pub tolerant: bool,
}

/// Reason for which decoding stopped.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The recording is damaged.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The sink refused (disk full, limit reached).
    #[error(transparent)]
    Sink(#[from] SinkError),
    /// Columns did not fit their own schema: a defect of the reader.
    #[error("the reader made columns that do not fit their table: {0}")]
    Columns(String),
}

/// One mark of lost events: events of one CPU are missing before `ts_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostEvents {
    /// Time of the first event after the gap, ns of the trace clock.
    pub ts_ns: u64,
    /// CPU whose events are missing.
    pub cpu: u32,
    /// Index of the buffer (tracing instance) that lost them.
    pub buffer: u8,
    /// Rank of the first event after the gap.
    pub seq: u64,
    /// Number of missing events; `None` when the kernel did not record it.
    pub count: Option<u64>,
}

/// A part of a damaged input that a tolerant reading left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Left-out range: bytes of the file, or lines counted from 1. Never empty.
    pub range: Range<u64>,
    /// `byte` or `line`.
    pub unit: &'static str,
    /// The CPU whose events are missing, where one CPU's are.
    pub cpu: Option<u32>,
    /// Reason in one sentence without the input's name: expected and found content.
    pub why: String,
}

/// Events of one CPU in all buffers together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CpuSpan {
    /// CPU number.
    pub cpu: u32,
    /// First event, ns of the trace clock.
    pub first_ns: u64,
    /// Last event, ns of the trace clock.
    pub last_ns: u64,
    /// Events.
    pub events: u64,
}

/// Events of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EventCount {
    /// Event system.
    pub system: String,
    /// Event name.
    pub event: String,
    /// Number in the file; 0 if the format has none.
    pub id: u32,
    /// Number of decoded events.
    pub count: u64,
}

/// One tracing instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BufferInfo {
    /// Index, as in the `buffer` column.
    pub index: u8,
    /// Name; empty for the top level.
    pub name: String,
    /// Trace clock, by the names of tracefs `trace_clock`: `local`, `global`, `mono`, `mono_raw`, `boot`, `tai`, ...
    pub clock: Option<String>,
}

/// The same instant on two clocks, as the recorder stored it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClockPair {
    /// ns of the trace clock.
    pub trace_ns: i64,
    /// ns of `CLOCK_REALTIME` (since 1970, UTC).
    pub real_ns: i64,
}

/// A guest that was traced together with its host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Guest {
    /// Name.
    pub name: String,
    /// The trace session of its own recording.
    pub session: u64,
    /// CPUs of the guest, each with the thread of the host that runs it.
    pub threads: Vec<(u32, i32)>,
}

/// A recording in a few facts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecordingInfo {
    /// Clock of the recording, as in [`BufferInfo::clock`]; `None` when not recorded.
    pub clock: Option<String>,
    /// The machine's kernel (`uname`, or only its release), if recorded.
    pub kernel: Option<String>,
    /// Number of CPUs of the recorded machine, as far as known: at least one more than the largest seen.
    pub cpus: u32,
    /// Smallest step of the stamps, ns: 1, or 1000 for text with stamps in µs.
    pub resolution_ns: u64,
    /// The tracing instances, index 0 is the top level. Never empty.
    pub buffers: Vec<BufferInfo>,
    /// Instants known on the trace clock and on the wall clock.
    pub clock_pairs: Vec<ClockPair>,
    /// NUMA nodes and their CPUs, where the recording carries them.
    pub nodes: Option<Vec<(u32, Vec<u32>)>>,
    /// Physical memory as the recording carries it: node, first address, and the one after the last; ascending, without overlaps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<(u32, u64, u64)>,
    /// The trace session, where the recording has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<u64>,
    /// The session of the host on whose clock a guest's times are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_of: Option<u64>,
    /// The guests that were traced in the same session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guests: Vec<Guest>,
    /// The events are those of some tasks alone, of a process that was followed: what else ran is not recorded.
    #[serde(skip)]
    pub some_tasks: bool,
    /// Older events were overwritten before the recording was taken, and nothing says of which CPUs.
    #[serde(skip)]
    pub overwritten: bool,
    /// Further metadata of the container (version, compression, command line, ...), by a short name in the field's terms.
    pub facts: BTreeMap<String, String>,
    /// Notes about unusable parts, one sentence each.
    pub notes: Vec<String>,
}

/// Results of decoding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Events decoded.
    pub events: u64,
    /// Event types that occurred.
    pub counts: Vec<EventCount>,
    /// Per CPU that recorded anything: its first and last event, ascending by CPU.
    pub cpu_spans: Vec<CpuSpan>,
    /// Events per buffer, by buffer index.
    pub buffer_events: Vec<u64>,
    /// Marks of lost events.
    pub lost_marks: u64,
    /// Lost events whose number is known.
    pub lost_events: u64,
    /// Marks without a number.
    pub lost_unknown_marks: u64,
    /// Impossible timestamps, since later ones of the CPU are smaller; they were corrected.
    #[serde(skip)]
    pub redated: u64,
    /// Events whose stamp lies before the one decoded last: the clock went backwards or CPUs disagree.
    pub backwards: u64,
}

/// A decoded recording: its facts, and what was found. Every reader's `decode` gives one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Recording {
    /// Metadata of the recording.
    pub info: RecordingInfo,
    /// Summary of its events.
    pub summary: Summary,
    /// The kernel's functions, where the recording has them and any of its events shows addresses as functions.
    #[serde(skip)]
    pub symbols: Symbols,
    /// Memory mappings of files, if recorded.
    #[serde(skip)]
    pub mappings: Mappings,
}
