//! Results of a replay: each node's counters over time in each group, and the busy times of nodes.

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::group::{DEFAULT_DEGREE, Group, NO_NODE, Stat};

/// Identity of a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct GroupId {
    /// Number of the group object: as printed, or counted by the replay.
    pub number: u32,
    /// Last id that is not 0; 0 without members.
    pub gid: i32,
    /// Number of the cgroup (inode), if a line shows it.
    pub cgroup_id: Option<u64>,
    /// Path of the cgroup, if sampled.
    pub cgroup: Option<String>,
}

/// Event that changed a node's counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Cause {
    /// The group was made, or its state first became known.
    Start,
    /// An attempt ended.
    Attempt {
        /// Pid.
        pid: i32,
        /// True if it failed.
        failed: bool,
    },
    /// The timer came.
    Timer,
    /// A sample that differed from the replay.
    Sample,
    /// A printed line that differed from the replay.
    Line,
}

/// A node's counters from `t_ns` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Step {
    /// ns of the reference clock.
    pub t_ns: u64,
    /// The counters.
    #[serde(flatten)]
    pub stat: Stat,
    /// True if the node is `busiest_nid`.
    pub busiest: bool,
    /// Event that changed them.
    pub cause: Cause,
}

impl Step {
    /// `busy_node`.
    #[must_use]
    pub fn busy(&self, degree: u32) -> bool {
        self.busiest && self.stat.over(degree)
    }
}

/// A node's counters over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeHistory {
    /// The node.
    pub nid: i32,
    /// Each change, ascending.
    pub steps: Vec<Step>,
}

/// A time range in which a node was busy for a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "BusyInterval")]
pub struct Busy {
    /// The node.
    pub nid: i32,
    /// Time at which it became busy, ns.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Time at which it was no longer busy, ns; the end of the known time if it still was.
    #[serde(with = "Moment")]
    pub to_ns: u64,
}

/// A node became busy for a group, or stopped being busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Flip {
    /// Time, ns.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// The node.
    pub nid: i32,
    /// True if it is busy from then on.
    pub busy: bool,
    /// Counters from then on.
    #[serde(flatten)]
    pub stat: Stat,
    /// `busiest_nid` from then on.
    pub busiest_nid: i32,
    /// The degree then.
    pub degree: u32,
}

/// The degree over time: (from when, degree), ascending; [`DEFAULT_DEGREE`] before the first.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub struct Degrees(#[schemars(with = "Vec<(Moment, u32)>")] Vec<(u64, u32)>);

impl Serialize for Degrees {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|step| (Moment(step.0), step.1)))
    }
}

impl Degrees {
    /// A degree that never changes.
    #[must_use]
    pub fn constant(degree: u32) -> Self {
        Self(vec![(0, degree)])
    }

    /// Sets the degree from now on; moments must not go back.
    pub fn push(&mut self, t_ns: u64, degree: u32) {
        let t_ns = self.0.last().map_or(t_ns, |last| last.0.max(t_ns));
        // What is printed first held before as well.
        let t_ns = if self.0.is_empty() { 0 } else { t_ns };
        if self.0.last().is_none_or(|last| last.1 != degree) {
            self.0.push((t_ns, degree));
        }
    }

    /// Returns the value at a time.
    #[must_use]
    pub fn at(&self, t_ns: u64) -> u32 {
        let after = self.0.partition_point(|step| step.0 <= t_ns);
        self.0
            .get(after.wrapping_sub(1))
            .map_or(DEFAULT_DEGREE, |step| step.1)
    }

    /// Each change, ascending.
    #[must_use]
    pub fn steps(&self) -> &[(u64, u32)] {
        &self.0
    }
}

/// A group's counters over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct History {
    /// The group.
    pub group: GroupId,
    /// Ids over time: (start, id).
    pub gids: Vec<(u64, i32)>,
    /// From when on it is known, ns.
    pub from_ns: u64,
    /// Until when, ns.
    pub to_ns: u64,
    /// Time at which the cgroup's file was set to 0: no timer from then on, while members continue clinging and counting.
    pub disabled_ns: Option<u64>,
    /// The nodes, ascending.
    pub nodes: Vec<NodeHistory>,
    /// `busiest_nid` over time: (from when, node or -1).
    pub busiest: Vec<(u64, i32)>,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

impl History {
    /// A history without steps.
    #[must_use]
    pub fn new(group: GroupId, from_ns: u64, label: Label) -> Self {
        Self {
            gids: vec![(from_ns, group.gid)],
            group,
            from_ns,
            to_ns: from_ns,
            disabled_ns: None,
            nodes: Vec::new(),
            busiest: Vec::new(),
            label,
            missing: Vec::new(),
        }
    }

    /// Records the state of a group from `t_ns` on, if it changed.
    pub fn record(&mut self, t_ns: u64, group: &Group, cause: Cause) {
        self.to_ns = self.to_ns.max(t_ns);
        for &(nid, stat) in group.nodes() {
            let busiest = group.busiest_nid == nid;
            let at = match self.nodes.binary_search_by_key(&nid, |node| node.nid) {
                Ok(at) => at,
                Err(at) => {
                    let steps = Vec::new();
                    self.nodes.insert(at, NodeHistory { nid, steps });
                    at
                }
            };
            let Some(node) = self.nodes.get_mut(at) else {
                continue;
            };
            let last = node.steps.last();
            if last.is_some_and(|last| last.stat == stat && last.busiest == busiest) {
                continue;
            }
            let t_ns = last.map_or(t_ns, |last| last.t_ns.max(t_ns));
            node.steps.push(Step {
                t_ns,
                stat,
                busiest,
                cause,
            });
        }
        let last = self.busiest.last().map(|last| last.1);
        if last != Some(group.busiest_nid) {
            self.busiest.push((t_ns, group.busiest_nid));
        }
    }

