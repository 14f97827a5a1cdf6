//! The per-node table of the regression report of 2020 (`docs/algorithms/numa_balancing.md`, N15), in three readings.
//!
//! The arithmetic is that of [`utilisation`](crate::utilisation), which gives the usual reading; here are the begin of the
//! workload, and the readings that count only a workload's tasks or all that is runnable.

mod load;
mod result;
mod workload;

pub use self::load::LoadMeter;
pub use self::result::{NodeRow, Reading, Table};
pub use self::workload::{WorkloadMeter, workload_begin};

/// Length of a step in the report, ns.
pub const STEP_NS: u64 = 5_000_000_000;
