//! What is kept of a bundle's event tables once it was read: their ends, and how many events a filter means.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use numalens_core::ipc::{BatchExtent, Bytes, Footer, IpcFile};
use numalens_events::{Span, extents};

use crate::bundle::Open;
use crate::error::Error;

/// Counts that are kept: those of the windows and filters that were requested last.
const KEPT: usize = 64;

/// The event tables' ends, and counts of their events.
#[derive(Debug)]
pub(crate) struct Heads {
    heads: Vec<(bool, OnceLock<Head>)>,
    counts: Mutex<Vec<(Question, u64)>>,
}

/// A filter and a window.
type Question = (String, Span);

/// What is known of a table besides its rows.
#[derive(Debug)]
pub struct Head {
    /// The end of the file: its schema and where its batches are.
    pub footer: Arc<Footer>,
    /// Those of tables of earlier versions whose events do not ascend; they had to be read for that.
    found: Option<Vec<BatchExtent>>,
}

impl Head {
    /// The extents of the batches; without, the table's events ascend.
    #[must_use]
    pub fn extents(&self) -> Option<&[BatchExtent]> {
        self.footer.extents().or(self.found.as_deref())
    }
}

impl Heads {
    /// Takes of each table whether its events are known to ascend.
    pub(crate) fn new(ascend: impl Iterator<Item = bool>) -> Self {
        Self {
            heads: ascend.map(|ascends| (ascends, OnceLock::new())).collect(),
            counts: Mutex::default(),
        }
    }
}

impl Open {
    /// How many events a filter means in a window, if that was counted lately.
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

    /// The end of the event table at a place among the bundle's.
    ///
    /// # Errors
    ///
    /// Fails when the table cannot be read.
    pub fn head(&self, table: usize) -> Result<&Head, Error> {
        let (ascends, held) = &self.heads.heads[table];
        if let Some(head) = held.get() {
            return Ok(head);
        }
        let storage = self.files.pieces(&self.tables[table].file)?;
        let footer = Arc::new(Footer::read(&storage)?);
        let found = if footer.extents().is_none() && !ascends {
            let file = IpcFile::with(storage, Arc::clone(&footer), Some(&["ts_ns"]));
            Some(extents(&file)?)
        } else {
            None
        };
        Ok(held.get_or_init(|| Head { footer, found }))
    }

    /// The event table at a place among the bundle's; with `columns`, only these.
    ///
    /// # Errors
    ///
    /// Fails when the table cannot be read.
    pub fn events(&self, table: usize, columns: Option<&[&str]>) -> Result<IpcFile<Bytes>, Error> {
        let footer = Arc::clone(&self.head(table)?.footer);
        let storage = self.files.pieces(&self.tables[table].file)?;
        Ok(IpcFile::with(storage, footer, columns))
    }

    /// As [`Self::events`], all columns, for whoever keeps batches: they are the file's own bytes, not copies.
    ///
    /// # Errors
    ///
    /// As for [`Self::events`].
    pub fn mapped_events(&self, table: usize) -> Result<IpcFile<Bytes>, Error> {
        let footer = Arc::clone(&self.head(table)?.footer);
        let storage = self.files.mapped(&self.tables[table].file)?;
        Ok(IpcFile::with(storage, footer, None))
    }
}
