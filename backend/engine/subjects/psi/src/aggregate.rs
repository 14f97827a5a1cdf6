//! Totals of groups: at every moment at which the kernel aggregated, the CPUs' clocks are weighed and added up
//! (`collect_percpu_times`, `kernel/sched/psi.c`).

use numalens_replay::evidence::{Instant, InstantKind};
use numalens_replay::states::{MACHINE, StateRow};
use numalens_subject::jiffies::Ticks;

use crate::averages::Seed;
use crate::effort::Effort;
use crate::group::{Group, GroupTotals, Point, Time};
use crate::rules::{Rules, state};
use crate::times::Clock;

/// Inputs for the replay of a window.
#[derive(Debug, Clone)]
pub struct Config {
    /// Rules.
    pub rules: &'static Rules,
    /// Jiffies per second.
    pub hz: u32,
    /// The window's start, ns of the reference clock; an aggregation happens there.
    pub from_ns: u64,
    /// Node of each CPU, by its number; -1 when not known. Its length is the number of CPUs.
    pub node_of: Vec<i32>,
    /// A moment at which a jiffy began, ns; any moment if none is known.
    pub tick_anchor_ns: u64,
    /// The machine's averages at the start, if known.
    pub seed: Option<Seed>,
    /// (group, ns) of reads whose totals the caller wants back, see [`GroupTotals::marks`]. Each makes an aggregation.
    pub marks: Vec<(u32, u64)>,
    /// True if the instants contain every run of the machine's worker; otherwise the worker is modelled. A cgroup's worker is
    /// modelled, except if the instants contain its runs.
    pub worker_traced: bool,
}

/// Sum of the states of a node's CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeClock {
    /// The node; -1 for CPUs whose node is not known.
    pub nid: i32,
    /// Time of the CPUs in each state, ns.
    pub times_ns: [u64; state::COUNT],
    /// Unknown time, ns.
    pub unknown_ns: u64,
}

/// A replayed window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The window's start, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// The groups that were named, by number; the machine is always there.
    pub groups: Vec<GroupTotals>,
    /// The nodes, by number.
    pub nodes: Vec<NodeClock>,
    /// The machine's pressure over time.
    pub series: Vec<Point>,
    /// Updates of the machine's averages without a point in `series`.
    pub left_out: u64,
    /// Steps of modelled workers, see [`Effort::spent`].
    pub steps: u64,
}

/// Replays pressure from states. Rows of one group come by time; groups may follow one another or mix.
#[derive(Debug)]
pub struct Pressure {
    time: Time,
    from: u64,
    node_of: Vec<i32>,
    seed: Option<Seed>,
    worker_traced: bool,
    groups: Vec<Option<Box<Group>>>,
    instants: Vec<Vec<(u64, InstantKind)>>,
    wanted: Vec<Vec<u64>>,
    workers: Vec<bool>,
    effort: Effort,
}

impl Pressure {
    /// A replay from `config.from_ns` on. `instants` may be those of the whole recording, in any order.
    #[must_use]
    pub fn new(config: Config, instants: &[Instant]) -> Self {
        let groups = instants
            .iter()
            .map(|instant| instant.group)
            .chain(config.marks.iter().map(|mark| mark.0))
            .max()
            .map_or(1, |group| group as usize + 1);
        let mut by_group = vec![Vec::new(); groups];
        let mut workers = vec![false; groups];
        for instant in instants {
            workers[instant.group as usize] |= instant.kind == InstantKind::Worker;
            if instant.ts_ns > config.from_ns {
                by_group[instant.group as usize].push((instant.ts_ns, instant.kind));
            }
        }
        let mut wanted = vec![Vec::new(); groups];
        for &(group, ts) in &config.marks {
            wanted[group as usize].push(ts);
            if ts > config.from_ns {
                by_group[group as usize].push((ts, InstantKind::Read));
            }
        }
        for list in &mut by_group {
            list.sort_unstable_by_key(|&(ts, kind)| (ts, kind == InstantKind::Read));
            list.dedup();
        }
        for list in &mut wanted {
            list.sort_unstable();
            list.dedup();
        }
        let mut pressure = Self {
            time: Time {
                rules: config.rules,
                hz: config.hz,
                ticks: Ticks {
                    anchor_ns: config.tick_anchor_ns,
                    hz: config.hz,
                },
            },
            from: config.from_ns,
            node_of: config.node_of,
            seed: config.seed,
            worker_traced: config.worker_traced,
            groups: Vec::new(),
            instants: by_group,
            wanted,
            workers,
            effort: Effort::default(),
        };
        pressure.group(MACHINE);
        pressure
    }

