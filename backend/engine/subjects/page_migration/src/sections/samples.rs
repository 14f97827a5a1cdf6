//! Samples that the metrics of page migration read, as plain rows on the reference clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use numalens_bundle::Error;
use numalens_subject::Context;
use numalens_subject::logs::{cell, column, pid, times};
use numalens_subject::section::{at, integers, samples, texts};
use numalens_subject::vmstat::machine_counters;

use crate::metrics::{FaultRow, MapRow, PreferredRow, Samples};
use crate::table::{Counters, Row};
use crate::vmstat::{Vmstat, bound};

/// The counters of NUMA balancing.
pub(super) fn faults(open: &Context) -> Result<Arc<Vec<Vmstat>>, Error> {
    open.shared("faults", || read_faults(open))
}

fn read_faults(open: &Context) -> Result<Vec<Vmstat>, Error> {
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
pub(super) fn automig(open: &Context) -> Result<Vec<Row>, Error> {
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

/// Pages of processes by node.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn maps(open: &Context) -> Result<Arc<Vec<MapRow>>, Error> {
    open.shared("numa_maps", || read_maps(open))
}

fn read_maps(open: &Context) -> Result<Vec<MapRow>, Error> {
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

/// Locations of the tasks' memory.
pub(super) fn memory(open: &Context) -> Result<Arc<Samples>, Error> {
    open.shared("memory", || read_memory(open))
}

fn read_memory(open: &Context) -> Result<Samples, Error> {
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
    Ok(Samples::new(maps.iter().copied(), faults, preferred))
}
