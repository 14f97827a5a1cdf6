//! The events of all tables in their order: time, input, rank in the input.

use std::cmp::Reverse;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use numalens_bundle::{Error, LOST, Open};
use numalens_core::ipc::IpcFile;
use numalens_perfetto_packets::{Bundles, Table, Trace};

use super::cursor::{Cursor, times};
use super::tree::{END, Key, Tree};
use super::wakes::{WakeEvent, Wakes};

/// All events of a window, and the marks of lost ones.
pub(super) struct Events {
    tables: Vec<Cursor>,
    tree: Tree,
    /// Marks of lost events with their CPUs, the latest first.
    lost: Vec<(Key, u32)>,
    bundles: Bundles,
    wakes: Wakes,
    written: u64,
}

/// Written events.
pub(super) struct Written {
    pub(super) events: u64,
    /// Requests to wake that no recording has, besides.
    pub(super) made: u64,
}

impl Events {
    /// Opens the tables, and describes the events that Perfetto does not know.
    pub(super) fn open(
        bundle: &Open,
        window: (u64, u64),
        trace: &mut Trace,
    ) -> Result<Self, Error> {
        let mut tables = Vec::new();
        let mut keys = Vec::new();
        for (place, stored) in bundle.tables.iter().enumerate() {
            let file = bundle.events(place, None)?;
            let table = Table::new(&stored.system, &stored.event, file.schema(), place as u32);
            let wake = WakeEvent::of(&stored.event).filter(|_| stored.system == "sched");
            let mut cursor = Cursor::new(
                stored.input,
                (file, bundle.extents(place)?),
                table,
                wake,
                window,
            );
            let key = cursor.key()?;
            if key != END {
                keys.push(key);
                Bundles::describe(trace, cursor.table());
                tables.push(cursor);
            }
        }
        Ok(Self {
            tables,
            tree: Tree::new(keys),
            lost: lost(bundle, window)?,
            bundles: Bundles::new(),
            wakes: Wakes::default(),
            written: 0,
        })
    }

    /// Writes until `bytes` are there to be taken; false when no event is left.
    pub(super) fn some(&mut self, trace: &mut Trace, bytes: usize) -> Result<bool, Error> {
        while trace.pending() < bytes {
            let Some((at, key)) = self.tree.first() else {
                return Ok(false);
            };
            let mut limit = self.tree.limit();
            while let Some(&(mark, cpu)) = self.lost.last() {
                if mark > key {
                    limit = limit.min(mark);
                    break;
                }
                self.lost.pop();
                self.bundles.lost(trace, cpu);
            }
            let table = &mut self.tables[at];
            self.written += table.write(limit, trace, &mut self.bundles, &mut self.wakes);
            let next = table.key()?;
            self.tree.replace(next);
        }
        Ok(true)
    }

    /// Writes what is left in the bundles.
    pub(super) fn finish(mut self, trace: &mut Trace) -> Written {
        while let Some((_, cpu)) = self.lost.pop() {
            self.bundles.lost(trace, cpu);
        }
        self.bundles.finish(trace);
        Written {
            events: self.written,
            made: self.wakes.made(),
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
        let name = format!("{LOST}/{input}.arrow");
        if !bundle.files.has(&name) {
            continue;
        }
        for batch in IpcFile::open(bundle.files.pieces(&name)?, None)?.into_batches() {
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
