//! The balancer of 5.2 and later (`nohz_balancer_kick`, `kick_ilb`, `_nohz_idle_balance`); versions differ by [`Rules`].

use std::collections::VecDeque;

use super::{
    Act, Annotation, CHAIN, CpuSet, Deliver, GateMove, Kind, Model, Rules, Step, Why, before,
};

/// Bits of a kick (`kernel/sched/sched.h`).
pub mod flags {
    /// Balance (`NOHZ_BALANCE_KICK`).
    pub const BALANCE: u32 = 1;
    /// Update blocked load (`NOHZ_STATS_KICK`).
    pub const STATS: u32 = 2;
    /// Update blocked load before going idle (`NOHZ_NEWILB_KICK`, since 5.14); not a kick.
    pub const NEWILB: u32 = 4;
    /// Update `next_balance` (`NOHZ_NEXT_KICK`, since 5.17).
    pub const NEXT: u32 = 8;
    /// The bits that are kicks (`NOHZ_KICK_MASK`).
    pub const KICKS: u32 = BALANCE | STATS | NEXT;
}

#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    /// Kicks under way (`nohz_flags`).
    flags: u32,
    kicked: u64,
    kicked_ns: u64,
    /// What the softirq is to do (`rq->nohz_idle_balance`).
    pending: u32,
    next_balance: u64,
    nr_running: u32,
    idle: bool,
    /// `rq->idle_balance`: idle at the last tick or kick.
    idle_balance: bool,
}

impl Cpu {
    /// `idle_cpu()`.
    fn free(&self) -> bool {
        self.idle && self.nr_running == 0
    }
}

/// The modern balancer. Asymmetric capacities and misfit tasks are not known from traces and count as absent.
#[derive(Debug, Clone)]
pub struct Modern {
    rules: Rules,
    hz: u32,
    deliver: Deliver,
    /// [`Act::Pass`] tells of passes: softirqs do not begin any by themselves.
    pub passes_told: bool,
    /// Jiffies from one balancing of a CPU to its next, busy and idle; `None` leaves `next_balance` to whoever steps.
    pub intervals: Option<[u64; 2]>,
    /// Some CPU may have load that decays (`nohz.has_blocked`).
    pub has_blocked: bool,
    /// When it is to be updated next, jiffies (`nohz.next_blocked`).
    pub next_blocked: u64,
    needs_update: bool,
    next_balance: Option<u64>,
    idle: CpuSet,
    cpus: Vec<Cpu>,
    /// Per CPU the number of its last-level cache; empty when not known.
    llc: Vec<u32>,
    /// Per cache: CPUs that are not in `idle`.
    busy: Vec<u32>,
    ipis: VecDeque<(u64, u32)>,
    jiffies: u64,
}

type Out<'a> = &'a mut dyn FnMut(&Annotation);

/// `LOAD_AVG_PERIOD`, ms.
const BLOCKED_MS: u64 = 32;
/// A kick of the model that the trace does not show to come within this time was not one of the kernel's, ns. Assumed.
const LOST_NS: u64 = 10_000_000;

impl Modern {
    /// `llc` gives each CPU's last-level cache, counted from 0; empty leaves the rule about busy caches out.
    #[must_use]
    pub fn new(rules: Rules, hz: u32, cpus: usize, llc: Vec<u32>, deliver: Deliver) -> Self {
        let mut busy = Vec::new();
        for &cache in llc.iter().take(cpus) {
            let at = cache as usize;
            if at < cpus && at >= busy.len() {
                busy.resize(at + 1, 0);
            }
            if let Some(count) = busy.get_mut(at) {
                *count += 1;
            }
        }
        Self {
            rules,
            hz: hz.max(1),
            deliver,
            passes_told: false,
            intervals: None,
            has_blocked: false,
            next_blocked: 0,
            needs_update: false,
            next_balance: None,
            idle: CpuSet::default(),
            cpus: vec![Cpu::default(); cpus],
            llc,
            busy,
            ipis: VecDeque::new(),
            jiffies: 0,
        }
    }

    /// Sets every CPU's `next_balance`, jiffies.
    pub fn all_next_balance(&mut self, jiffies: u64) {
        for cpu in &mut self.cpus {
            cpu.next_balance = jiffies;
        }
    }

