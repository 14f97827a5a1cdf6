//! Annotations of the timeline: each decision of cling, each flip of a busy node, each resettling, with the basis of the
//! decision.

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_replay::numa::{ClingLine, Site as LineSite};
use schemars::JsonSchema;
use serde::Serialize;

use crate::group::{NO_NODE, Stat};
use crate::history::{Degrees, History};
use crate::lines::{Lines, PrintedDecision};
use crate::prefs::{PrefFrom, Prefs};
use crate::whatif::{Point, Site, WhatIf};

/// Kind of annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(rename = "AnnotationKind")]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Decision whether a waking task follows its waker to another node.
    WakeAffine,
    /// Decision whether a balancer takes a task off its preferred node.
    LoadBalance,
    /// Decision whether a swap takes a task off its preferred node.
    Swap,
    /// A node became busy for a group.
    Busy,
    /// A node is no longer busy for a group.
    NoLongerBusy,
    /// A task of the group was kept from preferring the busy node.
    PausePrefer,
    /// A task that preferred the busy node prefers another one now.
    Resettle,
    /// Memory was to move from or to the busy node.
    Memory,
    /// Cling would decide differently here than the recorded kernel did.
    Parts,
}

/// Outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(rename = "AnnotationOutcome")]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The task stays: it clings.
    Clings,
    /// The task may go: its node is busy.
    Released,
    /// The node is busy.
    Busy,
    /// The node is not busy.
    NotBusy,
    /// The node was not chosen as the preferred node.
    Paused,
    /// Another node was chosen.
    Resettled,
    /// Memory may leave the busy node.
    MemoryLeaves,
    /// Memory may not come to the busy node.
    MemoryRefused,
}

/// The counters behind a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecidedBy {
    /// Node of the counters.
    pub nid: i32,
    /// Counters of the node.
    #[serde(flatten)]
    pub stat: Stat,
    /// `busiest_nid`.
    pub busiest_nid: i32,
    /// `kernel.numa_balancing_cling_degree`.
    pub degree: u32,
}

/// One annotation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Annotation {
    /// Time, ns.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// Kind.
    pub kind: Kind,
    /// Outcome.
    pub outcome: Outcome,
    /// Number of the group.
    pub group: u32,
    /// The task, if it is about one.
    pub pid: Option<i32>,
    /// Source node of the task or the memory; -1 for none.
    pub snid: i32,
    /// Target node; -1 for none.
    pub dnid: i32,
    /// Deciding rule.
    pub by: DecidedBy,
    /// The kernel's function.
    pub function: &'static str,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
    /// True for a what-if after the first decision that differs from the recording: it holds only with the recorded attempts.
    pub after_parting: bool,
}

/// Decisions as printed, flips and resettlings, in `from_ns..=to_ns`, by time.
#[must_use]
pub fn of_lines(lines: &Lines, from_ns: u64, to_ns: u64) -> Vec<Annotation> {
    let first = lines
        .decisions
        .partition_point(|decision| decision.t_ns < from_ns);
    let decision = lines.decisions.iter().skip(first);
    let mut all: Vec<Annotation> = decision
        .take_while(|decision| decision.t_ns <= to_ns)
        .filter_map(|decision| of_decision(lines, decision))
        .collect();
    let members = crate::prefs::Members::of_lines(lines);
    let group_of = |pid: i32, t_ns: u64| members.at(pid, t_ns);
    all.extend(flips(&lines.histories, &lines.degrees, from_ns, to_ns));
    let histories = &lines.histories;
    all.extend(resettles(
        histories,
        &lines.degrees,
        &lines.prefs,
        &group_of,
        (from_ns, to_ns),
    ));
    all.sort_by_key(|note| (note.t_ns, note.kind, note.pid));
    all
}

