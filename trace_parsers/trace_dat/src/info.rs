//! What a recording says about itself, for reports.

use serde::Serialize;

/// A recording in a few facts.
#[derive(Debug, Clone, Serialize)]
pub struct TraceInfo {
    /// File format version: 6 or 7.
    pub version: u32,
    /// `none`, `zlib` or `zstd`.
    pub compression: &'static str,
    /// `little` or `big`.
    pub endian: &'static str,
    /// Size of the traced kernel's `long`, bytes.
    pub long_size: u8,
    /// Sub-buffer size, bytes.
    pub page_size: u32,
    /// Clock of the top-level buffer, or of the first buffer that names one.
    pub clock: Option<String>,
    /// The machine's `uname`, as recorded.
    pub kernel: Option<String>,
    /// CPUs that the recording says the machine has.
    pub cpus: u32,
    /// Number of event formats in the file.
    pub formats: usize,
    /// The tracing instances, index 0 is the top level.
    pub buffers: Vec<BufferInfo>,
    /// Options that change meaning or tell the origin.
    pub options: Options,
    /// What could not be used, one sentence each.
    pub notes: Vec<String>,
}

/// One tracing instance.
#[derive(Debug, Clone, Serialize)]
pub struct BufferInfo {
    /// Index, as in the `buffer` column.
    pub index: u8,
    /// Name; empty for the top level.
    pub name: String,
    /// Trace clock.
    pub clock: Option<String>,
    /// CPUs with a data region.
    pub cpus: usize,
}

/// Options of a recording.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Options {
    /// trace-cmd's version.
    pub recorder: Option<String>,
    /// ns added to each stamp (options `DATE` and `OFFSET` together).
    pub offset_ns: i64,
    /// Multiplier and shift from cycles to ns.
    pub tsc_to_ns: Option<(u32, u32)>,
    /// Trace session.
    pub trace_id: Option<u64>,
    /// Whether stamps are shifted onto a host's clock.
    pub time_shift: bool,
    /// Guests traced in the same session.
    pub guests: Vec<String>,
    /// `per_cpu/cpuN/stats` at the end, one text per CPU.
    pub cpu_stats: Vec<String>,
}

/// What one CPU recorded in all buffers together.
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
