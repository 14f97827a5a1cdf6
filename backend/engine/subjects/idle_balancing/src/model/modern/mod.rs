//! The balancer of 5.2 and later; versions differ by [`Rules`].

mod pass;

use std::collections::VecDeque;

use numalens_core::CpuSet;

use crate::model::{
    Act, Annotation, CHAIN, Deliver, Kind, Late, Model, Out, Rules, Step, Why, about, before, flags,
};

/// The modern balancer. Asymmetric capacities and misfit tasks are not known from traces and count as absent.
#[derive(Debug, Clone)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "two are the kernel's, two say what the trace has"
)]
pub struct Modern {
    rules: Rules,
    hz: u32,
    deliver: Deliver,
    /// True if [`Act::Pass`] shows passes: softirqs do not begin any on their own.
    pub passes_observed: bool,
    /// True if [`Act::UnderWay`] shows kicks in progress: other kicks of the model are not the kernel's.
    pub kicks_observed: bool,
    /// Jiffies from one balancing of a CPU to its next, busy and idle; `None` leaves `next_balance` to the caller.
    pub intervals: Option<[u64; 2]>,
    /// Some CPU may have load that decays (`nohz.has_blocked`).
    pub has_blocked: bool,
    /// Time of the next update, jiffies (`nohz.next_blocked`).
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
            passes_observed: false,
            kicks_observed: false,
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

    /// Passed by reference: a copy right after a change would have to wait for that change.
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
            short: false,
            under_way: false,
        };
        self.cpus.get(cpu as usize).unwrap_or(&NONE)
    }

    fn with(&mut self, cpu: u32, change: impl FnOnce(&mut Cpu)) {
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
            Act::Nohz {
                until_next,
                blocked_due,
                update_due,
                short,
            } if by_trace => {
                self.next_balance = Some(step.jiffies.wrapping_add_signed(until_next));
                self.has_blocked = blocked_due;
                self.next_blocked = step.jiffies.wrapping_sub(1);
                self.needs_update = update_due;
                self.with(step.cpu, |state| state.short = short);
            }
            Act::UnderWay(under_way) if by_trace => self.with(step.cpu, |state| {
                state.under_way = under_way;
                if under_way && state.flags == 0 {
                    // The model has not sent it: its arrival shows its purpose.
                    state.flags = flags::STATS;
                }
            }),
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
            Act::ExitNohz
            | Act::Deliver { .. }
            | Act::Softirq { .. }
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

    /// Returns whether the CPU may be overdue.
    #[inline]
    pub(crate) fn waits(&self, cpu: u32) -> bool {
        self.idle.contains(cpu)
    }

    /// CPUs that share the CPU's cache and are not in the idle mask (`nr_busy_cpus`).
    fn llc_busy(&mut self, cpu: u32) -> Option<&mut u32> {
        let cache = *self.llc.get(cpu as usize)?;
        self.busy.get_mut(cache as usize)
    }

    /// `nohz_balance_enter_idle`.
    fn enter<O: Out + ?Sized>(&mut self, now: &Step, out: &mut O) {
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

impl Model for Modern {
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
        let idle = idle.filter(|cpu| cpu.free());
        Late::of(jiffies, idle.map(|cpu| cpu.next_balance))
    }

    fn next_balance(&self) -> Option<u64> {
        self.next_balance
    }

    fn set_next_balance(&mut self, jiffies: u64) {
        self.next_balance = Some(jiffies);
    }
}

// What the modern balancer keeps for a CPU.

#[derive(Debug, Clone, Copy, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "flags of the kernel's runqueue"
)]
struct Cpu {
    /// Kicks under way (`nohz_flags`).
    flags: u32,
    kicked: u64,
    kicked_ns: u64,
    /// Task of the softirq (`rq->nohz_idle_balance`).
    pending: u32,
    next_balance: u64,
    nr_running: u32,
    idle: bool,
    /// `rq->idle_balance`: idle at the last tick or kick.
    idle_balance: bool,
    /// True if it has too little capacity left (`check_cpu_capacity`), as read at its last tick.
    short: bool,
    /// True if a kick to it is in progress, according to the trace.
    under_way: bool,
}

impl Cpu {
    /// `idle_cpu()`.
    #[inline]
    fn free(&self) -> bool {
        self.idle && self.nr_running == 0
    }
}
