//! Quotas and affinity that kept the tasks of requests from CPUs, where the causes of their waits do not name them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_replay::states::Which;
use numalens_replay::timeline::TaskState;
use numalens_replay::waits::{self, CauseNs, Phase, WaitRow};

use crate::catalogue::Cause;
use crate::ledger::Ledger;
use crate::piece::{By, Piece};
use crate::spans::joined;

/// Default period of quotas, ns (`default_cfs_period`, `kernel/sched/fair.c`); container engines and systemd use it.
const PERIOD_NS: u64 = 100_000_000;
/// Minimum length of a long wait, ns.
pub(super) const LONG_NS: u64 = PERIOD_NS / 4;
/// Waits end with the period when the task runs at most this long after its start, ns.
const LATE_NS: u64 = 8_000_000;
/// Number of long waits that show a quota.
const MANY: usize = 8;
/// Share of the long waits that end with the period, percent.
const IN_PHASE: usize = 80;
/// Time in which balancing evens queues, ns.
const EVEN_NS: u64 = 100_000_000;

/// Maximum length of a shorter queue, percent of the longer one.
const SHORTER: u64 = 90;
/// Number of waits before and after a moment that are searched for one that shows the affinity.
const NEAR: usize = 1_024;

/// Waiting at an idle CPU that nothing explains.
const UNEXPLAINED: Cause = Cause::Waited(waits::Cause::IdleUnexplained);

/// A long wait: start and end, ns, and the CPU of its end.
type Long = (u64, u64, u32);

/// Waits of some tasks that share a quota, read in one pass over the logs.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Ascending.
    pids: Vec<i32>,
    /// Times at which any of them waited and was throttled, ns.
    throttled: Vec<(u64, u64)>,
    /// Long waits for tasks of their class, by task and end.
    long: Vec<Long>,
    /// By pid, in order: the end of each wait, ns, and whether affinity decided part of the wait.
    ends: HashMap<i32, Vec<(u64, bool)>>,
    /// Found when needed.
    quota: OnceCell<Throttled>,
}

/// Throttled times of some tasks that share a quota.
#[derive(Debug, Default)]
pub(super) struct Throttled {
    /// ns, ascending and without overlaps.
    times: Vec<(u64, u64)>,
    /// True for a conclusion from when waits end: the CPUs were busy, and no quota was sampled.
    by_period: bool,
}

impl Kept {
    /// Reads the waits of some tasks; `pids` ascend.
    pub(super) fn of(ledger: &Ledger<'_>, pids: Vec<i32>) -> Result<Self, Error> {
        let mut found = Self::default();
        let mut long: Vec<(i32, Long)> = Vec::new();
        ledger.each_wait(&pids, |pid, wait, causes| {
            let ends = found.ends.entry(pid).or_default();
            ends.push((wait.end_ns, is_pinned(causes)));
            if causes
                .iter()
                .any(|one| one.cause == waits::Cause::Throttled)
            {
                found.throttled.push((wait.start_ns, wait.end_ns));
            }
            let ns = wait.end_ns - wait.start_ns;
            if wait.end == waits::WaitEnd::Ran && ns >= LONG_NS {
                let own = causes.iter();
                let own = own.filter(|one| is_behind_its_class(Cause::Waited(one.cause)));
                if own.map(|one| one.ns).sum::<u64>() * 2 > ns {
                    long.push((pid, (wait.start_ns, wait.end_ns, wait.cpu)));
                }
            }
        })?;
        long.sort_by_key(|(pid, _)| *pid);
        found.long = long.into_iter().map(|(_, wait)| wait).collect();
        found.pids = pids;
        Ok(found)
    }

    /// Times at which the quota of the tasks was used up.
    pub(super) fn throttled(&self, ledger: &Ledger<'_>) -> Result<&Throttled, Error> {
        if let Some(quota) = self.quota.get() {
            return Ok(quota);
        }
        let mut times = self.throttled.clone();
        let mut by_period = false;
        if !ledger.has_quotas() {
            let ending = self.ending_with_period(ledger)?;
            by_period = !ending.is_empty();
            times.extend(ending);
        }
        let times = joined(times);
        Ok(self.quota.get_or_init(|| Throttled { times, by_period }))
    }

