//! Adds up the stays of tasks by their groups: once to see which groups ran most, once to fill their rows.

use std::collections::{BTreeMap, HashMap, HashSet};

use numalens_core::provenance::{Label, Source};
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;
use numalens_page_migration::metrics::MapRow;
use numalens_replay::timeline::SliceRef;
use numalens_subject::window::{NO_NODE, Places, Steps, lowered};

use crate::{
    GroupAt, GroupMemory, GroupTime, Membership, NodeMemory, NodeSeries, Placement, Whose,
};

/// Default number of steps of a window.
const USUAL_STEPS: u64 = 200;
/// Rows and columns are bounded together: more steps than fit are made longer ones.
const MOST_CELLS: u64 = 1 << 18;
/// Missing input for groups.
const ATTEMPTS: &str = "sched_move_numa, sched_swap_numa, sched_stick_numa of every task";

/// Missing input for the location of memory.
const NUMA_MAPS: &str = "numa_maps";

/// Query.
#[derive(Debug, Clone)]
pub struct Config<'a> {
    /// The machine.
    pub nodes: &'a [Node],
    /// Begin of the window, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Length of a step, ns; `None` leaves it to the window.
    pub step_ns: Option<u64>,
    /// Source of the run states.
    pub source: Source,
    /// Groups of tasks.
    pub members: &'a Membership,
}

impl Config<'_> {
    /// The part of a stay that counts: in the window, of a task and not of the idle one, on a node.
    fn part(&self, places: &Places, slice: &SliceRef, pid: i32) -> Option<(usize, [u64; 2])> {
        let part = [
            slice.start_ns.max(self.from_ns),
            slice.end_ns.min(self.to_ns),
        ];
        let place = places.of(slice.cpu);
        (pid != 0 && place != NO_NODE && part[0] < part[1]).then_some((place as usize, part))
    }
}

/// Run time of each group.
#[derive(Debug)]
pub struct Ranking<'a> {
    config: Config<'a>,
    places: Places,
    run_ns: HashMap<i32, u64>,
}

impl<'a> Ranking<'a> {
    /// Returns an empty ranking.
    #[must_use]
    pub fn new(config: Config<'a>) -> Self {
        Self {
            places: Places::new(config.nodes),
            config,
            run_ns: HashMap::new(),
        }
    }

    /// Adds a stay of a task.
    pub fn slice(&mut self, slice: &SliceRef, pid: i32) {
        let Some((_, part)) = self.config.part(&self.places, slice, pid) else {
            return;
        };
        let run_ns = &mut self.run_ns;
        self.config.members.pieces(pid, part, |group, from, to| {
            if let Whose::Group(ngid) = group.whose {
                *run_ns.entry(ngid).or_default() += to - from;
            }
        });
    }

    /// A meter with rows for the `limit` groups that ran longest; the others share one.
    #[must_use]
    pub fn meter(self, limit: usize) -> Meter<'a> {
        let mut order: Vec<(u64, i32)> = self
            .run_ns
            .into_iter()
            .map(|(ngid, ns)| (ns, ngid))
            .collect();
        order.sort_unstable_by_key(|&(ns, ngid)| (std::cmp::Reverse(ns), ngid));
        let merged = order.len().saturating_sub(limit);
        order.truncate(limit);
        let mut whose: Vec<Whose> = order
            .into_iter()
            .map(|(_, ngid)| Whose::Group(ngid))
            .collect();
        whose.extend([Whose::Others, Whose::NoGroup, Whose::Unknown]);
        Meter::new(self.config, self.places, whose, merged)
    }
}

#[derive(Debug, Default, Clone)]
struct Sums {
    tasks: HashSet<TaskId>,
    inferred_ns: u64,
    /// CPU-ns by node and step.
    cells: Vec<u64>,
}

/// Fills the rows. Takes the same stays as the [`Ranking`] that it came from.
#[derive(Debug)]
pub struct Meter<'a> {
    config: Config<'a>,
    places: Places,
    steps: Steps,
    whose: Vec<Whose>,
    row_of: HashMap<i32, usize>,
    merged: usize,
    rows: Vec<Sums>,
}

impl<'a> Meter<'a> {
    fn new(config: Config<'a>, places: Places, whose: Vec<Whose>, merged: usize) -> Self {
        let wide = (config.nodes.len().max(1) * whose.len()) as u64;
        let steps = match config.step_ns {
            Some(step) => {
                let least = (config.to_ns.saturating_sub(config.from_ns))
                    .div_ceil((MOST_CELLS / wide).max(1));
                Steps::new(config.from_ns, config.to_ns, step.max(least))
            }
            None => Steps::round(
                config.from_ns,
                config.to_ns,
                USUAL_STEPS.min((MOST_CELLS / wide).max(1)),
            ),
        };
        let empty = Sums {
            cells: vec![0; steps.count() * config.nodes.len()],
            ..Sums::default()
        };
        let row_of = (0..).zip(&whose).filter_map(|(row, whose)| match whose {
            Whose::Group(ngid) => Some((*ngid, row)),
            _ => None,
        });
        Self {
            row_of: row_of.collect(),
            rows: vec![empty; whose.len()],
            config,
            places,
            steps,
            whose,
            merged,
        }
    }

    /// The groups with rows of their own, and the rows of the others.
    #[must_use]
    pub fn shown(&self) -> &[Whose] {
        &self.whose
    }

