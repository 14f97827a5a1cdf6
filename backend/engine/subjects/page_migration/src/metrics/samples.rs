//! Locations of the tasks' memory, from samples.

use std::collections::HashMap;

use numalens_core::provenance::Label;
use numalens_subject::Shared;
use schemars::JsonSchema;
use serde::Serialize;

/// Quality of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Quality {
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// A line of `/proc/PID/numa_maps`, one row per node (sample table `numa_maps`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapRow {
    /// Time of the sample, ns of the reference clock.
    pub t_ns: u64,
    /// The process.
    pub pid: i32,
    /// The node; `None` for a mapping without pages.
    pub nid: Option<u32>,
    /// Pages of the mapping on it, in units of `page_kb`.
    pub pages: u64,
    /// `kernelpagesize_kB`; `None` on kernels that do not print it, 4 is assumed then.
    pub page_kb: Option<u64>,
}

/// A line `numa_faults` of `/proc/PID/task/TID/sched` (sample table `proc_sched_faults`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultRow {
    /// Time of the sample, ns of the reference clock.
    pub t_ns: u64,
    /// The task.
    pub pid: i32,
    /// The node that has the memory.
    pub nid: u32,
    /// `task_private + task_shared`, the kernel's decaying count of faults.
    pub faults: u64,
}

/// `numa_preferred_nid` of `/proc/PID/task/TID/sched` (sample table `proc_sched`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreferredRow {
    /// Time of the sample, ns of the reference clock.
    pub t_ns: u64,
    /// The task.
    pub pid: i32,
    /// The node; negative for none.
    pub nid: i32,
}

/// The evidence of where a task's memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryEvidence {
    /// The task's own faults by node.
    Faults,
    /// The process' pages by node.
    Maps,
    /// The node that the kernel prefers for the task.
    Preferred,
    /// The NUMA balancer moved the task: to the node it prefers for its memory, or elsewhere.
    Balancer,
}

/// Memory by node at a moment, in any one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) t_ns: u64,
    pub(super) by_node: Vec<(u32, u64)>,
}

impl Reading {
    fn add(&mut self, nid: u32, amount: u64) {
        match self.by_node.iter_mut().find(|(known, _)| *known == nid) {
            Some((_, sum)) => *sum = sum.saturating_add(amount),
            None => self.by_node.push((nid, amount)),
        }
    }

    fn most(&self) -> Option<u64> {
        let most = self.by_node.iter().map(|(_, amount)| *amount).max();
        most.filter(|&most| most != 0)
    }

    pub(super) fn on(&self, nid: u32) -> u64 {
        let found = self.by_node.iter().find(|(known, _)| *known == nid);
        found.map_or(0, |(_, amount)| *amount)
    }

    pub(super) fn total(&self) -> u64 {
        let amounts = self.by_node.iter().map(|(_, amount)| *amount);
        amounts.fold(0, u64::saturating_add)
    }

    /// Returns whether no node has more than this one; `None` without pages.
    fn holds_most(&self, nid: u32) -> Option<bool> {
        self.most().map(|most| self.on(nid) == most)
    }

    /// The node that has most, the first of several.
    fn home(&self) -> Option<u32> {
        let most = self.most()?;
        let nodes = self.by_node.iter().filter(|(_, amount)| *amount == most);
        nodes.map(|(nid, _)| *nid).min()
    }
}

type Readings = HashMap<i32, Vec<Reading>>;

/// Samples of memory, by task or process and ascending in time.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    maps: Readings,
    faults: Readings,
    preferred: HashMap<i32, Vec<(u64, i32)>>,
    /// True if a mapping's page size had to be assumed.
    page_size_assumed: bool,
}

/// Adds to the sample of a moment. Rows come in any order; most come ascending.
fn note(readings: &mut Readings, pid: i32, t_ns: u64, nid: Option<u32>, amount: u64) {
    let list = readings.entry(pid).or_default();
    let at = list.partition_point(|reading| reading.t_ns < t_ns);
    if list.get(at).is_none_or(|reading| reading.t_ns != t_ns) {
        list.insert(
            at,
            Reading {
                t_ns,
                by_node: Vec::new(),
            },
        );
    }
    if let (Some(nid), Some(reading)) = (nid, list.get_mut(at)) {
        reading.add(nid, amount);
    }
}

