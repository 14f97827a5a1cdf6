//! The tables of the NUMA balancers' events, and what samples say of them.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use numalens_events::{LostMark, NumaKind};
use numalens_replay::numa::{NumaTable, Preferred};

use super::decode::{Decoded, marks_of};
use super::files::Folder;
use super::sink::{Written, fullest};
use crate::bundle::SampleTable;
use crate::columns::{at, integers};
use crate::error::Error;

/// Opens a recording's tables of the NUMA balancers' events; gives how many rows they have.
pub(super) fn add_tables(
    folder: Folder<'_>,
    recording: &Decoded,
    gaps: &[LostMark],
    tables: &mut Vec<NumaTable<'static>>,
) -> Result<u64, Error> {
    let mut total = 0;
    let mut used = Vec::new();
    for table in &recording.tables {
        let Some((buffer, rows)) = fullest(table) else {
            continue;
        };
        let Some(kind) = kind(folder, table)? else {
            continue;
        };
        let file = folder.open(&table.file, Some(NumaKind::COLUMNS))?;
        let batches = folder.ahead(file);
        let (input, fmt) = (recording.input, &table.print_fmt);
        tables.push(NumaTable::events(input, kind, buffer, fmt, batches));
        total += rows;
        used.push(buffer);
    }
    tables.push(NumaTable::lost(recording.input, marks_of(gaps, &used)));
    Ok(total)
}

/// Kind of a table, by its name and its columns.
fn kind(folder: Folder<'_>, table: &Written) -> Result<Option<NumaKind>, Error> {
    let file = folder.open(&table.file, None)?;
    let columns: Vec<&str> = file
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    Ok(NumaKind::of(&table.system, &table.event, &columns))
}

/// The preferred nodes that `/proc/PID/sched` showed, by time.
pub(super) fn preferred(
    folder: Folder<'_>,
    samples: &[SampleTable],
) -> Result<Vec<Preferred>, Error> {
    let mut found = Vec::new();
    let tables = samples.iter().filter(|table| table.table == "proc_sched");
    for table in tables {
        for batch in folder.batches(&table.file, None)? {
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
