//! Samples of `cpu.numa_group`, and whether attempts and timers lead from one to the next (`docs/algorithms/cling.md`, G12).

use serde::Serialize;

use crate::group::{Group, Stat};

/// A row of the table of `cpu.numa_group` samples: one node of one sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleRow {
    /// Start of the sample, ns of the reference clock.
    pub t0_ns: u64,
    /// End, ns.
    pub t1_ns: u64,
    /// Path of the cgroup.
    pub cgroup: String,
    /// True if the file had a group; otherwise it was `disabled`, and the other fields are empty.
    pub enabled: bool,
    /// `id`.
    pub gid: i32,
    /// `nr_tasks`.
    pub nr_tasks: i32,
    /// `busiest_nid`; `None` before the series' fifth revision.
    pub busiest_nid: Option<i32>,
    /// The node.
    pub nid: i32,
    /// `migrate_stat`: F, T, Q; `None` before the fifth revision.
    pub stat: Option<Stat>,
    /// `kernel.numa_balancing_cling_degree`, where read along.
    pub degree: Option<u32>,
    /// Faults on the node's memory, private and shared ones; `None` when not printed.
    pub faults: Option<(u64, u64)>,
}

/// One sample of one cgroup's file. The kernel holds the group's lock while printing: it is one moment within
/// `t0_ns..=t1_ns`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Start, ns.
    pub t0_ns: u64,
    /// End, ns.
    pub t1_ns: u64,
    /// Path of the cgroup.
    pub cgroup: String,
    /// True if there was a group.
    pub enabled: bool,
    /// Id of the group; 0 before the first member.
    pub gid: i32,
    /// Members.
    pub nr_tasks: i32,
    /// The counters; `None` when the file does not show them.
    pub group: Option<Group>,
    /// The degree, where read along.
    pub degree: Option<u32>,
    /// Faults on memory of all nodes, private and shared ones; `None` when a node's are not printed.
    pub faults: Option<(u64, u64)>,
}

impl Reading {
    /// Returns by how much a kernel without cling would lengthen the scan periods of the group's tasks (`task_scan_start`,
    /// `task_scan_max`), G20.
    #[must_use]
    pub fn scan_factor(&self) -> Option<f64> {
        let (private, shared) = self.faults.filter(|_| self.enabled)?;
        // The cgroup has a reference to its group, too.
        let references = f64::from(self.nr_tasks) + 1.0;
        let share = (shared as f64 + 1.0) / (private as f64 + shared as f64 + 1.0);
        Some((references * share).max(1.0))
    }
}

/// Combines rows that belong to one sample. Rows of a sample are adjacent; the result is sorted by time.
#[must_use]
pub fn readings(rows: impl IntoIterator<Item = SampleRow>) -> Vec<Reading> {
    let mut all: Vec<Reading> = Vec::new();
    for row in rows {
        let same = all.last().is_some_and(|last| {
            (last.t0_ns, last.t1_ns, last.enabled) == (row.t0_ns, row.t1_ns, row.enabled)
                && last.cgroup == row.cgroup
        });
        if !same {
            let shown = row.enabled && row.stat.is_some() && row.busiest_nid.is_some();
            all.push(Reading {
                t0_ns: row.t0_ns,
                t1_ns: row.t1_ns.max(row.t0_ns),
                cgroup: row.cgroup,
                enabled: row.enabled,
                gid: row.gid,
                nr_tasks: row.nr_tasks,
                group: shown.then(|| Group::new(&[])),
                degree: row.degree,
                faults: Some((0, 0)),
            });
        }
        if let Some(last) = all.last_mut() {
            let sum = last.faults.zip(row.faults);
            last.faults =
                sum.map(|(all, one)| (all.0.saturating_add(one.0), all.1.saturating_add(one.1)));
        }
        if let Some(group) = all.last_mut().and_then(|last| last.group.as_mut())
            && let (Some(stat), Some(busiest)) = (row.stat, row.busiest_nid)
        {
            group.set(row.nid, stat);
            group.busiest_nid = busiest;
        }
    }
    all.sort_by_key(|reading| reading.t0_ns);
    all
}

/// Order of an attempt and a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defer {
    /// Before it.
    No,
    /// Before it by its events, and perhaps after it.
    Perhaps,
    /// After it by its events, and perhaps before it.
    Yes,
}

