//! The bundle: what its files are and what its manifest says.

use std::collections::BTreeMap;
use std::sync::Arc;

use numalens_columns::{ClockPair, CpuSpan, Skipped};
use numalens_core::clock::Method;
use numalens_core::topology::{MemoryRange, Sharing, Topology};
use numalens_formats::Format;
use numalens_replay::evidence::Evidence;
use numalens_replay::hardware::HardwareSummary;
use numalens_replay::memory_samples::MemorySamplesSummary;
use numalens_replay::stacks::StacksSummary;
use numalens_replay::timeline::{FILES, Index};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::heads::Heads;
use crate::logs::Logs;
use crate::storage::Files;

/// Name and version of the manifest's schema.
pub(crate) const SCHEMA: &str = "numalens.bundle/1";

/// The manifest: everything about the bundle that is not a column.
#[derive(Debug, Serialize)]
pub(crate) struct Manifest {
    pub(crate) schema: &'static str,
    pub(crate) created_by: String,
    pub(crate) inputs: Vec<Input>,
    /// First and last event of all recordings, ns of the trace clock.
    pub(crate) origin_ns: u64,
    pub(crate) end_ns: u64,
    /// Common window of all CPUs' buffers.
    pub(crate) window_ns: [u64; 2],
    pub(crate) topology: Topology,
    /// Decoded events by name, whole files, all systems and buffers.
    pub(crate) event_counts: BTreeMap<String, u64>,
    pub(crate) tables: Vec<Table>,
    pub(crate) samples: Vec<SampleTable>,
    pub(crate) reference: Option<Reference>,
    pub(crate) tasks: u64,
    /// Statistics of the replay of run states.
    pub(crate) replay: numalens_replay::run_state::Stats,
    /// Evidence of the replay besides the scheduler's events; nothing without a recording.
    pub(crate) evidence: Option<Evidence>,
    /// Summary of the NUMA balancers' events; nothing without a recording.
    pub(crate) numa: Option<numalens_replay::numa::Summary>,
    /// Summary of the idle load balancer's events; nothing without a recording.
    pub(crate) ilb: Option<Ilb>,
    /// Summary of sampled stacks; nothing without a recording.
    pub(crate) stacks: Option<StacksSummary>,
    /// Summary of the CPUs' hardware events; nothing without a recording.
    pub(crate) hardware: Option<HardwareSummary>,
    /// Summary of memory samples; nothing without a recording.
    pub(crate) memory_samples: Option<MemorySamplesSummary>,
    pub(crate) notes: Vec<String>,
}

/// Summary of the idle load balancer besides the log of its events.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ilb {
    /// Numbers of the kinds of tables, including empty ones.
    pub kinds: Vec<u8>,
    /// Conversion of times to jiffies.
    pub jiffies: numalens_replay::idle_balancing::Jiffies,
    /// The traced kernel's release, where a recording names it.
    pub kernel: Option<String>,
}

/// One input.
#[derive(Debug, Serialize)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) kind: &'static Format,
    pub(crate) bytes: u64,
    #[serde(flatten)]
    pub(crate) recording: Option<Recording>,
    #[serde(flatten)]
    pub(crate) samples: Option<Sampled>,
    /// Parts that a tolerant reading left out, the first of them.
    pub(crate) skipped: Vec<Left>,
    /// Number of further parts.
    pub(crate) skipped_more: u64,
    pub(crate) alignment: Option<Alignment>,
}

/// A part of an input that was left out: bytes or lines `from..to`.
#[derive(Debug, Serialize)]
pub(crate) struct Left {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) unit: &'static str,
    pub(crate) cpu: Option<u32>,
    pub(crate) why: String,
}

impl From<&Skipped> for Left {
    fn from(skipped: &Skipped) -> Self {
        Self {
            from: skipped.range.start,
            to: skipped.range.end,
            unit: skipped.unit,
            cpu: skipped.cpu,
            why: skipped.why.clone(),
        }
    }
}

