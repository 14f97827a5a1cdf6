//! Current node of each task, its start, and the length of stays.

use numalens_core::hash::PidMap;
use numalens_core::tasks::TaskId;
use numalens_subject::distribution::Distribution;

use crate::metrics::follow::{lacking, off};
use crate::metrics::pages::TaskPages;
use crate::metrics::result::{Dwell, RemoteRun, Shorter, TaskRow, TaskRows};
use crate::metrics::samples::Quality;
use crate::metrics::{Config, Who};

/// Migration intervals that dwells are held against, ns: the least, the default and the most that the patch allows.
pub const INTERVALS_NS: [u64; 3] = [5_000_000_000, 30_000_000_000, 300_000_000_000];

/// A dwell under this is a short one, ns (`docs/algorithms/page_migration.md`, M8).
pub const SHORT_NS: u64 = 1_000_000_000;

/// Tasks that are reported for their moves, and as many for their pages.
const MOST_TASKS: usize = 50;

/// Short dwells of which the time on the wrong node is looked up; a query each.
const MOST_SHORT: usize = 1000;

/// A task and where it is.
#[derive(Debug, Clone)]
pub(super) struct Task<'a> {
    /// `None` until it changes its CPU.
    pub(super) id: Option<TaskId>,
    pub(super) nid: u32,
    /// Time of its move there; `None` when not seen.
    arrived_ns: Option<u64>,
    /// Since when its time is on this node's account.
    since_ns: u64,
    by_node: Vec<(u32, u64)>,
    moves: u64,
    short: u64,
    pub(super) pages: TaskPages<'a>,
}

impl Task<'_> {
    /// A task that has been on a node since the recording began, as far as known.
    pub(super) fn new(id: Option<TaskId>, nid: u32, begin_ns: u64) -> Self {
        Self {
            id,
            nid,
            arrived_ns: None,
            since_ns: begin_ns,
            by_node: Vec::new(),
            moves: 0,
            short: 0,
            pages: TaskPages::default(),
        }
    }

    /// Puts the time until `t_ns` on the account of where it is.
    fn settle(&mut self, config: &Config<'_>, t_ns: u64) {
        let ns = config.overlap(self.since_ns, t_ns);
        self.since_ns = self.since_ns.max(t_ns);
        if ns == 0 {
            return;
        }
        match self.by_node.iter_mut().find(|(nid, _)| *nid == self.nid) {
            Some((_, sum)) => *sum += ns,
            None => self.by_node.push((self.nid, ns)),
        }
    }

    /// Handles an event of the task on another node without a recorded move.
    pub(super) fn found(&mut self, config: &Config<'_>, nid: u32, t_ns: u64) {
        self.settle(config, t_ns);
        self.nid = nid;
        self.arrived_ns = None;
    }
}

/// A stay on a node that ended in the window.
#[derive(Debug, Clone, Copy)]
struct Stayed {
    pid: i32,
    nid: u32,
    from_ns: u64,
    to_ns: u64,
}

/// Adds up dwells.
#[derive(Debug, Default)]
pub(super) struct Dwells {
    times: Distribution,
    shorter: [u64; INTERVALS_NS.len()],
    short: u64,
    stays: Vec<Stayed>,
}

fn share(count: u64, of: u64) -> Option<f64> {
    (of != 0).then(|| count as f64 / of as f64)
}

impl Dwells {
    /// A task moves from where it is to another node.
    pub(super) fn moved(
        &mut self,
        config: &Config<'_>,
        pid: i32,
        task: &mut Task<'_>,
        to: u32,
        t_ns: u64,
    ) {
        task.settle(config, t_ns);
        let arrived_ns = task.arrived_ns.replace(t_ns);
        let nid = std::mem::replace(&mut task.nid, to);
        if !config.inside(t_ns) {
            return;
        }
        task.moves += 1;
        let Some(from_ns) = arrived_ns else { return };
        let dwell = t_ns.saturating_sub(from_ns);
        self.times.add(dwell);
        for (count, interval) in self.shorter.iter_mut().zip(INTERVALS_NS) {
            *count += u64::from(dwell < interval);
        }
        if dwell < SHORT_NS {
            self.short += 1;
            task.short += 1;
            if self.stays.len() < MOST_SHORT {
                self.stays.push(Stayed {
                    pid,
                    nid,
                    from_ns,
                    to_ns: t_ns,
                });
            }
        }
    }

