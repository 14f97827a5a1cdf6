//! Reasons for different counters: everything that went wrong in a group, and how long it has an effect. An attempt's weight
//! is gone after 11 halvings.

use std::collections::HashMap;

use crate::compare::{Inputs, Part, Reason, fate_reason};
use crate::events::{Applied, Fate, Reached};
use crate::history::History;
use crate::lines::Counted;

/// Halvings after which one attempt is 0.
const HALVINGS: usize = 11;

/// From, until, what.
#[derive(Debug, Default)]
pub(super) struct Blames {
    all: Vec<(u64, u64, Reason)>,
    known: bool,
}

impl Blames {
    /// Returns the reason for a difference at this time: the most serious one that still has an effect.
    pub(super) fn at(&self, t_ns: u64) -> Reason {
        if !self.known {
            return Reason::GroupUnknown;
        }
        let shows = self
            .all
            .iter()
            .filter(|blame| blame.0 <= t_ns && t_ns <= blame.1);
        shows.map(|blame| blame.2).min().unwrap_or(Reason::Other)
    }
}

pub(super) fn of(
    inputs: &Inputs<'_>,
    printed: &History,
    replayed: Option<&History>,
    matched: &Matched,
) -> Blames {
    let mut blames = Blames {
        known: replayed.is_some(),
        ..Blames::default()
    };
    let Some(replayed) = replayed else {
        return blames;
    };
    let number = printed.group.number;
    let timers: Vec<u64> = inputs
        .lines
        .timers
        .iter()
        .filter(|timer| timer.group == number)
        .map(|timer| timer.t_ns)
        .collect();
    let decayed = |t_ns: u64| {
        let after = timers.partition_point(|&timer| timer <= t_ns);
        timers.get(after + HALVINGS).copied().unwrap_or(u64::MAX)
    };
    let modelled: Vec<u64> = inputs
        .events
        .timers
        .iter()
        .filter(|timer| timer.group == replayed.group.number)
        .map(|timer| timer.t_ns)
        .collect();
    let between = |list: &[u64], from: u64, to: u64| {
        list.get(list.partition_point(|&timer| timer < from))
            .is_some_and(|&timer| timer <= to)
    };
    let mut counted = Vec::new();
    for pair in matched
        .pairs
        .iter()
        .filter(|pair| pair.printed.group == number)
    {
        let t_ns = pair.printed.t_ns;
        counted.push(t_ns);
        let Some(applied) = pair.applied.filter(|_| pair.reason.is_none()) else {
            let from = pair.applied.map_or(t_ns, |applied| applied.t_ns.min(t_ns));
            let reason = pair.reason.unwrap_or(Reason::Other);
            blames.all.push((from, decayed(t_ns), reason));
            continue;
        };
        let (from, to) = (applied.t_ns.min(t_ns), applied.t_ns.max(t_ns));
        // A timer in between halves on one side only, and the difference stays until it has decayed.
        let until = if between(&timers, from, to) || between(&modelled, from, to) {
            decayed(to)
        } else {
            to
        };
        blames.all.push((from, until, Reason::LateAccounting));
    }
    for extra in matched
        .extra
        .iter()
        .filter(|extra| extra.group == Some(replayed.group.number))
    {
        let reason = Reason::NotCounted;
        blames.all.push((extra.t_ns, decayed(extra.t_ns), reason));
    }
    for residual in &inputs.events.residuals {
        if residual.group == replayed.group.number && residual.reached == Reached::Not {
            let reason = Reason::Resampled;
            blames
                .all
                .push((residual.t0_ns, decayed(residual.t0_ns), reason));
        }
    }
    timers_apart(inputs, &timers, &modelled, &counted, &decayed, &mut blames);
    for &(from, to) in inputs.lost {
        if lost(inputs, from, to) {
            blames.all.push((from, decayed(to), Reason::Lost));
        }
    }
    blames
}

/// Compares the timers of both sides in order: those without a partner nearby, and partners at different times.
fn timers_apart(
    inputs: &Inputs<'_>,
    printed: &[u64],
    replayed: &[u64],
    counted: &[u64],
    decayed: &dyn Fn(u64) -> u64,
    blames: &mut Blames,
) {
    let apart = printed
        .windows(2)
        .filter_map(|pair| Some(pair.get(1)?.saturating_sub(*pair.first()?)))
        .min()
        .unwrap_or(u64::MAX)
        .max(inputs.jiffy_ns)
        / 2;
    let mut other = replayed.iter().copied().peekable();
    for &timer in printed {
        while let Some(alone) = other.next_if(|&at| at.saturating_add(apart) < timer) {
            blames.all.push((alone, decayed(alone), Reason::TimerOrder));
        }
        match other.next_if(|&at| at <= timer.saturating_add(apart)) {
            Some(partner) => {
                let (from, to) = (partner.min(timer), partner.max(timer));
                let crossed = counted.get(counted.partition_point(|&t_ns| t_ns < from));
                let until = if crossed.is_some_and(|&t_ns| t_ns <= to) {
                    decayed(to)
                } else {
                    to
                };
                blames.all.push((from, until, Reason::TimerOrder));
            }
            None => blames.all.push((timer, decayed(timer), Reason::TimerOrder)),
        }
    }
    for alone in other {
        blames.all.push((alone, decayed(alone), Reason::TimerOrder));
    }
}

