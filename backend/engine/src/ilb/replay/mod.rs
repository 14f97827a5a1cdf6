//! Feeds the models with what was recorded.

mod mask;
mod told;

use std::collections::BTreeSet;

use mask::Mask;
pub use mask::MaskSpan;
use told::intervals;
pub use told::{Config, Counts, Follow, Replayed, Run};

use super::model::{Act, Annotation, CHAIN, Deliver, IPI_NS, Model, Modern, Old, Rules, Step};
use super::observe::{IDLE, IlbKind, IlbRow, NR_TOLD};
use super::waste::Curve;
use crate::evidence::KernelVersion;
use crate::states::{MACHINE, OnCpu, StateRow};

/// An idle CPU without a tick for so many jiffies has stopped it, where nothing else tells. Assumed: virtual machines lose
/// single ticks.
const SILENT_JIFFIES: u64 = 10;
/// From here on a CPU stays in the idle mask until its first busy tick (`nohz_balance_exit_idle` called by the tick).
const LEAVES_AT_TICK: (u16, u16) = (4, 19);

#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    nr_running: u32,
    idle: bool,
    known: bool,
    stopped: bool,
    /// When it would be taken to have stopped its tick, where only its idle states tell.
    silent_ns: Option<u64>,
}

/// A model; which one is asked at every event.
enum Either {
    Old(Old),
    Modern(Modern),
}

impl Either {
    #[inline]
    fn step(&mut self, step: &Step, out: &mut dyn FnMut(&Annotation)) {
        match self {
            Self::Old(model) => model.step(step, out),
            Self::Modern(model) => model.step(step, out),
        }
    }

    fn arrive(&mut self, t_ns: u64, out: &mut dyn FnMut(&Annotation)) {
        match self {
            Self::Old(model) => model.arrive(t_ns, out),
            Self::Modern(model) => model.arrive(t_ns, out),
        }
    }

    #[inline]
    fn due(&self) -> Option<u64> {
        match self {
            Self::Old(model) => model.due(),
            Self::Modern(model) => model.due(),
        }
    }

    #[inline]
    fn overdue(&self, jiffies: u64) -> u32 {
        match self {
            Self::Old(model) => model.overdue(jiffies),
            Self::Modern(model) => model.overdue(jiffies),
        }
    }
}

struct Running {
    follow: Follow,
    model: Either,
    counts: Counts,
    overdue: Curve,
    overdue_from_ns: u64,
    rate: u32,
}

impl Running {
    #[inline]
    fn set_rate(&mut self, now_ns: u64, jiffies: u64, surplus: u32) {
        let rate = match surplus {
            0 => 0,
            surplus => self.model.overdue(jiffies).min(surplus),
        };
        if rate != self.rate {
            self.rate = rate;
            self.overdue.set(now_ns, rate);
        }
    }
}

/// Reads states and events in one order of time and runs all models.
pub struct Replay<'a> {
    config: Config,
    runs: Vec<Running>,
    cpus: Vec<Cpu>,
    tick_kind: Option<IlbKind>,
    enter_kind: Option<IlbKind>,
    arrive_kind: Option<IlbKind>,
    now_ns: u64,
    next_tick_ns: u64,
    /// The jiffies of now, and until when they are surely the same, ns.
    jiffies: (u64, u64),
    /// When the first kick of any model arrives, ns.
    next_due_ns: u64,
    /// When CPUs are taken to have stopped their ticks.
    silent: BTreeSet<(u64, u32)>,
    idle: u32,
    surplus: u32,
    waste: Curve,
    idle_cpus: Curve,
    mask: Mask,
    /// A CPU leaves the idle mask at its first busy tick; else as soon as it stops being idle.
    leaves_at_tick: bool,
    ticks: u64,
    out: &'a mut dyn FnMut(Follow, &Annotation),
}

