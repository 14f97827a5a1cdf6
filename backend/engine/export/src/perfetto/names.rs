//! Processes of threads, and the names of both, as far as events and samples tell.

use std::collections::HashMap;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt64Type};
use numalens_bundle::{Error, Open, TASKS, Table, at, integers, samples};
use numalens_core::ipc::IpcFile;
use numalens_perfetto_packets::{Thread, Trace};

/// Columns that name a task and its process.
const NAMED: [(&str, &str); 3] = [
    ("pid", "tgid"),
    ("src_pid", "src_tgid"),
    ("dst_pid", "dst_tgid"),
];
/// The same of each event of a text that was recorded with `record-tgid`; switches are enough, since who never ran has no lane.
const OF_TEXT: (&str, &str) = ("common_pid", "common_tgid");
/// `CLONE_THREAD`
const CLONE_THREAD: u64 = 0x10000;

/// Writes the threads whose process is known; the others get their names from the switches to them. Without a process Perfetto
/// would take them all for threads of process 0.
pub(super) fn write(bundle: &Open, trace: &mut Trace) -> Result<(), Error> {
    let mut process_of = HashMap::new();
    for table in &bundle.tables {
        learn(bundle, table, &mut process_of)?;
    }
    for table in &bundle.samples {
        samples(bundle, &table.table, |batch| {
            sampled(batch, &mut process_of);
        })?;
    }
    if process_of.is_empty() {
        return Ok(());
    }
    let file = IpcFile::open(bundle.files.whole(TASKS)?, None)?;
    for batch in file.into_batches() {
        let batch = batch?;
        let (Some(pids), Some(comms)) = (batch.column_by_name("pid"), batch.column_by_name("comm"))
        else {
            continue;
        };
        let (pids, comms) = (pids.as_primitive::<Int32Type>(), comms.as_string::<i32>());
        let known = (0..batch.num_rows()).filter_map(|row| {
            let tid = pids.value(row);
            Some(Thread {
                tid,
                tgid: Some(*process_of.get(&tid)?),
                name: comms.value(row),
            })
        });
        trace.threads(&known.collect::<Vec<_>>());
    }
    Ok(())
}

/// Takes what a table's events tell of processes.
fn learn(bundle: &Open, table: &Table, process_of: &mut HashMap<i32, i32>) -> Result<(), Error> {
    let file = IpcFile::open(bundle.files.pieces(&table.file)?, None)?;
    let has = |name: &str| file.schema().index_of(name).is_ok();
    let mut pairs: Vec<(&str, &str)> = NAMED
        .into_iter()
        .filter(|(pid, tgid)| has(pid) && has(tgid))
        .collect();
    if table.event == "sched_switch" && has(OF_TEXT.1) {
        pairs.push(OF_TEXT);
    }
    // Who has begun another program is the first thread of its process.
    if table.event == "sched_process_exec" {
        pairs.push(("pid", "pid"));
    }
    let forks = table.event == "task_newtask";
    if pairs.is_empty() && !forks {
        return Ok(());
    }
    for batch in file.into_batches() {
        let batch = batch?;
        for (pid, tgid) in &pairs {
            let (Some(pids), Some(tgids)) = (column(&batch, pid), column(&batch, tgid)) else {
                continue;
            };
            let both = pids.iter().copied().zip(tgids.iter().copied());
            process_of.extend(both.filter(|(pid, tgid)| *pid > 0 && *tgid > 0));
        }
        if forks {
            newborn(&batch, process_of);
        }
    }
    Ok(())
}

/// A new task is a thread of its parent's process, or the first of its own.
fn newborn(batch: &RecordBatch, process_of: &mut HashMap<i32, i32>) {
    let (Some(parents), Some(pids)) = (column(batch, "common_pid"), column(batch, "pid")) else {
        return;
    };
    let Some(flags) = batch.column_by_name("clone_flags") else {
        return;
    };
    let Some(flags) = flags.as_primitive_opt::<UInt64Type>() else {
        return;
    };
    for ((parent, pid), flags) in parents.iter().zip(pids).zip(flags.values()) {
        let process = if flags & CLONE_THREAD == 0 {
            Some(*pid)
        } else {
            process_of.get(parent).copied()
        };
        if let Some(process) = process.filter(|_| *pid > 0) {
            process_of.entry(*pid).or_insert(process);
        }
    }
}

/// Samples of a thread (`tid`) name its process (`pid`).
fn sampled(batch: &RecordBatch, process_of: &mut HashMap<i32, i32>) {
    let (Some(tids), Some(pids)) = (integers(batch, "tid"), integers(batch, "pid")) else {
        return;
    };
    let id = |column, row| at(Some(column), row).and_then(|id| i32::try_from(id).ok());
    for row in 0..batch.num_rows() {
        if let (Some(tid @ 1..), Some(pid @ 1..)) = (id(tids, row), id(pids, row)) {
            process_of.entry(tid).or_insert(pid);
        }
    }
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> Option<&'a [i32]> {
    let column = batch
        .column_by_name(name)?
        .as_primitive_opt::<Int32Type>()?;
    Some(column.values())
}
