//! A guest and its host in one analysis, which is the guest's. The host's recording shows when it did not run a runnable CPU
//! of the guest. This is the steal of `/proc/stat`: the host counts the time that the thread of a CPU waits on a runqueue
//! (`record_steal_time`, `arch/x86/kvm/x86.c`; `run_delay` of `struct sched_info`, `kernel/sched/stats.h`). Those times
//! become a table of the guest's recording, and the host's other events are left out: it is another machine.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, UInt8Array, UInt32Array, UInt64Array};
use numalens_columns::{
    BUFFER, CPU, Column, ColumnType, EventSink, Guest, InputError, SEQ, SinkError, TS_NS, TableSpec,
};
use numalens_core::topology::Learner;
use numalens_events::{Event, EventTable, Kind, Merge};

use super::decode::{Decoded, gaps, marks_of, tables_of};
use super::files::Folder;
use super::noise::STEAL;
use super::read::Read;
use super::sink::{Sink, fullest};
use super::unseen;
use crate::error::Error;

/// A time in which the host did not run a guest's CPU though it was to run.
struct Stolen {
    cpu: u32,
    pid: i32,
    from_ns: u64,
    to_ns: u64,
}

/// Takes the hosts' recordings out of those of their guests.
pub(super) fn apart(read: &mut Read, folder: Folder<'_>) -> Result<(), Error> {
    while let Some((host, guest)) = pair(&read.recordings)? {
        let host = read.recordings.remove(host);
        // The guest's place, now that the host's is gone.
        let Some(at) = read
            .recordings
            .iter()
            .position(|one| one.input == guest.input)
        else {
            break;
        };
        let taken_from = &mut read.recordings[at];
        let note = if taken_from.clock_of.is_none() || taken_from.clock_of != host.session {
            "the guest's recording does not relate its clock to the host's (TIME_SHIFT), so the host's events are left out"
                .to_owned()
        } else if guest.of.threads.is_empty() {
            "it does not name the threads that run the guest's CPUs, so its events are left out"
                .to_owned()
        } else {
            let mut stolen = stolen(folder, &host, &guest.of)?;
            let spans = read.listed[guest.input as usize].recording.as_ref();
            let spans = spans.map_or(&[][..], |recording| &recording.cpu_spans);
            let first_ns = spans.iter().map(|span| span.first_ns).min().unwrap_or(0);
            let last_ns = spans.iter().map(|span| span.last_ns).max().unwrap_or(0);
            // A host can name any CPU, also those that the guest does not have.
            let cpus: BTreeSet<u32> = spans.iter().map(|span| span.cpu).collect();
            stolen.retain(|one| {
                one.from_ns < last_ns && one.to_ns > first_ns && cpus.contains(&one.cpu)
            });
            if !has(&host, "sched_switch") {
                "it has no sched_switch, so when it ran the guest's CPUs is unknown".to_owned()
            } else if stolen.is_empty() {
                "according to its events, it ran the guest's CPUs whenever they were runnable"
                    .to_owned()
            } else {
                let note = format!(
                    "it shows {} times that it did not run a runnable CPU of the guest (steal)",
                    stolen.len()
                );
                write(folder, taken_from, &stolen)?;
                note
            }
        };
        read.notes.push(format!(
            "{} is the recording of the host of {}: {note}. Open it alone to see the host itself.",
            host.name, taken_from.name,
        ));
        read.collected
            .retain(|collected| collected.input != host.input);
        read.listed[host.input as usize].recording = None;
        if !host.tables.is_empty() {
            folder.remove(&tables_of(host.input))?;
        }
    }
    Ok(())
}

/// A guest whose host is also among the recordings.
struct Present {
    input: u32,
    of: Guest,
}

/// Position of a host's recording, and its guest. Fails when the recordings of several of its guests came along.
fn pair(recordings: &[Decoded]) -> Result<Option<(usize, Present)>, Error> {
    for (at, host) in recordings.iter().enumerate() {
        let mut found: Vec<(&Decoded, &Guest)> = Vec::new();
        for guest in &host.guests {
            let own =
                |one: &&Decoded| one.input != host.input && one.session == Some(guest.session);
            found.extend(recordings.iter().filter(own).map(|one| (one, guest)));
        }
        match found[..] {
            [] => {}
            [(decoded, guest)] => {
                let guest = Present {
                    input: decoded.input,
                    of: guest.clone(),
                };
                return Ok(Some((at, guest)));
            }
            [(first, _), (second, _), ..] => {
                let both = format!("those of two machines: {} and {}", first.name, second.name);
                let error =
                    InputError::at_byte(0, "the recording of one of its guests next to it", both);
                return Err(Error::input(&host.name, error));
            }
        }
    }
    Ok(None)
}

/// State of the thread of a guest's CPU.
#[derive(Clone, Copy)]
struct Thread {
    cpu: u32,
    runs: bool,
    /// Start of the time in which it is runnable and does not run.
    since_ns: Option<u64>,
}

fn has(recording: &Decoded, event: &str) -> bool {
    let mut tables = recording.tables.iter();
    tables.any(|table| table.system == "sched" && table.event == event)
}

