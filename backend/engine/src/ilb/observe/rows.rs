//! The log of the idle load balancer's events: rows, writer, reader.

use std::io::Write;

use arrow_buffer::Buffer;
use arrow_ipc::writer::FileWriter;

use super::IlbKind;
use crate::EngineError;
use crate::rows::{Columns, open_all, table};

/// The log's file.
pub const EVENTS_FILE: &str = "ilb/events.arrow";
/// So few that a batch stays in the processor's cache while it is filled.
const BATCH_ROWS: usize = 1 << 13;

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IlbRow {
    /// When, ns of the reference clock; ascends from row to row.
    pub ts_ns: u64,
    /// The CPU that recorded it.
    pub cpu: u32,
    /// What it is.
    pub kind: IlbKind,
    /// The CPU it is about: who is kicked or balanced, or where a task goes.
    pub subject: u32,
    /// [`IlbKind::Trigger`]: runnable tasks, + [`NR_TOLD`] when told, + [`IDLE`] when `rq->idle_balance` is;
    /// [`IlbKind::Arrive`], [`IlbKind::Pass`], [`IlbKind::Kick`]: flags, + [`NR_TOLD`] when told; [`IlbKind::TickStop`]:
    /// success; [`IlbKind::Leave`]: whether the tick was stopped; [`IlbKind::CpuIdle`]: the state; [`IlbKind::Migrate`]: pid;
    /// [`IlbKind::Lost`]: until when events are missing, ns.
    pub a: u64,
    /// [`IlbKind::Trigger`]: `rq->next_balance`, 0 when not told; [`IlbKind::Migrate`]: whence; [`IlbKind::Pass`]:
    /// [`OUTSIDE`] when it is, for the log has not every softirq's end.
    pub b: u64,
}

/// The numbers in [`IlbRow::a`] are told.
pub const NR_TOLD: u64 = 1 << 32;
/// `rq->idle_balance` in [`IlbRow::a`].
pub const IDLE: u64 = 1 << 33;
/// In [`IlbRow::b`] of a pass: the CPU was in no SCHED softirq.
pub const OUTSIDE: u64 = 1;

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

/// Writes the log.
pub struct EventsWriter {
    writer: FileWriter<Box<dyn Write>>,
    rows: Vec<Stored>,
}

impl EventsWriter {
    /// Begins the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: Box<dyn Write>) -> Result<Self, EngineError> {
        Ok(Self {
            writer: FileWriter::try_new(out, &StoredColumns::schema())?,
            rows: Vec::with_capacity(BATCH_ROWS),
        })
    }

    /// Takes the next row; times ascend.
    ///
    /// # Errors
    /// The file cannot be written.
    #[inline]
    pub fn push(&mut self, row: &IlbRow) -> Result<(), EngineError> {
        self.rows.push(Stored {
            ts_ns: row.ts_ns,
            a: row.a,
            b: row.b,
            cpu: row.cpu,
            subject: row.subject,
            kind: row.kind as u8,
        });
        if self.rows.len() >= BATCH_ROWS {
            self.write()?;
        }
        Ok(())
    }

    #[cold]
    fn write(&mut self) -> Result<(), EngineError> {
        if !self.rows.is_empty() {
            self.writer.write(&StoredColumns::batch(&[&self.rows])?)?;
            self.rows.clear();
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> Result<(), EngineError> {
        self.write()?;
        self.writer.finish()?;
        self.writer.get_mut().flush()?;
        Ok(())
    }
}

/// The log, ready to be read.
#[derive(Debug)]
pub struct Events(Vec<StoredColumns>);

impl Events {
    /// Opens the file's bytes.
    ///
    /// # Errors
    /// They are not those of this log.
    pub fn open(bytes: Buffer) -> Result<Self, EngineError> {
        Ok(Self(open_all(bytes, "the idle load balancer's events")?))
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(Columns::rows).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A place before the first row of [`from`, `to`].
    pub(in crate::ilb) fn cursor(&self, from: u64, to: u64) -> Cursor<'_> {
        let batches = self.0.as_slice();
        let batch = batches.partition_point(|batch| {
            let rows = batch.rows();
            rows == 0 || batch.ts_ns[rows - 1] < from
        });
        let row = batches.get(batch).map_or(0, |found| {
            found.ts_ns.partition_point(|&ts_ns| ts_ns < from)
        });
        let mut cursor = Cursor {
            batches,
            batch,
            row,
            to,
            next_ns: u64::MAX,
        };
        cursor.next_ns = cursor.turn();
        cursor
    }

    /// The rows of times in [`from`, `to`], ascending. Rows of kinds that are not known are left out.
    pub fn iter(&self, from: u64, to: u64) -> impl Iterator<Item = IlbRow> + '_ {
        let first = self.0.partition_point(|batch| {
            let rows = batch.rows();
            rows == 0 || batch.get(rows - 1).ts_ns < from
        });
        let batches = self.0.get(first..).unwrap_or_default();
        let rows = batches
            .iter()
            .flat_map(|batch| (0..batch.rows()).map(|at| batch.get(at)));
        rows.skip_while(move |row| row.ts_ns < from)
            .take_while(move |row| row.ts_ns <= to)
            .filter_map(|row| {
                Some(IlbRow {
                    ts_ns: row.ts_ns,
                    cpu: row.cpu,
                    kind: IlbKind::of_number(row.kind)?,
                    subject: row.subject,
                    a: row.a,
                    b: row.b,
                })
            })
    }
}

/// A place in the log, for loops that read something else in step with it.
#[derive(Debug)]
pub(in crate::ilb) struct Cursor<'a> {
    batches: &'a [StoredColumns],
    batch: usize,
    row: usize,
    to: u64,
    /// Time of the next row, ns; as late as can be when there is none up to `to`.
    next_ns: u64,
}

impl Cursor<'_> {
    /// Time of the next row, ns; as late as can be when there is none.
    #[inline]
    pub(in crate::ilb) fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// The next row. `None` at the end, and for a row of a kind that is not known.
    #[inline]
    pub(in crate::ilb) fn take(&mut self) -> Option<IlbRow> {
        let batch = self.batches.get(self.batch)?;
        if self.row >= batch.rows() {
            return None;
        }
        let row = batch.get(self.row);
        self.row += 1;
        self.next_ns = match batch.ts_ns.get(self.row) {
            Some(&next) if next <= self.to => next,
            _ => self.turn(),
        };
        Some(IlbRow {
            ts_ns: row.ts_ns,
            cpu: row.cpu,
            kind: IlbKind::of_number(row.kind)?,
            subject: row.subject,
            a: row.a,
            b: row.b,
        })
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
