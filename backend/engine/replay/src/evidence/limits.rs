//! Affinity of tasks and cgroups, their CPU quotas, and the times at which these were used up, from samples.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, PrimitiveArray, RecordBatch, StringArray};
use numalens_core::CpuSet;

use super::calls::Call;
use crate::run_state::{AllowedCpus, AllowedOf, QuotaSet, Starved, Throttle};

/// Flags of a kernel thread, and of one whose affinity cannot be changed (`PF_KTHREAD`, `PF_NO_SETAFFINITY`,
/// `include/linux/sched.h`).
const BOUND_KERNEL_THREAD: i64 = 0x0020_0000 | 0x0400_0000;

/// The counters of `cpu.stat` that grow while a cgroup is throttled (`cpu_cfs_stat_show`, `kernel/sched/core.c`).
const COUNTERS: [&str; 2] = ["throttled_usec", "nr_throttled"];

/// Limits from the samples.
#[derive(Debug, Clone, Default)]
pub struct Limited {
    /// Affinity of tasks and of the tasks of cgroups.
    pub allowed: Vec<AllowedCpus>,
    /// The quotas of cgroups that ever had one.
    pub quotas: Vec<QuotaSet>,
    /// Spans between two samples over which a counter of throttling grew. The time of throttling within a span is unknown;
    /// spans that touch are one.
    pub throttled: Vec<Throttle>,
    /// Kernel threads that cannot be moved.
    pub kernel_threads: Vec<i32>,
    /// Tasks that were runnable at two samples and did not run in between.
    pub starved: Vec<Starved>,
}

/// Collects the samples of the tables `cgroup_stat` and `task_stat`.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Times at which the affinity of a task was changed, ascending.
    changes: BTreeMap<i32, Vec<u64>>,
    /// Affinity of each task, by time.
    tasks: BTreeMap<i32, Vec<Sampled>>,
    /// Kernel threads that stay where they were bound.
    kernel_threads: BTreeSet<i32>,
    /// Of each task that was runnable at its last sample: since when it has the CPU time that it had there.
    runnable: BTreeMap<i32, Runnable>,
    starved: Vec<Starved>,
    /// Time and value of each of [`COUNTERS`] of each cgroup.
    counters: BTreeMap<(String, usize), Vec<(u64, f64)>>,
    /// `cpuset.cpus.effective` of each cgroup, by time.
    cpus: BTreeMap<String, Vec<Sampled>>,
    /// Quota and period of `cpu.max`, µs, of each cgroup by time; the quota is `None` where there is no limit.
    quotas: BTreeMap<String, BTreeMap<u64, (Option<f64>, f64)>>,
}

/// Samples in a row with the same CPUs.
#[derive(Debug, Clone)]
struct Sampled {
    first_ns: u64,
    last_ns: u64,
    cpus: CpuSet,
}

impl Sampled {
    fn at(ns: u64, cpus: CpuSet) -> Self {
        Self {
            first_ns: ns,
            last_ns: ns,
            cpus,
        }
    }

    /// Returns whether it has some of the CPUs of `other`, and not all.
    fn is_narrower_than(&self, other: &Self) -> bool {
        self.cpus.len() < other.cpus.len() && self.cpus.iter().all(|cpu| other.cpus.contains(cpu))
    }
}

/// A task at a sample.
#[derive(Debug, Clone, Copy)]
struct Runnable {
    from_ns: u64,
    cpu_ticks: i64,
    /// Position among the starved, once there are two samples.
    starved: Option<usize>,
}

impl Limits {
    /// `calls` of `sched_setaffinity`, by time, changed where tasks may run: no sample from before one holds after it.
    #[must_use]
    pub fn new(calls: &[Call]) -> Self {
        let mut limits = Self::default();
        for call in calls {
            limits.changes.entry(call.pid).or_default().push(call.ts_ns);
        }
        limits
    }

    /// The last change of a task's CPUs by a moment.
    fn changed(&self, task: i32, time: u64) -> Option<u64> {
        let changes = self.changes.get(&task)?;
        let later = changes.partition_point(|&change| change <= time);
        changes[..later].last().copied()
    }

