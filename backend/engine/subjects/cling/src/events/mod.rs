//! The groups' counters from scheduler events alone: attempts with the groups' ids, timers seen or modelled, and readings of
//! `cpu.numa_group` to hold on to.

mod anchor;
mod timers;

use numalens_replay::numa::{Attempt, Verdict};
use serde::Serialize;

use crate::group::Stat;
use crate::history::{Degrees, History};
use crate::samples::Reading;
use crate::timer::Clock;

/// How much later than its last event the kernel may count an attempt (`docs/algorithms/cling.md`, G10: milliseconds, far
/// more where virtual CPUs are time-sliced).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lateness {
    /// A move or a swap of which the return was not seen, ns.
    pub moved_ns: u64,
    /// Any other, ns.
    pub other_ns: u64,
}

impl Default for Lateness {
    fn default() -> Self {
        Self {
            moved_ns: 300_000_000,
            other_ns: 30_000_000,
        }
    }
}

/// What the replay goes by.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Attempts, by `start_ns`, from the recording's begin on.
    pub attempts: &'a [Attempt],
    /// Callbacks of the timer (a probe on `cling_timer_func`), ns, ascending; empty where there is no probe.
    pub timers: &'a [u64],
    /// Readings of `cpu.numa_group`, by time; empty where there are none.
    pub readings: &'a [Reading],
    /// Online nodes, ascending.
    pub nodes: &'a [i32],
    /// The kernel's jiffies.
    pub clock: Clock,
    /// Whether the jiffies' number is known, not just their length: it tells where the wheel's boundaries are.
    pub jiffies_known: bool,
    /// `scan_period_max`, ms: sets the timer where none was seen.
    pub scan_period_max_ms: u32,
    /// The recording's begin, ns.
    pub from_ns: u64,
    /// Its end, ns.
    pub to_ns: u64,
    /// How late the kernel counts.
    pub lateness: Lateness,
    /// What the caller had to assume (HZ, `scan_period_max`, the nodes).
    pub missing: &'a [String],
}

/// Why an attempt was counted for a group, or was not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It was counted.
    Counted,
    /// The task is in no group: it has not joined yet, or its cgroup has none.
    NoGroup,
    /// The task is in a group that is not a cgroup's: faults formed it, and cling leaves it alone.
    OtherGroup,
    /// It is not known how it ended.
    UnknownVerdict,
    /// It is not known which node it was to reach.
    UnknownTarget,
}

/// An attempt as the replay took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// Its place in [`Inputs::attempts`].
    pub attempt: usize,
    /// When it was counted, ns; its end when it was not.
    pub t_ns: u64,
    /// Whose.
    pub pid: i32,
    /// Number of the group.
    pub group: Option<u32>,
    /// The node that it was to reach; -1 when unknown.
    pub nid: i32,
    /// The next reading named that node: events said nothing, or another one.
    pub from_reading: bool,
    /// Whether it failed; `None` when unknown.
    pub failed: Option<bool>,
    /// Why.
    pub fate: Fate,
}

/// A timer as the replay took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TimerAt {
    /// When it ran, ns.
    pub t_ns: u64,
    /// Number of the group.
    pub group: u32,
    /// Whether it was seen; modelled else.
    pub seen: bool,
}

/// How a reading was reached from the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// The state was not known before.
    Adopted,
    /// By the events in their order.
    Exactly,
    /// With attempts that the kernel counted a little sooner or later than their events stand, or for a node that events
    /// do not tell.
    Reordered,
    /// With a modelled timer that ran sooner or later than modelled.
    TimerShifted,
    /// Not at all: an attempt was not seen (`-EINVAL`, lost events) or was taken wrong.
    Not,
}

/// A reading and what the replay had come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Residual {
    /// When the reading began, ns.
    pub t0_ns: u64,
    /// Number of the group.
    pub group: u32,
    /// How the reading was reached.
    pub reached: Reached,
    /// Nodes at which the events in their order come to something else: (node, replayed, read).
    pub nodes: Vec<(i32, Stat, Stat)>,
    /// `busiest_nid`, replayed by the events in their order, and read.
    pub busiest_nid: (i32, i32),
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Events {
    /// The groups' counters over time.
    pub histories: Vec<History>,
    /// The degree over time, from readings.
    pub degrees: Degrees,
    /// Every attempt, by its place.
    pub applied: Vec<Applied>,
    /// The timers, by time and group; those that find only zeros are left out where they are modelled.
    pub timers: Vec<TimerAt>,
    /// Every reading within the recording, by time.
    pub residuals: Vec<Residual>,
}

/// Whether the kernel counts an attempt as failed: what it returned where a probe tells, else by its events.
#[must_use]
pub fn failed(attempt: &Attempt) -> Option<bool> {
    attempt
        .ret
        .map_or_else(|| attempt.verdict.failed(), |ret| Some(ret != 0))
}

/// Whether events tell when an attempt was counted, rather than that it was under way.
fn counted_at_once(attempt: &Attempt) -> bool {
    attempt.ret.is_some() || !matches!(attempt.verdict, Verdict::Moved | Verdict::Swapped)
}

/// What makes tasks a group.
#[derive(Clone, Copy)]
pub enum Grouping<'a> {
    /// The groups of `cpu.numa_group`, by the ids that their readings show.
    Readings,
    /// Every id that events print: groups that faults formed as well.
    Ngid,
    /// The cgroup, as if each had been given a group.
    Cgroup {
        /// The number of a task's cgroup then.
        of: &'a dyn Fn(i32, u64) -> Option<u32>,
        /// The path of a cgroup.
        path: &'a dyn Fn(u32) -> Option<String>,
    },
}

impl std::fmt::Debug for Grouping<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Readings => "Readings",
            Self::Ngid => "Ngid",
            Self::Cgroup { .. } => "Cgroup",
        })
    }
}

/// Replays what the kernel did: the groups of the readings, else every id that events print.
#[must_use]
pub fn replay(inputs: &Inputs<'_>) -> Events {
    let grouping = if inputs.readings.is_empty() {
        Grouping::Ngid
    } else {
        Grouping::Readings
    };
    replay_as(inputs, &grouping)
}

/// Replays with any groups. Readings hold only the groups that they are of.
#[must_use]
pub fn replay_as(inputs: &Inputs<'_>, grouping: &Grouping<'_>) -> Events {
    let mut inputs = *inputs;
    if !matches!(grouping, Grouping::Readings) {
        inputs.readings = &[];
    }
    let inputs = &inputs;
    let mut found = timers::find(inputs, grouping);
    let applied = timers::assign(inputs, grouping, &mut found);
    let seen = timers::assign_timers(inputs, &found);
    let mut events = Events {
        histories: Vec::with_capacity(found.len()),
        degrees: Degrees::default(),
        applied,
        timers: Vec::new(),
        residuals: Vec::new(),
    };
    for reading in inputs.readings {
        if let Some(degree) = reading.degree {
            events.degrees.push(reading.t0_ns, degree);
        }
    }
    for (object, seen) in found.iter().zip(seen) {
        anchor::run(inputs, object, &seen, &mut events);
    }
    events.timers.sort_by_key(|timer| (timer.t_ns, timer.group));
    events
        .residuals
        .sort_by_key(|residual| (residual.t0_ns, residual.group));
    events
}
