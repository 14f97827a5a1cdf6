//! The balancer of 2011 (3.1.3, `kernel/sched_fair.c`), without and with a patch of that year; side effects included
//! (`docs/algorithms/idle_balancing.md`, I1-I6).

use std::collections::VecDeque;

use numalens_core::CpuSet;

use crate::model::{
    Act, Annotation, CHAIN, Deliver, Kind, Late, Model, Out, Step, Why, about, before,
};

/// The balancer of 2011.
#[derive(Debug, Clone)]
pub struct Old {
    /// With the patch (`docs/algorithms/idle_balancing.md`, I6).
    pub patched: bool,
    /// CPU that balances for the others (`nohz.load_balancer`).
    pub owner: Option<u32>,
    /// `nohz.first_pick_cpu`.
    pub first: Option<u32>,
    /// `nohz.second_pick_cpu`.
    pub second: Option<u32>,
    /// `nohz.idle_cpus_mask`.
    pub idle: CpuSet,
    /// `nohz.next_balance`, jiffies; 3.1 starts at 0.
    pub next_balance: u64,
    /// Per CPU.
    pub cpus: Vec<OldCpu>,
    /// Jiffies from one balancing of a CPU to its next, busy and idle; `None` leaves `next_balance` to the caller.
    pub intervals: Option<[u64; 2]>,
    deliver: Deliver,
    /// Interrupts under way: when they arrive, and where.
    ipis: VecDeque<(u64, u32)>,
    jiffies: u64,
    now_ns: u64,
}

impl Old {
    /// All CPUs busy without tasks; none picked.
    #[must_use]
    pub fn new(patched: bool, cpus: usize, deliver: Deliver) -> Self {
        Self {
            patched,
            owner: None,
            first: None,
            second: None,
            idle: CpuSet::default(),
            next_balance: 0,
            cpus: vec![OldCpu::default(); cpus],
            intervals: None,
            deliver,
            ipis: VecDeque::new(),
            jiffies: 0,
            now_ns: 0,
        }
    }

    /// Passed by reference: a copy right after a change would have to wait for that change.
    #[inline]
    fn at(&self, cpu: u32) -> &OldCpu {
        const NONE: OldCpu = OldCpu {
            idle_at_tick: false,
            kick: false,
            kicked: 0,
            next_balance: 0,
            nr_running: 0,
            idle: false,
            stopped: false,
        };
        self.cpus.get(cpu as usize).unwrap_or(&NONE)
    }

    fn with(&mut self, cpu: u32, change: impl FnOnce(&mut OldCpu)) {
        if let Some(found) = self.cpus.get_mut(cpu as usize) {
            change(found);
        }
    }

    /// Handles [`Act::Run`]; the caller has delivered everything that is due.
    #[inline]
    pub(crate) fn run(&mut self, cpu: u32, nr_running: u32, idle: bool) {
        self.with(cpu, |state| {
            state.nr_running = nr_running;
            state.idle = idle;
        });
    }

    /// [`Model::step`], for whatever takes what the model does.
    #[inline]
    pub(crate) fn take_step<O: Out + ?Sized>(&mut self, step: &Step, out: &mut O) {
        self.arrived(step.t_ns, out);
        self.jiffies = step.jiffies;
        self.now_ns = self.now_ns.max(step.t_ns);
        match step.act {
            Act::Tick {
                nr_running,
                idle,
                next_balance,
            } => {
                self.with(step.cpu, |state| {
                    state.nr_running = nr_running;
                    state.idle = idle;
                    state.idle_at_tick = idle;
                    state.next_balance = next_balance.unwrap_or(state.next_balance);
                });
                self.tick(step, out);
            }
            Act::Run { nr_running, idle } => self.run(step.cpu, nr_running, idle),
            Act::EnterNohz => self.enter(step, out),
            Act::ExitNohz => self.exit(step.cpu),
            Act::Softirq { need_resched } if self.deliver == Deliver::ByTrace => {
                self.softirq(step, need_resched, out);
            }
            // The traced kernel's own kicks and passes are not this model's.
            Act::Softirq { .. }
            | Act::Deliver { .. }
            | Act::Pass { .. }
            | Act::Nohz { .. }
            | Act::UnderWay(_) => {}
        }
    }

    /// [`Model::arrive`].
    #[inline]
    pub(crate) fn arrived<O: Out + ?Sized>(&mut self, t_ns: u64, out: &mut O) {
        if self.ipis.front().is_some_and(|ipi| ipi.0 <= t_ns) {
            self.follow(t_ns, out);
        }
    }

