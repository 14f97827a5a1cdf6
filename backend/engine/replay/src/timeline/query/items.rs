//! Collects items into the answer's columns.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Float32Array, Float64Array, RecordBatch, UInt8Array, UInt16Array, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use numalens_core::EngineError;
use numalens_core::tasks::{NO_TASK, TaskId};

/// One item of a lane; times in ns after the origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) kind: u8,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) busy: f32,
    pub(super) wait: f32,
    pub(super) wait_max: u32,
    pub(super) task: TaskId,
    pub(super) count: u32,
}

impl Item {
    pub(super) const NOTHING: Self = Self {
        kind: 0,
        start: 0,
        end: 0,
        busy: 0.0,
        wait: 0.0,
        wait_max: 0,
        task: NO_TASK,
        count: 0,
    };
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
    wait: Vec<f32>,
    wait_max: Vec<u32>,
    task: Vec<u32>,
    count: Vec<u32>,
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
    pub(super) fn new(origin_ns: u64) -> Self {
        Self {
            origin_ns,
            now: 0,
            lane: Vec::new(),
            kind: Vec::new(),
            start: Vec::new(),
            end: Vec::new(),
            busy: Vec::new(),
            wait: Vec::new(),
            wait_max: Vec::new(),
            task: Vec::new(),
            count: Vec::new(),
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
        self.wait.push(item.wait);
        self.wait_max.push(item.wait_max);
        self.task.push(item.task);
        self.count.push(item.count);
    }

    pub(super) fn finish(self) -> Result<RecordBatch, EngineError> {
        let schema = Schema::new_with_metadata(
            vec![
                Field::new("lane", DataType::UInt16, false),
                Field::new("kind", DataType::UInt8, false),
                Field::new("t0", DataType::Float64, false),
                Field::new("t1", DataType::Float64, false),
                Field::new("busy", DataType::Float32, false),
                Field::new("wait", DataType::Float32, false),
                Field::new("wait_max", DataType::UInt32, false),
                Field::new("task", DataType::UInt32, false),
                Field::new("count", DataType::UInt32, false),
            ],
            HashMap::from([("origin_ns".to_owned(), self.origin_ns.to_string())]),
        );
        Ok(RecordBatch::try_new(
            Arc::new(schema),
            vec![
                Arc::new(UInt16Array::from(self.lane)),
                Arc::new(UInt8Array::from(self.kind)),
                Arc::new(Float64Array::from(self.start)),
                Arc::new(Float64Array::from(self.end)),
                Arc::new(Float32Array::from(self.busy)),
                Arc::new(Float32Array::from(self.wait)),
                Arc::new(UInt32Array::from(self.wait_max)),
                Arc::new(UInt32Array::from(self.task)),
                Arc::new(UInt32Array::from(self.count)),
            ],
        )?)
    }
}
