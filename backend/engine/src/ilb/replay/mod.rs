//! Feeds the models with what was recorded.

mod told;

use std::collections::BTreeSet;

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

#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    nr_running: u32,
    idle: bool,
    known: bool,
    stopped: bool,
    /// When it would be taken to have stopped its tick, where only its idle states tell.
    silent_ns: Option<u64>,
}

struct Running {
    follow: Follow,
    model: Box<dyn Model>,
    counts: Counts,
    overdue_ns: u64,
    rate: u32,
}

impl Running {
    fn add(&mut self, ns: u64) {
        let more = u64::from(self.rate).saturating_mul(ns);
        self.overdue_ns = self.overdue_ns.saturating_add(more);
    }

    fn set_rate(&mut self, jiffies: u64, surplus: u32) {
        self.rate = match surplus {
            0 => 0,
            surplus => self.model.overdue(jiffies).min(surplus),
        };
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
    /// When CPUs are taken to have stopped their ticks.
    silent: BTreeSet<(u64, u32)>,
    idle: u32,
    surplus: u32,
    waste: Curve,
    idle_cpus: Curve,
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
            Box::new(model)
        };
        let modern = |deliver| {
            let llc = config.llc.clone();
            let mut model = Modern::new(rules, config.jiffies.hz, config.cpus, llc, deliver);
            model.intervals = intervals;
            model.passes_told = deliver == Deliver::ByTrace && config.kinds.has(IlbKind::Pass);
            model.next_blocked = start;
            model.all_next_balance(start);
            Box::new(model)
        };
        let guided = first(&[IlbKind::Arrive, IlbKind::CsdEntry]);
        let runs = Follow::ALL.map(|follow| Running {
            follow,
            model: match follow {
                Follow::Before => old(false),
                Follow::Patched => old(true),
                Follow::Guided if guided.is_some() => modern(Deliver::ByTrace),
                Follow::Modern | Follow::Guided => modern(Deliver::After(IPI_NS)),
            },
            counts: Counts::default(),
            overdue_ns: 0,
            rate: 0,
        });
        Self {
            runs: runs.into(),
            cpus: vec![Cpu::default(); config.cpus],
            tick_kind: first(&[IlbKind::Trigger, IlbKind::BalancerKick, IlbKind::Timer]),
            enter_kind: first(&[IlbKind::Enter, IlbKind::TickStop, IlbKind::CpuIdle]),
            arrive_kind: guided,
            now_ns: config.from_ns,
            next_tick_ns: config.from_ns,
            silent: BTreeSet::new(),
            idle: 0,
            surplus: 0,
            waste: Curve::default(),
            idle_cpus: Curve::default(),
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
        self.advance(row.ts_ns);
        let Some(old) = self.cpus.get(row.cpu as usize).copied() else {
            return;
        };
        let idle = row.state.on == OnCpu::Idle;
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
            self.step(row.cpu, Act::ExitNohz);
        }
        if (old.idle, old.nr_running) != (new.idle, new.nr_running) || !old.known {
            let (nr_running, idle) = (new.nr_running, new.idle);
            self.step(row.cpu, Act::Run { nr_running, idle });
        }
    }

    /// Takes in an event.
    pub fn row(&mut self, row: &IlbRow) {
        self.advance(row.ts_ns);
        let Some(cpu) = self.cpus.get(row.cpu as usize).copied() else {
            return;
        };
        let told = row.a & NR_TOLD != 0;
        let kind = Some(row.kind);
        if kind == self.tick_kind {
            self.ticks += 1;
            let (nr_running, idle) = if told {
                (row.a as u32, row.a & IDLE != 0)
            } else {
                (cpu.nr_running, cpu.idle)
            };
            let next_balance = (row.b != 0 && self.config.jiffies.told).then_some(row.b);
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
                    let Some(state) = self.cpus.get(cpu as usize).copied() else {
                        continue;
                    };
                    if state.known && !state.stopped {
                        self.ticks += 1;
                        let (nr_running, idle) = (state.nr_running, state.idle);
                        self.step(
                            cpu,
                            Act::Tick {
                                nr_running,
                                idle,
                                next_balance: None,
                            },
                        );
                    }
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
        for run in &mut self.runs {
            // Kicks under way arrive in between.
            let mut since = self.now_ns;
            for _ in 0..CHAIN {
                let Some(due) = run.model.due().filter(|&due| due <= ts_ns) else {
                    break;
                };
                run.add(due.saturating_sub(since));
                since = since.max(due);
                let (counts, follow, out) = (&mut run.counts, run.follow, &mut *self.out);
                run.model.arrive(due, &mut |told| {
                    counts.add(told);
                    out(follow, told);
                });
                run.set_rate(self.config.jiffies.at(since), self.surplus);
            }
            run.add(ts_ns.saturating_sub(since));
        }
        self.now_ns = self.now_ns.max(ts_ns);
    }

    fn step(&mut self, cpu: u32, act: Act) {
        let step = Step {
            t_ns: self.now_ns,
            jiffies: self.config.jiffies.at(self.now_ns),
            cpu,
            act,
        };
        for run in &mut self.runs {
            let (counts, follow, out) = (&mut run.counts, run.follow, &mut *self.out);
            run.model.step(&step, &mut |told| {
                counts.add(told);
                out(follow, told);
            });
            run.set_rate(step.jiffies, self.surplus);
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
                .map(|run| {
                    let (label, missing) = run.follow.label(kernel);
                    Run {
                        follow: run.follow,
                        counts: run.counts,
                        overdue_cpu_ns: run.overdue_ns,
                        label,
                        missing: missing.to_vec(),
                    }
                })
                .collect(),
            waste: self.waste,
            idle: self.idle_cpus,
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
