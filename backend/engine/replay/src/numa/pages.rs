//! Tables about pages, in one order. There may be more of these rows than of all other events together, and nearly all are
//! begins and ends of calls.

use std::collections::VecDeque;

use numalens_core::EngineError;
use numalens_events::{LostMark, NumaKind};

use super::names::Names;
use super::table::{Batch, Events, Fields, NumaTable, PageFields, Source};
use super::{Mode, PageBatch, PageRun, Reason};

/// Takes events about pages, each with its time (ns, never going back).
pub(super) trait PageSink {
    /// `mm_migrate_pages_start`: a task begins.
    fn start(&mut self, now: u64, pid: i32);
    /// Handles the end of a call: `mm_migrate_pages`, possibly with an event of its start, or `mm_migrate_misplaced_pages`.
    fn end(&mut self, call: PageBatch, begins: bool);
    /// Handles ends of calls without known nodes: this call covers all of them and all starts before the last of them. All
    /// times ascend.
    fn calls(&mut self, ends: &Ends<'_>, begins: &mut Begins<'_>);
    /// Events of a CPU are missing from here on.
    fn lost(&mut self);
}

/// Begins of calls in ascending time.
pub(super) struct Begins<'a> {
    ts: &'a [u64],
    seq: &'a [u64],
    pid: &'a [i32],
    at: usize,
}

impl Begins<'_> {
    /// Goes past the next begin and returns its task and time, if it comes before the end at `row`.
    #[inline]
    pub(super) fn next_before(&mut self, ends: &Ends<'_>, row: usize) -> Option<(i32, u64)> {
        let (&start, end) = (self.ts.get(self.at)?, ends.ts[row]);
        if start > end || (start == end && self.seq[self.at] >= ends.seq[row]) {
            return None;
        }
        let pid = self.pid[self.at];
        self.at += 1;
        Some((pid, start))
    }
}

/// Ends of calls in ascending time, all columns equally long.
pub(super) struct Ends<'a> {
    pub(super) ts: &'a [u64],
    seq: &'a [u64],
    cpu: &'a [u32],
    pid: &'a [i32],
    reason: &'a [i32],
    mode: &'a [i32],
    pub(super) succeeded: &'a [i64],
    pub(super) failed: &'a [i64],
    fields: &'a PageFields,
    /// Position of the first of them in `fields`.
    first: usize,
}

impl Ends<'_> {
    /// Recorded values that separate the calls of two runs.
    #[inline]
    pub(super) fn common(&self, row: usize) -> (u32, i32, i32, i32) {
        (
            self.cpu[row],
            self.pid[row],
            self.reason[row],
            self.mode[row],
        )
    }

    /// The run of a call.
    pub(super) fn run(&self, row: usize) -> PageRun {
        PageRun::of(&ended(self.fields, self.cpu[row], self.first + row, 0))
    }
}

/// A table about pages, or the marks of lost events.
pub(super) struct PageTable<'a> {
    input: u32,
    rows: Rows<'a>,
}

impl<'a> NumaTable<'a> {
    /// As a table about pages: its rows, or the marks of lost events.
    pub(super) fn into_pages(self) -> PageTable<'a> {
        match self.rows {
            Source::Events(events) => PageTable::events(self.input, events),
            Source::Lost(marks) => PageTable::lost(self.input, marks),
        }
    }
}

enum Rows<'a> {
    Events(Box<Events<'a>>),
    Lost(VecDeque<LostMark>),
}

impl<'a> PageTable<'a> {
    pub(super) fn events(input: u32, events: Box<Events<'a>>) -> Self {
        let rows = Rows::Events(events);
        Self { input, rows }
    }

    pub(super) fn lost(input: u32, marks: VecDeque<LostMark>) -> Self {
        let rows = Rows::Lost(marks);
        Self { input, rows }
    }

    fn kind(&self) -> Option<NumaKind> {
        match &self.rows {
            Rows::Events(events) => Some(events.kind),
            Rows::Lost(_) => None,
        }
    }

