//! Which callback of the timer was whose, and when a timer comes that nothing shows.

use crate::cling::events::Inputs;
use crate::cling::events::objects::Object;
use crate::cling::timer::{self, Clock, Timer};

/// Gives the callbacks that were seen to the groups: a callback does not tell whose it is, so the group whose timer is due
/// longest gets it. Groups that were made in one go fire in one go, so that mixing them up costs microseconds.
pub(super) fn assign(inputs: &Inputs<'_>, objects: &[Object]) -> Vec<Vec<u64>> {
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
        /// Whether readings have shown a halving.
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

    /// How far from its moment a callback may have been, ns.
    pub(super) fn slack(&self) -> u64 {
        match self {
            Self::Seen(_) => 0,
            Self::Modelled { clock, period, .. } => period.saturating_mul(clock.jiffy_ns()) / 2,
        }
    }

    /// When the next one comes, ns.
    pub(super) fn peek(&self) -> Option<u64> {
        match self {
            Self::Seen(seen) => seen.first().copied(),
            Self::Modelled { timer, clock, .. } => Some(clock.at(timer.next())),
        }
    }

    /// It came.
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

    /// Goes on to the first callback after a moment, when those before it change nothing.
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

    /// Whether its phase is a guess still.
    pub(super) fn unsettled(&self) -> bool {
        matches!(self, Self::Modelled { settled: false, .. })
    }
}
