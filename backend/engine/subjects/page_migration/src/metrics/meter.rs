//! The pass over migrations of tasks and of pages.

use std::collections::HashMap;

use numalens_core::hash::PidMap;
use numalens_core::provenance::Label;
use numalens_core::topology::Node;
use numalens_replay::migrations::Migration;
use numalens_replay::numa::{PageCalls, PageRun};
use numalens_subject::window::{Places, Steps};

use crate::metrics::Config;
use crate::metrics::follow::{Came, Follow, NodeMove};
use crate::metrics::locality::{self, Tracker};
use crate::metrics::pages::{self, Batch, Pages};
use crate::metrics::result::{HOWS, Metrics, NodeMoves};
use crate::metrics::samples::{Quality, Reading};
use crate::metrics::tasks::{self, Dwells, Task};

/// Default number of points of a series.
const POINTS: u64 = 512;

/// Node of the first task of a process at each of its samples, as far as known; the time before its first event is known at
/// that event.
#[derive(Debug, Default)]
struct Homes {
    by_reading: HashMap<i32, Vec<Option<u32>>>,
}

impl Homes {
    /// Settles the samples of a task since its last event: it is on a node until now.
    fn until(&mut self, config: &Config<'_>, pid: i32, nid: u32, t_ns: u64) {
        let readings: &[Reading] = config.samples.maps_of(pid);
        if readings.is_empty() {
            return;
        }
        let nids = self.by_reading.entry(pid).or_default();
        while let Some(reading) = readings.get(nids.len()) {
            if reading.t_ns >= t_ns {
                break;
            }
            nids.push(Some(nid));
        }
    }

    fn at(&self, pid: i32, reading: usize) -> Option<u32> {
        *self.by_reading.get(&pid)?.get(reading)?
    }
}

/// Takes migrations of tasks and of pages from the start of the recording, both logs merged by time: pages first at the same
/// time.
#[derive(Debug)]
pub struct Meter<'a> {
    config: Config<'a>,
    places: Places,
    tasks: PidMap<Task<'a>>,
    homes: Homes,
    dwells: Dwells,
    pages: Pages,
    follow: Follow,
    quiet: Tracker,
    steps: Steps,
    /// The step that the last calls were in, and its end; 0 before them.
    step: (usize, u64),
    moves: Vec<u64>,
    count: u64,
    by_how: [u64; HOWS.len()],
    unseen: u64,
    unplaced: u64,
}

impl<'a> Meter<'a> {
    /// Returns an empty meter.
    #[must_use]
    pub fn new(mut config: Config<'a>) -> Self {
        config.to_ns = config.to_ns.max(config.from_ns);
        config.begin_ns = config.begin_ns.min(config.from_ns);
        let steps = match config.step_ns {
            Some(step) => Steps::new(config.from_ns, config.to_ns, step),
            None => Steps::round(config.from_ns, config.to_ns, POINTS),
        };
        Self {
            places: Places::new(config.nodes),
            tasks: PidMap::default(),
            homes: Homes::default(),
            dwells: Dwells::default(),
            pages: Pages::new(config.nodes.len(), steps),
            follow: Follow::new(&config),
            quiet: Tracker::new(&config),
            moves: vec![0; steps.count()],
            steps,
            step: (0, 0),
            count: 0,
            by_how: [0; HOWS.len()],
            unseen: 0,
            unplaced: 0,
            config,
        }
    }

    /// Adds a task's change of CPU.
    pub fn migration(&mut self, row: &Migration) {
        let config = &self.config;
        let inside = config.inside(row.ts_ns);
        let (from, to) = (self.places.nid(row.orig_cpu), self.places.nid(row.dest_cpu));
        let (Some(from), Some(to)) = (from, to) else {
            self.unplaced += u64::from(inside);
            // Where it is now is not known, or not whence it came.
            if let Some(nid) = to.or(from)
                && let Some(task) = self.tasks.get_mut(&row.pid)
            {
                task.found(config, nid, row.ts_ns);
            }
            return;
        };
        let task = self
            .tasks
            .entry(row.pid)
            .or_insert_with(|| Task::new(None, from, config.begin_ns));
        task.id = Some(row.task);
        if task.nid != from {
            self.unseen += u64::from(inside);
            task.found(config, from, row.ts_ns);
        }
        self.homes.until(config, row.pid, from, row.ts_ns);
        if from == to {
            return;
        }
        self.pages
            .left(&mut task.pages, from, row.ts_ns, config.amortisation_ns);
        self.dwells.moved(config, row.pid, task, to, row.ts_ns);
        if !inside {
            return;
        }
        self.count += 1;
        let how = HOWS.iter().position(|(_, how)| *how == row.how);
        if let Some(count) = how.and_then(|at| self.by_how.get_mut(at)) {
            *count += 1;
        }
        if let Some(cell) = self.moves.get_mut(pages::step(&self.steps, row.ts_ns)) {
            *cell += 1;
        }
        let tgid = config.process(row.pid);
        self.quiet.moved(tgid, row.ts_ns);
        self.follow.moved(
            config,
            NodeMove {
                t_ns: row.ts_ns,
                pid: row.pid,
                tgid,
                from,
                to,
            },
        );
    }

