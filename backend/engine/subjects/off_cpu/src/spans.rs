//! States of one task over time.

use numalens_replay::timeline::{TaskSpan, TaskSpans, TaskState};

/// States of a task in a window, in order and without gaps while it exists. Those since the last sleep before the window are there
/// as well.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    all: Vec<TaskSpan>,
    /// The window, ns after the origin.
    pub(crate) window: (u64, u64),
    /// Set if there may be later ones.
    pub(crate) goes_on: bool,
}

impl Spans {
    /// Returns the spans that were read for a window, with sleeps ended where the task was woken. `requests` are those to wake the
    /// task, with `true`, and those that it made, ns after the origin, ascending.
    pub(crate) fn new(known: &TaskSpans, window: (u64, u64), requests: &[(u64, bool)]) -> Self {
        Self {
            all: ended_where_woken(known.all(), requests),
            window,
            goes_on: known.goes_on(),
        }
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[TaskSpan] {
        &self.all
    }

    /// Returns whether a window, ns after the origin, is inside.
    pub(crate) fn covers(&self, (from, to): (u64, u64)) -> bool {
        self.window.0 <= from && to <= self.window.1
    }

    /// Spans that overlap two times, ns after the origin; not clipped.
    pub(crate) fn within(&self, from: u64, to: u64) -> &[TaskSpan] {
        let first = self.all.partition_point(|span| span.end <= from);
        let past = self.all.partition_point(|span| span.start < to);
        &self.all[first..past.max(first)]
    }
}

/// Ends sleeps where the task was woken. A switch to the task may be missing: then it slept, was woken, ran and slept again in what
/// looks like one sleep. After the last wakeup before a switch to the task, it did not sleep.
fn ended_where_woken(spans: &[TaskSpan], requests: &[(u64, bool)]) -> Vec<TaskSpan> {
    let mut made = Vec::with_capacity(spans.len());
    let mut rest_of_requests = requests;
    for (place, span) in spans.iter().enumerate() {
        let before = rest_of_requests.iter().take_while(|it| it.0 <= span.start);
        rest_of_requests = &rest_of_requests[before.count()..];
        let inside = rest_of_requests.iter();
        let inside = inside.take_while(|request| request.0 < span.end);
        let mut rest = *span;
        if span.is_asleep() {
            let mut woken_inside = false;
            let mut push = |mut part: TaskSpan, end| {
                part.end = end;
                if part.start < part.end {
                    made.push(part);
                }
            };
            for &(at, woken) in inside {
                if woken {
                    push(rest, at);
                    rest = TaskSpan {
                        start: at,
                        state: TaskState::Sleeping,
                        letter: 0,
                        ..*span
                    };
                    woken_inside = true;
                } else if rest.letter == 0 {
                    // It ran until then at least.
                    let ran = TaskSpan {
                        state: TaskState::Running,
                        ..rest
                    };
                    push(ran, at);
                    rest.start = at;
                }
            }
            let next = spans.get(place + 1);
            if woken_inside && next.is_some_and(|next| next.state == TaskState::Running) {
                rest.state = TaskState::Resumed;
            }
        }
        made.push(rest);
    }
    made
}

/// Spans in order and without overlaps.
pub(crate) fn joined(mut spans: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    spans.sort_unstable();
    spans.dedup_by(|next, last| {
        let together = next.0 <= last.1;
        if together {
            last.1 = last.1.max(next.1);
        }
        together
    });
    spans
}

#[cfg(test)]
mod tests {
    use TaskState::{Resumed, Running, Sleeping};

    use super::*;

    fn span(start: u64, end: u64, state: TaskState) -> TaskSpan {
        TaskSpan {
            start,
            end,
            state,
            task: 0,
            cpu: 0,
            waker_pid: -1,
            cause: 255,
            letter: 0,
        }
    }

    #[test]
    fn a_task_does_not_sleep_between_a_wakeup_and_a_switch_to_it() {
        let asleep = [
            span(0, 10, Running),
            span(10, 90, Sleeping),
            span(90, 95, Running),
        ];
        let states = |spans: &[TaskSpan]| {
            let made = ended_where_woken(spans, &[(20, true), (50, true)]);
            made.iter()
                .map(|span| (span.start, span.state))
                .collect::<Vec<_>>()
        };
        let begin = [(0, Running), (10, Sleeping), (20, Sleeping)];
        // It ran and slept again unseen before the second wakeup, but not after it.
        let expected = [&begin[..], &[(50, Resumed), (90, Running)]].concat();
        assert_eq!(states(&asleep), expected);
        // Without a switch to it, it may have slept until the end.
        let expected = [&begin[..], &[(50, Sleeping)]].concat();
        assert_eq!(states(&asleep[..2]), expected);
    }
}
