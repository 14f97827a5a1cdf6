//! Facts about a CPU from sources other than the kernel's own events. The osnoise tracer shows interrupts and hardware noise,
//! the timerlat tracer timers, and the host's recording a guest's CPUs. Each row has an end and a length (`irq_noise`,
//! `softirq_noise`, `nmi_noise`, `sample_threshold`; `kernel/trace/trace_osnoise.c`, 5.14).

use std::io;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, Int32Array, RecordBatch, UInt8Array, UInt32Array, UInt64Array};
use numalens_core::columns::i64s;

use super::decode::Decoded;
use super::files::Folder;
use super::sink::{Written, fullest};
use crate::error::Error;

/// Columns of an event that are looked at; an interrupt's number is not used.
const COLUMNS: [&str; 9] = [
    "ts_ns",
    "cpu",
    "seq",
    "buffer",
    "duration",
    "vector",
    "interference",
    "timer_latency",
    "context",
];

/// System and name of the table of times in which a host did not run a runnable CPU of its guest.
pub(super) const STEAL: (&str, &str) = ("host", "steal");

/// Kind of the ended noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Irq,
    Softirq,
    HardwareNoise,
    Steal,
    TimerLatency,
}

/// Meaning of the rows of some events.
struct Source {
    of: Of,
    system: &'static str,
    events: &'static [&'static str],
    /// Column with the duration, ns.
    length: &'static str,
    /// The kernel's own event with better information.
    own: &'static str,
}

const SOURCES: [Source; 5] = [
    Source {
        of: Of::Irq,
        system: "osnoise",
        events: &["irq_noise", "nmi_noise"],
        length: "duration",
        own: "irq_handler_entry",
    },
    Source {
        of: Of::Softirq,
        system: "osnoise",
        events: &["softirq_noise"],
        length: "duration",
        own: "softirq_entry",
    },
    Source {
        of: Of::HardwareNoise,
        system: "osnoise",
        events: &["sample_threshold"],
        length: "duration",
        own: "",
    },
    Source {
        of: Of::Steal,
        system: STEAL.0,
        events: &[STEAL.1],
        length: "duration",
        own: "",
    },
    Source {
        of: Of::TimerLatency,
        system: "ftrace",
        events: &["timerlat"],
        length: "timer_latency",
        own: "",
    },
];

/// One that was served.
#[derive(Debug, Clone, Copy)]
struct Served {
    cpu: u32,
    seq: u64,
    vector: i32,
    from_ns: u64,
    to_ns: u64,
}

/// Rows of begins and of ends, as if the recording had events of them.
pub(super) struct Noise {
    pub(super) of: Of,
    pub(super) buffer: u8,
    pub(super) begins: RecordBatch,
    pub(super) ends: RecordBatch,
}

/// Facts from these events of a recording that its own events lack.
pub(super) fn noise(folder: Folder<'_>, recording: &Decoded) -> Result<Vec<Noise>, Error> {
    let has = |name: &str| {
        recording
            .tables
            .iter()
            .any(|table| table.system == "irq" && table.event == name)
    };
    let mut found = Vec::new();
    for source in &SOURCES {
        let tables = recording.tables.iter();
        let tables: Vec<&Written> = tables
            .filter(|table| {
                table.system == source.system && source.events.contains(&table.event.as_str())
            })
            .collect();
        let Some((buffer, _)) = tables
            .first()
            .and_then(|table| fullest(table))
            .filter(|_| !has(source.own))
        else {
            continue;
        };
        let mut all = Vec::new();
        for table in tables {
            for batch in folder.batches(&table.file, Some(&COLUMNS))? {
                served(&batch?, buffer, source, &mut all);
            }
        }
        found.push(Noise {
            of: source.of,
            buffer,
            begins: rows(&mut all, buffer, |one| one.from_ns)?,
            ends: rows(&mut all, buffer, |one| one.to_ns)?,
        });
    }
    Ok(found)
}

fn served(batch: &RecordBatch, buffer: u8, source: &Source, found: &mut Vec<Served>) {
    let column = |name| batch.column_by_name(name);
    let times = |name| column(name).and_then(|array| array.as_primitive_opt::<UInt64Type>());
    let cpus = column("cpu").and_then(|array| array.as_primitive_opt::<UInt32Type>());
    let buffers = column("buffer").and_then(|array| array.as_primitive_opt::<UInt8Type>());
    let vectors = column("vector").and_then(|array| array.as_primitive_opt::<Int32Type>());
    // What an interrupt, a softirq or a thread took of it is reported by their own events.
    let disturbed = i64s(batch, "interference");
    let (Some(ts), Some(seq), Some(ns), Some(cpus), Some(buffers)) = (
        times("ts_ns"),
        times("seq"),
        times(source.length),
        cpus,
        buffers,
    ) else {
        return;
    };
    let of_buffer = |row: &usize| buffers.value(*row) == buffer;
    // The timer's interrupt comes first; the thread's latency has that of its interrupt in it.
    let contexts = i64s(batch, "context");
    let of_thread = |row: &usize| contexts.as_ref().is_none_or(|contexts| contexts[*row] > 0);
    let undisturbed = |row: &usize| disturbed.as_ref().is_none_or(|times| times[*row] == 0);
    for row in (0..batch.num_rows())
        .filter(of_buffer)
        .filter(undisturbed)
        .filter(of_thread)
    {
        let to_ns = ts.value(row);
        let vector = match source.of {
            Of::Irq | Of::Softirq => vectors.map_or(0, |vectors| vectors.value(row)),
            Of::HardwareNoise => 0,
            Of::Steal => 1,
            Of::TimerLatency => i32::try_from(ns.value(row) / 1000).unwrap_or(i32::MAX),
        };
        found.push(Served {
            cpu: cpus.value(row),
            seq: seq.value(row),
            vector,
            // Without the time of what interrupted it: the start may be that much earlier. The event's own `start` is of the
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
