//! Writes the index in one pass over the replay.

mod slices;
mod steps;
mod store;
mod sums;

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use numalens_core::ipc::BatchWriter;
use numalens_core::logs::Columns;
use numalens_core::tasks::Tasks;
use numalens_core::topology::Node;
use numalens_core::{EngineError, FileSink, Helper, Lent, Output};
use numalens_events::Order;

use self::slices::SliceSeries;
use self::steps::StepSeries;
use self::store::{Handle, Table};
pub(super) use self::sums::TaskSums;
use super::NODE_LANE;
use super::index::{FILES, FOLDER};
use super::rows::{
    META, Meta, NO_STATE, RunColumns, RunRow, SliceBuckets, SliceColumns, SliceRow, SpanColumns,
    SpanRow, StepBuckets, StepColumns,
};
use crate::evidence::Course;
use crate::run_state::{Recorded, Slice, Stats, Unknown};
use crate::states::{Groups, OnCpu, StateRow};
use crate::waits::WaitFrom;

/// Configuration of the index.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Time of the first event, ns of the trace clock.
    pub origin_ns: u64,
    /// Time of the last event.
    pub end_ns: u64,
    /// Number of CPUs in the recordings; more may appear.
    pub cpus: u32,
    /// The nodes and their CPUs.
    pub nodes: Vec<Node>,
    /// Recorded events.
    pub recorded: Recorded,
    /// About how many switches there are, for the width of the finest level.
    pub switches: u64,
}

/// Result of building the index.
#[derive(Debug)]
pub struct Summary {
    /// The tasks that ran, with their times.
    pub tasks: Tasks,
    /// The cgroups that were met.
    pub groups: Groups,
    /// Statistics of the replay.
    pub stats: Stats,
    /// Events that the replay missed, by time.
    pub course: Course,
    /// Statistics of the merge.
    pub order: Order,
    /// True if there were more different end states than the index can name.
    pub states_full: bool,
}

/// Builder's state of one CPU.
struct Lane {
    slices: SliceSeries,
    waits: StepSeries,
    spans: Handle,
    /// Place of its node.
    node: Option<usize>,
    busy: bool,
    waiting: u32,
}

/// Builder's state of one node.
struct NodeLane {
    steps: StepSeries,
    busy: u32,
    waiting: u32,
}

/// The lanes and their files.
struct Lanes {
    meta: Meta,
    levels: u8,
    cpus: Vec<Option<Box<Lane>>>,
    nodes: Vec<NodeLane>,
    node_of: HashMap<u32, usize>,
    slices: Table<SliceColumns>,
    slice_buckets: Table<SliceBuckets>,
    steps: Table<StepColumns>,
    step_buckets: Table<StepBuckets>,
    spans: Table<SpanColumns>,
    runs: Vec<RunRow>,
    held_slices: ByCpu<SliceRow>,
    /// Time and number of waiting tasks.
    waits: ByCpu<(u64, u32)>,
}

/// Rows that are not in the lanes yet, by CPU: with many lanes, appending many rows to one lane at a time is faster.
struct ByCpu<T> {
    rows: Vec<Vec<T>>,
    /// CPUs that have some, as they came.
    cpus: Vec<u32>,
    count: usize,
}

impl<T> ByCpu<T> {
    const NONE: Self = Self {
        rows: Vec::new(),
        cpus: Vec::new(),
        count: 0,
    };

    #[inline]
    fn push(&mut self, cpu: u32, row: T) {
        let at = cpu as usize;
        if at >= self.rows.len() {
            self.rows.resize_with(at + 1, Vec::new);
        }
        if self.rows[at].is_empty() {
            self.cpus.push(cpu);
        }
        self.rows[at].push(row);
        self.count += 1;
    }
}

/// Writes the index. New rows are held here; the helper owns the lanes.
pub(crate) struct Builder {
    origin_ns: u64,
    /// The end states by number.
    states: Vec<String>,
    /// Letters of the end states as numbers, see [`key`].
    state_keys: Vec<u64>,
    pub(crate) states_full: bool,
    held: Held,
    lanes: Lent<Lanes>,
}

/// Rows that are still to be added to the lanes.
#[derive(Default)]
struct Held {
    unknown: Vec<(u32, SpanRow)>,
    states: Vec<StateRow>,
    slices: Vec<(u32, SliceRow)>,
}