impl<'a> Replay<'a> {
    /// `out` gets what the models do, each model's in ascending time.
    #[must_use]
    pub fn new(config: Config, out: &'a mut dyn FnMut(Follow, &Annotation)) -> Self {
        let first = |kinds: &[IlbKind]| {
            let mut kinds = kinds.iter().copied();
            kinds.find(|&kind| config.kinds.has(kind))
        };
        let newest = KernelVersion {
            major: 6,
            minor: 12,
        };
        let rules = Rules::of(config.kernel.unwrap_or(newest)).0;
        let intervals = Some(intervals(&config));
        let start = config.jiffies.at(config.from_ns);
        let old = |patched| {
            let mut model = Old::new(patched, config.cpus, Deliver::After(IPI_NS));
            model.intervals = intervals;
            model.next_balance = start;
            for cpu in &mut model.cpus {
                cpu.next_balance = start;
            }
            Either::Old(model)
        };
        let modern = |deliver| {
            let llc = config.llc.clone();
            let mut model = Modern::new(rules, config.jiffies.hz, config.cpus, llc, deliver);
            model.intervals = intervals;
            model.passes_told = deliver == Deliver::ByTrace && config.kinds.has(IlbKind::Pass);
            model.next_blocked = start;
            model.all_next_balance(start);
            Either::Modern(model)
        };
        let guided = first(&[IlbKind::Arrive, IlbKind::CsdEntry]);
        let runs = config.follow.iter().map(|&follow| Running {
            follow,
            model: match follow {
                Follow::Before => old(false),
                Follow::Patched => old(true),
                Follow::Guided if guided.is_some() => modern(Deliver::ByTrace),
                Follow::Modern | Follow::Guided => modern(Deliver::After(IPI_NS)),
            },
            counts: Counts::default(),
            overdue: Curve::default(),
            overdue_from_ns: config.count_from_ns,
            rate: 0,
        });
        Self {
            runs: runs.collect(),
            cpus: vec![Cpu::default(); config.cpus],
            tick_kind: config.kinds.tick(),
            enter_kind: first(&[IlbKind::Enter, IlbKind::TickStop, IlbKind::CpuIdle]),
            arrive_kind: guided,
            now_ns: config.from_ns,
            next_tick_ns: config.from_ns,
            next_due_ns: u64::MAX,
            jiffies: (0, 0),
            silent: BTreeSet::new(),
            idle: 0,
            surplus: 0,
            waste: Curve::default(),
            idle_cpus: Curve::default(),
            mask: Mask::new(config.cpus, config.count_from_ns),
            leaves_at_tick: (config.kernel)
                .is_none_or(|kernel| (kernel.major, kernel.minor) >= LEAVES_AT_TICK),
            ticks: 0,
            config,
            out,
        }
    }

    /// Takes in a state of the machine.
    pub fn state(&mut self, row: &StateRow) {
        if row.group != MACHINE {
            return;
        }
        let Some(old) = self.cpus.get(row.cpu as usize).copied() else {
            return;
        };
        let idle = row.state.on == OnCpu::Idle;
        let same = (old.idle, old.nr_running) == (idle, u32::from(row.state.running));
        if same && old.known && row.state.known() {
            return;
        }
        self.advance(row.ts_ns);
        // Meanwhile it may have been taken to have stopped its tick.
        let Some(old) = self.cpus.get(row.cpu as usize).copied() else {
            return;
        };
        if !idle {
            self.listen(row.cpu, None);
        }
        let new = Cpu {
            nr_running: u32::from(row.state.running),
            idle,
            known: row.state.known(),
            stopped: old.stopped && idle,
            silent_ns: old.silent_ns.filter(|_| idle),
        };
        let over = |cpu: Cpu| cpu.nr_running.saturating_sub(1);
        self.idle = self.idle + u32::from(new.idle) - u32::from(old.idle);
        self.surplus = self.surplus + over(new) - over(old);
        if let Some(cpu) = self.cpus.get_mut(row.cpu as usize) {
            *cpu = new;
        }
        self.waste.set(self.now_ns, self.idle.min(self.surplus));
        self.idle_cpus.set(self.now_ns, self.idle);
        if old.stopped && !new.stopped {
            if !self.leaves_at_tick {
                self.mask.leave(row.cpu, self.now_ns);
            }
            self.step(row.cpu, Act::ExitNohz);
        }
        if (old.idle, old.nr_running) != (new.idle, new.nr_running) || !old.known {
            self.ran(row.cpu, new.nr_running, new.idle);
        }
    }