    /// Time of the next row.
    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        match &mut self.rows {
            Rows::Events(events) => events.advance(),
            Rows::Lost(marks) => Ok(marks.front().map(|mark| mark.since_ns)),
        }
    }

    /// The place of the next row among those of its time: its input, and its rank there. A gap begins after all events of its
    /// time.
    fn rank(&self) -> (u32, u64) {
        let seq = match &self.rows {
            Rows::Events(events) => events.seq(),
            Rows::Lost(_) => None,
        };
        (self.input, seq.unwrap_or(u64::MAX))
    }

    /// Passes the next row on and leaves it.
    fn tell(&mut self, now: u64, sink: &mut impl PageSink) {
        match &mut self.rows {
            Rows::Events(events) => {
                if let Some((batch, at)) = events.place() {
                    tell(batch, *at, now, sink);
                    *at += 1;
                }
            }
            Rows::Lost(marks) => {
                marks.pop_front();
                sink.lost();
            }
        }
    }

    /// The rest of the batch of the next row, if all its rows belong to the tracing instance that counts.
    fn rest(&mut self) -> Option<(&Batch, &mut usize)> {
        match &mut self.rows {
            Rows::Events(events) => events.place().filter(|(batch, _)| batch.whole),
            Rows::Lost(_) => None,
        }
    }
}

/// Passes on a row of a batch.
#[inline]
fn tell(batch: &Batch, row: usize, now: u64, sink: &mut impl PageSink) {
    match &batch.fields {
        Fields::PagesStart(pid) => sink.start(now, pid[row]),
        Fields::Pages(fields) => sink.end(ended(fields, batch.cpu[row], row, now), true),
        Fields::Misplaced(pid, [src, dst, pages]) => sink.end(
            PageBatch {
                start_ns: None,
                end_ns: now,
                cpu: batch.cpu[row],
                pid: pid[row],
                succeeded: pages[row] as u64,
                failed: 0,
                reason: Reason::NumaMisplaced as u8,
                mode: Mode::Async as u8,
                src_nid: src[row] as i32,
                dst_nid: dst[row] as i32,
            },
            false,
        ),
        _ => {}
    }
}

#[inline]
fn ended(fields: &PageFields, cpu: u32, row: usize, now: u64) -> PageBatch {
    let named = |names: &Option<Names>| {
        let names = names.as_ref();
        names.map_or(u8::MAX, |names| names.get(row))
    };
    PageBatch {
        start_ns: None,
        end_ns: now,
        cpu,
        pid: fields.pid[row],
        succeeded: fields.succeeded[row] as u64,
        failed: fields.failed[row] as u64,
        reason: named(&fields.reason),
        mode: named(&fields.mode),
        src_nid: -1,
        dst_nid: -1,
    }
}

/// A column of names as numbers; where there is none, all rows are alike, as `task` is in a run. `None` of text.
fn numbers<'a>(names: Option<&'a Names>, task: &'a [i32]) -> Option<&'a [i32]> {
    names.map_or(Some(task), Names::numbers)
}

/// Fewer ends than this before another table has a row are given one by one.
const STRETCH: usize = 16;

/// Passes on several ends with the starts before them, if this batch has all of these.
fn together(
    (starts, at): (&Batch, &mut usize),
    (ends, to): (&Batch, &mut usize),
    (now_ns, bound): (&mut u64, u64),
    sink: &mut impl PageSink,
) {
    let (Fields::PagesStart(pid), Fields::Pages(fields)) = (&starts.fields, &ends.fields) else {
        return;
    };
    let ascends = |batch: &Batch, at: usize| {
        batch.ascends && batch.ts.get(at).is_some_and(|first| *first >= *now_ns)
    };
    let enough = ends.ts.get(*to + STRETCH).is_some_and(|end| *end < bound);
    let Some(last) = starts.ts.last().map(|last| bound.min(*last)) else {
        return;
    };
    if !enough || !ascends(starts, *at) || !ascends(ends, *to) {
        return;
    }
    let (Some(reason), Some(mode)) = (
        numbers(fields.reason.as_ref(), &fields.pid),
        numbers(fields.mode.as_ref(), &fields.pid),
    ) else {
        return;
    };
    let first = *to;
    let rows = first..first + ends.ts[first..].partition_point(|end| *end < last);
    let mut begins = Begins {
        ts: &starts.ts,
        seq: &starts.seq,
        pid,
        at: *at,
    };
    let ends = Ends {
        ts: &ends.ts[rows.clone()],
        seq: &ends.seq[rows.clone()],
        cpu: &ends.cpu[rows.clone()],
        pid: &fields.pid[rows.clone()],
        reason: &reason[rows.clone()],
        mode: &mode[rows.clone()],
        succeeded: &fields.succeeded[rows.clone()],
        failed: &fields.failed[rows.clone()],
        fields,
        first,
    };
    sink.calls(&ends, &mut begins);
    *now_ns = ends.ts.last().copied().unwrap_or(*now_ns);
    (*at, *to) = (begins.at, rows.end);
}

