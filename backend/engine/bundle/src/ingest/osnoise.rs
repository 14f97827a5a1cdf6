//! Interrupts that only the osnoise tracer tells of: it prints one event when an interrupt or softirq ends, with how long it took
//! (`irq_noise`, `softirq_noise`, `nmi_noise`; `kernel/trace/trace_osnoise.c`, 5.14).

use std::io;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, Int32Array, RecordBatch, UInt8Array, UInt32Array, UInt64Array};
use numalens_events::Kind;

use super::decode::Decoded;
use super::files::Folder;
use super::index::fullest;
use super::sink::Written;
use crate::error::Error;

/// Columns of an event that are looked at; an interrupt's number is not used.
const COLUMNS: [&str; 6] = ["ts_ns", "cpu", "seq", "buffer", "duration", "vector"];

/// One that was served.
#[derive(Debug, Clone, Copy)]
struct Served {
    cpu: u32,
    seq: u64,
    vector: i32,
    from_ns: u64,
    to_ns: u64,
}

/// Rows of begins and ends, with what they mean, as if the recording had events of them.
pub(super) struct Noise {
    pub(super) kind: Kind,
    pub(super) buffer: u8,
    pub(super) batch: RecordBatch,
}

/// What a recording's osnoise events tell of interrupts of which it has no events of their own.
pub(super) fn noise(folder: Folder<'_>, recording: &Decoded) -> Result<Vec<Noise>, Error> {
    let has = |name: &str| {
        recording
            .tables
            .iter()
            .any(|table| table.system == "irq" && table.event == name)
    };
    let mut found = Vec::new();
    for (events, own, begin, end) in [
        (
            &["irq_noise", "nmi_noise"][..],
            "irq_handler_entry",
            Kind::IrqEntry,
            Kind::IrqExit,
        ),
        (
            &["softirq_noise"],
            "softirq_entry",
            Kind::SoftirqEntry,
            Kind::SoftirqExit,
        ),
    ] {
        let tables = recording.tables.iter();
        let tables: Vec<&Written> = tables
            .filter(|table| table.system == "osnoise" && events.contains(&table.event.as_str()))
            .collect();
        let Some((buffer, _)) = tables
            .first()
            .and_then(|table| fullest(table))
            .filter(|_| !has(own))
        else {
            continue;
        };
        let mut all = Vec::new();
        for table in tables {
            for batch in folder.batches(&table.file, Some(&COLUMNS))? {
                served(&batch?, buffer, &mut all);
            }
        }
        for (kind, at) in [
            (begin, (|one| one.from_ns) as fn(&Served) -> u64),
            (end, |one| one.to_ns),
        ] {
            found.push(Noise {
                kind,
                buffer,
                batch: rows(&mut all, buffer, at)?,
            });
        }
    }
    Ok(found)
}

fn served(batch: &RecordBatch, buffer: u8, found: &mut Vec<Served>) {
    let column = |name| batch.column_by_name(name);
    let times = |name| column(name).and_then(|array| array.as_primitive_opt::<UInt64Type>());
    let cpus = column("cpu").and_then(|array| array.as_primitive_opt::<UInt32Type>());
    let buffers = column("buffer").and_then(|array| array.as_primitive_opt::<UInt8Type>());
    let vectors = column("vector").and_then(|array| array.as_primitive_opt::<Int32Type>());
    let (Some(ts), Some(seq), Some(ns), Some(cpus), Some(buffers)) = (
        times("ts_ns"),
        times("seq"),
        times("duration"),
        cpus,
        buffers,
    ) else {
        return;
    };
    for row in (0..batch.num_rows()).filter(|&row| buffers.value(row) == buffer) {
        let to_ns = ts.value(row);
        found.push(Served {
            cpu: cpus.value(row),
            seq: seq.value(row),
            vector: vectors.map_or(0, |vectors| vectors.value(row)),
            // Without the time of what interrupted it: the begin may be that much earlier. The event's own `start` is of the
            // clock `local`, whatever the trace's is.
            from_ns: to_ns.saturating_sub(ns.value(row)),
            to_ns,
        });
    }
}

/// The rows of their begins, or of their ends, ascending.
fn rows(all: &mut [Served], buffer: u8, at: fn(&Served) -> u64) -> Result<RecordBatch, Error> {
    all.sort_by_key(|one| (at(one), one.seq));
    let columns: [(&str, ArrayRef); 5] = [
        (
            "ts_ns",
            Arc::new(UInt64Array::from_iter_values(all.iter().map(at))),
        ),
        (
            "cpu",
            Arc::new(UInt32Array::from_iter_values(all.iter().map(|one| one.cpu))),
        ),
        (
            "seq",
            Arc::new(UInt64Array::from_iter_values(all.iter().map(|one| one.seq))),
        ),
        (
            "buffer",
            Arc::new(UInt8Array::from(vec![buffer; all.len()])),
        ),
        (
            "vec",
            Arc::new(Int32Array::from_iter_values(
                all.iter().map(|one| one.vector),
            )),
        ),
    ];
    RecordBatch::try_from_iter(columns).map_err(|error| io::Error::other(error).into())
}
