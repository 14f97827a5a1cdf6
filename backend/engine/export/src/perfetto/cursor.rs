//! One event table, row by row.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_buffer::ScalarBuffer;
use numalens_bundle::Error;
use numalens_core::EngineError;
use numalens_core::columns::u32s;
use numalens_core::ipc::{BatchExtent, Bytes, IpcFile};
use numalens_events::{Span, batches_over};
use numalens_perfetto_packets::{Bundles, Rows, Table, Trace, Waking};

use super::tree::{END, Key};
use super::wakes::{WakeEvent, Wakes};

/// Readers take no larger number of a CPU; there is a list of what waits for each up to the largest.
const MOST_CPU: u32 = 1 << 16;

/// A table and where it is being read.
pub(super) struct Cursor {
    input: u32,
    file: IpcFile<Bytes>,
    table: Table,
    /// Meaning of its rows for wakeups.
    wake: Option<WakeEvent>,
    window: (u64, u64),
    /// Batches that may have rows of the window and were not read yet.
    batches: std::vec::IntoIter<usize>,
    part: Option<Part>,
}

/// A batch's rows inside the window.
struct Part {
    rows: Rows,
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    wakes: Option<Woken>,
    row: usize,
    end: usize,
}

/// Task of a row.
struct Woken {
    cpu: ScalarBuffer<u32>,
    thread: Option<ScalarBuffer<i32>>,
    pid: ScalarBuffer<i32>,
    comm: Option<StringArray>,
    prio: Option<ScalarBuffer<i32>>,
    target_cpu: Option<ScalarBuffer<i32>>,
}

impl Cursor {
    pub(super) fn new(
        input: u32,
        (file, extents): (IpcFile<Bytes>, &[BatchExtent]),
        table: Table,
        wake: Option<WakeEvent>,
        window: (u64, u64),
    ) -> Self {
        let wanted = Span::new(Some(window.0), window.1.checked_add(1));
        Self {
            input,
            file,
            table,
            wake,
            window,
            batches: batches_over(extents, wanted).into_iter(),
            part: None,
        }
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    /// The place of the next row; [`END`] after the last.
    #[inline]
    pub(super) fn key(&mut self) -> Result<Key, Error> {
        match &self.part {
            Some(part) if part.row < part.end => Ok(part.key(self.input)),
            _ => self.next_part(),
        }
    }

    #[cold]
    fn next_part(&mut self) -> Result<Key, Error> {
        for place in self.batches.by_ref() {
            let batch = self.file.batch(place)?;
            let (ts, seq) = (times(&batch, "ts_ns")?, times(&batch, "seq")?);
            let row = ts.partition_point(|&ts| ts < self.window.0);
            let end = ts.partition_point(|&ts| ts <= self.window.1);
            if row >= end {
                continue;
            }
            let cpus = u32s(&batch, "cpu");
            if cpus.is_some_and(|cpus| cpus.iter().any(|&cpu| cpu > MOST_CPU)) {
                let why = "an event table has a CPU that cannot be";
                return Err(EngineError::Damaged(why.to_owned()).into());
            }
            let rows = self.table.rows(&batch);
            let part = Part {
                rows: rows.map_err(|unfit| Error::Bundle(unfit.0.to_owned()))?,
                ts,
                seq,
                wakes: self.wake.and_then(|wake| Woken::of(&batch, wake)),
                row,
                end,
            };
            let key = part.key(self.input);
            self.part = Some(part);
            return Ok(key);
        }
        self.part = None;
        Ok(END)
    }

    /// Writes the next row, and those after it that come before `limit`, as far as they are at hand; gives their number.
    #[inline]
    pub(super) fn write(
        &mut self,
        limit: Key,
        trace: &mut Trace,
        bundles: &mut Bundles,
        wakes: &mut Wakes,
    ) -> u64 {
        let Some(part) = &mut self.part else {
            return 0;
        };
        let first = part.row;
        loop {
            let row = part.row;
            if let (Some(wake), Some(woken)) = (self.wake, &part.wakes)
                && wakes.is_to_be_made(wake, woken.pid[row])
            {
                bundles.push_waking(trace, &woken.made(row, part.ts[row]));
            }
            bundles.push(trace, &mut part.rows, row);
            part.row += 1;
            if part.row >= part.end || part.key(self.input) >= limit {
                return (part.row - first) as u64;
            }
        }
    }
}

impl Part {
    #[inline]
    fn key(&self, input: u32) -> Key {
        (self.ts[self.row], input, self.seq[self.row])
    }
}

impl Woken {
    fn of(batch: &RecordBatch, wake: WakeEvent) -> Option<Self> {
        let numbers = |name: &str| {
            let column = batch.column_by_name(name)?;
            Some(column.as_primitive_opt::<Int32Type>()?.values().clone())
        };
        let cpu = batch.column_by_name("cpu")?;
        Some(Self {
            cpu: cpu.as_primitive_opt::<UInt32Type>()?.values().clone(),
            thread: numbers("common_pid"),
            pid: numbers(wake.pid_column())?,
            comm: batch
                .column_by_name("comm")
                .and_then(|column| column.as_string_opt().cloned()),
            prio: numbers("prio"),
            target_cpu: numbers("target_cpu"),
        })
    }

    fn made(&self, row: usize, ts_ns: u64) -> Waking<'_> {
        let of =
            |column: &Option<ScalarBuffer<i32>>| column.as_ref().map_or(0, |column| column[row]);
        Waking {
            ts_ns,
            cpu: self.cpu[row],
            thread: of(&self.thread),
            pid: self.pid[row],
            comm: self
                .comm
                .as_ref()
                .map_or(b"", |comm| comm.value(row).as_bytes()),
            prio: of(&self.prio),
            target_cpu: of(&self.target_cpu),
        }
    }
}

/// A column of times or ranks.
pub(super) fn times(batch: &RecordBatch, name: &str) -> Result<ScalarBuffer<u64>, Error> {
    batch
        .column_by_name(name)
        .and_then(|column| column.as_primitive_opt::<UInt64Type>())
        .filter(|column| column.null_count() == 0)
        .map(|column| column.values().clone())
        .ok_or_else(|| EngineError::Damaged("an event table has no times".to_owned()).into())
}
