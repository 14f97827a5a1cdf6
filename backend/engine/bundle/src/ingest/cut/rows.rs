//! Selection of rows, and their counts.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, BooleanArray, Int32Array, RecordBatch};
use arrow_select::filter::filter_record_batch;
use numalens_columns::{BUFFER, CPU, CpuSpan, TS_NS};
use numalens_core::columns::integers;

use super::Cut;
use crate::error::Error;

/// Columns with the number of a thread that takes part in an event.
pub(super) const THREADS: [&str; 11] = [
    "common_pid",
    "pid",
    "tid",
    "prev_pid",
    "next_pid",
    "parent_pid",
    "child_pid",
    "src_pid",
    "dst_pid",
    "old_pid",
    "wakee_pid",
];

/// The rows of a table that a copy has.
pub(super) struct Wanted<'c> {
    cut: &'c Cut,
    /// If true, every switch stays; otherwise a CPU would seem to continue with the task it left.
    all_tasks: bool,
}

impl<'c> Wanted<'c> {
    pub(super) fn new(cut: &'c Cut, event: &str) -> Self {
        Self {
            cut,
            all_tasks: cut.tasks.is_none() || event == "sched_switch",
        }
    }

    pub(super) fn of(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let (from, to) = self.cut.window();
        let times = batch
            .column_by_name(TS_NS)
            .and_then(|column| column.as_primitive_opt::<UInt64Type>())
            .ok_or_else(|| Error::Bundle("an event table has no times".to_owned()))?;
        let inside = times.values().iter().map(|ts| (from..=to).contains(ts));
        let mask: BooleanArray = match self.cut.tasks.as_ref().filter(|_| !self.all_tasks) {
            None => inside.map(Some).collect(),
            Some(tasks) => {
                let threads: Vec<_> = THREADS
                    .iter()
                    .filter_map(|name| threads(batch, name))
                    .collect();
                let chosen = |row: usize| {
                    let mut pids = threads.iter().filter(|column| column.is_valid(row));
                    pids.any(|column| tasks.contains(&column.value(row)))
                };
                inside
                    .enumerate()
                    .map(|(row, inside)| Some(inside && chosen(row)))
                    .collect()
            }
        };
        Ok(filter_record_batch(batch, &mask)?)
    }
}

/// Numbers of threads in a column, however wide it is; nothing where it has no numbers.
pub(super) fn threads(batch: &RecordBatch, name: &str) -> Option<Int32Array> {
    // A number that no thread has belongs to no task.
    integers::<Int32Type>(batch.column_by_name(name)?)
}

/// First and last event of something, and how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) first_ns: u64,
    pub(super) last_ns: u64,
    pub(super) events: u64,
}

/// Counts of a recording's rows.
#[derive(Default)]
pub(super) struct Counts {
    cpus: BTreeMap<u32, Span>,
    buffers: BTreeMap<usize, Span>,
}

impl Counts {
    /// Counts rows; `by_buffer` counts those of the table by tracing instance.
    pub(super) fn count(&mut self, batch: &RecordBatch, by_buffer: &mut Vec<u64>) {
        let column = |name| batch.column_by_name(name);
        let times = column(TS_NS).and_then(|it| it.as_primitive_opt::<UInt64Type>());
        let cpus = column(CPU).and_then(|it| it.as_primitive_opt::<UInt32Type>());
        let buffers = column(BUFFER).and_then(|it| it.as_primitive_opt::<UInt8Type>());
        let (Some(times), Some(cpus), Some(buffers)) = (times, cpus, buffers) else {
            return;
        };
        for row in 0..batch.num_rows() {
            let (ts, buffer) = (times.value(row), usize::from(buffers.value(row)));
            widen(&mut self.cpus, cpus.value(row), ts);
            widen(&mut self.buffers, buffer, ts);
            if buffer >= by_buffer.len() {
                by_buffer.resize(buffer + 1, 0);
            }
            by_buffer[buffer] += 1;
        }
    }

    pub(super) fn events(&self) -> u64 {
        self.cpus.values().map(|span| span.events).sum()
    }

    pub(super) fn cpus(&self) -> Vec<CpuSpan> {
        let span = |(&cpu, span): (&u32, &Span)| CpuSpan {
            cpu,
            first_ns: span.first_ns,
            last_ns: span.last_ns,
            events: span.events,
        };
        self.cpus.iter().map(span).collect()
    }

    pub(super) fn buffer(&self, at: usize) -> Option<Span> {
        self.buffers.get(&at).copied()
    }
}

fn widen<K: Ord>(spans: &mut BTreeMap<K, Span>, key: K, ts: u64) {
    let span = spans.entry(key).or_insert(Span {
        first_ns: ts,
        last_ns: ts,
        events: 0,
    });
    span.first_ns = span.first_ns.min(ts);
    span.last_ns = span.last_ns.max(ts);
    span.events += 1;
}
