//! Adds up busy, idle and unknown time, row by row.

use numalens_core::provenance::Source;
use numalens_core::topology::Node;
use numalens_replay::evidence::OTHER_TASKS;
use numalens_replay::states::{MACHINE, OnCpu, StateRow};
use numalens_subject::window::{LOST_EVENTS, NO_NODE, Places, SCHED_SWITCH, Steps, lowered};

use crate::utilisation::{
    CpuTime, Depth, NodeDepth, NodeTime, Row, Utilisation, cells, imbalance, steps,
};

/// Query.
#[derive(Debug, Clone)]
pub struct Config<'a> {
    /// The machine.
    pub nodes: &'a [Node],
    /// Begin of the window, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Step of the table, ns; `None` for 5 s, or 5 to 10 steps in windows below 10 s.
    pub step_ns: Option<u64>,
    /// Source of the run states.
    pub source: Source,
}

#[derive(Debug, Clone, Copy)]
struct Cpu {
    place: u32,
    on: OnCpu,
    waiting: u16,
    /// Time since which its task has not changed, or the start of the step.
    since_ns: u64,
    /// Time in the step so far, by what was on the CPU.
    step: [u64; 4],
}

/// Adds up times over state rows of the machine: first each CPU's state at the start of the window, then the changes.
#[derive(Debug)]
pub struct Meter {
    cpus: Vec<Cpu>,
    places: Places,
    /// Time in the whole window per CPU, by what was on it.
    totals: Vec<[u64; 4]>,
    queues: Queues,
    steps: Steps,
    step: usize,
    step_end: u64,
    /// The earlier end of the table's and the queues' step.
    next_end: u64,
    /// Busy CPU-ns per node and step, and CPU-ns of which nothing is known.
    busy: Vec<Vec<u64>>,
    unknown: Vec<Vec<u64>>,
    from_ns: u64,
    to_ns: u64,
    source: Source,
}

impl Meter {
    /// Returns an empty meter.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let places = Places::new(config.nodes);
        let (from_ns, to_ns) = (config.from_ns, config.to_ns.max(config.from_ns));
        let cpus: Vec<Cpu> = places
            .by_cpu()
            .iter()
            .map(|&place| Cpu {
                place,
                on: OnCpu::Unknown,
                waiting: 0,
                since_ns: from_ns,
                step: [0; 4],
            })
            .collect();
        let steps = steps(from_ns, to_ns, config.step_ns, config.nodes.len());
        let queues = Queues::new(config.nodes.len(), from_ns, to_ns);
        let step_end = steps.end(0);
        Self {
            totals: vec![[0; 4]; cpus.len()],
            next_end: step_end.min(queues.end_ns),
            busy: vec![vec![0; steps.count()]; config.nodes.len()],
            unknown: vec![vec![0; steps.count()]; config.nodes.len()],
            cpus,
            places,
            queues,
            steps,
            step: 0,
            step_end,
            from_ns,
            to_ns,
            source: config.source.clone(),
        }
    }

    /// Adds a row. Rows of cgroups, and of CPUs that are on no node, are left out.
    #[inline]
    pub fn row(&mut self, row: &StateRow) {
        let ts_ns = row.ts_ns.clamp(self.from_ns, self.to_ns);
        if ts_ns >= self.next_end {
            self.end_steps(ts_ns);
        }
        let Some(cpu) = self.cpus.get_mut(row.cpu as usize) else {
            return;
        };
        if row.group != MACHINE || cpu.place == NO_NODE {
            return;
        }
        if cpu.on != row.state.on {
            cpu.step[cpu.on as usize] += ts_ns.saturating_sub(cpu.since_ns);
            cpu.since_ns = ts_ns;
            cpu.on = row.state.on;
        }
        let waiting = row.state.waiting();
        if cpu.waiting != waiting {
            let old = std::mem::replace(&mut cpu.waiting, waiting);
            self.queues.change(ts_ns, cpu.place, old, waiting);
        }
    }

    /// Ends the steps that end until `ts_ns`.
    #[cold]
    fn end_steps(&mut self, ts_ns: u64) {
        while self.queues.end_ns <= ts_ns && self.queues.end_step() {}
        while self.step_end <= ts_ns && self.step < self.steps.count() {
            self.end_step();
        }
        self.next_end = self.step_end.min(self.queues.end_ns);
    }

    fn end_step(&mut self) {
        let end_ns = self.step_end;
        for (cpu, total) in self.cpus.iter_mut().zip(&mut self.totals) {
            let place = cpu.place as usize;
            let (Some(busy), Some(unknown)) =
                (self.busy.get_mut(place), self.unknown.get_mut(place))
            else {
                continue;
            };
            cpu.step[cpu.on as usize] += end_ns.saturating_sub(cpu.since_ns);
            cpu.since_ns = end_ns;
            if let Some(cell) = busy.get_mut(self.step) {
                *cell += cpu.step[OnCpu::Task as usize];
            }
            if let Some(cell) = unknown.get_mut(self.step) {
                *cell += cpu.step[OnCpu::Unknown as usize] + cpu.step[OnCpu::Lost as usize];
            }
            for (total, step) in total.iter_mut().zip(&mut cpu.step) {
                *total += std::mem::take(step);
            }
        }
        self.step += 1;
        self.step_end = self.steps.end(self.step);
    }

    /// Returns the times from the start of the window to its end.
    #[must_use]
    pub fn finish(mut self) -> Utilisation {
        self.end_steps(self.to_ns);
        let cells = cells(&self.steps);
        if self
            .source
            .missing
            .iter()
            .any(|missing| missing == OTHER_TASKS)
        {
            // When no task that was followed ran, the CPUs may have been busy or not.
            self.unknown
                .iter_mut()
                .flatten()
                .for_each(|ns| *ns = u64::MAX);
        }
        let mut nodes = Vec::new();
        let mut cpus = Vec::new();
        for node in self.places.nodes() {
            let mut sums = [0; 4];
            for &cpu in &node.cpus {
                let Some(times) = self.totals.get(cpu as usize) else {
                    continue;
                };
                for (sum, time) in sums.iter_mut().zip(times) {
                    *sum += time;
                }
                let [unknown, lost, idle_ns, busy_ns] = *times;
                cpus.push(CpuTime {
                    cpu,
                    nid: node.nid,
                    busy_ns,
                    idle_ns,
                    unknown_ns: unknown + lost,
                });
            }
            nodes.push((node, sums));
        }
        cpus.sort_by_key(|cpu| cpu.cpu);
        let rows: Vec<Row> = nodes
            .iter()
            .zip(self.busy.iter().zip(&self.unknown))
            .map(|((node, _), (busy, unknown))| Row {
                busy: busy.get(..cells).unwrap_or(busy),
                unknown,
                steps: &self.steps,
                cpus: node.cpus.len() as u64,
            })
            .collect();
        let blind = |on: OnCpu| nodes.iter().any(|(_, sums)| sums[on as usize] != 0);
        let mut missing = Vec::new();
        if blind(OnCpu::Unknown) {
            missing.push(SCHED_SWITCH);
        }
        if blind(OnCpu::Lost) {
            missing.push(LOST_EVENTS);
        }
        let (label, missing) = lowered(&self.source, &missing);
        Utilisation {
            step_ns: self.steps.step_ns(),
            imbalance: imbalance(&rows, &self.steps, cells),
            nodes: nodes
                .iter()
                .zip(&rows)
                .map(|((node, sums), row)| NodeTime {
                    nid: node.nid,
                    percent: row.percent(),
                    average: row.average(),
                    between: row.between(),
                    busy_ns: sums[OnCpu::Task as usize],
                    idle_ns: sums[OnCpu::Idle as usize],
                    unknown_ns: sums[OnCpu::Unknown as usize] + sums[OnCpu::Lost as usize],
                })
                .collect(),
            cpus,
            depth: self.queues.finish(self.places.nodes()),
            label,
            missing,
        }
    }
}

