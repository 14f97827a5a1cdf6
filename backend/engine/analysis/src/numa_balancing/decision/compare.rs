//! What one CPU of the destination is worth (`task_numa_compare`).

use numalens_core::topology::Node;
use numalens_replay::states::{MACHINE, OnCpu, State, StateRow};
use serde::Serialize;

use crate::numa_balancing::decision::rules::Rules;
use crate::numa_balancing::decision::{Loads, SMALLIMP, load_too_imbalanced};
use crate::window::Places;

/// Weights of a task's or a group's faults on both nodes, per mille.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weights {
    /// On the source.
    pub src: i64,
    /// On the destination.
    pub dst: i64,
}

/// What the search is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search<'a> {
    /// The kernel's rules.
    pub rules: &'a Rules,
    /// The source.
    pub src_nid: i32,
    /// The destination.
    pub dst_nid: i32,
    /// The moving task's numa group.
    pub group: Option<i32>,
    /// Its own gain: its faults' weight on the destination less that on the source.
    pub taskimp: i64,
    /// Its group's gain.
    pub groupimp: i64,
    /// Whether it may move to a free CPU.
    pub maymove: bool,
    /// Whether an idle CPU of the destination is at hand for that.
    pub idle_cpu: bool,
    /// Its load (`task_h_load`).
    pub load: i64,
    /// Loads of both nodes.
    pub loads: Loads,
}

/// The best that was found before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Best {
    /// Its gain; 0 before anything was found.
    pub imp: i64,
    /// The preferred node of the task to swap with, if the best is a swap.
    pub swap_preferred: Option<i32>,
}

/// The task that runs on the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cur {
    /// Its preferred node.
    pub preferred_nid: i32,
    /// Its numa group.
    pub group: Option<i32>,
    /// Its faults.
    pub task: Weights,
    /// Its group's faults.
    pub group_faults: Weights,
    /// Whether it may run on the source CPU.
    pub allowed: bool,
    /// Its load (`task_h_load`).
    pub load: i64,
}

/// A CPU of the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Candidate {
    /// Another NUMA migration to it is under way (`numa_migrate_on`).
    Migrating,
    /// The moving task itself runs there by now.
    Itself,
    /// No task runs there, or one that exits. `idle`: the CPU that would be taken is idle by then.
    Free {
        /// See above.
        idle: bool,
    },
    /// A task runs there.
    Busy(Cur),
}

/// Why a CPU is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Another NUMA migration to it is under way.
    Migrating,
    /// The moving task itself runs there.
    Itself,
    /// It is free, but moves are not allowed, or the best is better.
    MoveNotBetter,
    /// Its task may not run on the source CPU.
    Affinity,
    /// The best task goes home by the swap and this one does not.
    BestGoesHome,
    /// A swap gains too little.
    SmallGain,
    /// A swap would make loads too uneven.
    Load,
}

/// What the comparison came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// The CPU is left out.
    Skipped {
        /// Why.
        reason: SkipReason,
        /// Whether the search ends here.
        stop: bool,
    },
    /// It is the best so far: move there.
    Move {
        /// The gain.
        imp: i64,
        /// Whether the search ends here.
        stop: bool,
    },
    /// It is the best so far: swap with its task.
    Swap {
        /// The gain.
        imp: i64,
        /// Whether the search ends here.
        stop: bool,
    },
}

/// `imp - imp / 16`. C and Rust both divide towards zero: -20 loses -1 and becomes -19.
#[must_use]
pub fn less_sixteenth(imp: i64) -> i64 {
    imp - imp / 16
}

/// Gain of a swap with `cur`, with the biases of the rules.
#[must_use]
pub fn improvement(search: &Search<'_>, cur: &Cur) -> i64 {
    let gain = |weights: Weights| weights.src.wrapping_sub(weights.dst);
    let own = if search.group.is_some() {
        search.groupimp
    } else {
        search.taskimp
    };
    let mut imp = if cur.group == search.group {
        let imp = search.taskimp.wrapping_add(gain(cur.task));
        // Tasks of one group do not swap over tiny differences.
        if cur.group.is_some() {
            less_sixteenth(imp)
        } else {
            imp
        }
    } else if cur.group.is_some() && search.group.is_some() {
        own.wrapping_add(gain(cur.group_faults))
    } else {
        own.wrapping_add(gain(cur.task))
    };
    if search.rules.prefers_home {
        if cur.preferred_nid == search.dst_nid {
            imp = less_sixteenth(imp);
        }
        if cur.preferred_nid == search.src_nid {
            imp = imp.wrapping_add(imp / 8);
        }
    }
    imp
}

