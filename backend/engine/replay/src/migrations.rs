//! The log of migrations of tasks: rows, writer, reader.

use numalens_core::EngineError;
use numalens_core::ipc::Bytes;
use numalens_core::listed;
use numalens_core::logs::{Batches, between, table};
use numalens_core::tasks::TaskId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::log::writer;

listed! {
    /// State of a task when its CPU changed (`set_task_cpu`, event `sched_migrate_task`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
    #[schemars(rename = "MoveWhile")]
    #[serde(rename_all = "snake_case")]
    #[repr(u8)]
    pub enum How {
        /// Nothing was known about the task.
        Unknown = 0,
        /// Being woken: after `sched_waking`, before `sched_wakeup`. Its wakeup placed it.
        Waking = 1,
        /// Runnable or on a CPU: a balancer, a change of affinity or an exec moved it.
        Runnable = 2,
        /// Asleep.
        Asleep = 3,
    }
}

impl From<u8> for How {
    fn from(number: u8) -> Self {
        *Self::ALL.get(usize::from(number)).unwrap_or(&Self::Unknown)
    }
}

/// The migrations of tasks inside the bundle.
pub const MIGRATIONS_FILE: &str = "numa/migrations.arrow";

table! {
    /// A task's CPU changed.
    pub Migration, MigrationColumns, ts_ns, {
        /// ns of the reference clock; ascends from row to row.
        ts_ns: u64,
        /// The CPU that recorded it.
        cpu: u32,
        /// The task's pid.
        pid: i32,
        /// The task's number.
        task: TaskId,
        /// Source CPU.
        orig_cpu: u32,
        /// Target CPU.
        dest_cpu: u32,
        /// State of the task.
        how: How as u8,
    }
}

writer! {
    /// Writes the file.
    MigrationsWriter, MigrationColumns, Migration, |row: &Migration| *row
}

/// The migrations, ready to be read.
#[derive(Debug)]
pub struct Migrations(Batches<MigrationColumns>);

impl Migrations {
    /// Opens the file's bytes.
    ///
    /// # Errors
    /// The bytes are not those of migrations.
    pub fn open(bytes: impl Into<Bytes>) -> Result<Self, EngineError> {
        Batches::open(bytes, "migrations").map(Self)
    }

    /// Number of migrations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.rows()
    }

    /// Returns whether there are no migrations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The migrations from `from` to `to` (both ends count), ascending in time.
    ///
    /// # Errors
    /// They could not be read.
    pub fn rows(&self, from: u64, to: u64) -> Result<impl Iterator<Item = Migration>, EngineError> {
        between(&self.0, from, to)
    }
}
