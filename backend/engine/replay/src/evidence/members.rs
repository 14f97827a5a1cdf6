//! Cgroups of tasks, from samples.

use std::collections::{BTreeMap, HashMap};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use numalens_core::columns::{i64s, u64s};

use crate::run_state::Member;

/// Collects the samples of the table `cgroup_tasks`.
#[derive(Debug, Clone, Default)]
pub struct Membership {
    /// Cgroups in which each task was seen, by time. Only changes are kept, once sorted.
    seen: BTreeMap<i32, Vec<(u64, String)>>,
    /// Processes of threads.
    processes: BTreeMap<i32, i32>,
}

impl Membership {
    /// Looks at placed samples; rows without a time or a task's number say nothing.
    pub fn observe(&mut self, batch: &RecordBatch) {
        let numbers = |name: &str| {
            batch
                .column_by_name(name)
                .and_then(|array| array.as_primitive_opt::<Int64Type>())
        };
        let cgroups = batch
            .column_by_name("cgroup")
            .and_then(|array| array.as_string_opt::<i32>());
        let (Some(times), Some(pids), Some(tids), Some(cgroups)) =
            (numbers("ts_ns"), numbers("pid"), numbers("tid"), cgroups)
        else {
            return;
        };
        for row in 0..batch.num_rows() {
            // A process alone stands for its first thread, whose number is the same.
            let task = if tids.is_valid(row) { tids } else { pids };
            if times.is_null(row) || task.is_null(row) {
                continue;
            }
            let (time, task) = (u64::try_from(times.value(row)), task.value(row));
            let (Ok(time), Ok(task)) = (time, i32::try_from(task)) else {
                continue;
            };
            // A directory that a user was in is not a path.
            let path = cgroups.value(row);
            if task > 0 && path.starts_with('/') {
                let seen = self.seen.entry(task).or_default();
                match seen.last() {
                    Some((last, same)) if same == path && *last <= time => {}
                    _ => seen.push((time, path.to_owned())),
                }
            }
        }
    }

    /// Looks at samples that name threads and their processes, as those of `/proc/PID/task/TID/stat`.
    pub fn threads(&mut self, batch: &RecordBatch) {
        let (Some(pids), Some(tids)) = (i64s(batch, "pid"), i64s(batch, "tid")) else {
            return;
        };
        for (&pid, &tid) in pids.iter().zip(tids.iter()) {
            if let (Ok(pid @ 1..), Ok(tid @ 1..)) = (i32::try_from(pid), i32::try_from(tid)) {
                self.processes.insert(tid, pid);
            }
        }
    }

    /// Returns whether there are no samples.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Returns the first cgroup seen of each task, and its later cgroups.
    ///
    /// `born` has the times of forks, if no event shows moves between cgroups. A new task usually enters its cgroup at once,
    /// so it counts as a member from its fork on. So do the tasks that it forks before it is seen. Where moves are recorded,
    /// `born` is empty. A thread that no sample shows in a cgroup is in that of its process.
    #[must_use]
    pub fn finish(mut self, born: &Births) -> Vec<Member> {
        for (tid, pid) in &self.processes {
            if let (None, Some(seen)) = (self.seen.get(tid), self.seen.get(pid)) {
                self.seen.insert(*tid, seen.clone());
            }
        }
        let mut members = Vec::new();
        for (pid, mut seen) in self.seen {
            seen.sort();
            seen.dedup_by(|next, last| next.1 == last.1);
            if let Some(first) = seen.first_mut()
                && let Some(born) = born.last_before(pid, first.0)
            {
                // The fork itself puts it into its parent's.
                first.0 = born + 1;
            }
            members.extend(
                seen.into_iter()
                    .map(|(from_ns, path)| Member { pid, path, from_ns }),
            );
        }
        members
    }
}

/// Collects when tasks were forked, from `sched_process_fork`.
#[derive(Debug, Clone, Default)]
pub struct Births {
    by_pid: HashMap<i32, Vec<u64>>,
}

impl Births {
    /// The columns that are looked at.
    pub const COLUMNS: [&str; 2] = ["ts_ns", "child_pid"];

    /// Looks at a batch.
    pub fn observe(&mut self, batch: &RecordBatch) {
        let (Some(times), Some(children)) = (u64s(batch, "ts_ns"), i64s(batch, "child_pid")) else {
            return;
        };
        for (&time, &child) in times.iter().zip(children.iter()) {
            self.by_pid.entry(child as i32).or_default().push(time);
        }
    }

    /// The last fork that made a task of this number before a time; its number may have been another's before.
    fn last_before(&self, pid: i32, before: u64) -> Option<u64> {
        let times = self.by_pid.get(&pid)?.iter().copied();
        times.filter(|&time| time < before).max()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, StringArray};
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    #[test]
    fn the_first_sight_and_changes_are_kept() {
        let rows = [
            (Some(300), "/b", None, Some(7)),
            (Some(100), "/a", None, Some(7)),
            (Some(200), "/a", None, Some(7)),
            (Some(100), "/", Some(9), None),
            (None, "/a", None, Some(8)),
            (Some(100), ".", None, Some(6)),
            (Some(100), "/a", None, Some(0)),
        ];
        let schema = Schema::new(vec![
            Field::new("ts_ns", DataType::Int64, true),
            Field::new("cgroup", DataType::Utf8, false),
            Field::new("pid", DataType::Int64, true),
            Field::new("tid", DataType::Int64, true),
        ]);
        let batch = RecordBatch::try_new(
            Arc::new(schema),
            vec![
                Arc::new(rows.iter().map(|row| row.0).collect::<Int64Array>()),
                Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.1))),
                Arc::new(rows.iter().map(|row| row.2).collect::<Int64Array>()),
                Arc::new(rows.iter().map(|row| row.3).collect::<Int64Array>()),
            ],
        );
        let mut membership = Membership::default();
        assert!(membership.is_empty());
        // One thread was in no sample of cgroups, one was, and of one not even the process was.
        let (pids, tids) = ([9, 9, 5], [10, 7, 6]);
        let threads = [("pid", pids), ("tid", tids)].map(|(name, ids)| {
            (
                name,
                Arc::new(Int64Array::from_iter_values(ids)) as ArrayRef,
            )
        });
        membership.threads(&RecordBatch::try_from_iter(threads).unwrap());
        membership.observe(&batch.unwrap());
        let born = Births {
            by_pid: HashMap::from([(7, vec![20, 60, 200])]),
        };
        let born: Vec<_> = membership.clone().finish(&born);
        assert_eq!(
            (born[0].pid, born[0].from_ns),
            (7, 61),
            "in its cgroup since the last fork before it was seen"
        );
        assert_eq!((born[1].pid, born[1].from_ns), (7, 300));
        let members: Vec<_> = membership
            .finish(&Births::default())
            .into_iter()
            .map(|member| (member.pid, member.path, member.from_ns))
            .collect();
        let expected = [
            (7, "/a", 100),
            (7, "/b", 300),
            (9, "/", 100),
            (10, "/", 100),
        ];
        assert_eq!(
            members,
            expected.map(|(pid, path, from)| (pid, path.to_owned(), from))
        );
    }
}
