//! Observations for the detectors of pressure beyond the kernel's counters: pressure in steps of 100 ms, overlaps, idle time.
//! Fed by the same rows as the replay, with separate clocks.

use numalens_replay::states::{MACHINE, OnCpu, State, StateRow};
use numalens_subject::jiffies::Ticks;

use crate::effort::Effort;
use crate::findings::spike_hidden::{Episode, SPIKE_PERCENT, Sliding};
use crate::per_cpu::PerCpu;
use crate::rules::{Rules, state};
use crate::times::Clock;

pub use crate::findings::spike_hidden::STEP_NS;

/// Window of an episode, ns (`docs/algorithms/psi.md`, P14).
pub const EPISODE_NS: u64 = 2_000_000_000;
/// Stall that makes an episode, percent of its window (`docs/algorithms/psi.md`, P14).
pub const EPISODE_PERCENT: u64 = 10;
/// Memory FULL without a break that makes an episode by itself, ns (`docs/algorithms/psi.md`, P14).
pub const CONTIGUOUS_NS: u64 = 200_000_000;

/// CPU time waiting for the one woken task to be switched in, everything else idle.
const WAKE: usize = 0;
/// CPU time with both I/O and memory FULL.
const BOTH: usize = 1;
/// CPU time with CPU FULL of a cgroup whose tasks stay on an idle CPU.
const HELD: usize = 2;
const EXTRAS: usize = 3;

/// Memory FULL on one CPU without a break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The CPU.
    pub cpu: u32,
    /// Time and stall.
    pub episode: Episode,
}

/// Observations of the machine or a cgroup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchedGroup {
    /// [`MACHINE`] or the number of a cgroup.
    pub group: u32,
    /// Episodes of memory FULL.
    pub mem_full: Vec<Episode>,
    /// Time ranges of memory FULL on a CPU of at least [`CONTIGUOUS_NS`].
    pub mem_full_stretches: Vec<Stretch>,
    /// Episodes in which the cgroup's tasks were runnable, none ran, and their CPUs were idle. Only a throttled runqueue, or
    /// an idle task that takes long to leave, keeps a runnable task from an idle CPU.
    pub throttled: Vec<Episode>,
    /// Steps with [`SPIKE_PERCENT`] of SOME, neighbours joined: cpu, memory, io.
    pub spikes: [Vec<Episode>; 3],
    /// I/O FULL as weighed over CPUs, ns.
    pub io_full_ns: u64,
    /// Memory FULL, ns.
    pub mem_full_ns: u64,
    /// Both at once, ns.
    pub both_full_ns: u64,
    /// CPU SOME, ns.
    pub cpu_some_ns: u64,
    /// CPU SOME on CPUs whose only runnable task is about to be switched in, ns.
    pub wake_ns: u64,
}

/// Observations of a window.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Watched {
    /// The machine and the cgroups, by number.
    pub groups: Vec<WatchedGroup>,
    /// Mean number of runnable tasks of the machine.
    pub runnable: f64,
    /// Node of each CPU, -1 when not known.
    pub nodes: Vec<i32>,
    /// Cost of steps without events, see [`Effort::spent`](numalens_subject::effort::Effort::spent).
    pub steps: u64,
}

impl Watched {
    /// The node of a CPU, if known.
    #[must_use]
    pub fn node_of(&self, cpu: u32) -> Option<i32> {
        self.nodes
            .get(cpu as usize)
            .copied()
            .filter(|nid| *nid >= 0)
    }
}

#[derive(Debug, Clone)]
struct Cpu {
    clock: Clock,
    extra: [u64; EXTRAS],
    extra_before: [u64; EXTRAS],
    counted: u64,
    full_since: Option<u64>,
    /// True if the machine's CPU is idle.
    vacant: bool,
    runnable_ns: u64,
}

#[derive(Debug)]
struct Group {
    cpus: PerCpu<Cpu>,
    /// The step at hand, ns.
    step_begin: u64,
    step_end: u64,
    mem_full: Sliding,
    throttled: Sliding,
    out: WatchedGroup,
}

/// Observes states in order of time. Rows as for [`crate::Pressure`], and a cgroup's after the machine's of their time.
#[derive(Debug)]
pub struct Watch {
    rules: &'static Rules,
    ticks: Ticks,
    from: u64,
    to: u64,
    node_of: Vec<i32>,
    groups: Vec<Option<Box<Group>>>,
    /// Idle state of each CPU.
    vacant: Vec<bool>,
    effort: Effort,
}

impl Watch {
    /// Watches the window [from, to]; `rules` and `hz` are those of the replay, `node_of` is the node of each CPU.
    #[must_use]
    pub fn new(rules: &'static Rules, hz: u32, from: u64, to: u64, node_of: Vec<i32>) -> Self {
        Self {
            rules,
            ticks: Ticks { anchor_ns: 0, hz },
            from,
            to: to.max(from),
            node_of,
            groups: Vec::new(),
            vacant: Vec::new(),
            effort: Effort::default(),
        }
    }

