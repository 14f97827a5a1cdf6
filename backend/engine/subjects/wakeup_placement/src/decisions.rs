//! Placements of wakeups and forks, and missed idle CPUs, as decisions.

use std::borrow::Cow;

use numalens_core::provenance::Label;
use numalens_subject::decisions::{At, Kind, Steps, Tally, Wording};
use numalens_subject::section::replay;
use numalens_subject::{Context, Stop};

use crate::catalogue::{MissedBy, RuleEntry};
use crate::model::Reasons;
use crate::replay::Replay;
use crate::sections::NO_WAKERS;

const WAKEUP: Wording = Wording::new(
    "wakeup",
    "Placement of a wakeup",
    "W1 to W17, W20, W21",
    "select_task_rq_fair",
);
const FORK: Wording = Wording::new(
    "fork",
    "Placement of a new task",
    "W18, W19",
    "select_task_rq_fair",
);
const IDLE: Wording = Wording::new(
    "missed_idle",
    "Idle CPUs at a placement",
    "W22 to W32",
    "select_task_rq_fair",
);
/// No idle CPU was missed.
const NONE_MISSED: Wording = Wording::new("none", "No idle CPU missed", "", "select_idle_sibling");
/// The recorded CPU contradicts the rules.
const UNEXPLAINED: Wording =
    Wording::new("unexplained", "No rule gives the CPU", "", "select_task_rq");

/// Returns the placements of a window.
///
/// # Errors
/// Stops when an input is missing or a log cannot be read.
pub fn decisions(open: &Context, steps: Steps) -> Result<Vec<Kind>, Stop> {
    let (_, evidence) = replay(open)?;
    if !open.requests {
        return Err(Stop::unavailable(NO_WAKERS));
    }
    let (mut wakeups, mut forks) = (Tally::new(steps), Tally::new(steps));
    let mut missed = Tally::new(steps);
    let (mut of_wakeups, mut of_forks) = (Label::Replayed, Label::Replayed);
    let window = (steps.window.from_ns, steps.window.to_ns);
    Replay::new(open, evidence)?.run(window, |decision, _| {
        let at = At {
            ts_ns: decision.ts_ns,
            pid: Some(decision.pid),
            cpu: Some(decision.cpu),
        };
        let (tally, label) = if decision.fork {
            (&mut forks, &mut of_forks)
        } else {
            (&mut wakeups, &mut of_wakeups)
        };
        *label = (*label).max(decision.label());
        tally.add(decision.reasons, at);
        missed.add(decision.missed.map(|missed| missed.by), at);
    })?;
    let source = evidence.run_state_in(window.0, window.1);
    let quality = |label: Label| (label.max(source.label), source.missing.clone());
    let by = |by: Option<MissedBy>| by.map_or(NONE_MISSED, |by| worded(by.entry()));
    Ok(vec![
        wakeups.finish(open, WAKEUP, quality(of_wakeups), of_reasons),
        forks.finish(open, FORK, quality(of_forks), of_reasons),
        missed.finish(open, IDLE, quality(of_wakeups.max(of_forks)), by),
    ])
}

fn worded(entry: &RuleEntry) -> Wording {
    Wording::new(entry.id, entry.title, entry.rule, entry.kernel)
}

/// Words of a set of reasons, which differ by what is not recorded.
fn of_reasons(reasons: Reasons) -> Wording {
    if reasons.is_empty() {
        return UNEXPLAINED;
    }
    let join = |field: fn(&RuleEntry) -> &'static str, by: &str| -> Cow<'static, str> {
        let mut parts: Vec<&str> = Vec::new();
        for reason in reasons.iter() {
            let part = field(reason.entry());
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(by).into()
    };
    Wording {
        id: join(|entry| entry.id, "|"),
        title: join(|entry| entry.title, " or "),
        rule: join(|entry| entry.rule, " or "),
        kernel: join(|entry| entry.kernel, "; "),
    }
}
