//! Lines about values that the kernel read without the group's lock. They may show what the group was just before, or what
//! it is to be next, field by field; and a degree that is printed only later.

use numalens_replay::numa::ClingLine;

use crate::group::{Group, NO_NODE, Stat};
use crate::history::Degrees;
use crate::lines::{Check, Live};

/// A line whose values have not come out yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) ts_ns: u64,
    pub(super) cpu: u32,
    pub(super) line: ClingLine,
    pub(super) replayed: (Stat, i32),
}

/// Result of comparing a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fits {
    Exactly,
    Nearly,
    Not,
}

/// Returns the check of a line, when it is a lock-free one.
pub(super) fn check(line: &ClingLine) -> Option<Check> {
    match line {
        ClingLine::Decision { .. } => Some(Check::Decision),
        ClingLine::PausePrefer { .. } => Some(Check::Pause),
        ClingLine::Memory { .. } => Some(Check::Memory),
        _ => None,
    }
}

/// The nodes whose counters a line is about.
pub(super) fn nodes(line: &ClingLine) -> [i32; 2] {
    match *line {
        ClingLine::Decision { snid, .. } => [snid; 2],
        ClingLine::PausePrefer { nid, .. } => [nid; 2],
        ClingLine::Memory { snid, dnid, .. } => [snid, dnid],
        _ => [NO_NODE; 2],
    }
}

/// Compares each field of a line with what the rules give for a group in one of these states.
fn fits(line: &ClingLine, states: &[&Group], degrees: &[u32]) -> bool {
    let shown = |nid: i32, stat: Stat| {
        let any = |same: &dyn Fn(Stat) -> bool| states.iter().any(|group| same(group.stat(nid)));
        any(&|is| is.f == stat.f) && any(&|is| is.t == stat.t) && any(&|is| is.q == stat.q)
    };
    let over = |wanted: bool, nid: i32, stat: Stat, busiest_nid: i32| {
        degrees
            .iter()
            .any(|&degree| (busiest_nid == nid && stat.over(degree)) == wanted)
    };
    let busy = |wanted: bool, nid: i32| {
        let one = |group: &&Group| {
            degrees
                .iter()
                .any(|&degree| group.busy(nid, degree) == wanted)
        };
        states.iter().any(one)
    };
    match *line {
        ClingLine::Decision {
            snid,
            dnid,
            busy: wanted,
            f,
            t,
            q,
            busiest_nid,
            ..
        } => {
            let stat = Stat { f, t, q };
            let busiest = states.iter().any(|group| group.busiest_nid == busiest_nid);
            // The test comes first and the values are read again for the line, so several states may be in it.
            snid != dnid
                && shown(snid, stat)
                && busiest
                && (over(wanted, snid, stat, busiest_nid) || states.len() > 1 && busy(wanted, snid))
        }
        ClingLine::PausePrefer { nid, f, t, q, .. } => {
            shown(nid, Stat { f, t, q }) && busy(true, nid)
        }
        // One busy node in a group at most, so the other test need not be repeated for `dst_busy`.
        ClingLine::Memory {
            snid,
            dnid,
            src_busy,
            ..
        } => {
            if src_busy {
                busy(true, snid) && busy(false, dnid)
            } else {
                busy(true, dnid)
            }
        }
        _ => true,
    }
}

/// Compares a line with what the group is, or was shortly before.
pub(super) fn now(
    line: &ClingLine,
    group: &Live,
    ts_ns: u64,
    near_ns: u64,
    degrees: &Degrees,
) -> Fits {
    let degree = [degrees.at(ts_ns)];
    if fits(line, &[&group.group], &degree) {
        return Fits::Exactly;
    }
    let recent = group.callback.is_some() || ts_ns.saturating_sub(group.changed_ns) <= near_ns;
    if recent && fits(line, &[&group.group, &group.before], &degree) {
        return Fits::Nearly;
    }
    Fits::Not
}

/// Compares a line that did not fit with what came next, at `next_ns`: another state, another degree.
pub(super) fn later(
    waiting: &Waiting,
    live: &Live,
    next: Option<(&Group, u64)>,
    near_ns: u64,
    degrees: &Degrees,
) -> Fits {
    let mut states = vec![&live.group];
    if live.callback.is_some() || waiting.ts_ns.saturating_sub(live.changed_ns) <= near_ns {
        states.push(&live.before);
    }
    if let Some((group, next_ns)) = next
        && next_ns.saturating_sub(waiting.ts_ns) <= near_ns
    {
        states.push(group);
    }
    let last = degrees.steps().last().map(|step| step.1);
    let degrees = [
        degrees.at(waiting.ts_ns),
        last.unwrap_or(degrees.at(waiting.ts_ns)),
    ];
    if fits(&waiting.line, &states, &degrees) {
        Fits::Nearly
    } else {
        Fits::Not
    }
}
