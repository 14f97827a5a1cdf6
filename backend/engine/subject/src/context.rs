//! Values that several sections and findings of a bundle need, computed once and kept.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numalens_bundle::Open;

use crate::Shared;

/// Bytes that a context keeps unless it is given another bound.
const MOST_BYTES: usize = 32 << 20;
/// Minimum size of an entry: its key, its slot and small parts.
const ENTRY_BYTES: usize = 4 << 10;

/// An open bundle with values computed from it. A bundle's files never change, so no value is ever out of date: a bundle that
/// is created again is opened again.
///
/// Safe to use from several threads: a thread that needs a value waits while another thread computes it.
pub struct Context {
    open: Open,
    kept: Mutex<Kept>,
}

/// The type of a value, and what it depends on besides the bundle, as text.
type Key = (TypeId, String);

/// Hits and size of a context's cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Number of computed values.
    pub computed: u64,
    /// Number of values found in the cache.
    pub found: u64,
    /// Number of kept values.
    pub entries: usize,
    /// Approximate size, bytes.
    pub bytes: usize,
}

/// A value, once it is computed. Locked while it is being computed.
type Cell = Arc<Mutex<Option<Arc<dyn Any + Send + Sync>>>>;

struct Slot {
    cell: Cell,
    /// 0 while the value is computed.
    bytes: usize,
    /// Number of the last question.
    used: u64,
}

/// Kept values; the least recently used goes first.
struct Kept {
    slots: HashMap<Key, Slot>,
    most_bytes: usize,
    questions: u64,
    usage: Usage,
}

impl Kept {
    /// The cell of a key, made if need be.
    fn cell(&mut self, key: &Key) -> Cell {
        self.questions += 1;
        let slot = self.slots.entry(key.clone()).or_insert_with(|| Slot {
            cell: Cell::default(),
            bytes: 0,
            used: 0,
        });
        slot.used = self.questions;
        Arc::clone(&slot.cell)
    }

    /// Counts a value that was computed, and lets the least recently used go until all fits.
    fn add(&mut self, key: &Key, bytes: usize) {
        self.usage.computed += 1;
        if let Some(slot) = self.slots.get_mut(key) {
            self.usage.bytes = self.usage.bytes - slot.bytes + bytes;
            slot.bytes = bytes;
        }
        if bytes > self.most_bytes {
            self.remove(key);
        }
        while self.usage.bytes > self.most_bytes {
            let done = self.slots.iter().filter(|(_, slot)| slot.bytes > 0);
            let oldest = done.min_by_key(|(_, slot)| slot.used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, key: &Key) {
        if let Some(slot) = self.slots.remove(key) {
            self.usage.bytes -= slot.bytes;
        }
    }
}

impl Context {
    /// A bundle without computed values.
    #[must_use]
    pub fn new(open: Open) -> Self {
        Self::with_bound(open, MOST_BYTES)
    }

    /// The same with another limit for kept values; with 0 nothing is kept.
    #[must_use]
    pub fn with_bound(open: Open, most_bytes: usize) -> Self {
        Self {
            open,
            kept: Mutex::new(Kept {
                slots: HashMap::new(),
                most_bytes,
                questions: 0,
                usage: Usage::default(),
            }),
        }
    }

    /// Returns hits and size of the cache.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let kept = locked(&self.kept);
        Usage {
            entries: kept.slots.len(),
            ..kept.usage
        }
    }

    /// The value of a type that is kept under a name and options, computed when it is not there. `key` is shown in full by
    /// `Debug`: keys that differ are shown differently.
    ///
    /// # Errors
    ///
    /// Those of `compute`; in that case nothing is kept.
    pub fn shared<T: Shared, E>(
        &self,
        key: impl Debug,
        compute: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let key = (TypeId::of::<T>(), format!("{key:?}"));
        let cell = locked(&self.kept).cell(&key);
        let mut value = locked(&cell);
        let found = value.as_ref().map(Arc::clone);
        if let Some(found) = found.and_then(|found| found.downcast::<T>().ok()) {
            locked(&self.kept).usage.found += 1;
            return Ok(found);
        }
        let made = match compute() {
            Ok(made) => Arc::new(made),
            Err(error) => {
                locked(&self.kept).remove(&key);
                return Err(error);
            }
        };
        *value = Some(Arc::clone(&made) as _);
        drop(value);
        let bytes = ENTRY_BYTES + size_of::<T>() + made.heap_bytes();
        locked(&self.kept).add(&key, bytes);
        Ok(made)
    }
}

impl Deref for Context {
    type Target = Open;

    fn deref(&self) -> &Open {
        &self.open
    }
}

/// The lock's content. Nothing is half done where one panics: what was computed is entered as a whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
