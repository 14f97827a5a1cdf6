//! Inputs of the detectors from the rest of the recording.

use std::collections::HashMap;

/// Costs of problems. Callers implement this on their logs, [`Tables`] on plain rows.
pub trait Costs {
    /// Returns the total wait of tasks of a group for CPUs of a node in a time range, ns.
    fn wait_ns(&self, group: u32, nid: i32, from_ns: u64, to_ns: u64) -> u64;
    /// Returns the run time of a task in a time range, ns; `None` when not known.
    fn ran_ns(&self, pid: i32, from_ns: u64, to_ns: u64) -> Option<u64>;
    /// Returns the number of a task's wakeups in the window; `None` when not known.
    fn wakeups(&self, pid: i32) -> Option<u64>;
    /// Returns the load of nodes, by time, in steps of at most a second; a node's steps adjoin.
    fn shares(&self) -> &[Share];
    /// CPU-ns that idle CPUs of `idle_nid` could have given to tasks that waited on `busy_nid`; `None` when not known.
    fn waste_ns(&self, busy_nid: i32, idle_nid: i32, from_ns: u64, to_ns: u64) -> Option<u64>;
}

/// A wait for a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// Start, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Number of the task's group.
    pub group: u32,
    /// The node of the CPU.
    pub nid: i32,
}

/// A stay on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ran {
    /// Start, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// Pid.
    pub pid: i32,
}

/// Load of a node in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Start of the step, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// The node.
    pub nid: i32,
    /// Share of its CPUs' time that was not idle, 0..=1: lower and upper bound, as parts may not be recorded.
    pub busy: (f64, f64),
}

/// Plain rows.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    waits: HashMap<(u32, i32), Vec<(u64, u64)>>,
    runs: HashMap<i32, Vec<(u64, u64)>>,
    wakeups: HashMap<i32, u64>,
    shares: Vec<Share>,
    /// From, to, busy node, idle node, CPU-ns.
    waste: Vec<(u64, u64, i32, i32, u64)>,
}

impl Tables {
    /// A wait; by their ends.
    pub fn wait(&mut self, wait: Wait) {
        let key = (wait.group, wait.nid);
        let list = self.waits.entry(key).or_default();
        list.push((wait.from_ns, wait.to_ns));
    }

    /// A stay on a CPU; a task's by time.
    pub fn ran(&mut self, ran: Ran) {
        let list = self.runs.entry(ran.pid).or_default();
        list.push((ran.from_ns, ran.to_ns));
    }

    /// A wake-up in the window.
    pub fn woken(&mut self, pid: i32) {
        *self.wakeups.entry(pid).or_default() += 1;
    }

    /// Adds the load of a node in a step; by time.
    pub fn share(&mut self, share: Share) {
        self.shares.push(share);
    }

    /// Adds the time that idle CPUs of one node could have given to tasks of another in a step.
    pub fn waste(&mut self, from_ns: u64, to_ns: u64, busy_nid: i32, idle_nid: i32, cpu_ns: u64) {
        self.waste
            .push((from_ns, to_ns, busy_nid, idle_nid, cpu_ns));
    }
}

fn overlap(list: &[(u64, u64)], from_ns: u64, to_ns: u64) -> u64 {
    // Rows come by their ends, so earlier ones cannot reach into the span.
    let first = list.partition_point(|row| row.1 <= from_ns);
    let rows = list.iter().skip(first);
    rows.map(|row| row.1.min(to_ns).saturating_sub(row.0.max(from_ns)))
        .sum()
}

impl Costs for Tables {
    fn wait_ns(&self, group: u32, nid: i32, from_ns: u64, to_ns: u64) -> u64 {
        let list = self.waits.get(&(group, nid));
        list.map_or(0, |list| overlap(list, from_ns, to_ns))
    }

    fn ran_ns(&self, pid: i32, from_ns: u64, to_ns: u64) -> Option<u64> {
        let list = self.runs.get(&pid)?;
        let first = list.partition_point(|row| row.1 <= from_ns);
        let rows = list.iter().skip(first).take_while(|row| row.0 < to_ns);
        Some(
            rows.map(|row| row.1.min(to_ns).saturating_sub(row.0.max(from_ns)))
                .sum(),
        )
    }

    fn wakeups(&self, pid: i32) -> Option<u64> {
        self.wakeups.get(&pid).copied()
    }

    fn shares(&self) -> &[Share] {
        &self.shares
    }

    fn waste_ns(&self, busy_nid: i32, idle_nid: i32, from_ns: u64, to_ns: u64) -> Option<u64> {
        let rows = self.waste.iter().filter(|row| {
            (row.2, row.3) == (busy_nid, idle_nid) && row.0 < to_ns && from_ns < row.1
        });
        let ns = rows.map(|row| {
            // A step's waste is taken as spread evenly over it.
            let part = row.1.min(to_ns).saturating_sub(row.0.max(from_ns));
            let whole = row.1.saturating_sub(row.0).max(1);
            (u128::from(row.4) * u128::from(part) / u128::from(whole)) as u64
        });
        (!self.waste.is_empty()).then(|| ns.sum())
    }
}
