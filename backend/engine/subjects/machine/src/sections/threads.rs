//! All threads with what they belong to, and what each ran and waited in a window; and the threads of a process or a cgroup as one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_replay::timeline::ThreadCounts;
use numalens_replay::waits::Order;
use numalens_subject::logs::{NumaInputs, pid, times};
use numalens_subject::options::Nothing;
use numalens_subject::section::{at, integers, pids, replay, samples, texts};
use numalens_subject::window::{LOST_EVENTS, NO_NODE, Places, SCHED_WAKING, lowered};
use numalens_subject::{Context, Shared, Stop, Window, optional};
use schemars::JsonSchema;
use serde::Serialize;

/// The threads of a recording in a window.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Threads")]
pub(super) struct ThreadList {
    /// Threads by pid, without the idle task.
    threads: Vec<Thread>,
    /// The cgroups that they are in, by path.
    cgroups: Vec<CgroupName>,
    /// Provenance of the times.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

/// A thread.
#[derive(Serialize, JsonSchema)]
pub(super) struct Thread {
    pid: i32,
    /// Last name.
    comm: String,
    /// Process; `None` when not recorded.
    tgid: Option<i32>,
    /// Cgroup at the end of the window, a position in `cgroups`; `None` when not recorded.
    cgroup: Option<u32>,
    /// Numa group at the end of the window; `None` when no event names one.
    numa_group: Option<i32>,
    /// The node on which it ran longest in the window; `None` when it did not run.
    nid: Option<u32>,
    /// Run time in the window, ns.
    run_ns: u64,
    /// Wait for a CPU in the window, ns.
    wait_ns: u64,
}

/// A cgroup by its path.
#[derive(Serialize, JsonSchema)]
pub(super) struct CgroupName {
    path: String,
    /// The number of its lane.
    lane: u32,
}

/// Threads that are a lane together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Together {
    /// Threads of a process, by its pid.
    Process(i32),
    /// Threads of a cgroup and of the cgroups below it, by [`cgroup_lane`] of its path.
    Cgroup(u32),
}

/// The number of a cgroup's lane. Numbers of cgroups depend on what else was read; this one is of the path alone, so that a link
/// never shows another cgroup (FNV-1a, 31 bits).
pub(crate) fn cgroup_lane(path: &str) -> u32 {
    let hash = path.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    hash & 0x7fff_ffff
}

/// In which cgroup tasks were when.
#[derive(Default)]
struct TaskCgroups {
    paths: Vec<String>,
    /// By pid, ascending in time: from when on, ns, and the place in `paths`.
    of: HashMap<i32, Vec<(u64, u32)>>,
}

impl Shared for TaskCgroups {
    fn heap_bytes(&self) -> usize {
        let seen: usize = self.of.values().map(Vec::len).sum();
        seen * size_of::<(u64, u32)>() + self.paths.iter().map(String::len).sum::<usize>()
    }
}

impl TaskCgroups {
    /// CPU of a task at a time, or its first one if unknown at that time.
    fn at(&self, pid: i32, ts_ns: u64) -> Option<u32> {
        let seen = self.of.get(&pid)?;
        let past = seen.partition_point(|(from, _)| *from <= ts_ns);
        seen.get(past.saturating_sub(1)).map(|(_, path)| *path)
    }

    fn is_below(&self, path: u32, lane: u32) -> bool {
        let path = self.paths.get(path as usize).map_or("", |path| path);
        path.match_indices('/')
            .map(|(at, _)| at)
            .chain([path.len()])
            .any(|end| end > 0 && cgroup_lane(&path[..end]) == lane)
    }
}

