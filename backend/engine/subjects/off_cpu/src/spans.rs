//! States of one task over time.

use numalens_replay::timeline::{TaskSpan, TaskState};

/// States of a task, in order and without gaps while it exists.
#[derive(Debug, Default)]
pub(crate) struct Spans(Vec<TaskSpan>);

impl Spans {
    /// Returns the spans with sleeps ended where the task was woken. A switch to the task may be missing: then it slept, was woken, ran and
    /// slept again in what looks like one sleep. `requests` are those to wake the task, with `true`, and those that it made, ns after the
    /// origin, ascending.
    pub(crate) fn new(spans: &[TaskSpan], requests: &[(u64, bool)]) -> Self {
        let mut made = Vec::with_capacity(spans.len());
        for span in spans {
            let first = requests.partition_point(|request| request.0 <= span.start);
            let inside = requests[first..].iter();
            let inside = inside.take_while(|request| request.0 < span.end);
            let mut rest = *span;
            if matches!(span.state, TaskState::Sleeping | TaskState::Blocked) {
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