    fn follow<O: Out + ?Sized>(&mut self, t_ns: u64, out: &mut O) {
        for _ in 0..CHAIN {
            let Some(&(due, cpu)) = self.ipis.front().filter(|ipi| ipi.0 <= t_ns) else {
                break;
            };
            self.ipis.pop_front();
            self.now_ns = self.now_ns.max(due);
            let now = Step {
                t_ns: self.now_ns,
                jiffies: self.jiffies,
                cpu,
                act: Act::Softirq {
                    need_resched: false,
                },
            };
            self.softirq(&now, false, out);
        }
    }

    /// Returns whether the CPU may be overdue.
    #[inline]
    pub(crate) fn waits(&self, cpu: u32) -> bool {
        self.idle.contains(cpu)
    }

    /// `trigger_load_balance`.
    #[inline]
    fn tick<O: Out + ?Sized>(&mut self, now: &Step, out: &mut O) {
        let own = !before(now.jiffies, self.at(now.cpu).next_balance);
        if let Some(why) = (self.patched || !own)
            .then(|| self.needed(now, out))
            .flatten()
        {
            self.kick(now, why, out);
        }
        // The softirq runs when the tick's interrupt ends.
        if own && self.deliver != Deliver::ByTrace {
            self.softirq(now, false, out);
        }
    }

    /// Returns why the tick wants a kick (`nohz_kick_needed`); None if it wants none.
    #[inline]
    fn needed<O: Out + ?Sized>(&mut self, now: &Step, out: &mut O) -> Option<Why> {
        let cpu = now.cpu;
        let state = self.at(cpu);
        let (nr_running, idle_at_tick) = (state.nr_running, state.idle_at_tick);
        let waits = nr_running > 1;
        if before(now.jiffies, self.next_balance) {
            if waits && !idle_at_tick {
                out(&about(now, Kind::GateClosed, Why::TooEarly));
            }
            return None;
        }
        if idle_at_tick {
            return None;
        }
        let other = |pick: Option<u32>| pick.filter(|&pick| pick != cpu);
        if let (Some(first), Some(second)) = (other(self.first), other(self.second)) {
            if !waits {
                return None;
            }
            if self.patched {
                return Some(Why::AnyCpu);
            }
            let ticks_idle = [first, second].into_iter().find(|&pick| {
                let pick = self.at(pick);
                pick.idle && !pick.stopped
            });
            out(&Annotation {
                target: Some(ticks_idle.unwrap_or(first)),
                ..about(
                    now,
                    Kind::PickBlocked,
                    if ticks_idle.is_some() {
                        Why::PickIdle
                    } else {
                        Why::PickBusy
                    },
                )
            });
            return None;
        }
        if *self.first.get_or_insert(cpu) == cpu {
            if self.second == Some(cpu) {
                self.second = None;
            }
            return waits.then_some(Why::FirstPick);
        }
        let second = *self.second.get_or_insert(cpu) == cpu;
        (second && nr_running > 0).then_some(Why::SecondPick)
    }

    /// `nohz_balancer_kick`.
    fn kick<O: Out + ?Sized>(&mut self, now: &Step, why: Why, out: &mut O) {
        self.next_balance = self.next_balance.wrapping_add(1);
        let own = |target: u32| self.patched && target == now.cpu;
        let target = self.owner.filter(|&owner| !own(owner));
        let target = target.or_else(|| self.idle.iter().find(|&idle| !own(idle)));
        let Some(target) = target else {
            out(&about(now, Kind::NoTarget, why));
            return;
        };
        let state = *self.at(target);
        let kick = Annotation {
            target: Some(target),
            ..about(now, Kind::KickSent, why)
        };
        if state.kick {
            out(&Annotation {
                kind: Kind::KickLatched,
                why: Why::FlagSet,
                size: now.jiffies.wrapping_sub(state.kicked),
                ..kick
            });
            return;
        }
        self.with(target, |state| {
            state.kick = true;
            state.kicked = now.jiffies;
        });
        out(&kick);
        if let Deliver::After(ns) = self.deliver {
            self.ipis.push_back((now.t_ns.saturating_add(ns), target));
        }
    }

    /// `run_rebalance_domains`: the CPU balances itself, then for the others.
    #[inline]
    fn softirq<O: Out + ?Sized>(&mut self, now: &Step, need_resched: bool, out: &mut O) {
        let cpu = now.cpu;
        self.balance(cpu, self.at(cpu).idle_at_tick, now.jiffies);
        if self.at(cpu).kick {
            self.kicked(now, need_resched, out);
        }
    }