// How many tasks wait, over time.

/// Points of the series, at most.
const POINTS: u64 = 512;

#[derive(Debug, Default)]
struct NodeQueue {
    waiting: u32,
    since_ns: u64,
    /// Waiting tasks × ns in the step so far.
    area: u64,
    most: u32,
    mean: Vec<f64>,
    max: Vec<u32>,
}

impl NodeQueue {
    #[inline]
    fn advance(&mut self, ts_ns: u64) {
        let ns = ts_ns.saturating_sub(self.since_ns);
        if ns != 0 {
            self.area = self.area.saturating_add(u64::from(self.waiting) * ns);
            // A task that moves from CPU to CPU is gone, or there twice, between two rows of one moment.
            self.most = self.most.max(self.waiting);
            self.since_ns = ts_ns;
        }
    }
}

/// Counts waiting tasks by node. The caller says when a step ends.
#[derive(Debug)]
pub(super) struct Queues {
    nodes: Vec<NodeQueue>,
    steps: Steps,
    step: usize,
    /// End of the step.
    pub(super) end_ns: u64,
}

impl Queues {
    pub(super) fn new(nodes: usize, from_ns: u64, to_ns: u64) -> Self {
        let steps = Steps::round(from_ns, to_ns, POINTS.min(Steps::most(nodes)));
        let queue = || NodeQueue {
            since_ns: from_ns,
            ..NodeQueue::default()
        };
        Self {
            nodes: std::iter::repeat_with(queue).take(nodes).collect(),
            steps,
            step: 0,
            end_ns: steps.end(0),
        }
    }

    /// The tasks that wait on a CPU of the node change in number.
    #[inline]
    pub(super) fn change(&mut self, ts_ns: u64, place: u32, old: u16, new: u16) {
        if let Some(node) = self.nodes.get_mut(place as usize) {
            node.advance(ts_ns);
            node.waiting = node.waiting - u32::from(old) + u32::from(new);
        }
    }

    /// Ends the step; false when there is none any more.
    pub(super) fn end_step(&mut self) -> bool {
        if self.step >= self.steps.count() {
            return false;
        }
        let ns = self.end_ns - self.steps.start(self.step);
        for node in &mut self.nodes {
            node.advance(self.end_ns);
            node.mean.push(node.area as f64 / ns as f64);
            node.max.push(node.most);
            node.area = 0;
            node.most = 0;
        }
        self.step += 1;
        self.end_ns = self.steps.end(self.step);
        true
    }

    pub(super) fn finish(self, nodes: &[Node]) -> Depth {
        Depth {
            step_ns: self.steps.step_ns(),
            nodes: nodes
                .iter()
                .zip(self.nodes)
                .map(|(node, queue)| NodeDepth {
                    nid: node.nid,
                    mean: queue.mean,
                    max: queue.max,
                })
                .collect(),
        }
    }
}