    /// Returns why tasks of a name are said to be throttled, where nothing recorded says so; `None` if they are not.
    pub(super) fn quota_note(&self, name: &str) -> Option<String> {
        let quota = self.quota.get().filter(|quota| quota.by_period)?;
        Some(format!(
            "{name} probably has a CPU quota, which was not recorded: {} of its waits end at one time of a period of {} ms. Record cpu.max and cpu.stat of its cgroup, as numalens record does.",
            quota.times.len(),
            PERIOD_NS / 1_000_000
        ))
    }

    /// Times of the long waits, if nearly all of them end with a period, whenever they begin: the timer of a quota ends them
    /// (`sched_cfs_period_timer`). Where the tasks before it left their CPU for good, these ended the waits: they work in the same period, or
    /// the quota is theirs.
    fn ending_with_period(&self, ledger: &Ledger<'_>) -> Result<Vec<(u64, u64)>, Error> {
        let long = &self.long;
        let late = |end_ns: u64, phase_ns: u64| (end_ns + PERIOD_NS - phase_ns) % PERIOD_NS;
        let phases = long.iter().map(|wait| wait.1 % PERIOD_NS);
        let of_phase = |phase_ns: u64| {
            let of = long.iter().copied();
            of.filter(move |wait| late(wait.1, phase_ns) < LATE_NS)
        };
        let most = phases.max_by_key(|&phase_ns| of_phase(phase_ns).count());
        let ending: Vec<Long> = most.map_or_else(Vec::new, |phase_ns| of_phase(phase_ns).collect());
        let ends = joined(
            ending
                .iter()
                .map(|it| (it.1 / LATE_NS, it.1 / LATE_NS + 1))
                .collect(),
        );
        let few = ends.len() < MANY || ending.len() * 100 < long.len() * IN_PHASE;
        if few || one_works(ledger, &ending)? || others_leave(ledger, &self.pids, &ending)? {
            return Ok(Vec::new());
        }
        Ok(joined(ending.iter().map(|wait| (wait.0, wait.1)).collect()))
    }

    /// CPU of the longest wait of a task in a window.
    fn waited_on(
        &self,
        ledger: &Ledger<'_>,
        pid: i32,
        (from_ns, to_ns): (u64, u64),
    ) -> Result<Option<u32>, Error> {
        let ends = self.ends.get(&pid).map_or(&[][..], |ends| ends);
        // Of the waits that end later, at most the first one began in the window.
        let past = ends.partition_point(|wait| wait.0 < to_ns);
        let Some(&(last_ns, _)) = ends.get(past).or(ends.last()) else {
            return Ok(None);
        };
        let inside = ledger.waits(pid, (from_ns + 1, last_ns))?.into_iter();
        let inside = inside.filter(|(wait, _)| wait.start_ns < to_ns);
        let ns = |it: &WaitRow| it.end_ns.min(to_ns) - it.start_ns.max(from_ns);
        Ok(inside.max_by_key(|it| ns(&it.0)).map(|it| it.0.cpu))
    }

    /// Affinity of a task at a moment, by the nearest wait that it decided: it is written there.
    fn affinity(&self, ledger: &Ledger<'_>, pid: i32, at_ns: u64) -> Result<Option<Phase>, Error> {
        let ends = self.ends.get(&pid).map_or(&[][..], |ends| ends);
        let (before, after) = ends.split_at(ends.partition_point(|wait| wait.0 <= at_ns));
        let before = before.iter().rev().take(NEAR).find(|wait| wait.1);
        let after = after.iter().take(NEAR).find(|wait| wait.1);
        let mut near = Vec::new();
        for &(end_ns, _) in before.into_iter().chain(after) {
            near.extend(ledger.waits(pid, (end_ns, end_ns))?);
        }
        let near = near.into_iter().filter(|it| is_pinned(&it.1));
        let nearest = near.min_by_key(|(wait, _)| wait.start_ns.abs_diff(at_ns));
        let phases = match nearest {
            Some((wait, causes)) => ledger.segment_logs()?.phases.of(&wait, &causes, pid)?,
            None => Vec::new(),
        };
        Ok(phases.into_iter().find(Phase::is_kept))
    }