/// `task_numa_compare`: whether the CPU becomes the best one, in the kernel's order of questions.
#[must_use]
pub fn compare(search: &Search<'_>, best: &Best, candidate: &Candidate) -> Compared {
    let skip = |reason| Compared::Skipped {
        reason,
        stop: false,
    };
    let home = search.rules.prefers_home;
    let moveimp = if search.group.is_some() {
        search.groupimp
    } else {
        search.taskimp
    };
    let cur = match candidate {
        Candidate::Migrating => return skip(SkipReason::Migrating),
        Candidate::Itself => {
            return Compared::Skipped {
                reason: SkipReason::Itself,
                stop: home,
            };
        }
        Candidate::Free { idle } => {
            return if search.maymove && moveimp >= best.imp {
                Compared::Move {
                    imp: moveimp,
                    stop: home && *idle,
                }
            } else {
                skip(SkipReason::MoveNotBetter)
            };
        }
        Candidate::Busy(cur) => cur,
    };
    if !cur.allowed {
        return skip(SkipReason::Affinity);
    }
    let best_goes_home = best.swap_preferred == Some(search.src_nid);
    let goes_home = cur.preferred_nid == search.src_nid;
    if home && best_goes_home && !goes_home {
        return skip(SkipReason::BestGoesHome);
    }
    let imp = improvement(search, cur);
    let swap = Compared::Swap {
        imp,
        stop: home && !search.maymove && goes_home,
    };
    if search.maymove && moveimp > imp && moveimp > best.imp {
        // A move without a swap, to the idle CPU at hand or else to this one.
        return Compared::Move {
            imp: moveimp,
            stop: home && search.idle_cpu,
        };
    }
    if home && best.swap_preferred.is_some() && goes_home && !best_goes_home {
        return swap;
    }
    if imp < SMALLIMP || imp <= best.imp.saturating_add(SMALLIMP / 2) {
        return skip(SkipReason::SmallGain);
    }
    let load = search.load.saturating_sub(cur.load);
    if load != 0 && load_too_imbalanced(&search.loads, load) {
        return skip(SkipReason::Load);
    }
    swap
}

// Tasks and idle CPUs of each node, kept up to date row by row.

/// What a node has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Runnable tasks of any class, those on CPUs included.
    pub(crate) nr_running: u64,
    /// Of these, those that are not on a CPU.
    pub(crate) waiting: u64,
    /// Of these, those that may run on no idle CPU.
    pub(crate) bound: u64,
    /// CPUs with nobody on them and nobody waiting.
    pub(crate) idle: u32,
    /// CPUs of which nothing is known.
    pub(crate) unknown: u32,
    /// CPUs.
    pub(crate) weight: u32,
}

impl Counts {
    fn of(state: &State) -> Self {
        Self {
            nr_running: u64::from(state.running),
            waiting: u64::from(state.waiting()),
            bound: u64::from(state.bound),
            // idle_cpu() asks for both.
            idle: u32::from(state.on == OnCpu::Idle && state.running == 0),
            unknown: u32::from(!state.known()),
            weight: 1,
        }
    }

    fn replace(&mut self, old: &Self, new: &Self) {
        self.nr_running = (self.nr_running + new.nr_running).saturating_sub(old.nr_running);
        self.waiting = (self.waiting + new.waiting).saturating_sub(old.waiting);
        self.bound = (self.bound + new.bound).saturating_sub(old.bound);
        self.idle = (self.idle + new.idle).saturating_sub(old.idle);
        self.unknown = (self.unknown + new.unknown).saturating_sub(old.unknown);
        self.weight = (self.weight + new.weight).saturating_sub(old.weight);
    }

    /// Tasks beyond one for each CPU: no balance within the node can serve them.
    pub(crate) fn excess(&self) -> u64 {
        self.nr_running.saturating_sub(u64::from(self.weight))
    }

    /// Those of them that may leave their CPUs, as far as is known.
    pub(crate) fn movable_excess(&self) -> u64 {
        self.excess().saturating_sub(self.bound)
    }
}

/// The counts of all nodes.
#[derive(Debug, Clone)]
pub(crate) struct NodeCounts {
    places: Places,
    cpus: Vec<Counts>,
    nodes: Vec<Counts>,
}

impl NodeCounts {
    /// A machine without any event yet.
    pub(crate) fn new(nodes: &[Node]) -> Self {
        let places = Places::new(nodes);
        let blank = Counts::of(&State::default());
        let mut sums = vec![Counts::default(); nodes.len()];
        for &place in places.by_cpu() {
            if let Some(sum) = sums.get_mut(place as usize) {
                sum.replace(&Counts::default(), &blank);
            }
        }
        Self {
            cpus: vec![blank; places.by_cpu().len()],
            places,
            nodes: sums,
        }
    }

    /// What a row changes: place, old and new counts of its CPU. `None` for rows of cgroups, of CPUs on no node, and for
    /// those that change nothing here.
    #[inline]
    pub(crate) fn change(&self, row: &StateRow) -> Option<Change> {
        let old = *self.cpus.get(row.cpu as usize)?;
        let new = Counts::of(&row.state);
        let place = self.places.of(row.cpu) as usize;
        (row.group == MACHINE && new != old && place < self.nodes.len()).then_some(Change {
            cpu: row.cpu as usize,
            place,
            old,
            new,
        })
    }

    /// Makes the change.
    #[inline]
    pub(crate) fn apply(&mut self, change: &Change) {
        if let Some(cpu) = self.cpus.get_mut(change.cpu) {
            *cpu = change.new;
        }
        if let Some(node) = self.nodes.get_mut(change.place) {
            node.replace(&change.old, &change.new);
        }
    }

    /// The nodes' counts by place.
    pub(crate) fn nodes(&self) -> &[Counts] {
        &self.nodes
    }

    /// Place of a node.
    pub(crate) fn place(&self, nid: i32) -> Option<usize> {
        let nid = u32::try_from(nid).ok()?;
        self.places.nodes().iter().position(|node| node.nid == nid)
    }

    /// Number of the node at a place.
    pub(crate) fn nid(&self, place: usize) -> Option<i32> {
        self.places.nodes().get(place).map(|node| node.nid as i32)
    }
}

/// A CPU's counts change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    cpu: usize,
    pub(crate) place: usize,
    old: Counts,
    new: Counts,
}
