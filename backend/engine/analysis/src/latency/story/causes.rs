//! What each moment of a wait was spent on.

use std::collections::BTreeMap;

use numalens_core::EngineError;
use numalens_core::topology::Node;
use numalens_replay::states::{Groups, OnCpu, StateRow, States, Which};
use numalens_replay::waits::{Cause, CauseNs, CauseSpan, CauseSpans, SpanOf, WaitRow};

use crate::latency::story::lane::{Lane, Piece, Sum};
use crate::window::Places;

/// Time by cause.
pub(super) type Spent = [u64; Cause::COUNT];

impl Sum for Spent {
    fn add(&mut self, other: &Self) {
        for (sum, more) in self.iter_mut().zip(other) {
            *sum += more;
        }
    }
}

/// The task's queue during a part of the wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct OnQueue {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) cpu: u32,
}

/// A change on the way.
enum Change {
    On(u32, OnCpu),
    Span(CauseSpan, bool),
    Queue(u32),
}

/// What is going on at a moment; the same rules as those of the clocks that the replay reads, asked at each change.
struct Now<'a> {
    places: &'a Places,
    groups: Option<&'a Groups>,
    on: Vec<OnCpu>,
    /// Idle CPUs by place of the node; the last one counts those of which no node is known.
    idle: Vec<u32>,
    all_idle: u32,
    interrupts: BTreeMap<u32, u32>,
    softirqs: BTreeMap<u32, u32>,
    balancing: u32,
    throttled: BTreeMap<u32, u32>,
    queue: Option<u32>,
    /// The task's cgroup.
    group: u32,
}

fn turn(counts: &mut BTreeMap<u32, u32>, place: u32, begins: bool) {
    let count = counts.entry(place).or_default();
    *count = if begins {
        *count + 1
    } else {
        count.saturating_sub(1)
    };
}

fn holds(counts: &BTreeMap<u32, u32>, place: u32) -> bool {
    counts.get(&place).is_some_and(|&count| count > 0)
}

impl Now<'_> {
    fn place(&self, cpu: u32) -> usize {
        (self.places.of(cpu) as usize).min(self.idle.len() - 1)
    }

    fn change(&mut self, change: &Change) {
        match *change {
            Change::On(cpu, on) => {
                let at = cpu as usize;
                if at >= self.on.len() {
                    self.on.resize(at + 1, OnCpu::Unknown);
                }
                let was = std::mem::replace(&mut self.on[at], on);
                let place = self.place(cpu);
                if was == OnCpu::Idle {
                    self.idle[place] -= 1;
                    self.all_idle -= 1;
                }
                if on == OnCpu::Idle {
                    self.idle[place] += 1;
                    self.all_idle += 1;
                }
            }
            Change::Span(span, begins) => match span.of {
                SpanOf::Interrupt => turn(&mut self.interrupts, span.place, begins),
                SpanOf::Softirq => turn(&mut self.softirqs, span.place, begins),
                SpanOf::Throttled => turn(&mut self.throttled, span.place, begins),
                SpanOf::Balancing if begins => self.balancing += 1,
                SpanOf::Balancing => self.balancing = self.balancing.saturating_sub(1),
            },
            Change::Queue(cpu) => self.queue = Some(cpu),
        }
    }

    fn is_throttled(&self) -> bool {
        let mut group = self.group;
        while group != 0 {
            if holds(&self.throttled, group) {
                return true;
            }
            group = self.groups.map_or(0, |groups| groups.parent(group));
        }
        false
    }

    fn cause(&self) -> Cause {
        let Some(cpu) = self.queue else {
            return Cause::WakeUp;
        };
        match self.on.get(cpu as usize).copied().unwrap_or_default() {
            OnCpu::Unknown | OnCpu::Lost => Cause::Unknown,
            OnCpu::Idle if self.is_throttled() => Cause::Throttled,
            OnCpu::Idle => Cause::IdleExit,
            OnCpu::Task if holds(&self.interrupts, cpu) => Cause::Interrupt,
            OnCpu::Task if holds(&self.softirqs, cpu) => Cause::Softirq,
            OnCpu::Task if self.all_idle == 0 => Cause::Busy,
            OnCpu::Task if self.balancing > 0 => Cause::PendingBalance,
            OnCpu::Task if self.idle[self.place(cpu)] > 0 => Cause::IdleSameNode,
            OnCpu::Task => Cause::IdleOtherNode,
        }
    }
}