    /// The next row: the state of a CPU for a group at the window's start, or a change after it.
    pub fn row(&mut self, row: &StateRow) {
        let ts = row.ts_ns.max(self.from);
        let mut effort = self.effort;
        effort.event();
        let group = self.group(row.group);
        group.change(ts, row.cpu, row.state, &mut effort);
        self.effort = effort;
    }

    /// Interrupt time of a CPU that `psi_account_irqtime` charged to a group at `ts`.
    pub fn irq(&mut self, ts: u64, cpu: u32, group: u32, ns: u64) {
        if self.time.rules.irq && ts >= self.from {
            let mut effort = self.effort;
            effort.event();
            self.group(group).irq(ts, cpu, ns, &mut effort);
            self.effort = effort;
        }
    }

    /// Ends the window at `to` with a last aggregation there.
    #[must_use]
    pub fn finish(mut self, to: u64) -> Replay {
        let to = to.max(self.from);
        for number in 0..self.wanted.len() {
            if !self.wanted[number].is_empty() {
                self.group(number as u32);
            }
        }
        for group in self.groups.iter_mut().flatten() {
            group.finish(to, &mut self.effort);
        }
        let mut nodes: Vec<NodeClock> = Vec::new();
        let (mut series, mut left_out) = (Vec::new(), 0);
        let mut totals = Vec::new();
        let span = to - self.from;
        for mut group in self.groups.into_iter().flatten() {
            if group.number == MACHINE {
                for (cpu, clock) in group.clocks().enumerate() {
                    let nid = self.node_of.get(cpu).copied().unwrap_or(-1);
                    add_to_node(&mut nodes, nid, clock, span);
                }
                left_out = group.left_out();
                series = group.take_series();
            }
            totals.push(group.into_totals(span));
        }
        nodes.sort_unstable_by_key(|node| node.nid);
        Replay {
            from_ns: self.from,
            to_ns: to,
            groups: totals,
            nodes,
            series,
            left_out,
            steps: self.effort.spent(),
        }
    }

    fn group(&mut self, number: u32) -> &mut Group {
        let index = number as usize;
        if self.groups.len() <= index {
            self.groups.resize_with(index + 1, || None);
        }
        self.groups[index].get_or_insert_with(|| {
            let traced = if number == MACHINE {
                self.worker_traced
            } else {
                self.workers.get(index).copied().unwrap_or(false)
            };
            let mut group = Group::new(
                self.time,
                number,
                self.from,
                self.instants
                    .get_mut(index)
                    .map(std::mem::take)
                    .unwrap_or_default(),
                self.wanted.get(index).cloned().unwrap_or_default(),
                !traced,
            );
            if number == MACHINE {
                group.machine(self.node_of.len(), self.from, self.seed.as_ref());
            }
            Box::new(group)
        })
    }
}

/// Adds a CPU to its node; without a clock its state is unknown in the window of `span` ns.
fn add_to_node(nodes: &mut Vec<NodeClock>, nid: i32, clock: Option<&Clock>, span: u64) {
    let at = nodes
        .iter()
        .position(|node| node.nid == nid)
        .unwrap_or_else(|| {
            nodes.push(NodeClock {
                nid,
                times_ns: [0; state::COUNT],
                unknown_ns: 0,
            });
            nodes.len() - 1
        });
    let node = &mut nodes[at];
    let unknown = clock.map_or(span, Clock::unknown);
    node.unknown_ns = node.unknown_ns.saturating_add(unknown);
    for (sum, time) in node
        .times_ns
        .iter_mut()
        .zip(clock.map_or(&[0; state::COUNT], Clock::times))
    {
        *sum = sum.saturating_add(*time);
    }
}