/// Passes on starts and ends of one recording, within both batches and before `bound`.
fn pairs(
    (starts, at): (&Batch, &mut usize),
    (ends, to): (&Batch, &mut usize),
    (now_ns, bound): (&mut u64, u64),
    sink: &mut impl PageSink,
) -> u64 {
    let (Fields::PagesStart(pid), Fields::Pages(fields)) = (&starts.fields, &ends.fields) else {
        return 0;
    };
    let (pid, begun, ended_at) = (&pid[..], &starts.ts[..], &ends.ts[..]);
    let (mut backwards, mut now) = (0, *now_ns);
    while let (Some(&start), Some(&end)) = (begun.get(*at), ended_at.get(*to)) {
        let first = start < end || (start == end && starts.seq[*at] < ends.seq[*to]);
        let next = if first { start } else { end };
        if next >= bound {
            break;
        }
        backwards += u64::from(next < now);
        now = now.max(next);
        if first {
            sink.start(now, pid[*at]);
            *at += 1;
        } else {
            sink.end(ended(fields, ends.cpu[*to], *to, now), true);
            *to += 1;
        }
    }
    *now_ns = now;
    backwards
}

/// Rows of all tables about pages in ascending time; those of one time in the order of their inputs, then of their rank.
#[derive(Default)]
pub(super) struct PageMerge<'a> {
    tables: Vec<PageTable<'a>>,
    /// Times of the tables' next rows. A recording has two or three of these tables, so the first is found by looking at all.
    heads: Vec<u64>,
    now_ns: u64,
    pub(super) backwards: u64,
}

impl<'a> PageMerge<'a> {
    pub(super) fn begin(&mut self, mut table: PageTable<'a>) -> Result<(), EngineError> {
        if let Some(first) = table.advance()? {
            self.heads.push(first);
            self.tables.push(table);
        }
        Ok(())
    }

    /// The table with the next row, and its time.
    fn first(&self) -> Option<(usize, u64)> {
        let mut heads = self.heads.iter().copied().enumerate();
        let (mut first, mut least) = heads.next()?;
        for (at, head) in heads {
            let tie = head == least && self.tables[at].rank() < self.tables[first].rank();
            if head < least || tie {
                (first, least) = (at, head);
            }
        }
        Some((first, least))
    }

    /// Passes on the next event, and possibly more. Returns whether there was one.
    ///
    /// # Errors
    /// A table could not be read.
    pub(super) fn next(&mut self, sink: &mut impl PageSink) -> Result<bool, EngineError> {
        self.pairs(sink)?;
        let Some((first, ts_ns)) = self.first() else {
            return Ok(false);
        };
        self.backwards += u64::from(ts_ns < self.now_ns);
        self.now_ns = self.now_ns.max(ts_ns);
        self.tables[first].tell(self.now_ns, sink);
        self.advance(first)?;
        Ok(true)
    }

    /// Nearly all rows are starts and ends: passes on those of one recording until another table has a row.
    fn pairs(&mut self, sink: &mut impl PageSink) -> Result<(), EngineError> {
        let place = |wanted| {
            self.tables
                .iter()
                .position(|table| table.kind() == Some(wanted))
        };
        let starts = place(NumaKind::MigratePagesStart);
        let Some((starts, ends)) = starts.zip(place(NumaKind::MigratePages)) else {
            return Ok(());
        };
        let others = self.heads.iter().enumerate();
        let others = others.filter(|(at, _)| *at != starts && *at != ends);
        let bound = others.map(|(_, head)| *head).min().unwrap_or(u64::MAX);
        let Ok([one, other]) = self.tables.get_disjoint_mut([starts, ends]) else {
            return Ok(());
        };
        if one.input != other.input {
            return Ok(());
        }
        if let Some((begun, ended)) = one.rest().zip(other.rest()) {
            let (starts, ends) = ((begun.0, &mut *begun.1), (ended.0, &mut *ended.1));
            together(starts, ends, (&mut self.now_ns, bound), sink);
            self.backwards += pairs(begun, ended, (&mut self.now_ns, bound), sink);
        }
        // The places of tables change when one ends: the later one first.
        self.advance(starts.max(ends))?;
        self.advance(starts.min(ends))
    }

    fn advance(&mut self, table: usize) -> Result<(), EngineError> {
        if let Some(next) = self.tables[table].advance()? {
            self.heads[table] = next;
        } else {
            self.heads.remove(table);
            self.tables.remove(table);
        }
        Ok(())
    }
}
