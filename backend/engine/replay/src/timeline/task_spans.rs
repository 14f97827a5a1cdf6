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
/// Share of the recording that is first read before and after a window.
const STEPS: u64 = 4096;
/// Factor by which more is read each time that it is not enough.
const FASTER: u64 = 4;

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

impl TaskSpan {
    /// Returns whether the task sleeps.
    #[must_use]
    pub fn is_asleep(&self) -> bool {
        matches!(self.state, TaskState::Sleeping | TaskState::Blocked)
    }
}

/// The times of one pid, ascending and without overlaps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskSpans {
    spans: Vec<TaskSpan>,
    /// Set if there may be later ones.
    goes_on: bool,
}

/// Part of a recording that was read for a window, ns after the origin.
#[derive(Debug, Clone, Copy)]
struct Part {
    window: (u64, u64),
    /// Slices and waits that end later are known; all are if it is 0.
    from: u64,
    /// Slices that begin by then and waits that end by then are known; all are if the recording ends then.
    to: u64,
    /// End of the recording.
    end: u64,
}

impl TaskSpans {
    /// Spans that overlap `from` to `to`, ns after the origin; not clipped.
    #[must_use]
    pub fn within(&self, from: u64, to: u64) -> &[TaskSpan] {
        let first = self.spans.partition_point(|span| span.end <= from);
        let past = self.spans.partition_point(|span| span.start < to);
        &self.spans[first..past.max(first)]
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[TaskSpan] {
        &self.spans
    }

    /// Returns whether later ones may not have been read.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Number of spans.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns whether the pid is not in the recording.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// `known` are slices and waits, with what comes after each that is followed by nothing known; `lost` when events are missing;
    /// `end` when the recording ends.
    pub(super) fn joined(known: Vec<SpanNext>, lost: &[(u64, u64)], end: u64) -> Self {
        let whole = Part {
            window: (0, end),
            from: 0,
            to: end,
            end,
        };
        Self::of_part(known, lost, &whole).0
    }

    /// As [`Self::joined`], of what is known in a part of the recording. Returns also whether the window needs more from before
    /// the part, and from after it.
    ///
    /// Spans begin with the first slice or wait that begins in the part: those before it may be other ones than if all were known.
    /// They end with the slice at the end of the window or the first one after it: a wait ends where a slice begins.
    fn of_part(mut known: Vec<SpanNext>, lost: &[(u64, u64)], part: &Part) -> (Self, (bool, bool)) {
        known.sort_by_key(|(span, _)| (span.start, span.end));
        let (from, to) = part.window;
        let (is_first, is_last) = (part.from == 0, part.to >= part.end);
        let runs = |(span, _): &SpanNext| {
            span.state == TaskState::Running && span.start < span.end && span.end >= to
        };
        let slice = known.iter().position(runs).filter(|_| !is_last);
        if let Some(slice) = slice {
            known.truncate(slice + 1);
        }
        let is_gone = known.last().is_some_and(|(_, next)| *next == Next::Nothing);
        let is_new = known.first().is_some_and(|(_, next)| *next == Next::Born);
        let mut before = is_first.then_some(if is_new {
            Next::Nothing
        } else {
            Next::Is(TaskState::NotRecorded, 0)
        });
        let mut spans: Vec<TaskSpan> = Vec::with_capacity(2 * known.len());
        let (mut at, mut is_born) = (0, false);
        for (mut span, next) in known {
            if let Some(before) = before {
                fill(&mut spans, before, (at, span.start), span.task, lost);
            }
            let is_certain = before.is_some() || span.start > part.from;
            span.start = span.start.max(at);
            at = at.max(span.end);
            if is_certain {
                before = Some(next);
                is_born |= next == Next::Born && span.start <= from;
                if span.start < span.end {
                    spans.push(span);
                }
            }
        }
        let task = spans.last().map_or(NO_TASK, |span| span.task);
        if let Some(before) = before.filter(|_| is_last && task != NO_TASK) {
            fill(&mut spans, before, (at, part.end), task, lost);
        }
        // The cause of a sleep may depend on what the task did since the one before it.
        let (earlier, rest) = spans.split_at(spans.partition_point(|span| span.end <= from));
        let mut inside = rest.iter().take_while(|span| span.start <= to);
        let is_known = spans.first().is_some_and(|span| span.start <= from)
            && (is_born
                || earlier.iter().any(TaskSpan::is_asleep)
                || !inside.any(TaskSpan::is_asleep));
        let needs = (
            !is_first && !is_known,
            !is_last && slice.is_none() && !is_gone,
        );
        let goes_on = slice.is_some();
        (Self { spans, goes_on }, needs)
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
        let mut found = self.task_spans_over(&[pid], (0, u64::MAX), waits)?;
        Ok(found.remove(&pid).unwrap_or_default())
    }

    /// Returns the states of some pids in a window, ns after the origin; whole, with all since the last sleep before it. Reads the
    /// slices of all CPUs around the window: further back and on as long as one of the pids sleeps there.
    ///
    /// # Errors
    /// They could not be read.
    pub fn task_spans_over(
        &self,
        pids: &[i32],
        window: (u64, u64),
        waits: &Waits,
    ) -> Result<HashMap<i32, TaskSpans>, EngineError> {
        let end = self.end();
        let window = (window.0.min(end), window.1.min(end));
        let (mut before, mut after) = ((end / STEPS).max(1), (end / STEPS).max(1));
        let lost = self.lost_times();
        let mut found = HashMap::new();
        let mut wanted = pids.to_vec();
        while !wanted.is_empty() {
            let part = Part {
                window,
                from: window.0.saturating_sub(before),
                to: window.1.saturating_add(after).min(end),
                end,
            };
            let (mut earlier, mut later) = (false, false);
            let known = self.known_spans(&wanted, &part, waits)?;
            wanted.clear();
            for (pid, known) in known {
                let (spans, needs) = TaskSpans::of_part(known, &lost, &part);
                if needs == (false, false) {
                    found.insert(pid, spans);
                } else {
                    wanted.push(pid);
                    (earlier, later) = (earlier || needs.0, later || needs.1);
                }
            }
            if earlier {
                before = before.saturating_mul(FASTER);
            }
            if later {
                after = after.saturating_mul(FASTER);
            }
        }
        Ok(found)
    }

    /// The slices and waits of some pids in a part of the recording; pids without a task are left out.
    fn known_spans(
        &self,
        pids: &[i32],
        part: &Part,
        waits: &Waits,
    ) -> Result<Vec<(i32, Vec<SpanNext>)>, EngineError> {
        let mut known: Vec<(i32, Vec<SpanNext>)> = Vec::new();
        // Of each task, the place of its pid among those; most rows are of other tasks.
        let mut places: Vec<Option<usize>> = vec![None; self.tasks()];
        for &pid in pids {
            let of_pid = self.tasks_of(pid);
            if of_pid.is_empty() || of_pid.iter().any(|&task| places[task as usize].is_some()) {
                continue;
            }
            for &task in of_pid {
                places[task as usize] = Some(known.len());
            }
            known.push((pid, Vec::new()));
        }
        let place = |task: TaskId| places.get(task as usize).copied().flatten();
        let mut add = |one: SpanNext| {
            if let Some(at) = place(one.0.task) {
                known[at].1.push(one);
            }
        };
        let is_one = |task| place(task).is_some();
        let (from, to) = (part.from, part.to);
        self.known_slices((from, to), is_one, &mut add)?;
        let origin = self.meta.origin_ns;
        let first_ns = if from == 0 { 0 } else { origin + from + 1 };
        let last_ns = if to < part.end { origin + to } else { u64::MAX };
        waits.of_tasks((first_ns, last_ns), is_one, |wait, causes| {
            add(waited(wait, causes, origin));
        })?;
        Ok(known)
    }

    /// Calls `each` with the slices of some tasks that end after `from` and begin by `to`, ns after the origin; with all from 0 to
    /// the end of the recording.
    pub(super) fn known_slices(
        &self,
        (from, to): (u64, u64),
        wanted: impl Fn(TaskId) -> bool,
        mut each: impl FnMut(SpanNext),
    ) -> Result<(), EngineError> {
        let states: Vec<Next> = self.meta.states.iter().map(|state| after(state)).collect();
        for (&cpu, lane) in &self.slices {
            let (mut first, mut past) = (0, lane.rows.len());
            if from > 0 {
                first = lane.rows.partition(from, |slice| slice.end <= from)?;
            }
            if to < self.end() {
                past = lane.rows.partition(to, |slice| slice.start <= to)?;
            }
            for slice in lane.rows.range(first..past.max(first))? {
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