impl Builder {
    pub(crate) fn new(config: &Config, sink: &mut dyn FileSink) -> Result<Self, EngineError> {
        let (lanes, helper) = Lanes::new(config, sink)?;
        Ok(Self {
            origin_ns: config.origin_ns,
            states: Vec::new(),
            state_keys: Vec::new(),
            states_full: false,
            held: Held::default(),
            lanes: Lent::new(&helper, lanes),
        })
    }

    fn time(&self, ns: u64) -> u64 {
        ns.saturating_sub(self.origin_ns)
    }

    fn end_state(&mut self, label: &str) -> u8 {
        if label.is_empty() {
            return NO_STATE;
        }
        // A recording has a handful of them, most of one or two letters: those are compared as numbers.
        let key = key(label);
        let states = &mut self.states;
        let mut known = self.state_keys.iter().zip(states.iter());
        let number =
            known.position(|(known, letters)| *known == key && (key > 0 || letters == label));
        if let Some(number) = number {
            return number as u8;
        }
        if states.len() >= usize::from(NO_STATE) {
            self.states_full = true;
            return NO_STATE;
        }
        states.push(label.to_owned());
        self.state_keys.push(key);
        states.len() as u8 - 1
    }

    pub(crate) fn slice(&mut self, slice: &Slice<'_>, tasks: &mut Tasks) {
        tasks.ran(slice.task, slice.start_ns, slice.end_ns);
        let (wait, since, waker) = match slice.wait {
            None => (0, 0, -1),
            Some(wait) => {
                let from = match wait.from {
                    WaitFrom::Waking => 1,
                    WaitFrom::Wakeup => 2,
                    WaitFrom::Preempted => 3,
                    WaitFrom::New => 4,
                    WaitFrom::Resumed => 5,
                };
                (from, self.time(wait.since_ns), wait.waker_pid)
            }
        };
        let row = SliceRow {
            start: self.time(slice.start_ns),
            end: self.time(slice.end_ns),
            task: slice.task,
            prio: slice.prio,
            state: if slice.end_known {
                self.end_state(slice.end_state)
            } else {
                NO_STATE
            },
            wait,
            wait_since: since,
            waker,
        };
        self.held.slices.push((slice.cpu, row));
    }

    pub(crate) fn state(&mut self, row: &StateRow) {
        self.held.states.push(*row);
    }

    pub(crate) fn unknown(&mut self, cpu: u32, from_ns: u64, to_ns: u64, why: Unknown) {
        let row = SpanRow {
            start: self.time(from_ns),
            end: self.time(to_ns),
            lost: u8::from(why == Unknown::Lost),
        };
        if row.start < row.end {
            self.held.unknown.push((cpu, row));
        }
    }

    pub(crate) fn flush(&mut self) -> Result<(), EngineError> {
        let Held {
            unknown,
            states,
            slices,
        } = &mut self.held;
        let mut held = Held::default();
        if slices.len() >= HELD_SLICES {
            held.slices = mem::replace(slices, Vec::with_capacity(slices.len()));
        } else if unknown.is_empty() && states.is_empty() {
            return Ok(());
        }
        (held.unknown, held.states) = (mem::take(unknown), mem::take(states));
        self.lanes.write(move |lanes| lanes.add(held))
    }

    pub(crate) fn finish(self, sink: &mut dyn FileSink) -> Result<(), EngineError> {
        let mut lanes = self.lanes.finish()?;
        lanes.hold(self.held);
        lanes.meta.states = self.states;
        lanes.finish(sink)
    }
}

/// Slices that are held before they are added to their lanes.
const HELD_SLICES: usize = 1 << 12;

/// The finest buckets hold so many switches on the mean, as a power of two.
const PER_BUCKET: u32 = 3;

/// Width of the finest level, as a power of two, and the number of levels that reach the width of the whole.
///
/// The finest width is a few times the mean time between two switches on any CPU. A bucket is kept when it holds
/// [`DENSE`](super::DENSE) rows; in finer ones hardly any would be, and a query reads the few rows one by one.
fn levels(span: u64, switches: u64) -> (u32, u8) {
    let mean = span / switches.max(1);
    let shift = (mean.checked_ilog2().unwrap_or(0) + PER_BUCKET).min(u64::BITS - 1);
    let top = u64::BITS - span.leading_zeros();
    (
        shift,
        (top.saturating_sub(shift) + 1).min(u64::BITS - shift) as u8,
    )
}

