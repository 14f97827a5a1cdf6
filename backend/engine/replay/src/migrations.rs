//! The log of migrations of tasks: rows, writer, reader.

use numalens_core::EngineError;
use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, between, table};
use numalens_core::tasks::TaskId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::log::writer;

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

/// A task's CPU changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// ns of the reference clock; ascends from row to row.
    pub ts_ns: u64,
    /// The CPU that recorded it.
    pub cpu: u32,
    /// The task's pid.
    pub pid: i32,
    /// The task's number.
    pub task: TaskId,
    /// Source CPU.
    pub orig_cpu: u32,
    /// Target CPU.
    pub dest_cpu: u32,
    /// State of the task.
    pub how: How,
}

/// The migrations of tasks inside the bundle.
pub const MIGRATIONS_FILE: &str = "numa/migrations.arrow";

table! {
    /// A row of the file.
    Stored, MigrationColumns, ts_ns, {
        ts_ns: u64,
        cpu: u32,
        pid: i32,
        task: u32,
        orig_cpu: u32,
        dest_cpu: u32,
        how: u8,
    }
}

impl Migration {
    fn pack(&self) -> Stored {
        Stored {
            ts_ns: self.ts_ns,
            cpu: self.cpu,
            pid: self.pid,
            task: self.task,
            orig_cpu: self.orig_cpu,
            dest_cpu: self.dest_cpu,
            how: self.how as u8,
        }
    }
}

impl Stored {
    fn unpack(self) -> Migration {
        Migration {
            ts_ns: self.ts_ns,
            cpu: self.cpu,
            pid: self.pid,
            task: self.task,
            orig_cpu: self.orig_cpu,
            dest_cpu: self.dest_cpu,
            how: match self.how {
                1 => How::Waking,
                2 => How::Runnable,
                3 => How::Asleep,
                _ => How::Unknown,
            },
        }
    }
}

writer! {
    /// Writes the file.
    MigrationsWriter, MigrationColumns, Migration
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
        Ok(between(&self.0, from, to)?.map(Stored::unpack))
    }
}
