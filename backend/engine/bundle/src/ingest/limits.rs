//! Caps, progress and requests to stop.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Exceeded, Interruption};

/// Limits set by the caller.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Events decoded.
    pub events: Option<u64>,
    /// Bytes written.
    pub bytes: Option<u64>,
}

/// Used part of the limits. Shared by all decoders and writers.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    limits: Limits,
    used: Arc<Used>,
}

#[derive(Debug, Default)]
struct Used {
    events: AtomicU64,
    bytes: AtomicU64,
    /// The current input, for error messages.
    input: Mutex<String>,
    /// Names of the files that were begun.
    files: Mutex<BTreeSet<String>>,
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            used: Arc::default(),
        }
    }

    /// The input that is worked on from here on.
    pub(super) fn input(&self, name: &str) {
        name.clone_into(&mut locked(&self.used.input));
    }

    /// Counts decoded events; false when they are too many.
    pub(super) fn events(&self, more: u64) -> bool {
        self.used.events.fetch_add(more, Ordering::Relaxed);
        self.over_events().is_none()
    }

    /// Counts written bytes; false when they are too many.
    pub(super) fn bytes(&self, more: u64) -> bool {
        self.used.bytes.fetch_add(more, Ordering::Relaxed);
        self.over_bytes().is_none()
    }

    /// Notes a file that is begun.
    pub(super) fn file(&self, name: &str) {
        locked(&self.used.files).insert(name.to_owned());
    }

    /// Names of the files that were begun.
    pub(super) fn files(&self) -> Vec<String> {
        locked(&self.used.files).iter().cloned().collect()
    }

    fn over_events(&self) -> Option<u64> {
        self.limits
            .events
            .filter(|&limit| self.used.events.load(Ordering::Relaxed) > limit)
    }

    fn over_bytes(&self) -> Option<u64> {
        self.limits
            .bytes
            .filter(|&limit| self.used.bytes.load(Ordering::Relaxed) > limit)
    }

    /// The exceeded limit, as the error to report instead of the failure that it caused.
    pub(super) fn exceeded(&self) -> Option<Error> {
        let name = locked(&self.used.input).clone();
        let limit = |cap, what, limit| {
            Error::Limit(Box::new(Exceeded {
                name,
                cap,
                what,
                limit,
            }))
        };
        match (self.over_events(), self.over_bytes()) {
            (Some(events), _) => Some(limit("max_events", "events", events)),
            (None, Some(bytes)) => Some(limit("max_bytes", "bytes of columns", bytes)),
            (None, None) => None,
        }
    }
}

/// Reports progress, and keeps the error of the listener.
pub struct Progress<'a> {
    tell: Option<ProgressCallback<'a>>,
    raised: Option<Interruption>,
}

/// Receives a stage, the finished part, and the total. Called often.
pub type ProgressCallback<'a> = Box<dyn FnMut(&str, u64, u64) -> Result<(), Interruption> + 'a>;

impl<'a> Progress<'a> {
    /// Without a callback nothing is reported and nothing stops the work.
    #[must_use]
    pub fn new(tell: Option<ProgressCallback<'a>>) -> Self {
        Self { tell, raised: None }
    }

    /// The listener's exception, if it raised one.
    pub(crate) fn raised(&mut self) -> Option<Error> {
        self.raised.take().map(Error::Interrupted)
    }

    /// Reports progress; returns false when the work must stop.
    pub(crate) fn at(&mut self, stage: &str, done: u64, total: u64) -> bool {
        if self.raised.is_some() {
            return false;
        }
        if let Some(tell) = &mut self.tell {
            self.raised = tell(stage, done.min(total), total).err();
        }
        self.raised.is_none()
    }

    /// A part of a stage: its own progress counts for `len` of `total`, from `done` on.
    pub(super) fn part<'p>(
        &'p mut self,
        stage: &'static str,
        done: u64,
        len: u64,
        total: u64,
    ) -> Part<'p, 'a> {
        Part {
            progress: self,
            stage,
            done,
            len,
            total,
        }
    }
}

/// A part of a stage.
pub(super) struct Part<'p, 'a> {
    progress: &'p mut Progress<'a>,
    stage: &'static str,
    done: u64,
    len: u64,
    total: u64,
}

impl Part<'_, '_> {
    /// Reports that `done` of `total` of the part are finished; returns false when the work must stop.
    pub(super) fn at(&mut self, done: u64, total: u64) -> bool {
        let scaled = u128::from(done.min(total)) * u128::from(self.len) / u128::from(total.max(1));
        self.progress
            .at(self.stage, self.done + scaled as u64, self.total)
    }

    pub(super) fn raised(&mut self) -> Option<Error> {
        self.progress.raised()
    }
}