impl Lanes {
    /// Creates the lanes, and returns them with the helper that adds to them.
    fn new(config: &Config, sink: &mut dyn FileSink) -> Result<(Self, Helper), EngineError> {
        let (shift, levels) = levels(
            config.end_ns.saturating_sub(config.origin_ns),
            config.switches,
        );
        let mut file = |number: u8| sink.create(&path(number));
        let slices = file(0)?;
        let helper = slices.helper();
        let mut builder = Self {
            meta: Meta {
                origin_ns: config.origin_ns,
                end_ns: config.end_ns.max(config.origin_ns),
                shift,
                nodes: config.nodes.clone(),
                states: Vec::new(),
            },
            levels,
            cpus: Vec::new(),
            nodes: Vec::new(),
            node_of: HashMap::new(),
            slices: Table::new(0, slices)?,
            slice_buckets: Table::new(1, file(1)?)?,
            steps: Table::new(2, file(2)?)?,
            step_buckets: Table::new(3, file(3)?)?,
            spans: Table::new(4, file(4)?)?,
            runs: Vec::new(),
            held_slices: ByCpu::NONE,
            waits: ByCpu::NONE,
        };
        for (at, node) in config.nodes.iter().enumerate() {
            builder
                .node_of
                .extend(node.cpus.iter().map(|&cpu| (cpu, at)));
            let lane = NODE_LANE | node.nid;
            let steps = StepSeries::new(
                lane,
                shift,
                levels,
                &mut builder.steps,
                &mut builder.step_buckets,
            );
            builder.nodes.push(NodeLane {
                steps,
                busy: 0,
                waiting: 0,
            });
        }
        Ok((builder, helper))
    }

    fn time(&self, ns: u64) -> u64 {
        ns.saturating_sub(self.meta.origin_ns)
    }

    /// Makes sure that the CPU has a lane.
    #[inline]
    fn lane(&mut self, cpu: u32) {
        if !matches!(self.cpus.get(cpu as usize), Some(Some(_))) {
            self.begin(cpu);
        }
    }

    #[cold]
    fn begin(&mut self, cpu: u32) {
        let at = cpu as usize;
        if at >= self.cpus.len() {
            self.cpus.resize_with(at + 1, || None);
        }
        let (shift, levels, node_of) = (self.meta.shift, self.levels, &self.node_of);
        let (slices, slice_buckets) = (&mut self.slices, &mut self.slice_buckets);
        let (steps, step_buckets, spans) =
            (&mut self.steps, &mut self.step_buckets, &mut self.spans);
        self.cpus[at] = Some(Box::new(Lane {
            slices: SliceSeries::new(cpu, shift, levels, slices, slice_buckets),
            waits: StepSeries::new(cpu, shift, levels, steps, step_buckets),
            spans: spans.lane(cpu, 0),
            node: node_of.get(&cpu).copied(),
            busy: false,
            waiting: 0,
        }));
    }

    /// Takes new rows, and appends them to the lanes once there are enough.
    fn add(&mut self, held: Held) -> Result<(), EngineError> {
        self.hold(held);
        if self.held_slices.count >= HELD_SLICES {
            self.add_stays();
        }
        if self.waits.count > 0 {
            self.add_waits();
        }
        if self.slices.full() {
            self.slices.flush(&mut self.runs)?;
        }
        if self.slice_buckets.full() {
            self.slice_buckets.flush(&mut self.runs)?;
        }
        if self.steps.full() {
            self.steps.flush(&mut self.runs)?;
        }
        if self.step_buckets.full() {
            self.step_buckets.flush(&mut self.runs)?;
        }
        if self.spans.full() {
            self.spans.flush(&mut self.runs)?;
        }
        Ok(())
    }

    fn hold(&mut self, held: Held) {
        for (cpu, row) in held.unknown {
            self.unknown(cpu, row);
        }
        for row in held.states {
            self.state(&row);
        }
        for (cpu, row) in held.slices {
            self.held_slices.push(cpu, row);
        }
    }

