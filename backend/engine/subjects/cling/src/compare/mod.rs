//! Share of the cling kernel's output that a replay from scheduler events alone reproduces, and the reasons for the rest.

mod attempts;

use numalens_core::json::Moment;
use numalens_replay::numa::Attempt;
use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::attempts::Blames;
use crate::events::{Events, Fate};
use crate::history::{Flip, History};
use crate::lines::Lines;

/// Reason for which something was missed, or was replayed without being printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(rename = "MissReason")]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Events were lost there.
    Lost,
    /// Failed without any event: `-EINVAL`, no NUMA domain.
    Silent,
    /// Succeeded, but no event was found.
    NotSeen,
    /// The task's events carry no group: it had not joined when they were printed.
    NotJoined,
    /// The task's events carry another group.
    OtherGroup,
    /// Assigned to a wrong target node.
    WrongTarget,
    /// Target node not recorded.
    UnknownTarget,
    /// Wrong outcome: taken for failed, or for successful.
    WrongVerdict,
    /// Outcome not recorded.
    UnknownVerdict,
    /// Counted by the kernel later than its events, or in another order.
    LateAccounting,
    /// Timer missing, or at another time.
    TimerOrder,
    /// The group's state was taken from a sample that nothing led to.
    Resampled,
    /// The replay knows nothing of the group there.
    GroupUnknown,
    /// Not printed by the kernel: not counted.
    NotCounted,
    /// None of these.
    Other,
}

/// Number of misses for a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Miss {
    /// Reason.
    pub reason: Reason,
    /// Number of misses.
    pub count: u64,
    /// The first, ns.
    #[serde(with = "Moment")]
    pub first_ns: u64,
}

/// One line of the table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Reproduced")]
pub struct Part {
    /// Printed.
    pub printed: u64,
    /// Of these, reproduced.
    pub reproduced: u64,
    /// Of these, reproduced with a time difference of more than a jiffy.
    pub shifted: u64,
    /// Reproduced of printed, percent; `None` when nothing was printed.
    pub percent: Option<f64>,
    /// Printed and not reproduced.
    pub missed: Vec<Miss>,
    /// Not printed, and in the replay.
    pub extra: Vec<Miss>,
}

impl Part {
    fn miss(list: &mut Vec<Miss>, reason: Reason, t_ns: u64) {
        match list.iter_mut().find(|miss| miss.reason == reason) {
            Some(miss) => {
                miss.count += 1;
                miss.first_ns = miss.first_ns.min(t_ns);
            }
            None => list.push(Miss {
                reason,
                count: 1,
                first_ns: t_ns,
            }),
        }
    }

    fn close(mut self) -> Self {
        self.percent =
            (self.printed > 0).then(|| self.reproduced as f64 / self.printed as f64 * 100.0);
        for list in [&mut self.missed, &mut self.extra] {
            list.sort_by_key(|miss| (std::cmp::Reverse(miss.count), miss.reason));
        }
        self
    }
}

/// Reproduced values.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FromEvents")]
pub struct Table {
    /// Attempts: task, group, node, verdict.
    pub attempts: Part,
    /// Attempts that were rightly not counted.
    pub rightly_not_counted: u64,
    /// F, T, Q and "is the busiest" of a node, each time that one of them changed.
    pub counters: Part,
    /// Flips of busy nodes.
    pub flips: Part,
}

/// Inputs of the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Printed lines.
    pub lines: &'a Lines,
    /// Replay of the events.
    pub events: &'a Events,
    /// The attempts that it was given.
    pub attempts: &'a [Attempt],
    /// Time ranges of lost events, ns.
    pub lost: &'a [(u64, u64)],
    /// Length of a jiffy, ns.
    pub jiffy_ns: u64,
    /// Longest delay of counting an attempt, ns.
    pub late_ns: u64,
}

/// Compares.
#[must_use]
pub fn compare(inputs: &Inputs<'_>) -> Table {
    let matched = attempts::matched(inputs);
    let mut counters = Part::default();
    let mut flips = Part::default();
    for printed in &inputs.lines.histories {
        let replayed = partner(inputs, printed);
        let blames = attempts::of(inputs, printed, replayed, &matched);
        count(inputs.jiffy_ns, printed, replayed, &blames, &mut counters);
        compare_flips(inputs, printed, replayed, &blames, &mut flips);
    }
    Table {
        attempts: matched.part.close(),
        rightly_not_counted: matched.rightly_not_counted,
        counters: counters.close(),
        flips: flips.close(),
    }
}