/// Metadata of a recording.
#[derive(Debug, Serialize)]
pub(crate) struct Recording {
    pub(crate) events: u64,
    pub(crate) lost_events: u64,
    pub(crate) lost_marks: u64,
    pub(crate) lost_unknown_marks: u64,
    /// Events whose time lies before the one decoded just before.
    pub(crate) backwards: u64,
    pub(crate) clock: Option<String>,
    pub(crate) kernel: Option<String>,
    pub(crate) cpus: u32,
    pub(crate) resolution_ns: u64,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) cpu_spans: Vec<CpuSpan>,
    pub(crate) clock_pairs: Vec<ClockPair>,
    pub(crate) facts: BTreeMap<String, String>,
}

/// Summary of a file of samples.
#[derive(Debug, Serialize)]
pub(crate) struct Sampled {
    /// Instants.
    pub(crate) samples: u64,
    pub(crate) rows: u64,
    /// Rows by table.
    pub(crate) tables: BTreeMap<&'static str, u64>,
    /// Step of the stamps; `None` when there are none.
    pub(crate) stamp_resolution_ns: Option<u64>,
}

/// Alignment of an input's times with the reference clock.
#[derive(Debug, Serialize)]
pub(crate) struct Alignment {
    pub(crate) method: Method,
    /// The input's clock that was used.
    pub(crate) clock: Option<String>,
    /// ns added to a time of that clock (in the middle of the input, where the clocks drift).
    pub(crate) offset_ns: Option<i64>,
    /// Maximum error, ns.
    pub(crate) uncertainty_ns: Option<u64>,
    pub(crate) drift_ppb: i64,
    /// Evidence, one sentence.
    pub(crate) evidence: String,
    pub(crate) label: &'static str,
}

/// The clock that all times are on.
#[derive(Debug, Serialize)]
pub(crate) struct Reference {
    /// Position of the input that has this clock.
    pub(crate) input: u32,
    pub(crate) clock: String,
}

/// A table of samples.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SampleTable {
    /// Name.
    pub table: String,
    /// Path inside the bundle.
    pub file: String,
    /// Number of rows.
    pub rows: u64,
    /// Rows that have a place on the reference clock, and the first and last of their times, ns.
    pub placed: u64,
    /// See [`Self::placed`].
    pub from_ns: Option<i64>,
    /// See [`Self::placed`].
    pub to_ns: Option<i64>,
}

/// A tracing instance of a recording.
#[derive(Debug, Serialize)]
pub(crate) struct Buffer {
    pub(crate) index: u8,
    pub(crate) name: String,
    pub(crate) clock: Option<String>,
    /// First and last event, ns; none without events.
    pub(crate) first_ns: Option<u64>,
    pub(crate) last_ns: Option<u64>,
    pub(crate) events: u64,
}

/// An event table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Table {
    /// Position of the input whose events it has.
    pub input: u32,
    /// The event's system: `sched`.
    pub system: String,
    /// The event's name: `sched_switch`.
    pub event: String,
    /// Events.
    pub rows: u64,
    /// Path inside the bundle.
    pub file: String,
}

/// The part of a manifest that queries need.
#[derive(Debug, Deserialize)]
struct Stored {
    schema: String,
    tables: Vec<Table>,
    samples: Vec<SampleTable>,
    event_counts: BTreeMap<String, u64>,
    topology: Topology,
    evidence: Option<Evidence>,
    numa: Option<numalens_replay::numa::Summary>,
    ilb: Option<Ilb>,
    stacks: Option<StacksSummary>,
    hardware: Option<HardwareSummary>,
    memory_samples: Option<MemorySamplesSummary>,
}

