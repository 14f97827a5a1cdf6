//! Numbers of threads that ran, waited, were blocked or slept over time: a process or a cgroup as one lane.

use std::collections::HashMap;

use numalens_core::EngineError;
use numalens_core::tasks::TaskId;

use super::Index;
use super::task_spans::{SpanNext, TaskSpans, TaskState, waited};
use crate::waits::Waits;

/// From `time` on, ns after the origin, so many threads are in each class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountStep {
    /// Time of the change.
    pub time: u64,
    /// Threads on a CPU.
    pub running: u32,
    /// Runnable threads without a CPU.
    pub waiting: u32,
    /// Threads in uninterruptible sleep.
    pub blocked: u32,
    /// Threads in any other sleep.
    pub sleeping: u32,
    /// Threads in an unknown state.
    pub unknown: u32,
}

impl CountStep {
    const NONE: Self = Self {
        time: 0,
        running: 0,
        waiting: 0,
        blocked: 0,
        sleeping: 0,
        unknown: 0,
    };

    fn class(&mut self, state: TaskState) -> &mut u32 {
        match state {
            TaskState::Running => &mut self.running,
            TaskState::Woken | TaskState::Preempted | TaskState::Resumed => &mut self.waiting,
            TaskState::Blocked => &mut self.blocked,
            TaskState::Sleeping => &mut self.sleeping,
            TaskState::NotRecorded | TaskState::Lost => &mut self.unknown,
        }
    }

    /// Returns whether nothing is drawn: all threads sleep, or there are none.
    pub(super) fn is_quiet(&self) -> bool {
        self.running == 0 && self.waiting == 0 && self.blocked == 0 && self.unknown == 0
    }
}

/// The steps in the recording, ascending; each differs from the one before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadCounts {
    steps: Vec<CountStep>,
}

impl ThreadCounts {
    /// The steps from the one that holds at `from` to the last before `to`, ns after the origin.
    #[must_use]
    pub fn within(&self, from: u64, to: u64) -> &[CountStep] {
        let first = self.steps.partition_point(|step| step.time <= from);
        let past = self.steps.partition_point(|step| step.time < to);
        let first = first.saturating_sub(1);
        &self.steps[first..past.max(first)]
    }

    /// Number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether no such thread is in the recording.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// `changes` are times with the state that begins (true) or ends then.
    fn of(mut changes: Vec<(u64, TaskState, bool)>) -> Self {
        changes.sort_unstable_by_key(|change| change.0);
        let mut steps: Vec<CountStep> = Vec::new();
        let mut now = CountStep::NONE;
        for at_once in changes.chunk_by(|a, b| a.0 == b.0) {
            let before = now;
            now.time = at_once[0].0;
            // What begins comes first: none goes below nothing in between.
            for &(_, state, _) in at_once.iter().filter(|change| change.2) {
                *now.class(state) += 1;
            }
            for &(_, state, _) in at_once.iter().filter(|change| !change.2) {
                *now.class(state) -= 1;
            }
            if (CountStep {
                time: now.time,
                ..before
            }) != now
            {
                steps.push(now);
            }
        }
        Self { steps }
    }
}

impl Index {
    /// Numbers of threads, of the tasks for which `of` holds, by state over the whole recording. `counts` says whether the
    /// state of a pid from a time on, ns of the trace clock, is counted. Reads the slices of all CPUs and all waits.
    ///
    /// # Errors
    /// They could not be read.
    pub fn thread_counts(
        &self,
        of: impl Fn(TaskId) -> bool,
        counts: impl Fn(i32, u64) -> bool,
        waits: &Waits,
    ) -> Result<ThreadCounts, EngineError> {
        let of_task: Vec<Option<i32>> = (0..self.tasks() as TaskId)
            .map(|task| self.task(task).filter(|_| of(task)).map(|(pid, _)| pid))
            .map(|pid| pid.filter(|pid| *pid != 0))
            .collect();
        let pid_of = |task: TaskId| of_task.get(task as usize).copied().flatten();
        let mut known: HashMap<i32, Vec<SpanNext>> = HashMap::new();
        let mut add = |one: SpanNext| {
            if let Some(pid) = pid_of(one.0.task) {
                known.entry(pid).or_default().push(one);
            }
        };
        let is_one = |task| pid_of(task).is_some();
        self.known_slices((0, self.end()), is_one, &mut add)?;
        let origin = self.meta.origin_ns;
        waits.scan(0, u64::MAX, |wait, causes| {
            add(waited(wait, causes, origin));
        })?;
        let lost = self.lost_times();
        let mut changes = Vec::new();
        for (pid, known) in known {
            let spans = TaskSpans::joined(known, &lost, self.end());
            for span in spans.all() {
                if counts(pid, origin + span.start) {
                    changes.push((span.start, span.state, true));
                    changes.push((span.end, span.state, false));
                }
            }
        }
        Ok(ThreadCounts::of(changes))
    }
}