/// Times in which the host did not run a guest's CPUs, ordered by end. A thread waits from its wakeup, or from when it
/// lost its CPU while runnable. If events of the host are lost, times that reach into the gap are unknown.
fn stolen(folder: Folder<'_>, host: &Decoded, guest: &Guest) -> Result<Vec<Stolen>, Error> {
    let woken = has(host, "sched_wakeup");
    let mut tables = Vec::new();
    let mut used = Vec::new();
    for table in &host.tables {
        let kind = match Kind::of(&table.system, &table.event) {
            Some(kind @ (Kind::Switch | Kind::Wakeup | Kind::WakeupNew)) => kind,
            Some(Kind::Waking) if !woken => Kind::Waking,
            _ => continue,
        };
        let Some((buffer, _)) = fullest(table) else {
            continue;
        };
        used.push(buffer);
        let batches = folder.ahead(folder.open(&table.file, Some(&Kind::COLUMNS))?);
        tables.push(EventTable::events(
            host.input,
            kind,
            buffer,
            &table.print_fmt,
            batches,
        ));
    }
    // Of the states only S is written, which is the same number in all kernels.
    let (missing, _) = unseen::mend(folder, std::slice::from_ref(host))?;
    for switches in missing {
        let batches = Box::new(std::iter::once(Ok(switches.batch)));
        tables.push(EventTable::events(
            switches.input,
            Kind::Switch,
            switches.buffer,
            "",
            batches,
        ));
    }
    let marks = marks_of(&gaps(folder, host)?, &used);
    tables.push(EventTable::lost(host.input, marks));
    let mut threads: BTreeMap<i32, Thread> = guest
        .threads
        .iter()
        .map(|&(cpu, pid)| {
            let thread = Thread {
                cpu,
                runs: false,
                since_ns: None,
            };
            (pid, thread)
        })
        .collect();
    let mut found = Vec::new();
    let mut merge = Merge::new(tables)?;
    while let Some((now, row)) = merge.next_row()? {
        match row {
            Some((_, Event::Switch { prev, state, next })) => {
                if let Some(thread) = threads.get_mut(&prev.pid) {
                    thread.runs = false;
                    thread.since_ns = (!state.leaves).then_some(now);
                }
                if let Some(thread) = threads.get_mut(&next.pid) {
                    thread.runs = true;
                    let from = thread.since_ns.take().filter(|&from_ns| from_ns < now);
                    found.extend(from.map(|from_ns| Stolen {
                        cpu: thread.cpu,
                        pid: next.pid,
                        from_ns,
                        to_ns: now,
                    }));
                }
            }
            Some((_, Event::Wakeup { pid, .. } | Event::Waking { pid, .. })) => {
                if let Some(thread) = threads.get_mut(&pid).filter(|thread| !thread.runs) {
                    thread.since_ns.get_or_insert(now);
                }
            }
            Some((_, Event::Lost | Event::LostEnd)) => {
                for thread in threads.values_mut() {
                    (thread.runs, thread.since_ns) = (false, None);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Adds the table to the guest's recording.
fn write(folder: Folder<'_>, guest: &mut Decoded, stolen: &[Stolen]) -> Result<(), Error> {
    let column = |name: &str, ty, ctype: &str| Column {
        name: name.to_owned(),
        ty,
        ctype: ctype.to_owned(),
    };
    let spec = TableSpec {
        system: STEAL.0.to_owned(),
        event: STEAL.1.to_owned(),
        id: 0,
        print_fmt: String::new(),
        columns: vec![
            column("duration", ColumnType::UInt(8), "u64 duration"),
            column("vcpu_pid", ColumnType::Int(4), "pid_t vcpu_pid"),
        ],
    };
    let ends = stolen.iter().map(|one| one.to_ns);
    let columns: [(&str, ArrayRef); 6] = [
        (TS_NS, Arc::new(UInt64Array::from_iter_values(ends))),
        (
            CPU,
            Arc::new(UInt32Array::from_iter_values(
                stolen.iter().map(|one| one.cpu),
            )),
        ),
        (
            SEQ,
            Arc::new(UInt64Array::from_iter_values(0..stolen.len() as u64)),
        ),
        (BUFFER, Arc::new(UInt8Array::from(vec![0; stolen.len()]))),
        (
            "duration",
            Arc::new(UInt64Array::from_iter_values(
                stolen.iter().map(|one| one.to_ns - one.from_ns),
            )),
        ),
        (
            "vcpu_pid",
            Arc::new(Int32Array::from_iter_values(
                stolen.iter().map(|one| one.pid),
            )),
        ),
    ];
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(spec.schema(), arrays)?;
    let mut learner = Learner::default();
    let mut sink = Sink::new("", tables_of(guest.input), folder, &mut learner);
    let written = sink
        .open_table(&spec)
        .and_then(|table| sink.write(table, &batch));
    if let Err(SinkError(sentence)) = written {
        return Err(sink.failed().unwrap_or(Error::Bundle(sentence)));
    }
    guest.tables.extend(sink.finish()?.tables);
    guest
        .tables
        .sort_by(|a, b| (&a.system, &a.event).cmp(&(&b.system, &b.event)));
    Ok(())
}
