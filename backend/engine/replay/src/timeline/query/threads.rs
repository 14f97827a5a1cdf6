//! Numbers of threads of a process or a cgroup by state: exact steps where these are few, buckets otherwise.

use super::items::{Item, Items, ratio};
use super::{KIND_THREADS, Window};
use crate::timeline::thread_counts::{CountStep, ThreadCounts};

/// Threads times ns in one bucket.
#[derive(Default)]
struct Sum {
    running: u64,
    waiting: u64,
    blocked: u64,
    unknown: u64,
    waiting_max: u32,
    running_max: u32,
}

impl Sum {
    fn add(&mut self, step: &CountStep, ns: u64) {
        self.running += u64::from(step.running) * ns;
        self.waiting += u64::from(step.waiting) * ns;
        self.blocked += u64::from(step.blocked) * ns;
        self.unknown += u64::from(step.unknown) * ns;
        self.waiting_max = self.waiting_max.max(step.waiting);
        self.running_max = self.running_max.max(step.running);
    }

    fn show(self, start: u64, end: u64, items: &mut Items) {
        if self.running + self.waiting + self.blocked + self.unknown == 0 {
            return;
        }
        let whole = end - start;
        items.push(Item {
            kind: KIND_THREADS,
            start,
            end,
            busy: ratio(self.running, whole),
            wait: ratio(self.waiting, whole),
            wait_max: self.waiting_max,
            count: self.running_max,
            blocked: ratio(self.blocked, whole),
            unknown: ratio(self.unknown, whole),
            ..Item::NOTHING
        });
    }
}

pub(super) fn show(counts: &ThreadCounts, window: &Window, end: u64, items: &mut Items) {
    // The last bucket is whole, too.
    let past = window.border(window.bucket(window.to - 1) + 1).min(end);
    let steps = counts.within(window.from, past);
    let few = steps.len() <= window.few as usize;
    let mut bucket = (0, Sum::default());
    for (at, step) in steps.iter().enumerate() {
        let until = steps.get(at + 1).map_or(past, |next| next.time);
        if step.time >= until {
            continue;
        }
        if few {
            let mut sum = Sum::default();
            if !step.is_quiet() {
                sum.add(step, until - step.time);
            }
            sum.show(step.time, until, items);
            continue;
        }
        let mut from = step.time.max(window.border(window.bucket(window.from)));
        while from < until {
            let now = window.bucket(from);
            if bucket.0 != now {
                flush(&mut bucket, window, end, items);
                bucket.0 = now;
            }
            let to = until.min(window.border(now + 1));
            bucket.1.add(step, to - from);
            from = to;
        }
    }
    flush(&mut bucket, window, end, items);
}

fn flush(bucket: &mut (u64, Sum), window: &Window, end: u64, items: &mut Items) {
    let sum = std::mem::take(&mut bucket.1);
    let (from, to) = (window.border(bucket.0), window.border(bucket.0 + 1));
    sum.show(from, to.min(end).max(from + 1), items);
}
