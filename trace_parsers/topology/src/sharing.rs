//! CPUs that share a core, a cluster, the last-level cache or a die.

use std::collections::{BTreeMap, BTreeSet};

use numalens_columns::InputError;
use serde::{Deserialize, Serialize};

use crate::cpu_list;

/// Groups of CPUs that share something, each ascending, by their first CPU; empty where the file does not say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sharing {
    /// CPUs of one core (SMT siblings).
    pub cores: Vec<Vec<u32>>,
    /// CPUs of one cluster.
    pub clusters: Vec<Vec<u32>>,
    /// CPUs below one last-level cache.
    pub llcs: Vec<Vec<u32>>,
    /// CPUs of one die.
    pub dies: Vec<Vec<u32>>,
}

/// Collects CPUs by a key that those of a group have in common.
#[derive(Debug, Default)]
pub(crate) struct ByKey(BTreeMap<String, BTreeSet<u32>>);

impl ByKey {
    pub(crate) fn add(&mut self, key: String, cpu: u32) {
        self.0.entry(key).or_default().insert(cpu);
    }

    pub(crate) fn groups(self) -> Vec<Vec<u32>> {
        groups(self.0.into_values())
    }
}

/// Groups in order; a group that shares a CPU with an earlier one is left out as contradictory.
fn groups(all: impl Iterator<Item = BTreeSet<u32>>) -> Vec<Vec<u32>> {
    let mut sorted: Vec<Vec<u32>> = all.map(Vec::from_iter).collect();
    sorted.sort();
    let mut found = Disjoint::default();
    for group in sorted {
        found.add(group);
    }
    found.groups
}

/// Groups as they come, none with a CPU of an earlier one: however long the text is, they have each CPU once.
#[derive(Debug, Default)]
pub(crate) struct Disjoint {
    seen: BTreeSet<u32>,
    groups: Vec<Vec<u32>>,
}

impl Disjoint {
    /// Adds a group of ascending CPUs; one that has a CPU of an earlier one contradicts it and is left out.
    pub(crate) fn add(&mut self, group: Vec<u32>) {
        if !group.is_empty() && group.iter().all(|cpu| !self.seen.contains(cpu)) {
            self.seen.extend(&group);
            self.groups.push(group);
        }
    }

    pub(crate) fn add_all(&mut self, others: Self) {
        for group in others.groups {
            self.add(group);
        }
    }

    pub(crate) fn groups(mut self) -> Vec<Vec<u32>> {
        self.groups.sort();
        self.groups
    }
}

/// A cache of a CPU in sysfs.
#[derive(Debug, Default)]
struct Cache {
    level: u32,
    instructions: bool,
    cpus: BTreeSet<u32>,
}

/// Collects the files below `/sys/devices/system/cpu` (`Documentation/ABI/testing/sysfs-devices-system-cpu`).
#[derive(Debug, Default)]
pub(crate) struct CpuFiles {
    caches: BTreeMap<(String, String), Cache>,
    cores: BTreeSet<Vec<u32>>,
    clusters: BTreeSet<Vec<u32>>,
    dies: BTreeSet<Vec<u32>>,
}

impl CpuFiles {
    /// Takes a file of a CPU's folder, such as `topology/core_cpus_list` or `cache/index3/level`; others say nothing.
    pub(crate) fn file(
        &mut self,
        cpu: &str,
        path: &str,
        value: &str,
        line: u64,
    ) -> Result<(), InputError> {
        match path {
            "topology/core_cpus_list" | "topology/thread_siblings_list" => {
                self.cores.insert(list(value, line)?);
            }
            "topology/cluster_cpus_list" => {
                self.clusters.insert(list(value, line)?);
            }
            "topology/die_cpus_list" => {
                self.dies.insert(list(value, line)?);
            }
            _ => {
                let cached = path
                    .strip_prefix("cache/")
                    .and_then(|path| path.split_once('/'));
                if let Some((index, file)) = cached {
                    let key = (cpu.to_owned(), index.to_owned());
                    let cache = self.caches.entry(key).or_default();
                    match file {
                        "level" => {
                            cache.level = cpu_list::number(value, line, "the level of a cache")?;
                        }
                        "type" => cache.instructions = value == "Instruction",
                        "shared_cpu_list" => cache.cpus = list(value, line)?.into_iter().collect(),
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Sharing {
        // The last level may be another on CPUs of another kind: of each CPU the highest that it has.
        let mut last: BTreeMap<&str, &Cache> = BTreeMap::new();
        for ((cpu, _), cache) in &self.caches {
            if !cache.instructions && !cache.cpus.is_empty() {
                let best = last.entry(cpu).or_insert(cache);
                if cache.level > best.level {
                    *best = cache;
                }
            }
        }
        let of = |all: BTreeSet<Vec<u32>>| groups(all.into_iter().map(BTreeSet::from_iter));
        Sharing {
            llcs: groups(last.into_values().map(|cache| cache.cpus.clone())),
            cores: of(self.cores),
            clusters: of(self.clusters),
            dies: of(self.dies),
        }
    }
}

fn list(value: &str, line: u64) -> Result<Vec<u32>, InputError> {
    let mut cpus: Vec<u32> = cpu_list::parse(value, line)?;
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}
