//! What each moment of a wait was spent on.

use std::collections::BTreeMap;

use numalens_core::EngineError;
use numalens_core::topology::Node;
use numalens_replay::states::{Groups, OnCpu, StateRow, States, Which};
use numalens_replay::waits::{Cause, CauseNs, CauseSpan, CauseSpans, SpanOf};

use crate::latency::queues::OnQueue;
use crate::latency::story::StoryOf;
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

/// A change on the way.
enum Change {
    On(u32, OnCpu),
    Span(CauseSpan, bool),
    Queue(u32),
}

/// What is going on at a moment; the same rules as those of the clocks that the replay reads, evaluated at each change.
struct Now<'a> {
    places: &'a Places,
    groups: Option<&'a Groups>,
    on: Vec<OnCpu>,
    /// Idle CPUs by place of the node; the last one counts those of which no node is known.
    idle: Vec<u32>,
    all_idle: u32,
    /// How many spans of a kind go on at a place.
    spans: BTreeMap<(SpanOf, u32), u32>,
    queue: Option<u32>,
    /// The task's cgroup.
    group: u32,
    /// The task.
    pid: i32,
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
            Change::Span(span, begins) => {
                let count = self.spans.entry((span.of, span.place)).or_default();
                *count = if begins {
                    *count + 1
                } else {
                    count.saturating_sub(1)
                };
            }
            Change::Queue(cpu) => self.queue = Some(cpu),
        }
    }

    fn goes_on(&self, of: SpanOf, place: u32) -> bool {
        self.spans.get(&(of, place)).is_some_and(|&count| count > 0)
    }

    fn is_throttled(&self) -> bool {
        let mut group = self.group;
        while group != 0 {
            if self.goes_on(SpanOf::Throttled, group) {
                return true;
            }
            group = self.groups.map_or(0, |groups| groups.parent(group));
        }
        false
    }

    /// Why the last pick left the task while no CPU is idle.
    fn left(&self) -> Cause {
        let place = self.pid as u32;
        [
            (SpanOf::NotEligible, Cause::NotEligible),
            (SpanOf::LaterDeadline, Cause::LaterDeadline),
            (SpanOf::SliceProtected, Cause::SliceProtected),
        ]
        .into_iter()
        .find(|&(of, _)| self.goes_on(of, place))
        .map_or(Cause::Busy, |(_, cause)| cause)
    }

    fn cause(&self) -> Cause {
        let Some(cpu) = self.queue else {
            return Cause::WakeUp;
        };
        match self.on.get(cpu as usize).copied().unwrap_or_default() {
            OnCpu::Unknown | OnCpu::Lost => Cause::Unknown,
            _ if self.goes_on(SpanOf::Steal, cpu) => Cause::Steal,
            _ if self.goes_on(SpanOf::HardwareNoise, cpu) => Cause::HardwareNoise,
            OnCpu::Idle if self.is_throttled() => Cause::Throttled,
            OnCpu::Idle => Cause::IdleExit,
            OnCpu::Task if self.goes_on(SpanOf::Interrupt, cpu) => Cause::Interrupt,
            OnCpu::Task if self.goes_on(SpanOf::Softirq, cpu) => Cause::Softirq,
            OnCpu::Task if self.goes_on(SpanOf::NewIdle, cpu) => Cause::NewIdle,
            OnCpu::Task if self.goes_on(SpanOf::NumaScan, cpu) => Cause::NumaScan,
            OnCpu::Task if self.all_idle == 0 => self.left(),
            OnCpu::Task if self.goes_on(SpanOf::Balancing, 0) => Cause::PendingBalance,
            OnCpu::Task if self.goes_on(SpanOf::KickDropped, 0) => Cause::KickDropped,
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
    /// The task that waits.
    pub(super) pid: i32,
}

/// The causes that only the replay knows, as it knows of the task what no log tells: that it had no budget, where it may run,
/// of which class the others were. Each with those that it is taken for here.
const FROM_REPLAY: [(Cause, &[Cause]); 12] = [
    (
        Cause::Throttled,
        &[
            Cause::IdleExit,
            Cause::Interrupt,
            Cause::Softirq,
            Cause::NumaScan,
            Cause::NewIdle,
            Cause::PendingBalance,
            Cause::KickDropped,
            Cause::IdleSameNode,
            Cause::IdleOtherNode,
            Cause::Busy,
            Cause::NotEligible,
            Cause::LaterDeadline,
            Cause::SliceProtected,
            Cause::Steal,
            Cause::HardwareNoise,
        ],
    ),
    (
        Cause::ScxStalled,
        &[
            Cause::IdleExit,
            Cause::PendingBalance,
            Cause::KickDropped,
            Cause::IdleSameNode,
            Cause::IdleOtherNode,
            Cause::Busy,
        ],
    ),
    (
        Cause::ScxQueued,
        &[
            Cause::IdleExit,
            Cause::PendingBalance,
            Cause::KickDropped,
            Cause::IdleSameNode,
            Cause::IdleOtherNode,
        ],
    ),
    (Cause::IdleUnexplained, &[Cause::IdleExit]),
    (
        Cause::BehindHigherClass,
        &[
            Cause::Busy,
            Cause::NotEligible,
            Cause::LaterDeadline,
            Cause::SliceProtected,
        ],
    ),
    (Cause::PinnedBehindHigherClass, &ELSEWHERE),
    (Cause::ProbablyPinned, &ELSEWHERE),
    (Cause::Pinned, &ELSEWHERE),
    (Cause::PassedOverSameNode, &[Cause::IdleSameNode]),
    (Cause::PassedOverOtherNode, &[Cause::IdleOtherNode]),
    (Cause::ImbalanceAllowed, &[Cause::IdleOtherNode]),
    (Cause::NumaKept, &[Cause::IdleOtherNode]),
];

/// The causes that are a matter of where idle CPUs are.
const ELSEWHERE: [Cause; 4] = [
    Cause::PendingBalance,
    Cause::KickDropped,
    Cause::IdleSameNode,
    Cause::IdleOtherNode,
];

/// Time spent on one cause.
#[derive(Debug, Clone, Copy)]
struct Part {
    from_ns: u64,
    to_ns: u64,
    cause: Cause,
}

/// The wait's parts in order, `most` of them or hardly more; and what they add up to.
pub(super) fn causes(
    logs: Logs<'_>,
    places: &Places,
    of: StoryOf<'_>,
    queues: &[OnQueue],
    most: usize,
) -> Result<(Vec<Piece<Spent>>, Spent), EngineError> {
    let parts = parts(logs, places, of, queues)?;
    let mut lane = Lane::new(of.wait.start_ns, of.wait.end_ns, most);
    for part in parts.all {
        let mut sum = [0; Cause::COUNT];
        sum[part.cause as usize] = part.to_ns - part.from_ns;
        lane.push(Piece::one(part.from_ns, part.to_ns, sum));
    }
    Ok((lane.finish(), parts.sums))
}

/// What a wait was spent on from `from_ns` to `to_ns`, both inside it.
pub(super) fn between(
    logs: Logs<'_>,
    places: &Places,
    of: StoryOf<'_>,
    queues: &[OnQueue],
    (from_ns, to_ns): (u64, u64),
) -> Result<Spent, EngineError> {
    let mut sums = [0; Cause::COUNT];
    for part in parts(logs, places, of, queues)?.all {
        let (from, to) = (part.from_ns.max(from_ns), part.to_ns.min(to_ns));
        sums[part.cause as usize] += to.saturating_sub(from);
    }
    Ok(sums)
}

fn parts(
    logs: Logs<'_>,
    places: &Places,
    of: StoryOf<'_>,
    queues: &[OnQueue],
) -> Result<Parts, EngineError> {
    let wait = of.wait;
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
        spans: BTreeMap::new(),
        queue: None,
        group: wait.group,
        pid: logs.pid,
    };
    let mut parts = Parts {
        sums: [0; Cause::COUNT],
        all: Vec::new(),
        at: start,
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
    parts.agree(of.causes);
    Ok(parts)
}

/// The wait, part by part.
struct Parts {
    sums: Spent,
    all: Vec<Part>,
    at: u64,
}

impl Parts {
    /// Lets time pass, of which all was spent on one cause.
    fn until(&mut self, ts: u64, cause: Cause) {
        if ts <= self.at {
            return;
        }
        self.sums[cause as usize] += ts - self.at;
        match self.all.last_mut() {
            Some(last) if last.cause == cause => last.to_ns = ts,
            _ => self.all.push(Part {
                from_ns: self.at,
                to_ns: ts,
                cause,
            }),
        }
        self.at = ts;
    }

    /// Gives the causes that only the replay knows their time: a task is cache hot at first, the others come late in a wait, as
    /// the replay concludes on its way.
    fn agree(&mut self, totals: &[CauseNs]) {
        let mut total: Spent = [0; Cause::COUNT];
        for sum in totals {
            total[sum.cause as usize] += sum.ns;
        }
        let hot = total[Cause::MigrationCost as usize];
        self.sums[Cause::MigrationCost as usize] += self.first(hot, &total);
        for (cause, taken_for) in FROM_REPLAY {
            let mut want = total[cause as usize].saturating_sub(self.sums[cause as usize]);
            for at in (0..self.all.len()).rev() {
                let part = self.all[at];
                let spare = self.spare(part.cause, cause, &total);
                let ns = want.min(spare).min(part.to_ns - part.from_ns);
                if ns == 0 || !taken_for.contains(&part.cause) {
                    continue;
                }
                self.sums[part.cause as usize] -= ns;
                self.sums[cause as usize] += ns;
                want -= ns;
                let middle = part.to_ns - ns;
                let moved = Part {
                    from_ns: middle,
                    cause,
                    ..part
                };
                if middle == part.from_ns {
                    self.all[at] = moved;
                } else {
                    self.all[at].to_ns = middle;
                    self.all.insert(at + 1, moved);
                }
            }
        }
    }

    /// How much of a cause's time `wanted` may have: what is neither its own nor that of the others that are found in it alone.
    fn spare(&self, cause: Cause, wanted: Cause, total: &Spent) -> u64 {
        let others = FROM_REPLAY.iter().filter(|(other, taken_for)| {
            *other != wanted && matches!(taken_for, [only] if *only == cause)
        });
        let kept: u64 = others
            .map(|(other, _)| *other as usize)
            .map(|other| total[other].saturating_sub(self.sums[other]))
            .sum();
        self.sums[cause as usize].saturating_sub(total[cause as usize] + kept)
    }

    /// Gives being cache hot the first `hot` ns in which CPUs were idle elsewhere; how many it got.
    fn first(&mut self, hot: u64, total: &Spent) -> u64 {
        let (mut want, mut at) = (hot, 0);
        while want > 0 && at < self.all.len() {
            let part = self.all[at];
            let spare = self.spare(part.cause, Cause::MigrationCost, total);
            let ns = want.min(spare).min(part.to_ns - part.from_ns);
            at += 1;
            if ns == 0 || !ELSEWHERE.contains(&part.cause) {
                continue;
            }
            self.sums[part.cause as usize] -= ns;
            want -= ns;
            let middle = part.from_ns + ns;
            self.all[at - 1] = Part {
                to_ns: middle,
                cause: Cause::MigrationCost,
                ..part
            };
            if middle < part.to_ns {
                let rest = Part {
                    from_ns: middle,
                    ..part
                };
                self.all.insert(at, rest);
                at += 1;
            }
        }
        hot - want
    }
}

// Pieces of time in a row, of which there may be more than anyone can look at.

/// What adds up when pieces become one.
pub(super) trait Sum {
    fn add(&mut self, other: &Self);
}

impl Sum for u64 {
    fn add(&mut self, other: &Self) {
        *self += *other;
    }
}

/// A stretch of time: one piece, or several short ones together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece<T> {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    /// How many pieces it is.
    pub(super) count: u64,
    pub(super) sum: T,
}