/// What the logs say of a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Logs<'a> {
    pub(super) nodes: &'a [Node],
    pub(super) states: &'a States,
    pub(super) spans: &'a CauseSpans,
    pub(super) groups: Option<&'a Groups>,
}

/// The causes that are a matter of where idle CPUs are: of a task that is bound to its CPU they are none.
const ELSEWHERE: [Cause; 3] = [
    Cause::PendingBalance,
    Cause::IdleSameNode,
    Cause::IdleOtherNode,
];

/// From when on the task is known to be bound to the CPU where it waits: the causes that the wait was found to have tell.
fn bound_from(causes: &[CauseNs], queues: &[OnQueue]) -> u64 {
    let has = |cause: Cause| causes.iter().any(|found| found.cause == cause);
    if !has(Cause::Pinned) {
        return u64::MAX;
    }
    if ELSEWHERE.into_iter().any(has) {
        // It came to its own CPU later.
        return queues.last().map_or(0, |queue| queue.from_ns);
    }
    0
}

/// The wait's parts in order, `most` of them or hardly more; and what they add up to.
pub(super) fn causes(
    logs: Logs<'_>,
    places: &Places,
    wait: &WaitRow,
    told: &[CauseNs],
    queues: &[OnQueue],
    most: usize,
) -> Result<(Vec<Piece<Spent>>, Spent), EngineError> {
    let (start, end) = (wait.start_ns, wait.end_ns);
    let mut changes: Vec<(u64, Change)> = Vec::new();
    for queue in queues {
        changes.push((queue.from_ns, Change::Queue(queue.cpu)));
    }
    for span in logs.spans.over(start, end) {
        changes.push((span.start_ns.max(start), Change::Span(span, true)));
        changes.push((span.end_ns, Change::Span(span, false)));
    }
    changes.sort_by_key(|change| change.0);
    let mut changes = changes.into_iter().peekable();
    let mut now = Now {
        places,
        groups: logs.groups,
        on: Vec::new(),
        idle: vec![0; logs.nodes.len() + 1],
        all_idle: 0,
        interrupts: BTreeMap::new(),
        softirqs: BTreeMap::new(),
        balancing: 0,
        throttled: BTreeMap::new(),
        queue: None,
        group: wait.group,
    };
    let bound = bound_from(told, queues);
    let mut parts = Parts {
        lane: Lane::new(start, end, most),
        sums: [0; Cause::COUNT],
        open: None,
        at: start,
        bound,
    };
    let mut step = |now: &mut Now<'_>, ts: u64, change: &Change| {
        parts.until(ts.min(end), now.cause());
        now.change(change);
    };
    logs.states
        .scan(Which::Machine, start, end, |row: &StateRow| {
            while let Some((ts, change)) = changes.next_if(|change| change.0 <= row.ts_ns) {
                step(&mut now, ts, &change);
            }
            step(&mut now, row.ts_ns, &Change::On(row.cpu, row.state.on));
        })?;
    for (ts, change) in changes {
        step(&mut now, ts, &change);
    }
    parts.until(end, now.cause());
    Ok(parts.finish())
}

/// Parts of one cause each, put together as they come.
struct Parts {
    lane: Lane<Spent>,
    sums: Spent,
    /// Begin and cause of the part at hand.
    open: Option<(u64, Cause)>,
    at: u64,
    bound: u64,
}

impl Parts {
    /// Lets time pass, of which all was spent on one cause.
    fn until(&mut self, ts: u64, cause: Cause) {
        if ts <= self.at {
            return;
        }
        let pinned = self.at >= self.bound && ELSEWHERE.contains(&cause);
        let cause = if pinned { Cause::Pinned } else { cause };
        self.sums[cause as usize] += ts - self.at;
        if self.open.is_none_or(|(_, open)| open != cause) {
            self.close();
            self.open = Some((self.at, cause));
        }
        self.at = ts;
    }

    fn close(&mut self) {
        if let Some((from, cause)) = self.open.take() {
            let mut sum = [0; Cause::COUNT];
            sum[cause as usize] = self.at - from;
            self.lane.push(Piece::one(from, self.at, sum));
        }
    }

    fn finish(mut self) -> (Vec<Piece<Spent>>, Spent) {
        self.close();
        (self.lane.finish(), self.sums)
    }
}
