//! The log of page migrations: calls in runs. A fault brings one page, and a task that faults does so many times in a row, so
//! what its calls have in common is kept once.

use std::ops::Range;

use numalens_core::EngineError;
use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, Columns, table};

use super::PageBatch;

/// Runs of calls that migrated pages, by their first ends; batch by batch those of [`PAGES_FILE`].
pub const PAGE_RUNS_FILE: &str = "numa/page_runs.arrow";
/// The calls, ordered by end.
pub const PAGES_FILE: &str = "numa/pages.arrow";

/// A longer run is stored as several.
const RUN_CALLS: usize = 1 << 10;

table! {
    /// A row of `numa/page_runs.arrow`.
    StoredRun, RunColumns, first_ns, {
        first_ns: u64,
        /// Number of its rows in `numa/pages.arrow`, which are adjacent.
        calls: u32,
        cpu: u32,
        pid: i32,
        src_nid: i32,
        dst_nid: i32,
        reason: u8,
        mode: u8,
    }
}

table! {
    /// A row of `numa/pages.arrow`.
    StoredCall, CallColumns, end_ns, {
        end_ns: u64,
        /// Time from start to end, ns; [`UNKNOWN`] when the start is not recorded.
        took_ns: u64,
        /// Pages; more than fit are stored as so many.
        succeeded: u32,
        failed: u32,
    }
}

/// Start not recorded.
const UNKNOWN: u64 = u64::MAX;

/// Common part of the calls of a run; see [`PageBatch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRun {
    /// The CPU.
    pub cpu: u32,
    /// The task.
    pub pid: i32,
    /// Number of the reason.
    pub reason: u8,
    /// Number of the mode.
    pub mode: u8,
    /// Source node, -1 when not recorded.
    pub src_nid: i32,
    /// Target node, -1 when not recorded.
    pub dst_nid: i32,
}

impl PageRun {
    /// Returns the run of a call.
    #[must_use]
    #[inline]
    pub fn of(call: &PageBatch) -> Self {
        Self {
            cpu: call.cpu,
            pid: call.pid,
            reason: call.reason,
            mode: call.mode,
            src_nid: call.src_nid,
            dst_nid: call.dst_nid,
        }
    }
}

/// Calls of one run, all columns equally long.
#[derive(Debug, Clone, Copy)]
pub struct PageCalls<'a> {
    end_ns: &'a [u64],
    took_ns: &'a [u64],
    succeeded: &'a [u32],
    failed: &'a [u32],
}

impl<'a> PageCalls<'a> {
    /// Number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.end_ns.len()
    }

    /// Returns whether there are no calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.end_ns.is_empty()
    }

    /// Ends of the calls, ns; ascending.
    #[must_use]
    pub fn end_ns(&self) -> &'a [u64] {
        self.end_ns
    }

    /// Durations of the calls, ns; `None` when the start is not recorded.
    pub fn took_ns(&self) -> impl Iterator<Item = Option<u64>> + Clone + use<'a> {
        self.took_ns.iter().map(|&ns| (ns != UNKNOWN).then_some(ns))
    }

    /// Pages that each migrated.
    #[must_use]
    pub fn succeeded(&self) -> &'a [u32] {
        self.succeeded
    }

    /// Pages that each could not migrate.
    #[must_use]
    pub fn failed(&self) -> &'a [u32] {
        self.failed
    }

    /// The first so many, and the others.
    #[must_use]
    pub fn split_at(&self, at: usize) -> (Self, Self) {
        let at = at.min(self.len());
        (self.slice(0..at), self.slice(at..self.len()))
    }

    fn slice(&self, at: Range<usize>) -> Self {
        Self {
            end_ns: &self.end_ns[at.clone()],
            took_ns: &self.took_ns[at.clone()],
            succeeded: &self.succeeded[at.clone()],
            failed: &self.failed[at],
        }
    }

    /// One by one.
    pub fn iter(self, run: PageRun) -> impl Iterator<Item = PageBatch> + 'a {
        let times = self.end_ns.iter().zip(self.took_ns);
        let pages = self.succeeded.iter().zip(self.failed);
        times.zip(pages).map(
            move |((&end_ns, &took_ns), (&succeeded, &failed))| PageBatch {
                start_ns: (took_ns != UNKNOWN).then(|| end_ns.saturating_sub(took_ns)),
                end_ns,
                cpu: run.cpu,
                pid: run.pid,
                succeeded: u64::from(succeeded),
                failed: u64::from(failed),
                reason: run.reason,
                mode: run.mode,
                src_nid: run.src_nid,
                dst_nid: run.dst_nid,
            },
        )
    }
}

