//! Migrated pages: where they went, how long that took, and whether their task left soon after.

use std::collections::{BTreeMap, VecDeque};

use numalens_core::provenance::{Label, Source};
use numalens_replay::numa::{PageCalls, PageRun};
use numalens_subject::distribution::Distribution;
use numalens_subject::window::{NO_NODE, Places, Steps};

use crate::metrics::Config;
use crate::metrics::result::{Durations, JustTooLate, MemoryFollowsCpu, NodePages, Series};
use crate::metrics::samples::Quality;

/// Calls of one run in one step of the window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch<'a> {
    pub(super) run: PageRun,
    pub(super) calls: PageCalls<'a>,
    /// The step.
    pub(super) at: usize,
    /// Pages of all of them.
    pub(super) succeeded: u64,
    /// Pages that could not be migrated.
    pub(super) failed: u64,
    /// Total time of the calls with a recorded start, ns.
    pub(super) took_ns: u64,
}

/// Calls that brought pages to a node for a task; those pages are not yet settled there.
#[derive(Debug, Clone, Copy)]
struct Landed<'a> {
    calls: PageCalls<'a>,
    /// The step that all of them are in.
    at: usize,
    nid: u32,
    /// A row with nodes comes from an event next to the one with the start of the call.
    timed: bool,
}

impl Landed<'_> {
    fn last_ns(&self) -> u64 {
        self.calls.end_ns().last().copied().unwrap_or(0)
    }

    /// The calls that ended less than `amortisation_ns` before a moment.
    fn since(&self, t_ns: u64, amortisation_ns: u64) -> Self {
        let settled = |end: &u64| t_ns.saturating_sub(*end) >= amortisation_ns;
        let at = self.calls.end_ns().partition_point(settled);
        let (_, calls) = self.calls.split_at(at);
        Self { calls, ..*self }
    }
}

/// Pages that came for one task.
#[derive(Debug, Clone, Default)]
pub(super) struct TaskPages<'a> {
    pub(super) pages: u64,
    pub(super) late: u64,
    pub(super) migrate_ns: u64,
    /// By time.
    pending: VecDeque<Landed<'a>>,
}

#[derive(Debug, Clone, Default)]
struct Reason {
    times: Distribution,
    batches: u64,
    pages: u64,
    failed: u64,
}

/// Counts pages in one pass.
#[derive(Debug)]
pub(super) struct Pages {
    reasons: BTreeMap<u8, Reason>,
    succeeded: u64,
    failed: u64,
    batches: u64,
    placed: u64,
    by_node: Vec<u64>,
    late: u64,
    late_batches: u64,
    late_ns: u64,
    untimed: u64,
    undecided: u64,
    steps: Steps,
    series: [Vec<u64>; 3],
    node_series: Vec<Vec<u64>>,
}

/// Places of the series: pages migrated on fault, for any reason, too late.
const ON_FAULT: usize = 0;
const LATE: usize = 2;

fn add(cells: &mut [u64], at: usize, amount: u64) {
    if let Some(cell) = cells.get_mut(at) {
        *cell = cell.saturating_add(amount);
    }
}

/// The step of a moment of the window; its very end belongs to the last one.
pub(super) fn step(steps: &Steps, t_ns: u64) -> usize {
    steps.at(t_ns).min(steps.count().max(1) - 1)
}

/// Destination of the pages of a call: from an event, otherwise the node of the CPU, as a fault brings them there. The node's
/// position, or [`NO_NODE`], and its number.
pub(super) fn destination(run: &PageRun, places: &Places) -> Option<(u32, u32)> {
    let nodes = places.nodes();
    let Ok(nid) = u32::try_from(run.dst_nid) else {
        let place = places.of(run.cpu);
        return nodes.get(place as usize).map(|node| (place, node.nid));
    };
    let place = nodes.iter().position(|node| node.nid == nid);
    Some((place.map_or(NO_NODE, |place| place as u32), nid))
}

impl Pages {
    pub(super) fn new(nodes: usize, steps: Steps) -> Self {
        let cells = || vec![0; steps.count()];
        Self {
            reasons: BTreeMap::new(),
            succeeded: 0,
            failed: 0,
            batches: 0,
            placed: 0,
            by_node: vec![0; nodes],
            late: 0,
            late_batches: 0,
            late_ns: 0,
            untimed: 0,
            undecided: 0,
            steps,
            series: [cells(), cells(), cells()],
            node_series: vec![cells(); nodes],
        }
    }

    /// Calls of the window, for any reason. Adds up how long they took.
    pub(super) fn any(&mut self, batch: &mut Batch<'_>) {
        let reason = self.reasons.entry(batch.run.reason).or_default();
        reason.batches += batch.calls.len() as u64;
        reason.pages = reason.pages.saturating_add(batch.succeeded);
        reason.failed = reason.failed.saturating_add(batch.failed);
        batch.took_ns = reason.times.extend(batch.calls.took_ns().flatten());
        let [_, all, _] = &mut self.series;
        add(all, batch.at, batch.succeeded);
    }

