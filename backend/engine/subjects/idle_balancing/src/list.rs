//! Events as one list of rows: kicks with their outcomes, passes, blocked ticks, stale `next_balance`.

use numalens_core::json::{Moment, OptionalMoment};
use numalens_core::provenance::Label;
use numalens_replay::idle_balancing::{ObservedKick, ObservedPass, Outcome};
use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Annotation, Kind, Why};

/// Kind of row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[schemars(rename = "IlbEventKind")]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A kick; [`Event::fate`] has its outcome.
    KickSent,
    /// One CPU balanced for the others.
    Pass,
    /// A tick was blocked by the first and second pick (2011).
    PickBlocked,
    /// `next_balance` is later than an idle CPU needs it.
    StaleNextBalance,
}

/// Outcome of a kick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[schemars(rename = "KickFate")]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Handled: its softirq balanced.
    Handled,
    /// Arrived, but nothing was done.
    Dropped,
    /// Dropped, because an older one counted as in progress.
    Latched,
    /// Aborted: its pass ended early.
    Aborted,
    /// Arrival not seen.
    NotSeen,
}

/// A row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IlbEvent")]
pub struct Event {
    /// Time, ns of the reference clock.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// Kind.
    pub kind: EventKind,
    /// CPU that kicks, balances or ticks. `None` when the sender of a kick is not recorded.
    pub cpu: Option<u32>,
    /// Kicked CPU, or the pick that blocks.
    pub target: Option<u32>,
    /// Outcome of a kick.
    pub fate: Option<Fate>,
    /// Arrival of a kick, ns.
    #[serde(with = "OptionalMoment")]
    pub arrived_ns: Option<u64>,
    /// Time at which its softirq was raised, ns; for a pass, its end.
    #[serde(with = "OptionalMoment")]
    pub handled_ns: Option<u64>,
    /// Of a kick or pass: its flags, where they are known.
    pub flags: Option<u32>,
    /// Reason; `None` when observed.
    pub why: Option<Why>,
    /// Stale `next_balance`: how far it is off; a swallowed kick: since when the older one is under way. Jiffies.
    pub jiffies: Option<u64>,
    /// Of a pass: CPUs that it balanced for.
    pub served: Option<u64>,
    /// Of a pass: tasks that it moved; `None` of a model.
    pub migrations: Option<u32>,
    /// Provenance.
    pub label: Label,
}

fn blank(t_ns: u64, kind: EventKind, label: Label) -> Event {
    Event {
        t_ns,
        kind,
        cpu: None,
        target: None,
        fate: None,
        arrived_ns: None,
        handled_ns: None,
        flags: None,
        why: None,
        jiffies: None,
        served: None,
        migrations: None,
        label,
    }
}

/// The rows of what was recorded; both lists ascend in time.
#[must_use]
pub fn of_kicks(kicks: &[ObservedKick], passes: &[ObservedPass]) -> Vec<Event> {
    // Kicks end in passes of their targets, each in the first one behind it.
    let ended = |kick: &ObservedKick| {
        let since = kick.handled_ns.or(kick.arrived_ns)?;
        let first = passes.partition_point(|pass| pass.from_ns < since);
        let mut rest = passes.get(first..)?.iter();
        rest.find(|pass| pass.cpu == kick.target && pass.kicked)
    };
    let kicks = kicks.iter().map(|kick| Event {
        cpu: kick.from,
        target: Some(kick.target),
        fate: Some(match kick.outcome {
            Outcome::Handled if ended(kick).is_some_and(|pass| pass.aborted) => Fate::Aborted,
            Outcome::Handled => Fate::Handled,
            Outcome::Dropped => Fate::Dropped,
            Outcome::NotSeen => Fate::NotSeen,
        }),
        arrived_ns: kick.arrived_ns,
        handled_ns: kick.handled_ns,
        flags: kick.flags,
        ..blank(kick.t_ns, EventKind::KickSent, kick.label)
    });
    let passes = passes.iter().map(|pass| Event {
        cpu: Some(pass.cpu),
        handled_ns: Some(pass.to_ns),
        flags: pass.flags,
        served: Some(u64::from(pass.served)),
        migrations: Some(pass.migrations),
        ..blank(pass.from_ns, EventKind::Pass, Label::Observed)
    });
    let mut rows: Vec<Event> = kicks.chain(passes).collect();
    rows.sort_by_key(|row| row.t_ns);
    rows
}

/// The rows of a model, whose annotations ascend in time. `only_stale` leaves out what the recording shows itself.
#[must_use]
pub fn of_model(notes: &[Annotation], label: Label, only_stale: bool) -> Vec<Event> {
    let mut rows: Vec<Event> = Vec::new();
    // Each target's kick under way, by its place among the rows.
    let mut open: std::collections::BTreeMap<u32, usize> = std::collections::BTreeMap::new();
    let known = |note: &Annotation| (note.flags != 0).then_some(note.flags);
    for note in notes {
        let row = |kind| Event {
            cpu: Some(note.cpu),
            target: note.target,
            why: Some(note.why),
            ..blank(note.t_ns, kind, label)
        };
        match note.kind {
            Kind::Stale => rows.push(Event {
                jiffies: Some(note.size),
                ..row(EventKind::StaleNextBalance)
            }),
            _ if only_stale => {}
            Kind::KickSent => {
                open.extend(note.target.map(|target| (target, rows.len())));
                rows.push(Event {
                    fate: Some(Fate::NotSeen),
                    flags: known(note),
                    ..row(EventKind::KickSent)
                });
            }
            Kind::KickLatched => rows.push(Event {
                fate: Some(Fate::Latched),
                flags: known(note),
                jiffies: Some(note.size),
                ..row(EventKind::KickSent)
            }),
            Kind::KickHandled | Kind::KickDropped | Kind::KickAborted => {
                let kick = open.remove(&note.cpu).and_then(|at| rows.get_mut(at));
                if let Some(kick) = kick {
                    let (fate, handled) = match note.kind {
                        Kind::KickDropped => (Fate::Dropped, None),
                        Kind::KickAborted => (Fate::Aborted, Some(note.t_ns)),
                        _ => (Fate::Handled, Some(note.t_ns)),
                    };
                    kick.fate = Some(fate);
                    (kick.arrived_ns, kick.handled_ns) = (Some(note.t_ns), handled);
                }
            }
            Kind::Pass => rows.push(Event {
                flags: known(note),
                served: Some(note.size),
                ..row(EventKind::Pass)
            }),
            Kind::PickBlocked => rows.push(row(EventKind::PickBlocked)),
            Kind::NoTarget | Kind::GateClosed => {}
        }
    }
    rows
}
