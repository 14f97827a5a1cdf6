//! Attempts and timers of one group from one reading to the next.

use crate::cling::events::{Applied, Events, Fate, TimerAt};
use crate::cling::group::Group;
use crate::cling::history::{Cause, History};
use crate::cling::samples::{Between, Defer};

/// An attempt that waits to be counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub(super) place: usize,
    pub(super) pid: i32,
    pub(super) nid: i32,
    pub(super) failed: bool,
    /// Whether it may have been to reach another node.
    pub(super) unsure: bool,
    /// When its events say that it ended, ns.
    pub(super) at_ns: u64,
    /// It was counted at the earliest, ns.
    pub(super) earliest_ns: u64,
    /// And at the latest, ns.
    pub(super) latest_ns: u64,
}

impl Pending {
    /// Where it stands among timers, and whether it may be after the reading.
    pub(super) fn between(&self, timers: &[u64], slack: u64, reading: (u64, u64)) -> Between {
        let before = |t_ns: u64| timers.partition_point(|&timer| timer <= t_ns);
        Between {
            nid: self.nid,
            failed: self.failed,
            slot: before(self.at_ns),
            earliest: before(self.earliest_ns.saturating_sub(slack)),
            latest: before(self.latest_ns.saturating_add(slack)),
            defer: if self.at_ns > reading.1 {
                Defer::Yes
            } else if self.latest_ns >= reading.0 {
                Defer::Perhaps
            } else {
                Defer::No
            },
            unsure: self.unsure,
        }
    }
}

/// Where a group stands.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub(super) number: u32,
    pub(super) group: Group,
    pub(super) history: History,
    pub(super) events: &'a mut Events,
    pub(super) last_ns: u64,
    /// Orders that may be tried for this group still.
    pub(super) budget: u32,
}

impl Walk<'_> {
    pub(super) fn count(&mut self, pending: &Pending, nid: i32, t_ns: u64) {
        if nid < 0 {
            return;
        }
        self.last_ns = self.last_ns.max(t_ns);
        self.group.attempt(nid, pending.failed);
        let cause = Cause::Attempt {
            pid: pending.pid,
            failed: pending.failed,
        };
        self.history.record(self.last_ns, &self.group, cause);
        let applied: Option<&mut Applied> = self.events.applied.get_mut(pending.place);
        if let Some(applied) = applied {
            applied.t_ns = self.last_ns;
            applied.from_reading = nid != applied.nid;
            (applied.nid, applied.fate) = (nid, Fate::Counted);
        }
    }

    pub(super) fn timer(&mut self, t_ns: u64, seen: bool) {
        self.last_ns = self.last_ns.max(t_ns);
        if self.group.is_zero() && !seen {
            return;
        }
        self.group.timer();
        self.history.record(self.last_ns, &self.group, Cause::Timer);
        self.events.timers.push(TimerAt {
            t_ns: self.last_ns,
            group: self.number,
            seen,
        });
    }

    pub(super) fn adopt(&mut self, t_ns: u64, group: &Group, cause: Cause) {
        self.last_ns = self.last_ns.max(t_ns);
        self.group = group.clone();
        self.history.record(self.last_ns, &self.group, cause);
    }
}