impl<T> Piece<T> {
    pub(super) fn one(from_ns: u64, to_ns: u64, sum: T) -> Self {
        Self {
            from_ns,
            to_ns,
            count: 1,
            sum,
        }
    }
}

/// Pieces in ascending order that do not overlap. While there are few, they are kept as they are. When there are more,
/// those that are shorter than a bucket of time and begin in the same one become one; what they add up to stays exact.
#[derive(Debug)]
pub(super) struct Lane<T> {
    from_ns: u64,
    most: usize,
    /// Of a bucket, ns; `None` while there are few.
    width: Option<u64>,
    /// Length of all buckets together.
    span_ns: u64,
    pieces: Vec<Piece<T>>,
    /// Bucket of the last piece, if it may take in more.
    open: Option<u64>,
}

impl<T: Sum> Lane<T> {
    /// Of a span of time; hardly more than `most` pieces come out.
    pub(super) fn new(from_ns: u64, to_ns: u64, most: usize) -> Self {
        Self {
            from_ns,
            most: most.max(2),
            width: None,
            span_ns: to_ns.saturating_sub(from_ns),
            pieces: Vec::new(),
            open: None,
        }
    }

    pub(super) fn push(&mut self, piece: Piece<T>) {
        if piece.from_ns >= piece.to_ns {
            return;
        }
        if let Some(width) = self.width {
            self.put(piece, width);
            return;
        }
        self.pieces.push(piece);
        if self.pieces.len() > self.most {
            let width = self.span_ns.div_ceil(self.most as u64 / 2).max(1);
            self.width = Some(width);
            for piece in std::mem::take(&mut self.pieces) {
                self.put(piece, width);
            }
        }
    }

