//! Whether memory followed the CPUs or the CPUs the memory, and how late (spec 4.A, "Metrics over a trace").

mod convergence;
mod follow;
mod inputs;
mod locality;
mod meter;
mod pages;
mod result;
mod samples;
mod tasks;

pub use convergence::{Convergence, LOCAL_SHARE, ProcessConvergence, QUIET_NS};
pub use follow::FIGHT_WINDOW_NS;
pub use inputs::{AMORTISATION_NS, Config, NUMA_MISPLACED, Reasons, SYSCALL, Stays, Who};
pub use locality::{Locality, Piece, ProcessLocality};
pub use meter::Meter;
pub use result::{
    CpuFollowsMemory, Durations, Dwell, Fight, Fighter, JustTooLate, MemoryFollowsCpu, Metrics,
    NodeMoves, NodePages, Quality, RemoteRun, Series, Shorter, TaskRow, TaskRows,
};
pub use samples::{FaultRow, MapRow, PreferredRow, Samples, Told};
pub use tasks::{INTERVALS_NS, SHORT_NS};

use crate::numa::{Migration, PageBatch};

/// So many in a time of so many seconds, per second; 0 in no time.
fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        count as f64 / seconds
    } else {
        0.0
    }
}

/// Measures a window. Both logs ascend, begin with the recording and go on to [`Config::rows_until_ns`].
pub fn measure(
    config: Config<'_>,
    migrations: impl IntoIterator<Item = Migration>,
    pages: impl IntoIterator<Item = PageBatch>,
) -> Metrics {
    let mut meter = Meter::new(config);
    let mut pages = pages.into_iter().peekable();
    for migration in migrations {
        while let Some(batch) = pages.next_if(|batch| batch.end_ns <= migration.ts_ns) {
            meter.pages(&batch);
        }
        meter.migration(&migration);
    }
    for batch in pages {
        meter.pages(&batch);
    }
    meter.finish()
}
