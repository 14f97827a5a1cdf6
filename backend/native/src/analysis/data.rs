//! What the bundle holds of the replay, opened when first asked for.

use std::sync::OnceLock;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, Int64Array, RecordBatch, StringArray};
use numalens_engine::evidence::{Evidence, Instant, open_instants};
use numalens_engine::ipc::IpcFile;
use numalens_engine::latency::{Latency, Meter};
use numalens_engine::states::{GROUPS_FILE, Groups, MACHINE_FILE, NAMES_FILE, States};
use numalens_engine::tasks::TaskId;
use numalens_engine::waits::{
    CAUSES_FILE, CauseSpans, REQUESTS_FILE, Requests, SPANS_FILE, WAITS_FILE, Waits,
};
use numalens_engine::window::Names;

use crate::bundle::{INSTANTS, LOST, Open};
use crate::error::Error;

/// Who asked to wake whom, and what else decides causes; `None` in bundles of earlier versions.
type Wakes = Option<(Requests, CauseSpans)>;

/// The files of the replay.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(super) states: States,
    pub(super) waits: Waits,
    /// `None` when no cgroup is known.
    pub(super) groups: Option<Groups>,
    pub(super) instants: Vec<Instant>,
    wakes: OnceLock<Wakes>,
}

impl Parts {
    fn open(open: &Open) -> Result<Self, Error> {
        let file = |name: &str| open.files.stored(name);
        let optional = |name: &str| {
            let there = open.files.has(name);
            there.then(|| file(name)).transpose()
        };
        let names = open.files.has(NAMES_FILE);
        let names = names.then(|| open.files.mapped(NAMES_FILE)).transpose()?;
        Ok(Self {
            states: States::open(file(MACHINE_FILE)?, optional(GROUPS_FILE)?)?,
            waits: Waits::open(file(WAITS_FILE)?, file(CAUSES_FILE)?)?,
            groups: names.map(Groups::open).transpose()?,
            instants: open_instants(open.files.mapped(INSTANTS)?)?,
            wakes: OnceLock::new(),
        })
    }

    /// What only the story of a wait needs, opened when that is asked for: spans have no order in which a part could be found.
    pub(super) fn wakes(&self, open: &Open) -> Result<&Wakes, Error> {
        if let Some(wakes) = self.wakes.get() {
            return Ok(wakes);
        }
        let mut wakes = None;
        if open.files.has(REQUESTS_FILE) && open.files.has(SPANS_FILE) {
            let requests = Requests::open(open.files.stored(REQUESTS_FILE)?)?;
            let spans = CauseSpans::open(open.files.stored(SPANS_FILE)?)?;
            wakes = Some((requests, spans));
        }
        Ok(self.wakes.get_or_init(|| wakes))
    }
}

/// What the sections read, or why there is nothing to read.
pub(super) enum Data<'a> {
    There(&'a Parts, &'a Evidence),
    Missing(&'static str),
}

impl<'a> Data<'a> {
    pub(super) fn of(open: &'a Open) -> Result<Self, Error> {
        let Some(evidence) = &open.evidence else {
            return Ok(Self::Missing(if open.tables.is_empty() {
                "no input is a recording: add one of the scheduler's events, for example by trace-cmd record -C mono -e sched"
            } else {
                "this bundle was made by an earlier version; read the files again"
            }));
        };
        if !open.switches {
            return Ok(Self::Missing(
                "sched_switch was not recorded: record it together with sched_waking, sched_wakeup, sched_wakeup_new and sched_migrate_task",
            ));
        }
        if let Some(parts) = open.parts.get() {
            return Ok(Self::There(parts, evidence));
        }
        let parts = Parts::open(open)?;
        Ok(Self::There(open.parts.get_or_init(|| parts), evidence))
    }
}

/// Tasks and cgroups by their numbers.
pub(super) struct Named<'a> {
    pub(super) open: &'a Open,
    pub(super) groups: Option<&'a Groups>,
}

impl Names for Named<'_> {
    fn task(&self, task: TaskId) -> (i32, &str) {
        self.open.index.task(task).unwrap_or((-1, ""))
    }

    fn cgroup(&self, group: u32) -> &str {
        self.groups.map_or("/", |groups| groups.path(group))
    }
}

/// What the waits were that a meter has taken, with names and with who ran on the CPUs meanwhile.
pub(super) fn finished(open: &Open, parts: &Parts, meter: Meter<'_>) -> Result<Latency, Error> {
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    let mut failed = None;
    let latency = meter.finish(&names, |cpu, from_ns, to_ns, tell| {
        match open.index.slices(cpu, from_ns, to_ns) {
            Ok(slices) => {
                slices.for_each(|slice| tell(slice.task, slice.start_ns, slice.end_ns));
            }
            Err(error) => failed = Some(error),
        }
    });
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(latency),
    }
}

/// Pids of the tasks, by number.
pub(super) fn pids(open: &Open) -> Vec<i32> {
    (0..)
        .map_while(|task| open.index.task(task).map(|(pid, _)| pid))
        .collect()
}

/// The batches of a table of samples; none when there is no such table.
pub(crate) fn samples(
    open: &Open,
    table: &str,
    mut look: impl FnMut(&RecordBatch),
) -> Result<(), Error> {
    let stored = open.samples.iter().find(|stored| stored.table == table);
    if let Some(stored) = stored {
        let file = IpcFile::open(open.files.pieces(&stored.file)?, None)?;
        for batch in file.into_batches() {
            look(&batch?);
        }
    }
    Ok(())
}

/// A column of integers.
pub(crate) fn integers<'a>(batch: &'a RecordBatch, name: &str) -> Option<&'a Int64Array> {
    batch.column_by_name(name)?.as_primitive_opt::<Int64Type>()
}

/// A column of texts.
pub(super) fn texts<'a>(batch: &'a RecordBatch, name: &str) -> Option<&'a StringArray> {
    batch.column_by_name(name)?.as_string_opt::<i32>()
}

/// The value of a row, if it has one.
pub(crate) fn at(array: Option<&Int64Array>, row: usize) -> Option<i64> {
    array.and_then(|array| array.is_valid(row).then(|| array.value(row)))
}

/// Events that are missing in a window, as far as their number is known; a gap without a number counts as one.
pub(super) fn lost_events(open: &Open, from_ns: u64, to_ns: u64) -> Result<u64, Error> {
    let mut lost: u64 = 0;
    let Ok(files) = std::fs::read_dir(open.files.folder().join(LOST)) else {
        return Ok(0);
    };
    for file in files {
        let name = file?.file_name();
        let file = open
            .files
            .pieces(&format!("{LOST}/{}", name.to_string_lossy()))?;
        let file = IpcFile::open(file, None)?;
        for batch in file.into_batches() {
            let batch = batch?;
            let numbers = |name: &str| {
                batch
                    .column_by_name(name)
                    .and_then(|array| array.as_primitive_opt::<UInt64Type>())
            };
            let (Some(times), Some(counts)) = (numbers("ts_ns"), numbers("count")) else {
                continue;
            };
            for (&time, count) in times.values().iter().zip(counts) {
                if (from_ns..=to_ns).contains(&time) {
                    lost = lost.saturating_add(count.unwrap_or(1));
                }
            }
        }
    }
    Ok(lost)
}
