//! Group objects and their attempts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use numalens_replay::numa::Attempt;

use crate::events::{Applied, Events, Fate, Grouping, Inputs, TimerAt, failed};
use crate::group::{Group, NO_NODE};
use crate::history::{Cause, GroupId, History};
use crate::samples::{Between, Defer};
use crate::timer::{self, Clock, Timer};

/// A group object.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) id: GroupId,
    /// Ids or cgroup of the object.
    pub(super) keys: BTreeSet<i64>,
    /// Earliest start, ns.
    pub(super) from_ns: u64,
    /// Latest start, ns.
    pub(super) surely_ns: u64,
    /// True if all counters were 0 at its start; false if it existed before the first known time.
    pub(super) fresh: bool,
    /// Time at which its file was set to 0: its timer ends, its members stay (`docs/algorithms/cling.md`, G7).
    pub(super) disabled_ns: Option<u64>,
    /// Positions of its samples.
    pub(super) readings: Vec<usize>,
    /// Attempts of which it is not known how they ended.
    pub(super) unknown: usize,
    /// Places of its attempts, by when they end.
    pub(super) attempts: Vec<usize>,
}

/// The objects in the samples, or one for each id or cgroup with attempts.
pub(super) fn find(inputs: &Inputs<'_>, grouping: &Grouping<'_>) -> Vec<Object> {
    if matches!(grouping, Grouping::Readings) {
        let mut found = by_readings(inputs);
        for (number, object) in (1..).zip(&mut found) {
            object.id.number = number;
        }
        return found;
    }
    let mut first: BTreeMap<i64, u64> = BTreeMap::new();
    for attempt in inputs.attempts {
        if let Some(key) = key(attempt, grouping) {
            first.entry(key).or_insert(attempt.start_ns);
        }
    }
    let made = (1..).zip(first).map(|(number, (key, t_ns))| {
        let mut object = object(t_ns, true);
        object.id.number = number;
        match grouping {
            Grouping::Cgroup { path, .. } => {
                object.id.number = u32::try_from(key).unwrap_or(number);
                object.id.cgroup = path(object.id.number);
            }
            _ => object.id.gid = i32::try_from(key).unwrap_or(0),
        }
        object.keys.insert(key);
        object
    });
    made.collect()
}

/// Key of an attempt's group; `None` for none.
fn key(attempt: &Attempt, grouping: &Grouping<'_>) -> Option<i64> {
    match grouping {
        Grouping::Cgroup { of, .. } => of(attempt.pid, attempt.start_ns).map(i64::from),
        _ => (attempt.ngid > 0).then_some(i64::from(attempt.ngid)),
    }
}

fn object(from_ns: u64, fresh: bool) -> Object {
    Object {
        id: GroupId {
            number: 0,
            gid: 0,
            cgroup_id: None,
            cgroup: None,
        },
        keys: BTreeSet::new(),
        from_ns,
        surely_ns: from_ns,
        fresh,
        disabled_ns: None,
        readings: Vec::new(),
        unknown: 0,
        attempts: Vec::new(),
    }
}

fn by_readings(inputs: &Inputs<'_>) -> Vec<Object> {
    let mut found: Vec<Object> = Vec::new();
    // The object of each cgroup, and when its file was last seen disabled.
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut disabled: HashMap<&str, u64> = HashMap::new();
    for (at, reading) in inputs.readings.iter().enumerate() {
        let path = reading.cgroup.as_str();
        let current = open.get(path).copied();
        if !reading.enabled {
            disabled.insert(path, reading.t1_ns);
            if let Some(object) = current.and_then(|at| found.get_mut(at)) {
                object.disabled_ns.get_or_insert(reading.t0_ns);
            }
            continue;
        }
        let live = current.filter(|&at| {
            found
                .get(at)
                .is_some_and(|object| object.disabled_ns.is_none())
        });
        let live = live.unwrap_or_else(|| {
            let before = disabled.get(path).copied();
            let mut new = object(before.unwrap_or(reading.t0_ns), before.is_some());
            new.surely_ns = reading.t0_ns;
            new.id.cgroup = Some(reading.cgroup.clone());
            found.push(new);
            open.insert(path, found.len() - 1);
            found.len() - 1
        });
        if let Some(object) = found.get_mut(live) {
            object.readings.push(at);
            if reading.gid > 0 {
                object.keys.insert(i64::from(reading.gid));
                object.id.gid = reading.gid;
            }
        }
    }
    found
}

