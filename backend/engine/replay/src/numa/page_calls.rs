//! Begins and ends of the calls that migrate pages, put together.

use std::collections::HashMap;

use numalens_core::EngineError;

use super::page_log::Together;
use super::pages::{Begins, Ends, PageSink};
use super::summary::Counts;
use super::{PageBatch, PagesWriter};

/// Calls that have begun, by their task: a task migrates one batch of pages at a time.
#[derive(Default)]
struct Begun {
    /// Begun by a task whose pid ends like the place; there are many calls and few at a time.
    near: Vec<Option<(i32, u64)>>,
    /// Starts whose slot was taken.
    far: HashMap<i32, u64>,
}

/// Places of calls, a power of two.
const NEAR: usize = 1 << 8;

impl Begun {
    #[inline]
    fn begin(&mut self, pid: i32, now: u64) {
        if self.near.is_empty() {
            self.near.resize(NEAR, None);
        }
        let place = &mut self.near[pid as usize % NEAR];
        if let Some((other, since)) = place.filter(|(other, _)| *other != pid) {
            self.far.insert(other, since);
        }
        if !self.far.is_empty() {
            self.far.remove(&pid);
        }
        *place = Some((pid, now));
    }

    #[inline]
    fn end(&mut self, pid: i32) -> Option<u64> {
        let place = self.near.get_mut(pid as usize % NEAR)?;
        if place.is_some_and(|(other, _)| other == pid) {
            return place.take().map(|begun| begun.1);
        }
        if self.far.is_empty() {
            return None;
        }
        self.far.remove(&pid)
    }
}

/// Writes the calls that migrated pages.
pub(super) struct Calls<'a> {
    span: (u64, u64),
    begun: Begun,
    log: &'a mut PagesWriter,
    counts: &'a mut Counts,
    /// Events since the last progress.
    pub(super) events: u64,
    /// Error of a failed write.
    pub(super) failed: Option<EngineError>,
}

impl<'a> Calls<'a> {
    /// With the times of the recording's first and last event.
    pub(super) fn new(span: (u64, u64), log: &'a mut PagesWriter, counts: &'a mut Counts) -> Self {
        Self {
            span,
            begun: Begun::default(),
            log,
            counts,
            events: 0,
            failed: None,
        }
    }

    fn inside(&self) -> impl Fn(u64) -> u64 + Copy + use<> {
        let (origin, end) = self.span;
        move |ts_ns| ts_ns.clamp(origin, end)
    }
}

impl PageSink for Calls<'_> {
    #[inline]
    fn start(&mut self, now: u64, pid: i32) {
        self.events += 1;
        self.begun.begin(pid, self.inside()(now));
    }

    #[inline]
    fn end(&mut self, mut call: PageBatch, begins: bool) {
        self.events += 1;
        call.end_ns = self.inside()(call.end_ns);
        if begins {
            call.start_ns = self.begun.end(call.pid);
        }
        if call.src_nid < 0 {
            self.counts.page_batches += 1;
            self.counts.timed_batches += u64::from(call.start_ns.is_some());
        } else {
            self.counts.misplaced += 1;
        }
        if let Err(error) = self.log.push(&call) {
            self.failed = Some(error);
        }
    }

    fn calls(&mut self, ends: &Ends<'_>, begins: &mut Begins<'_>) {
        let inside = self.inside();
        let (mut from, mut begun, mut timed) = (0, 0, 0);
        while from < ends.ts.len() && self.failed.is_none() {
            let until = ends.ts.len().min(from + self.log.room());
            let mut common = ends.common(from);
            // A task's own begin needs no place among those of all tasks until another's call ends.
            let mut own = self.begun.end(common.1);
            let run = ends.run(from);
            let call = |row: usize| {
                let mut turned = None;
                let this = ends.common(row);
                if this != common {
                    if let Some(start) = own.take() {
                        self.begun.begin(common.1, start);
                    }
                    own = self.begun.end(this.1);
                    common = this;
                    turned = Some(ends.run(row));
                }
                while let Some((pid, start)) = begins.next_before(ends, row) {
                    begun += 1;
                    if pid == this.1 {
                        own = Some(inside(start));
                    } else {
                        self.begun.begin(pid, inside(start));
                    }
                }
                let start = own.take();
                timed += u64::from(start.is_some());
                let took = |start| inside(ends.ts[row]).saturating_sub(start);
                (turned, start.map(took))
            };
            let now = Together {
                rows: from..until,
                end_ns: ends.ts[from..until].iter().copied().map(inside),
                succeeded: &ends.succeeded[from..until],
                failed: &ends.failed[from..until],
            };
            if let Err(error) = self.log.extend(run, now, call) {
                self.failed = Some(error);
            }
            if let Some(start) = own {
                self.begun.begin(common.1, start);
            }
            from = until;
        }
        self.counts.page_batches += from as u64;
        self.counts.timed_batches += timed;
        self.events += from as u64 + begun;
    }

    /// Discards starts, which may not belong to the next end.
    fn lost(&mut self) {
        self.begun.near.clear();
        self.begun.far.clear();
    }
}
