//! Metrics of memory that follows CPUs and CPUs that follow memory, and their delays (`docs/algorithms/page_migration.md`,
//! M8-M12).

mod follow;
mod locality;
mod meter;
mod pages;
mod result;
mod samples;
mod tasks;

use std::fmt;

use numalens_core::provenance::Source;
use numalens_core::topology::Node;
use numalens_replay::migrations::Migration;
use numalens_replay::numa::{Attempt, PageBatch, PageCalls, PageLog, PageRun};

use crate::vmstat::Vmstat;

pub use self::follow::FIGHT_WINDOW_NS;
pub use self::locality::{
    Convergence, LOCAL_SHARE, Locality, Piece, ProcessConvergence, ProcessLocality, QUIET_NS,
};
pub use self::meter::Meter;
pub use self::result::{
    CpuFollowsMemory, Durations, Dwell, Fight, Fighter, JustTooLate, MemoryFollowsCpu, Metrics,
    NodeMoves, NodePages, RemoteRun, Series, Shorter, TaskRow, TaskRows,
};
pub use self::samples::{FaultRow, MapRow, MemoryEvidence, PreferredRow, Quality, Samples};
pub use self::tasks::{INTERVALS_NS, SHORT_NS};

/// A count in a number of seconds, per second; 0 in no time.
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

/// Measures a window. Both logs ascend, begin with the recording and continue to [`Config::rows_until_ns`]. Equal calls are
/// counted together.
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

// Requests, and their basis.

/// The reason of migrations on fault, as `mm_migrate_pages` prints it.
pub const NUMA_MISPLACED: &str = "numa_misplaced";

/// The reason of `migrate_pages(2)`, `move_pages(2)` and cpusets, as `mm_migrate_pages` prints it.
pub const SYSCALL: &str = "syscall_or_cpuset";

/// Default amortization, ns: a page migrated for a task that leaves sooner came too late.
pub const AMORTISATION_NS: u64 = 1_000_000_000;

/// The reasons of page migrations: their names, by the number in [`PageBatch`](numalens_replay::numa::PageBatch).
#[derive(Debug, Clone, Copy)]
pub struct Reasons<'a>(pub &'a [&'a str]);

impl Default for Reasons<'_> {
    /// In the order of `enum migrate_reason` (Linux 6.12).
    fn default() -> Self {
        Self(&[
            "compaction",
            "memory_failure",
            "memory_hotplug",
            SYSCALL,
            "mempolicy_mbind",
            NUMA_MISPLACED,
            "contig_range",
            "longterm_pin",
            "demotion",
            "damon",
        ])
    }
}

impl<'a> Reasons<'a> {
    /// Returns the name of a number; empty when not known.
    #[must_use]
    pub fn name(self, reason: u8) -> &'a str {
        self.0.get(usize::from(reason)).copied().unwrap_or_default()
    }

    /// Returns whether pages were migrated because a task on another node touched them.
    #[must_use]
    pub fn misplaced(self, reason: u8) -> bool {
        self.name(reason) == NUMA_MISPLACED
    }
}

/// Owner of the requested time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Who {
    /// One task, by pid.
    Task(i32),
    /// All tasks of a process, by tgid.
    Process(i32),
}

/// Knows how long tasks ran on which node.
pub trait Stays: fmt::Debug {
    /// Time on CPUs by node, ns, between two moments; each node at most once.
    fn ran(&self, who: Who, from_ns: u64, to_ns: u64) -> Vec<(u32, u64)>;
}

/// Query. Times are ns of the reference clock.
#[derive(Clone)]
pub struct Config<'a> {
    /// The machine.
    pub nodes: &'a [Node],
    /// Start of the recording. Locations of tasks are followed from there, whatever the window is.
    pub begin_ns: u64,
    /// The recording's end.
    pub end_ns: u64,
    /// Start of the window.
    pub from_ns: u64,
    /// The window's end.
    pub to_ns: u64,
    /// A: a task must stay so long on a node for its pages to be worth the way.
    pub amortisation_ns: u64,
    /// Step of the series; `None` for at most 512 points.
    pub step_ns: Option<u64>,
    /// Names of the reasons of page migrations.
    pub reasons: Reasons<'a>,
    /// The process of a task; where it is not known, the task counts as one of its own.
    pub tgid: &'a dyn Fn(i32) -> Option<i32>,
    /// Samples of the tasks' memory.
    pub samples: &'a Samples,
    /// Attempts of the NUMA balancer, ascending in time; `None` when not recorded. Without a sample, an attempt shows that a
    /// move went to the task's memory.
    pub attempts: Option<&'a [Attempt]>,
    /// Samples of `/proc/vmstat`, ascending in time.
    pub vmstat: &'a [Vmstat],
    /// Run times of tasks by node, if known.
    pub stays: Option<&'a dyn Stays>,
    /// True if the log has rows of `mm_migrate_misplaced_pages`, which show the nodes. They cover pages that
    /// `mm_migrate_pages` also covers: on fault, only one of both is counted.
    pub nodes_recorded: bool,
    /// Source of the moves of tasks.
    pub moves: Source,
    /// Source of the migrations of pages; `None` when not recorded.
    pub pages: Option<Source>,
}

impl fmt::Debug for Config<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("from_ns", &self.from_ns)
            .field("to_ns", &self.to_ns)
            .finish_non_exhaustive()
    }
}

impl Config<'_> {
    /// The process of a task, or the task itself.
    fn process(&self, pid: i32) -> i32 {
        (self.tgid)(pid).unwrap_or(pid)
    }

    /// Returns whether a time belongs to the window: its end does only where the recording ends as well.
    fn inside(&self, t_ns: u64) -> bool {
        t_ns >= self.from_ns
            && (t_ns < self.to_ns || (t_ns == self.to_ns && self.to_ns >= self.end_ns))
    }

    /// Returns whether any input shows the location of memory.
    fn knows_memory(&self) -> bool {
        !self.samples.is_empty() || self.attempts.is_some()
    }

    /// Part of a span inside the window, ns.
    fn overlap(&self, from_ns: u64, to_ns: u64) -> u64 {
        to_ns
            .min(self.to_ns)
            .saturating_sub(from_ns.max(self.from_ns))
    }

    /// The last moment of which moves are wanted: a page's fate shows up to A after it came.
    #[must_use]
    pub fn rows_until_ns(&self) -> u64 {
        self.to_ns
            .saturating_add(self.amortisation_ns)
            .min(self.end_ns.max(self.to_ns))
    }
}