/// The last reading at a moment or before.
fn latest<T>(list: &[T], t_ns: u64, time: impl Fn(&T) -> u64) -> Option<&T> {
    let after = list.partition_point(|reading| time(reading) <= t_ns);
    list.get(after.checked_sub(1)?)
}

impl Shared for Samples {
    fn heap_bytes(&self) -> usize {
        let readings = self.maps.values().chain(self.faults.values());
        let readings = readings.flatten().map(size_of_val);
        let preferred = self.preferred.values().map(Vec::heap_bytes);
        readings.chain(preferred).sum()
    }
}

impl Samples {
    /// From the rows of the sample tables.
    #[must_use]
    pub fn new(
        maps: impl IntoIterator<Item = MapRow>,
        faults: impl IntoIterator<Item = FaultRow>,
        preferred: impl IntoIterator<Item = PreferredRow>,
    ) -> Self {
        let mut samples = Self::default();
        for row in maps {
            samples.page_size_assumed |= row.nid.is_some() && row.page_kb.is_none();
            let kb = row.pages.saturating_mul(row.page_kb.unwrap_or(4));
            note(&mut samples.maps, row.pid, row.t_ns, row.nid, kb);
        }
        for row in faults {
            note(
                &mut samples.faults,
                row.pid,
                row.t_ns,
                Some(row.nid),
                row.faults,
            );
        }
        for row in preferred {
            let list = samples.preferred.entry(row.pid).or_default();
            list.push((row.t_ns, row.nid));
        }
        for list in samples.preferred.values_mut() {
            list.sort_by_key(|(t_ns, _)| *t_ns);
        }
        samples
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.maps.is_empty() && self.faults.is_empty() && self.preferred.is_empty()
    }

    /// Returns whether a kernel did not print the size of a mapping's pages, and 4 kB were assumed.
    #[must_use]
    pub fn page_size_assumed(&self) -> bool {
        self.page_size_assumed
    }

    /// Processes of which `numa_maps` was read, ascending.
    pub(super) fn processes(&self) -> Vec<i32> {
        let mut pids: Vec<i32> = self.maps.keys().copied().collect();
        pids.sort_unstable();
        pids
    }

    /// The samples of a process' `numa_maps`.
    pub(super) fn maps_of(&self, tgid: i32) -> &[Reading] {
        self.maps.get(&tgid).map_or(&[], Vec::as_slice)
    }

    fn readings<'a>(
        &'a self,
        pid: i32,
        tgid: i32,
        t_ns: u64,
    ) -> [(MemoryEvidence, Option<&'a Reading>); 2] {
        let at = |readings: &'a Readings, pid: i32| {
            latest(readings.get(&pid)?, t_ns, |reading| reading.t_ns)
        };
        [
            (MemoryEvidence::Faults, at(&self.faults, pid)),
            (MemoryEvidence::Maps, at(&self.maps, tgid)),
        ]
    }

    fn preferred(&self, pid: i32, t_ns: u64) -> Option<u32> {
        let list = self.preferred.get(&pid)?;
        let (_, nid) = latest(list, t_ns, |(time, _)| *time)?;
        u32::try_from(*nid).ok()
    }

    /// Returns whether `nid` had the largest share of the task's memory at the last sample before `t_ns`, and the evidence.
    #[must_use]
    pub fn holds_most(
        &self,
        pid: i32,
        tgid: i32,
        t_ns: u64,
        nid: u32,
    ) -> Option<(bool, MemoryEvidence)> {
        for (evidence, reading) in self.readings(pid, tgid, t_ns) {
            if let Some(most) = reading.and_then(|reading| reading.holds_most(nid)) {
                return Some((most, evidence));
            }
        }
        let preferred = self.preferred(pid, t_ns)?;
        Some((preferred == nid, MemoryEvidence::Preferred))
    }

    /// The node that held most of the task's memory when it was last read before `t_ns`; the first of several.
    #[must_use]
    pub fn home(&self, pid: i32, tgid: i32, t_ns: u64) -> Option<u32> {
        let mut readings = self.readings(pid, tgid, t_ns).into_iter();
        readings
            .find_map(|(_, reading)| reading?.home())
            .or_else(|| self.preferred(pid, t_ns))
    }
}
