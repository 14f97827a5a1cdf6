//! Reads a window of the waits. The columns point into the files' bytes.

use std::ops::Range;
use std::sync::OnceLock;

use numalens_core::EngineError;
use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, Columns};
use numalens_core::tasks::TaskId;

use super::rows::{CauseColumns, WaitColumns};
use super::{Cause, CauseNs, WaitRow};

/// The waits and their causes, ready to be read.
#[derive(Debug)]
pub struct Waits {
    rows: Batches<WaitColumns>,
    /// Batches of the causes, the same as those of the waits.
    causes: Batches<CauseColumns>,
    /// End of the last one.
    last_ns: u64,
    /// By batch, the earliest begin of its waits and of all later ones: they ascend by their ends, and a long one comes late.
    earliest: OnceLock<Vec<u64>>,
}

impl Waits {
    /// Opens the bytes of `waits/waits.arrow` and `waits/causes.arrow`.
    ///
    /// # Errors
    /// The bytes are not those of waits and their causes.
    pub fn open(waits: impl Into<Bytes>, causes: impl Into<Bytes>) -> Result<Self, EngineError> {
        let waits = Batches::open(waits, "waits")?;
        let causes = Batches::unordered(causes, "the waits' causes")?;
        if waits.count() != causes.count() {
            return Err(damaged("its waits and their causes do not belong together"));
        }
        Ok(Self {
            last_ns: waits.extents().last().map_or(0, |batch| batch.last_ns),
            rows: waits,
            causes,
            earliest: OnceLock::new(),
        })
    }

    /// Number of waits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.rows()
    }

    /// Returns whether there are no waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `wait` with each wait that begins at `from` or later and ends by `to`, in the order of their ends, and with
    /// its causes in the order of their numbers.
    ///
    /// # Errors
    /// They could not be read, or the causes do not hold together.
    pub fn scan(
        &self,
        from: u64,
        to: u64,
        wait: impl FnMut(&WaitRow, &[CauseNs]),
    ) -> Result<(), EngineError> {
        let past = self.rows.partition(|batch| batch.first_ns <= to);
        let wanted =
            |waits: &WaitColumns, row| self.is_in(from, to, waits.start(row), waits.end(row));
        self.each((from, to), past, Order::Forwards, wanted, wait)
    }

    /// Calls `wait` with each wait of some tasks that ends from `from` to `to` (both ends count), in the order of their ends, and
    /// with its causes.
    ///
    /// # Errors
    /// As for [`Self::scan`].
    pub fn of_tasks(
        &self,
        (from, to): (u64, u64),
        is_one: impl Fn(TaskId) -> bool,
        wait: impl FnMut(&WaitRow, &[CauseNs]),
    ) -> Result<(), EngineError> {
        let past = self.rows.partition(|batch| batch.first_ns <= to);
        let wanted = |waits: &WaitColumns, row| is_one(waits.task(row));
        self.each((from, to), past, Order::Forwards, wanted, wait)
    }

    /// Returns the wait of some tasks that ends first; `None` if they never wait.
    ///
    /// # Errors
    /// As for [`Self::scan`].
    pub fn first_of(
        &self,
        is_one: impl Fn(TaskId) -> bool,
    ) -> Result<Option<WaitRow>, EngineError> {
        for at in 0..self.rows.count() {
            let waits = self.rows.get(at)?;
            if let Some(row) = (0..waits.rows()).find(|&row| is_one(waits.task(row))) {
                return Ok(Some(waits.get(row).unpack()));
            }
        }
        Ok(None)
    }

    /// As [`Self::scan`], and also with each wait that overlaps `from` to `to`; whole, not cut.
    ///
    /// # Errors
    /// As for [`Self::scan`].
    pub fn over(
        &self,
        from: u64,
        to: u64,
        order: Order,
        wait: impl FnMut(&WaitRow, &[CauseNs]),
    ) -> Result<(), EngineError> {
        let past = self.rows.partition(|batch| batch.first_ns <= to);
        let later = if past < self.rows.count() {
            let later = self.earliest()?[past..].iter();
            later.take_while(|earliest| **earliest < to).count()
        } else {
            0
        };
        let wanted = |waits: &WaitColumns, row| {
            let (start, end) = (waits.start(row), waits.end(row));
            self.is_in(from, to, start, end) || (start < to && end > from)
        };
        self.each((from, u64::MAX), past + later, order, wanted, wait)
    }

    /// Returns whether a whole wait is in a window. One of no length on an edge is in the window that begins there, if any
    /// does.
    #[inline]
    fn is_in(&self, from: u64, to: u64, start: u64, end: u64) -> bool {
        start >= from && end <= to && (start < to || to >= self.last_ns)
    }

    fn earliest(&self) -> Result<&[u64], EngineError> {
        if let Some(earliest) = self.earliest.get() {
            return Ok(earliest);
        }
        let batches = self.rows.range(0..self.rows.count())?;
        let mut least = u64::MAX;
        let mut earliest: Vec<u64> = batches
            .iter()
            .rev()
            .map(|batch| {
                least = (0..batch.rows()).fold(least, |least, row| least.min(batch.start(row)));
                least
            })
            .collect();
        earliest.reverse();
        Ok(self.earliest.get_or_init(|| earliest))
    }

    /// The waits of the batches up to `past` that end from `from` to `to` and are `wanted`.
    fn each(
        &self,
        (from, to): (u64, u64),
        past: usize,
        order: Order,
        wanted: impl Fn(&WaitColumns, usize) -> bool,
        mut wait: impl FnMut(&WaitRow, &[CauseNs]),
    ) -> Result<(), EngineError> {
        let first = self.rows.partition(|batch| batch.last_ns < from);
        let batches = self.rows.range(first..past.max(first))?.into_iter();
        let causes = self.causes.range(first..past.max(first))?;
        let mut batches: Vec<_> = batches.zip(causes).collect();
        if order == Order::Backwards {
            batches.reverse();
        }
        let mut of_wait = Gathered::default();
        for (waits, causes) in batches {
            of_wait.at = None;
            let first = partition(waits.rows(), |row| waits.end(row) < from);
            let past = partition(waits.rows(), |row| waits.end(row) <= to).max(first);
            let mut visit = |row| {
                if wanted(waits, row) {
                    of_wait.gather(causes, row)?;
                    let stored = waits.get(row).unpack();
                    let spent = of_wait.as_slice().iter().map(|cause| cause.ns);
                    if spent.fold(0, u64::saturating_add) != stored.end_ns - stored.start_ns {
                        return Err(damaged("a wait is longer or shorter than its causes"));
                    }
                    wait(&stored, of_wait.as_slice());
                }
                Ok::<_, EngineError>(())
            };
            match order {
                Order::Forwards => (first..past).try_for_each(&mut visit)?,
                Order::Backwards => (first..past).rev().try_for_each(&mut visit)?,
            }
        }
        Ok(())
    }
}

