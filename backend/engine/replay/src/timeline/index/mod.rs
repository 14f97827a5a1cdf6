//! Opens the index from mapped bytes. Nothing is copied: the columns point into the bytes.

mod series;

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt32Type};
use arrow_buffer::Buffer;
use numalens_core::EngineError;
use numalens_core::bounds::{Bounds, LATEST_NS};
use numalens_core::ipc::{Bytes, IpcFile};
use numalens_core::logs::{Batches, Columns};
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;

pub(super) use self::series::{Cursor, Series};
use super::NODE_LANE;
use super::rows::{
    META, Meta, RunColumns, RunRow, SliceBuckets, SliceColumns, SpanColumns, SpanRow, StepBuckets,
    StepColumns,
};

/// Folder of the index's files inside the bundle.
pub const FOLDER: &str = "timeline";

/// The index's files, in the order in which they are written.
pub const FILES: [&str; 6] = [
    "slices.arrow",
    "slice_levels.arrow",
    "steps.arrow",
    "step_levels.arrow",
    "spans.arrow",
    "runs.arrow",
];

/// A lane's rows and levels.
#[derive(Debug)]
pub(super) struct Leveled<R: Columns, B: Columns> {
    pub(super) rows: Series<R>,
    pub(super) levels: Vec<Series<B>>,
}

impl<R: Columns, B: Columns> Default for Leveled<R, B> {
    fn default() -> Self {
        Self {
            rows: Series::default(),
            levels: Vec::new(),
        }
    }
}

/// The index, ready for queries. Opening reads the directory of rows; a query reads only the batches whose rows it needs.
#[derive(Debug)]
pub struct Index {
    pub(super) meta: Meta,
    pub(super) slices: HashMap<u32, Leveled<SliceColumns, SliceBuckets>>,
    pub(super) steps: HashMap<u32, Leveled<StepColumns, StepBuckets>>,
    /// By CPU, or by `NODE_LANE | nid`.
    pub(super) spans: HashMap<u32, Vec<SpanRow>>,
    pub(super) node_of: HashMap<u32, u32>,
    tasks: Vec<(i32, Box<str>)>,
    /// The processes of the tasks; `None` where nothing names it.
    tgids: Vec<Option<i32>>,
    /// Task numbers of a pid, ascending.
    pub(super) by_pid: HashMap<i32, Vec<TaskId>>,
}

impl Index {
    /// Opens the index. `files` gives the bytes of each of [`FILES`], `tasks` those of the table of tasks.
    ///
    /// # Errors
    /// The bytes are not those of an index.
    pub fn open<B: Into<Bytes>>(files: [B; 6], tasks: &Buffer) -> Result<Self, EngineError> {
        let (tasks, by_pid, tgids) = open_tasks(tasks)?;
        let bounds = Bounds {
            tasks: tasks.len() as u32,
            ..Bounds::default()
        };
        let files = files.map(|bytes| bytes.into().within(bounds));
        let [slices, slice_levels, steps, step_levels, spans, runs] = files;
        let directory = Batches::<RunColumns>::unordered(runs, "a timeline's runs")?;
        let meta = directory
            .metadata()
            .remove(META)
            .ok_or_else(|| damaged("it does not say what it describes"))?;
        let meta: Meta =
            serde_json::from_str(&meta).map_err(|error| damaged(&error.to_string()))?;
        if meta.shift >= u64::BITS {
            return Err(damaged("its finest level is too wide"));
        }
        if meta.origin_ns > meta.end_ns || meta.end_ns >= LATEST_NS {
            return Err(damaged("it has no valid time"));
        }
        let directory: Vec<RunRow> = directory
            .into_all()?
            .iter()
            .flat_map(|columns| (0..columns.rows()).map(|row| columns.get(row)))
            .collect();
        let mut index = Self {
            slices: series::leveled(&slices, Some(&slice_levels), &directory, [0, 1])?,
            steps: series::leveled(&steps, Some(&step_levels), &directory, [2, 3])?,
            spans: HashMap::new(),
            node_of: HashMap::new(),
            tasks,
            tgids,
            by_pid,
            meta,
        };
        for node in &index.meta.nodes {
            for &cpu in &node.cpus {
                if index.node_of.insert(cpu, node.nid).is_some() {
                    return Err(damaged("it names a CPU twice"));
                }
            }
        }
        index.open_spans(&spans, &directory)?;
        Ok(index)
    }

    /// Time of the recording's first event, ns of the trace clock: item times count from here.
    #[must_use]
    pub fn origin_ns(&self) -> u64 {
        self.meta.origin_ns
    }

    /// Time of the recording's last event.
    #[must_use]
    pub fn end_ns(&self) -> u64 {
        self.meta.end_ns
    }

