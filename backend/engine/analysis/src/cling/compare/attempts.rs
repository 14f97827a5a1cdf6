//! Which attempt is which printed one.

use std::collections::HashMap;

use crate::cling::compare::{Inputs, Part, Reason, fate_reason};
use crate::cling::events::{Applied, Fate};
use crate::cling::lines::Counted;

/// A printed attempt and the replay's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) printed: Counted,
    pub(super) applied: Option<Applied>,
    /// Why it is not the same.
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

/// Whether events are lost in a stretch.
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
