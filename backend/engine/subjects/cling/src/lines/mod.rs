//! Replay of the cling kernel's output: it follows the printed attempts and timers by the kernel's rules and compares
//! everything else that was printed. A difference is a [`Violation`]; the replay then continues from the printed value.

mod counters;
mod verify;
mod waiting;

use std::collections::BTreeSet;

use numalens_core::json::Moment;
use numalens_core::listed;
use numalens_core::provenance::Label;
use numalens_replay::numa::ClingLine;
use schemars::JsonSchema;
use serde::Serialize;

use crate::group::{Group, Stat};
use crate::history::{Degrees, GroupId, History};
use crate::lines::waiting::Waiting;
use crate::prefs::{Members, Prefs};

pub use self::verify::{Config, Replay};

listed! {
    /// Compared value.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
    #[schemars(rename = "ClingCheck")]
    #[serde(rename_all = "snake_case")]
    pub enum Check {
        /// F, T, Q, busiest after an attempt.
        Attempt,
        /// F, T, Q, busiest while the timer runs.
        Timer,
        /// The end of a timer: its nodes, its time.
        TimerEnd,
        /// F, T, Q, busiest, members as the file was read.
        Show,
        /// Content of a sample of the file.
        Sample,
        /// A decision and the values that it was made from.
        Decision,
        /// A node that was not chosen for being busy.
        Pause,
        /// A verdict on memory.
        Memory,
        /// Members of a group.
        Members,
        /// The preferred node after a failed attempt.
        Reset,
        /// An invariant of the numbers themselves: F <= T, Q = F*100/(T+1).
        Invariant,
    }
}

/// Number of comparisons of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Checked {
    /// The kind.
    pub check: Check,
    /// Compared.
    pub compared: u64,
    /// Of these, exactly as replayed.
    pub exact: u64,
    /// Of these, as replayed shortly before or after: such lines read without the group's lock.
    pub near: u64,
    /// Lines that printed a value for the first time: nothing to compare with.
    pub adopted: u64,
}

/// A printed value that the replay does not reproduce.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Violation {
    /// Time of the line, ns.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// CPU.
    pub cpu: u32,
    /// Number of the group.
    pub group: u32,
    /// Compared value.
    pub check: Check,
    /// Printed value.
    pub printed: String,
    /// Replayed value.
    pub replayed: String,
    /// Possible reason.
    pub reason: &'static str,
}

/// An attempt counted by the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Time at which the kernel counted it, ns.
    pub t_ns: u64,
    /// Pid.
    pub pid: i32,
    /// Number of its group.
    pub group: u32,
    /// The group's id.
    pub gid: i32,
    /// The node that it was to reach.
    pub nid: i32,
    /// True if it failed.
    pub failed: bool,
}

/// A timer that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Ran {
    /// End, ns.
    pub t_ns: u64,
    /// Number of its group.
    pub group: u32,
    /// The kernel's jiffies.
    pub jiffies: u64,
    /// Next setting, jiffies.
    pub period: u64,
}

/// A task joined or left a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MemberStep {
    /// Time, ns.
    pub t_ns: u64,
    /// Pid.
    pub pid: i32,
    /// Number of the group.
    pub group: u32,
    /// Joined, else left.
    pub joined: bool,
}

/// A printed decision that agrees with the replay, or as it was printed where it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrintedDecision {
    /// Time, ns.
    pub t_ns: u64,
    /// Number of the group.
    pub group: u32,
    /// The line.
    pub line: ClingLine,
    /// True if the replay has exactly this value; such lines are read without the lock.
    pub exact: bool,
    /// `busiest_nid` of the replay then.
    pub busiest_nid: i32,
    /// The degree then.
    pub degree: u32,
}

/// Content of the printed lines, and whether it follows from the rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// The groups' counters over time.
    pub histories: Vec<History>,
    /// The degree over time.
    pub degrees: Degrees,
    /// Every attempt that the kernel counted.
    pub attempts: Vec<Counted>,
    /// Every timer.
    pub timers: Vec<Ran>,
    /// Joins and leaves of members.
    pub members: Vec<MemberStep>,
    /// Preferred nodes over time.
    pub prefs: Prefs,
    /// Decisions, pauses and verdicts on memory, by time.
    pub decisions: Vec<PrintedDecision>,
    /// Comparisons.
    pub checked: Vec<Checked>,
    /// Differences, by time.
    pub violations: Vec<Violation>,
    /// (wall time, jiffies, jiffies per second) at the creation of a group: this gives the timer's jiffies.
    pub jiffies: Option<(u64, u64, u32)>,
}

impl Lines {
    /// Number of comparisons of a kind.
    #[must_use]
    pub fn checked(&self, check: Check) -> Option<&Checked> {
        self.checked.iter().find(|row| row.check == check)
    }

    /// The group with that number.
    #[must_use]
    pub fn history(&self, number: u32) -> Option<&History> {
        self.histories
            .iter()
            .find(|history| history.group.number == number)
    }
}

// A group while its lines are replayed.

/// A timer's callback that is being printed.
#[derive(Debug, Default)]
struct Callback {
    /// The most failures so far.
    most: u64,
    /// The nodes that were printed, ascending.
    seen: Vec<i32>,
}

/// A group.
#[derive(Debug)]
struct Live {
    group: Group,
    /// State before its last change, and the time at which that change was printed.
    before: Group,
    changed_ns: u64,
    /// Nodes of which the counters are known.
    known: BTreeSet<i32>,
    /// True if `busiest_nid` is known.
    busiest_known: bool,
    callback: Option<Callback>,
    history: History,
    members: Option<i32>,
    /// Jiffies and period of the last timer.
    last_timer: Option<(u64, u64)>,
    waiting: Vec<Waiting>,
}

impl Live {
    /// `made`: the creation was printed, so everything is known.
    fn new(number: u32, nodes: &[i32], t_ns: u64, made: bool) -> Self {
        let group = Group::new(nodes);
        let id = GroupId {
            number,
            gid: 0,
            cgroup_id: None,
            cgroup: None,
        };
        let known = if made { nodes } else { &[] };
        Self {
            before: group.clone(),
            group,
            changed_ns: t_ns,
            known: known.iter().copied().collect(),
            busiest_known: made,
            callback: None,
            history: History::new(id, t_ns, Label::Replayed),
            members: made.then_some(0),
            last_timer: None,
            waiting: Vec::new(),
        }
    }

    /// Returns whether everything printed about a node can be compared.
    fn knows(&self, nid: i32) -> bool {
        self.busiest_known && self.known.contains(&nid)
    }

    /// Continues from the printed values.
    fn adopt(&mut self, nid: i32, stat: Stat, busiest_nid: i32) {
        self.group.set(nid, stat);
        self.group.busiest_nid = busiest_nid;
        self.known.insert(nid);
        self.busiest_known = true;
    }

    /// Returns the counters of the node, and its busiest node; all 0 when unknown.
    fn shows(&self, nid: i32) -> (Stat, i32) {
        (self.group.stat(nid), self.group.busiest_nid)
    }
}

impl Members {
    /// From printed joins and leaves.
    #[must_use]
    pub fn of_lines(lines: &Lines) -> Self {
        let mut members = Self::default();
        for step in &lines.members {
            // Number 0 is a group that faults formed.
            let group = (step.joined && step.group != 0).then_some(step.group);
            members.push(step.pid, step.t_ns, group);
        }
        members
    }
}
