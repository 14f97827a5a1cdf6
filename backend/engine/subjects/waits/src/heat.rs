//! Number of waits by time and length: a map of columns of time and buckets of length.

use numalens_core::provenance::{Label, Source};
use numalens_replay::waits::WaitPart;
use numalens_subject::waits::Sort;
use numalens_subject::window::{SCHED_WAKING, Steps, lowered};
use schemars::JsonSchema;
use serde::Serialize;

/// Buckets of length: of 0 and 1 ns, then one for each power of two up to 2^46 ns and more (19 hours).
pub const BUCKETS: usize = 48;

/// The bucket of a length: `b` has the waits of 2^b ns and more and of less than 2^(b+1).
#[must_use]
pub fn bucket_of(wait_ns: u64) -> usize {
    (wait_ns.max(1).ilog2() as usize).min(BUCKETS - 1)
}

/// Query.
#[derive(Debug, Clone)]
pub struct HeatConfig<'a> {
    /// Pids of the tasks, by number: the idle task's waits are left out.
    pub pids: &'a [i32],
    /// Source of the run states.
    pub source: Source,
    /// True if the recording has wakeup requests (`sched_waking`).
    pub requests: bool,
    /// The columns.
    pub steps: Steps,
}

/// The waits of a column and a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "HeatCell")]
pub struct Cell {
    /// Column, from 0.
    pub column: usize,
    /// Bucket; see [`bucket_of`].
    pub bucket: usize,
    /// Number of waits.
    pub count: u64,
}

/// The waits of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HeatWaits {
    /// Number.
    pub count: u64,
    /// Cells by column and then by bucket; only those with waits.
    pub cells: Vec<Cell>,
    /// The most in a cell.
    pub most: u64,
}

/// Waits over time and by length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WaitHeat {
    /// Length of a column, ns; the last one may be shorter.
    pub step_ns: u64,
    /// Number of columns, from the start of the window.
    pub columns: usize,
    /// Wake-ups; those that ended in a column.
    pub wakeups: HeatWaits,
    /// Waits after a preemption.
    pub preempted: HeatWaits,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// Counts waits. Memory use depends on the number of columns only.
#[derive(Debug)]
pub struct HeatMeter<'a> {
    config: HeatConfig<'a>,
    wakeups: Vec<[u64; BUCKETS]>,
    preempted: Vec<[u64; BUCKETS]>,
}

impl<'a> HeatMeter<'a> {
    /// Returns an empty meter.
    #[must_use]
    pub fn new(config: HeatConfig<'a>) -> Self {
        let columns = config.steps.count();
        Self {
            wakeups: vec![[0; BUCKETS]; columns],
            preempted: vec![[0; BUCKETS]; columns],
            config,
        }
    }

    /// Adds a wait; those that are in no percentile of [`Meter`](crate::Meter) are left out.
    #[inline]
    pub fn wait(&mut self, part: &WaitPart<'_>) {
        let columns = match Sort::of(part) {
            Sort::Preempted => &mut self.preempted,
            Sort::WokenUp => &mut self.wakeups,
            Sort::New | Sort::Unfinished => return,
        };
        if self.config.pids.get(part.wait.task as usize) == Some(&0) {
            return;
        }
        // A wait that ends with the window belongs to the last column.
        let last = columns.len().saturating_sub(1);
        let column = self.config.steps.at(part.to_ns).min(last);
        if let Some(column) = columns.get_mut(column) {
            column[bucket_of(part.ns())] += 1;
        }
    }

    /// Returns the map of the waits.
    #[must_use]
    pub fn finish(self) -> WaitHeat {
        let missing: &[&str] = if self.config.requests {
            &[]
        } else {
            &[SCHED_WAKING]
        };
        let (label, missing) = lowered(&self.config.source, missing);
        WaitHeat {
            step_ns: self.config.steps.step_ns(),
            columns: self.config.steps.count(),
            wakeups: heat_waits(&self.wakeups),
            preempted: heat_waits(&self.preempted),
            label,
            missing,
        }
    }
}

fn heat_waits(columns: &[[u64; BUCKETS]]) -> HeatWaits {
    let cells: Vec<Cell> = columns
        .iter()
        .enumerate()
        .flat_map(|(column, buckets)| {
            let counts = buckets.iter().enumerate().filter(|(_, count)| **count > 0);
            counts.map(move |(bucket, &count)| Cell {
                column,
                bucket,
                count,
            })
        })
        .collect();
    HeatWaits {
        count: cells.iter().map(|cell| cell.count).sum(),
        most: cells.iter().map(|cell| cell.count).max().unwrap_or(0),
        cells,
    }
}