fn of_decision(lines: &Lines, decision: &PrintedDecision) -> Option<Annotation> {
    let clings = |busy: bool| {
        if busy {
            Outcome::Released
        } else {
            Outcome::Clings
        }
    };
    let (kind, outcome, pid, snid, dnid, nid, stat, function) = match decision.line {
        ClingLine::Decision {
            site,
            pid,
            snid,
            dnid,
            busy,
            f,
            t,
            q,
            ..
        } => {
            let (kind, site) = match site {
                LineSite::Wake => (Kind::WakeAffine, Site::WakeAffine),
                LineSite::LoadBalance => (Kind::LoadBalance, Site::LoadBalance),
                LineSite::Swap => (Kind::Swap, Site::Swap),
            };
            let stat = Some(Stat { f, t, q });
            let function = site.function();
            (kind, clings(busy), pid, snid, dnid, snid, stat, function)
        }
        ClingLine::PausePrefer {
            pid, nid, f, t, q, ..
        } => {
            let stat = Some(Stat { f, t, q });
            let function = Site::Elect.function();
            let (kind, outcome) = (Kind::PausePrefer, Outcome::Paused);
            (kind, outcome, pid, NO_NODE, nid, nid, stat, function)
        }
        ClingLine::Memory {
            pid,
            snid,
            dnid,
            src_busy,
            ..
        } => {
            let (outcome, nid) = if src_busy {
                (Outcome::MemoryLeaves, snid)
            } else {
                (Outcome::MemoryRefused, dnid)
            };
            let function = Site::Memory.function();
            (Kind::Memory, outcome, pid, snid, dnid, nid, None, function)
        }
        _ => return None,
    };
    // The line itself does not show what memory was decided from.
    let stat = stat.unwrap_or_else(|| {
        let history = lines.history(decision.group);
        history.map_or_else(Stat::default, |history| history.stat_at(nid, decision.t_ns))
    });
    Some(Annotation {
        t_ns: decision.t_ns,
        kind,
        outcome,
        group: decision.group,
        pid: Some(pid),
        snid,
        dnid,
        by: DecidedBy {
            nid,
            stat,
            busiest_nid: decision.busiest_nid,
            degree: decision.degree,
        },
        function,
        label: Label::Observed,
        missing: Vec::new(),
        after_parting: false,
    })
}

/// Flips of busy nodes in `from_ns..=to_ns`, with the histories' own labels.
#[must_use]
pub fn flips(
    histories: &[History],
    degrees: &Degrees,
    from_ns: u64,
    to_ns: u64,
) -> Vec<Annotation> {
    let mut all = Vec::new();
    for history in histories {
        for flip in history.flips(degrees) {
            if !(from_ns..=to_ns).contains(&flip.t_ns) {
                continue;
            }
            let (kind, outcome) = if flip.busy {
                (Kind::Busy, Outcome::Busy)
            } else {
                (Kind::NoLongerBusy, Outcome::NotBusy)
            };
            all.push(Annotation {
                t_ns: flip.t_ns,
                kind,
                outcome,
                group: history.group.number,
                pid: None,
                snid: NO_NODE,
                dnid: flip.nid,
                by: DecidedBy {
                    nid: flip.nid,
                    stat: flip.stat,
                    busiest_nid: flip.busiest_nid,
                    degree: flip.degree,
                },
                function: "busy_node",
                label: history.label,
                missing: history.missing.clone(),
                after_parting: false,
            });
        }
    }
    all
}

