//! A log of rows in ascending time: written batch by batch, read by window.

use std::io::Write;

use numalens_core::EngineError;
use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, BatchesWriter, Columns, between, scan};

/// Rows that go into one batch: as many as stay in a CPU's cache until they are columns.
const BATCH_ROWS: usize = 1 << 12;

/// Writes a log.
pub(super) struct LogWriter<C: Columns> {
    writer: BatchesWriter<C>,
    rows: Vec<C::Row>,
}

impl<C: Columns> LogWriter<C> {
    pub(super) fn new(out: Box<dyn Write>) -> Result<Self, EngineError> {
        Ok(Self {
            writer: BatchesWriter::new(out)?,
            rows: Vec::with_capacity(BATCH_ROWS),
        })
    }

    #[inline]
    pub(super) fn push(&mut self, row: C::Row) -> Result<(), EngineError> {
        self.rows.push(row);
        if self.rows.len() >= BATCH_ROWS {
            self.write()?;
        }
        Ok(())
    }

    #[cold]
    fn write(&mut self) -> Result<(), EngineError> {
        if !self.rows.is_empty() {
            self.writer.write(&[&self.rows])?;
            self.rows.clear();
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), EngineError> {
        self.write()?;
        self.writer.finish()
    }
}

/// A log, ready to be read. The columns point into the file's bytes.
#[derive(Debug)]
pub(super) struct Log<C>(Batches<C>);

impl<C: Columns> Log<C> {
    /// `what` names the log in an error.
    pub(super) fn open(bytes: impl Into<Bytes>, what: &str) -> Result<Self, EngineError> {
        Ok(Self(Batches::open(bytes, what)?))
    }

    pub(super) fn len(&self) -> usize {
        self.0.rows()
    }

    /// The rows of a time in [`from`, `to`], in ascending time.
    pub(super) fn rows(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = C::Row>, EngineError> {
        between(&self.0, from, to)
    }

    /// Calls `visit` with each of [`Self::rows`].
    #[inline]
    pub(super) fn scan(
        &self,
        from: u64,
        to: u64,
        visit: impl FnMut(C::Row),
    ) -> Result<(), EngineError> {
        scan(&self.0, from, to, visit)
    }
}
