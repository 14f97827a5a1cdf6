//! Collects items into the answer's columns.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, Float32Array, Float64Array, Int32Array, RecordBatch, UInt8Array, UInt16Array,
    UInt32Array,
};
use arrow_schema::{Field, Schema};
use numalens_core::EngineError;
use numalens_core::tasks::{NO_TASK, TaskId};

use crate::timeline::task_spans::{NO_CAUSE, NO_CPU};
use crate::waits::Cause;

/// One item of a lane; times in ns after the origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) kind: u8,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) busy: f32,
    /// The part of `busy` by real-time and deadline tasks, of a CPU's lane.
    pub(super) rt: f32,
    pub(super) wait: f32,
    pub(super) wait_max: u32,
    pub(super) task: TaskId,
    pub(super) count: u32,
    /// Only of tasks' lanes, as the next two: a run's CPU, or where a wait ended; `u32::MAX` = none.
    pub(super) cpu: u32,
    /// Task on the CPU that woke this one; -1 = none, or not recorded.
    pub(super) waker_pid: i32,
    /// Number of the cause that most of a wait had; 255 = none.
    pub(super) cause: u8,
    /// Only of threads together, as the next one: how many were in uninterruptible sleep, in the mean.
    pub(super) blocked: f32,
    /// Mean number of threads in an unknown state.
    pub(super) unknown: f32,
}

impl Item {
    pub(super) const NOTHING: Self = Self {
        kind: 0,
        start: 0,
        end: 0,
        busy: 0.0,
        rt: 0.0,
        wait: 0.0,
        wait_max: 0,
        task: NO_TASK,
        count: 0,
        cpu: NO_CPU,
        waker_pid: -1,
        cause: NO_CAUSE,
        blocked: 0.0,
        unknown: 0.0,
    };
}

/// Columns that only lanes of tasks, and of threads together, have.
#[derive(Debug, Default)]
struct OfTasks {
    cpu: Vec<u32>,
    waker_pid: Vec<i32>,
    cause: Vec<u8>,
    blocked: Vec<f32>,
    unknown: Vec<f32>,
}

#[derive(Debug)]
pub(super) struct Items {
    origin_ns: u64,
    now: u16,
    lane: Vec<u16>,
    kind: Vec<u8>,
    start: Vec<f64>,
    end: Vec<f64>,
    busy: Vec<f32>,
    rt: Vec<f32>,
    wait: Vec<f32>,
    wait_max: Vec<u32>,
    task: Vec<u32>,
    count: Vec<u32>,
    of_tasks: Option<OfTasks>,
}

/// `part / whole` as a share or a mean; 0 of nothing.
pub(super) fn ratio(part: u64, whole: u64) -> f32 {
    if whole == 0 {
        0.0
    } else {
        (part as f64 / whole as f64) as f32
    }
}

impl Items {
    /// `of_tasks`: with the columns that only lanes of tasks have.
    pub(super) fn new(origin_ns: u64, of_tasks: bool) -> Self {
        Self {
            origin_ns,
            now: 0,
            lane: Vec::new(),
            kind: Vec::new(),
            start: Vec::new(),
            end: Vec::new(),
            busy: Vec::new(),
            rt: Vec::new(),
            wait: Vec::new(),
            wait_max: Vec::new(),
            task: Vec::new(),
            count: Vec::new(),
            of_tasks: of_tasks.then(OfTasks::default),
        }
    }

    /// The items from here on belong to this lane.
    pub(super) fn lane(&mut self, lane: u16) {
        self.now = lane;
    }

    pub(super) fn push(&mut self, item: Item) {
        self.lane.push(self.now);
        self.kind.push(item.kind);
        self.start.push(item.start as f64);
        self.end.push(item.end as f64);
        self.busy.push(item.busy);
        self.rt.push(item.rt);
        self.wait.push(item.wait);
        self.wait_max.push(item.wait_max);
        self.task.push(item.task);
        self.count.push(item.count);
        if let Some(of_tasks) = &mut self.of_tasks {
            of_tasks.cpu.push(item.cpu);
            of_tasks.waker_pid.push(item.waker_pid);
            of_tasks.cause.push(item.cause);
            of_tasks.blocked.push(item.blocked);
            of_tasks.unknown.push(item.unknown);
        }
    }

    pub(super) fn finish(self) -> Result<RecordBatch, EngineError> {
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("lane", Arc::new(UInt16Array::from(self.lane))),
            ("kind", Arc::new(UInt8Array::from(self.kind))),
            ("t0", Arc::new(Float64Array::from(self.start))),
            ("t1", Arc::new(Float64Array::from(self.end))),
            ("busy", Arc::new(Float32Array::from(self.busy))),
            ("rt", Arc::new(Float32Array::from(self.rt))),
            ("wait", Arc::new(Float32Array::from(self.wait))),
            ("wait_max", Arc::new(UInt32Array::from(self.wait_max))),
            ("task", Arc::new(UInt32Array::from(self.task))),
            ("count", Arc::new(UInt32Array::from(self.count))),
        ];
        let origin = ("origin_ns".to_owned(), self.origin_ns.to_string());
        let mut metadata = HashMap::from([origin]);
        if let Some(of_tasks) = self.of_tasks {
            let causes = Cause::ALL.map(Cause::name).join(",");
            metadata.insert("causes".to_owned(), causes);
            columns.push(("cpu", Arc::new(UInt32Array::from(of_tasks.cpu))));
            let waker_pid = Int32Array::from(of_tasks.waker_pid);
            columns.push(("waker_pid", Arc::new(waker_pid)));
            columns.push(("cause", Arc::new(UInt8Array::from(of_tasks.cause))));
            for (name, means) in [("blocked", of_tasks.blocked), ("unknown", of_tasks.unknown)] {
                columns.push((name, Arc::new(Float32Array::from(means))));
            }
        }
        let fields: Vec<Field> = columns
            .iter()
            .map(|(name, column)| Field::new(*name, column.data_type().clone(), false))
            .collect();
        let schema = Schema::new_with_metadata(fields, metadata);
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        Ok(RecordBatch::try_new(Arc::new(schema), columns)?)
    }
}
