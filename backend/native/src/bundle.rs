//! The bundle on disk: where its files are and what its manifest says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use numalens_engine::timeline::{FILES, Index};
use numalens_engine::topology::Topology;
use numalens_trace_dat::{CpuSpan, Options};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::input::Kind;
use crate::storage::Mapped;

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
    pub(crate) tasks: u64,
    /// What the replay of run states met.
    pub(crate) replay: numalens_engine::run_state::Stats,
    pub(crate) notes: Vec<String>,
}

/// One input.
#[derive(Debug, Serialize)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) bytes: u64,
    #[serde(flatten)]
    pub(crate) recording: Option<Recording>,
}

/// What a recording says about itself.
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
    pub(crate) version: u32,
    pub(crate) compression: &'static str,
    pub(crate) endian: &'static str,
    pub(crate) long_size: u8,
    pub(crate) page_size: u32,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) cpu_spans: Vec<CpuSpan>,
    pub(crate) options: Options,
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
pub(crate) struct Table {
    pub(crate) input: u32,
    pub(crate) system: String,
    pub(crate) event: String,
    pub(crate) rows: u64,
    /// Path inside the bundle.
    pub(crate) file: String,
}

/// The part of a manifest that queries need.
#[derive(Debug, Deserialize)]
struct Stored {
    schema: String,
    tables: Vec<Table>,
}

/// Folder of the index's files inside the bundle.
pub(crate) const TIMELINE: &str = "timeline";
/// The table of tasks inside the bundle.
pub(crate) const TASKS: &str = "tasks.arrow";
/// The manifest inside the bundle.
pub(crate) const MANIFEST: &str = "manifest.json";

/// A bundle that is open.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: String,
    pub(crate) tables: Vec<Table>,
    pub(crate) index: Index,
}

impl Open {
    pub(crate) fn new(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(MANIFEST);
        let manifest =
            std::fs::read_to_string(&path).map_err(|error| crate::storage::named(&path, &error))?;
        let stored: Stored = serde_json::from_str(&manifest).map_err(|error| {
            Error::Bundle(format!(
                "{} is not a bundle's manifest: {error}",
                path.display()
            ))
        })?;
        if stored.schema != SCHEMA {
            let found = stored.schema;
            return Err(Error::Bundle(format!(
                "{}: expected schema {SCHEMA}, found {found}",
                path.display()
            )));
        }
        let file = |name: &str| Mapped::buffer(&folder.join(TIMELINE).join(name));
        let [slices, slice_levels, steps, step_levels, spans, runs] = FILES;
        let files = [
            file(slices)?,
            file(slice_levels)?,
            file(steps)?,
            file(step_levels)?,
            file(spans)?,
            file(runs)?,
        ];
        let index = Index::open(files, &Mapped::buffer(&folder.join(TASKS))?)?;
        Ok(Self {
            folder: folder.to_owned(),
            manifest,
            tables: stored.tables,
            index,
        })
    }
}
