//! Whether memory followed the CPUs or the CPUs the memory, and how late (`docs/algorithms/page_migration.md`, M8-M12).

mod convergence;
mod follow;
mod inputs;
mod locality;
mod meter;
mod pages;
mod result;
mod samples;
mod tasks;

use numalens_replay::migrations::Migration;
use numalens_replay::numa::{PageBatch, PageCalls, PageLog, PageRun};

pub use self::convergence::{Convergence, LOCAL_SHARE, ProcessConvergence, QUIET_NS};
pub use self::follow::FIGHT_WINDOW_NS;
pub use self::inputs::{AMORTISATION_NS, Config, NUMA_MISPLACED, Reasons, SYSCALL, Stays, Who};
pub use self::locality::{Locality, Piece, ProcessLocality};
pub use self::meter::Meter;
pub use self::result::{
    CpuFollowsMemory, Durations, Dwell, Fight, Fighter, JustTooLate, MemoryFollowsCpu, Metrics,
    NodeMoves, NodePages, Quality, RemoteRun, Series, Shorter, TaskRow, TaskRows,
};
pub use self::samples::{FaultRow, MapRow, PreferredRow, Samples, Told};
pub use self::tasks::{INTERVALS_NS, SHORT_NS};

/// So many in a time of so many seconds, per second; 0 in no time.
fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        count as f64 / seconds
    } else {
        0.0
    }
}

/// As [`measure_runs`], of calls in any form.
pub fn measure(
    config: Config<'_>,
    migrations: impl IntoIterator<Item = Migration>,
    pages: impl IntoIterator<Item = PageBatch>,
) -> Metrics {
    let log: PageLog = pages.into_iter().collect();
    measure_runs(config, migrations, log.runs())
}

/// Measures a window. Both logs ascend, begin with the recording and go on to [`Config::rows_until_ns`]. Calls that are alike
/// are counted together.
pub fn measure_runs<'a>(
    config: Config<'a>,
    migrations: impl IntoIterator<Item = Migration>,
    runs: impl IntoIterator<Item = (PageRun, PageCalls<'a>)>,
) -> Metrics {
    let mut meter = Meter::new(config);
    let mut migrations = migrations.into_iter();
    let mut next = migrations.next();
    runs.into_iter().for_each(|(run, mut calls)| {
        // A task may leave its node between two calls of a run.
        while let Some(last) = calls.end_ns().last()
            && let Some(row) = next.as_ref().filter(|row| row.ts_ns < *last)
        {
            let before = calls.end_ns().partition_point(|end| *end <= row.ts_ns);
            let (now, later) = calls.split_at(before);
            meter.calls(&run, now);
            meter.migration(row);
            next = migrations.next();
            calls = later;
        }
        meter.calls(&run, calls);
    });
    for row in next.into_iter().chain(migrations) {
        meter.migration(&row);
    }
    meter.finish()
}
