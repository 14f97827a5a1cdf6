//! Samples that the NUMA replays read, as plain rows on the reference clock.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, BooleanArray, PrimitiveArray, RecordBatch};
use numalens_bundle::{Error, NumaLogs};
use numalens_core::json::Moment;
use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_replay::evidence::Evidence;
use numalens_replay::migrations::{Migration, Migrations};
use numalens_replay::numa::{
    Attempt, Lines, PageBatch, PageCalls, PageRun, Sources, StickFormat, Summary,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cling::group::Stat;
use crate::cling::samples::{Reading, SampleRow, readings};
use crate::context::Context;
use crate::numa_balancing::vmstat::{self, VmstatTable};
use crate::page_migration::metrics::{FaultRow, MapRow, PreferredRow, Samples};
use crate::page_migration::table::{Counters, Row};
use crate::page_migration::vmstat::{Vmstat, bound};
use crate::sections::options::Nothing;
use crate::sections::section::{NO_RECORDING, Parts, Stop, at, integers, replay, samples, texts};
use crate::shared::Shared;
use crate::window::Window;

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
pub(super) fn times(batch: &RecordBatch) -> Vec<Option<(u64, u64)>> {
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
pub(super) fn pid(number: Option<i64>) -> Option<i32> {
    number.and_then(|number| i32::try_from(number).ok())
}

/// Counters by name, by begin and end of the reading.
type CountersByReading = BTreeMap<(u64, u64), BTreeMap<String, i64>>;

/// The machine's counters of memory, by reading.
fn machine_counters(open: &Context) -> Result<CountersByReading, Error> {
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

/// The samples of `/proc/vmstat`.
pub(super) struct VmstatSamples {
    /// All counters, for mmtests' table.
    pub(super) readings: Vec<vmstat::Reading>,
    /// Those of NUMA balancing.
    pub(super) faults: Vec<Vmstat>,
}

impl Shared for VmstatSamples {
    fn heap_bytes(&self) -> usize {
        /// A counter's name and value.
        const COUNTER: usize = 64;
        let counters: usize = self.readings.iter().map(|one| one.counters.len()).sum();
        counters * COUNTER + self.readings.heap_bytes() + self.faults.heap_bytes()
    }
}

impl VmstatSamples {
    pub(super) fn of(open: &Context) -> Result<Arc<Self>, Error> {
        open.shared("vmstat", || {
            let found = machine_counters(open)?;
            Ok(Self {
                faults: faults(open, &found)?,
                readings: found
                    .into_iter()
                    .map(|((t_ns, _), counters)| vmstat::Reading { t_ns, counters })
                    .collect(),
            })
        })
    }
}

/// The counters of NUMA balancing.
fn faults(open: &Context, found: &CountersByReading) -> Result<Vec<Vmstat>, Error> {
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

/// The readings of `cpu.numa_group`.
pub(super) fn groups(open: &Context) -> Result<Arc<Vec<Reading>>, Error> {
    open.shared("numa_group", || read_groups(open))
}

fn read_groups(open: &Context) -> Result<Vec<Reading>, Error> {
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
pub(super) fn maps(open: &Context) -> Result<Arc<Vec<MapRow>>, Error> {
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

/// Where tasks have their memory.
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

// What the bundle holds of the NUMA balancers, opened when first needed.

/// Everything that the sections about NUMA read.
pub(super) struct NumaInputs<'a> {
    pub(super) open: &'a Context,
    pub(super) parts: &'a Parts,
    pub(super) evidence: &'a Evidence,
    pub(super) summary: &'a Summary,
    logs: &'a NumaLogs,
}

impl<'a> NumaInputs<'a> {
    pub(super) fn of(open: &'a Context) -> Result<Self, Stop> {
        let (parts, evidence) = replay(open)?;
        let Some(summary) = &open.numa else {
            return Err(Stop::unavailable(NO_RECORDING));
        };
        Ok(Self {
            open,
            parts,
            evidence,
            summary,
            logs: open.numa_logs()?,
        })
    }

    pub(super) fn nodes(&self) -> &'a [Node] {
        self.open.index.nodes()
    }

    /// The numbers of the nodes, ascending.
    pub(super) fn nids(&self) -> Vec<i32> {
        let mut nids: Vec<i32> = self.nodes().iter().map(|node| node.nid as i32).collect();
        nids.sort_unstable();
        nids
    }

    /// The log of migrations of tasks.
    pub(super) fn migration_log(&self) -> &'a Migrations {
        &self.logs.migrations
    }

    /// The attempts that begin from `from` to `to`.
    pub(super) fn attempts(&self, from: u64, to: u64) -> Result<Vec<Attempt>, Error> {
        Ok(self.logs.attempts.rows(from, to)?.collect())
    }

    /// The attempts of the whole recording.
    pub(super) fn all_attempts(&self) -> Result<Arc<Vec<Attempt>>, Error> {
        let index = &self.open.index;
        self.open.shared("attempts", || {
            self.attempts(index.origin_ns(), index.end_ns())
        })
    }

    /// The numa group of each task that an attempt up to a time names with one; the last one holds.
    pub(super) fn numa_groups(&self, until_ns: u64) -> Result<HashMap<i32, i32>, Error> {
        let attempts = self.attempts(self.open.index.origin_ns(), until_ns)?;
        let grouped = attempts.iter().filter(|attempt| attempt.ngid > 0);
        Ok(grouped.map(|attempt| (attempt.pid, attempt.ngid)).collect())
    }

    /// As [`Self::pages`], in runs.
    pub(super) fn page_runs(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = (PageRun, PageCalls<'a>)> + use<'a>, Error> {
        Ok(self.logs.pages.runs(from, to)?)
    }

    /// The calls that migrated pages and ended from `from` to `to`.
    pub(super) fn pages(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = PageBatch> + use<'a>, Error> {
        Ok(self.logs.pages.rows(from, to)?)
    }

    pub(super) fn lines(&self) -> &'a Lines {
        &self.logs.lines
    }

    pub(super) fn migrations(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = Migration> + use<'a>, Error> {
        Ok(self.logs.migrations.rows(from, to)?)
    }

    pub(super) fn sources(&self) -> &'a Sources {
        &self.summary.sources
    }

    fn lost(&self) -> bool {
        self.summary.counts.lost > 0
    }

    fn recorded(&self, event: &str) -> bool {
        let mut tables = self.open.tables.iter();
        tables.any(|table| table.event == event && table.rows > 0)
    }

    /// How well the attempts are known.
    pub(super) fn attempts_source(&self) -> Source {
        let sources = self.sources();
        let mut missing = Vec::new();
        if !(sources.moves || sources.swaps || sources.stick.is_some()) {
            missing.push("sched_move_numa, sched_swap_numa, sched_stick_numa".to_owned());
        }
        if sources.stick == Some(StickFormat::Seven) && !sources.return_probe {
            missing.push("attempts without a CPU (recorded from Linux 5.7 on)".to_owned());
        }
        self.source(
            "sched_move_numa, sched_swap_numa, sched_stick_numa",
            missing,
        )
    }

    /// How well the migrations of tasks are known.
    pub(super) fn migrations_source(&self) -> Source {
        let missing = (!self.recorded(MIGRATE_TASK)).then(|| MIGRATE_TASK.to_owned());
        self.source(MIGRATE_TASK, missing.into_iter().collect())
    }

    /// How well the migrations of pages are known; `None` when they are not recorded.
    pub(super) fn pages_source(&self) -> Option<Source> {
        self.sources()
            .migrate_pages
            .then(|| self.source("mm_migrate_pages", Vec::new()))
    }

    fn source(&self, name: &str, mut missing: Vec<String>) -> Source {
        if self.lost() {
            missing.push("lost events".to_owned());
        }
        let label = if missing.is_empty() {
            Label::Observed
        } else {
            Label::Inferred
        };
        Source {
            name: name.to_owned(),
            label,
            missing,
        }
    }
}

const MIGRATE_TASK: &str = "sched_migrate_task";

// mmtests' table of the counters in `/proc/vmstat`. No recording is needed.

/// The counters of `/proc/vmstat` between the window's first and last sample.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Vmstat")]
pub(super) struct Counted {
    /// When the first sample was read, ns.
    #[serde(with = "Moment")]
    sampled_from_ns: u64,
    /// When the last one was, ns.
    #[serde(with = "Moment")]
    sampled_to_ns: u64,
    /// What they counted.
    table: VmstatTable,
}

pub(super) fn vmstat(open: &Context, window: Window, _: Nothing) -> Result<Counted, Stop> {
    let samples = VmstatSamples::of(open)?;
    let readings = &samples.readings;
    if readings.is_empty() {
        let given = open
            .samples
            .iter()
            .any(|one| one.table == "vmstat" && one.rows > 0);
        return Err(Stop::unavailable(if given {
            "samples of /proc/vmstat are there, but nothing ties their times to the trace"
        } else {
            "no samples of /proc/vmstat were given"
        }));
    }
    let Some((before, after)) = vmstat::span(readings, window.from_ns, window.to_ns) else {
        return Err(Stop::unavailable(
            "/proc/vmstat was not sampled twice in the window",
        ));
    };
    let table = vmstat::table(&vmstat::deltas(&before.counters, &after.counters));
    Ok(Counted {
        sampled_from_ns: before.t_ns,
        sampled_to_ns: after.t_ns,
        table,
    })
}
