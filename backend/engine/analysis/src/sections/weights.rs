//! Who gets more of a CPU that two tasks of the fair class want: nice values, `SCHED_IDLE` and weights of cgroups, as sampled.

use std::collections::{HashMap, HashSet};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use numalens_bundle::{Error, Open, at, integers, samples, texts};

/// The policy of tasks that only get what others leave (`include/uapi/linux/sched.h`).
const SCHED_IDLE: i64 = 5;
/// Weight of such a task or cgroup (`WEIGHT_IDLEPRIO`, `kernel/sched/sched.h`).
const WEIGHT_IDLE: f64 = 3.0;
/// Weight of nice 0, which is that of a cgroup whose `cpu.weight` is 100 (`NICE_0_LOAD`, `sched_weight_from_cgroup`).
const NICE_0: f64 = 1024.0;
/// A nice value more weighs so much less (`sched_prio_to_weight`, `kernel/sched/core.c`).
const PER_NICE: f64 = 1.25;
/// Priority of nice 0, and the first of the fair class, as the kernel counts.
const PRIO_NICE_0: i32 = 120;
const FAIR: i32 = 100;
/// How many times as much one has to weigh to be worth a word.
const MUCH: f64 = 2.0;

/// A task that wants a CPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighed<'a> {
    pub(super) pid: i32,
    /// As the kernel counts.
    pub(super) prio: i32,
    /// Its cgroup; `None` when cgroups are not recorded.
    pub(super) cgroup: Option<&'a str>,
}

/// What samples say of weights; the last ones count.
#[derive(Debug, Default)]
pub(super) struct Weights {
    idle: HashSet<i32>,
    /// By path, with the number in the file.
    cgroups: HashMap<String, (f64, String)>,
}

impl Weights {
    pub(super) fn read(open: &Open) -> Result<Self, Error> {
        let mut weights = Self::default();
        samples(open, "task_stat", |batch| {
            let [pids, tids, policies] = ["pid", "tid", "policy"].map(|name| integers(batch, name));
            for row in 0..batch.num_rows() {
                let pid = at(tids, row).or_else(|| at(pids, row));
                let pid = pid.and_then(|pid| i32::try_from(pid).ok());
                match (pid, at(policies, row)) {
                    (Some(pid), Some(SCHED_IDLE)) => drop(weights.idle.insert(pid)),
                    (Some(pid), Some(_)) => drop(weights.idle.remove(&pid)),
                    _ => {}
                }
            }
        })?;
        let mut idle: HashMap<String, bool> = HashMap::new();
        samples(open, "cgroup_stat", |batch| {
            let values = batch.column_by_name("value");
            let values = values.and_then(|array| array.as_primitive_opt::<Float64Type>());
            let (Some(paths), Some(files), Some(values)) =
                (texts(batch, "cgroup"), texts(batch, "file"), values)
            else {
                return;
            };
            for row in (0..batch.num_rows()).filter(|row| values.is_valid(*row)) {
                let (path, value) = (paths.value(row).to_owned(), values.value(row));
                match files.value(row) {
                    "cpu.weight" => {
                        let known = (value / 100.0 * NICE_0, format!("cpu.weight {value}"));
                        weights.cgroups.insert(path, known);
                    }
                    "cpu.shares" => {
                        let known = (value, format!("cpu.shares {value}"));
                        weights.cgroups.insert(path, known);
                    }
                    "cpu.idle" => drop(idle.insert(path, value > 0.0)),
                    _ => {}
                }
            }
        })?;
        for (path, _) in idle.into_iter().filter(|one| one.1) {
            let known = (WEIGHT_IDLE, "cpu.idle 1".to_owned());
            weights.cgroups.insert(path, known);
        }
        Ok(weights)
    }