    /// The next row.
    pub fn row(&mut self, row: &StateRow) {
        let ts = row.ts_ns.clamp(self.from, self.to);
        let (rules, ticks) = (self.rules, self.ticks);
        let (from, machine) = (self.from, row.group == MACHINE);
        let (index, cpu) = (row.group as usize, row.cpu as usize);
        if machine {
            self.vacant(ts, cpu, row.state.on == OnCpu::Idle);
        }
        if self.groups.len() <= index {
            self.groups.resize_with(index + 1, || None);
        }
        let group = self.groups[index].get_or_insert_with(|| Box::new(Group::new(row.group, from)));
        self.effort.event();
        group.run(rules, ticks, ts, &mut self.effort);
        let Some(known) = group.cpus.meet(row.cpu, || Cpu::new(from, machine)) else {
            return;
        };
        if let Some(&vacant) = self.vacant.get(cpu) {
            known.vacant = vacant;
        }
        group.change(rules, ticks, ts, row.cpu, row.state);
    }

    /// The machine's CPU becomes idle or is taken: what the cgroups' tasks on it waited for so far is another thing.
    fn vacant(&mut self, ts: u64, number: usize, vacant: bool) {
        if self.vacant.len() <= number {
            self.vacant.resize(number + 1, false);
        }
        if std::mem::replace(&mut self.vacant[number], vacant) == vacant {
            return;
        }
        let (rules, ticks) = (self.rules, self.ticks);
        for group in self.groups.iter_mut().skip(1).flatten() {
            let cpu = number as u32;
            if group.cpus.get(cpu).is_some_and(Cpu::waits) {
                // Time until the end of a step belongs to it.
                group.run(rules, ticks, ts, &mut self.effort);
            }
            if let Some(cpu) = group.cpus.get_mut(cpu) {
                if cpu.waits() {
                    cpu.advance(rules, ticks, ts);
                }
                cpu.vacant = vacant;
            }
        }
    }

    /// Ends the window.
    #[must_use]
    pub fn finish(mut self) -> Watched {
        let (rules, ticks, to) = (self.rules, self.ticks, self.to);
        let mut watched = Watched {
            nodes: std::mem::take(&mut self.node_of),
            ..Watched::default()
        };
        for mut group in self.groups.drain(..).flatten() {
            group.run(rules, ticks, to, &mut self.effort);
            group.end(rules, ticks, to);
            if group.out.group == MACHINE {
                let runnable = group.cpus.iter().map(|(_, cpu)| cpu.runnable_ns);
                let runnable = runnable.fold(0, u64::saturating_add);
                watched.runnable = runnable as f64 / to.saturating_sub(self.from).max(1) as f64;
            }
            group.out.throttled = group.throttled.finish();
            group.out.mem_full = group.mem_full.finish();
            watched.groups.push(group.out);
        }
        watched.steps = self.effort.spent();
        watched
    }
}

impl Cpu {
    fn new(from: u64, machine: bool) -> Self {
        let on = if machine { OnCpu::Unknown } else { OnCpu::Idle };
        Self {
            clock: Clock::new(from, on),
            extra: [0; EXTRAS],
            extra_before: [0; EXTRAS],
            counted: from,
            full_since: None,
            vacant: false,
            runnable_ns: 0,
        }
    }

    /// Returns whether there are runnable tasks of which none is on the CPU.
    fn waits(&self) -> bool {
        self.clock.state().waiting() > 0
    }

    fn advance(&mut self, rules: &Rules, ticks: Ticks, now: u64) {
        let delta = now.saturating_sub(self.counted);
        if delta == 0 {
            return;
        }
        self.counted = now;
        self.clock.advance(rules, ticks, now);
        let (state, mask) = (*self.clock.state(), self.clock.mask());
        let has = |number: usize| mask & (1 << number) != 0;
        if has(state::CPU_SOME) && state.running == 1 {
            self.extra[WAKE] += delta;
        }
        if has(state::IO_FULL) && has(state::MEM_FULL) {
            self.extra[BOTH] += delta;
        }
        if self.vacant && has(state::CPU_FULL) {
            self.extra[HELD] += delta;
        }
        if state.known() {
            let runnable = delta.saturating_mul(u64::from(state.running));
            self.runnable_ns = self.runnable_ns.saturating_add(runnable);
        }
    }
}

impl Group {
    fn new(number: u32, from: u64) -> Self {
        Self {
            cpus: PerCpu::new(),
            step_begin: from,
            step_end: from.saturating_add(STEP_NS),
            mem_full: Sliding::new(EPISODE_NS, EPISODE_PERCENT),
            throttled: Sliding::new(EPISODE_NS, EPISODE_PERCENT),
            out: WatchedGroup {
                group: number,
                ..WatchedGroup::default()
            },
        }
    }