/// An attempt between two samples, and the timers between which it may have been counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Between {
    /// The node that it was to reach.
    pub nid: i32,
    /// True if it failed.
    pub failed: bool,
    /// Timers before it, by time.
    pub slot: usize,
    /// The fewest timers that may have been before it.
    pub earliest: usize,
    /// The most.
    pub latest: usize,
    /// Order of its counting and the second sample.
    pub defer: Defer,
    /// True if its target may be another node than `nid`, which is -1 when unknown.
    pub unsure: bool,
}

/// Position of an attempt in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Number of timers before it; `None` when it comes after the sample.
    pub slot: Option<usize>,
    /// The node that it was to reach.
    pub nid: i32,
}

/// An order of attempts and timers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Order {
    /// Each attempt's place.
    pub places: Vec<Place>,
    /// Attempts that are not where times would put them, or were to reach another node than events say.
    pub moved: usize,
}

/// Limit of orders to try before the sample counts as unexplained.
const TRIES: u32 = 20_000;

/// Looks for an order of `attempts` and `timers` timers that leads from `start` to `end`, with as few attempts as possible
/// in another place than times say. `budget` is how many orders may be tried at all, here and in later calls.
#[must_use]
pub fn order(
    start: &Group,
    attempts: &[Between],
    timers: usize,
    end: &Group,
    budget: &mut u32,
) -> Option<Order> {
    let mut search = Search {
        start,
        attempts,
        timers,
        end,
        places: attempts.iter().map(Between::nominal).collect(),
        left: 0,
    };
    let most = TRIES.min(*budget);
    search.left = most;
    let found = (0..=attempts.len()).find_map(|moved| {
        (search.left > 0 && search.deviate(0, moved)).then(|| Order {
            places: search.places.clone(),
            moved,
        })
    });
    *budget -= most - search.left;
    found
}

impl Between {
    /// As events have it.
    #[must_use]
    pub fn nominal(&self) -> Place {
        Place {
            slot: (self.defer != Defer::Yes).then_some(self.slot),
            nid: self.nid,
        }
    }

    /// Other places that it may have: by time first, then by node.
    fn others<'a>(&'a self, nodes: &'a [(i32, Stat)]) -> impl Iterator<Item = Place> + 'a {
        let nominal = self.nominal();
        let late = (self.defer != Defer::No).then_some(None);
        let slots = move || (self.earliest..=self.latest).map(Some).chain(late);
        let nodes = nodes.iter().map(|node| node.0);
        let nids = nodes.filter(move |&nid| self.unsure && nid != self.nid);
        std::iter::once(self.nid)
            .chain(nids)
            .flat_map(move |nid| slots().map(move |slot| Place { slot, nid }))
            .filter(move |place| *place != nominal)
    }
}

struct Search<'a> {
    start: &'a Group,
    attempts: &'a [Between],
    timers: usize,
    end: &'a Group,
    places: Vec<Place>,
    /// Orders that may be tried still.
    left: u32,
}

impl Search<'_> {
    /// Returns whether moving `left` of the attempts from `from` on explains the end.
    fn deviate(&mut self, from: usize, left: usize) -> bool {
        if left == 0 {
            self.left = self.left.saturating_sub(1);
            return run(self.start, self.attempts, &self.places, self.timers) == *self.end;
        }
        for at in from..self.attempts.len() {
            let Some(attempt) = self.attempts.get(at).copied() else {
                break;
            };
            for place in attempt.others(self.end.nodes()) {
                self.place(at, place);
                if self.deviate(at + 1, left - 1) {
                    return true;
                }
                if self.left == 0 {
                    return false;
                }
            }
            self.place(at, attempt.nominal());
        }
        false
    }

    fn place(&mut self, at: usize, new: Place) {
        if let Some(place) = self.places.get_mut(at) {
            *place = new;
        }
    }
}

/// Returns the group after attempts and timers in that order.
#[must_use]
pub fn run(start: &Group, attempts: &[Between], places: &[Place], timers: usize) -> Group {
    let mut group = start.clone();
    for before in 0..=timers {
        for (attempt, place) in attempts.iter().zip(places) {
            if place.slot == Some(before) {
                group.attempt(place.nid, attempt.failed);
            }
        }
        if before < timers {
            group.timer();
        }
    }
    group
}
