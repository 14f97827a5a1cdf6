//! The event tables of an open bundle.

use std::sync::{Arc, PoisonError};

use numalens_core::ipc::{BatchExtent, Bytes, Footer, IpcFile};
use numalens_events::Span;

use crate::bundle::Open;
use crate::error::Error;

/// Number of counts that are kept: those of the windows and filters that were requested last.
const KEPT: usize = 64;

impl Open {
    /// Returns the cached number of events of a filter in a window, if any.
    #[must_use]
    pub fn counted(&self, filter: &str, window: Span) -> Option<u64> {
        let counts = self
            .heads
            .counts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let found = counts
            .iter()
            .find(|((of, over), _)| of == filter && *over == window);
        found.map(|(_, count)| *count)
    }

    /// Keeps such a count.
    pub fn keep_count(&self, filter: &str, window: Span, count: u64) {
        let mut counts = self
            .heads
            .counts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let question = (filter.to_owned(), window);
        counts.retain(|(kept, _)| *kept != question);
        if counts.len() == KEPT {
            counts.remove(0);
        }
        counts.push((question, count));
    }

    /// The end of the event table at a place among the bundle's: its schema and where its batches are.
    ///
    /// # Errors
    ///
    /// Fails when the table cannot be read.
    pub fn footer(&self, table: usize) -> Result<&Arc<Footer>, Error> {
        let held = &self.heads.footers[table];
        if let Some(footer) = held.get() {
            return Ok(footer);
        }
        let storage = self.files.pieces(&self.tables[table].file)?;
        let footer = Arc::new(Footer::read(&storage)?);
        Ok(held.get_or_init(|| footer))
    }

    /// The extents of the batches of the event table at a place among the bundle's.
    ///
    /// # Errors
    ///
    /// Fails when the table cannot be read or does not say them.
    pub fn extents(&self, table: usize) -> Result<&[BatchExtent], Error> {
        self.footer(table)?.extents().ok_or_else(|| {
            let file = self.files.shown(&self.tables[table].file);
            Error::Bundle(format!("{file} does not say what its batches hold"))
        })
    }

    /// The event table at a place among the bundle's; with `columns`, only these.
    ///
    /// # Errors
    ///
    /// Fails when the table cannot be read.
    pub fn events(&self, table: usize, columns: Option<&[&str]>) -> Result<IpcFile<Bytes>, Error> {
        let footer = Arc::clone(self.footer(table)?);
        let storage = self.files.pieces(&self.tables[table].file)?;
        Ok(IpcFile::with(storage, footer, columns))
    }

    /// As [`Self::events`], with all columns, for callers that keep batches: they are the file's own bytes, not copies.
    ///
    /// # Errors
    ///
    /// As for [`Self::events`].
    pub fn mapped_events(&self, table: usize) -> Result<IpcFile<Bytes>, Error> {
        let footer = Arc::clone(self.footer(table)?);
        let storage = self.files.mapped(&self.tables[table].file)?;
        Ok(IpcFile::with(storage, footer, None))
    }
}