    /// By reference: a copy right behind a change waits for it.
    #[inline]
    fn at(&self, cpu: u32) -> &Cpu {
        const NONE: Cpu = Cpu {
            flags: 0,
            kicked: 0,
            kicked_ns: 0,
            pending: 0,
            next_balance: 0,
            nr_running: 0,
            idle: false,
            idle_balance: false,
        };
        self.cpus.get(cpu as usize).unwrap_or(&NONE)
    }

    fn with(&mut self, cpu: u32, change: impl FnOnce(&mut Cpu)) {
        if let Some(found) = self.cpus.get_mut(cpu as usize) {
            change(found);
        }
    }

    /// [`Act::Run`], for whoever has let arrive what is due.
    #[inline]
    pub(in crate::ilb) fn run(&mut self, cpu: u32, nr_running: u32, idle: bool) {
        self.with(cpu, |state| {
            state.nr_running = nr_running;
            state.idle = idle;
        });
    }

    /// CPUs that share the CPU's cache and are not in the idle mask (`nr_busy_cpus`).
    fn llc_busy(&mut self, cpu: u32) -> Option<&mut u32> {
        let cache = *self.llc.get(cpu as usize)?;
        self.busy.get_mut(cache as usize)
    }

    /// The kick's flags that a tick wants and why (`nohz_balancer_kick`); it leaves the idle mask on the way.
    fn wanted(&mut self, now: &Step, out: Out<'_>) -> Option<(u32, Why)> {
        let cpu = now.cpu;
        if self.at(cpu).idle_balance {
            return None;
        }
        let nr_running = self.at(cpu).nr_running;
        let left = self.idle.remove(cpu);
        if let Some(busy) = self.llc_busy(cpu).filter(|_| left) {
            *busy += 1;
        }
        if self.idle.is_empty() {
            return None;
        }
        let (mut wanted, mut why) = (0, Why::BlockedLoad);
        if self.has_blocked && before(self.next_blocked, now.jiffies) {
            wanted = flags::STATS;
        }
        if self
            .next_balance
            .is_none_or(|gate| before(now.jiffies, gate))
        {
            if nr_running > 1 {
                out(&about(now, Kind::GateClosed, Why::TooEarly));
            }
        } else if nr_running > 1 {
            (wanted, why) = (flags::STATS | flags::BALANCE, Why::NrRunning);
        } else if self.llc_busy(cpu).is_some_and(|busy| *busy > 1) {
            (wanted, why) = (flags::STATS | flags::BALANCE, Why::LlcBusy);
        }
        if self.rules.next_kick && self.needs_update {
            if wanted == 0 {
                why = Why::NextBalance;
            }
            wanted |= flags::NEXT;
        }
        (wanted != 0).then_some((wanted, why))
    }

    /// `kick_ilb`.
    fn kick(&mut self, now: &Step, wanted: u32, why: Why, out: Out<'_>) {
        match self.rules.gate {
            GateMove::AddOne => {
                self.next_balance = self.next_balance.map(|gate| gate.wrapping_add(1));
            }
            GateMove::NextJiffy if wanted & flags::BALANCE != 0 => {
                self.next_balance = Some(now.jiffies.wrapping_add(1));
            }
            GateMove::NextJiffy => {}
        }
        let own = |cpu: u32| self.rules.skips_self && cpu == now.cpu;
        let target = self
            .idle
            .iter()
            .find(|&idle| !own(idle) && self.at(idle).free());
        let kick = Annotation {
            target,
            flags: wanted,
            ..about(now, Kind::KickSent, why)
        };
        let Some(target) = target else {
            out(&Annotation {
                kind: Kind::NoTarget,
                ..kick
            });
            return;
        };
        let lost = now.t_ns.saturating_sub(self.at(target).kicked_ns) > LOST_NS;
        if self.deliver == Deliver::ByTrace && lost {
            self.with(target, |state| state.flags = 0);
        }
        let state = *self.at(target);
        let same = self.rules.skips_same_flags && state.flags & wanted == wanted;
        if !same {
            self.with(target, |state| state.flags |= wanted);
        }
        if same || state.flags & flags::KICKS != 0 {
            out(&Annotation {
                kind: Kind::KickLatched,
                why: Why::FlagSet,
                size: now.jiffies.wrapping_sub(state.kicked),
                ..kick
            });
            return;
        }
        self.with(target, |state| {
            state.kicked = now.jiffies;
            state.kicked_ns = now.t_ns;
        });
        out(&kick);
        if let Deliver::After(ns) = self.deliver {
            self.ipis.push_back((now.t_ns.saturating_add(ns), target));
        }
    }