// Which attempt is which printed one.

/// A printed attempt and the replay's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) printed: Counted,
    pub(super) applied: Option<Applied>,
    /// Reason for the difference.
    pub(super) reason: Option<Reason>,
}

#[derive(Debug, Default)]
pub(super) struct Matched {
    pub(super) part: Part,
    pub(super) pairs: Vec<Pair>,
    /// Counted by the replay, not by the kernel.
    pub(super) extra: Vec<Applied>,
    pub(super) rightly_not_counted: u64,
}

pub(super) fn matched(inputs: &Inputs<'_>) -> Matched {
    let mut matched = Matched::default();
    // Each task's attempts that are not taken yet, the next one last.
    let mut free: HashMap<i32, Vec<usize>> = HashMap::new();
    for (place, attempt) in inputs.attempts.iter().enumerate().rev() {
        free.entry(attempt.pid).or_default().push(place);
    }
    let mut taken = vec![false; inputs.attempts.len()];
    for printed in &inputs.lines.attempts {
        // The kernel counts after the last event, so it is the last attempt that began before.
        let mut found = None;
        if let Some(list) = free.get_mut(&printed.pid) {
            while let Some(place) = list.pop_if(|place| began(inputs, *place, printed.t_ns)) {
                found = Some(place);
            }
        }
        let found = found.filter(|&place| {
            let end = inputs
                .attempts
                .get(place)
                .map_or(0, |attempt| attempt.end_ns);
            printed.t_ns.saturating_sub(end) <= inputs.late_ns
        });
        if let Some(taken) = found.and_then(|place| taken.get_mut(place)) {
            *taken = true;
        }
        let applied = found
            .and_then(|place| inputs.events.applied.get(place))
            .copied();
        let reason = reason(inputs, printed, applied.as_ref());
        matched.part.printed += 1;
        match reason {
            None => matched.part.reproduced += 1,
            Some(reason) => Part::miss(&mut matched.part.missed, reason, printed.t_ns),
        }
        matched.pairs.push(Pair {
            printed: *printed,
            applied,
            reason,
        });
    }
    for (applied, taken) in inputs.events.applied.iter().zip(taken) {
        // A kernel that prints nothing has not refused to count.
        if taken || inputs.lines.histories.is_empty() {
            continue;
        }
        if applied.fate == Fate::Counted {
            let lost = lost(inputs, applied.t_ns, applied.t_ns);
            let reason = if lost {
                Reason::Lost
            } else {
                Reason::NotCounted
            };
            Part::miss(&mut matched.part.extra, reason, applied.t_ns);
            matched.extra.push(*applied);
        } else {
            matched.rightly_not_counted += 1;
        }
    }
    matched
}

fn began(inputs: &Inputs<'_>, place: usize, t_ns: u64) -> bool {
    inputs
        .attempts
        .get(place)
        .is_some_and(|attempt| attempt.start_ns <= t_ns)
}

/// Returns whether events are lost in a time range.
pub(super) fn lost(inputs: &Inputs<'_>, from_ns: u64, to_ns: u64) -> bool {
    let mut lost = inputs.lost.iter();
    lost.any(|gap| gap.0 <= to_ns && from_ns <= gap.1)
}

fn reason(inputs: &Inputs<'_>, printed: &Counted, applied: Option<&Applied>) -> Option<Reason> {
    let Some(applied) = applied else {
        let from = printed.t_ns.saturating_sub(inputs.late_ns);
        return Some(if lost(inputs, from, printed.t_ns) {
            Reason::Lost
        } else if printed.failed {
            Reason::Silent
        } else {
            Reason::NotSeen
        });
    };
    if let Some(reason) = fate_reason(applied.fate) {
        return Some(reason);
    }
    let ngid = inputs
        .attempts
        .get(applied.attempt)
        .map_or(-1, |attempt| attempt.ngid);
    if ngid != printed.gid {
        return Some(Reason::OtherGroup);
    }
    if applied.failed != Some(printed.failed) {
        return Some(Reason::WrongVerdict);
    }
    (applied.nid != printed.nid).then_some(Reason::WrongTarget)
}