    /// The rest of the softirq, for a CPU that was kicked.
    #[inline(never)]
    fn kicked<O: Out + ?Sized>(&mut self, now: &Step, need_resched: bool, out: &mut O) {
        let cpu = now.cpu;
        let state = *self.at(cpu);
        if !state.idle_at_tick {
            let why = if state.idle {
                Why::StaleTick
            } else {
                Why::NotIdle
            };
            out(&about(now, Kind::KickDropped, why));
            if self.patched {
                // As written: the CPU's own flag falls only after it has kicked another.
                self.kick(now, Why::HandOver, out);
                self.with(cpu, |state| state.kick = false);
            }
            return;
        }
        let mut own = self.at(cpu).next_balance;
        let mut served = 0;
        for other in self.idle.clone().iter() {
            if other == cpu {
                continue;
            }
            if need_resched {
                out(&about(now, Kind::KickAborted, Why::NeedResched));
                break;
            }
            self.balance(other, true, now.jiffies);
            served += 1;
            let next = self.at(other).next_balance;
            if before(next, own) {
                own = next;
            }
        }
        self.with(cpu, |state| {
            state.next_balance = own;
            state.kick = false;
        });
        if self.patched {
            self.lower(own);
        } else {
            self.next_balance = own;
        }
        out(&about(now, Kind::KickHandled, Why::Kicked));
        out(&Annotation {
            size: served,
            ..about(now, Kind::Pass, Why::Kicked)
        });
    }

    /// A CPU's domains are balanced: when they are next.
    fn balance(&mut self, cpu: u32, idle: bool, jiffies: u64) {
        if let Some([busy, when_idle]) = self.intervals {
            self.with(cpu, |state| {
                if !before(jiffies, state.next_balance) {
                    state.next_balance = jiffies.wrapping_add(if idle { when_idle } else { busy });
                }
            });
        }
    }

    /// `set_nohz_next_balance` of the patch: it only ever goes down.
    fn lower(&mut self, next: u64) {
        if before(next, self.next_balance) {
            self.next_balance = next;
        }
    }

    /// `select_nohz_load_balancer(1)`. No domain saves power, so that no better owner is looked for.
    fn enter<O: Out + ?Sized>(&mut self, now: &Step, out: &mut O) {
        let cpu = now.cpu;
        self.with(cpu, |state| state.stopped = true);
        self.idle.insert(cpu);
        for pick in [&mut self.first, &mut self.second] {
            if *pick == Some(cpu) {
                *pick = None;
            }
        }
        self.owner.get_or_insert(cpu);
        let next = self.at(cpu).next_balance;
        if self.patched {
            self.lower(next);
        }
        if before(next, self.next_balance) {
            out(&Annotation {
                size: self.next_balance.wrapping_sub(next),
                ..about(now, Kind::Stale, Why::EnterNohz)
            });
        }
    }

    /// `select_nohz_load_balancer(0)`.
    fn exit(&mut self, cpu: u32) {
        self.with(cpu, |state| state.stopped = false);
        if self.idle.remove(cpu) && self.owner == Some(cpu) {
            self.owner = None;
        }
    }
}

impl Model for Old {
    fn step(&mut self, step: &Step, out: &mut dyn FnMut(&Annotation)) {
        self.take_step(step, out);
    }

    fn due(&self) -> Option<u64> {
        self.ipis.front().map(|ipi| ipi.0)
    }

    fn arrive(&mut self, t_ns: u64, out: &mut dyn FnMut(&Annotation)) {
        self.arrived(t_ns, out);
    }

    fn overdue(&self, jiffies: u64) -> Late {
        if self.idle.is_empty() {
            return Late::NONE;
        }
        let idle = self.idle.iter().map(|cpu| self.at(cpu));
        let idle = idle.filter(|cpu| cpu.idle);
        Late::of(jiffies, idle.map(|cpu| cpu.next_balance))
    }

    fn next_balance(&self) -> Option<u64> {
        Some(self.next_balance)
    }

    fn set_next_balance(&mut self, jiffies: u64) {
        self.next_balance = jiffies;
    }
}

// What the balancer of 2011 keeps for a CPU.

/// Balancer state of a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "the kernel's own flags")]
pub struct OldCpu {
    /// The idle task was on the CPU at its last tick (`rq->idle_at_tick`).
    pub idle_at_tick: bool,
    /// A kick is under way (`rq->nohz_balance_kick`).
    pub kick: bool,
    /// Jiffies of the kick that set the flag.
    pub kicked: u64,
    /// `rq->next_balance`, jiffies.
    pub next_balance: u64,
    /// Runnable tasks.
    pub nr_running: u32,
    /// The idle task is on the CPU.
    pub idle: bool,
    /// The tick is stopped.
    pub stopped: bool,
}