    /// The kick arrives (`nohz_csd_func`, before 5.8 `scheduler_ipi`).
    fn take(&mut self, now: &Step, told: Option<u32>, need_resched: bool, out: Out<'_>) {
        let state = *self.at(now.cpu);
        let taken = told.unwrap_or(state.flags);
        let idle = state.free();
        let resched = need_resched && (self.rules.drops_on_resched || !self.rules.csd);
        // The trace shows a kick that the model did not send: the gate moved with it.
        let unsent = taken & !state.flags & flags::BALANCE != 0;
        if unsent && self.deliver == Deliver::ByTrace {
            self.next_balance = Some(now.jiffies.wrapping_add(1));
        }
        self.with(now.cpu, |state| {
            state.flags = 0;
            state.idle_balance = idle;
            state.pending = if idle && !resched {
                taken & flags::KICKS
            } else {
                0
            };
        });
        if !idle || resched {
            let why = if idle { Why::NeedResched } else { Why::NotIdle };
            out(&Annotation {
                flags: taken,
                ..about(now, Kind::KickDropped, why)
            });
        }
    }

    /// `run_rebalance_domains`.
    fn softirq(&mut self, now: &Step, need_resched: bool, out: Out<'_>) {
        let state = *self.at(now.cpu);
        if state.pending != 0 && !self.passes_told {
            self.with(now.cpu, |state| state.pending = 0);
            if state.idle_balance {
                self.pass(now, state.pending, need_resched, out);
                return;
            }
            out(&Annotation {
                flags: state.pending,
                ..about(now, Kind::KickDropped, Why::NotIdle)
            });
        }
        self.balance(now.cpu, state.idle_balance, now.jiffies);
    }

    /// `_nohz_idle_balance`.
    fn pass(&mut self, now: &Step, asked: u32, need_resched: bool, out: Out<'_>) {
        let (cpu, stats) = (now.cpu, asked & flags::STATS != 0);
        let mut next = now.jiffies.wrapping_add(60 * u64::from(self.hz));
        let (mut update, mut aborted, mut served, mut blocked) = (false, false, 0, false);
        if stats {
            self.has_blocked = false;
        }
        if asked & flags::NEXT != 0 {
            self.needs_update = false;
        }
        let mut order: Vec<u32> = self.idle.iter().collect();
        if self.rules.self_last {
            let at = order.partition_point(|&other| other <= cpu);
            order.rotate_left(at);
        }
        for other in order {
            if !self.at(other).free() {
                continue;
            }
            if need_resched {
                aborted = true;
                blocked |= stats;
                self.needs_update |= asked & flags::NEXT != 0;
                break;
            }
            // Whether load is left is not known from a trace: some is assumed.
            blocked |= stats;
            if asked & flags::BALANCE != 0 && !before(now.jiffies, self.at(other).next_balance) {
                self.balance(other, true, now.jiffies);
                served += 1;
            }
            let own = self.at(other).next_balance;
            if before(own, next) {
                next = own;
                update = true;
            }
        }
        if update && !(aborted && self.rules.abort_keeps_gate) {
            self.next_balance = Some(next);
        }
        if stats && !aborted {
            let ms = (BLOCKED_MS * u64::from(self.hz)).div_ceil(1000);
            self.next_blocked = now.jiffies.wrapping_add(ms);
        }
        self.has_blocked |= blocked;
        let done = |kind, why| Annotation {
            flags: asked,
            ..about(now, kind, why)
        };
        if aborted {
            out(&done(Kind::KickAborted, Why::NeedResched));
        } else {
            out(&done(Kind::KickHandled, Why::Kicked));
        }
        out(&Annotation {
            size: served,
            ..done(Kind::Pass, Why::Kicked)
        });
    }