/// Calls in memory, as a log has them.
#[derive(Debug, Clone, Default)]
pub struct PageLog {
    pub(super) runs: Vec<(PageRun, usize)>,
    pub(super) end_ns: Vec<u64>,
    pub(super) took_ns: Vec<u64>,
    pub(super) succeeded: Vec<u32>,
    pub(super) failed: Vec<u32>,
}

/// Calls that are written together: where they lie, and what is taken as it is.
pub(super) struct Together<'a, T> {
    pub(super) rows: Range<usize>,
    pub(super) end_ns: T,
    pub(super) succeeded: &'a [i64],
    pub(super) failed: &'a [i64],
}

/// Adds so many calls of a run.
fn add(runs: &mut Vec<(PageRun, usize)>, run: PageRun, mut calls: usize) {
    if let Some((_, last)) = runs.last_mut().filter(|(last, _)| *last == run) {
        let more = calls.min(RUN_CALLS - *last);
        *last += more;
        calls -= more;
    }
    while calls > 0 {
        let now = calls.min(RUN_CALLS);
        runs.push((run, now));
        calls -= now;
    }
}

impl PageLog {
    /// Takes the next call; their ends ascend.
    #[inline]
    pub fn push(&mut self, call: &PageBatch) {
        let run = PageRun::of(call);
        match self.runs.last_mut() {
            Some((last, calls)) if *last == run && *calls < RUN_CALLS => *calls += 1,
            _ => self.runs.push((run, 1)),
        }
        let took = |start| call.end_ns.saturating_sub(start);
        self.end_ns.push(call.end_ns);
        self.took_ns.push(call.start_ns.map_or(UNKNOWN, took));
        self.succeeded.push(count(call.succeeded));
        self.failed.push(count(call.failed));
    }

    /// Appends several calls, the first one of `run`, with ascending ends. `call` returns the duration of each call in turn,
    /// and the run that starts with it, if any.
    pub(super) fn extend(
        &mut self,
        run: PageRun,
        calls: Together<'_, impl Iterator<Item = u64>>,
        mut call: impl FnMut(usize) -> (Option<PageRun>, Option<u64>),
    ) {
        let Together { rows, end_ns, .. } = calls;
        let (mut run, mut since, until) = (run, rows.start, rows.end);
        let runs = &mut self.runs;
        let took = rows.map(|row| {
            let (turned, took) = call(row);
            if let Some(other) = turned {
                add(runs, run, row - since);
                (run, since) = (other, row);
            }
            took.unwrap_or(UNKNOWN)
        });
        self.took_ns.extend(took);
        add(runs, run, until - since);
        self.end_ns.extend(end_ns);
        let count = |&pages: &i64| count(pages as u64);
        self.succeeded.extend(calls.succeeded.iter().map(count));
        self.failed.extend(calls.failed.iter().map(count));
    }

    /// All runs.
    pub fn runs(&self) -> impl Iterator<Item = (PageRun, PageCalls<'_>)> {
        let mut rest = PageCalls {
            end_ns: &self.end_ns,
            took_ns: &self.took_ns,
            succeeded: &self.succeeded,
            failed: &self.failed,
        };
        self.runs.iter().map(move |&(run, calls)| {
            let (now, later) = rest.split_at(calls);
            rest = later;
            (run, now)
        })
    }
}