/// Members that last preferred a node which became busy, and then came to prefer another one while it was.
#[must_use]
pub fn resettles(
    histories: &[History],
    degrees: &Degrees,
    prefs: &Prefs,
    group_of: &dyn Fn(i32, u64) -> Option<u32>,
    window: (u64, u64),
) -> Vec<Annotation> {
    let mut all = Vec::new();
    for pid in prefs.pids() {
        // The node that the task preferred last; a reset to none in between does not change it.
        let mut before: Option<i32> = None;
        for step in prefs.of(pid) {
            if step.nid < 0 {
                continue;
            }
            let Some(old) = before.replace(step.nid).filter(|&old| old != step.nid) else {
                continue;
            };
            let history = group_of(pid, step.t_ns).and_then(|number| {
                histories
                    .iter()
                    .find(|history| history.group.number == number)
            });
            let Some(history) = history else {
                continue;
            };
            let inside = (window.0..=window.1).contains(&step.t_ns);
            if !inside || !history.busy_at(old, step.t_ns, degrees) {
                continue;
            }
            let observed = step.from.observed() && history.label == Label::Replayed;
            let mut missing = history.missing.clone();
            if !step.from.observed() {
                missing.push("when the preferred node changed (sched_setnuma)".to_owned());
            }
            let elected = matches!(step.from, PrefFrom::Setnuma | PrefFrom::Target(_));
            all.push(Annotation {
                t_ns: step.t_ns,
                kind: Kind::Resettle,
                outcome: Outcome::Resettled,
                group: history.group.number,
                pid: Some(pid),
                snid: old,
                dnid: step.nid,
                by: DecidedBy {
                    nid: old,
                    stat: history.stat_at(old, step.t_ns),
                    busiest_nid: history.busiest_at(step.t_ns),
                    degree: degrees.at(step.t_ns),
                },
                function: if elected {
                    "sched_setnuma"
                } else {
                    "task_numa_migrate"
                },
                label: match history.label {
                    Label::WhatIf => Label::WhatIf,
                    _ if observed => Label::Replayed,
                    _ => Label::Inferred,
                },
                missing,
                after_parting: false,
            });
        }
    }
    all
}

/// Decisions that cling would have taken, its flips, and the first difference from the recording; in `from_ns..=to_ns`, by
/// time.
#[must_use]
pub fn of_whatif(whatif: &WhatIf, degree: u32, from_ns: u64, to_ns: u64) -> Vec<Annotation> {
    let parts = whatif.parts(degree);
    let mut all = flips(
        &whatif.histories,
        &Degrees::constant(degree),
        from_ns,
        to_ns,
    );
    let first = whatif.points.partition_point(|point| point.t_ns < from_ns);
    let points = whatif.points.iter().skip(first);
    for point in points.take_while(|point| point.t_ns <= to_ns) {
        let history = whatif
            .histories
            .iter()
            .find(|history| history.group.number == point.group);
        let missing = history.map_or_else(Vec::new, |history| history.missing.clone());
        let mut note = of_point(point, degree, missing);
        if parts == Some(point) {
            note.kind = Kind::Parts;
        }
        all.push(note);
    }
    for note in &mut all {
        note.after_parting = parts.is_some_and(|parts| note.t_ns > parts.t_ns);
    }
    all.sort_by_key(|note| (note.t_ns, note.kind, note.pid));
    all
}

fn of_point(point: &Point, degree: u32, mut missing: Vec<String>) -> Annotation {
    let busy = point.busy(degree);
    let clings = if busy {
        Outcome::Released
    } else {
        Outcome::Clings
    };
    let (kind, outcome) = match point.site {
        Site::WakeAffine => (Kind::WakeAffine, clings),
        Site::LoadBalance => (Kind::LoadBalance, clings),
        Site::Swap => (Kind::Swap, clings),
        Site::Elect if busy => (Kind::PausePrefer, Outcome::Paused),
        Site::Elect => (Kind::PausePrefer, Outcome::NotBusy),
        Site::Retry => (Kind::Resettle, Outcome::Paused),
        Site::Memory if busy && point.nid == point.dnid => (Kind::Memory, Outcome::MemoryRefused),
        Site::Memory if busy => (Kind::Memory, Outcome::MemoryLeaves),
        Site::Memory => (Kind::Memory, Outcome::NotBusy),
    };
    match point.site {
        Site::WakeAffine => {
            missing.push("wake_wide and the task's affinity, which also keep it".to_owned());
        }
        Site::LoadBalance => missing.push(
            "the mover of the task: cling delays only balancers, not exec or a change of affinity"
                .to_owned(),
        ),
        _ => {}
    }
    Annotation {
        t_ns: point.t_ns,
        kind,
        outcome,
        group: point.group,
        pid: Some(point.pid),
        snid: point.snid,
        dnid: point.dnid,
        by: DecidedBy {
            nid: point.nid,
            stat: point.stat,
            busiest_nid: point.busiest_nid,
            degree,
        },
        function: point.site.function(),
        label: Label::WhatIf,
        missing,
        after_parting: false,
    }
}
