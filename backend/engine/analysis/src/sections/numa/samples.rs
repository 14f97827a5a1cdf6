//! Samples that the NUMA replays read, as plain rows on the reference clock.

use std::collections::{BTreeMap, HashMap};

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, BooleanArray, PrimitiveArray, RecordBatch};
use numalens_bundle::{Error, Open};

use crate::cling::group::Stat;
use crate::cling::samples::{Reading, SampleRow, readings};
use crate::migrate_on_fault::metrics::{FaultRow, MapRow, PreferredRow, Samples};
use crate::migrate_on_fault::table::{Counters, Row};
use crate::migrate_on_fault::vmstat::{Vmstat, bound};
use crate::reconcile::vmstat;
use crate::sections::data::{at, integers, samples, texts};

/// A column of numbers.
fn column<'a, T: ArrowPrimitiveType>(
    batch: &'a RecordBatch,
    name: &str,
) -> Option<&'a PrimitiveArray<T>> {
    batch.column_by_name(name)?.as_primitive_opt::<T>()
}

/// The value of a row, if it has one.
fn cell<T: ArrowPrimitiveType>(array: Option<&PrimitiveArray<T>>, row: usize) -> Option<T::Native> {
    array.and_then(|array| array.is_valid(row).then(|| array.value(row)))
}

/// Begin and end of the reading of each row that has a place on the reference clock.
fn times(batch: &RecordBatch) -> Vec<Option<(u64, u64)>> {
    let begins = integers(batch, "ts_ns");
    let (mono, end) = (integers(batch, "mono_ns"), integers(batch, "end_mono_ns"));
    (0..batch.num_rows())
        .map(|row| {
            let begin = u64::try_from(at(begins, row)?).ok()?;
            let took = at(end, row).zip(at(mono, row));
            let took = took.map_or(0, |(end, mono)| end.saturating_sub(mono).max(0) as u64);
            Some((begin, begin.saturating_add(took)))
        })
        .collect()
}

/// A number as a pid.
fn pid(number: Option<i64>) -> Option<i32> {
    number.and_then(|number| i32::try_from(number).ok())
}

/// Counters by name, by begin and end of the reading.
type CountersByReading = BTreeMap<(u64, u64), BTreeMap<String, i64>>;

/// The machine's counters of memory, by reading.
fn machine_counters(open: &Open) -> Result<CountersByReading, Error> {
    let mut found = CountersByReading::new();
    samples(open, "vmstat", |batch| {
        let (Some(names), values) = (texts(batch, "name"), integers(batch, "value")) else {
            return;
        };
        let nids = column::<Int32Type>(batch, "nid");
        for (row, time) in times(batch).into_iter().enumerate() {
            let (Some(time), None, Some(value)) = (time, cell(nids, row), at(values, row)) else {
                continue;
            };
            let counters = found.entry(time).or_default();
            counters.insert(names.value(row).to_owned(), value);
        }
    })?;
    Ok(found)
}

/// The counters for mmtests' table.
pub(in super::super) fn counters(open: &Open) -> Result<Vec<vmstat::Reading>, Error> {
    let found = machine_counters(open)?.into_iter();
    Ok(found
        .map(|((t_ns, _), counters)| vmstat::Reading { t_ns, counters })
        .collect())
}

/// The counters of NUMA balancing.
pub(in super::super) fn faults(open: &Open) -> Result<Vec<Vmstat>, Error> {
    let found = machine_counters(open)?;
    let rows = found.iter().flat_map(|(&(begin, end), counters)| {
        counters.iter().filter_map(move |(name, &value)| {
            Some((begin, end, name.as_str(), u64::try_from(value).ok()?))
        })
    });
    let mut readings = Vmstat::collect(rows);
    // A sampler reads pressure first, and the counters some time after the stamp that both have.
    let mut others: BTreeMap<u64, u64> = BTreeMap::new();
    samples(open, "psi", |batch| {
        for (begin, end) in times(batch).into_iter().flatten() {
            let last = others.entry(begin).or_default();
            *last = end.max(*last);
        }
    })?;
    bound(&mut readings, &Vec::from_iter(others));
    Ok(readings)
}

/// The statistics of auto-migration.
pub(in super::super) fn automig(open: &Open) -> Result<Vec<Row>, Error> {
    let mut found = Vec::new();
    samples(open, "automig", |batch| {
        let columns = Counters::NAMES.map(|name| column::<UInt64Type>(batch, name));
        for (row, time) in times(batch).into_iter().enumerate() {
            found.push(Row {
                t_ns: time.map(|time| time.0),
                counters: Counters::from_values(
                    columns.map(|column| cell(column, row).unwrap_or(0)),
                ),
            });
        }
    })?;
    Ok(found)
}

