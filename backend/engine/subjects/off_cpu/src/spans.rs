//! States of one task over time.

use numalens_replay::timeline::{TaskSpan, TaskState};

/// States of a task, in order and without gaps while it exists.
#[derive(Debug, Default)]
pub(crate) struct Spans(Vec<TaskSpan>);

impl Spans {
    /// Returns the spans with sleeps ended where the task was woken. A switch to the task may be missing: then it slept, was woken, ran and
    /// slept again in what looks like one sleep. After the last wakeup before a switch to the task, it did not sleep. `requests` are those to wake the task, with `true`, and those that it made, ns after the
    /// origin, ascending.
    pub(crate) fn new(spans: &[TaskSpan], requests: &[(u64, bool)]) -> Self {
        let mut made = Vec::with_capacity(spans.len());
        for (place, span) in spans.iter().enumerate() {
            let first = requests.partition_point(|request| request.0 <= span.start);
            let inside = requests[first..].iter();
            let inside = inside.take_while(|request| request.0 < span.end);
            let mut rest = *span;
            if matches!(span.state, TaskState::Sleeping | TaskState::Blocked) {
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
        Self(made)
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[TaskSpan] {
        &self.0
    }

    /// Spans that overlap two times, ns after the origin; not clipped.
    pub(crate) fn within(&self, from: u64, to: u64) -> &[TaskSpan] {
        let first = self.0.partition_point(|span| span.end <= from);
        let past = self.0.partition_point(|span| span.start < to);
        &self.0[first..past.max(first)]
    }
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
            let made = Spans::new(spans, &[(20, true), (50, true)]);
            made.all()
                .iter()
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
