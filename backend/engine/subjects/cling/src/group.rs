//! State of a numa group that decides whether its tasks cling: `kernel/sched/fair.c` with the cling patches
//! (`docs/algorithms/cling.md`, G1-G4).

use schemars::JsonSchema;
use serde::Serialize;

/// `NUMA_MIGRATE_WEIGHT`: what one attempt adds.
pub const WEIGHT: u64 = 1024;
/// Default of `sysctl_numa_balancing_cling_degree`.
pub const DEFAULT_DEGREE: u32 = 20;
/// `max_numa_balancing_cling_degree`.
pub const MAX_DEGREE: u32 = 100;
/// `NUMA_NO_NODE`.
pub const NO_NODE: i32 = -1;
/// Node numbers that a kernel can have (`1 << NODES_SHIFT` at most); others are not taken in.
const NODES: i32 = 1 << 10;

/// A node's counters in a numa group (`migrate_stat`). `f` and `t` count [`WEIGHT`] per attempt and halve with each timer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ClingCounters")]
pub struct Stat {
    /// `FAILURE_SCALED`: failed attempts to reach the node.
    pub f: u64,
    /// `TOTAL_SCALED`: all attempts to reach it.
    pub t: u64,
    /// `FAILURE_RATIO`, percent; 0..=99.
    pub q: u64,
}

impl Stat {
    /// `update_failure_ratio`.
    #[must_use]
    pub fn ratio(f: u64, t: u64) -> u64 {
        // unsigned long in the kernel: wraps, and a divisor of 0 cannot be while T < 2^64 - 1.
        f.wrapping_mul(100)
            .checked_div(t.wrapping_add(1))
            .unwrap_or(0)
    }

    /// `busy_node` without the test of `busiest_nid`.
    #[must_use]
    pub fn over(&self, degree: u32) -> bool {
        // The kernel's `int degree` becomes unsigned long in the comparison.
        self.f >= WEIGHT && self.q > u64::from(degree)
    }
}

/// A numa group's counters. Nodes ascend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    nodes: Vec<(i32, Stat)>,
    /// `busiest_nid`; -1 at first.
    pub busiest_nid: i32,
}

impl Group {
    /// A group as `update_tg_numa_group` makes it, on these online nodes.
    #[must_use]
    pub fn new(nodes: &[i32]) -> Self {
        let mut group = Self {
            nodes: Vec::with_capacity(nodes.len()),
            busiest_nid: NO_NODE,
        };
        for &nid in nodes {
            group.set(nid, Stat::default());
        }
        group
    }

    /// Returns the nodes with their counters, ascending.
    #[must_use]
    pub fn nodes(&self) -> &[(i32, Stat)] {
        &self.nodes
    }

    /// A node's counters; zeros for one that is not known.
    #[must_use]
    pub fn stat(&self, nid: i32) -> Stat {
        self.place(nid)
            .ok()
            .and_then(|at| self.nodes.get(at))
            .map_or_else(Stat::default, |node| node.1)
    }

    /// Takes a node's counters as they are.
    pub fn set(&mut self, nid: i32, stat: Stat) {
        if !(0..NODES).contains(&nid) {
            return;
        }
        match self.place(nid) {
            Ok(at) => {
                if let Some(node) = self.nodes.get_mut(at) {
                    node.1 = stat;
                }
            }
            Err(at) => self.nodes.insert(at, (nid, stat)),
        }
    }

    fn place(&self, nid: i32) -> Result<usize, usize> {
        self.nodes.binary_search_by_key(&nid, |node| node.0)
    }

    /// An attempt to reach `nid` ended (`update_migrate_stat`). The caller resets the task's preferred node to none when it
    /// failed.
    pub fn attempt(&mut self, nid: i32, failed: bool) {
        let mut stat = self.stat(nid);
        if failed {
            stat.f = stat.f.wrapping_add(WEIGHT);
        }
        stat.t = stat.t.wrapping_add(WEIGHT);
        stat.q = Stat::ratio(stat.f, stat.t);
        self.set(nid, stat);
    }

    /// The timer came (`cling_timer_func`): everything halves, and the node with most failures is the busiest; the lowest
    /// of equals, and the old one when none has any.
    pub fn timer(&mut self) {
        let mut most = 0;
        for at in 0..self.nodes.len() {
            if let Some(&(nid, _)) = self.nodes.get(at) {
                self.halve(nid, &mut most);
            }
        }
    }

    /// The timer's work on one node. `most` is 0 at first and goes from node to node.
    pub fn halve(&mut self, nid: i32, most: &mut u64) {
        let mut stat = self.stat(nid);
        stat.f /= 2;
        stat.t /= 2;
        stat.q = Stat::ratio(stat.f, stat.t);
        self.set(nid, stat);
        if stat.f > *most {
            self.busiest_nid = nid;
            *most = stat.f;
        }
    }

    /// Returns whether migrations to the node fail so often that the group gives it up for a while (`busy_node`).
    #[must_use]
    pub fn busy(&self, nid: i32, degree: u32) -> bool {
        self.busiest_nid == nid && self.stat(nid).over(degree)
    }

    /// The busy node, if there is one: never more than one.
    #[must_use]
    pub fn busy_node(&self, degree: u32) -> Option<i32> {
        self.busy(self.busiest_nid, degree)
            .then_some(self.busiest_nid)
    }

    /// Returns whether a member of the group that prefers `pref` stays on `snid` instead of going to `dnid`
    /// (`task_numa_cling`).
    #[must_use]
    pub fn clings(&self, pref: i32, snid: i32, dnid: i32, degree: u32) -> bool {
        pref != NO_NODE && dnid != pref && snid == pref && !self.busy(snid, degree)
    }

    /// Returns whether members may not start to prefer the node (`group_pause_prefer`).
    #[must_use]
    pub fn pauses(&self, nid: i32, degree: u32) -> bool {
        self.busy(nid, degree)
    }

    /// Returns cling's decision on memory that a member would move (`should_numa_migrate_memory`, the step that cling adds);
    /// `None` if the further rules decide.
    #[must_use]
    pub fn memory(&self, snid: i32, dnid: i32, degree: u32) -> Option<bool> {
        if self.busy(dnid, degree) {
            return Some(false);
        }
        self.busy(snid, degree).then_some(true)
    }

    /// Returns whether all counters are 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.nodes
            .iter()
            .all(|(_, stat)| stat.f == 0 && stat.t == 0 && stat.q == 0)
    }
}
