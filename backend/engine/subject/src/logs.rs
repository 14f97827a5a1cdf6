//! Samples that the NUMA replays read, as plain rows on the reference clock.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, PrimitiveArray, RecordBatch};
use numalens_bundle::{Error, NumaLogs};
use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_replay::evidence::Evidence;
use numalens_replay::migrations::{Migration, Migrations};
use numalens_replay::numa::{
    Attempt, Lines, PageBatch, PageCalls, PageRun, Sources, StickFormat, Summary,
};

use crate::section::{NO_RECORDING, Parts, at, integers, replay};
use crate::{Context, Stop};

/// A column of numbers.
#[must_use]
pub fn column<'a, T: ArrowPrimitiveType>(
    batch: &'a RecordBatch,
    name: &str,
) -> Option<&'a PrimitiveArray<T>> {
    batch.column_by_name(name)?.as_primitive_opt::<T>()
}

/// The value of a row, if it has one.
#[must_use]
pub fn cell<T: ArrowPrimitiveType>(
    array: Option<&PrimitiveArray<T>>,
    row: usize,
) -> Option<T::Native> {
    array.and_then(|array| array.is_valid(row).then(|| array.value(row)))
}

/// Start and end of the sample of each row with a time on the reference clock.
#[must_use]
pub fn times(batch: &RecordBatch) -> Vec<Option<(u64, u64)>> {
    let begins = integers(batch, "ts_ns");
    let (mono, end) = (integers(batch, "mono_ns"), integers(batch, "end_mono_ns"));
    (0..batch.num_rows())
        .map(|row| {
            let begin = u64::try_from(at(begins, row)?).ok()?;
            let took = at(end, row).zip(at(mono, row));
            let took = took.map_or(0, |(end, mono)| end.saturating_sub(mono).max(0) as u64);
            Some((begin, begin.saturating_add(took)))
        })
        .collect()
}

/// A number as a pid.
#[must_use]
pub fn pid(number: Option<i64>) -> Option<i32> {
    number.and_then(|number| i32::try_from(number).ok())
}

// What the bundle holds of the NUMA balancers, opened when first needed.

/// Everything that the sections about NUMA read.
pub struct NumaInputs<'a> {
    /// The bundle.
    pub open: &'a Context,
    /// The logs of the run state.
    pub parts: &'a Parts,
    /// Quality of the facts of the replay.
    pub evidence: &'a Evidence,
    /// Recorded data of the NUMA balancers.
    pub summary: &'a Summary,
    logs: &'a NumaLogs,
}

impl<'a> NumaInputs<'a> {
    /// Inputs of a bundle.
    ///
    /// # Errors
    ///
    /// Stops when an input is missing or a log cannot be read.
    pub fn of(open: &'a Context) -> Result<Self, Stop> {
        let (parts, evidence) = replay(open)?;
        let Some(summary) = &open.numa else {
            return Err(Stop::unavailable(NO_RECORDING));
        };
        Ok(Self {
            open,
            parts,
            evidence,
            summary,
            logs: open.numa_logs()?,
        })
    }

    /// The nodes of the machine.
    #[must_use]
    pub fn nodes(&self) -> &'a [Node] {
        self.open.index.nodes()
    }

    /// The numbers of the nodes, ascending.
    #[must_use]
    pub fn nids(&self) -> Vec<i32> {
        let mut nids: Vec<i32> = self.nodes().iter().map(|node| node.nid as i32).collect();
        nids.sort_unstable();
        nids
    }

    /// The log of migrations of tasks.
    #[must_use]
    pub fn migration_log(&self) -> &'a Migrations {
        &self.logs.migrations
    }

    /// The attempts that begin from `from` to `to`.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn attempts(&self, from: u64, to: u64) -> Result<Vec<Attempt>, Error> {
        Ok(self.logs.attempts.rows(from, to)?.collect())
    }

    /// The attempts of the whole recording.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn all_attempts(&self) -> Result<Arc<Vec<Attempt>>, Error> {
        let index = &self.open.index;
        self.open.shared("attempts", || {
            self.attempts(index.origin_ns(), index.end_ns())
        })
    }

    /// The numa group of each task that an attempt up to a time names with one; the last one holds.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn numa_groups(&self, until_ns: u64) -> Result<HashMap<i32, i32>, Error> {
        let attempts = self.attempts(self.open.index.origin_ns(), until_ns)?;
        let grouped = attempts.iter().filter(|attempt| attempt.ngid > 0);
        Ok(grouped.map(|attempt| (attempt.pid, attempt.ngid)).collect())
    }

    /// As [`Self::pages`], in runs.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn page_runs(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = (PageRun, PageCalls<'a>)> + use<'a>, Error> {
        Ok(self.logs.pages.runs(from, to)?)
    }

    /// The calls that migrated pages and ended from `from` to `to`.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn pages(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = PageBatch> + use<'a>, Error> {
        Ok(self.logs.pages.rows(from, to)?)
    }

    /// The lines that a kernel with cling printed.
    #[must_use]
    pub fn lines(&self) -> &'a Lines {
        &self.logs.lines
    }

    /// The migrations of tasks from `from` to `to`.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn migrations(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = Migration> + use<'a>, Error> {
        Ok(self.logs.migrations.rows(from, to)?)
    }

    /// Events of the NUMA balancers that were recorded.
    #[must_use]
    pub fn sources(&self) -> &'a Sources {
        &self.summary.sources
    }

    fn lost(&self) -> bool {
        self.summary.counts.lost > 0
    }

    fn recorded(&self, event: &str) -> bool {
        let mut tables = self.open.tables.iter();
        tables.any(|table| table.event == event && table.rows > 0)
    }

    /// Source of the attempts.
    #[must_use]
    pub fn attempts_source(&self) -> Source {
        let sources = self.sources();
        let mut missing = Vec::new();
        if !(sources.moves || sources.swaps || sources.stick.is_some()) {
            missing.push("sched_move_numa, sched_swap_numa, sched_stick_numa".to_owned());
        }
        if sources.stick == Some(StickFormat::Seven) && !sources.return_probe {
            missing.push("attempts without a CPU (recorded from Linux 5.7 on)".to_owned());
        }
        self.source(
            "sched_move_numa, sched_swap_numa, sched_stick_numa",
            missing,
        )
    }

    /// Source of the migrations of tasks.
    #[must_use]
    pub fn migrations_source(&self) -> Source {
        let missing = (!self.recorded(MIGRATE_TASK)).then(|| MIGRATE_TASK.to_owned());
        self.source(MIGRATE_TASK, missing.into_iter().collect())
    }

    /// Source of the migrations of pages; `None` when not recorded.
    #[must_use]
    pub fn pages_source(&self) -> Option<Source> {
        self.sources()
            .migrate_pages
            .then(|| self.source("mm_migrate_pages", Vec::new()))
    }

    fn source(&self, name: &str, mut missing: Vec<String>) -> Source {
        if self.lost() {
            missing.push("lost events".to_owned());
        }
        let label = if missing.is_empty() {
            Label::Observed
        } else {
            Label::Inferred
        };
        Source {
            name: name.to_owned(),
            label,
            missing,
        }
    }
}

const MIGRATE_TASK: &str = "sched_migrate_task";

// mmtests' table of the counters in `/proc/vmstat`. No recording is needed.