/// The replay's group that is a printed one: both have an id in common, or the cgroup.
fn partner<'a>(inputs: &'a Inputs<'_>, printed: &History) -> Option<&'a History> {
    let shared = |history: &&History| {
        let overlap = history.from_ns <= printed.to_ns && printed.from_ns <= history.to_ns;
        let gids = || {
            let ids = history.gids.iter().filter(|gid| gid.1 > 0);
            ids.into_iter()
                .any(|gid| printed.gids.iter().any(|own| own.1 == gid.1))
        };
        overlap && gids()
    };
    inputs.events.histories.iter().find(shared).or_else(|| {
        let path = printed.group.cgroup.as_deref()?;
        let same = |history: &&History| history.group.cgroup.as_deref() == Some(path);
        inputs.events.histories.iter().find(same)
    })
}

/// Values are equal if the replay has them at the same time; with a difference of up to a jiffy they are "shifted"
/// (`docs/algorithms/cling.md`, G13).
fn count(
    jiffy_ns: u64,
    printed: &History,
    replayed: Option<&History>,
    blames: &attempts::Blames,
    counters: &mut Part,
) {
    for node in &printed.nodes {
        for step in node.steps.iter().skip(1) {
            counters.printed += 1;
            let has = |history: &History, t_ns: u64| {
                let other = history.step_at(node.nid, t_ns);
                let other = other.map(|other| (other.stat, other.busiest));
                other.unwrap_or_default() == (step.stat, step.busiest)
            };
            let near = |history: &History| {
                let (from, to) = (
                    step.t_ns.saturating_sub(jiffy_ns),
                    step.t_ns.saturating_add(jiffy_ns),
                );
                let mut moments = history.changes(from, to).into_iter();
                has(history, from) || moments.any(|t_ns| has(history, t_ns))
            };
            if replayed.is_some_and(|history| has(history, step.t_ns)) {
                counters.reproduced += 1;
            } else if replayed.is_some_and(near) {
                counters.reproduced += 1;
                counters.shifted += 1;
            } else {
                Part::miss(&mut counters.missed, blames.at(step.t_ns), step.t_ns);
            }
        }
    }
}

fn fate_reason(fate: Fate) -> Option<Reason> {
    match fate {
        Fate::Counted => None,
        Fate::NoGroup => Some(Reason::NotJoined),
        Fate::OtherGroup => Some(Reason::OtherGroup),
        Fate::UnknownVerdict => Some(Reason::UnknownVerdict),
        Fate::UnknownTarget => Some(Reason::UnknownTarget),
    }
}

// Which flip of a busy node is which.

fn compare_flips(
    inputs: &Inputs<'_>,
    printed: &History,
    replayed: Option<&History>,
    blames: &Blames,
    part: &mut Part,
) {
    // The same degrees on both sides: whether samples show them is another question.
    let degrees = &inputs.lines.degrees;
    let wanted = printed.flips(degrees);
    let mut found: Vec<Option<Flip>> = replayed
        .map(|history| history.flips(degrees))
        .unwrap_or_default()
        .into_iter()
        .map(Some)
        .collect();
    for flip in wanted {
        part.printed += 1;
        // By far the nearest one of its kind: a busy node flips at most once per timer and attempt.
        let nearest = found
            .iter_mut()
            .filter(|slot| {
                slot.is_some_and(|other| {
                    (other.nid, other.busy) == (flip.nid, flip.busy)
                        && other.t_ns.abs_diff(flip.t_ns) <= inputs.late_ns
                })
            })
            .min_by_key(|slot| slot.map(|other| other.t_ns.abs_diff(flip.t_ns)));
        match nearest.and_then(Option::take) {
            Some(other) => {
                part.reproduced += 1;
                if other.t_ns.abs_diff(flip.t_ns) > inputs.jiffy_ns {
                    part.shifted += 1;
                }
            }
            None => Part::miss(&mut part.missed, blames.at(flip.t_ns), flip.t_ns),
        }
    }
    for extra in found.into_iter().flatten() {
        Part::miss(&mut part.extra, blames.at(extra.t_ns), extra.t_ns);
    }
}