    fn finish(mut self, sink: &mut dyn FileSink) -> Result<(), EngineError> {
        self.add_stays();
        self.add_waits();
        let end = self.time(self.meta.end_ns);
        for lane in self.cpus.iter_mut().flatten() {
            lane.slices.finish(&mut self.slice_buckets);
            lane.waits
                .finish(end, &mut self.steps, &mut self.step_buckets);
        }
        for node in &mut self.nodes {
            node.steps
                .finish(end, &mut self.steps, &mut self.step_buckets);
        }
        self.slices.finish(&mut self.runs)?;
        self.slice_buckets.finish(&mut self.runs)?;
        self.steps.finish(&mut self.runs)?;
        self.step_buckets.finish(&mut self.runs)?;
        self.spans.finish(&mut self.runs)?;
        write_runs(&self.meta, &self.runs, sink.create(&path(5))?)
    }
}

/// Writes the last file: where all rows are, and [`Meta`].
fn write_runs(meta: &Meta, runs: &[RunRow], out: Output) -> Result<(), EngineError> {
    const BATCH_ROWS: usize = 1 << 16;
    let meta =
        serde_json::to_string(meta).map_err(|error| EngineError::Damaged(error.to_string()))?;
    let schema = RunColumns::schema()
        .as_ref()
        .clone()
        .with_metadata(HashMap::from([(META.to_owned(), meta)]));
    let mut writer = BatchWriter::new(out, &schema)?;
    let schema = Arc::new(schema);
    for rows in runs.chunks(BATCH_ROWS) {
        let batch = RunColumns::batch(&[rows])?.with_schema(schema.clone())?;
        writer.write(&batch, rows.iter().map(RunColumns::time))?;
    }
    writer.finish()?;
    Ok(())
}

/// A short label as a number; 0 for a long one.
#[inline]
fn key(label: &str) -> u64 {
    if label.len() > size_of::<u64>() {
        return 0;
    }
    label
        .bytes()
        .fold(0, |key, byte| key << u8::BITS | u64::from(byte))
}

/// Path of one of the index's files inside the bundle.
fn path(number: u8) -> String {
    format!("{FOLDER}/{}", FILES[usize::from(number)])
}

impl Lanes {
    /// Adds the slices that are held to their lanes.
    fn add_stays(&mut self) {
        let mut held = mem::replace(&mut self.held_slices, ByCpu::NONE);
        for cpu in held.cpus.drain(..) {
            self.lane(cpu);
            let rows = held.rows[cpu as usize].drain(..);
            if let Some(lane) = self.cpus[cpu as usize].as_mut() {
                rows.for_each(|row| {
                    lane.slices
                        .push(row, &mut self.slices, &mut self.slice_buckets);
                });
            }
        }
        held.count = 0;
        self.held_slices = held;
    }

    /// Adds the numbers of waiting tasks that are held to their lanes.
    fn add_waits(&mut self) {
        for cpu in self.waits.cpus.drain(..) {
            let rows = self.waits.rows[cpu as usize].drain(..);
            if let Some(lane) = self.cpus[cpu as usize].as_mut() {
                rows.for_each(|(time, waiting)| {
                    lane.waits
                        .set(time, 0, waiting, &mut self.steps, &mut self.step_buckets);
                });
            }
        }
        self.waits.count = 0;
    }

    fn state(&mut self, row: &StateRow) {
        let (busy, waiting) = (row.state.on == OnCpu::Task, u32::from(row.state.waiting()));
        let (time, cpu) = (self.time(row.ts_ns), row.cpu);
        self.lane(cpu);
        let Some(lane) = self.cpus[cpu as usize].as_mut() else {
            return;
        };
        if (lane.busy, lane.waiting) == (busy, waiting) {
            return;
        }
        if lane.waiting != waiting {
            self.waits.push(cpu, (time, waiting));
        }
        if let Some(node) = lane.node.and_then(|node| self.nodes.get_mut(node)) {
            node.busy = node.busy + u32::from(busy) - u32::from(lane.busy);
            node.waiting = node.waiting + waiting - lane.waiting;
            node.steps.set(
                time,
                node.busy,
                node.waiting,
                &mut self.steps,
                &mut self.step_buckets,
            );
        }
        lane.busy = busy;
        lane.waiting = waiting;
    }

    fn unknown(&mut self, cpu: u32, row: SpanRow) {
        self.lane(cpu);
        if let Some(lane) = &self.cpus[cpu as usize] {
            self.spans.push(lane.spans, row);
        }
    }
}
