//! Writes the log of page migrations.

use std::sync::Arc;

use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::ScalarBuffer;
use numalens_core::logs::{BatchesWriter, Cell};
use numalens_core::{EngineError, Output};

use super::PageBatch;
use super::page_log::{CallColumns, PageLog, PageRun, RunColumns, StoredRun, Together};

/// Calls that go into one batch: as many as stay in a CPU's cache.
const BATCH_CALLS: usize = 1 << 12;

/// Writes the page migrations.
pub struct PagesWriter {
    runs_file: BatchesWriter<RunColumns>,
    calls_file: BatchesWriter<CallColumns>,
    held: PageLog,
}

impl PagesWriter {
    /// Begins the files of the runs and of the calls.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn new(runs: Output, calls: Output) -> Result<Self, EngineError> {
        Ok(Self {
            runs_file: BatchesWriter::new(runs)?,
            calls_file: BatchesWriter::new(calls)?,
            held: PageLog::default(),
        })
    }

    /// Takes the next call; their ends ascend.
    ///
    /// # Errors
    /// The files cannot be written.
    #[inline]
    pub fn push(&mut self, call: &PageBatch) -> Result<(), EngineError> {
        self.held.push(call);
        if self.held.end_ns.len() >= BATCH_CALLS {
            self.write()?;
        }
        Ok(())
    }

    /// Maximum number of calls for [`Self::extend`].
    pub(super) fn room(&self) -> usize {
        BATCH_CALLS - self.held.end_ns.len()
    }

    /// Takes calls together; see [`PageLog::extend`].
    pub(super) fn extend(
        &mut self,
        run: PageRun,
        calls: Together<'_, impl Iterator<Item = u64>>,
        call: impl FnMut(usize) -> (Option<PageRun>, Option<u64>),
    ) -> Result<(), EngineError> {
        self.held.extend(run, calls, call);
        if self.held.end_ns.len() >= BATCH_CALLS {
            self.write()?;
        }
        Ok(())
    }

    #[cold]
    fn write(&mut self) -> Result<(), EngineError> {
        if self.held.runs.is_empty() {
            return Ok(());
        }
        let begins = self.held.runs().map(|(_, calls)| calls.end_ns()[0]);
        let runs = begins.zip(&self.held.runs);
        let runs: Vec<StoredRun> = runs
            .map(|(first_ns, &(run, calls))| StoredRun {
                first_ns,
                calls: calls as u32,
                cpu: run.cpu,
                pid: run.pid,
                src_nid: run.src_nid,
                dst_nid: run.dst_nid,
                reason: run.reason,
                mode: run.mode,
            })
            .collect();
        self.runs_file.write(&[&runs])?;
        self.held.runs.clear();
        let times = self.held.end_ns.clone();
        let columns = vec![
            full(&mut self.held.end_ns),
            full(&mut self.held.took_ns),
            full(&mut self.held.succeeded),
            full(&mut self.held.failed),
        ];
        self.calls_file.write_columns(columns, &times)
    }

    /// Finishes the files.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn finish(mut self) -> Result<(), EngineError> {
        self.write()?;
        self.runs_file.finish()?;
        self.calls_file.finish()
    }
}

/// The numbers as a column; they are gone from where they were.
fn full<T: Cell>(values: &mut Vec<T>) -> ArrayRef {
    let room = Vec::with_capacity(values.capacity());
    let values = ScalarBuffer::from(std::mem::replace(values, room));
    Arc::new(PrimitiveArray::<T::Arrow>::new(values, None))
}
