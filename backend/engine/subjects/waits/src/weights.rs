//! Weights of two tasks of the fair class that compete for a CPU: nice values, `SCHED_IDLE` and weights of cgroups, as
//! sampled.

use std::collections::HashMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use numalens_bundle::{Error, Open, at, events, integers, samples, texts};
use numalens_replay::evidence::{Call, Calls};
use numalens_subject::Shared;

/// The policy of tasks that only get what others leave (`include/uapi/linux/sched.h`).
const SCHED_IDLE: i64 = 5;
/// A flag in the policy of `sched_setscheduler` (`include/uapi/linux/sched.h`).
const RESET_ON_FORK: i64 = 0x4000_0000;
/// Weight of such a task or cgroup (`WEIGHT_IDLEPRIO`, `kernel/sched/sched.h`).
const WEIGHT_IDLE: f64 = 3.0;
/// Weight of nice 0, which is that of a cgroup whose `cpu.weight` is 100 (`NICE_0_LOAD`, `sched_weight_from_cgroup`).
const NICE_0: f64 = 1024.0;
/// A nice value more weighs so much less (`sched_prio_to_weight`, `kernel/sched/core.c`).
const PER_NICE: f64 = 1.25;
/// Priority of nice 0, and the first of the fair class, as the kernel counts.
const PRIO_NICE_0: i32 = 120;
const FAIR: i32 = 100;
/// Minimum ratio of weights to be mentioned.
const MUCH: f64 = 2.0;

/// A task that wants a CPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighed<'a> {
    pub(super) pid: i32,
    /// Time, ns.
    pub(super) at_ns: u64,
    /// As the kernel counts.
    pub(super) prio: i32,
    /// Cgroup; `None` when cgroups are not recorded.
    pub(super) cgroup: Option<&'a str>,
}

/// Policies of tasks.
#[derive(Debug, Default)]
struct Policies {
    /// Samples of tasks: time and policy.
    samples: HashMap<i32, Vec<(u64, i64)>>,
    /// Changes of a task's policy: time, and new policy if the call has it.
    calls: HashMap<i32, Vec<(u64, Option<i64>)>>,
}

impl Policies {
    /// Of the syscalls that set policies, the event of one has the policy, that of the other an address.
    fn read_calls(&mut self, open: &Open) -> Result<(), Error> {
        let mut scheduler = Calls::new("sched_setscheduler", Some("policy"));
        let mut attributes = Calls::new("sched_setattr", None);
        for calls in [&mut scheduler, &mut attributes] {
            let reader = calls.clone();
            events(
                open,
                |system, event| reader.reads(system, event),
                |event, batch| calls.observe(event, batch),
            )?;
        }
        self.set(scheduler.finish(), |call| {
            Some(call.argument & !RESET_ON_FORK)
        });
        self.set(attributes.finish(), |_| None);
        Ok(())
    }

    fn set(&mut self, calls: Vec<Call>, policy: impl Fn(&Call) -> Option<i64>) {
        for call in calls {
            let of = self.calls.entry(call.pid).or_default();
            of.push((call.ts_ns, policy(&call)));
            of.sort_unstable();
        }
    }

    /// Returns whether the task is `SCHED_IDLE` then: the last sample between the calls before and after decides, otherwise
    /// the call before.
    fn is_idle(&self, pid: i32, at_ns: u64) -> bool {
        let calls = self.calls.get(&pid).map_or(&[][..], Vec::as_slice);
        let next = calls.partition_point(|call| call.0 <= at_ns);
        let since = next.checked_sub(1).map(|last| calls[last]);
        let until = calls.get(next).map_or(u64::MAX, |call| call.0);
        let samples = self.samples.get(&pid).map_or(&[][..], Vec::as_slice);
        let within = |sample: &&(u64, i64)| {
            since.is_none_or(|since| since.0 <= sample.0) && sample.0 < until
        };
        let last = samples.iter().rev().find(within).map(|sample| sample.1);
        last.or(since.and_then(|since| since.1)) == Some(SCHED_IDLE)
    }
}

/// Sampled weights, and policies from syscalls; the last ones count.
#[derive(Debug, Default)]
pub(super) struct Weights {
    policies: Policies,
    /// By path, with the number in the file.
    cgroups: HashMap<String, (f64, String)>,
}

impl Shared for Weights {
    fn heap_bytes(&self) -> usize {
        /// A cgroup's path and its setting.
        const CGROUP: usize = 256;
        let samples = self.policies.samples.values().map(Vec::heap_bytes);
        let calls = self.policies.calls.values().map(Vec::heap_bytes);
        samples.chain(calls).sum::<usize>() + self.cgroups.len() * CGROUP
    }
}

impl Weights {
    pub(super) fn read(open: &Open) -> Result<Self, Error> {
        let mut weights = Self::default();
        samples(open, "task_stat", |batch| {
            let names = ["pid", "tid", "policy", "ts_ns"];
            let [pids, tids, policies, times] = names.map(|name| integers(batch, name));
            for row in 0..batch.num_rows() {
                let pid = at(tids, row).or_else(|| at(pids, row));
                let pid = pid.and_then(|pid| i32::try_from(pid).ok());
                let time = at(times, row).and_then(|time| u64::try_from(time).ok());
                if let (Some(pid), Some(policy)) = (pid, at(policies, row)) {
                    let seen = weights.policies.samples.entry(pid).or_default();
                    seen.push((time.unwrap_or_default(), policy));
                }
            }
        })?;
        weights.policies.read_calls(open)?;
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

    /// Reason for which a waiting task gets at most half as much of the CPU as the running one; `None` if it does not, or
    /// when not recorded.
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

    /// Representative of a task at the point where its path and another's separate: a cgroup, or the task itself
    /// (`find_matching_se`).
    fn entity(&self, task: Weighed<'_>, parts: &[&str], shared: usize) -> Option<(f64, String)> {
        if shared < parts.len() {
            let path = format!("/{}", parts[..=shared].join("/"));
            let (weight, said) = self.cgroups.get(&path)?;
            return Some((*weight, format!("{said} of {path}")));
        }
        if self.policies.is_idle(task.pid, task.at_ns) {
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
            at_ns: 100,
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
            policies: Policies {
                samples: [(5, vec![(10, SCHED_IDLE)])].into(),
                calls: HashMap::new(),
            },
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
    fn a_policy_holds_until_it_is_set_anew() {
        let idle = |samples: &[(u64, i64)], calls: &[(u64, Option<i64>)]| {
            let policies = Policies {
                samples: [(5, samples.to_vec())].into(),
                calls: [(5, calls.to_vec())].into(),
            };
            let at = [20, 40, 60].map(|at_ns| policies.is_idle(5, at_ns));
            assert!(!policies.is_idle(6, 20));
            at
        };
        let sampled = [(50, SCHED_IDLE)];
        // A sample counts for all of the recording, unless the policy is set.
        assert_eq!(idle(&sampled, &[]), [true, true, true]);
        assert_eq!(idle(&sampled, &[(30, None)]), [false, true, true]);
        assert_eq!(idle(&sampled, &[(55, None)]), [true, true, false]);
        // The call itself may say to what.
        let set = [(30, Some(SCHED_IDLE)), (50, Some(0))];
        assert_eq!(idle(&[], &set), [false, true, false]);
        assert_eq!(idle(&[(10, 0), (70, 0)], &set), [false, true, false]);
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