    /// The nodes and their CPUs.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.meta.nodes
    }

    /// Pid and name of a task.
    #[must_use]
    pub fn task(&self, task: TaskId) -> Option<(i32, &str)> {
        self.tasks
            .get(task as usize)
            .map(|(pid, comm)| (*pid, &**comm))
    }

    /// Numbers of the tasks of a pid, ascending.
    #[must_use]
    pub fn tasks_of(&self, pid: i32) -> &[TaskId] {
        self.by_pid.get(&pid).map_or(&[], |tasks| tasks)
    }

    /// The processes of the tasks, by number; `None` where nothing names it.
    #[must_use]
    pub fn tgids(&self) -> &[Option<i32>] {
        &self.tgids
    }

    /// Times with missing events of any CPU, ns of the trace clock, ordered by start.
    #[must_use]
    pub fn lost_spans(&self) -> Vec<(u64, u64)> {
        let cpus = self.spans.iter().filter(|(lane, _)| **lane < NODE_LANE);
        let lost = cpus
            .flat_map(|(_, spans)| spans)
            .filter(|span| span.lost == 1);
        let origin = self.meta.origin_ns;
        let mut spans: Vec<_> = lost
            .map(|span| (origin + span.start, origin + span.end))
            .collect();
        spans.sort_unstable();
        spans
    }

    /// The name a pid had last.
    #[must_use]
    pub fn comm_of(&self, pid: i32) -> Option<&str> {
        self.by_pid
            .get(&pid)?
            .last()
            .and_then(|&task| self.task(task))
            .map(|(_, comm)| comm)
    }

    fn open_spans(&mut self, bytes: &Bytes, directory: &[RunRow]) -> Result<(), EngineError> {
        let series: HashMap<u32, Leveled<SpanColumns, SpanColumns>> =
            series::leveled(bytes, None, directory, [4, u8::MAX])?;
        for (lane, series) in series {
            let mut cursor = series.rows.cursor();
            let rows = (0..series.rows.len()).map(|row| cursor.get(row));
            self.spans.insert(lane, rows.collect::<Result<_, _>>()?);
        }
        for node in &self.meta.nodes {
            let spans = node_spans(node, &self.spans);
            self.spans.insert(NODE_LANE | node.nid, spans);
        }
        Ok(())
    }

    /// Number of tasks.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.tasks.len()
    }
}

type Tasks = (
    Vec<(i32, Box<str>)>,
    HashMap<i32, Vec<TaskId>>,
    Vec<Option<i32>>,
);

/// Pid and name of the tasks by number, the numbers of each pid, and the processes of the tasks.
fn open_tasks(bytes: &Buffer) -> Result<Tasks, EngineError> {
    let (mut tasks, mut by_pid, mut tgids): Tasks = Default::default();
    for batch in IpcFile::open(bytes.clone(), None)?.into_batches() {
        let batch = batch?;
        let numbers = batch
            .column_by_name("task")
            .and_then(|array| array.as_primitive_opt::<UInt32Type>());
        let pids = batch
            .column_by_name("pid")
            .and_then(|array| array.as_primitive_opt::<Int32Type>());
        let comms = batch
            .column_by_name("comm")
            .and_then(|array| array.as_string_opt::<i32>());
        let of = batch
            .column_by_name("tgid")
            .and_then(|array| array.as_primitive_opt::<Int32Type>());
        let (Some(numbers), Some(pids), Some(comms), Some(of)) = (numbers, pids, comms, of) else {
            return Err(damaged("its tasks have no number, pid, name or process"));
        };
        tgids.extend(of);
        for row in 0..batch.num_rows() {
            if numbers.value(row) as usize != tasks.len() {
                return Err(damaged("its tasks are not numbered by row"));
            }
            by_pid
                .entry(pids.value(row))
                .or_default()
                .push(numbers.value(row));
            tasks.push((pids.value(row), comms.value(row).into()));
        }
    }
    Ok((tasks, by_pid, tgids))
}

/// A node depends on lost events when any of its CPUs does, and its state is unknown while none of its CPUs' is known.
fn node_spans(node: &Node, cpus: &HashMap<u32, Vec<SpanRow>>) -> Vec<SpanRow> {
    let all = || node.cpus.iter().filter_map(|cpu| cpus.get(cpu)).flatten();
    let mut spans = covered(all().filter(|span| span.lost == 1), 1, 1);
    spans.extend(covered(
        all().filter(|span| span.lost == 0),
        node.cpus.len(),
        0,
    ));
    spans.sort_by_key(|span| span.start);
    spans
}

/// The times that at least `depth` of the spans cover.
fn covered<'a>(spans: impl Iterator<Item = &'a SpanRow>, depth: usize, lost: u8) -> Vec<SpanRow> {
    let mut edges: Vec<(u64, bool)> = spans
        .flat_map(|span| [(span.start, true), (span.end, false)])
        .collect();
    // Ends after starts of the same time, so that spans that touch make one.
    edges.sort_unstable_by_key(|&(time, begins)| (time, !begins));
    let (mut now, mut since, mut found) = (0, 0, Vec::new());
    for (time, begins) in edges {
        if begins {
            now += 1;
            if now == depth {
                since = time;
            }
        } else {
            if now == depth && time > since {
                found.push(SpanRow {
                    start: since,
                    end: time,
                    lost,
                });
            }
            now -= 1;
        }
    }
    found
}

fn damaged(why: &str) -> EngineError {
    EngineError::Damaged(why.to_owned())
}
