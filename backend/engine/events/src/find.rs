//! Events of several tables in one order, a page at a time. The tables' batches are read in the order of their earliest
//! events, and only as far as the page and the count need them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use numalens_columns::SEQ;
use numalens_core::EngineError;
use numalens_core::ipc::{BatchExtent, IpcFile, Storage};

use super::search::{Span, batches_over, numbers, times};
use crate::filter::TableFilter;

/// Place of an event among all: time, input, number in the input. No two events have one.
pub type Key = (u64, u32, u64);

/// A table to search: with the columns `ts_ns` and `seq`, and those that the filter needs.
#[derive(Debug)]
pub struct Searched<'a, S> {
    /// Input.
    pub input: u32,
    /// Batches.
    pub file: IpcFile<S>,
    /// Extents of the batches.
    pub extents: &'a [BatchExtent],
    /// Filter of the events.
    pub filter: &'a TableFilter,
}

/// Requested part of the matching events.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// The window that they are of.
    pub window: Span,
    /// Only events after this one are listed.
    pub after: Option<Key>,
    /// Maximum number of listed events.
    pub limit: usize,
    /// If true, all matching events of the window are counted.
    pub count: bool,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Events in ascending order: key, place of the table, its batch, row of that.
    pub events: Vec<(Key, usize, usize, usize)>,
    /// True if more follow.
    pub more: bool,
    /// Number of matching events of the window, listed or not; `None` when not requested.
    pub matched: Option<u64>,
}

/// Finds a page of the tables' events.
///
/// # Errors
/// A table could not be read or has no times.
pub fn find<S: Storage>(tables: &[Searched<'_, S>], page: &Page) -> Result<Found, EngineError> {
    let mut needed = page.window;
    if let Some((ts, ..)) = page.after.filter(|_| !page.count) {
        needed.from = needed.from.max(ts);
    }
    let mut places = Vec::with_capacity(tables.len());
    // The next batch of each table, by its earliest event.
    let mut next = BinaryHeap::new();
    for (table, Searched { extents, .. }) in tables.iter().enumerate() {
        let mut batches = batches_over(extents, needed);
        batches.sort_by_key(|&place| extents[place].first_ns);
        let mut batches = batches.into_iter();
        if let Some(place) = batches.next() {
            next.push(Reverse((extents[place].first_ns, table, place)));
        }
        places.push(batches);
    }
    let mut taken = Taken {
        page,
        best: BinaryHeap::new(),
        matched: 0,
    };
    while let Some(Reverse((first, table, place))) = next.pop() {
        let listed = !taken.is_behind(first);
        if !listed && !page.count {
            break;
        }
        taken.batch(table, &tables[table], place, listed)?;
        if let Some(place) = places[table].next() {
            let first = tables[table].extents[place].first_ns;
            next.push(Reverse((first, table, place)));
        }
    }
    Ok(taken.found())
}

/// Events found so far.
struct Taken<'a> {
    page: &'a Page,
    /// The first events after `after`, the latest first: one more than the page has.
    best: BinaryHeap<(Key, usize, usize, usize)>,
    matched: u64,
}

impl Taken<'_> {
    /// Returns whether events of this time and later ones can no longer be among the best.
    fn is_behind(&self, ts: u64) -> bool {
        self.best.len() > self.page.limit
            && self.best.peek().is_some_and(|((last, ..), ..)| ts > *last)
    }

    /// Looks through a batch; without `listed`, only to count.
    fn batch<S: Storage>(
        &mut self,
        at: usize,
        table: &Searched<'_, S>,
        place: usize,
        listed: bool,
    ) -> Result<(), EngineError> {
        let Page { window, after, .. } = *self.page;
        let is_before = |extent: &BatchExtent| after.is_some_and(|(ts, ..)| extent.last_ns < ts);
        // All of it counts and none of it is listed: its rows need not be read.
        let extent = &table.extents[place];
        if table.filter.means_all() && window.covers(extent) && (!listed || is_before(extent)) {
            self.matched += extent.rows;
            return Ok(());
        }
        let batch = table.file.batch(place)?;
        let ts = times(&batch)?;
        let mut rows = 0..ts.len();
        let ascends = ts.is_sorted();
        if ascends {
            rows = window.of_ascending(ts);
            if let Some((after, ..)) = after.filter(|_| !self.page.count) {
                let begin = ts.partition_point(|&ts| ts < after);
                rows.start = begin.clamp(rows.start, rows.end);
            }
        }
        let ranks = numbers(&batch, SEQ)?;
        let mask = table.filter.mask(&batch.slice(rows.start, rows.len()));
        for row in mask.set_indices().map(|row| rows.start + row) {
            if !window.has(ts[row]) {
                continue;
            }
            self.matched += 1;
            if listed && !self.is_behind(ts[row]) {
                self.event(((ts[row], table.input, ranks[row]), at, place, row));
            } else if ascends && !self.page.count {
                break;
            }
        }
        Ok(())
    }

    fn event(&mut self, event: (Key, usize, usize, usize)) {
        if self.page.after.is_some_and(|after| event.0 <= after) {
            return;
        }
        self.best.push(event);
        // One more shows whether another page follows.
        if self.best.len() > self.page.limit.saturating_add(1) {
            self.best.pop();
        }
    }

    fn found(self) -> Found {
        let mut events = self.best.into_sorted_vec();
        let more = events.len() > self.page.limit;
        events.truncate(self.page.limit);
        Found {
            events,
            more,
            matched: self.page.count.then_some(self.matched),
        }
    }
}