/// Folder of the sample tables inside the bundle.
pub(crate) const SAMPLES: &str = "samples";
/// Folder of the index's files inside the bundle.
pub(crate) const TIMELINE: &str = "timeline";
/// The table of tasks inside the bundle.
pub const TASKS: &str = "tasks.arrow";
/// The moments at which pressure was aggregated, inside the bundle.
pub(crate) const INSTANTS: &str = "states/instants.arrow";
/// Folder of the marks of lost events inside the bundle.
pub const LOST: &str = "lost";
/// The manifest inside the bundle.
pub(crate) const MANIFEST: &str = "manifest.json";

/// A bundle that is open.
#[derive(Debug)]
pub struct Open {
    /// Files of the bundle.
    pub files: Arc<dyn Files>,
    /// The manifest, as JSON.
    pub manifest: String,
    /// Event tables.
    pub tables: Vec<Table>,
    /// Footers of these, read when first requested, and cached counts of filtered events.
    pub(crate) heads: Heads,
    /// Tables of samples.
    pub samples: Vec<SampleTable>,
    /// CPUs that share cores and caches, as far as known.
    pub sharing: Sharing,
    /// Nodes of the physical memory, as far as known.
    pub memory: Vec<MemoryRange>,
    /// The timeline's index.
    pub index: Index,
    /// Evidence of the replay; `None` without a recording.
    pub evidence: Option<Evidence>,
    /// Summary of the NUMA balancers' events; `None` without a recording.
    pub numa: Option<numalens_replay::numa::Summary>,
    /// Summary of the idle load balancer's events; `None` without a recording.
    pub ilb: Option<Ilb>,
    /// Summary of sampled stacks; `None` without a recording.
    pub stacks: Option<StacksSummary>,
    /// Summary of the CPUs' hardware events; `None` without a recording.
    pub hardware: Option<HardwareSummary>,
    /// Summary of memory samples; `None` without a recording.
    pub memory_samples: Option<MemorySamplesSummary>,
    /// True if `sched_switch` is recorded.
    pub switches: bool,
    /// True if `sched_waking` is recorded.
    pub requests: bool,
    pub(crate) logs: Logs,
}

impl Open {
    /// Opens a bundle.
    ///
    /// # Errors
    ///
    /// Fails when a file is missing or damaged, or the manifest has another schema.
    pub fn new(files: Arc<dyn Files>) -> Result<Self, Error> {
        let shown = files.shown(MANIFEST);
        let manifest = String::from_utf8(files.whole(MANIFEST)?.to_vec())
            .map_err(|error| Error::Bundle(format!("{shown}: {error}")))?;
        let stored: Stored = serde_json::from_str(&manifest).map_err(|error| {
            Error::Bundle(format!("{shown} is not a bundle's manifest: {error}"))
        })?;
        if stored.schema != SCHEMA {
            let found = stored.schema;
            return Err(Error::Bundle(format!(
                "{shown}: expected schema {SCHEMA}, found {found}"
            )));
        }
        let file = |name: &str| files.mapped(&format!("{TIMELINE}/{name}"));
        let [slices, slice_levels, steps, step_levels, spans, runs] = FILES;
        let parts = [
            file(slices)?,
            file(slice_levels)?,
            file(steps)?,
            file(step_levels)?,
            file(spans)?,
            file(runs)?,
        ];
        let index = Index::open(parts, &files.whole(TASKS)?)?;
        let has = |event: &str| stored.event_counts.get(event).is_some_and(|&rows| rows > 0);
        Ok(Self {
            files,
            manifest,
            switches: has("sched_switch"),
            requests: has("sched_waking"),
            sharing: stored.topology.sharing,
            memory: stored.topology.memory,
            evidence: stored.evidence,
            numa: stored.numa,
            ilb: stored.ilb,
            stacks: stored.stacks,
            hardware: stored.hardware,
            memory_samples: stored.memory_samples,
            logs: Logs::default(),
            heads: Heads::new(stored.tables.len()),
            tables: stored.tables,
            samples: stored.samples,
            index,
        })
    }
}