/// Gives each attempt to its group.
pub(super) fn assign(
    inputs: &Inputs<'_>,
    grouping: &Grouping<'_>,
    objects: &mut [Object],
) -> Vec<Applied> {
    let mut by_key: HashMap<i64, Vec<usize>> = HashMap::new();
    for (at, object) in objects.iter().enumerate() {
        for &key in &object.keys {
            by_key.entry(key).or_default().push(at);
        }
    }
    let mut all = Vec::with_capacity(inputs.attempts.len());
    for (place, attempt) in inputs.attempts.iter().enumerate() {
        let key = key(attempt, grouping);
        let group = key.and_then(|key| by_key.get(&key)).and_then(|of| {
            let began = |at: &&usize| {
                objects
                    .get(**at)
                    .is_some_and(|object| object.from_ns <= attempt.end_ns)
            };
            // The events may be before the moment from which on the group is known.
            of.iter().rev().find(began).or_else(|| of.first()).copied()
        });
        let failed = failed(attempt);
        let fate = match group {
            _ if key.is_none() => Fate::NoGroup,
            None => Fate::OtherGroup,
            Some(_) if failed.is_none() => Fate::UnknownVerdict,
            Some(_) if attempt.target_nid < 0 => Fate::UnknownTarget,
            Some(_) => Fate::Counted,
        };
        let object = group.and_then(|at| objects.get_mut(at));
        all.push(Applied {
            attempt: place,
            t_ns: attempt.end_ns,
            pid: attempt.pid,
            group: object.as_ref().map(|object| object.id.number),
            nid: attempt.target_nid.max(NO_NODE),
            from_reading: false,
            failed,
            fate,
        });
        // Readings may show which node it was.
        match (object, fate) {
            (Some(object), Fate::Counted | Fate::UnknownTarget) => object.attempts.push(place),
            (Some(object), Fate::UnknownVerdict) => object.unknown += 1,
            _ => {}
        }
    }
    for object in objects {
        let end = |place: &usize| {
            inputs
                .attempts
                .get(*place)
                .map_or(0, |attempt| attempt.end_ns)
        };
        object.attempts.sort_by_key(end);
    }
    all
}

// Attempts and timers of one group from one reading to the next.

/// An attempt that waits to be counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub(super) place: usize,
    pub(super) pid: i32,
    pub(super) nid: i32,
    pub(super) failed: bool,
    /// True if its target may be another node.
    pub(super) unsure: bool,
    /// End according to its events, ns.
    pub(super) at_ns: u64,
    /// Earliest time of counting, ns.
    pub(super) earliest_ns: u64,
    /// And at the latest, ns.
    pub(super) latest_ns: u64,
}