    /// Looks at placed samples; rows without a time say nothing.
    pub fn observe(&mut self, batch: &RecordBatch) {
        let text = |name: &str| batch.column_by_name(name)?.as_string_opt::<i32>();
        let times = batch
            .column_by_name("ts_ns")
            .and_then(|array| array.as_primitive_opt::<Int64Type>());
        let values = batch
            .column_by_name("value")
            .and_then(|array| array.as_primitive_opt::<Float64Type>());
        let (Some(times), Some(values)) = (times, values) else {
            return;
        };
        let (Some(cgroups), Some(files), Some(names), Some(words)) =
            (text("cgroup"), text("file"), text("name"), text("text"))
        else {
            return;
        };
        for row in 0..batch.num_rows() {
            let cgroup = cgroups.value(row);
            let time = times.is_valid(row).then(|| u64::try_from(times.value(row)));
            // The root's are the machine's, and it has no `cpu.max`.
            let (Some(Ok(time)), false) = (time, matches!(cgroup, "" | "/")) else {
                continue;
            };
            let value = values.is_valid(row).then(|| values.value(row));
            match files.value(row) {
                "cpuset.cpus.effective" => {
                    // A single CPU is a number.
                    let cpus = match value {
                        Some(cpu) => Ok(CpuSet::from_iter([cpu as u32])),
                        None => words.value(row).parse(),
                    };
                    if let Ok(cpus) = cpus {
                        self.cpus(cgroup, time, cpus);
                    }
                }
                "cpu.stat" => {
                    let counter = COUNTERS.iter().position(|name| names.value(row) == *name);
                    if let Some((counter, value)) = counter.zip(value) {
                        let samples = self.counters.entry((cgroup.to_owned(), counter));
                        samples.or_default().push((time, value));
                    }
                }
                "cpu.max" => {
                    let quota = self.quotas.entry(cgroup.to_owned()).or_default();
                    let quota = quota.entry(time).or_insert((None, 0.0));
                    match names.value(row) {
                        "quota" => quota.0 = value,
                        "period" => quota.1 = value.unwrap_or_default(),
                        _ => {}
                    }
                }
                // The same in two files of the first version, where no limit is -1.
                file @ ("cpu.cfs_quota_us" | "cpu.cfs_period_us") => {
                    let quota = self.quotas.entry(cgroup.to_owned()).or_default();
                    let quota = quota.entry(time).or_insert((None, 0.0));
                    if file == "cpu.cfs_quota_us" {
                        quota.0 = value.filter(|quota| *quota > 0.0);
                    } else {
                        quota.1 = value.unwrap_or_default();
                    }
                }
                _ => {}
            }
        }
    }

    /// Looks at placed samples of tasks.
    pub fn tasks(&mut self, batch: &RecordBatch) {
        let number = |name: &str| {
            let column = batch.column_by_name(name)?;
            column.as_primitive_opt::<Int64Type>()
        };
        let lists = batch
            .column_by_name("cpus_allowed")
            .and_then(|array| array.as_string_opt::<i32>());
        let (Some(times), Some(pids), Some(tids), Some(flags), Some(lists)) = (
            number("ts_ns"),
            number("pid"),
            number("tid"),
            number("flags"),
            lists,
        ) else {
            return;
        };
        let states = TaskStates::of(batch);
        for row in 0..batch.num_rows() {
            let task = if tids.is_valid(row) { tids } else { pids };
            let Ok(task) = i32::try_from(task.value(row)) else {
                continue;
            };
            if flags.is_valid(row) && flags.value(row) & BOUND_KERNEL_THREAD == BOUND_KERNEL_THREAD
            {
                self.kernel_threads.insert(task);
            }
            let time = times.is_valid(row).then(|| u64::try_from(times.value(row)));
            if let Some(Ok(time)) = time
                && let Some(seen) = states.as_ref().and_then(|states| states.at(row))
            {
                self.sampled(time, task, seen);
            }
            if let (Some(Ok(time)), true) = (time, lists.is_valid(row))
                && let Ok(cpus) = lists.value(row).parse::<CpuSet>()
                && !cpus.is_empty()
            {
                let changed = self.changed(task, time);
                let seen = self.tasks.entry(task).or_default();
                match seen.last_mut() {
                    Some(last) if last.cpus == cpus && changed <= Some(last.last_ns) => {
                        last.last_ns = time;
                    }
                    _ => seen.push(Sampled::at(time, cpus)),
                }
            }
        }
    }

