//! Kind and content of a file of samples.

use std::collections::BTreeMap;
use std::ops::Range;

use arrow_array::RecordBatch;
use numalens_columns::{DecodeError, InputError, SinkError, Skipped};
use serde::Serialize;

use crate::SampleTableId;
use crate::number::Odd;

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
    /// Results of benchmarks.
    Benchmark,
}

impl SampleKind {
    /// The kind's name in reports: `psi`, `vmstat`, `numa-group`, `automig`, `numa-maps`, `proc-sched`, `cgroup-map`,
    /// `requests`, `benchmark`.
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
            Self::Benchmark => "benchmark",
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

/// Lines that are reported one by one when they are left out.
const MOST_SKIPS: u64 = 10_000;

/// Destination of rows and errors.
pub(crate) struct Output<'a> {
    pub(crate) sink: &'a mut dyn SampleSink,
    tolerant: bool,
    /// The line that is being read.
    pub(crate) line: u64,
    skips: u64,
    /// Skips after the first [`MOST_SKIPS`], as one.
    rest: Option<Range<u64>>,
}

impl<'a> Output<'a> {
    pub(crate) fn new(tolerant: bool, sink: &'a mut dyn SampleSink) -> Self {
        Self {
            sink,
            tolerant,
            line: 0,
            skips: 0,
            rest: None,
        }
    }

    /// A line is not what it should be: an error, or a line less.
    pub(crate) fn odd(&mut self, odd: Odd) -> Result<(), DecodeError> {
        if !self.tolerant {
            return Err(InputError::at_line(self.line, odd.expected, odd.found).into());
        }
        self.skips += 1;
        if self.skips > MOST_SKIPS {
            let rest = self.rest.get_or_insert(self.line..self.line);
            rest.end = self.line + 1;
            return Ok(());
        }
        let range = self.line..self.line + 1;
        self.skip(range, odd.to_string()).map_err(DecodeError::from)
    }

    fn skip(&mut self, range: Range<u64>, why: String) -> Result<(), SinkError> {
        self.sink.skipped(Skipped {
            range,
            unit: "line",
            cpu: None,
            why,
        })
    }

    /// Reports the skips that were not reported individually.
    pub(crate) fn finish(&mut self) -> Result<(), SinkError> {
        match self.rest.take() {
            Some(range) => {
                let why = format!(
                    "{} more places that could not be read",
                    self.skips - MOST_SKIPS
                );
                self.skip(range, why)
            }
            None => Ok(()),
        }
    }
}