    /// Adds calls of a run without a migration between them.
    pub fn calls(&mut self, run: &PageRun, mut calls: PageCalls<'a>) {
        while let Some(&first) = calls.end_ns().first() {
            let inside = self.config.inside(first);
            let until = if inside {
                if first >= self.step.1 {
                    let at = pages::step(&self.steps, first);
                    self.step = (at, self.steps.end(at));
                }
                // What comes together is in one step, and in one window of fights.
                self.step.1.min(self.follow.advance(&self.config, first))
            } else {
                self.config.from_ns
            };
            let at = inside.then_some(self.step.0);
            if calls.end_ns().last().is_some_and(|last| *last < until) {
                return self.alike(run, calls, at);
            }
            let same = calls.end_ns().partition_point(|end| *end < until).max(1);
            let (now, later) = calls.split_at(same);
            self.alike(run, now, at);
            calls = later;
        }
    }

    /// Adds calls of a run in the step `at` of the window, or outside.
    fn alike(&mut self, run: &PageRun, calls: PageCalls<'a>, at: Option<usize>) {
        let config = &self.config;
        let Some(&first) = calls.end_ns().first() else {
            return;
        };
        let here = self.places.of(run.cpu);
        let task = match self.places.nodes().get(here as usize) {
            Some(&Node { nid, .. }) if run.pid > 0 => {
                let task = self
                    .tasks
                    .entry(run.pid)
                    .or_insert_with(|| Task::new(None, nid, config.begin_ns));
                if task.nid != nid {
                    // It ran here, so it moved unseen.
                    self.unseen += u64::from(at.is_some());
                    task.found(config, nid, first);
                }
                Some(task)
            }
            _ => None,
        };
        let Some(at) = at else { return };
        let tells_nodes = run.src_nid >= 0;
        let sum = |pages: &[u32]| pages.iter().map(|&pages| u64::from(pages)).sum();
        let mut batch = Batch {
            run: *run,
            calls,
            at,
            succeeded: sum(calls.succeeded()),
            failed: sum(calls.failed()),
            took_ns: 0,
        };
        if !tells_nodes {
            self.pages.any(&mut batch);
        }
        let on_fault = tells_nodes || config.reasons.misplaced(run.reason);
        if !on_fault || tells_nodes != config.nodes_recorded {
            return;
        }
        let to = pages::destination(run, &self.places);
        self.pages.on_fault(
            &batch,
            to,
            task.map(|task| &mut task.pages),
            config.amortisation_ns,
        );
        if let Some((_, to)) = to.filter(|_| batch.succeeded != 0) {
            let came = Came {
                t_ns: first,
                tgid: config.process(run.pid),
                source: u32::try_from(run.src_nid).ok(),
                to,
                pages: batch.succeeded,
            };
            self.follow.came(config, came);
        }
    }

    /// Provenance of moves.
    fn moves_quality(&self) -> Quality {
        let source = &self.config.moves;
        let mut missing = source.missing.clone();
        if self.unseen != 0 {
            missing.push("moves without an event".to_owned());
        }
        if self.unplaced != 0 {
            missing.push("nodes of CPUs".to_owned());
        }
        let label = if missing.is_empty() {
            source.label
        } else {
            source.label.max(Label::Inferred)
        };
        Quality { label, missing }
    }

    /// Returns the metrics.
    #[must_use]
    pub fn finish(mut self) -> Metrics {
        let config = &self.config;
        for (pid, task) in &self.tasks {
            self.homes.until(config, *pid, task.nid, u64::MAX);
            self.pages
                .end(&task.pages, config.end_ns, config.amortisation_ns);
        }
        let seconds = (config.to_ns - config.from_ns) as f64 / 1e9;
        let moves = self.moves_quality();
        let quality = self.pages.quality(config.pages.as_ref());
        let locality = locality::locality(config, |pid, at| self.homes.at(pid, at));
        let (cpu_follows_memory, fight) = self.follow.finish(config, &moves, &quality);
        // A page is late by a move.
        let mut late = quality.clone();
        for name in &moves.missing {
            if !late.missing.contains(name) {
                late.missing.push(name.clone());
            }
        }
        late.label = late.label.max(moves.label).max(Label::Replayed);
        let names = HOWS.iter().map(|(name, _)| *name);
        Metrics {
            from_ns: config.from_ns,
            to_ns: config.to_ns,
            dwell: self.dwells.finish(
                config,
                Quality {
                    label: moves.label.max(Label::Replayed),
                    missing: moves.missing.clone(),
                },
            ),
            moves: NodeMoves {
                count: self.count,
                per_s: crate::metrics::rate(self.count, seconds),
                by_how: names.zip(self.by_how).collect(),
                unseen: self.unseen,
                unplaced: self.unplaced,
                quality: moves,
            },
            just_too_late: self.pages.just_too_late(late, config.amortisation_ns),
            memory_follows_cpu: self.pages.follows(&self.places, seconds, quality),
            cpu_follows_memory,
            fight,
            convergence: self.quiet.finish(config, &locality),
            locality,
            durations: self.pages.durations(config),
            tasks: tasks::rows(config, &mut self.tasks),
            series: self.pages.series(self.moves),
        }
    }
}
