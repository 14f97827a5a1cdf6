//! What the bundle holds of the NUMA balancers, opened when first asked for.

use numalens_bundle::{Error, NumaLogs, Open};
use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_replay::evidence::Evidence;
use numalens_replay::migrations::{Migration, Migrations};
use numalens_replay::numa::{
    Attempt, Lines, PAGE_RUNS_FILE, PageBatch, PageCalls, PageRun, Sources, StickFormat, Summary,
};

use crate::sections::data::{EARLIER, Parts, replay};
use crate::sections::section::Stop;

/// Everything that the sections about NUMA read.
pub(in super::super) struct Known<'a> {
    pub(in super::super) open: &'a Open,
    pub(in super::super) parts: &'a Parts,
    pub(in super::super) evidence: &'a Evidence,
    pub(in super::super) summary: &'a Summary,
    logs: &'a NumaLogs,
}

impl<'a> Known<'a> {
    pub(in super::super) fn of(open: &'a Open) -> Result<Self, Stop> {
        let (parts, evidence) = replay(open)?;
        // Earlier versions did not write pages in runs.
        let in_runs = open.files.has(PAGE_RUNS_FILE);
        let Some(summary) = open.numa.as_ref().filter(|_| in_runs) else {
            return Err(Stop::unavailable(EARLIER));
        };
        Ok(Self {
            open,
            parts,
            evidence,
            summary,
            logs: open.numa_logs()?,
        })
    }

    pub(in super::super) fn nodes(&self) -> &'a [Node] {
        self.open.index.nodes()
    }

    /// The numbers of the nodes, ascending.
    pub(in super::super) fn nids(&self) -> Vec<i32> {
        let mut nids: Vec<i32> = self.nodes().iter().map(|node| node.nid as i32).collect();
        nids.sort_unstable();
        nids
    }

    /// The log of migrations of tasks.
    pub(in super::super) fn migration_log(&self) -> &'a Migrations {
        &self.logs.migrations
    }

    /// The attempts that begin from `from` to `to`.
    pub(in super::super) fn attempts(&self, from: u64, to: u64) -> Result<Vec<Attempt>, Error> {
        Ok(self.logs.attempts.rows(from, to)?.collect())
    }

    /// As [`Self::pages`], in runs.
    pub(in super::super) fn page_runs(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = (PageRun, PageCalls<'a>)> + use<'a>, Error> {
        Ok(self.logs.pages.runs(from, to)?)
    }

    /// The calls that migrated pages and ended from `from` to `to`.
    pub(in super::super) fn pages(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = PageBatch> + use<'a>, Error> {
        Ok(self.logs.pages.rows(from, to)?)
    }

    pub(in super::super) fn lines(&self) -> &'a Lines {
        &self.logs.lines
    }

    pub(in super::super) fn migrations(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = Migration> + use<'a>, Error> {
        Ok(self.logs.migrations.rows(from, to)?)
    }

    pub(in super::super) fn sources(&self) -> &'a Sources {
        &self.summary.sources
    }

    fn lost(&self) -> bool {
        self.summary.counts.lost > 0
    }

    fn recorded(&self, event: &str) -> bool {
        let mut tables = self.open.tables.iter();
        tables.any(|table| table.event == event && table.rows > 0)
    }

    /// How well the attempts are known.
    pub(in super::super) fn attempts_source(&self) -> Source {
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

    /// How well the migrations of tasks are known.
    pub(in super::super) fn migrations_source(&self) -> Source {
        let missing = (!self.recorded(MIGRATE_TASK)).then(|| MIGRATE_TASK.to_owned());
        self.source(MIGRATE_TASK, missing.into_iter().collect())
    }

    /// How well the migrations of pages are known; `None` when they are not recorded.
    pub(in super::super) fn pages_source(&self) -> Option<Source> {
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