    fn put(&mut self, piece: Piece<T>, width: u64) {
        let short = piece.to_ns - piece.from_ns < width;
        let bucket = short.then(|| piece.from_ns.saturating_sub(self.from_ns) / width);
        if let Some(last) = self.pieces.last_mut()
            && bucket.is_some()
            && bucket == self.open
        {
            last.to_ns = piece.to_ns;
            last.count += piece.count;
            last.sum.add(&piece.sum);
        } else {
            self.pieces.push(piece);
            self.open = bucket;
        }
    }

    pub(super) fn finish(self) -> Vec<Piece<T>> {
        self.pieces
    }
}

#[cfg(test)]
mod tests {
    use super::{Lane, Piece};

    fn lane(lengths: &[u64], most: usize) -> Vec<Piece<u64>> {
        let whole: u64 = lengths.iter().sum();
        let mut lane = Lane::new(100, 100 + whole, most);
        let mut at = 100;
        for &ns in lengths {
            lane.push(Piece::one(at, at + ns, ns));
            at += ns;
        }
        lane.finish()
    }

    #[test]
    fn few_pieces_stay_as_they_are() {
        let found = lane(&[1, 2, 0, 3], 3);
        let ends: Vec<_> = found.iter().map(|piece| (piece.to_ns, piece.sum)).collect();
        assert_eq!(ends, [(101, 1), (103, 2), (106, 3)]);
    }

    #[test]
    fn many_short_ones_become_few_and_nothing_is_lost() {
        let mut lengths = vec![1; 5000];
        lengths[2500] = 5000;
        let found = lane(&lengths, 100);
        assert!(found.len() <= 100, "{}", found.len());
        assert!(
            found
                .iter()
                .any(|piece| piece.count == 1 && piece.sum == 5000)
        );
        assert_eq!(found.iter().map(|piece| piece.count).sum::<u64>(), 5000);
        assert_eq!(found.iter().map(|piece| piece.sum).sum::<u64>(), 9999);
        assert!(
            found
                .windows(2)
                .all(|pair| pair[0].to_ns == pair[1].from_ns)
        );
    }
}
