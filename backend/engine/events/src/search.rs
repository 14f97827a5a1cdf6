//! Which batches of an event table may have events of a window.

use std::cell::RefCell;
use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use numalens_columns::TS_NS;
use numalens_core::EngineError;
use numalens_core::ipc::{BatchExtent, IpcFile, Storage};

/// A window: from a time on up to before another, or without an end, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first time inside.
    pub from: u64,
    /// The first time behind it; `None` when there is none.
    pub to: Option<u64>,
}

impl Span {
    /// From a time on, or from the begin, and up to before another, or to the end.
    #[must_use]
    pub fn new(from: Option<u64>, to: Option<u64>) -> Self {
        Self {
            from: from.unwrap_or(0),
            to,
        }
    }

    /// Whether a time lies inside.
    #[must_use]
    pub fn has(self, ts: u64) -> bool {
        ts >= self.from && !self.is_past(ts)
    }

    /// Whether a time lies behind it.
    #[must_use]
    pub fn is_past(self, ts: u64) -> bool {
        self.to.is_some_and(|to| ts >= to)
    }

    /// Whether all rows of an extent lie inside.
    #[must_use]
    pub fn covers(self, extent: &BatchExtent) -> bool {
        extent.first_ns >= self.from && !self.is_past(extent.last_ns)
    }

    /// The rows inside of ascending times.
    #[must_use]
    pub fn of_ascending(self, ts: &[u64]) -> Range<usize> {
        let first = ts.partition_point(|&ts| ts < self.from);
        let past = ts.partition_point(|&ts| !self.is_past(ts));
        first..past.max(first)
    }
}

/// Looks for the batches of an event table that has the column `ts_ns`.
///
/// With the extent of each batch it knows them without a look. Without, the rows must ascend over all batches; it halves
/// them then, and reads one batch in each step.
#[derive(Debug)]
pub struct Search<'a, S> {
    file: &'a IpcFile<S>,
    extents: Option<&'a [BatchExtent]>,
    /// The batch that was looked at last without extents: often the next one that is wanted.
    held: RefCell<Option<(usize, RecordBatch)>>,
}

impl<'a, S: Storage> Search<'a, S> {
    /// Takes the table, and the extents of its batches if they are known.
    #[must_use]
    pub fn new(file: &'a IpcFile<S>, extents: Option<&'a [BatchExtent]>) -> Self {
        Self {
            file,
            extents,
            held: RefCell::default(),
        }
    }

    /// The extent of a batch, if it is known.
    #[must_use]
    pub fn extent(&self, place: usize) -> Option<&'a BatchExtent> {
        self.extents?.get(place)
    }

    /// The places of the batches that may have rows of the window, ascending.
    ///
    /// # Errors
    /// A batch could not be read.
    pub fn over(&self, window: Span) -> Result<Vec<usize>, EngineError> {
        if let Some(extents) = self.extents {
            let inside = |extent: &BatchExtent| {
                extent.rows > 0 && extent.last_ns >= window.from && !window.is_past(extent.first_ns)
            };
            let places = (0..).zip(extents);
            let places = places.filter(|(_, extent)| inside(extent));
            return Ok(places.map(|(place, _)| place).collect());
        }
        let all = self.file.batches();
        // The batch before the first one that begins inside may end inside.
        let first = self.partition(0..all, |ts| ts < window.from)?;
        let first = first.saturating_sub(1);
        let Some(to) = window.to else {
            return Ok((first..all).collect());
        };
        // Most windows are narrow: their end is looked for further and further away.
        let (mut low, mut step) = (first, 1);
        while low + step < all && self.first_ns(low + step)? < to {
            (low, step) = (low + step, step * 2);
        }
        let past = self.partition(low..all.min(low + step), |ts| ts < to)?;
        Ok((first..past).collect())
    }

    /// The earliest time of the batch; without rows, that of the next one that has some.
    ///
    /// # Errors
    /// The batch could not be read.
    pub fn first_ns(&self, place: usize) -> Result<u64, EngineError> {
        if let Some(extent) = self.extent(place) {
            return Ok(extent.first_ns);
        }
        for place in place..self.file.batches() {
            let batch = self.batch(place)?;
            let first = times(&batch)?.first().copied();
            *self.held.borrow_mut() = Some((place, batch));
            if let Some(first) = first {
                return Ok(first);
            }
        }
        Ok(u64::MAX)
    }

    /// The batch at a place.
    ///
    /// # Errors
    /// It could not be read.
    pub fn batch(&self, place: usize) -> Result<RecordBatch, EngineError> {
        match &*self.held.borrow() {
            Some((held, batch)) if *held == place => Ok(batch.clone()),
            _ => Ok(self.file.batch(place)?),
        }
    }

    /// The first batch of `places`, or the place behind them, of which the first time is not so, when it is so of none behind it.
    fn partition(
        &self,
        places: Range<usize>,
        predicate: impl Fn(u64) -> bool,
    ) -> Result<usize, EngineError> {
        let (mut low, mut high) = (places.start, places.end);
        while low < high {
            let middle = usize::midpoint(low, high);
            if predicate(self.first_ns(middle)?) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}

/// The extent of each batch of a table that neither tells them nor is known to ascend: reads all of it.
///
/// # Errors
/// A batch could not be read.
pub fn extents<S: Storage>(file: &IpcFile<S>) -> Result<Vec<BatchExtent>, EngineError> {
    let extent = |place: usize| {
        let batch = file.batch(place)?;
        Ok(BatchExtent::of(times(&batch)?.iter().copied()))
    };
    (0..file.batches()).map(extent).collect()
}

/// The times of a batch's rows.
///
/// # Errors
/// It has none.
pub fn times(batch: &RecordBatch) -> Result<&[u64], EngineError> {
    numbers(batch, TS_NS)
}

/// A column of a batch's numbers.
pub(super) fn numbers<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a [u64], EngineError> {
    let column = batch
        .column_by_name(name)
        .and_then(|column| column.as_primitive_opt::<UInt64Type>());
    column
        .map(|column| column.values().as_ref())
        .ok_or_else(|| EngineError::Damaged(format!("an event table has no {name}")))
}
