//! CPU time by numa group and node over time, and the nodes on which their memory lies.

mod meter;
mod options;
mod sections;

use std::collections::HashMap;

use numalens_core::provenance::Label;
use numalens_replay::numa::Attempt;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::meter::{Config, Meter, Ranking, resident};
pub use self::sections::SUBJECT;

/// Owner of time or memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Whose {
    /// Tasks of this numa group.
    Group(i32),
    /// Groups that have no row of their own.
    Others,
    /// Tasks that are known to be in none.
    NoGroup,
    /// Tasks without events.
    Unknown,
}

impl Whose {
    /// Returns the group with the number that events print; 0 means none.
    #[must_use]
    pub fn of(ngid: i32) -> Self {
        match ngid {
            1.. => Self::Group(ngid),
            0 => Self::NoGroup,
            _ => Self::Unknown,
        }
    }
}

/// CPU time on a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlacementNode")]
pub struct NodeSeries {
    /// The node.
    pub nid: u32,
    /// In the whole window, CPU-ns.
    pub run_ns: u64,
    /// In each step, CPU-ns.
    pub series: Vec<u64>,
}

/// A row: the CPU time of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlacementTime")]
pub struct GroupTime {
    /// Group.
    #[serde(skip)]
    pub whose: Whose,
    /// Number of groups in the row; 0 for tasks without one.
    pub groups: usize,
    /// Tasks that ran.
    pub tasks: usize,
    /// On all nodes, CPU-ns.
    pub run_ns: u64,
    /// Part before an event named the group.
    pub inferred_ns: u64,
    /// By node, in the machine's order.
    pub nodes: Vec<NodeSeries>,
    /// Provenance.
    pub label: Label,
}

/// Memory on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlacementMemoryNode")]
pub struct NodeMemory {
    /// The node.
    pub nid: u32,
    /// Resident, KiB.
    pub kb: u64,
}

/// The memory of a group's processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlacementPages")]
pub struct GroupMemory {
    /// Owner.
    #[serde(skip)]
    pub whose: Whose,
    /// Processes that were sampled.
    pub processes: usize,
    /// By node, in the machine's order.
    pub nodes: Vec<NodeMemory>,
    /// Provenance.
    pub label: Label,
}

/// CPU time and memory by numa group and node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Length of a step, ns; the last one may be shorter.
    pub step_ns: u64,
    /// Groups by CPU time, then merged ones, then tasks without a group, then unknown ones.
    pub groups: Vec<GroupTime>,
    /// All CPU time of tasks: what the rows add up to.
    pub busy_ns: u64,
    /// By group, in the order of `groups`; `None` when no memory was sampled.
    pub memory: Option<Vec<GroupMemory>>,
    /// Inputs that would show the location of memory.
    pub memory_missing: Vec<String>,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

// Which numa group a task was in, as attempts of the NUMA balancer print it.

/// Group at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GroupAt {
    /// Owner of the time.
    pub whose: Whose,
    /// True if only a later event shows it, which is then assumed for earlier times.
    pub later: bool,
}

const NEVER: GroupAt = GroupAt {
    whose: Whose::Unknown,
    later: false,
};

/// The numa groups of tasks over time.
#[derive(Debug, Clone, Default)]
pub struct Membership {
    /// By pid: (from when, `ngid`), ascending.
    tasks: HashMap<i32, Vec<(u64, i32)>>,
    /// The same by process, of whichever of its tasks named it.
    processes: HashMap<i32, Vec<(u64, i32)>>,
}

impl Membership {
    /// Groups of tasks and their partners, from attempts. Attempts ascend in time.
    #[must_use]
    pub fn of_attempts(attempts: &[Attempt]) -> Self {
        let mut members = Self::default();
        for attempt in attempts {
            members.push(attempt.pid, attempt.tgid, attempt.start_ns, attempt.ngid);
            if let Some(partner) = attempt.partner {
                members.push(partner.pid, partner.tgid, attempt.start_ns, partner.ngid);
            }
        }
        members
    }

    /// From `t_ns` on the task is in group `ngid`, 0 for none. A number below says nothing. Times must not go back.
    pub fn push(&mut self, pid: i32, tgid: i32, t_ns: u64, ngid: i32) {
        if ngid < 0 || pid <= 0 {
            return;
        }
        let add = |steps: &mut Vec<(u64, i32)>| {
            if steps.last().is_none_or(|last| last.1 != ngid) {
                steps.push((t_ns, ngid));
            }
        };
        add(self.tasks.entry(pid).or_default());
        if tgid > 0 {
            add(self.processes.entry(tgid).or_default());
        }
    }

    /// Group of a task at a time.
    #[must_use]
    pub fn at(&self, pid: i32, t_ns: u64) -> GroupAt {
        group_at(self.tasks.get(&pid), t_ns)
    }

    /// A process' group then: that of its first task, else of any other.
    #[must_use]
    pub fn of_process(&self, pid: i32, t_ns: u64) -> GroupAt {
        match self.at(pid, t_ns) {
            NEVER => group_at(self.processes.get(&pid), t_ns),
            known => known,
        }
    }

    /// Calls `piece` with the parts of a time range and the group of each, in order.
    fn pieces(
        &self,
        pid: i32,
        [from_ns, to_ns]: [u64; 2],
        mut piece: impl FnMut(GroupAt, u64, u64),
    ) {
        let steps = self.tasks.get(&pid).map_or(&[][..], Vec::as_slice);
        let mut begin = from_ns;
        // The first known group also holds before it is known.
        for &(t_ns, _) in steps
            .iter()
            .filter(|step| step.0 > from_ns && step.0 < to_ns)
        {
            piece(self.at(pid, begin), begin, t_ns);
            begin = t_ns;
        }
        if begin < to_ns {
            piece(self.at(pid, begin), begin, to_ns);
        }
    }
}

fn group_at(steps: Option<&Vec<(u64, i32)>>, t_ns: u64) -> GroupAt {
    let Some((steps, first)) = steps.and_then(|steps| Some((steps, steps.first()?))) else {
        return NEVER;
    };
    let after = steps.partition_point(|step| step.0 <= t_ns);
    let step = after.checked_sub(1).map_or(first, |at| &steps[at]);
    GroupAt {
        whose: Whose::of(step.1),
        later: after == 0,
    }
}