/// The readings of `cpu.numa_group`.
pub(in super::super) fn groups(open: &Open) -> Result<Vec<Reading>, Error> {
    let mut found = Vec::new();
    samples(open, "numa_group", |batch| {
        let (Some(cgroups), enabled) = (texts(batch, "cgroup"), batch.column_by_name("enabled"))
        else {
            return;
        };
        let enabled: Option<&BooleanArray> = enabled.and_then(|array| array.as_boolean_opt());
        let [gid, nr_tasks, busiest, degree] =
            ["gid", "nr_tasks", "busiest_nid", "degree"].map(|name| integers(batch, name));
        let nids = column::<Int32Type>(batch, "nid");
        let [f, t, q] = ["failure_scaled", "total_scaled", "ratio_percent"]
            .map(|name| column::<UInt64Type>(batch, name));
        for (row, time) in times(batch).into_iter().enumerate() {
            let Some((t0_ns, t1_ns)) = time else {
                continue;
            };
            let stat = cell(f, row).zip(cell(t, row)).zip(cell(q, row));
            found.push(SampleRow {
                t0_ns,
                t1_ns,
                cgroup: cgroups.value(row).to_owned(),
                enabled: enabled.is_some_and(|enabled| enabled.value(row)),
                gid: pid(at(gid, row)).unwrap_or(0),
                nr_tasks: pid(at(nr_tasks, row)).unwrap_or(0),
                busiest_nid: pid(at(busiest, row)),
                nid: cell(nids, row).unwrap_or(-1),
                stat: stat.map(|((f, t), q)| Stat { f, t, q }),
                degree: at(degree, row).and_then(|degree| u32::try_from(degree).ok()),
            });
        }
    })?;
    found.sort_by_key(|row| row.t0_ns);
    Ok(readings(found))
}

/// Pages of processes by node.
pub(in super::super) fn maps(open: &Open) -> Result<Vec<MapRow>, Error> {
    let mut maps = Vec::new();
    samples(open, "numa_maps", |batch| {
        let pids = integers(batch, "pid");
        let nids = column::<Int32Type>(batch, "nid");
        let [pages, page_kb] = ["pages", "page_kb"].map(|name| column::<UInt64Type>(batch, name));
        for (row, time) in times(batch).into_iter().enumerate() {
            if let (Some((t_ns, _)), Some(pid)) = (time, pid(at(pids, row))) {
                maps.push(MapRow {
                    t_ns,
                    pid,
                    nid: cell(nids, row).and_then(|nid| u32::try_from(nid).ok()),
                    pages: cell(pages, row).unwrap_or(0),
                    page_kb: cell(page_kb, row),
                });
            }
        }
    })?;
    Ok(maps)
}

/// Where tasks have their memory.
pub(in super::super) fn memory(open: &Open) -> Result<Samples, Error> {
    let maps = maps(open)?;
    let (mut faults, mut preferred) = (Vec::new(), Vec::new());
    samples(open, "proc_sched_faults", |batch| {
        let tids = integers(batch, "tid");
        let nids = column::<Int32Type>(batch, "nid");
        let [own, shared] =
            ["task_private", "task_shared"].map(|name| column::<UInt64Type>(batch, name));
        for (row, time) in times(batch).into_iter().enumerate() {
            let nid = cell(nids, row).and_then(|nid| u32::try_from(nid).ok());
            if let (Some((t_ns, _)), Some(pid), Some(nid)) = (time, pid(at(tids, row)), nid) {
                let [own, shared] = [own, shared].map(|column| cell(column, row).unwrap_or(0));
                faults.push(FaultRow {
                    t_ns,
                    pid,
                    nid,
                    faults: own.saturating_add(shared),
                });
            }
        }
    })?;
    samples(open, "proc_sched", |batch| {
        let Some(names) = texts(batch, "name") else {
            return;
        };
        let tids = integers(batch, "tid");
        let values = column::<Float64Type>(batch, "value");
        for (row, time) in times(batch).into_iter().enumerate() {
            if names.value(row) != "numa_preferred_nid" {
                continue;
            }
            if let (Some((t_ns, _)), Some(pid), Some(nid)) =
                (time, pid(at(tids, row)), cell(values, row))
            {
                let nid = nid as i32;
                preferred.push(PreferredRow { t_ns, pid, nid });
            }
        }
    })?;
    Ok(Samples::new(maps, faults, preferred))
}

/// Processes of tasks, as sampled.
pub(in super::super) fn processes(open: &Open) -> Result<HashMap<i32, i32>, Error> {
    let mut found = HashMap::new();
    samples(open, "proc_sched", |batch| {
        let (pids, tids) = (integers(batch, "pid"), integers(batch, "tid"));
        for row in 0..batch.num_rows() {
            if let (Some(pid), Some(tid)) = (pid(at(pids, row)), pid(at(tids, row))) {
                found.insert(tid, pid);
            }
        }
    })?;
    Ok(found)
}