    /// A task at a sample: it starves when it is runnable at two of them and no CPU time lies in between.
    fn sampled(&mut self, time: u64, task: i32, seen: TaskState<'_>) {
        let before = self.runnable.remove(&task);
        if seen.state != "R" {
            return;
        }
        let same =
            before.filter(|before| before.cpu_ticks == seen.cpu_ticks && before.from_ns < time);
        let mut now = same.unwrap_or(Runnable {
            from_ns: time,
            cpu_ticks: seen.cpu_ticks,
            starved: None,
        });
        if same.is_some() {
            let at = *now.starved.get_or_insert(self.starved.len());
            if at == self.starved.len() {
                self.starved.push(Starved {
                    pid: task,
                    comm: seen.comm.to_owned(),
                    cpu: seen.cpu,
                    from_ns: now.from_ns,
                    to_ns: time,
                });
            }
            self.starved[at].to_ns = time;
        }
        self.runnable.insert(task, now);
    }

    fn cpus(&mut self, cgroup: &str, time: u64, cpus: CpuSet) {
        let seen = self.cpus.entry(cgroup.to_owned()).or_default();
        if !cpus.is_empty() && seen.last().is_none_or(|last| last.cpus != cpus) {
            seen.push(Sampled::at(time, cpus));
        }
    }

    /// Returns the limits.
    #[must_use]
    pub fn finish(self) -> Limited {
        let throttled = throttled(self.counters);
        let mut tasks = self.tasks;
        let mut allowed = Vec::new();
        for (pid, changes) in self.changes {
            allowed.extend(between_changes(
                pid,
                &changes,
                tasks.remove(&pid).unwrap_or_default(),
            ));
        }
        for (pid, seen) in tasks {
            allowed.extend(sampled(&AllowedOf::Task(pid), 0, seen));
        }
        for (path, seen) in self.cpus {
            allowed.extend(sampled(&AllowedOf::Cgroup(path), 0, seen));
        }
        let limited = self.quotas.into_iter();
        let limited = limited.filter(|(_, seen)| seen.values().any(|(quota, _)| quota.is_some()));
        let quotas = limited.flat_map(|(path, seen)| {
            let mut sets: Vec<QuotaSet> = Vec::new();
            for (from_ns, (quota, period)) in seen {
                let set = QuotaSet {
                    path: path.clone(),
                    quota_ns: quota.map(|us| (us * 1e3) as u64),
                    period_ns: (period * 1e3) as u64,
                    from_ns,
                };
                let same = sets.last().is_some_and(|last| {
                    (last.quota_ns, last.period_ns) == (set.quota_ns, set.period_ns)
                });
                if !same && set.period_ns > 0 {
                    sets.push(set);
                }
            }
            sets
        });
        Limited {
            allowed,
            quotas: quotas.collect(),
            throttled,
            kernel_threads: self.kernel_threads.into_iter().collect(),
            starved: self.starved,
        }
    }
}

/// Samples, the first of which also holds before, back to `from_ns`. A task's sample with fewer CPUs than the previous one
/// holds back to that one: the time of the binding is unknown, and runs on other CPUs until then speak against it. Despite
/// such evidence, a sample holds at its own time.
fn sampled(of: &AllowedOf, from_ns: u64, mut seen: Vec<Sampled>) -> Vec<AllowedCpus> {
    seen.sort_by_key(|sample| sample.first_ns);
    let mut allowed = Vec::new();
    for (at, sample) in seen.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| seen.get(at));
        let task = matches!(of, AllowedOf::Task(_));
        let since_ns = match before {
            None => from_ns,
            Some(before) if task && sample.is_narrower_than(before) => before.last_ns,
            Some(_) => sample.first_ns,
        };
        let again = (task && since_ns < sample.first_ns).then_some(sample.first_ns);
        allowed.extend(
            [since_ns]
                .into_iter()
                .chain(again)
                .map(|from_ns| AllowedCpus {
                    of: of.clone(),
                    cpus: Some(sample.cpus.clone()),
                    from_ns,
                    sampled_ns: sample.first_ns,
                }),
        );
    }
    allowed
}