    fn change(&mut self, rules: &Rules, ticks: Ticks, ts: u64, number: u32, to: State) {
        let Some(cpu) = self.cpus.get_mut(number) else {
            return;
        };
        cpu.advance(rules, ticks, ts);
        cpu.clock.set(rules, ticks, ts, to);
        let full = cpu.clock.mask() & (1 << state::MEM_FULL) != 0;
        match (full, cpu.full_since) {
            (true, None) => cpu.full_since = Some(ts),
            (false, Some(since)) => {
                cpu.full_since = None;
                self.stretch(number, since, ts);
            }
            _ => {}
        }
    }

    fn stretch(&mut self, cpu: u32, from: u64, to: u64) {
        if to - from >= CONTIGUOUS_NS {
            let episode = Episode {
                from_ns: from,
                to_ns: to,
                stall_ns: to - from,
            };
            self.out.mem_full_stretches.push(Stretch { cpu, episode });
        }
    }

    /// Takes the steps that end until `ts`; where they are more than `effort` allows, all but the first at once: nothing changes
    /// in them.
    fn run(&mut self, rules: &Rules, ticks: Ticks, ts: u64, effort: &mut Effort) {
        while self.step_end <= ts {
            let left = (ts - self.step_end) / STEP_NS;
            self.steps(rules, ticks, self.step_end, 1);
            if left > 0 && !effort.take(Effort::of_cpus(self.cpus.len())) {
                self.steps(rules, ticks, self.step_end + (left - 1) * STEP_NS, left);
            }
        }
    }

    fn end(&mut self, rules: &Rules, ticks: Ticks, to: u64) {
        if to > self.step_begin {
            self.steps(rules, ticks, to, 1);
        }
        let mut full: Vec<(u32, u64)> = (self.cpus.iter_mut())
            .filter_map(|(number, cpu)| Some((number, cpu.full_since.take()?)))
            .collect();
        full.sort_unstable();
        for (number, since) in full {
            self.stretch(number, since, to);
        }
    }

    /// Takes `count` equal steps that end at `to`. CPUs are weighed by their busy time, as the kernel does, to the ns.
    fn steps(&mut self, rules: &Rules, ticks: Ticks, to: u64, count: u64) {
        let from = std::mem::replace(&mut self.step_begin, to);
        self.step_end = to.saturating_add(STEP_NS);
        let mut sums = [0u128; state::TOTALS + EXTRAS];
        let mut weights = 0u128;
        for (_, cpu) in self.cpus.iter_mut() {
            cpu.advance(rules, ticks, to);
            let delta = cpu.clock.recent();
            let weight = u128::from(delta[state::NONIDLE] / count);
            weights += weight;
            for (sum, delta) in sums.iter_mut().zip(&delta[..state::TOTALS]) {
                *sum += u128::from(*delta / count) * weight;
            }
            for number in 0..EXTRAS {
                let delta = cpu.extra[number] - cpu.extra_before[number];
                sums[state::TOTALS + number] += u128::from(delta / count) * weight;
            }
            cpu.extra_before = cpu.extra;
        }
        self.count(
            sums.map(|sum| (sum / weights.max(1)) as u64),
            from,
            to,
            count,
        );
    }

    /// Takes in what `count` equal steps from one moment to another each had of stall.
    fn count(&mut self, stall: [u64; state::TOTALS + EXTRAS], from: u64, to: u64, count: u64) {
        let length = (to - from) / count;
        let step = |stall_ns: u64| Episode {
            from_ns: from,
            to_ns: from + length,
            stall_ns,
        };
        for (list, number) in
            self.out
                .spikes
                .iter_mut()
                .zip([state::CPU_SOME, state::MEM_SOME, state::IO_SOME])
        {
            let spike = Episode {
                to_ns: to,
                stall_ns: stall[number].saturating_mul(count),
                ..step(0)
            };
            if length < STEP_NS || stall[number] * 100 < SPIKE_PERCENT * STEP_NS {
                continue;
            }
            match list.last_mut() {
                Some(last) if last.to_ns == from => {
                    last.to_ns = to;
                    last.stall_ns = last.stall_ns.saturating_add(spike.stall_ns);
                }
                _ => list.push(spike),
            }
        }
        self.mem_full.steps(step(stall[state::MEM_FULL]), count);
        if self.out.group != MACHINE {
            self.throttled
                .steps(step(stall[state::TOTALS + HELD]), count);
        }
        let add = |sum: &mut u64, number: usize| {
            *sum = sum.saturating_add(stall[number].saturating_mul(count));
        };
        add(&mut self.out.io_full_ns, state::IO_FULL);
        add(&mut self.out.mem_full_ns, state::MEM_FULL);
        add(&mut self.out.both_full_ns, state::TOTALS + BOTH);
        add(&mut self.out.cpu_some_ns, state::CPU_SOME);
        add(&mut self.out.wake_ns, state::TOTALS + WAKE);
    }
}
