//! The log of the idle load balancer's events: rows, writer, reader.

use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, Columns, between, table};
use numalens_core::{EngineError, Output};
use numalens_events::IlbKind;

use crate::log::Log;

/// The log's file.
pub const EVENTS_FILE: &str = "ilb/events.arrow";
/// Number of rows of a batch, small enough to stay in the processor's cache while it is filled.
const BATCH_ROWS: usize = 1 << 13;

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IlbRow {
    /// Time, ns of the reference clock; ascends from row to row.
    pub ts_ns: u64,
    /// The CPU that recorded it.
    pub cpu: u32,
    /// Kind of event.
    pub kind: IlbKind,
    /// The CPU it is about: who is kicked or balanced, or where a task goes.
    pub subject: u32,
    /// Value that depends on the kind.
    ///
    /// - `IlbKind::Trigger`: runnable tasks, + [`NR_KNOWN`] when known, + [`IDLE`] when `rq->idle_balance` is.
    /// - `IlbKind::Arrive`, `IlbKind::Pass`, `IlbKind::Kick`: flags, + [`NR_KNOWN`] when known.
    /// - `IlbKind::TickStop`: success.
    /// - `IlbKind::Leave`: whether the tick was stopped.
    /// - `IlbKind::CpuIdle`: the state.
    /// - `IlbKind::Migrate`: pid.
    /// - `IlbKind::Search`: `enum cpu_idle_type`, + [`NR_KNOWN`] when known.
    /// - `IlbKind::SearchEnd`, `IlbKind::NewIdleEnd`: pulled tasks, + [`NR_KNOWN`] when known.
    /// - `IlbKind::Averages`: `util_avg`, and from bit 32 on `runnable_avg`.
    /// - `IlbKind::NrRunning`: tasks.
    /// - `IlbKind::Nohz`: jiffies until `nohz.next_balance`, less than 0 when it is past.
    /// - `IlbKind::Lost`: end of the time without events, ns.
    pub a: u64,
    /// Second value that depends on the kind.
    ///
    /// - [`IlbKind::Trigger`]: `rq->next_balance`, 0 when not known.
    /// - [`IlbKind::Migrate`]: source CPU.
    /// - [`IlbKind::Pass`]: [`OUTSIDE`] when outside of a softirq, since the log lacks some softirqs' ends.
    /// - [`IlbKind::Nohz`]: [`BLOCKED_DUE`], [`UPDATE_DUE`], [`SHORT`].
    /// - [`IlbKind::Search`]: CPUs of the domain, 0 when not known.
    /// - [`IlbKind::Averages`]: `util_est`, and from bit 32 on the CPU's capacity, 0 when only `util_est` is read.
    pub b: u64,
}

/// The numbers in [`IlbRow::a`] are known.
pub const NR_KNOWN: u64 = 1 << 32;
/// `rq->idle_balance` in [`IlbRow::a`].
pub const IDLE: u64 = 1 << 33;
/// In [`IlbRow::b`] of a pass: the CPU was in no SCHED softirq.
pub const OUTSIDE: u64 = 1;
/// In [`IlbRow::b`] of the balancer's state: blocked load is to be updated (`nohz.has_blocked`, `nohz.next_blocked`).
pub const BLOCKED_DUE: u64 = 1;
/// `nohz.next_balance` is to be updated (`nohz.needs_update`).
pub const UPDATE_DUE: u64 = 2;
/// Interrupts and other classes leave the CPU so little capacity that it counts as in need (`check_cpu_capacity`).
pub const SHORT: u64 = 4;

table! {
    /// A row of `ilb/events.arrow`.
    Stored, StoredColumns, ts_ns, {
        ts_ns: u64,
        a: u64,
        b: u64,
        cpu: u32,
        subject: u32,
        kind: u8,
    }
}

impl Stored {
    /// Returns the row; `None` for an unknown kind.
    #[inline]
    fn row(self) -> Option<IlbRow> {
        Some(IlbRow {
            ts_ns: self.ts_ns,
            cpu: self.cpu,
            kind: IlbKind::of_number(self.kind)?,
            subject: self.subject,
            a: self.a,
            b: self.b,
        })
    }
}

/// Writes the log.
pub struct EventsWriter(Log<StoredColumns, BATCH_ROWS>);

impl EventsWriter {
    /// Begins the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: Output) -> Result<Self, EngineError> {
        Log::new(out).map(Self)
    }

    /// Takes the next row; times ascend.
    ///
    /// # Errors
    /// The file cannot be written.
    #[inline]
    pub fn push(&mut self, row: &IlbRow) -> Result<(), EngineError> {
        self.0.add(Stored {
            ts_ns: row.ts_ns,
            a: row.a,
            b: row.b,
            cpu: row.cpu,
            subject: row.subject,
            kind: row.kind as u8,
        })
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> Result<(), EngineError> {
        self.0.finish()
    }
}

/// The log, ready to be read.
#[derive(Debug)]
pub struct Events(Batches<StoredColumns>);

impl Events {
    /// Opens the file's bytes.
    ///
    /// # Errors
    /// They are not those of this log.
    pub fn open(bytes: impl Into<Bytes>) -> Result<Self, EngineError> {
        Ok(Self(Batches::open(
            bytes,
            "the idle load balancer's events",
        )?))
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.rows()
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A place before the first row of [`from`, `to`].
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn cursor(&self, from: u64, to: u64) -> Result<Cursor<'_>, EngineError> {
        let first = self.0.partition(|batch| batch.last_ns < from);
        let past = self.0.partition(|batch| batch.first_ns <= to);
        let batches = self.0.range(first..past)?;
        let row = batches.first().map_or(0, |found| {
            found.ts_ns.partition_point(|&ts_ns| ts_ns < from)
        });
        let mut cursor = Cursor {
            batches,
            batch: 0,
            row,
            to,
            next_ns: u64::MAX,
        };
        cursor.next_ns = cursor.turn();
        Ok(cursor)
    }

    /// The rows of times in [`from`, `to`], ascending. Rows of kinds that are not known are left out.
    ///
    /// # Errors
    /// They could not be read.
    pub fn rows(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = IlbRow> + '_, EngineError> {
        Ok(between(&self.0, from, to)?.filter_map(Stored::row))
    }
}

/// A position in the log, for loops that read another log in parallel.
#[derive(Debug)]
pub struct Cursor<'a> {
    batches: Vec<&'a StoredColumns>,
    batch: usize,
    row: usize,
    to: u64,
    /// Time of the next row, ns; as late as can be when there is none up to `to`.
    next_ns: u64,
}

impl Cursor<'_> {
    /// Time of the next row, ns; as late as can be when there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// The next row. `None` at the end, and for a row of a kind that is not known.
    #[inline]
    pub fn take(&mut self) -> Option<IlbRow> {
        let batch = *self.batches.get(self.batch)?;
        if self.row >= batch.rows() {
            return None;
        }
        let row = batch.get(self.row);
        self.row += 1;
        self.next_ns = match batch.ts_ns.get(self.row) {
            Some(&next) if next <= self.to => next,
            _ => self.turn(),
        };
        row.row()
    }

    /// Goes to the next batch that has a row, if that is needed; the time of the next row.
    #[cold]
    fn turn(&mut self) -> u64 {
        while let Some(batch) = self.batches.get(self.batch) {
            if let Some(&next) = batch.ts_ns.get(self.row) {
                return if next <= self.to { next } else { u64::MAX };
            }
            self.batch += 1;
            self.row = 0;
        }
        u64::MAX
    }
}
