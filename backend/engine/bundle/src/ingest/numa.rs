//! The pass over the events of the NUMA balancers.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use numalens_core::ipc::IpcFile;
use numalens_core::topology::Node;
use numalens_events::NumaKind;
use numalens_replay::migrations::{MIGRATIONS_FILE, Migrations};
use numalens_replay::numa::{self, Config, NumaMerge, NumaTable, Preferred, Summary};

use super::decode::Decoded;
use super::index::{Folder, fullest, lost_marks};
use super::limits::{Budget, Progress};
use crate::bundle::SampleTable;
use crate::columns::{at, integers};
use crate::error::Error;
use crate::storage::{Mapped, Pieces};

/// Reads the NUMA balancers' events and writes `numa/`; the log of migrations is there already. `None` without a recording.
pub(super) fn replay(
    folder: &Path,
    recordings: &[Decoded],
    samples: &[SampleTable],
    nodes: &[Node],
    (origin_ns, end_ns): (u64, u64),
    budget: &Budget,
    progress: &mut Progress<'_>,
) -> Result<Option<Summary>, Error> {
    if recordings.is_empty() {
        return Ok(None);
    }
    let mut tables = Vec::new();
    let mut total = 0;
    for recording in recordings {
        let events = folder.join("events").join(recording.input.to_string());
        let mut used = Vec::new();
        for table in &recording.tables {
            let path = events.join(&table.file);
            let Some((buffer, rows)) = fullest(table) else {
                continue;
            };
            let Some(kind) = kind(&path, &table.system, &table.event)? else {
                continue;
            };
            let file = IpcFile::open(Pieces::open(&path)?, Some(NumaKind::COLUMNS))?;
            let batches = Box::new(file.into_batches());
            let (input, fmt) = (recording.input, &table.print_fmt);
            tables.push(NumaTable::events(input, kind, buffer, fmt, batches));
            total += rows;
            used.push(buffer);
        }
        let marks = lost_marks(&events, recording, &used)?;
        tables.push(NumaTable::lost(recording.input, marks));
    }
    let preferred = preferred(folder, samples)?;
    let config = Config {
        origin_ns,
        end_ns,
        nodes,
        preferred: &preferred,
    };
    let migrations = Migrations::open(Mapped::buffer(&folder.join(MIGRATIONS_FILE))?)?;
    let mut sink = Folder::new(folder, budget);
    let read = numa::pass(
        NumaMerge::new(tables)?,
        migrations.rows(0, u64::MAX)?,
        &config,
        &mut sink,
        &mut |done| progress.at("replaying", done, total),
    );
    match read {
        Ok(summary) => Ok(Some(summary)),
        Err(error) => Err(progress.raised().unwrap_or(error.into())),
    }
}

/// What a table tells, by its name and the columns that it has.
fn kind(path: &Path, system: &str, event: &str) -> Result<Option<NumaKind>, Error> {
    let file = IpcFile::open(Pieces::open(path)?, None)?;
    let columns: Vec<&str> = file
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    Ok(NumaKind::of(system, event, &columns))
}

/// The preferred nodes that `/proc/PID/sched` showed, by time.
fn preferred(folder: &Path, samples: &[SampleTable]) -> Result<Vec<Preferred>, Error> {
    let mut found = Vec::new();
    let tables = samples.iter().filter(|table| table.table == "proc_sched");
    for table in tables {
        let file = IpcFile::open(Pieces::open(&folder.join(&table.file))?, None)?;
        for batch in file.into_batches() {
            let batch = batch?;
            let names = batch.column_by_name("name");
            let Some(names) = names.and_then(|names| names.as_string_opt::<i32>()) else {
                continue;
            };
            let values = batch.column_by_name("value");
            let Some(values) = values.and_then(|values| values.as_primitive_opt::<Float64Type>())
            else {
                continue;
            };
            let [times, pids] = ["ts_ns", "tid"].map(|name| integers(&batch, name));
            for row in (0..batch.num_rows()).filter(|&row| names.value(row) == PREFERRED) {
                let (Some(time), Some(pid)) = (at(times, row), at(pids, row)) else {
                    continue;
                };
                if let (Ok(ts_ns), Ok(pid)) = (time.try_into(), pid.try_into()) {
                    let nid = values.value(row) as i32;
                    found.push(Preferred { ts_ns, pid, nid });
                }
            }
        }
    }
    found.sort_unstable_by_key(|preferred| (preferred.ts_ns, preferred.pid));
    Ok(found)
}

/// The field of `/proc/PID/sched`.
const PREFERRED: &str = "numa_preferred_nid";