    /// Takes in an event.
    pub fn row(&mut self, row: &IlbRow) {
        let kind = Some(row.kind);
        let counts = matches!(row.kind, IlbKind::Entry | IlbKind::Pass | IlbKind::Lost);
        if !counts && ![self.tick_kind, self.enter_kind, self.arrive_kind].contains(&kind) {
            return;
        }
        self.advance(row.ts_ns);
        let Some(cpu) = self.cpus.get(row.cpu as usize).copied() else {
            return;
        };
        if row.kind == IlbKind::Lost {
            self.lost(row.cpu, cpu);
            return;
        }
        let told = row.a & NR_TOLD != 0;
        if kind == self.tick_kind {
            self.ticks += u64::from(self.now_ns >= self.config.count_from_ns);
            let (nr_running, idle) = if told {
                (row.a as u32, row.a & IDLE != 0)
            } else {
                (cpu.nr_running, cpu.idle)
            };
            let next_balance = (row.b != 0 && self.config.jiffies.told).then_some(row.b);
            if !idle && self.leaves_at_tick {
                self.mask.leave(row.cpu, self.now_ns);
            }
            self.step(
                row.cpu,
                Act::Tick {
                    nr_running,
                    idle,
                    next_balance,
                },
            );
        }
        if self.waits_for_silence() {
            self.hear(row, cpu);
        } else if kind == self.enter_kind && enters(row) {
            self.enter(row.cpu);
        }
        if kind == self.arrive_kind {
            let flags = told.then_some(row.a as u32);
            self.step(
                row.cpu,
                Act::Deliver {
                    flags,
                    need_resched: false,
                },
            );
        }
        match row.kind {
            IlbKind::Entry => self.step(
                row.cpu,
                Act::Softirq {
                    need_resched: false,
                },
            ),
            IlbKind::Pass => {
                /// What a pass is for when its probe does not tell: balancing.
                const FLAGS: u32 = 3;
                let flags = if told { row.a as u32 } else { FLAGS };
                self.step(row.cpu, Act::Pass { flags });
            }
            _ => {}
        }
    }

    /// Events of the CPU are missing from here on: nobody knows whether its tick is stopped.
    fn lost(&mut self, cpu: u32, was: Cpu) {
        self.listen(cpu, None);
        if was.stopped {
            if let Some(state) = self.cpus.get_mut(cpu as usize) {
                state.stopped = false;
            }
            self.mask.leave(cpu, self.now_ns);
            self.step(cpu, Act::ExitNohz);
        }
    }

    /// Nothing tells that a tick stops but that none is recorded any more.
    fn waits_for_silence(&self) -> bool {
        self.enter_kind == Some(IlbKind::CpuIdle) && self.tick_kind.is_some()
    }

    /// An idle CPU whose tick is not recorded for a while is taken to have stopped it; one that ticks has not.
    fn hear(&mut self, row: &IlbRow, cpu: Cpu) {
        let ticks = Some(row.kind) == self.tick_kind;
        if ticks && cpu.stopped {
            if let Some(cpu) = self.cpus.get_mut(row.cpu as usize) {
                cpu.stopped = false;
            }
            self.mask.leave(row.cpu, self.now_ns);
            self.step(row.cpu, Act::ExitNohz);
        }
        if cpu.idle && (ticks || (row.kind == IlbKind::CpuIdle && !cpu.stopped && enters(row))) {
            let jiffy = 1_000_000_000 / u64::from(self.config.jiffies.hz.max(1));
            self.listen(row.cpu, Some(self.now_ns + SILENT_JIFFIES * jiffy));
        }
    }

    /// Sets when a CPU is taken to have stopped its tick; only the first idle state or a tick moves that.
    fn listen(&mut self, cpu: u32, due: Option<u64>) {
        if let Some(state) = self.cpus.get_mut(cpu as usize) {
            if let Some(old) = std::mem::replace(&mut state.silent_ns, due) {
                self.silent.remove(&(old, cpu));
            }
            self.silent.extend(due.map(|due| (due, cpu)));
        }
    }

    fn enter(&mut self, cpu: u32) {
        if let Some(state) = self.cpus.get_mut(cpu as usize) {
            state.stopped = true;
        }
        self.mask.enter(cpu, self.now_ns);
        self.step(cpu, Act::EnterNohz);
    }

    /// Time passes; where no ticks were recorded, each jiffy is one on every CPU that has not stopped it.
    fn advance(&mut self, ts_ns: u64) {
        let until = ts_ns.min(self.config.to_ns);
        if self.tick_kind.is_none() {
            let jiffy = 1_000_000_000 / u64::from(self.config.jiffies.hz.max(1));
            while self.next_tick_ns <= until {
                self.pass_time(self.next_tick_ns);
                self.next_tick_ns = self.next_tick_ns.saturating_add(jiffy.max(1));
                for cpu in 0..self.cpus.len() as u32 {
                    let state = self.cpus.get(cpu as usize);
                    let known = state.filter(|state| state.known && !state.stopped);
                    let Some(&Cpu {
                        nr_running, idle, ..
                    }) = known
                    else {
                        continue;
                    };
                    self.ticks += u64::from(self.now_ns >= self.config.count_from_ns);
                    if !idle && self.leaves_at_tick {
                        self.mask.leave(cpu, self.now_ns);
                    }
                    let next_balance = None;
                    self.step(
                        cpu,
                        Act::Tick {
                            nr_running,
                            idle,
                            next_balance,
                        },
                    );
                }
            }
        }
        while let Some(&(due, cpu)) = self.silent.first().filter(|first| first.0 <= until) {
            self.pass_time(due);
            self.listen(cpu, None);
            self.enter(cpu);
        }
        self.pass_time(until);
    }

