//! Tasks by number: each pair of pid and name that ran gets the number of its row.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::{Int32Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::EngineError;

/// Number of a task: its row in the table of tasks.
pub type TaskId = u32;

/// Means "no task".
pub const NO_TASK: TaskId = TaskId::MAX;

/// Rows of the table of tasks that go into one batch.
const BATCH_ROWS: usize = 1 << 16;

/// Pairs of pid and name, and how long each ran.
#[derive(Debug, Default)]
pub struct Tasks {
    ids: HashMap<(i32, Box<str>), TaskId>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    pid: i32,
    comm: Box<str>,
    run_ns: u64,
    first_ns: u64,
    last_ns: u64,
}

impl Tasks {
    /// The number of a pair, a new one when it is new.
    pub fn id(&mut self, pid: i32, comm: &str) -> TaskId {
        // A lookup by a borrowed pair would need a key type of its own; the copy is short (16 bytes at most in the
        // kernel) and callers keep the last number of a pid, so this is off the hot path.
        let key = (pid, Box::from(comm));
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let id = self.rows.len() as TaskId;
        self.rows.push(Row {
            pid,
            comm: key.1.clone(),
            run_ns: 0,
            first_ns: u64::MAX,
            last_ns: 0,
        });
        self.ids.insert(key, id);
        id
    }

    /// The name of a task.
    #[must_use]
    pub fn comm(&self, id: TaskId) -> &str {
        self.rows.get(id as usize).map_or("", |row| &row.comm)
    }

    /// The pid of a task.
    #[must_use]
    pub fn pid(&self, id: TaskId) -> i32 {
        self.rows.get(id as usize).map_or(-1, |row| row.pid)
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a slice of the task on a CPU, in ns of the trace clock.
    pub fn ran(&mut self, id: TaskId, start_ns: u64, end_ns: u64) {
        if let Some(row) = self.rows.get_mut(id as usize) {
            row.run_ns = row.run_ns.saturating_add(end_ns.saturating_sub(start_ns));
            row.first_ns = row.first_ns.min(start_ns);
            row.last_ns = row.last_ns.max(end_ns);
        }
    }

    /// Pid, and the first and last moment on a CPU, ns, of each; zeros for one that never ran.
    pub fn spans(&self) -> impl Iterator<Item = (i32, u64, u64)> {
        let rows = self.rows.iter();
        rows.map(|row| (row.pid, row.first_ns.min(row.last_ns), row.last_ns))
    }

    /// Writes the table as an Arrow IPC file: `task` u32, `pid` i32, `comm` utf8, `run_ns` (time on CPUs), `first_ns`
    /// (first moment on a CPU), `last_ns` u64, `tgid` i32 (the process; null where nothing names it). A task that never ran
    /// has zeros. `tgids` are the processes by number.
    ///
    /// # Errors
    /// The writer failed.
    pub fn write<W: Write>(&self, tgids: &[Option<i32>], out: W) -> Result<W, EngineError> {
        let schema = schema();
        let mut writer = FileWriter::try_new(out, &schema)?;
        for (at, rows) in self.rows.chunks(BATCH_ROWS).enumerate() {
            let first = at * BATCH_ROWS;
            let batch = RecordBatch::try_new(
                schema.clone(),
                vec![
                    Arc::new(UInt32Array::from_iter_values(
                        (first..first + rows.len()).map(|id| id as TaskId),
                    )),
                    Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.pid))),
                    Arc::new(StringArray::from_iter_values(
                        rows.iter().map(|row| &row.comm),
                    )),
                    Arc::new(UInt64Array::from_iter_values(
                        rows.iter().map(|row| row.run_ns),
                    )),
                    Arc::new(UInt64Array::from_iter_values(
                        rows.iter().map(|row| row.first_ns.min(row.last_ns)),
                    )),
                    Arc::new(UInt64Array::from_iter_values(
                        rows.iter().map(|row| row.last_ns),
                    )),
                    Arc::new(
                        (first..first + rows.len())
                            .map(|id| tgids.get(id).copied().flatten())
                            .collect::<Int32Array>(),
                    ),
                ],
            )?;
            writer.write(&batch)?;
        }
        Ok(writer.into_inner()?)
    }
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("task", DataType::UInt32, false),
        Field::new("pid", DataType::Int32, false),
        Field::new("comm", DataType::Utf8, false),
        Field::new("run_ns", DataType::UInt64, false),
        Field::new("first_ns", DataType::UInt64, false),
        Field::new("last_ns", DataType::UInt64, false),
        Field::new("tgid", DataType::Int32, true),
    ]))
}
