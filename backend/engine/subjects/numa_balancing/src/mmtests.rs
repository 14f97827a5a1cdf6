//! mmtests' own rows (`docs/algorithms/numa_balancing.md`, N12), quirks included.

use std::collections::{HashMap, HashSet};

use numalens_core::hash::PidMap;
use numalens_core::topology::Node;

use crate::catalogue::Rows;

/// An event as the monitor sees it: one line of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpsEvent<'a> {
    /// Name of the task that was on the CPU, as printed; `<...>` where the recorder did not know it.
    pub comm: &'a str,
    /// Pid.
    pub pid: i32,
    /// Kind of event.
    pub kind: OpsKind,
}

/// Kind of an event, as far as the monitor reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpsKind {
    /// `sched_stick_numa` with 10 fields.
    Stick {
        /// -1 for none.
        dst_cpu: i32,
        /// 0 for none.
        dst_pid: i32,
    },
    /// `sched_stick_numa` with 7 fields: the monitor warns and counts nothing.
    StickSeven,
    /// `sched_move_numa`.
    Move,
    /// `sched_swap_numa`.
    Swap {
        /// Nodes of the two.
        src_nid: i32,
        /// See `src_nid`.
        dst_nid: i32,
        /// Numa groups of the two; 0 for none.
        src_ngid: i32,
        /// See `src_ngid`.
        dst_ngid: i32,
    },
    /// `sched_migrate_task`.
    Migrate {
        /// Whence.
        orig_cpu: u32,
        /// Target CPU.
        dest_cpu: u32,
    },
    /// Any other event: the monitor counts it and does not print how many.
    Other,
}

impl Rows {
    /// Number of times that a task was stuck: the sum of the three rows of failures.
    #[must_use]
    pub fn sticks(&self) -> i64 {
        [
            self.migrate_failed_no_cpu,
            self.migrate_failed_move_to_idle,
            self.migrate_failed_swap_task_fail,
        ]
        .into_iter()
        .flatten()
        .fold(0, i64::saturating_add)
    }

    /// Number of node changes of tasks, by any sender.
    #[must_use]
    pub fn crossings(&self) -> i64 {
        let count = |row: Option<i64>| row.unwrap_or(0);
        count(self.load_balance_cross_numa)
            .saturating_add(count(self.task_migrated_idle_cpu))
            .saturating_add(count(self.task_migrated_swapped).saturating_mul(2))
    }
}

/// Counts events as the monitor does.
#[derive(Debug, Default)]
pub struct Mmtests {
    /// The node of each CPU.
    nodes: PidMap<u32>,
    /// The last name seen of each pid.
    names: HashMap<i32, String>,
    /// Tasks that were stuck before: pid and name.
    stuck: HashSet<(i32, String)>,
    counts: [i64; 9],
    warnings: u64,
}

const NO_CPU: usize = 0;
const IDLE_FAILED: usize = 1;
const SWAP_FAILED: usize = 2;
const SWAPPED: usize = 3;
const SWAPPED_LOCAL: usize = 4;
const SWAPPED_IN_GROUP: usize = 5;
const MOVED: usize = 6;
const RETRIED: usize = 7;
const CROSSED: usize = 8;

impl Mmtests {
    /// Starts with all counts at 0. The nodes are those of `numactl -H`.
    #[must_use]
    pub fn new(nodes: &[Node]) -> Self {
        let cpus = nodes
            .iter()
            .flat_map(|node| node.cpus.iter().map(|&cpu| (cpu as i32, node.nid)));
        Self {
            nodes: cpus.collect(),
            ..Self::default()
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &OpsEvent<'_>) {
        self.remember(event.pid, event.comm);
        match event.kind {
            OpsKind::Stick { dst_cpu, dst_pid } => {
                if dst_cpu == -1 {
                    self.counts[NO_CPU] += 1;
                } else if dst_pid == 0 {
                    self.counts[IDLE_FAILED] += 1;
                } else if dst_pid > 0 {
                    self.counts[SWAP_FAILED] += 1;
                }
                let name = self.name(event.pid, event.comm);
                if !self.stuck.insert((event.pid, name)) {
                    self.counts[RETRIED] += 1;
                }
            }
            OpsKind::StickSeven => self.warnings += 1,
            OpsKind::Move => {
                self.counts[MOVED] += 1;
                self.counts[CROSSED] -= 1;
            }
            OpsKind::Swap {
                src_nid,
                dst_nid,
                src_ngid,
                dst_ngid,
            } => {
                self.counts[SWAPPED] += 1;
                self.counts[CROSSED] -= 2;
                self.counts[SWAPPED_LOCAL] += i64::from(src_nid == dst_nid);
                self.counts[SWAPPED_IN_GROUP] += i64::from(src_ngid > 0 && src_ngid == dst_ngid);
            }
            OpsKind::Migrate { orig_cpu, dest_cpu } => {
                let node = |cpu: u32| self.nodes.get(&(cpu as i32));
                let crossed = node(orig_cpu) != node(dest_cpu);
                self.counts[CROSSED] += i64::from(crossed);
            }
            OpsKind::Other => {}
        }
    }

    fn remember(&mut self, pid: i32, comm: &str) {
        let part = printed_name(comm);
        // Most names were seen before.
        if !part.is_empty() && self.names.get(&pid).is_none_or(|known| known != part) {
            self.names.insert(pid, part.to_owned());
        }
    }

    /// The name that the monitor takes a line's task for.
    fn name(&self, pid: i32, comm: &str) -> String {
        let part = printed_name(comm);
        if part.is_empty() {
            let known = self.names.get(&pid).map(String::as_str);
            return known.unwrap_or("UNKNOWN").to_owned();
        }
        part.to_owned()
    }

    /// The rows so far.
    #[must_use]
    pub fn rows(&self) -> Rows {
        let count = |row: usize| self.counts.get(row).copied().filter(|&count| count != 0);
        Rows {
            migrate_failed_no_cpu: count(NO_CPU),
            migrate_failed_move_to_idle: count(IDLE_FAILED),
            migrate_failed_swap_task_fail: count(SWAP_FAILED),
            task_migrated_swapped: count(SWAPPED),
            task_migrated_swapped_local_nid: count(SWAPPED_LOCAL),
            task_migrated_swapped_within_group: count(SWAPPED_IN_GROUP),
            task_migrated_idle_cpu: count(MOVED),
            task_migrated_idle_cpu_local_nid: None,
            task_migrate_retry: count(RETRIED),
            task_migrate_retry_success: None,
            task_migrate_retry_failed: count(RETRIED),
            load_balance_cross_numa: count(CROSSED),
        }
    }

    /// Number of warnings of the monitor about missing fields.
    #[must_use]
    pub fn warnings(&self) -> u64 {
        self.warnings
    }
}

/// The part of a task's name that the monitor reads: its line's pattern has `[A-Za-z0-9-]*` for name and pid together and
/// is not anchored, so that only the end of the name is found.
fn printed_name(comm: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let kept = comm.trim_end_matches(is_part).len();
    comm.get(kept..).unwrap_or_default()
}