    /// Handles a change of the id.
    pub fn renamed(&mut self, t_ns: u64, gid: i32) {
        if self.gids.last().is_none_or(|last| last.1 != gid) {
            self.gids.push((t_ns, gid));
        }
        if gid != 0 {
            self.group.gid = gid;
        }
    }

    /// Returns the id at a time; 0 before the first member.
    #[must_use]
    pub fn gid_at(&self, t_ns: u64) -> i32 {
        last_at(&self.gids, t_ns).unwrap_or(0)
    }

    /// `busiest_nid` then.
    #[must_use]
    pub fn busiest_at(&self, t_ns: u64) -> i32 {
        last_at(&self.busiest, t_ns).unwrap_or(NO_NODE)
    }

    /// A node's counters then; zeros before anything is known.
    #[must_use]
    pub fn stat_at(&self, nid: i32, t_ns: u64) -> Stat {
        self.step_at(nid, t_ns)
            .map_or_else(Stat::default, |step| step.stat)
    }

    /// A node's last change until then.
    #[must_use]
    pub fn step_at(&self, nid: i32, t_ns: u64) -> Option<&Step> {
        let at = self
            .nodes
            .binary_search_by_key(&nid, |node| node.nid)
            .ok()?;
        let steps = &self.nodes.get(at)?.steps;
        steps.get(
            steps
                .partition_point(|step| step.t_ns <= t_ns)
                .wrapping_sub(1),
        )
    }

    /// Everything then.
    #[must_use]
    pub fn at(&self, t_ns: u64) -> Group {
        let mut group = Group::new(&[]);
        for node in &self.nodes {
            group.set(node.nid, self.stat_at(node.nid, t_ns));
        }
        group.busiest_nid = self.busiest_at(t_ns);
        group
    }

    /// Moments of changes in `from_ns < t <= to_ns`, ascending, each once.
    #[must_use]
    pub fn changes(&self, from_ns: u64, to_ns: u64) -> Vec<u64> {
        let mut all: Vec<u64> = Vec::new();
        for node in &self.nodes {
            let first = node.steps.partition_point(|step| step.t_ns <= from_ns);
            let steps = node.steps.iter().skip(first).map(|step| step.t_ns);
            all.extend(steps.take_while(|&t_ns| t_ns <= to_ns));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns whether the node was busy at a time.
    #[must_use]
    pub fn busy_at(&self, nid: i32, t_ns: u64, degrees: &Degrees) -> bool {
        self.step_at(nid, t_ns)
            .is_some_and(|step| step.busy(degrees.at(t_ns)))
    }

    /// Each flip of a node, by time. Another degree costs one look at each step.
    #[must_use]
    pub fn flips(&self, degrees: &Degrees) -> Vec<Flip> {
        let mut all = Vec::new();
        for node in &self.nodes {
            self.flips_of(node, degrees, &mut all);
        }
        all.sort_by_key(|flip| (flip.t_ns, flip.busy, flip.nid));
        all
    }

    fn flips_of(&self, node: &NodeHistory, degrees: &Degrees, out: &mut Vec<Flip>) {
        let mut busy = false;
        let mut changes = degrees.steps().iter().map(|step| step.0).peekable();
        let mut last: Option<&Step> = None;
        let mut look = |t_ns: u64, step: &Step| {
            let degree = degrees.at(t_ns);
            if step.busy(degree) != busy {
                busy = !busy;
                out.push(Flip {
                    t_ns,
                    nid: node.nid,
                    busy,
                    stat: step.stat,
                    busiest_nid: self.busiest_at(t_ns),
                    degree,
                });
            }
        };
        for step in &node.steps {
            while let Some(t_ns) = changes.next_if(|&t_ns| t_ns < step.t_ns) {
                if let Some(last) = last {
                    look(t_ns, last);
                }
            }
            look(step.t_ns, step);
            last = Some(step);
        }
        if let Some(last) = last {
            changes.for_each(|t_ns| look(t_ns, last));
        }
    }

    /// Returns each time range in which a node was busy, by its start.
    #[must_use]
    pub fn busy(&self, degrees: &Degrees) -> Vec<Busy> {
        let mut all: Vec<Busy> = Vec::new();
        for flip in self.flips(degrees) {
            if flip.busy {
                all.push(Busy {
                    nid: flip.nid,
                    from_ns: flip.t_ns,
                    to_ns: self.to_ns.max(flip.t_ns),
                });
            } else if let Some(open) = all.iter_mut().rev().find(|busy| busy.nid == flip.nid) {
                open.to_ns = flip.t_ns;
            }
        }
        all
    }
}

fn last_at(steps: &[(u64, i32)], t_ns: u64) -> Option<i32> {
    let after = steps.partition_point(|step| step.0 <= t_ns);
    steps.get(after.wrapping_sub(1)).map(|step| step.1)
}
