//! A log of rows in ascending time: written batch by batch, read by window.

use std::io::Write;

use arrow_buffer::Buffer;
use arrow_ipc::writer::FileWriter;

use crate::EngineError;
use crate::rows::{Columns, between, open_all, scan};

/// Rows that go into one batch: as many as stay in a CPU's cache until they are columns.
const BATCH_ROWS: usize = 1 << 12;

/// Writes a log.
pub(super) struct LogWriter<C: Columns> {
    writer: FileWriter<Box<dyn Write>>,
    rows: Vec<C::Row>,
}

impl<C: Columns> LogWriter<C> {
    pub(super) fn new(out: Box<dyn Write>) -> Result<Self, EngineError> {
        Ok(Self {
            writer: FileWriter::try_new(out, &C::schema())?,
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
            self.writer.write(&C::batch(&[&self.rows])?)?;
            self.rows.clear();
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), EngineError> {
        self.write()?;
        self.writer.finish()?;
        self.writer.get_mut().flush()?;
        Ok(())
    }
}

/// A log, ready to be read. The columns point into the file's bytes.
#[derive(Debug)]
pub(super) struct Log<C>(Vec<C>);

impl<C: Columns> Log<C> {
    /// `what` names the log in an error.
    pub(super) fn open(bytes: Buffer, what: &str) -> Result<Self, EngineError> {
        Ok(Self(open_all(bytes, what)?))
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(Columns::rows).sum()
    }

    /// The rows of a time in [`from`, `to`], in ascending time.
    pub(super) fn rows(&self, from: u64, to: u64) -> impl Iterator<Item = C::Row> {
        between(&self.0, from, to)
    }

    /// Calls `told` with each of [`Self::rows`].
    #[inline]
    pub(super) fn scan(&self, from: u64, to: u64, told: impl FnMut(C::Row)) {
        scan(&self.0, from, to, told);
    }
}
