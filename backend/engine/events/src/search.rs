//! Batches of an event table that may have events of a window.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use numalens_columns::TS_NS;
use numalens_core::EngineError;
use numalens_core::ipc::BatchExtent;

/// A window: from a time on up to before another, or without an end, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first time inside.
    pub from: u64,
    /// The first time after it; `None` for no end.
    pub to: Option<u64>,
}

impl Span {
    /// From a time or the start, to before another time or the end.
    #[must_use]
    pub fn new(from: Option<u64>, to: Option<u64>) -> Self {
        Self {
            from: from.unwrap_or(0),
            to,
        }
    }

    /// Returns whether a time lies inside.
    #[must_use]
    pub fn has(self, ts: u64) -> bool {
        ts >= self.from && !self.is_past(ts)
    }

    /// Returns whether a time lies after it.
    #[must_use]
    pub fn is_past(self, ts: u64) -> bool {
        self.to.is_some_and(|to| ts >= to)
    }

    /// Returns whether all rows of an extent lie inside.
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

/// The places of the batches that may have rows of the window, ascending.
#[must_use]
pub fn batches_over(extents: &[BatchExtent], window: Span) -> Vec<usize> {
    let inside = |extent: &BatchExtent| {
        extent.rows > 0 && extent.last_ns >= window.from && !window.is_past(extent.first_ns)
    };
    let places = extents.iter().enumerate();
    let places = places.filter(|(_, extent)| inside(extent));
    places.map(|(place, _)| place).collect()
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