    /// Why a task that waits gets at most half as much of the CPU as one that runs there; `None` when it does not, or nothing tells.
    pub(super) fn outweighed(&self, waits: Weighed<'_>, runs: Weighed<'_>) -> Option<String> {
        if waits.prio < FAIR || runs.prio < FAIR {
            return None;
        }
        let (of_waits, of_runs) = (parts(waits), parts(runs));
        let shared = of_waits.iter().zip(&of_runs);
        let shared = shared.take_while(|(a, b)| a == b).count();
        let less = self.entity(waits, &of_waits, shared)?;
        let more = self.entity(runs, &of_runs, shared)?;
        let known = waits.cgroup.is_some() && runs.cgroup.is_some();
        let hedge = if known {
            ""
        } else {
            ", if both are in one cgroup"
        };
        (more.0 >= MUCH * less.0).then(|| format!("{} against {}{hedge}", less.1, more.1))
    }

    /// What stands for a task where its way and another's part: a cgroup, or the task itself (`find_matching_se`).
    fn entity(&self, task: Weighed<'_>, parts: &[&str], shared: usize) -> Option<(f64, String)> {
        if shared < parts.len() {
            let path = format!("/{}", parts[..=shared].join("/"));
            let (weight, said) = self.cgroups.get(&path)?;
            return Some((*weight, format!("{said} of {path}")));
        }
        if self.idle.contains(&task.pid) {
            return Some((WEIGHT_IDLE, "SCHED_IDLE".to_owned()));
        }
        let nice = task.prio - PRIO_NICE_0;
        Some((NICE_0 * PER_NICE.powi(-nice), format!("nice {nice}")))
    }
}

/// The names on the way to a task's cgroup.
fn parts(task: Weighed<'_>) -> Vec<&str> {
    let path = task.cgroup.unwrap_or_default();
    path.split('/').filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(pid: i32, nice: i32, cgroup: Option<&str>) -> Weighed<'_> {
        Weighed {
            pid,
            prio: PRIO_NICE_0 + nice,
            cgroup,
        }
    }

    fn weights() -> Weights {
        let of = |path: &str, weight: f64| {
            let known = (weight / 100.0 * NICE_0, format!("cpu.weight {weight}"));
            (path.to_owned(), known)
        };
        Weights {
            idle: HashSet::from([5]),
            cgroups: [
                of("/heavy", 500.0),
                of("/light", 10.0),
                of("/light/in", 900.0),
            ]
            .into(),
        }
    }

    #[test]
    fn tasks_of_one_cgroup_are_weighed_by_nice_and_policy() {
        let of = |waits, runs| weights().outweighed(waits, runs);
        let expected = Some("nice 19 against nice 0".to_owned());
        assert_eq!(of(task(1, 19, Some("/")), task(2, 0, Some("/"))), expected);
        let expected = Some("nice 19 against nice 0, if both are in one cgroup".to_owned());
        assert_eq!(of(task(1, 19, None), task(2, 0, None)), expected);
        assert_eq!(of(task(1, 0, None), task(2, 19, None)), None);
        assert_eq!(of(task(1, 0, None), task(2, -1, None)), None);
        let expected = Some("SCHED_IDLE against nice 0".to_owned());
        assert_eq!(of(task(5, 0, Some("/a")), task(2, 0, Some("/a"))), expected);
        // A real-time task is not weighed.
        assert_eq!(of(task(1, 19, None), task(2, -30, None)), None);
    }

    #[test]
    fn tasks_of_different_cgroups_are_weighed_by_them() {
        let of = |waits, runs| weights().outweighed(waits, runs);
        let expected = "cpu.weight 10 of /light against cpu.weight 500 of /heavy";
        // Whatever their nice values are, and however heavy an inner cgroup is.
        for light in ["/light", "/light/in"] {
            let found = of(task(1, -20, Some(light)), task(2, 19, Some("/heavy")));
            assert_eq!(found.as_deref(), Some(expected));
        }
        assert_eq!(
            of(task(1, 0, Some("/heavy")), task(2, 0, Some("/light"))),
            None
        );
        // A cgroup and a task of the root.
        let found = of(task(1, 0, Some("/light")), task(2, 0, Some("/")));
        assert_eq!(
            found.as_deref(),
            Some("cpu.weight 10 of /light against nice 0")
        );
        // Nothing is known of the weight.
        assert_eq!(
            of(task(1, 0, Some("/light")), task(2, 0, Some("/new"))),
            None
        );
    }
}
