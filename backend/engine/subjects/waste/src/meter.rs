//! Adds up waste, row by row.

use numalens_core::provenance::Source;
use numalens_core::topology::{MAX_CPUS, Node};
use numalens_replay::states::{MACHINE, OnCpu, State, StateRow};
use numalens_subject::window::{
    CPUS_ALLOWED, LOST_EVENTS, NO_NODE, Places, SCHED_SWITCH, Steps, lowered,
};

use crate::{CauseAmount, NodeWaste, Series, Shares, Waste, WasteCause, seconds};

/// Default number of points of a series.
const POINTS: u64 = 512;

/// Query.
#[derive(Debug, Clone)]
pub struct Config<'a> {
    /// The machine.
    pub nodes: &'a [Node],
    /// Begin of the window, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Step of the series, ns; `None` for at most 512 points.
    pub step_ns: Option<u64>,
    /// Source of the run states.
    pub source: Source,
    /// True if the binding of tasks to CPUs is known.
    pub affinity: bool,
    /// True if the series leaves out waste of bound tasks.
    pub movable: bool,
}

/// Counts of a CPU, or their sum over CPUs, in lanes, so that all are added at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts([u32; 4]);

impl Counts {
    /// A CPU without any event yet.
    const UNKNOWN: Self = Self([0, 0, 0, 1]);

    #[inline]
    fn of(state: &State) -> Self {
        let surplus = state.running.saturating_sub(1);
        // One of the runnable tasks has the CPU or is about to get it. Where no task has it, that may be a bound one.
        let first = state.waiting() - surplus;
        let bound = state.bound.saturating_sub(first).min(surplus);
        let blind = match state.on {
            OnCpu::Unknown => 1,
            OnCpu::Lost => LOST,
            OnCpu::Idle | OnCpu::Task => 0,
        };
        Self([
            u32::from(state.on == OnCpu::Idle),
            u32::from(surplus - bound),
            u32::from(bound),
            blind,
        ])
    }

    fn idle(self) -> u32 {
        self.0[0]
    }

    /// Tasks beyond a CPU's first that may leave it.
    fn movable(self) -> u32 {
        self.0[1]
    }

    /// Tasks beyond a CPU's first that are bound to it.
    fn bound(self) -> u32 {
        self.0[2]
    }

    /// Returns whether there is a CPU without any event yet, and whether there is one with lost events.
    fn blind(self) -> [bool; 2] {
        [self.0[3] & (LOST - 1) != 0, self.0[3] >= LOST]
    }

    /// Tasks that an idle CPU could take.
    fn served(self) -> u32 {
        self.idle().min(self.movable())
    }

    /// Replaces what a CPU has in a sum.
    #[inline]
    fn replace(&mut self, old: Self, new: Self) {
        for ((sum, old), new) in self.0.iter_mut().zip(old.0).zip(new.0) {
            *sum = sum.wrapping_sub(old).wrapping_add(new);
        }
    }
}

/// A CPU whose events were lost, in the lane that also counts those of which nothing was recorded. There are fewer CPUs.
const LOST: u32 = 1 << 16;
const _: () = assert!(MAX_CPUS < LOST);

/// A node's sums.
#[derive(Debug, Clone, Copy)]
struct NodeSums {
    counts: Counts,
    /// Waste inside the node until `since_ns`, CPU-ns.
    local_ns: u64,
    since_ns: u64,
}

impl NodeSums {
    /// Tasks that only another node could take.
    fn left(&self) -> u32 {
        self.counts.movable().saturating_sub(self.counts.idle())
    }

    /// Adds up the node's own waste until `ts_ns`.
    fn settle(&mut self, ts_ns: u64) {
        self.local_ns += u64::from(self.counts.served()) * (ts_ns - self.since_ns);
        self.since_ns = ts_ns;
    }
}

