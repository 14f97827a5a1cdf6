//! States of a task: exact where visible, merged where shorter than a bucket.

use super::items::{Item, Items, ratio};
use super::{
    KIND_BLOCKED, KIND_EXACT, KIND_LOST, KIND_MERGED, KIND_PREEMPTED, KIND_RESUMED, KIND_SLEEPING,
    KIND_UNKNOWN, KIND_WOKEN, Window,
};
use crate::timeline::task_spans::{NO_CPU, TaskSpan, TaskSpans, TaskState};

/// Short times that begin in one bucket. They follow each other without a long one in between, which would end beyond it.
#[derive(Default)]
struct Group {
    bucket: u64,
    first: Option<TaskSpan>,
    spans: u32,
    end: u64,
    ran: u64,
    waited: u64,
    runs: u32,
    /// CPU of the longest run, and its length.
    longest: Option<(u32, u64)>,
}

impl Group {
    fn add(&mut self, bucket: u64, span: &TaskSpan, items: &mut Items) {
        if self.bucket != bucket {
            self.show(items);
            self.bucket = bucket;
        }
        self.first.get_or_insert(*span);
        self.spans += 1;
        self.end = span.end;
        let ns = span.end - span.start;
        match span.state {
            TaskState::Running => {
                self.ran += ns;
                self.runs += 1;
                if self.longest.is_none_or(|longest| ns > longest.1) {
                    self.longest = Some((span.cpu, ns));
                }
            }
            TaskState::Woken | TaskState::Preempted | TaskState::Resumed => self.waited += ns,
            _ => {}
        }
    }

    fn show(&mut self, items: &mut Items) {
        let Self {
            first: Some(first),
            spans,
            end,
            ran,
            waited,
            runs,
            longest,
            ..
        } = std::mem::take(self)
        else {
            return;
        };
        if spans == 1 {
            items.push(exact(&first));
            return;
        }
        let whole = end - first.start;
        items.push(Item {
            kind: KIND_MERGED,
            start: first.start,
            end,
            busy: ratio(ran, whole),
            wait: ratio(waited, whole),
            task: first.task,
            count: runs,
            cpu: longest.map_or(NO_CPU, |longest| longest.0),
            ..Item::NOTHING
        });
    }
}

pub(super) fn show(spans: &TaskSpans, window: &Window, items: &mut Items) {
    let mut group = Group::default();
    for span in spans.within(window.from, window.to) {
        if window.bucket(span.end - span.start) == 0 {
            group.add(window.bucket(span.start), span, items);
        } else {
            group.show(items);
            items.push(exact(span));
        }
    }
    group.show(items);
}

fn exact(span: &TaskSpan) -> Item {
    let (kind, busy, wait) = match span.state {
        TaskState::Running => (KIND_EXACT, 1.0, 0.0),
        TaskState::Woken => (KIND_WOKEN, 0.0, 1.0),
        TaskState::Preempted => (KIND_PREEMPTED, 0.0, 1.0),
        TaskState::Resumed => (KIND_RESUMED, 0.0, 1.0),
        TaskState::Sleeping => (KIND_SLEEPING, 0.0, 0.0),
        TaskState::Blocked => (KIND_BLOCKED, 0.0, 0.0),
        TaskState::NotRecorded => (KIND_UNKNOWN, 0.0, 0.0),
        TaskState::Lost => (KIND_LOST, 0.0, 0.0),
    };
    Item {
        kind,
        start: span.start,
        end: span.end,
        busy,
        wait,
        task: span.task,
        count: u32::from(span.state == TaskState::Running),
        cpu: span.cpu,
        waker_pid: span.waker_pid,
        cause: span.cause,
        ..Item::NOTHING
    }
}