    /// Time that tasks ran in short dwells on a node that does not hold most of their memory.
    fn remote(&self, config: &Config<'_>) -> RemoteRun {
        let mut ns = 0_u64;
        let mut homeless = false;
        for stay in &self.stays {
            let home = config
                .samples
                .home(stay.pid, config.process(stay.pid), stay.to_ns);
            homeless |= home.is_none();
            if let (Some(stays), Some(home)) = (config.stays, home)
                && home != stay.nid
            {
                let ran = off(stays, Who::Task(stay.pid), home, stay.from_ns, stay.to_ns);
                ns = ns.saturating_add(ran);
            }
        }
        let mut missing = lacking(config.stays.is_none(), homeless);
        if self.stays.len() as u64 != self.short {
            missing.push("the other short dwells".to_owned());
        }
        RemoteRun { ns, missing }
    }

    pub(super) fn finish(&self, config: &Config<'_>, quality: Quality) -> Dwell {
        let count = self.times.count();
        let [p50_ns, p99_ns] = self.times.percentiles([50, 99]);
        let violations = INTERVALS_NS.into_iter().zip(self.shorter);
        Dwell {
            count,
            p50_ns,
            p99_ns,
            max_ns: self.times.max(),
            sum_ns: self.times.sum(),
            violations: violations
                .map(|(than_ns, shorter)| Shorter {
                    than_ns,
                    count: shorter,
                    share: share(shorter, count),
                })
                .collect(),
            short: Shorter {
                than_ns: SHORT_NS,
                count: self.short,
                share: share(self.short, count),
            },
            short_remote: self.remote(config),
            quality,
        }
    }
}

/// The tasks that moved between nodes in the window, or whose pages did.
pub(super) fn rows(config: &Config<'_>, tasks: &mut PidMap<Task<'_>>) -> TaskRows {
    let mut all: Vec<(i32, &mut Task<'_>)> = tasks
        .iter_mut()
        .filter(|(_, task)| task.moves != 0 || task.pages.pages != 0)
        .map(|(pid, task)| (*pid, task))
        .collect();
    let count = all.len() as u64;
    let by_moves = |(pid, task): &(i32, &mut Task<'_>)| (std::cmp::Reverse(task.moves), *pid);
    let by_pages = |(pid, task): &(i32, &mut Task<'_>)| {
        let pages = &task.pages;
        (
            std::cmp::Reverse(pages.migrate_ns),
            std::cmp::Reverse(pages.pages),
            *pid,
        )
    };
    all.sort_by_key(by_moves);
    let mut rest = all.split_off(all.len().min(MOST_TASKS));
    rest.sort_by_key(by_pages);
    all.extend(rest.into_iter().take(MOST_TASKS));
    let run_ns = |pid| {
        let nodes = config
            .stays?
            .ran(Who::Task(pid), config.from_ns, config.to_ns);
        let times = nodes.iter().map(|(_, ns)| *ns);
        Some(times.fold(0, u64::saturating_add))
    };
    let rows = all.into_iter().map(|(pid, task)| {
        task.settle(config, config.to_ns);
        let mut by_node = task.by_node.clone();
        by_node.sort_unstable();
        TaskRow {
            pid,
            tgid: config.process(pid),
            task: task.id,
            moves: task.moves,
            short_dwells: task.short,
            by_node,
            pages: task.pages.pages,
            just_too_late_pages: task.pages.late,
            migrate_ns: task.pages.migrate_ns,
            run_ns: run_ns(pid),
        }
    });
    TaskRows {
        count,
        rows: rows.collect(),
    }
}