impl FromIterator<PageBatch> for PageLog {
    fn from_iter<I: IntoIterator<Item = PageBatch>>(calls: I) -> Self {
        let mut log = Self::default();
        calls.into_iter().for_each(|call| log.push(&call));
        log
    }
}

/// The kernel counts them as an `unsigned int`.
fn count(pages: u64) -> u32 {
    u32::try_from(pages).unwrap_or(u32::MAX)
}

/// The page migrations by their ends.
#[derive(Debug)]
pub struct Pages {
    runs: Batches<RunColumns>,
    /// Batches of the calls, the same as those of the runs.
    calls: Batches<CallColumns>,
}

impl Pages {
    /// Opens the bytes of both files.
    ///
    /// # Errors
    /// They are not those of this log, or do not belong together.
    pub fn open(runs: impl Into<Bytes>, calls: impl Into<Bytes>) -> Result<Self, EngineError> {
        let runs = Batches::open(runs, "runs of page migrations")?;
        let calls = Batches::open(calls, "page migrations")?;
        if runs.count() != calls.count() {
            return Err(other_calls());
        }
        Ok(Self { runs, calls })
    }

    /// Number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.calls.rows()
    }

    /// Returns whether there are no calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The runs with the calls that ended in [`from`, `to`], in ascending time; none is empty.
    ///
    /// # Errors
    /// They could not be read, or do not belong together.
    pub fn runs(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = (PageRun, PageCalls<'_>)>, EngineError> {
        let first = self.calls.partition(|calls| calls.last_ns < from);
        let past = self.calls.partition(|calls| calls.first_ns <= to);
        let runs = self.runs.range(first..past)?.into_iter();
        let batches: Vec<_> = runs.zip(self.calls.range(first..past)?).collect();
        let fits = |(runs, calls): &(&RunColumns, &CallColumns)| {
            let calls_of_runs: u64 = runs.calls.iter().map(|&calls| u64::from(calls)).sum();
            calls_of_runs == calls.rows() as u64
        };
        if !batches.iter().all(fits) {
            return Err(other_calls());
        }
        Ok(batches.into_iter().flat_map(move |(runs, calls)| {
            let all = PageCalls {
                end_ns: &calls.end_ns,
                took_ns: &calls.took_ns,
                succeeded: &calls.succeeded,
                failed: &calls.failed,
            };
            let begin = calls.end_ns.partition_point(|&end| end < from);
            let until = calls.end_ns.partition_point(|&end| end <= to);
            let mut next = 0;
            (0..runs.rows()).filter_map(move |row| {
                let at = next;
                next += runs.calls[row] as usize;
                let wanted = at.max(begin)..next.min(until);
                (!wanted.is_empty()).then(|| (runs.run(row), all.slice(wanted)))
            })
        }))
    }

    /// The calls that ended in [`from`, `to`], in ascending time.
    ///
    /// # Errors
    /// As for [`Self::runs`].
    pub fn rows(&self, from: u64, to: u64) -> Result<impl Iterator<Item = PageBatch>, EngineError> {
        let runs = self.runs(from, to)?;
        Ok(runs.flat_map(|(run, calls)| calls.iter(run)))
    }

    /// Calls `row` with each of [`Self::rows`].
    ///
    /// # Errors
    /// As for [`Self::runs`].
    pub fn scan(
        &self,
        from: u64,
        to: u64,
        mut row: impl FnMut(&PageBatch),
    ) -> Result<(), EngineError> {
        self.rows(from, to)?.for_each(|call| row(&call));
        Ok(())
    }
}

fn other_calls() -> EngineError {
    EngineError::Damaged("the runs of page migrations have other calls".to_owned())
}

impl RunColumns {
    #[inline]
    fn run(&self, row: usize) -> PageRun {
        let stored = self.get(row);
        PageRun {
            cpu: stored.cpu,
            pid: stored.pid,
            reason: stored.reason,
            mode: stored.mode,
            src_nid: stored.src_nid,
            dst_nid: stored.dst_nid,
        }
    }
}
