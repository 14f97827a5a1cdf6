//! Basis of all other crates of the engine: ids, time, topology, provenance, Arrow files and logs.
//!
//! * [`bounds`]: what rows of a log may say;
//! * [`tasks`]: the tasks by number;
//! * [`catalogue`]: rows of wording;
//! * [`clock`]: the inputs' clocks, put on one;
//! * [`topology`]: which CPU belongs to which node;
//! * [`provenance`]: how values are known;
//! * [`columns`]: typed access to the columns of one batch;
//! * [`ipc`]: Arrow files out of any bytes;
//! * [`Helper`]: a second thread of the caller's;
//! * [`json`]: what the JSON of all sections has in common;
//! * [`logs`]: tables of plain rows, written once and read batch by batch.

pub mod bounds;
pub mod catalogue;
mod cells;
pub mod clock;
pub mod columns;
mod cpu_set;
mod error;
mod files;
pub mod hash;
pub mod ipc;
pub mod json;
pub mod kernel_version;
pub mod logs;
pub mod provenance;
pub mod tasks;
pub mod topology;

pub use self::cpu_set::CpuSet;
pub use self::error::EngineError;
pub use self::files::{FileSink, Helper, Job, Lent, Output};
