//! Kind and content of a file of samples.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use numalens_columns::{SinkError, Skipped};
use serde::Serialize;

use crate::SampleTableId;

/// The kind of an input as a whole; an input of one kind may also fill other tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SampleKind {
    /// Pressure stall information, of the machine or of cgroups.
    Psi,
    /// `/proc/vmstat`, its variants for one node, `/proc/stat`, `/proc/loadavg`.
    Vmstat,
    /// The cling kernel's `cpu.numa_group`.
    NumaGroup,
    /// The table of auto-migration statistics.
    Automig,
    /// `/proc/PID/numa_maps`.
    NumaMaps,
    /// The NUMA fields of `/proc/PID/sched`.
    ProcSched,
    /// Cgroups of tasks, and the cgroups' own files.
    CgroupMap,
    /// A log of requests to a service.
    Requests,
}

impl SampleKind {
    /// The kind's name in reports: `psi`, `vmstat`, `numa-group`, `automig`, `numa-maps`, `proc-sched`, `cgroup-map`,
    /// `requests`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Psi => "psi",
            Self::Vmstat => "vmstat",
            Self::NumaGroup => "numa-group",
            Self::Automig => "automig",
            Self::NumaMaps => "numa-maps",
            Self::ProcSched => "proc-sched",
            Self::CgroupMap => "cgroup-map",
            Self::Requests => "requests",
        }
    }
}

/// Result of reading a file of samples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SampleSummary {
    /// Kind of the input.
    pub kind: SampleKind,
    /// Instants at which something was sampled.
    pub samples: u64,
    /// Rows of all tables together.
    pub rows: u64,
    /// Rows by table name; tables without rows are left out.
    pub counts: BTreeMap<&'static str, u64>,
    /// The coarsest step of the stamps, ns: 1 for the recorder's, 1,000,000,000 for plain `date`. `None` without stamps.
    pub stamp_resolution_ns: Option<u64>,
    /// Notes about assumptions and unusable parts, one sentence each.
    pub notes: Vec<String>,
}

/// Receiver of the tables of a samples reader.
pub trait SampleSink {
    /// Appends rows, in the order of the input.
    ///
    /// # Errors
    /// The sink cannot take more rows.
    fn write(&mut self, table: SampleTableId, batch: &RecordBatch) -> Result<(), SinkError>;

    /// Notes lines that were left out; only a tolerant reading calls it. The default forgets it.
    ///
    /// # Errors
    /// The sink cannot take more.
    fn skipped(&mut self, _skipped: Skipped) -> Result<(), SinkError> {
        Ok(())
    }
}
