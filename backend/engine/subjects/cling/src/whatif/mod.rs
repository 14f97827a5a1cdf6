//! Decisions that cling would have taken on a trace of a kernel without it, or with another degree.
//!
//! Attempts and timers give the groups' counters, whatever the degree is. A [`Point`] is a moment at which a node's
//! being busy or not decides something, with what happened there. A degree is then only a look at each step and each
//! point. The first point at which cling decides differently ends the comparable history: later results hold only "with
//! these attempts".

mod points;

use numalens_core::json::{Moment, OptionalMoment};
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

pub use crate::events::Grouping;
use crate::events::{Events, Inputs};
use crate::group::{MAX_DEGREE, Stat};
use crate::history::{Busy, Degrees, Flip, History};
use crate::lines::Lines;
use crate::prefs::Members;

pub use self::points::{Seen, points};

/// Place of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(rename = "ClingSite")]
#[serde(rename_all = "snake_case")]
pub enum Site {
    /// A wake-up left the preferred node for the waker's (`select_task_rq_fair`).
    WakeAffine,
    /// A balancer took a task off its preferred node (`migrate_degrades_locality`).
    LoadBalance,
    /// A swap took the other task off its preferred node (`task_numa_compare`).
    Swap,
    /// A node was elected as preferred node (`task_numa_placement`).
    Elect,
    /// A task tried again after a failure (`numa_migrate_preferred`).
    Retry,
    /// Memory was to move (`should_numa_migrate_memory`).
    Memory,
}

impl Site {
    /// The kernel's function.
    #[must_use]
    pub fn function(self) -> &'static str {
        match self {
            Self::WakeAffine => "select_task_rq_fair",
            Self::LoadBalance => "migrate_degrades_locality",
            Self::Swap => "task_numa_compare",
            Self::Elect => "task_numa_placement",
            Self::Retry => "numa_migrate_preferred",
            Self::Memory => "should_numa_migrate_memory",
        }
    }
}

/// A moment at which a node's being busy decides something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Point {
    /// Time, ns.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// Place in the kernel.
    pub site: Site,
    /// Number of the group.
    pub group: u32,
    /// Pid of the task.
    pub pid: i32,
    /// Source node of the task or the memory; -1 when unknown.
    pub snid: i32,
    /// Target node; -1 when unknown.
    pub dnid: i32,
    /// The node that decides.
    pub nid: i32,
    /// Counters.
    #[serde(flatten)]
    pub stat: Stat,
    /// `busiest_nid`.
    pub busiest_nid: i32,
    /// True if the recorded outcome is cling's decision for a busy node, false if for a node that is not busy; `None` if for
    /// neither.
    pub fits_busy: Option<bool>,
    /// Provenance of the time.
    pub label: Label,
}

impl Point {
    /// Returns whether the node is busy with this degree.
    #[must_use]
    pub fn busy(&self, degree: u32) -> bool {
        self.busiest_nid == self.nid && self.stat.over(degree)
    }

    /// Returns whether cling decides differently.
    #[must_use]
    pub fn differs(&self, degree: u32) -> bool {
        self.fits_busy.is_none_or(|busy| self.busy(degree) != busy)
    }
}

/// Counters and points, for any degree.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The groups' counters over time. Their steps do not depend on the degree.
    pub histories: Vec<History>,
    /// Points, by time.
    pub points: Vec<Point>,
    /// The first failed attempt of a member on a kernel without cling: from then on that task's preferred node differs.
    pub first_reset_ns: Option<u64>,
}

/// A group with a degree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "GroupWhatIf")]
pub struct GroupView {
    /// Number of the group.
    pub group: u32,
    /// Busy times of nodes.
    pub busy: Vec<Busy>,
    /// Each flip.
    pub flips: Vec<Flip>,
    /// The group's first point at which cling decides otherwise.
    #[serde(with = "OptionalMoment")]
    pub parts_ns: Option<u64>,
    /// Number of its points that differ.
    pub differing: u64,
    /// Number of its points.
    pub points: u64,
}

/// Everything with a degree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ClingWhatIf")]
pub struct View {
    /// The degree.
    pub degree: u32,
    /// The groups.
    pub groups: Vec<GroupView>,
    /// The first point at which cling decides otherwise: claims end here, for all groups, since they share the CPUs.
    pub parts: Option<Point>,
    /// See [`WhatIf::first_reset_ns`].
    #[serde(with = "OptionalMoment")]
    pub first_reset_ns: Option<u64>,
    /// Always what-if.
    pub label: Label,
    /// Missing inputs of the replay, each once.
    pub missing: Vec<String>,
}

impl WhatIf {
    /// On a trace of a kernel without cling.
    #[must_use]
    pub fn of_events(inputs: &Inputs<'_>, grouping: &Grouping<'_>, seen: &Seen<'_>) -> Self {
        let mut events = crate::events::replay_as(inputs, grouping);
        let members = match grouping {
            Grouping::Cgroup { .. } => None,
            _ => Some(Members::of_events(&events, inputs.attempts)),
        };
        let group_of = |pid: i32, t_ns: u64| match (grouping, &members) {
            (Grouping::Cgroup { of, .. }, _) => of(pid, t_ns),
            (_, Some(members)) => members.at(pid, t_ns),
            _ => None,
        };
        for history in &mut events.histories {
            history.label = Label::WhatIf;
        }
        let points = points(&events.histories, inputs.attempts, seen, &group_of);
        Self {
            first_reset_ns: first_reset(&events),
            histories: events.histories,
            points,
        }
    }

    /// On a kernel that printed its decisions, with another degree.
    #[must_use]
    pub fn of_lines(lines: &Lines) -> Self {
        let mut histories = lines.histories.clone();
        for history in &mut histories {
            history.label = Label::WhatIf;
        }
        Self {
            histories,
            points: points::of_lines(lines),
            first_reset_ns: None,
        }
    }

    /// With a degree, 0..=100.
    #[must_use]
    pub fn at(&self, degree: u32) -> View {
        let degree = degree.min(MAX_DEGREE);
        let degrees = Degrees::constant(degree);
        let mut missing: Vec<String> = Vec::new();
        let groups = self.histories.iter().map(|history| {
            for lacks in &history.missing {
                if !missing.contains(lacks) {
                    missing.push(lacks.clone());
                }
            }
            let own = || {
                let number = history.group.number;
                self.points
                    .iter()
                    .filter(move |point| point.group == number)
            };
            GroupView {
                group: history.group.number,
                busy: history.busy(&degrees),
                flips: history.flips(&degrees),
                parts_ns: own()
                    .find(|point| point.differs(degree))
                    .map(|point| point.t_ns),
                differing: own().filter(|point| point.differs(degree)).count() as u64,
                points: own().count() as u64,
            }
        });
        let groups = groups.collect();
        View {
            degree,
            groups,
            parts: self.parts(degree).copied(),
            first_reset_ns: self.first_reset_ns,
            label: Label::WhatIf,
            missing,
        }
    }

    /// The first point at which cling with this degree decides otherwise.
    #[must_use]
    pub fn parts(&self, degree: u32) -> Option<&Point> {
        self.points.iter().find(|point| point.differs(degree))
    }
}

fn first_reset(events: &Events) -> Option<u64> {
    let failed = events.applied.iter().filter(|applied| {
        applied.failed == Some(true) && applied.fate == crate::events::Fate::Counted
    });
    failed.map(|applied| applied.t_ns).min()
}
