//! The events of all tables in their order: time, input, rank in the input.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_buffer::ScalarBuffer;
use numalens_engine::ipc::IpcFile;
use numalens_perfetto_packets::{Bundles, Rows, Table, Trace};

use crate::bundle::{LOST, Open};
use crate::error::Error;
use crate::storage::Pieces;

/// Place of an event among all.
type Key = (u64, u32, u64);

/// All events of a window, and the marks of lost ones.
pub(super) struct Events {
    tables: Vec<Cursor>,
    /// The next event of each table that has one.
    next: BinaryHeap<Reverse<(Key, usize)>>,
    /// Marks of lost events with their CPUs, the last first.
    lost: Vec<(Key, u32)>,
    bundles: Bundles,
    written: u64,
}

impl Events {
    /// Opens the tables, and describes the events that Perfetto does not know.
    pub(super) fn open(
        bundle: &Open,
        window: (u64, u64),
        trace: &mut Trace,
    ) -> Result<Self, Error> {
        let mut tables = Vec::new();
        let mut next = BinaryHeap::new();
        for (place, stored) in bundle.tables.iter().enumerate() {
            let file = IpcFile::open(Pieces::open(&bundle.folder.join(&stored.file))?, None)?;
            let table = Table::new(&stored.system, &stored.event, file.schema(), place as u32);
            let mut cursor = Cursor::new(stored.input, file, table, window)?;
            if let Some(key) = cursor.key()? {
                next.push(Reverse((key, tables.len())));
                Bundles::describe(trace, &cursor.table);
                tables.push(cursor);
            }
        }
        Ok(Self {
            tables,
            next,
            lost: lost(bundle, window)?,
            bundles: Bundles::new(),
            written: 0,
        })
    }

    /// Writes until `bytes` are there to be taken; false when no event is left.
    pub(super) fn some(&mut self, trace: &mut Trace, bytes: usize) -> Result<bool, Error> {
        while trace.pending() < bytes {
            let Some(mut first) = self.next.peek_mut() else {
                return Ok(false);
            };
            let Reverse((key, at)) = *first;
            while self.lost.last().is_some_and(|(mark, _)| *mark <= key) {
                if let Some((_, cpu)) = self.lost.pop() {
                    self.bundles.lost(trace, cpu);
                }
            }
            let table = &mut self.tables[at];
            table.write(trace, &mut self.bundles);
            self.written += 1;
            match table.key()? {
                Some(key) => *first = Reverse((key, at)),
                None => drop(PeekMut::pop(first)),
            }
        }
        Ok(true)
    }

    /// Writes what is left in the bundles, and gives the number of all events.
    pub(super) fn finish(mut self, trace: &mut Trace) -> u64 {
        while let Some((_, cpu)) = self.lost.pop() {
            self.bundles.lost(trace, cpu);
        }
        self.bundles.finish(trace);
        self.written
    }
}

/// One table, row by row.
struct Cursor {
    input: u32,
    file: IpcFile<Pieces>,
    table: Table,
    window: (u64, u64),
    batch: usize,
    part: Option<Part>,
}

/// A batch's rows inside the window.
struct Part {
    rows: Rows,
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    row: usize,
    end: usize,
}

impl Cursor {
    fn new(
        input: u32,
        file: IpcFile<Pieces>,
        table: Table,
        window: (u64, u64),
    ) -> Result<Self, Error> {
        let (mut low, mut high) = (0, file.batches());
        // The last batch that begins before the window: halves the batches, since each one read is large.
        while window.0 > 0 && low < high {
            let middle = low + (high - low) / 2;
            let begins = times(&file.batch(middle)?, "ts_ns")?.first().copied();
            if begins.is_some_and(|ts| ts < window.0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(Self {
            input,
            file,
            table,
            window,
            batch: low.saturating_sub(1),
            part: None,
        })
    }

    /// The place of the next row.
    fn key(&mut self) -> Result<Option<Key>, Error> {
        loop {
            if let Some(part) = &self.part
                && part.row < part.end
            {
                return Ok(Some((part.ts[part.row], self.input, part.seq[part.row])));
            }
            if self.batch >= self.file.batches() {
                return Ok(None);
            }
            let batch = self.file.batch(self.batch)?;
            self.batch += 1;
            let (ts, seq) = (times(&batch, "ts_ns")?, times(&batch, "seq")?);
            let row = ts.partition_point(|&ts| ts < self.window.0);
            let end = ts.partition_point(|&ts| ts <= self.window.1);
            if row == ts.len() {
                continue;
            }
            if row >= end {
                self.batch = self.file.batches();
                return Ok(None);
            }
            let rows = self.table.rows(&batch);
            self.part = Some(Part {
                rows: rows.map_err(|unfit| Error::Bundle(unfit.0.to_owned()))?,
                ts,
                seq,
                row,
                end,
            });
        }
    }

    /// Writes the next row.
    fn write(&mut self, trace: &mut Trace, bundles: &mut Bundles) {
        if let Some(part) = &mut self.part {
            bundles.push(trace, &part.rows, part.row);
            part.row += 1;
        }
    }
}

/// The marks of lost events inside the window, the last first.
fn lost(bundle: &Open, window: (u64, u64)) -> Result<Vec<(Key, u32)>, Error> {
    let mut found = Vec::new();
    let mut inputs: Vec<u32> = bundle.tables.iter().map(|table| table.input).collect();
    inputs.sort_unstable();
    inputs.dedup();
    for input in inputs {
        let path = bundle.folder.join(LOST).join(format!("{input}.arrow"));
        if !path.exists() {
            continue;
        }
        for batch in IpcFile::open(Pieces::open(&path)?, None)?.into_batches() {
            let batch = batch?;
            let (ts, seq) = (times(&batch, "ts_ns")?, times(&batch, "seq")?);
            let cpus = batch.column_by_name("cpu");
            let Some(cpus) = cpus.and_then(|column| column.as_primitive_opt::<UInt32Type>()) else {
                continue;
            };
            for row in 0..batch.num_rows() {
                if (window.0..=window.1).contains(&ts[row]) {
                    found.push(((ts[row], input, seq[row]), cpus.value(row)));
                }
            }
        }
    }
    found.sort_unstable_by_key(|mark| Reverse(*mark));
    Ok(found)
}

fn times(batch: &RecordBatch, name: &str) -> Result<ScalarBuffer<u64>, Error> {
    batch
        .column_by_name(name)
        .and_then(|column| column.as_primitive_opt::<UInt64Type>())
        .filter(|column| column.null_count() == 0)
        .map(|column| column.values().clone())
        .ok_or_else(|| Error::Bundle("an event table has no times".to_owned()))
}