/// CPUs wasted, by cause in the order of [`WasteCause::ALL`], from the machine's sums and the tasks that their own nodes could
/// take.
///
/// A waiting task uses the nearest idle CPU, and the bound ones come last: what remains of the waste when all that may leave
/// are served is theirs.
#[inline]
fn rates(all: Counts, local: u32) -> [u32; WasteCause::ALL.len()] {
    let affine = all.served();
    let whole = all.idle().min(all.movable() + all.bound());
    [affine - local, local, whole - affine]
}

/// Adds up waste over state rows of the machine: first each CPU's state at the start of the window, then the changes.
///
/// A row costs O(1), or O(nodes) when it changes what a node has idle or waiting while something is wasted.
#[derive(Debug)]
pub struct Meter {
    /// Per CPU: its node's place and what it adds now.
    cpus: Vec<(u32, Counts)>,
    places: Places,
    nodes: Vec<NodeSums>,
    /// Sums of the machine.
    sums: Counts,
    /// Tasks that their own nodes could take, over the nodes.
    local: u32,
    rates: [u32; WasteCause::ALL.len()],
    causes: [u64; WasteCause::ALL.len()],
    /// By node: what other nodes could have taken, and what is bound.
    across: Shares,
    bound: Shares,
    now_ns: u64,
    to_ns: u64,
    steps: Steps,
    /// The step in which the last waste was, and its end.
    step: usize,
    step_end: u64,
    series: Vec<u64>,
    /// True if a CPU was unknown, or lost, for some time.
    blind: [bool; 2],
    source: Source,
    affinity: bool,
    movable: bool,
}