/// Affinity of a task whose CPUs were changed: each change makes them unknown, unless they were sampled before the next one.
fn between_changes(pid: i32, changes: &[u64], mut seen: Vec<Sampled>) -> Vec<AllowedCpus> {
    let of = AllowedOf::Task(pid);
    let mut allowed = Vec::new();
    seen.sort_by_key(|sample| sample.first_ns);
    for &change in changes.iter().rev() {
        let later = seen.split_off(seen.partition_point(|sample| sample.first_ns < change));
        if later.is_empty() {
            allowed.push(AllowedCpus {
                of: of.clone(),
                cpus: None,
                from_ns: change,
                sampled_ns: change,
            });
        }
        allowed.extend(sampled(&of, change, later));
    }
    allowed.extend(sampled(&of, 0, seen));
    allowed
}

/// State of a task in a row of `task_stat` besides its affinity.
#[derive(Debug, Clone, Copy)]
struct TaskState<'a> {
    comm: &'a str,
    state: &'a str,
    cpu_ticks: i64,
    cpu: u32,
}

/// Columns of `task_stat` besides the affinity.
struct TaskStates<'a> {
    comms: &'a StringArray,
    states: &'a StringArray,
    ticks: &'a PrimitiveArray<Int64Type>,
    cpus: &'a PrimitiveArray<Int64Type>,
}

impl<'a> TaskStates<'a> {
    fn of(batch: &'a RecordBatch) -> Option<Self> {
        let text = |name: &str| batch.column_by_name(name)?.as_string_opt::<i32>();
        let number = |name: &str| batch.column_by_name(name)?.as_primitive_opt::<Int64Type>();
        Some(Self {
            comms: text("comm")?,
            states: text("state")?,
            ticks: number("cpu_ticks")?,
            cpus: number("cpu")?,
        })
    }

    fn at(&self, row: usize) -> Option<TaskState<'a>> {
        let known = self.comms.is_valid(row) && self.states.is_valid(row);
        let known = known && self.ticks.is_valid(row) && self.cpus.is_valid(row);
        let cpu = u32::try_from(self.cpus.value(row)).ok();
        known.then_some(TaskState {
            comm: self.comms.value(row),
            state: self.states.value(row),
            cpu_ticks: self.ticks.value(row),
            cpu: cpu?,
        })
    }
}