    fn balance(&mut self, cpu: u32, idle: bool, jiffies: u64) {
        if let Some([busy, when_idle]) = self.intervals {
            self.with(cpu, |state| {
                if !before(jiffies, state.next_balance) {
                    state.next_balance = jiffies.wrapping_add(if idle { when_idle } else { busy });
                }
            });
        }
    }

    /// `nohz_balance_enter_idle`.
    fn enter(&mut self, now: &Step, out: Out<'_>) {
        self.has_blocked = true;
        if !self.idle.insert(now.cpu) {
            return;
        }
        self.needs_update = true;
        if let Some(busy) = self.llc_busy(now.cpu) {
            *busy = busy.saturating_sub(1);
        }
        let own = self.at(now.cpu).next_balance;
        if let Some(gate) = self.next_balance.filter(|&gate| before(own, gate)) {
            out(&Annotation {
                size: gate.wrapping_sub(own),
                ..about(now, Kind::Stale, Why::EnterNohz)
            });
        }
    }
}

fn about(now: &Step, kind: Kind, why: Why) -> Annotation {
    Annotation {
        t_ns: now.t_ns,
        kind,
        cpu: now.cpu,
        target: None,
        why,
        size: 0,
        flags: 0,
    }
}

impl Model for Modern {
    fn step(&mut self, step: &Step, out: &mut dyn FnMut(&Annotation)) {
        self.arrive(step.t_ns, out);
        self.jiffies = step.jiffies;
        let by_trace = self.deliver == Deliver::ByTrace;
        match step.act {
            Act::Tick {
                nr_running,
                idle,
                next_balance,
            } => {
                if self.next_balance.is_none() && !by_trace {
                    self.next_balance = Some(step.jiffies);
                }
                self.with(step.cpu, |state| {
                    state.nr_running = nr_running;
                    state.idle = idle;
                    state.idle_balance = idle && nr_running == 0;
                    state.next_balance = next_balance.unwrap_or(state.next_balance);
                });
                let own = !before(step.jiffies, self.at(step.cpu).next_balance);
                if let Some((wanted, why)) = self.wanted(step, out) {
                    self.kick(step, wanted, why, out);
                }
                if own && !by_trace {
                    self.softirq(step, false, out);
                }
            }
            Act::Run { nr_running, idle } => self.run(step.cpu, nr_running, idle),
            Act::EnterNohz => self.enter(step, out),
            Act::Deliver {
                flags,
                need_resched,
            } if by_trace => self.take(step, flags, need_resched, out),
            Act::Softirq { need_resched } if by_trace => self.softirq(step, need_resched, out),
            Act::Pass { flags } if by_trace => {
                self.with(step.cpu, |state| {
                    state.pending = 0;
                    state.flags &= !flags;
                });
                self.pass(step, flags, false, out);
            }
            // It leaves the mask at its first busy tick.
            Act::ExitNohz | Act::Deliver { .. } | Act::Softirq { .. } | Act::Pass { .. } => {}
        }
    }

    fn due(&self) -> Option<u64> {
        self.ipis.front().map(|ipi| ipi.0)
    }

    fn arrive(&mut self, t_ns: u64, out: &mut dyn FnMut(&Annotation)) {
        for _ in 0..CHAIN {
            let Some(&(due, cpu)) = self.ipis.front().filter(|ipi| ipi.0 <= t_ns) else {
                break;
            };
            self.ipis.pop_front();
            let now = Step {
                t_ns: due,
                jiffies: self.jiffies,
                cpu,
                act: Act::Softirq {
                    need_resched: false,
                },
            };
            self.take(&now, None, false, out);
            if self.at(cpu).pending != 0 {
                self.softirq(&now, false, out);
            }
        }
    }

    fn overdue(&self, jiffies: u64) -> u32 {
        let late = |cpu: &u32| {
            let cpu = self.at(*cpu);
            cpu.free() && !before(jiffies, cpu.next_balance)
        };
        self.idle.iter().filter(late).count() as u32
    }

    fn next_balance(&self) -> Option<u64> {
        self.next_balance
    }

    fn set_next_balance(&mut self, jiffies: u64) {
        self.next_balance = Some(jiffies);
    }
}
