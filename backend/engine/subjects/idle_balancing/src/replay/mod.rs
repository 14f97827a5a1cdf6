//! Feeds the models with what was recorded.

mod deciding;
mod notes;
mod resting;
mod running;

use numalens_core::kernel_version::KernelVersion;
use numalens_events::{IlbKind, Kinds};
use numalens_replay::idle_balancing::{IDLE, IlbRow, NR_KNOWN};
use numalens_replay::states::{MACHINE, OnCpu, StateRow};
use serde::Serialize;

use crate::curve::Curve;
use crate::model::{Act, Annotation, Deliver, IPI_NS, Modern, Old, Rules, Step};
use crate::replay::deciding::Deciding;
use crate::replay::notes::{NoteSink, intervals};
use crate::replay::running::{Either, Running, Silence, enters, kicks_observed};

pub use self::notes::{Config, Counts, ModelKind, Replayed, Run};
pub use self::resting::Resting;

/// From here on a CPU stays in the idle mask until its first busy tick (`nohz_balance_exit_idle` called by the tick).
const LEAVES_AT_TICK: (u16, u16) = (4, 19);

#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent of each other")]
struct Cpu {
    /// Runnable tasks as recorded, throttled ones with them.
    runnable: u32,
    /// Of these, those that were runnable when the idle task came: a runqueue that has a task does not pick the idle task, so
    /// that they are in none (`throttle_cfs_rq`).
    throttled: u32,
    /// `rq->nr_running` as a probe read it last.
    observed: Option<u32>,
    /// A task is woken there by a call that has not come (`rq->ttwu_pending`).
    waking: bool,
    idle: bool,
    known: bool,
    stopped: bool,
    /// Idle since before the recording, as a kick to it shows, and without a state so far.
    resting: bool,
}

impl Cpu {
    /// The idle task is on it, and no task is about to come (`idle_cpu` without the number of tasks).
    fn free(self) -> bool {
        self.idle && !self.waking
    }

    /// `rq->nr_running`.
    fn nr_running(self) -> u32 {
        self.observed.unwrap_or(self.runnable - self.throttled)
    }
}

/// Reads states and events in one order of time and runs all models.
pub struct Replay<'a> {
    config: Config,
    runs: Vec<Running>,
    cpus: Vec<Cpu>,
    /// Kinds of events that steps are made of.
    matter: Kinds,
    tick_kind: Option<IlbKind>,
    enter_kind: Option<IlbKind>,
    arrive_kind: Option<IlbKind>,
    now_ns: u64,
    next_tick_ns: u64,
    /// The jiffies of now, and until when they are surely the same, ns.
    jiffies: (u64, u64),
    /// Arrival of the first kick of any model, ns.
    next_due_ns: u64,
    /// Ticks of the guided model that have not decided.
    deciding: Deciding,
    /// Times at which CPUs are assumed to have stopped their ticks, if only their idle states show it.
    silent: Silence,
    /// Before this, nothing happens of its own, ns.
    nothing_until_ns: u64,
    /// Ticks of one moment; here for its memory.
    ticking: Vec<Step>,
    idle: u32,
    surplus: u32,
    /// As the curves below have it.
    rates: (u32, u32),
    waste: Curve,
    idle_cpus: Curve,
    mask: Mask,
    /// A CPU leaves the idle mask at its first busy tick; else as soon as it stops being idle.
    leaves_at_tick: bool,
    ticks: u64,
    out: &'a mut dyn FnMut(ModelKind, &Annotation),
}

