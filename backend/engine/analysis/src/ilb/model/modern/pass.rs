//! Balancing: of the CPU itself, and for the others (`run_rebalance_domains`, `_nohz_idle_balance`).

use crate::ilb::model::modern::Modern;
use crate::ilb::model::{Annotation, Kind, Out, Step, Why, about, before, flags};

/// `LOAD_AVG_PERIOD`, ms.
const BLOCKED_MS: u64 = 32;

impl Modern {
    /// `run_rebalance_domains`.
    #[inline]
    pub(super) fn softirq<O: Out + ?Sized>(&mut self, now: &Step, need_resched: bool, out: &mut O) {
        let state = self.at(now.cpu);
        let (pending, idle) = (state.pending, state.idle_balance);
        if pending != 0 && !self.passes_told {
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
        asked: u32,
        need_resched: bool,
        out: &mut O,
    ) {
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
}
