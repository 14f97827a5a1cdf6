//! Cache of a bundle's event tables: their footers, and the number of events of recent filters.

use std::sync::{Arc, Mutex, OnceLock};

use numalens_core::ipc::Footer;
use numalens_events::Span;

/// The event tables' ends, and counts of their events.
#[derive(Debug)]
pub(crate) struct Heads {
    pub(crate) footers: Vec<OnceLock<Arc<Footer>>>,
    pub(crate) counts: Mutex<Vec<(Question, u64)>>,
}

/// A filter and a window.
pub(crate) type Question = (String, Span);

impl Heads {
    /// Creates the cache of this number of tables.
    pub(crate) fn new(tables: usize) -> Self {
        Self {
            footers: (0..tables).map(|_| OnceLock::new()).collect(),
            counts: Mutex::default(),
        }
    }
}
