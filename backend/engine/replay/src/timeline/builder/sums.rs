//! Time per task, small and exact.

use numalens_core::tasks::{NO_TASK, TaskId};

/// More different tasks than any bucket has in practice: beyond, only the ones that ran longest are kept.
const MOST_TASKS: usize = 1 << 16;
/// Entries that are looked through for a task.
const NEAR: usize = 8;
/// Entries that are collected before they are put together.
const LOOSE: usize = 32;

/// Run time of each task. Entries are appended, and merged occasionally.
#[derive(Debug, Default, Clone)]
pub(crate) struct TaskSums {
    entries: Vec<(TaskId, u64)>,
    limit: usize,
}

impl TaskSums {
    pub(crate) fn add(&mut self, task: TaskId, ns: u64) {
        // A few tasks that take turns are found at once.
        let mut near = self.entries.iter_mut().take(NEAR);
        if let Some(entry) = near.find(|entry| entry.0 == task) {
            entry.1 = entry.1.saturating_add(ns);
            return;
        }
        self.entries.push((task, ns));
        if self.entries.len() > self.limit.max(LOOSE) {
            self.put_together();
            self.limit = 2 * self.entries.len();
        }
    }

    /// Takes over all of `other`, which is empty afterwards.
    pub(crate) fn absorb(&mut self, other: &mut Self) {
        if self.entries.is_empty() {
            std::mem::swap(self, other);
        } else {
            for (task, ns) in other.entries.drain(..) {
                self.add(task, ns);
            }
        }
        other.clear();
    }

    /// The task that ran longest, the lowest number of several.
    pub(crate) fn longest(&mut self) -> TaskId {
        self.put_together();
        self.entries
            .iter()
            .fold((NO_TASK, 0), |best, &(task, ns)| {
                if best.0 == NO_TASK || ns > best.1 {
                    (task, ns)
                } else {
                    best
                }
            })
            .0
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.limit = 0;
    }

    fn put_together(&mut self) {
        self.entries.sort_unstable_by_key(|entry| entry.0);
        self.entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        if self.entries.len() > MOST_TASKS {
            self.entries
                .sort_unstable_by_key(|entry| std::cmp::Reverse(entry.1));
            self.entries.truncate(MOST_TASKS / 2);
            self.entries.sort_unstable_by_key(|entry| entry.0);
        }
    }
}