/// Order of waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The one that ends first, first.
    Forwards,
    /// The one that ends last, first.
    Backwards,
}

/// The causes of one wait.
struct Gathered {
    causes: [CauseNs; Cause::COUNT],
    len: usize,
    /// The wait's row, and the rows of its causes.
    at: Option<(usize, Range<usize>)>,
}

impl Default for Gathered {
    fn default() -> Self {
        const NONE: CauseNs = CauseNs {
            cause: Cause::Busy,
            ns: 0,
        };
        Self {
            causes: [NONE; Cause::COUNT],
            len: 0,
            at: None,
        }
    }
}

impl Gathered {
    fn as_slice(&self) -> &[CauseNs] {
        &self.causes[..self.len]
    }

    /// Takes the causes of a wait.
    #[inline]
    fn gather(&mut self, causes: &CauseColumns, wait: usize) -> Result<(), EngineError> {
        let begin = match &self.at {
            Some((before, of_it)) if before + 1 == wait => of_it.end,
            Some((behind, of_it)) if wait + 1 == *behind => causes.begin_of(wait, of_it.start),
            _ => causes.first_of(wait),
        };
        self.len = 0;
        let mut at = begin;
        while at < causes.rows() {
            let (of, cause) = causes
                .unpack(at)
                .ok_or_else(|| damaged("a wait has a cause that does not exist"))?;
            if of > wait {
                break;
            }
            let place = self
                .causes
                .get_mut(self.len)
                .filter(|_| of == wait)
                .ok_or_else(|| damaged("the causes of its waits are not in order"))?;
            *place = cause;
            self.len += 1;
            at += 1;
        }
        self.at = Some((wait, begin..at));
        Ok(())
    }
}

/// The number of rows at the beginning for which `before` holds.
fn partition(rows: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn damaged(why: &str) -> EngineError {
    EngineError::Damaged(why.to_owned())
}
