//! States of one pid from the start of the recording to its end: its slices and waits, and the times between them.

use std::collections::HashMap;

use numalens_core::EngineError;
use numalens_core::tasks::{NO_TASK, TaskId};

use super::Index;
use super::rows::NO_STATE;
use crate::waits::{CauseNs, WaitEnd, WaitFrom, WaitRow, Waits};

/// `cpu` of a time that has none.
pub const NO_CPU: u32 = u32::MAX;
/// `cause` of a time that has none.
pub(super) const NO_CAUSE: u8 = u8::MAX;

/// State of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TaskState {
    /// Running.
    Running,
    /// Runnable after a wakeup, or new.
    Woken,
    /// Runnable after a preemption.
    Preempted,
    /// Runnable; events were lost at the start.
    Resumed,
    /// Interruptible sleep, idle kernel thread, or stopped.
    Sleeping,
    /// Uninterruptible sleep (D): for I/O, or for a lock.
    Blocked,
    /// Not recorded.
    NotRecorded,
    /// Unknown because events were lost.
    Lost,
}

impl TaskState {
    /// Name in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Woken => "wakeup",
            Self::Preempted => "preempted",
            Self::Resumed => "resumed",
            Self::Sleeping => "sleeping",
            Self::Blocked => "blocked",
            Self::NotRecorded => "not_recorded",
            Self::Lost => "lost_events",
        }
    }
}

/// A time in which a task did one thing, ns after the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskSpan {
    /// Start.
    pub start: u64,
    /// End.
    pub end: u64,
    /// State of the task.
    pub state: TaskState,
    /// Row of the table of tasks.
    pub task: TaskId,
    /// CPU on which it ran, or where a wait ended; [`NO_CPU`] otherwise.
    pub cpu: u32,
    /// Task on the waking CPU; -1 when unknown or without a waking task.
    pub waker_pid: i32,
    /// Place in `Cause::ALL` of the cause that most of a wait had; 255 otherwise.
    pub cause: u8,
    /// First letter of the state of a sleep, as the kernel prints it (`S`, `D`, `T`, ...); 0 otherwise.
    pub letter: u8,
}

/// The times of one pid, ascending and without overlaps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskSpans(Vec<TaskSpan>);

impl TaskSpans {
    /// Spans that overlap `from` to `to`, ns after the origin; not clipped.
    #[must_use]
    pub fn within(&self, from: u64, to: u64) -> &[TaskSpan] {
        let first = self.0.partition_point(|span| span.end <= from);
        let past = self.0.partition_point(|span| span.start < to);
        &self.0[first..past.max(first)]
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[TaskSpan] {
        &self.0
    }

    /// Number of spans.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the pid is not in the recording.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `known` are slices and waits, with what comes after each that is followed by nothing known; `lost` when events are missing;
    /// `end` when the recording ends.
    pub(super) fn joined(mut known: Vec<SpanNext>, lost: &[(u64, u64)], end: u64) -> Self {
        known.sort_by_key(|(span, _)| (span.start, span.end));
        let mut spans = Vec::with_capacity(2 * known.len());
        let is_new = known.first().is_some_and(|(_, next)| *next == Next::Born);
        let mut before = if is_new {
            Next::Nothing
        } else {
            Next::Is(TaskState::NotRecorded, 0)
        };
        let mut at = 0;
        for (mut span, next) in known {
            fill(&mut spans, before, (at, span.start), span.task, lost);
            span.start = span.start.max(at);
            at = at.max(span.end);
            before = next;
            if span.start < span.end {
                spans.push(span);
            }
        }
        let task = spans.last().map_or(NO_TASK, |span| span.task);
        if task != NO_TASK {
            fill(&mut spans, before, (at, end), task, lost);
        }
        Self(spans)
    }
}

/// State of a task after a slice or wait until the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The state, and its letter if it is a sleep.
    Is(TaskState, u8),
    /// The wait was a new task's first: before it the task was not there.
    Born,
    /// The task does not exist.
    Nothing,
}

/// Fills the time between what is known; sleep during which events are missing is not known.
fn fill(
    spans: &mut Vec<TaskSpan>,
    next: Next,
    (mut from, to): (u64, u64),
    task: TaskId,
    lost: &[(u64, u64)],
) {
    let (state, letter) = match next {
        Next::Is(state, letter) => (state, letter),
        Next::Born => (TaskState::NotRecorded, 0),
        Next::Nothing => return,
    };
    let mut push = |state, letter, start: u64, end: u64| {
        if start < end {
            spans.push(TaskSpan {
                start,
                end,
                state,
                task,
                cpu: NO_CPU,
                waker_pid: -1,
                cause: NO_CAUSE,
                letter,
            });
        }
    };
    let first = lost.partition_point(|span| span.1 <= from);
    for &(start, end) in lost[first..].iter().take_while(|span| span.0 < to) {
        push(state, letter, from, start.max(from));
        push(TaskState::Lost, 0, start.max(from), end.min(to));
        from = end.min(to);
    }
    push(state, letter, from, to);
}

/// A slice or a wait of a task, and what the task did next unless more is known.
pub(super) type SpanNext = (TaskSpan, Next);

impl Index {
    /// States of a pid over the whole recording. Reads the slices of all CPUs.
    ///
    /// # Errors
    /// They could not be read.
    pub fn task_spans(&self, pid: i32, waits: &Waits) -> Result<TaskSpans, EngineError> {
        let mut found = self.task_spans_of(&[pid], waits)?;
        Ok(found.remove(&pid).unwrap_or_default())
    }