/// The spans over which a counter of a cgroup grew.
fn throttled(counters: BTreeMap<(String, usize), Vec<(u64, f64)>>) -> Vec<Throttle> {
    let mut grown: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    for ((cgroup, _), mut samples) in counters {
        samples.sort_by_key(|sample| sample.0);
        for pair in samples.windows(2) {
            let ((from, before), (to, after)) = (pair[0], pair[1]);
            if after > before && from < to {
                grown.entry(cgroup.clone()).or_default().push((from, to));
            }
        }
    }
    let mut spans = Vec::new();
    for (path, mut found) in grown {
        found.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (from, to) in found {
            match joined.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => joined.push((from, to)),
            }
        }
        spans.extend(joined.into_iter().map(|(from_ns, to_ns)| Throttle {
            path: path.clone(),
            from_ns,
            to_ns,
        }));
    }
    spans
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Float64Array, Int64Array, StringArray};
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    type Row = (
        i64,
        &'static str,
        &'static str,
        &'static str,
        Option<f64>,
        Option<&'static str>,
    );

    fn batch(rows: &[Row]) -> RecordBatch {
        let text = |name: &str, null| Field::new(name, DataType::Utf8, null);
        let schema = Schema::new(vec![
            Field::new("ts_ns", DataType::Int64, true),
            text("cgroup", false),
            text("file", false),
            text("name", false),
            Field::new("value", DataType::Float64, true),
            text("text", true),
        ]);
        RecordBatch::try_new(
            Arc::new(schema),
            vec![
                Arc::new(rows.iter().map(|row| Some(row.0)).collect::<Int64Array>()),
                Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.1))),
                Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.2))),
                Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.3))),
                Arc::new(rows.iter().map(|row| row.4).collect::<Float64Array>()),
                Arc::new(rows.iter().map(|row| row.5).collect::<StringArray>()),
            ],
        )
        .unwrap()
    }

    #[test]
    fn limits_are_kept_where_they_change() {
        let mut limits = Limits::default();
        let cpus = "cpuset.cpus.effective";
        limits.observe(&batch(&[
            (10, "/a", cpus, "", None, Some("0-1,4")),
            (20, "/a", cpus, "", None, Some("0-1,4")),
            (30, "/a", cpus, "", Some(3.0), None),
            (40, "/a", cpus, "", None, Some("")),
            (40, "/", cpus, "", None, Some("0-7")),
            (10, "/a", "cpu.max", "quota", Some(20_000.0), None),
            (10, "/a", "cpu.max", "period", Some(100_000.0), None),
            (20, "/a", "cpu.max", "quota", None, Some("max")),
            (20, "/a", "cpu.max", "period", Some(100_000.0), None),
            (10, "/b", "cpu.max", "quota", None, Some("max")),
            (10, "/b", "cpu.max", "period", Some(100_000.0), None),
            (10, "/c", "cpu.cfs_quota_us", "", Some(-1.0), None),
            (10, "/c", "cpu.cfs_period_us", "", Some(50_000.0), None),
            (20, "/c", "cpu.cfs_quota_us", "", Some(10_000.0), None),
            (20, "/c", "cpu.cfs_period_us", "", Some(50_000.0), None),
        ]));
        let Limited {
            allowed, quotas, ..
        } = limits.finish();
        let allowed: Vec<_> = allowed
            .iter()
            .map(|one| (one.from_ns, one.sampled_ns, numbers(one)))
            .collect();
        assert_eq!(allowed, [(0, 10, vec![0, 1, 4]), (30, 30, vec![3])]);
        let quotas: Vec<_> = quotas
            .iter()
            .map(|one| (one.path.as_str(), one.from_ns, one.quota_ns, one.period_ns))
            .collect();
        let period = 100_000_000;
        assert_eq!(
            quotas,
            [
                ("/a", 10, Some(20_000_000), period),
                ("/a", 20, None, period),
                ("/c", 10, None, period / 2),
                ("/c", 20, Some(10_000_000), period / 2)
            ]
        );
    }

    fn numbers(one: &AllowedCpus) -> Vec<u32> {
        one.cpus.iter().flat_map(CpuSet::iter).collect()
    }

    /// Samples of where tasks may run.
    fn tasks(rows: &[(i64, i64, &'static str)]) -> RecordBatch {
        let number = |name: &str| Field::new(name, DataType::Int64, true);
        let schema = Schema::new(vec![
            number("ts_ns"),
            number("pid"),
            number("tid"),
            number("flags"),
            Field::new("cpus_allowed", DataType::Utf8, true),
        ]);
        let pids: Int64Array = rows.iter().map(|row| Some(row.1)).collect();
        RecordBatch::try_new(
            Arc::new(schema),
            vec![
                Arc::new(rows.iter().map(|row| Some(row.0)).collect::<Int64Array>()),
                Arc::new(pids.clone()),
                Arc::new(pids),
                Arc::new(rows.iter().map(|_| Some(0)).collect::<Int64Array>()),
                Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.2))),
            ],
        )
        .unwrap()
    }

    fn calls(pid: i32, times: &[u64]) -> Vec<Call> {
        let calls = times.iter().map(|&ts_ns| Call {
            ts_ns,
            pid,
            argument: 0,
        });
        calls.collect()
    }

    /// From when, where: nothing is known of an empty place.
    fn allowed(changes: &[u64], rows: &[(i64, i64, &'static str)]) -> Vec<(u64, Vec<u32>)> {
        let mut limits = Limits::new(&calls(7, changes));
        limits.tasks(&tasks(rows));
        let allowed = limits.finish().allowed.into_iter();
        let mut allowed: Vec<_> = allowed
            .filter(|one| one.of == AllowedOf::Task(7))
            .map(|one| (one.from_ns, numbers(&one)))
            .collect();
        allowed.sort_unstable();
        allowed
    }

    #[test]
    fn a_sample_holds_from_the_change_before_it_until_the_next_one() {
        let rows = [
            (10, 7, "0-1"),
            (20, 7, "0-1"),
            (40, 7, "3"),
            (50, 7, "2"),
            (80, 7, "2"),
        ];
        // Nothing was changed by a call: the first one also holds before.
        let all = [
            (0, vec![0, 1]),
            (10, vec![0, 1]),
            (40, vec![3]),
            (50, vec![2]),
        ];
        assert_eq!(allowed(&[], &rows), all);
        // Back-dated to the change, and the same again after one.
        let all = [
            (0, vec![0, 1]),
            (10, vec![0, 1]),
            (30, vec![3]),
            (40, vec![3]),
            (50, vec![2]),
            (70, vec![2]),
            (80, vec![2]),
        ];
        assert_eq!(allowed(&[30, 70], &rows), all);
        // Two changes between two samples, and one after the last sample.
        let all = [
            (0, vec![0, 1]),
            (10, vec![0, 1]),
            (25, vec![]),
            (30, vec![3]),
            (40, vec![3]),
            (50, vec![2]),
            (90, vec![]),
        ];
        assert_eq!(allowed(&[25, 30, 90], &rows), all);
        // Before the first change nothing is known without a sample.
        assert_eq!(allowed(&[5], &rows)[0], (5, vec![0, 1]));
        assert_eq!(allowed(&[5], &[]), [(5, vec![])]);
    }

    #[test]
    fn a_task_that_was_bound_between_two_samples_may_be_so_since_the_first_one() {
        let bound = |wide: &'static str, narrow: &'static str| {
            let rows = [
                (10, 7, wide),
                (20, 7, wide),
                (50, 7, narrow),
                (60, 7, narrow),
            ];
            allowed(&[], &rows).split_off(2)
        };
        assert_eq!(bound("0-3", "2"), [(20, vec![2]), (50, vec![2])]);
        assert_eq!(bound("0-3", "1-2"), [(20, vec![1, 2]), (50, vec![1, 2])]);
        // It was let go, or moved: until it is seen elsewhere the first sample holds.
        assert_eq!(bound("2", "0-3"), [(50, vec![0, 1, 2, 3])]);
        assert_eq!(bound("0-1", "2"), [(50, vec![2])]);
        // A recorded change says when.
        let rows = [(10, 7, "0-3"), (50, 7, "2")];
        assert_eq!(allowed(&[40], &rows)[2..], [(40, vec![2]), (50, vec![2])]);
    }

    #[test]
    fn a_change_of_another_task_says_nothing() {
        let rows = [(10, 7, "0-1"), (10, 8, "0-1"), (40, 8, "3")];
        let mut limits = Limits::new(&calls(7, &[30]));
        limits.tasks(&tasks(&rows));
        let allowed = limits.finish().allowed.into_iter();
        let allowed: Vec<_> = allowed
            .filter(|one| one.of == AllowedOf::Task(8))
            .map(|one| (one.from_ns, one.sampled_ns, numbers(&one)))
            .collect();
        let all = [(0, 10, vec![0, 1]), (10, 10, vec![0, 1]), (40, 40, vec![3])];
        assert_eq!(allowed, all);
    }

    #[test]
    fn spans_are_where_counters_grew() {
        let mut limits = Limits::default();
        let (of, usec, count) = ("cpu.stat", "throttled_usec", "nr_throttled");
        limits.observe(&batch(&[
            (100, "/a", of, usec, Some(5.0), None),
            (200, "/a", of, usec, Some(5.0), None),
            (300, "/a", of, usec, Some(9.0), None),
            (400, "/a", of, usec, Some(12.0), None),
            (400, "/a", of, count, Some(1.0), None),
            (500, "/a", of, count, Some(2.0), None),
            (100, "/b", of, "usage_usec", Some(1.0), None),
            (200, "/b", of, "usage_usec", Some(2.0), None),
            (100, "/", of, usec, Some(1.0), None),
            (200, "/", of, usec, Some(2.0), None),
        ]));
        let spans = limits.finish().throttled;
        let spans: Vec<_> = spans
            .iter()
            .map(|span| (span.path.as_str(), span.from_ns, span.to_ns))
            .collect();
        assert_eq!(spans, [("/a", 200, 500)]);
    }
}
