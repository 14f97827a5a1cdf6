//! Kicks: whether a tick wants one, who gets it, what it finds (`nohz_balancer_kick`, `kick_ilb`, `nohz_csd_func`).

use crate::model::modern::Modern;
use crate::model::{Annotation, Deliver, GateMove, Kind, Out, Step, Why, about, before, flags};

/// A kick of the model that the trace does not show to come within this time was not one of the kernel's, ns. Assumed.
const LOST_NS: u64 = 10_000_000;

impl Modern {
    /// The kick's flags that a tick wants and why (`nohz_balancer_kick`); it leaves the idle mask on the way.
    #[inline]
    pub(super) fn wanted<O: Out + ?Sized>(
        &mut self,
        now: &Step,
        out: &mut O,
    ) -> Option<(u32, Why)> {
        let cpu = now.cpu;
        if self.at(cpu).idle_balance {
            return None;
        }
        let (nr_running, short) = (self.at(cpu).nr_running, self.at(cpu).short);
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
        } else if nr_running > 0 && short {
            (wanted, why) = (flags::STATS | flags::BALANCE, Why::Capacity);
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
    pub(super) fn kick<O: Out + ?Sized>(&mut self, now: &Step, wanted: u32, why: Why, out: &mut O) {
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
        let lost = if self.kicks_observed {
            !self.at(target).under_way
        } else {
            now.t_ns.saturating_sub(self.at(target).kicked_ns) > LOST_NS
        };
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
    pub(super) fn take<O: Out + ?Sized>(
        &mut self,
        now: &Step,
        recorded: Option<u32>,
        need_resched: bool,
        out: &mut O,
    ) {
        let state = *self.at(now.cpu);
        let taken = recorded.unwrap_or(state.flags);
        let idle = state.free();
        let resched = need_resched && (self.rules.drops_on_resched || !self.rules.csd);
        // The trace shows a kick that the model did not send: the gate moved with it.
        let unsent = taken & !state.flags & flags::BALANCE != 0;
        if unsent && self.deliver == Deliver::ByTrace {
            self.next_balance = Some(now.jiffies.wrapping_add(1));
        }
        self.with(now.cpu, |state| {
            state.flags = 0;
            state.under_way = false;
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
}

// Balancing: of the CPU itself, and for the others (`run_rebalance_domains`, `_nohz_idle_balance`).

/// `LOAD_AVG_PERIOD`, ms.
const BLOCKED_MS: u64 = 32;

impl Modern {
    /// `run_rebalance_domains`.
    #[inline]
    pub(super) fn softirq<O: Out + ?Sized>(&mut self, now: &Step, need_resched: bool, out: &mut O) {
        let state = self.at(now.cpu);
        let (pending, idle) = (state.pending, state.idle_balance);
        if pending != 0 && !self.passes_observed {
            self.with(now.cpu, |state| state.pending = 0);
            if idle {
                self.pass(now, pending, need_resched, out);
                return;
            }
            out(&Annotation {
                flags: pending,
                ..about(now, Kind::KickDropped, Why::NotIdle)
            });
        }
        self.balance(now.cpu, idle, now.jiffies);
    }

    /// `_nohz_idle_balance`.
    pub(super) fn pass<O: Out + ?Sized>(
        &mut self,
        now: &Step,
        request: u32,
        need_resched: bool,
        out: &mut O,
    ) {
        let (cpu, stats) = (now.cpu, request & flags::STATS != 0);
        let mut next = now.jiffies.wrapping_add(60 * u64::from(self.hz));
        let (mut update, mut aborted, mut served, mut blocked) = (false, false, 0, false);
        if stats {
            self.has_blocked = false;
        }
        if request & flags::NEXT != 0 {
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
                self.needs_update |= request & flags::NEXT != 0;
                break;
            }
            // Whether load is left is not known from a trace: some is assumed.
            blocked |= stats;
            if request & flags::BALANCE != 0 && !before(now.jiffies, self.at(other).next_balance) {
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
            flags: request,
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
}