    fn pass_time(&mut self, ts_ns: u64) {
        if self.next_due_ns > ts_ns {
            self.now_ns = self.now_ns.max(ts_ns);
            return;
        }
        self.next_due_ns = u64::MAX;
        for run in &mut self.runs {
            // Kicks under way arrive in between.
            let mut since = self.now_ns;
            for _ in 0..CHAIN {
                let Some(due) = run.model.due().filter(|&due| due <= ts_ns) else {
                    break;
                };
                since = since.max(due);
                let (counts, follow, out) = (&mut run.counts, run.follow, &mut *self.out);
                let from_ns = self.config.count_from_ns;
                run.model.arrive(due, &mut |told| {
                    if told.t_ns >= from_ns {
                        counts.add(told);
                        out(follow, told);
                    }
                });
                run.set_rate(since, self.config.jiffies.at(since), self.surplus);
            }
            self.next_due_ns = self.next_due_ns.min(run.model.due().unwrap_or(u64::MAX));
        }
        self.now_ns = self.now_ns.max(ts_ns);
    }

    /// Who is on a CPU changes. Most steps are these, so they go a shorter way than [`Act::Run`].
    fn ran(&mut self, cpu: u32, nr_running: u32, idle: bool) {
        if self.runs.is_empty() {
            return;
        }
        let (now_ns, surplus, jiffies) = (self.now_ns, self.surplus, self.jiffies_now());
        for run in &mut self.runs {
            match &mut run.model {
                Either::Old(model) => model.run(cpu, nr_running, idle),
                Either::Modern(model) => model.run(cpu, nr_running, idle),
            }
            run.set_rate(now_ns, jiffies, surplus);
        }
    }

    fn jiffies_now(&mut self) -> u64 {
        if self.now_ns >= self.jiffies.1 {
            let jiffies = &self.config.jiffies;
            self.jiffies = (jiffies.at(self.now_ns), jiffies.steady_until(self.now_ns));
        }
        self.jiffies.0
    }

    /// All models take a step. Built where it is called: taken apart again at once, a copy of it costs more than the rest.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn step(&mut self, cpu: u32, act: Act) {
        if self.runs.is_empty() {
            return;
        }
        let step = Step {
            t_ns: self.now_ns,
            jiffies: self.jiffies_now(),
            cpu,
            act,
        };
        self.steps(&step);
    }

    fn steps(&mut self, step: &Step) {
        // The traced kernel's kicks and passes are the guided model's alone.
        let guided = matches!(
            step.act,
            Act::Softirq { .. } | Act::Deliver { .. } | Act::Pass { .. }
        );
        for run in &mut self.runs {
            if guided && run.follow != Follow::Guided {
                run.set_rate(self.now_ns, step.jiffies, self.surplus);
                continue;
            }
            let (counts, follow, out) = (&mut run.counts, run.follow, &mut *self.out);
            let from_ns = self.config.count_from_ns;
            run.model.step(step, &mut |told| {
                if told.t_ns >= from_ns {
                    counts.add(told);
                    out(follow, told);
                }
            });
            run.set_rate(self.now_ns, step.jiffies, self.surplus);
            if let Some(due) = run.model.due() {
                self.next_due_ns = self.next_due_ns.min(due);
            }
        }
    }

    /// The end of the window.
    #[must_use]
    pub fn finish(mut self) -> Replayed {
        self.advance(self.config.to_ns);
        self.waste.set(self.now_ns, 0);
        self.idle_cpus.set(self.now_ns, 0);
        let kernel = self.config.kernel;
        Replayed {
            runs: self
                .runs
                .into_iter()
                .map(|mut run| {
                    run.overdue.set(self.now_ns, 0);
                    let (label, missing) = run.follow.label(kernel);
                    Run {
                        follow: run.follow,
                        counts: run.counts,
                        overdue_cpu_ns: run.overdue.between(run.overdue_from_ns, self.now_ns),
                        overdue: run.overdue,
                        label,
                        missing: missing.to_vec(),
                    }
                })
                .collect(),
            waste: self.waste,
            idle: self.idle_cpus,
            mask: self.mask.finish(self.now_ns),
            ticks: self.ticks,
            made_up: self.tick_kind.is_none(),
        }
    }
}

/// Whether the row says that the CPU stops its tick.
fn enters(row: &IlbRow) -> bool {
    match row.kind {
        IlbKind::TickStop => row.a != 0,
        // -1 says that the CPU leaves its idle state.
        IlbKind::CpuIdle => row.a != u64::from(u32::MAX),
        _ => true,
    }
}