    /// Returns the cause of a task's time behind busy CPUs in a window, if its affinity kept it from a CPU with a shorter queue. That queue
    /// would be shorter than its own even with the task. Balancing evens such queues (`calculate_imbalance`, `kernel/sched/fair.c`).
    pub(super) fn pinned(
        &self,
        ledger: &Ledger<'_>,
        pid: i32,
        window: (u64, u64),
    ) -> Result<Option<waits::Cause>, Error> {
        let Some(own_cpu) = self.waited_on(ledger, pid, window)? else {
            return Ok(None);
        };
        let (from_ns, to_ns) = window;
        let Some(phase) = self.affinity(ledger, pid, from_ns)? else {
            return Ok(None);
        };
        let logs = ledger.segment_logs()?;
        let origin_ns = ledger.origin_ns;
        let from_ns = from_ns.min(to_ns.saturating_sub(EVEN_NS)).max(origin_ns);
        let mut queues: BTreeMap<u32, Queue> = BTreeMap::new();
        logs.states.scan(Which::Machine, from_ns, to_ns, |row| {
            let at_ns = row.ts_ns.max(from_ns);
            let queue = queues.entry(row.cpu).or_insert_with(|| Queue {
                since_ns: at_ns,
                tasks: 0,
                // One that comes later is not known from the start.
                sum: (at_ns == from_ns).then_some(0),
            });
            let known = row.state.known();
            queue.turn(at_ns, known.then(|| u64::from(row.state.running)));
        })?;
        for queue in queues.values_mut() {
            queue.turn(to_ns, Some(0));
        }
        let own = queues.get(&own_cpu).and_then(|queue| queue.sum);
        let shorter = queues.iter().any(|(&cpu, queue)| {
            let with_it = queue.sum.map(|sum| sum + (to_ns - from_ns));
            let is_shorter = with_it
                .zip(own)
                .is_some_and(|(other, own)| other * 100 < own * SHORTER);
            is_shorter && !logs.phases.allows(&phase, cpu)
        });
        Ok(shorter.then_some(if phase.is_inferred() {
            waits::Cause::ProbablyPinned
        } else {
            waits::Cause::Pinned
        }))
    }
}

impl Throttled {
    /// Adds a piece. Unexplained time on an idle CPU is throttled while any of the tasks is: they share the quota, which was not sampled.
    /// Where only the ends of waits show the quota, so is time behind tasks of the same class.
    pub(super) fn cut(&self, piece: Piece, whole: &mut Vec<Piece>) {
        let is_cut =
            piece.cause == UNEXPLAINED || self.by_period && is_behind_its_class(piece.cause);
        let times = if is_cut { &self.times[..] } else { &[] };
        let first = times.partition_point(|span| span.1 <= piece.from_ns);
        let inside = times[first..].iter();
        let mut rest = piece;
        for &(from_ns, to_ns) in inside.take_while(|span| span.0 < piece.to_ns) {
            let (from_ns, to_ns) = (from_ns.max(rest.from_ns), to_ns.min(piece.to_ns));
            if rest.from_ns < from_ns {
                whole.push(Piece {
                    to_ns: from_ns,
                    ..rest
                });
            }
            whole.push(Piece {
                from_ns,
                to_ns,
                cause: Cause::Waited(waits::Cause::Throttled),
                by: By::Unknown,
                label: Some(Label::Inferred),
                ..rest
            });
            rest.from_ns = to_ns;
        }
        if rest.from_ns < rest.to_ns {
            whole.push(rest);
        }
    }
}

/// Returns whether a task waited for others of its class, or for balancing.
fn is_behind_its_class(cause: Cause) -> bool {
    use waits::Cause::{BehindHigherClass, Interrupt, PinnedBehindHigherClass, Softirq};
    cause.is_queued()
        && ![
            BehindHigherClass,
            PinnedBehindHigherClass,
            Interrupt,
            Softirq,
        ]
        .map(Cause::Waited)
        .contains(&cause)
}