impl<'a> Replay<'a> {
    /// `out` gets what the models do, each model's in ascending time.
    #[must_use]
    pub fn new(config: Config, out: &'a mut dyn FnMut(ModelKind, &Annotation)) -> Self {
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
            model.passes_observed = deliver == Deliver::ByTrace && config.kinds.has(IlbKind::Pass);
            model.kicks_observed = model.passes_observed && kicks_observed(config.kinds);
            model.next_blocked = start;
            model.all_next_balance(start);
            Either::Modern(model)
        };
        let guided = first(&[IlbKind::Arrive, IlbKind::CsdEntry]);
        let runs = config.follow.iter().map(|&follow| {
            let model = match follow {
                ModelKind::V2011 => old(false),
                ModelKind::V2011Patched => old(true),
                ModelKind::TraceDriven if guided.is_some() => modern(Deliver::ByTrace),
                ModelKind::Modern | ModelKind::TraceDriven => modern(Deliver::After(IPI_NS)),
            };
            Running::new(follow, model)
        });
        let tick_kind = config.kinds.tick();
        let enter_kind = first(&[IlbKind::Enter, IlbKind::TickStop, IlbKind::CpuIdle]);
        let always = [
            IlbKind::Entry,
            IlbKind::Pass,
            IlbKind::Lost,
            IlbKind::Nohz,
            IlbKind::NrRunning,
            IlbKind::WakeQueue,
            IlbKind::WakeEntry,
            IlbKind::TickEnd,
        ]
        .map(Some);
        let under_way =
            kicks_observed(config.kinds).then_some([IlbKind::CsdQueue, IlbKind::CsdEntry]);
        let under_way = under_way.into_iter().flatten().map(Some);
        let matter = always.into_iter().chain([tick_kind, enter_kind, guided]);
        let matter = matter.chain(under_way);
        Self {
            runs: runs.collect(),
            matter: matter.flatten().fold(Kinds::default(), Kinds::with),
            cpus: vec![Cpu::default(); config.cpus],
            tick_kind,
            enter_kind,
            arrive_kind: guided,
            now_ns: config.from_ns,
            next_tick_ns: config.from_ns,
            next_due_ns: u64::MAX,
            jiffies: (0, 0),
            deciding: Deciding::new(config.kinds, config.cpus),
            silent: Silence::new(config.cpus),
            nothing_until_ns: 0,
            ticking: Vec::new(),
            idle: 0,
            surplus: 0,
            rates: (u32::MAX, u32::MAX),
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

    /// Restricts reports to these models; actions of the others are only counted.
    pub fn tell_only(&mut self, follow: impl Fn(ModelKind) -> bool) {
        for run in &mut self.runs {
            run.tells = follow(run.follow);
        }
    }

    /// Adds a state of the machine.
    #[inline]
    pub fn state(&mut self, row: &StateRow) {
        if row.group != MACHINE {
            return;
        }
        let Some(old) = self.cpus.get(row.cpu as usize).copied() else {
            return;
        };
        let resting = old.resting && !row.state.known();
        let idle = resting || row.state.on == OnCpu::Idle;
        let runnable = u32::from(row.state.running);
        let same = (old.idle, old.runnable) == (idle, runnable);
        if same && old.known && row.state.known() {
            return;
        }
        self.advance(row.ts_ns);
        self.decide(row.cpu);
        // In the meantime it may have been taken to have stopped its tick.
        let Some(old) = self.cpus.get(row.cpu as usize).copied() else {
            return;
        };
        if !idle {
            self.listen(row.cpu, None);
        }
        let throttled = match (old.idle && old.known, idle) {
            (true, true) => old.throttled.min(runnable),
            (false, true) => runnable,
            (_, false) => 0,
        };
        let new = Cpu {
            runnable,
            throttled,
            observed: old.observed,
            waking: old.waking,
            idle,
            known: row.state.known(),
            stopped: old.stopped && idle,
            resting,
        };
        self.change(row.cpu, old, new);
        if old.stopped && !new.stopped {
            if !self.leaves_at_tick {
                self.mask.leave(row.cpu, self.now_ns);
            }
            self.step(row.cpu, Act::ExitNohz);
        }
        if (old.idle, old.nr_running()) != (new.idle, new.nr_running()) || !old.known {
            self.ran(row.cpu, new.nr_running(), new.free());
        }
    }

    /// A CPU is another one now, and so are idle and waiting ones together.
    #[inline]
    fn change(&mut self, cpu: u32, old: Cpu, new: Cpu) {
        let over = |cpu: Cpu| cpu.nr_running().saturating_sub(1);
        self.idle = self.idle + u32::from(new.idle) - u32::from(old.idle);
        self.surplus = self.surplus + over(new) - over(old);
        if let Some(cpu) = self.cpus.get_mut(cpu as usize) {
            *cpu = new;
        }
        let rates = (self.idle.min(self.surplus), self.idle);
        if rates != self.rates {
            self.rates = rates;
            self.waste.set(self.now_ns, rates.0);
            self.idle_cpus.set(self.now_ns, rates.1);
        }
    }

    /// Returns whether a CPU is idle.
    pub(super) fn idle(&self, cpu: u32) -> bool {
        let state = self.cpus.get(cpu as usize);
        state.is_some_and(|state| state.idle)
    }

    /// Takes in an event.
    #[inline]
    pub fn row(&mut self, row: &IlbRow) {
        let kind = Some(row.kind);
        if !self.matter.has(row.kind) {
            return;
        }
        self.advance(row.ts_ns);
        self.decided_by(row);
        let Some(cpu) = self.cpus.get(row.cpu as usize).copied() else {
            return;
        };
        if row.kind == IlbKind::Lost {
            self.lost(row.cpu, cpu);
            return;
        }
        if self.probed(row) {
            return;
        }
        let recorded = row.a & NR_KNOWN != 0;
        if kind == self.tick_kind {
            self.ticks += u64::from(self.now_ns >= self.config.count_from_ns);
            let (nr_running, idle) = if recorded {
                (row.a as u32, row.a & IDLE != 0)
            } else {
                (cpu.nr_running(), cpu.idle)
            };
            let next_balance = (row.b != 0 && self.config.jiffies.recorded).then_some(row.b);
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
            let flags = recorded.then_some(row.a as u32);
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
                /// Assumed purpose of a pass when its probe does not show it: balancing.
                const FLAGS: u32 = 3;
                let flags = if recorded { row.a as u32 } else { FLAGS };
                self.step(row.cpu, Act::Pass { flags });
            }
            _ => {}
        }
    }

