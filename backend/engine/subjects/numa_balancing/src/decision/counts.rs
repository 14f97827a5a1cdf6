//! Tasks and idle CPUs of each node, kept up to date row by row.

use numalens_core::topology::Node;
use numalens_replay::states::{MACHINE, OnCpu, State, StateRow};
use numalens_subject::window::Places;

/// Counts of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Runnable tasks of any class, those on CPUs included.
    pub(crate) nr_running: u64,
    /// Of these, those that are not on a CPU.
    pub(crate) waiting: u64,
    /// Of these, those that may run on no idle CPU.
    pub(crate) bound: u64,
    /// CPUs without running and waiting tasks.
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

    /// Surplus tasks that may leave their CPUs, as far as known.
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

    /// Change by a row: position, old and new counts of its CPU. `None` for rows of cgroups, of CPUs on no node, and without
    /// a relevant change.
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
