//! The log of the idle load balancer's events: rows, writer, reader.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt8Array, UInt32Array, UInt64Array};
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
    /// [`IlbKind::Trigger`]: `rq->next_balance`, 0 when not told; [`IlbKind::Migrate`]: whence.
    pub b: u64,
}

/// The numbers in [`IlbRow::a`] are told.
pub const NR_TOLD: u64 = 1 << 32;
/// `rq->idle_balance` in [`IlbRow::a`].
pub const IDLE: u64 = 1 << 33;

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

/// Rows that go into one batch, column by column.
struct Batch {
    ts_ns: Vec<u64>,
    a: Vec<u64>,
    b: Vec<u64>,
    cpu: Vec<u32>,
    subject: Vec<u32>,
    kind: Vec<u8>,
}

impl Batch {
    fn new() -> Self {
        Self {
            ts_ns: Vec::with_capacity(BATCH_ROWS),
            a: Vec::with_capacity(BATCH_ROWS),
            b: Vec::with_capacity(BATCH_ROWS),
            cpu: Vec::with_capacity(BATCH_ROWS),
            subject: Vec::with_capacity(BATCH_ROWS),
            kind: Vec::with_capacity(BATCH_ROWS),
        }
    }

    /// What was put in, in the order of [`Stored`].
    fn take(&mut self) -> Result<RecordBatch, EngineError> {
        let Self {
            ts_ns,
            a,
            b,
            cpu,
            subject,
            kind,
        } = std::mem::replace(self, Self::new());
        let columns: Vec<ArrayRef> = vec![
            Arc::new(UInt64Array::from(ts_ns)),
            Arc::new(UInt64Array::from(a)),
            Arc::new(UInt64Array::from(b)),
            Arc::new(UInt32Array::from(cpu)),
            Arc::new(UInt32Array::from(subject)),
            Arc::new(UInt8Array::from(kind)),
        ];
        Ok(RecordBatch::try_new(StoredColumns::schema(), columns)?)
    }
}

/// Writes the log.
pub struct EventsWriter {
    writer: FileWriter<Box<dyn Write>>,
    rows: Batch,
}

impl EventsWriter {
    /// Begins the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: Box<dyn Write>) -> Result<Self, EngineError> {
        Ok(Self {
            writer: FileWriter::try_new(out, &StoredColumns::schema())?,
            rows: Batch::new(),
        })
    }

    /// Takes the next row; times ascend.
    ///
    /// # Errors
    /// The file cannot be written.
    #[inline]
    pub fn push(&mut self, row: &IlbRow) -> Result<(), EngineError> {
        let rows = &mut self.rows;
        rows.ts_ns.push(row.ts_ns);
        rows.a.push(row.a);
        rows.b.push(row.b);
        rows.cpu.push(row.cpu);
        rows.subject.push(row.subject);
        rows.kind.push(row.kind as u8);
        if rows.ts_ns.len() >= BATCH_ROWS {
            self.write()?;
        }
        Ok(())
    }

    #[cold]
    fn write(&mut self) -> Result<(), EngineError> {
        if !self.rows.ts_ns.is_empty() {
            self.writer.write(&self.rows.take()?)?;
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
        Cursor {
            batches,
            batch,
            row,
            to,
        }
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
}

impl Cursor<'_> {
    /// The next row when it is before a time. Rows of kinds that are not known are left out.
    #[inline]
    pub(in crate::ilb) fn next_before(&mut self, ts_ns: u64) -> Option<IlbRow> {
        let until = ts_ns.min(self.to.saturating_add(1));
        loop {
            let batch = self.batches.get(self.batch)?;
            let Some(&at) = batch.ts_ns.get(self.row) else {
                self.batch += 1;
                self.row = 0;
                continue;
            };
            if at >= until {
                return None;
            }
            let row = batch.get(self.row);
            self.row += 1;
            if let Some(kind) = IlbKind::of_number(row.kind) {
                return Some(IlbRow {
                    ts_ns: row.ts_ns,
                    cpu: row.cpu,
                    kind,
                    subject: row.subject,
                    a: row.a,
                    b: row.b,
                });
            }
        }
    }
}