    /// Returns the states of some pids over the whole recording. Reads the slices of all CPUs once.
    ///
    /// # Errors
    /// They could not be read.
    pub fn task_spans_of(
        &self,
        pids: &[i32],
        waits: &Waits,
    ) -> Result<HashMap<i32, TaskSpans>, EngineError> {
        let mut known: Vec<(i32, Vec<SpanNext>)> = Vec::new();
        // Of each task, the place of its pid among those; most rows are of other tasks.
        let mut places: Vec<Option<usize>> = vec![None; self.tasks()];
        let mut tasks: Vec<TaskId> = Vec::new();
        for &pid in pids {
            let of_pid = self.by_pid.get(&pid).map_or(&[][..], |tasks| tasks);
            if of_pid.is_empty() || of_pid.iter().any(|&task| places[task as usize].is_some()) {
                continue;
            }
            for &task in of_pid {
                places[task as usize] = Some(known.len());
            }
            tasks.extend(of_pid);
            known.push((pid, Vec::new()));
        }
        let place = |task: TaskId| places.get(task as usize).copied().flatten();
        let mut add = |one: SpanNext| {
            if let Some(at) = place(one.0.task) {
                known[at].1.push(one);
            }
        };
        self.known_slices(|task| place(task).is_some(), &mut add)?;
        let origin = self.meta.origin_ns;
        waits.of_tasks(&tasks, |wait, causes| add(waited(wait, causes, origin)))?;
        let lost = self.lost_times();
        let joined = known.into_iter();
        Ok(joined
            .map(|(pid, known)| (pid, TaskSpans::joined(known, &lost, self.end())))
            .collect())
    }

    /// Calls `each` with all slices of some tasks.
    pub(super) fn known_slices(
        &self,
        wanted: impl Fn(TaskId) -> bool,
        mut each: impl FnMut(SpanNext),
    ) -> Result<(), EngineError> {
        let states: Vec<Next> = self.meta.states.iter().map(|state| after(state)).collect();
        for (&cpu, lane) in &self.slices {
            for slice in lane.rows.range(0..lane.rows.len())? {
                if !wanted(slice.task) {
                    continue;
                }
                let span = TaskSpan {
                    start: slice.start,
                    end: slice.end,
                    state: TaskState::Running,
                    task: slice.task,
                    cpu,
                    waker_pid: -1,
                    cause: NO_CAUSE,
                    letter: 0,
                };
                let next = states.get(usize::from(slice.state));
                let next = next.filter(|_| slice.state != NO_STATE).copied();
                each((span, next.unwrap_or(Next::Is(TaskState::NotRecorded, 0))));
            }
        }
        Ok(())
    }

    /// Times with missing events, ns after the origin, ascending and without overlaps.
    pub(super) fn lost_times(&self) -> Vec<(u64, u64)> {
        disjoint(&self.lost_spans(), self.meta.origin_ns)
    }
}

pub(super) fn waited(wait: &WaitRow, causes: &[CauseNs], origin: u64) -> SpanNext {
    let state = match wait.from {
        WaitFrom::Waking | WaitFrom::Wakeup | WaitFrom::New => TaskState::Woken,
        WaitFrom::Preempted => TaskState::Preempted,
        WaitFrom::Resumed => TaskState::Resumed,
    };
    // Of equal ones the first of the ledger's order.
    let most = causes.iter().rev().max_by_key(|cause| cause.ns);
    let span = TaskSpan {
        start: wait.start_ns.saturating_sub(origin),
        end: wait.end_ns.saturating_sub(origin),
        state,
        task: wait.task,
        cpu: wait.cpu,
        waker_pid: wait.waker_pid,
        cause: most.map_or(NO_CAUSE, |most| most.cause as u8),
        letter: 0,
    };
    let next = match (wait.end, wait.from) {
        (WaitEnd::Gone, _) => Next::Nothing,
        (_, WaitFrom::New) => Next::Born,
        _ => Next::Is(TaskState::NotRecorded, 0),
    };
    (span, next)
}

/// Returns whether a state, as the kernel prints it, is uninterruptible sleep.
fn is_blocked(state: &str) -> bool {
    !state.starts_with(['X', 'Z']) && state.contains('D')
}

/// Letter of the sleep of a task that left its CPU in a state, as the kernel prints it; `None` if it does not sleep.
pub(super) fn sleeps_in(state: &str) -> Option<u8> {
    match after(state) {
        Next::Is(TaskState::Sleeping | TaskState::Blocked, letter) => Some(letter),
        _ => None,
    }
}

/// State of a task that left its CPU in a state, as the kernel prints it.
fn after(state: &str) -> Next {
    let letter = state.bytes().next().unwrap_or(0);
    match state {
        _ if state.starts_with(['X', 'Z']) => Next::Nothing,
        _ if is_blocked(state) => Next::Is(TaskState::Blocked, b'D'),
        // It stayed runnable, and the wait that begins here is not there.
        _ if state.starts_with('R') => Next::Is(TaskState::NotRecorded, 0),
        _ => Next::Is(TaskState::Sleeping, letter),
    }
}

/// The times, which ascend by their begins, without overlaps and after the origin.
fn disjoint(times: &[(u64, u64)], origin: u64) -> Vec<(u64, u64)> {
    let mut made: Vec<(u64, u64)> = Vec::new();
    for &(start, end) in times {
        let (start, end) = (start.saturating_sub(origin), end.saturating_sub(origin));
        match made.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => made.push((start, end)),
        }
    }
    made
}
