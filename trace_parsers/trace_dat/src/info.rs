//! Metadata of a recording, for reports.

use std::collections::BTreeMap;

use numalens_columns::{BufferInfo, Guest, RecordingInfo};
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
    /// Options of the file that change the meaning of events or describe their origin.
    pub options: Options,
    /// Notes about unusable parts, one sentence each.
    pub notes: Vec<String>,
}

impl TraceInfo {
    /// The facts in the form that every kind of recording has.
    #[must_use]
    pub fn into_recording_info(self) -> RecordingInfo {
        RecordingInfo {
            facts: self.facts(),
            session: self.options.trace_id,
            clock_of: self.options.clock_of,
            guests: self.options.guests,
            clock: self.clock,
            kernel: self.kernel,
            cpus: self.cpus,
            resolution_ns: 1,
            buffers: self.buffers,
            notes: self.notes,
            ..RecordingInfo::default()
        }
    }

    fn facts(&self) -> BTreeMap<String, String> {
        let options = &self.options;
        let mut facts = vec![
            ("version", self.version.to_string()),
            ("compression", self.compression.to_owned()),
            ("endian", self.endian.to_owned()),
            ("long_size", self.long_size.to_string()),
            ("page_size", self.page_size.to_string()),
            ("formats", self.formats.to_string()),
        ];
        if let Some(recorder) = &options.recorder {
            facts.push(("recorder", recorder.clone()));
        }
        if let Some(id) = options.trace_id {
            facts.push(("trace_id", id.to_string()));
        }
        if let Some((mult, shift)) = options.tsc_to_ns {
            facts.push(("tsc_to_ns", format!("* {mult} >> {shift}")));
        }
        if options.offset_ns != 0 {
            facts.push(("offset_ns", options.offset_ns.to_string()));
        }
        if options.clock_of.is_some() {
            facts.push(("time_shift", "true".to_owned()));
        }
        let guests: Vec<&str> = options
            .guests
            .iter()
            .map(|guest| guest.name.as_str())
            .collect();
        if !guests.is_empty() {
            facts.push(("guests", guests.join(", ")));
        }
        let named = facts.into_iter();
        named.map(|(name, text)| (name.to_owned(), text)).collect()
    }
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
    /// The session of the host onto whose clock stamps are shifted.
    pub clock_of: Option<u64>,
    /// Guests traced in the same session.
    pub guests: Vec<Guest>,
    /// `per_cpu/cpuN/stats` at the end, one text per CPU.
    pub cpu_stats: Vec<String>,
}