/// Cgroups from the replay's waits, otherwise from samples: a task that never waited has no other evidence.
fn task_cgroups(open: &Context) -> Result<Arc<TaskCgroups>, Stop> {
    let (parts, _) = replay(open)?;
    open.shared("cgroups", || {
        let mut found = TaskCgroups::default();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut number = |path: &str| {
            let next = numbers.len() as u32;
            *numbers.entry(path.to_owned()).or_insert(next)
        };
        if let Some(groups) = &parts.groups {
            let pids = pids(open);
            parts.waits.scan(0, u64::MAX, |wait, _| {
                let Some(&pid) = pids.get(wait.task as usize) else {
                    return;
                };
                // 0 is the root for tasks that the replay knew in a group before, and for others that nothing is known.
                if wait.group == 0 && !found.of.contains_key(&pid) {
                    return;
                }
                let path = number(groups.path(wait.group));
                found.of.entry(pid).or_default().push((wait.start_ns, path));
            })?;
        }
        let mut sampled: HashMap<i32, Vec<(u64, u32)>> = HashMap::new();
        samples(open, "cgroup_tasks", |batch| {
            let (of, tids) = (integers(batch, "pid"), integers(batch, "tid"));
            let paths = texts(batch, "cgroup");
            for (row, reading) in times(batch).into_iter().enumerate() {
                // A process that was sampled without its threads stands for its first one.
                let task = pid(at(tids, row)).or_else(|| pid(at(of, row)));
                // A directory that a user was in is not a path.
                let path = paths.map(|paths| paths.value(row));
                let path = path.filter(|path| path.starts_with('/'));
                if let (Some(task), Some(path), Some((ts_ns, _))) = (task, path, reading) {
                    let seen = sampled.entry(task).or_default();
                    seen.push((ts_ns, number(path)));
                }
            }
        })?;
        for (pid, seen) in sampled {
            found.of.entry(pid).or_insert(seen);
        }
        for seen in found.of.values_mut() {
            seen.sort_unstable();
            seen.dedup_by(|next, last| next.1 == last.1);
        }
        let mut paths: Vec<(String, u32)> = numbers.into_iter().collect();
        paths.sort_by_key(|path| path.1);
        found.paths = paths.into_iter().map(|path| path.0).collect();
        Ok(found)
    })
}

/// The processes of tasks, as far as anything names them.
pub struct Processes {
    /// By pid: of the last task of that number whose process is known.
    pub of_pid: HashMap<i32, i32>,
}

impl Shared for Processes {
    fn heap_bytes(&self) -> usize {
        self.of_pid.capacity() * size_of::<(i32, i32)>()
    }
}

impl Processes {
    /// Processes of a bundle.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn of(open: &Context) -> Result<Arc<Self>, Error> {
        open.shared("processes", || {
            let tasks = pids(open).into_iter().zip(open.index.tgids());
            Ok(Self {
                of_pid: tasks
                    .filter_map(|(pid, tgid)| Some((pid, (*tgid)?)))
                    .collect(),
            })
        })
    }

    /// The name of a process: its first thread's, else that of one of its others.
    pub fn comm(&self, open: &Context, tgid: i32) -> String {
        let index = &open.index;
        let of_task = index.tgids();
        let of = |task: &usize| of_task[*task] == Some(tgid);
        let named = |task: usize| index.task(task as TaskId).map(|(_, comm)| comm);
        let first = index
            .comm_of(tgid)
            .filter(|_| self.of_pid.get(&tgid) == Some(&tgid));
        first
            .or_else(|| (0..of_task.len()).find(of).and_then(named))
            .unwrap_or_default()
            .to_owned()
    }
}

/// Totals of a thread in the window.
#[derive(Default)]
struct Sum {
    run_ns: u64,
    wait_ns: u64,
    /// By place of the node.
    nodes: BTreeMap<u32, u64>,
}