    /// Calls in the window that migrated pages to node `nid` after a fault, for a task.
    pub(super) fn on_fault<'a>(
        &mut self,
        batch: &Batch<'a>,
        to: Option<(u32, u32)>,
        task: Option<&mut TaskPages<'a>>,
        amortisation_ns: u64,
    ) {
        let calls = batch.calls.len() as u64;
        self.batches += calls;
        self.succeeded = self.succeeded.saturating_add(batch.succeeded);
        self.failed = self.failed.saturating_add(batch.failed);
        self.placed += if batch.run.dst_nid >= 0 { calls } else { 0 };
        if let Some(cells) = self.series.get_mut(ON_FAULT) {
            add(cells, batch.at, batch.succeeded);
        }
        if let Some((place, _)) = to.filter(|(place, _)| *place != NO_NODE) {
            add(&mut self.by_node, place as usize, batch.succeeded);
            if let Some(cells) = self.node_series.get_mut(place as usize) {
                add(cells, batch.at, batch.succeeded);
            }
        }
        let Some(task) = task else {
            // That task may leave unseen.
            self.undecided = self.undecided.saturating_add(batch.succeeded);
            return;
        };
        task.pages = task.pages.saturating_add(batch.succeeded);
        let landed = Landed {
            calls: batch.calls,
            at: batch.at,
            nid: to.map_or(NO_NODE, |(_, nid)| nid),
            timed: batch.run.src_nid < 0,
        };
        if landed.timed {
            task.migrate_ns = task.migrate_ns.saturating_add(batch.took_ns);
        }
        if to.is_none() || batch.succeeded == 0 {
            return;
        }
        let now = batch.calls.end_ns().first().copied().unwrap_or(0);
        while let Some(first) = task.pending.front() {
            if now.saturating_sub(first.last_ns()) < amortisation_ns {
                break;
            }
            task.pending.pop_front();
        }
        task.pending.push_back(landed);
    }

    /// The task left a node, in the window or soon after it.
    pub(super) fn left(
        &mut self,
        task: &mut TaskPages<'_>,
        nid: u32,
        t_ns: u64,
        amortisation_ns: u64,
    ) {
        let mut late = 0_u64;
        task.pending.retain(|landed| {
            if landed.nid != nid {
                return true;
            }
            let landed = landed.since(t_ns, amortisation_ns);
            let (mut pages, mut calls) = (0, 0);
            for (&came, took_ns) in landed.calls.succeeded().iter().zip(landed.calls.took_ns()) {
                if came == 0 {
                    continue;
                }
                pages += u64::from(came);
                calls += 1;
                match took_ns.filter(|_| landed.timed) {
                    Some(ns) => self.late_ns = self.late_ns.saturating_add(ns),
                    None => self.untimed += 1,
                }
            }
            late = late.saturating_add(pages);
            self.late_batches += calls;
            add(&mut self.series[LATE], landed.at, pages);
            false
        });
        task.late = task.late.saturating_add(late);
        self.late = self.late.saturating_add(late);
    }

    /// The recording ends with pages whose task has not left yet.
    pub(super) fn end(&mut self, task: &TaskPages<'_>, end_ns: u64, amortisation_ns: u64) {
        for landed in &task.pending {
            let landed = landed.since(end_ns, amortisation_ns);
            let pages = landed.calls.succeeded().iter();
            let pages = pages.map(|&pages| u64::from(pages)).sum();
            self.undecided = self.undecided.saturating_add(pages);
        }
    }

    /// Provenance of the destinations of pages.
    pub(super) fn quality(&self, source: Option<&Source>) -> Quality {
        let Some(source) = source else {
            return Quality {
                label: Label::Inferred,
                missing: vec!["mm_migrate_pages".to_owned()],
            };
        };
        let mut missing = source.missing.clone();
        if self.placed != self.batches {
            missing.push("mm_migrate_misplaced_pages".to_owned());
        }
        let label = if missing.is_empty() {
            source.label
        } else {
            source.label.max(Label::Inferred)
        };
        Quality { label, missing }
    }

    pub(super) fn just_too_late(&self, quality: Quality, amortisation_ns: u64) -> JustTooLate {
        JustTooLate {
            amortisation_ns,
            migrated_pages: self.succeeded,
            pages: self.late,
            share: (self.succeeded != 0).then(|| self.late as f64 / self.succeeded as f64),
            undecided_pages: self.undecided,
            batches: self.late_batches,
            migrate_ns: self.late_ns,
            untimed_batches: self.untimed,
            told_batches: self.placed,
            quality,
        }
    }

    pub(super) fn follows(
        &self,
        places: &Places,
        seconds: f64,
        quality: Quality,
    ) -> MemoryFollowsCpu {
        let rate = |pages: u64| crate::metrics::rate(pages, seconds);
        let nodes = places.nodes().iter().zip(&self.by_node);
        MemoryFollowsCpu {
            pages: self.succeeded,
            failed: self.failed,
            batches: self.batches,
            per_s: rate(self.succeeded),
            nodes: nodes
                .map(|(node, &pages)| NodePages {
                    nid: node.nid,
                    pages,
                    per_s: rate(pages),
                })
                .collect(),
            quality,
        }
    }

    pub(super) fn durations(&self, config: &Config<'_>) -> Vec<Durations> {
        let reasons = self.reasons.iter();
        reasons
            .map(|(&number, reason)| {
                let [p50_ns, p99_ns] = reason.times.percentiles([50, 99]);
                Durations {
                    reason: config.reasons.name(number).to_owned(),
                    batches: reason.batches,
                    timed: reason.times.count(),
                    pages: reason.pages,
                    failed: reason.failed,
                    sum_ns: reason.times.sum(),
                    p50_ns,
                    p99_ns,
                    max_ns: reason.times.max(),
                    error_percent: reason.times.error_percent(),
                }
            })
            .collect()
    }

    pub(super) fn series(self, moves: Vec<u64>) -> Series {
        let [pages, all_pages, just_too_late] = self.series;
        Series {
            step_ns: self.steps.step_ns(),
            moves,
            pages,
            all_pages,
            just_too_late,
            by_node: self.node_series,
        }
    }
}