    /// Handles a change of the running task.
    #[inline]
    fn ran(&mut self, cpu: u32, nr_running: u32, idle: bool) {
        if self.runs.is_empty() {
            return;
        }
        let (now_ns, surplus, jiffies) = (self.now_ns, self.surplus, self.jiffies_now());
        for run in &mut self.runs {
            run.ran(cpu, nr_running, idle);
            run.set_rate(now_ns, jiffies, surplus);
        }
    }

    #[inline]
    fn jiffies_now(&mut self) -> u64 {
        if self.now_ns >= self.jiffies.1 {
            let jiffies = &self.config.jiffies;
            self.jiffies = (jiffies.at(self.now_ns), jiffies.steady_until(self.now_ns));
        }
        self.jiffies.0
    }

    /// All models take a step. Built where it is called: a copy that is destructured at once costs more than the rest.
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
        let held = self.deciding.hold(&step);
        // The traced kernel's kicks and passes are the guided model's alone.
        let guided = matches!(
            act,
            Act::Softirq { .. }
                | Act::Deliver { .. }
                | Act::Pass { .. }
                | Act::Nohz { .. }
                | Act::UnderWay(_)
        );
        let mut sink = NoteSink {
            from_ns: self.config.count_from_ns,
            out: &mut *self.out,
        };
        let mut due_ns = self.next_due_ns;
        for run in &mut self.runs {
            let follows = if run.follow == ModelKind::TraceDriven {
                !held
            } else {
                !guided
            };
            if follows {
                run.step(&step, &mut sink);
                due_ns = due_ns.min(run.due().unwrap_or(u64::MAX));
            }
            run.set_rate(self.now_ns, step.jiffies, self.surplus);
        }
        self.next_due_ns = due_ns;
        self.expect(due_ns);
    }

    /// The end of the window.
    #[must_use]
    pub fn finish(mut self) -> Replayed {
        self.advance(self.config.to_ns);
        self.decide_all();
        self.waste.set(self.now_ns, 0);
        self.idle_cpus.set(self.now_ns, 0);
        let (kernel, kinds) = (self.config.kernel, self.config.kinds);
        let from_ns = self.config.count_from_ns;
        Replayed {
            runs: self
                .runs
                .into_iter()
                .map(|mut run| {
                    run.overdue.set(self.now_ns, 0);
                    let (label, missing) = run.follow.label(kernel, kinds);
                    Run {
                        follow: run.follow,
                        counts: run.counts,
                        overdue_cpu_ns: run.overdue.between(from_ns, self.now_ns),
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

// Which CPUs are in the idle mask, over time.

/// A CPU is in the idle mask: its tick is stopped, and it may be kicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MaskSpan {
    /// CPU.
    pub cpu: u32,
    /// From, ns of the reference clock.
    pub from_ns: u64,
    /// To, ns.
    pub to_ns: u64,
}

#[derive(Debug)]
struct Mask {
    /// Since when each CPU is in it.
    since: Vec<Option<u64>>,
    /// Time before which ends are not reported, ns.
    from_ns: u64,
    done: Vec<MaskSpan>,
}

impl Mask {
    fn new(cpus: usize, from_ns: u64) -> Self {
        Self {
            since: vec![None; cpus],
            from_ns,
            done: Vec::new(),
        }
    }

    fn enter(&mut self, cpu: u32, now_ns: u64) {
        if let Some(since) = self.since.get_mut(cpu as usize) {
            since.get_or_insert(now_ns);
        }
    }

    #[inline]
    fn leave(&mut self, cpu: u32, now_ns: u64) {
        let since = self.since.get_mut(cpu as usize);
        if let Some(since) = since
            .and_then(Option::take)
            .filter(|_| now_ns > self.from_ns)
        {
            self.done.push(MaskSpan {
                cpu,
                from_ns: since.max(self.from_ns),
                to_ns: now_ns,
            });
        }
    }

    fn finish(mut self, now_ns: u64) -> Vec<MaskSpan> {
        for cpu in 0..self.since.len() {
            self.leave(cpu as u32, now_ns);
        }
        self.done
    }
}