pub(super) fn threads(open: &Context, window: Window, _: Nothing) -> Result<ThreadList, Stop> {
    let (parts, evidence) = replay(open)?;
    let index = &open.index;
    let places = Places::new(index.nodes());
    let of_task = pids(open);
    let mut sums: BTreeMap<i32, Sum> = of_task
        .iter()
        .filter(|&&pid| pid > 0)
        .map(|&pid| (pid, Sum::default()))
        .collect();
    for &cpu in index.nodes().iter().flat_map(|node| &node.cpus) {
        for slice in index.slices(cpu, window.from_ns, window.to_ns)? {
            let pid = of_task.get(slice.task as usize);
            let Some(sum) = pid.and_then(|pid| sums.get_mut(pid)) else {
                continue;
            };
            let ns = slice.end_ns.min(window.to_ns) - slice.start_ns.max(window.from_ns);
            sum.run_ns += ns;
            *sum.nodes.entry(places.of(cpu)).or_default() += ns;
        }
    }
    parts
        .waits
        .over(window.from_ns, window.to_ns, Order::Forwards, |wait, _| {
            let pid = of_task.get(wait.task as usize);
            if let Some(sum) = pid.and_then(|pid| sums.get_mut(pid)) {
                let end = wait.end_ns.min(window.to_ns);
                sum.wait_ns += end.saturating_sub(wait.start_ns.max(window.from_ns));
            }
        })?;
    let (processes, cgroups) = (Processes::of(open)?, task_cgroups(open)?);
    let groups = match optional(NumaInputs::of(open))? {
        Some(known) => known.numa_groups(window.to_ns)?,
        None => HashMap::new(),
    };
    let node = |sum: &Sum| {
        let most = sum.nodes.iter().rev().max_by_key(|node| node.1)?;
        let node = places.nodes().get(*most.0 as usize);
        node.filter(|_| *most.0 != NO_NODE).map(|node| node.nid)
    };
    let threads = sums
        .iter()
        .map(|(&pid, sum)| Thread {
            pid,
            comm: index.comm_of(pid).unwrap_or_default().to_owned(),
            tgid: processes.of_pid.get(&pid).copied(),
            cgroup: cgroups.at(pid, window.to_ns),
            numa_group: groups.get(&pid).copied(),
            nid: node(sum),
            run_ns: sum.run_ns,
            wait_ns: sum.wait_ns,
        })
        .collect();
    let lost = index.lost_spans();
    let lost = lost
        .iter()
        .any(|&(from, to)| from <= window.to_ns && to >= window.from_ns);
    let missing = [(lost, LOST_EVENTS), (!open.requests, SCHED_WAKING)];
    let missing: Vec<&str> = missing.iter().filter(|m| m.0).map(|m| m.1).collect();
    let (label, missing) = lowered(
        &evidence.run_state_in(window.from_ns, window.to_ns),
        &missing,
    );
    Ok(ThreadList {
        threads,
        cgroups: cgroups
            .paths
            .iter()
            .map(|path| CgroupName {
                path: path.clone(),
                lane: cgroup_lane(path),
            })
            .collect(),
        label,
        missing,
    })
}

/// Numbers of threads of a process or a cgroup by state in the whole recording.
pub(crate) fn thread_counts(open: &Context, together: Together) -> Result<Arc<ThreadCounts>, Stop> {
    let (parts, _) = replay(open)?;
    let (index, waits) = (&open.index, &parts.waits);
    open.shared(together, || match together {
        Together::Process(tgid) => {
            let processes = index.tgids();
            let of = |task| processes.get(task as usize) == Some(&Some(tgid));
            Ok(index.thread_counts(of, |_, _| true, waits)?)
        }
        Together::Cgroup(lane) => {
            let cgroups = task_cgroups(open)?;
            let below = 0..cgroups.paths.len() as u32;
            let below: Vec<bool> = below.map(|path| cgroups.is_below(path, lane)).collect();
            let inside = |path: u32| below[path as usize];
            let of = cgroups.of.iter();
            let of = of.filter(|(_, seen)| seen.iter().any(|at| inside(at.1)));
            let below: HashSet<i32> = of.map(|(pid, _)| *pid).collect();
            let of = |task| {
                index
                    .task(task)
                    .is_some_and(|(pid, _)| below.contains(&pid))
            };
            let counts = |pid, ts_ns| cgroups.at(pid, ts_ns).is_some_and(inside);
            Ok(index.thread_counts(of, counts, waits)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::cgroup_lane;

    #[test]
    fn the_number_of_a_cgroups_lane_is_of_its_path_alone() {
        // FNV-1a of nothing and of "a", without their upper bits.
        assert_eq!(
            (cgroup_lane(""), cgroup_lane("a")),
            (0x011c_9dc5, 0x640c_292c)
        );
        assert_ne!(cgroup_lane("/a/b"), cgroup_lane("/b/a"));
    }
}
