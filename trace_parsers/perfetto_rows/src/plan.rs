//! Descriptions of the passed answers, as JSON.

use std::collections::BTreeMap;

use numalens_columns::{BufferInfo, ClockPair, RecordingInfo};
use serde::Deserialize;

/// One table of rows.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Plan {
    /// Rows of utid and tid: the threads that events name by utid.
    Threads,
    /// Rows of tid, process, first and last time: the processes of threads, as far as they are known.
    Processes,
    /// Rows of one event type: seq, ts, cpu, utid, then the columns.
    Events(EventPlan),
}

/// Rows of one event type.
#[derive(Debug, Deserialize)]
pub(crate) struct EventPlan {
    pub(crate) event: String,
    /// Number of rows.
    pub(crate) rows: u64,
    pub(crate) columns: Vec<PlannedColumn>,
}

/// An argument of an event.
#[derive(Debug, Deserialize)]
pub(crate) struct PlannedColumn {
    pub(crate) key: String,
    pub(crate) kind: Kind,
}

/// Type of an argument's values, for unknown events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Int,
    Uint,
    Bool,
    Text,
}

/// Metadata of the trace.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Info {
    pub(crate) clock: Option<String>,
    pub(crate) kernel: Option<String>,
    pub(crate) cpus: u32,
    #[serde(default)]
    pub(crate) clock_pairs: Vec<(i64, i64)>,
    #[serde(default)]
    pub(crate) facts: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    /// CPUs of which the trace processor says that they lost events.
    #[serde(default)]
    pub(crate) lossy_cpus: Vec<u32>,
}

impl Info {
    /// The form that every kind of recording has. `seen` is one more than the largest CPU that recorded anything.
    pub(crate) fn into_recording_info(self, seen: u32) -> RecordingInfo {
        let pairs = self.clock_pairs.into_iter();
        RecordingInfo {
            buffers: vec![BufferInfo {
                index: 0,
                name: String::new(),
                clock: self.clock.clone(),
            }],
            clock: self.clock,
            kernel: self.kernel,
            cpus: self.cpus.max(seen),
            resolution_ns: 1,
            clock_pairs: pairs
                .map(|(trace_ns, real_ns)| ClockPair { trace_ns, real_ns })
                .collect(),
            facts: self.facts,
            notes: self.notes,
            ..RecordingInfo::default()
        }
    }
}