/// Returns whether a task waited because no CPU was idle, for tasks of its class.
pub(super) fn is_behind_busy(cause: Cause) -> bool {
    use waits::Cause::{Busy, LaterDeadline, NotEligible, ShortBehindBuddy, SliceProtected};
    [
        Busy,
        NotEligible,
        LaterDeadline,
        SliceProtected,
        ShortBehindBuddy,
    ]
    .map(Cause::Waited)
    .contains(&cause)
}

/// Returns whether affinity decided part of a wait.
fn is_pinned(causes: &[CauseNs]) -> bool {
    use waits::Cause::{Pinned, PinnedBehindHigherClass, ProbablyPinned};
    let pinned = [Pinned, ProbablyPinned, PinnedBehindHigherClass];
    causes.iter().any(|one| pinned.contains(&one.cause))
}

/// Returns whether most of some waits end when a task of one name sleeps.
fn one_works(ledger: &Ledger<'_>, waits: &[Long]) -> Result<bool, Error> {
    let mut finished: HashMap<String, usize> = HashMap::new();
    for &(_, end_ns, cpu) in waits {
        let before = ledger.open.index.slice_at(cpu, end_ns - 1)?;
        let slept = before.filter(|it| {
            let state = it.end_state.as_ref();
            it.pid > 0 && state.is_some_and(|state| !state.starts_with('R'))
        });
        if let Some(slept) = slept {
            *finished.entry(slept.comm).or_default() += 1;
        }
    }
    Ok(finished.values().any(|count| count * 2 > waits.len()))
}

/// Returns whether most of some waits of tasks end when those that had their CPU stop running for long: a quota of these was used up. The
/// timer of the waiting tasks' own quota lets the others continue.
fn others_leave(ledger: &Ledger<'_>, pids: &[i32], waits: &[Long]) -> Result<bool, Error> {
    let mut ran: Vec<(u64, Vec<i32>)> = Vec::new();
    for &(start_ns, end_ns, cpu) in waits {
        let from_ns = start_ns.max(end_ns.saturating_sub(LONG_NS));
        let mut runners = Vec::new();
        let mut busy_ns = 0;
        for slice in ledger.open.index.slices(cpu, from_ns, end_ns)? {
            let runner = ledger.open.index.task(slice.task).map_or(0, |task| task.0);
            if runner > 0 && pids.binary_search(&runner).is_err() {
                busy_ns += slice.end_ns.min(end_ns) - slice.start_ns.max(from_ns);
                runners.push(runner);
            }
        }
        // On an idle CPU, only its own quota keeps a task waiting.
        if busy_ns * 2 > end_ns - from_ns {
            ran.push((end_ns, runners));
        }
    }
    let all: Vec<i32> = ran.iter().flat_map(|it| it.1.iter().copied()).collect();
    let (from_ns, to_ns) = (
        ran.iter().map(|it| it.0).min().unwrap_or(0),
        ran.iter().map(|it| it.0).max().unwrap_or(0) + LONG_NS,
    );
    ledger.gather(&all, (from_ns, to_ns))?;
    let recorded_ns = ledger.open.index.end_ns();
    let mut left = 0;
    for (end_ns, runners) in ran {
        let from = ledger.after_origin(end_ns);
        let mut one_runs = end_ns + LONG_NS > recorded_ns;
        for pid in runners {
            let spans = ledger.spans(pid, (end_ns, end_ns + LONG_NS))?;
            let next = spans.within(from, from + LONG_NS);
            one_runs |= next.iter().any(|span| span.state == TaskState::Running);
        }
        left += usize::from(!one_runs);
    }
    Ok(left * 2 > waits.len())
}

/// Number of tasks of a CPU over time.
#[derive(Debug, Default)]
struct Queue {
    since_ns: u64,
    tasks: u64,
    /// Sum over time, tasks × ns; `None` if the number was unknown at any time.
    sum: Option<u64>,
}

impl Queue {
    /// Counts until a time, from which on there are other tasks, if that is known.
    fn turn(&mut self, ts_ns: u64, tasks: Option<u64>) {
        let ns = ts_ns - self.since_ns;
        self.sum = self.sum.map(|sum| sum + self.tasks * ns);
        (self.since_ns, self.tasks) = (ts_ns, tasks.unwrap_or(0));
        self.sum = self.sum.filter(|_| tasks.is_some());
    }
}
