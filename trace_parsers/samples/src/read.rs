//! Reading an input from its first line to its last.

use numalens_columns::{ByteSource, DecodeError, InputError, ReadOptions};

use crate::lines::{LONGEST_LINE, Lines};
use crate::machine::Machine;
use crate::number::{Odd, quoted};
use crate::sniff::{Form, SNIFFED, form};
use crate::summary::Output;
use crate::{SampleKind, SampleSink, SampleSummary, jsonl};

/// Reads a file of samples into tables.
///
/// `name` is what the file is called. It is a hint where the text does not say which resource or process it is about
/// (`psi-memory.log`, `numa_maps.123`), nothing is opened by it. `progress` is given bytes done and bytes in all.
///
/// # Errors
/// One sentence with the line: not a kind that is read, a line that is damaged (strict reading only), or the sink
/// refused.
pub fn read(
    source: &dyn ByteSource,
    name: &str,
    options: &ReadOptions,
    sink: &mut dyn SampleSink,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<SampleSummary, DecodeError> {
    let bytes = source.bytes();
    let total = bytes.len() as u64;
    let head = &bytes[..bytes.len().min(SNIFFED)];
    let (kind, form) = form(head).ok_or_else(|| unknown(source))?;
    let mut machine = Machine::new(name);
    let mut out = Output::new(options.tolerant, sink);
    let mut lines = Lines::new(source);
    while let Some(line) = lines.next() {
        out.line = line.number;
        let Some(text) = line.text() else {
            let found = format!("more than {LONGEST_LINE} bytes without an end");
            let expected = "a line".to_owned();
            out.odd(Odd { expected, found })?;
            continue;
        };
        let taken = match form {
            Form::Json => {
                jsonl::line(&mut machine, &text, &mut out)?;
                Ok(())
            }
            Form::Text => machine.text_line(&text),
            Form::Automig => machine.automig_text(&text),
        };
        if let Err(odd) = taken {
            out.odd(odd)?;
        }
        machine.rows.write_full(out.sink)?;
        if let Some(done) = lines.release() {
            progress(done, total);
        }
    }
    machine.settle();
    machine.rows.write_all(out.sink)?;
    out.finish()?;
    progress(total, total);
    Ok(summary(kind, &machine))
}

pub(crate) fn summary(kind: SampleKind, machine: &Machine) -> SampleSummary {
    let counts = machine.rows.counts();
    SampleSummary {
        kind,
        samples: machine.rows.instants(),
        rows: counts.clone().map(|(_, rows)| rows).sum(),
        counts: counts.map(|(table, rows)| (table.name(), rows)).collect(),
        stamp_resolution_ns: machine.resolution_ns(),
        notes: machine.notes(),
    }
}

/// Error for an input of an unknown kind.
fn unknown(source: &dyn ByteSource) -> InputError {
    let mut lines = Lines::new(source);
    let mut place = (1, String::new());
    while let Some(line) = lines.next() {
        let text = line.text().unwrap_or_default();
        if !text.trim().is_empty() {
            place = (line.number, text.into_owned());
            break;
        }
    }
    let kinds = "samples: pressure, vmstat, cpu.numa_group, auto-migration statistics, numa_maps, /proc/PID/sched or cgroups";
    InputError::at_line(place.0, kinds, quoted(&place.1))
}
