//! Memory samples: loads and stores with where their data came from, as perf samples them (PEBS, IBS, SPE); rows, writer, reader.

use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, scan, table};
use numalens_core::{EngineError, Output};
use serde::{Deserialize, Serialize};

use crate::log::Log;

/// The log inside the bundle; there is none without memory samples.
pub const MEMORY_SAMPLES_FILE: &str = "memory/samples.arrow";

table! {
    /// A memory sample. What is not recorded is 0.
    pub MemorySample, MemorySampleColumns, ts_ns, {
        /// ns of the reference clock; ascends from row to row.
        ts_ns: u64,
        /// The CPU that loaded or stored.
        cpu: u32,
        /// The thread.
        pid: i32,
        /// `union perf_mem_data_src`.
        data_src: u64,
        /// The latency, cycles.
        weight: u64,
        /// The address.
        addr: u64,
        /// The physical address.
        phys_addr: u64,
        /// Size of the page, bytes.
        page_size: u64,
    }
}

impl MemorySample {
    /// Operation in `mem_op` (`PERF_MEM_OP_*`, bits 0 to 4 of the union) without `PERF_MEM_OP_NA`: load 2, store 4, prefetch
    /// 8, code 16.
    #[must_use]
    pub fn op(&self) -> u64 {
        self.data_src & 0x1e
    }

    /// Returns whether the sample has the source of the data or its place in memory.
    #[must_use]
    pub fn tells(&self) -> bool {
        self.op() != 0 || self.phys_addr != 0
    }
}

/// Summary of a bundle's memory samples.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySamplesSummary {
    /// Samples.
    pub samples: u64,
    /// Number of samples with the source of the data.
    pub with_source: u64,
    /// Number of samples with a latency.
    pub with_latency: u64,
    /// Number of samples with a physical address.
    pub with_phys_addr: u64,
}

/// Writes the log.
pub struct MemorySamplesWriter {
    log: Log<MemorySampleColumns>,
    summary: MemorySamplesSummary,
}

impl MemorySamplesWriter {
    /// Begins the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: Output) -> Result<Self, EngineError> {
        Ok(Self {
            log: Log::new(out)?,
            summary: MemorySamplesSummary::default(),
        })
    }

    /// Takes the next sample; times never go back.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn push(&mut self, sample: &MemorySample) -> Result<(), EngineError> {
        let summary = &mut self.summary;
        summary.samples += 1;
        summary.with_source += u64::from(sample.op() != 0);
        summary.with_latency += u64::from(sample.weight != 0);
        summary.with_phys_addr += u64::from(sample.phys_addr != 0);
        self.log.push(*sample);
        self.log.flush()
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<MemorySamplesSummary, EngineError> {
        self.log.finish()?;
        Ok(self.summary)
    }
}

/// The log, ready to be read.
#[derive(Debug)]
pub struct MemorySamples(Batches<MemorySampleColumns>);

impl MemorySamples {
    /// Opens the file's bytes.
    ///
    /// # Errors
    /// They are not those of the log.
    pub fn open(bytes: impl Into<Bytes>) -> Result<Self, EngineError> {
        Batches::open(bytes, "memory samples").map(Self)
    }

    /// Calls `visit` with the samples from `from` to `to` (both ends count), ascending in time.
    ///
    /// # Errors
    /// They could not be read.
    pub fn scan(
        &self,
        from: u64,
        to: u64,
        visit: &mut dyn FnMut(MemorySample),
    ) -> Result<(), EngineError> {
        scan(&self.0, from, to, visit)
    }
}