    /// Adds a stay of a task.
    pub fn slice(&mut self, slice: &SliceRef, pid: i32) {
        let Some((place, part)) = self.config.part(&self.places, slice, pid) else {
            return;
        };
        let (rows, steps, count) = (&mut self.rows, &self.steps, self.steps.count());
        let (row_of, last) = (&self.row_of, self.whose.len());
        self.config
            .members
            .pieces(pid, part, |GroupAt { whose, later }, from, to| {
                // The last three rows are those of no single group.
                let row = match whose {
                    Whose::Group(ngid) => row_of.get(&ngid).copied().unwrap_or(last - 3),
                    Whose::Others => last - 3,
                    Whose::NoGroup => last - 2,
                    Whose::Unknown => last - 1,
                };
                let Some(sums) = rows.get_mut(row) else {
                    return;
                };
                sums.tasks.insert(slice.task);
                if later {
                    sums.inferred_ns += to - from;
                }
                let mut begin = from;
                while begin < to {
                    let step = steps.at(begin);
                    let end = steps.end(step).min(to);
                    if let Some(cell) = sums.cells.get_mut(place * count + step) {
                        *cell += end - begin;
                    }
                    begin = end.max(begin + 1);
                }
            });
    }

    /// The rows, with the memory that lies with them.
    #[must_use]
    pub fn finish(self, memory: Option<Vec<GroupMemory>>) -> Placement {
        let count = self.steps.count();
        let nodes = self.places.nodes();
        let source = &self.config.source;
        let mut groups = Vec::new();
        for (whose, sums) in self.whose.iter().zip(self.rows) {
            let nodes: Vec<NodeSeries> = (0..)
                .zip(nodes)
                .map(|(place, node)| {
                    let series = sums
                        .cells
                        .get(place * count..(place + 1) * count)
                        .unwrap_or_default();
                    NodeSeries {
                        nid: node.nid,
                        run_ns: series.iter().sum(),
                        series: series.to_vec(),
                    }
                })
                .collect();
            let run_ns = nodes.iter().map(|node| node.run_ns).sum();
            if run_ns == 0 {
                continue;
            }
            let guessed = sums.inferred_ns > 0 || *whose == Whose::Unknown;
            groups.push(GroupTime {
                whose: *whose,
                groups: match whose {
                    Whose::Group(_) => 1,
                    Whose::Others => self.merged,
                    Whose::NoGroup | Whose::Unknown => 0,
                },
                tasks: sums.tasks.len(),
                run_ns,
                inferred_ns: sums.inferred_ns,
                nodes,
                label: if guessed {
                    Label::Inferred
                } else {
                    lowered(source, &[]).0
                },
            });
        }
        let guessed = |group: &GroupTime| group.inferred_ns > 0 || group.whose == Whose::Unknown;
        let missing = groups.iter().any(guessed).then_some(ATTEMPTS);
        let (label, missing) = lowered(source, missing.as_slice());
        let memory_missing = memory.is_none().then(|| NUMA_MAPS.to_owned());
        Placement {
            step_ns: self.steps.step_ns(),
            busy_ns: groups.iter().map(|group| group.run_ns).sum(),
            groups,
            memory,
            memory_missing: memory_missing.into_iter().collect(),
            label,
            missing,
        }
    }
}

// On which nodes the memory of groups lies.

/// Unit of `/proc/PID/numa_maps` without a page size, KiB.
const PAGE_KB: u64 = 4;

/// Resident memory of each group by node, from the last reading of each process until `until_ns`. Groups of `shown` have
/// rows of their own, the others one together. `None` when nothing was read until then.
#[must_use]
pub fn resident(
    maps: &[MapRow],
    nodes: &[Node],
    members: &Membership,
    until_ns: u64,
    shown: &[Whose],
) -> Option<Vec<GroupMemory>> {
    let mut last: HashMap<i32, u64> = HashMap::new();
    for row in maps.iter().filter(|row| row.t_ns <= until_ns) {
        let at = last.entry(row.pid).or_default();
        *at = row.t_ns.max(*at);
    }
    if last.is_empty() {
        return None;
    }
    let mut found: BTreeMap<usize, GroupMemory> = BTreeMap::new();
    let mut order = shown.to_vec();
    let mut row_of = |whose: Whose, later: bool| {
        let whose = match whose {
            Whose::Group(_) if !shown.contains(&whose) => Whose::Others,
            known => known,
        };
        let at = order
            .iter()
            .position(|one| *one == whose)
            .unwrap_or_else(|| {
                order.push(whose);
                order.len() - 1
            });
        let row = found.entry(at).or_insert_with(|| GroupMemory {
            whose,
            processes: 0,
            nodes: nodes
                .iter()
                .map(|node| NodeMemory {
                    nid: node.nid,
                    kb: 0,
                })
                .collect(),
            label: Label::Observed,
        });
        // The pages are read, whose they are may not be.
        if later || whose == Whose::Unknown {
            row.label = Label::Inferred;
        }
        at
    };
    let mut place: HashMap<i32, usize> = HashMap::new();
    let mut pids: Vec<_> = last.iter().collect();
    pids.sort_unstable();
    for (&pid, &t_ns) in pids {
        let group = members.of_process(pid, t_ns);
        place.insert(pid, row_of(group.whose, group.later));
    }
    for at in place.values() {
        if let Some(row) = found.get_mut(at) {
            row.processes += 1;
        }
    }
    for row in maps {
        let (Some(at), Some(nid)) = (place.get(&row.pid), row.nid) else {
            continue;
        };
        if last.get(&row.pid) != Some(&row.t_ns) {
            continue;
        }
        let group = found.get_mut(at);
        if let Some(node) =
            group.and_then(|group| group.nodes.iter_mut().find(|node| node.nid == nid))
        {
            node.kb = node
                .kb
                .saturating_add(row.pages.saturating_mul(row.page_kb.unwrap_or(PAGE_KB)));
        }
    }
    Some(found.into_values().collect())
}