impl Meter {
    /// Returns an empty meter.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let places = Places::new(config.nodes);
        let cpus: Vec<_> = places
            .by_cpu()
            .iter()
            .map(|&place| (place, Counts::UNKNOWN))
            .collect();
        let to_ns = config.to_ns.max(config.from_ns);
        let steps = match config.step_ns {
            Some(step) => Steps::new(config.from_ns, to_ns, step),
            None => Steps::round(config.from_ns, to_ns, POINTS),
        };
        let node = NodeSums {
            counts: Counts::default(),
            local_ns: 0,
            since_ns: config.from_ns,
        };
        let mut nodes = vec![node; config.nodes.len()];
        let mut sums = Counts::default();
        for &(place, counts) in &cpus {
            if let Some(node) = nodes.get_mut(place as usize) {
                node.counts.replace(Counts::default(), counts);
                sums.replace(Counts::default(), counts);
            }
        }
        Self {
            cpus,
            places,
            across: Shares::new(nodes.len()),
            bound: Shares::new(nodes.len()),
            nodes,
            sums,
            local: 0,
            rates: [0; WasteCause::ALL.len()],
            causes: [0; WasteCause::ALL.len()],
            now_ns: config.from_ns,
            to_ns,
            steps,
            step: 0,
            step_end: steps.end(0),
            series: vec![0; steps.count()],
            blind: [false; 2],
            source: config.source.clone(),
            affinity: config.affinity,
            movable: config.movable,
        }
    }

    /// Adds a row. Rows of cgroups, and of CPUs that are on no node, are left out.
    #[inline]
    pub fn row(&mut self, row: &StateRow) {
        let Some(&(place, old)) = self.cpus.get(row.cpu as usize) else {
            return;
        };
        let new = Counts::of(&row.state);
        if new != old && row.group == MACHINE && place != NO_NODE {
            self.change(row.ts_ns, row.cpu as usize, place as usize, new);
        }
    }

    fn change(&mut self, ts_ns: u64, cpu: usize, place: usize, new: Counts) {
        self.advance(ts_ns);
        let (Some((_, counts)), Some(node)) = (self.cpus.get_mut(cpu), self.nodes.get_mut(place))
        else {
            return;
        };
        let old = std::mem::replace(counts, new);
        node.settle(self.now_ns);
        let before = node.counts.served();
        node.counts.replace(old, new);
        self.sums.replace(old, new);
        self.local = self.local - before + node.counts.served();
        self.rates = rates(self.sums, self.local);
    }

    /// Adds up what was wasted until `ts_ns`.
    fn advance(&mut self, ts_ns: u64) {
        let from_ns = self.now_ns;
        let ts_ns = ts_ns.min(self.to_ns);
        let Some(ns) = ts_ns.checked_sub(from_ns).filter(|&ns| ns != 0) else {
            return;
        };
        self.now_ns = ts_ns;
        for (was, is) in self.blind.iter_mut().zip(self.sums.blind()) {
            *was |= is;
        }
        let [across, local, bound] = self.rates;
        let all = u64::from(across) + u64::from(local) + u64::from(bound);
        if all == 0 {
            return;
        }
        for (sum, rate) in self.causes.iter_mut().zip(self.rates) {
            *sum += u64::from(rate) * ns;
        }
        if across != 0 {
            let weights = self.nodes.iter().map(NodeSums::left);
            let sum = self.sums.movable() - self.local;
            self.across.add(u64::from(across) * ns, sum, weights);
        }
        if bound != 0 {
            let weights = self.nodes.iter().map(|node| node.counts.bound());
            self.bound
                .add(u64::from(bound) * ns, self.sums.bound(), weights);
        }
        let drawn = all - if self.movable { u64::from(bound) } else { 0 };
        self.draw(from_ns, ts_ns, drawn);
    }

    /// Adds `rate` to the series from one moment to another.
    fn draw(&mut self, mut from_ns: u64, to_ns: u64, rate: u64) {
        if from_ns >= self.step_end {
            self.step = self.steps.at(from_ns);
            self.step_end = self.steps.end(self.step);
        }
        if to_ns <= self.step_end {
            if let Some(cell) = self.series.get_mut(self.step) {
                *cell += rate * (to_ns - from_ns);
            }
            return;
        }
        while from_ns < to_ns {
            let until = to_ns.min(self.step_end);
            let Some(cell) = self.series.get_mut(self.step) else {
                return;
            };
            *cell += rate * (until - from_ns);
            from_ns = until;
            if until == self.step_end && from_ns < to_ns {
                self.step += 1;
                self.step_end = self.steps.end(self.step);
            }
        }
    }

    /// Returns the waste from the start of the window to its end.
    #[must_use]
    pub fn finish(mut self) -> Waste {
        self.advance(self.to_ns);
        for node in &mut self.nodes {
            node.settle(self.to_ns);
        }
        let [across, local, bound] = self.causes;
        let per_node = self
            .places
            .nodes()
            .iter()
            .zip(&self.nodes)
            .zip(self.across.finish().into_iter().zip(self.bound.finish()))
            .map(|((node, sums), (across, bound))| {
                let cpu_ns = across + sums.local_ns + bound;
                NodeWaste {
                    nid: node.nid,
                    cpu_seconds: seconds(cpu_ns),
                    cpu_ns,
                    causes: CauseAmount::list([across, sums.local_ns, bound]),
                }
            })
            .collect();
        let [unknown, lost] = self.blind;
        let missing = [
            (unknown, SCHED_SWITCH),
            (lost, LOST_EVENTS),
            (!self.affinity, CPUS_ALLOWED),
        ];
        let missing: Vec<&str> = missing
            .into_iter()
            .filter_map(|(is, name)| is.then_some(name))
            .collect();
        let (label, missing) = lowered(&self.source, &missing);
        Waste {
            cpu_seconds: seconds(across + local + bound),
            cpu_ns: across + local + bound,
            per_node,
            causes: CauseAmount::list(self.causes),
            affine_cpu_seconds: self.affinity.then(|| seconds(across + local)),
            series: Series {
                step_ns: self.steps.step_ns(),
                cpu_ns: self.series,
            },
            label,
            missing,
        }
    }
}