impl Pending {
    /// Possible positions among the timers, and whether it may be after the sample.
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

/// State of a group.
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

// Which callback of the timer was whose, and when a timer comes that nothing shows.

/// Assigns the seen callbacks to the groups. A callback does not show its group, so the group whose timer is due longest gets
/// it. Groups created together fire together, so a wrong assignment costs microseconds.
pub(super) fn assign_timers(inputs: &Inputs<'_>, objects: &[Object]) -> Vec<Vec<u64>> {
    let mut all: Vec<Vec<u64>> = vec![Vec::new(); objects.len()];
    let period = timer::period(inputs.scan_period_max_ms, inputs.clock.hz);
    let jiffy = inputs.clock.jiffy_ns();
    let length = timer::wheel_expiry(0, period).saturating_sub(1).max(1);
    let sooner = length.min(period.max(1)).saturating_mul(jiffy);
    for &t_ns in inputs.timers {
        let runs = |object: &Object| {
            object.from_ns <= t_ns && object.disabled_ns.is_none_or(|disabled| t_ns <= disabled)
        };
        let rank = |at: usize, object: &Object| {
            let last = all.get(at).and_then(|seen| seen.last()).copied();
            match last {
                // Due: the longer ago, the sooner.
                Some(last) if last.saturating_add(sooner) <= t_ns.saturating_add(jiffy) => {
                    (0, last)
                }
                None if object.surely_ns <= t_ns => (0, object.from_ns),
                None => (1, object.from_ns),
                Some(last) => (2, last),
            }
        };
        let next = objects
            .iter()
            .enumerate()
            .filter(|(_, object)| runs(object))
            .min_by_key(|(at, object)| rank(*at, object))
            .map(|(at, _)| at);
        if let Some(seen) = next.and_then(|at| all.get_mut(at)) {
            seen.push(t_ns);
        }
    }
    all
}

/// The callbacks of one group, one after the other.
#[derive(Debug)]
pub(super) enum Source<'a> {
    /// As seen.
    Seen(&'a [u64]),
    /// By the wheel.
    Modelled {
        timer: Timer,
        clock: Clock,
        period: u64,
        /// True if samples have shown a halving.
        settled: bool,
    },
}

impl<'a> Source<'a> {
    /// Of a group.
    pub(super) fn of(inputs: &Inputs<'_>, object: &Object, seen: &'a [u64]) -> Self {
        if !inputs.timers.is_empty() {
            return Self::Seen(seen);
        }
        let period = timer::period(inputs.scan_period_max_ms, inputs.clock.hz);
        Self::Modelled {
            timer: Timer::made(inputs.clock.jiffy(object.from_ns), period),
            clock: inputs.clock,
            period,
            settled: false,
        }
    }

    pub(super) fn seen(&self) -> bool {
        matches!(self, Self::Seen(_))
    }

    /// Possible distance of a callback from its time, ns.
    pub(super) fn slack(&self) -> u64 {
        match self {
            Self::Seen(_) => 0,
            Self::Modelled { clock, period, .. } => period.saturating_mul(clock.jiffy_ns()) / 2,
        }
    }

    /// Time of the next callback, ns.
    pub(super) fn peek(&self) -> Option<u64> {
        match self {
            Self::Seen(seen) => seen.first().copied(),
            Self::Modelled { timer, clock, .. } => Some(clock.at(timer.next())),
        }
    }

    /// Takes the next callback.
    pub(super) fn take(&mut self) -> Option<u64> {
        let next = self.peek();
        match self {
            Self::Seen(seen) => *seen = seen.get(1..).unwrap_or(&[]),
            Self::Modelled { timer, .. } => {
                timer.fire();
            }
        }
        next
    }

    /// Skips to the first callback after a time, when those before it change nothing.
    pub(super) fn skip(&mut self, t_ns: u64) {
        if let Self::Modelled { timer, clock, .. } = self {
            timer.skip(clock.jiffy(t_ns));
            return;
        }
        while self.peek().is_some_and(|next| next <= t_ns) {
            let before = self.peek();
            self.take();
            if self.peek() == before {
                break;
            }
        }
    }

    /// A modelled timer has in truth its next callback at about this moment.
    pub(super) fn next_at(&mut self, t_ns: u64) {
        if let Self::Modelled {
            timer,
            clock,
            period,
            settled,
        } = self
        {
            *timer = Timer::due(clock.jiffy(t_ns).saturating_add(1), *period);
            *settled = true;
        }
    }

    /// Returns whether its phase is still a guess.
    pub(super) fn unsettled(&self) -> bool {
        matches!(self, Self::Modelled { settled: false, .. })
    }
}
