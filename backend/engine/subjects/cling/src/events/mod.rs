//! The groups' counters from scheduler events alone: attempts with the groups' ids, timers seen or modelled, and samples of
//! `cpu.numa_group` as anchors.

mod anchor;
mod timers;

use numalens_replay::numa::{Attempt, Verdict};
use serde::Serialize;

use crate::group::Stat;
use crate::history::{Degrees, History};
use crate::samples::Reading;
use crate::timer::Clock;

/// Delay with which the kernel may count an attempt after its last event (`docs/algorithms/cling.md`, G10: milliseconds, far
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

/// Inputs of the replay.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Attempts, by `start_ns`, from the start of the recording.
    pub attempts: &'a [Attempt],
    /// Callbacks of the timer (a probe on `cling_timer_func`), ns, ascending; empty where there is no probe.
    pub timers: &'a [u64],
    /// Samples of `cpu.numa_group`, by time; may be empty.
    pub readings: &'a [Reading],
    /// Online nodes, ascending.
    pub nodes: &'a [i32],
    /// The kernel's jiffies.
    pub clock: Clock,
    /// True if the absolute number of jiffies is known, not only their length: it gives the boundaries of the wheel.
    pub jiffies_known: bool,
    /// `scan_period_max`, ms: sets the timer where none was seen.
    pub scan_period_max_ms: u32,
    /// Start of the recording, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Delay of the kernel's counting.
    pub lateness: Lateness,
    /// Assumptions of the caller (HZ, `scan_period_max`, the nodes).
    pub missing: &'a [String],
}

/// Reason for which an attempt was or was not counted for a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Counted.
    Counted,
    /// The task is in no group: it has not joined yet, or its cgroup has none.
    NoGroup,
    /// The task is in a group that is not a cgroup's: faults formed it, and cling leaves it alone.
    OtherGroup,
    /// Outcome not known.
    UnknownVerdict,
    /// Target node not known.
    UnknownTarget,
}

/// An attempt as the replay took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// Position in [`Inputs::attempts`].
    pub attempt: usize,
    /// Time of counting, ns; its end if not counted.
    pub t_ns: u64,
    /// Pid.
    pub pid: i32,
    /// Number of the group.
    pub group: Option<u32>,
    /// The node that it was to reach; -1 when unknown.
    pub nid: i32,
    /// The next reading named that node: events said nothing, or another one.
    pub from_reading: bool,
    /// True if it failed; `None` when unknown.
    pub failed: Option<bool>,
    /// Reason.
    pub fate: Fate,
}

/// A timer as the replay took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TimerAt {
    /// Time of the callback, ns.
    pub t_ns: u64,
    /// Number of the group.
    pub group: u32,
    /// True if seen, false if modelled.
    pub seen: bool,
}

/// Evidence that leads from one sample to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// The state was not known before.
    Adopted,
    /// By the events in their order.
    Exactly,
    /// With attempts that the kernel counted slightly before or after their events, or for a node that events do not show.
    Reordered,
    /// With a modelled timer that ran sooner or later than modelled.
    TimerShifted,
    /// Not at all: an attempt was not seen (`-EINVAL`, lost events) or was misinterpreted.
    Not,
}

/// A sample and the replay's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Residual {
    /// Start of the sample, ns.
    pub t0_ns: u64,
    /// Number of the group.
    pub group: u32,
    /// Way in which the sample was reached.
    pub reached: Reached,
    /// Nodes for which the events in their order give a different result: (node, replayed, sampled).
    pub nodes: Vec<(i32, Stat, Stat)>,
    /// `busiest_nid`, replayed by the events in their order, and read.
    pub busiest_nid: (i32, i32),
}

/// Results of the replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Events {
    /// The groups' counters over time.
    pub histories: Vec<History>,
    /// The degree over time, from samples.
    pub degrees: Degrees,
    /// Every attempt, by its place.
    pub applied: Vec<Applied>,
    /// The timers, by time and group; those that find only zeros are left out where they are modelled.
    pub timers: Vec<TimerAt>,
    /// Every reading within the recording, by time.
    pub residuals: Vec<Residual>,
}

/// Returns whether the kernel counts an attempt as failed: by its probed return value, otherwise by its events.
#[must_use]
pub fn failed(attempt: &Attempt) -> Option<bool> {
    attempt
        .ret
        .map_or_else(|| attempt.verdict.failed(), |ret| Some(ret != 0))
}

/// Returns whether events show the time of counting, and not only that the attempt was in progress.
fn counted_at_once(attempt: &Attempt) -> bool {
    attempt.ret.is_some() || !matches!(attempt.verdict, Verdict::Moved | Verdict::Swapped)
}

/// Definition of a group.
#[derive(Clone, Copy)]
pub enum Grouping<'a> {
    /// The groups of `cpu.numa_group`, by the ids in their samples.
    Readings,
    /// Every id that events print: groups that faults formed as well.
    Ngid,
    /// Each cgroup, as if it had a group of its own.
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

/// Replays the kernel's behavior: with the groups of the samples, otherwise with every id that events print.
#[must_use]
pub fn replay(inputs: &Inputs<'_>) -> Events {
    let grouping = if inputs.readings.is_empty() {
        Grouping::Ngid
    } else {
        Grouping::Readings
    };
    replay_as(inputs, &grouping)
}

/// Replays with any groups. Samples apply only to their own groups.
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
