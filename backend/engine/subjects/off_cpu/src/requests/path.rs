//! The path of a request: the serving task, and the causes of its time from the start of the request to its end.

use std::cell::OnceCell;
use std::collections::HashMap;

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_replay::timeline::{TaskSpan, TaskState};
use numalens_replay::waits;

use super::Request;
use crate::catalogue::{Cause, SleepCause};
use crate::ledger::Ledger;
use crate::piece::{By, Piece};
use crate::spans::joined;
use crate::wakers::is_from;

/// Time before the last task's run within which another task may have served a request, ns.
const RECENT_NS: u64 = 300_000;
/// Maximum time before its sleep in which a task answers, ns.
const ANSWER_NS: u64 = 1_000_000;
/// Minimum difference of the tasks' idle times that identifies the serving task, in percent of a request.
const TELLING: u64 = 20;
/// Maximum distance of a log's clock from the recording's, ns: it may have been fitted.
const SLACK_NS: u64 = 200_000;
/// Maximum time between a request and the wakeups that begin and end it, in percent of the request.
const FITTING: u64 = 10;

/// Default period of quotas, ns (`default_cfs_period`, `kernel/sched/fair.c`); container engines and systemd use it.
const PERIOD_NS: u64 = 100_000_000;
/// A wait of this fraction of a period is long.
const LONG: u64 = 4;
/// Waits end with the period when the task runs at most this long after its start, ns.
const LATE_NS: u64 = 8_000_000;
/// Number of long waits that show a quota.
const MANY: usize = 8;
/// Share of the long waits that end with the period, percent.
const IN_PHASE: usize = 80;

/// Waiting at an idle CPU that nothing explains.
const UNEXPLAINED: Cause = Cause::Waited(waits::Cause::IdleUnexplained);

/// The tasks of a service.
pub(crate) struct Service {
    /// Ascending.
    pub(crate) pids: Vec<i32>,
    /// Throttled times of any of them; found when needed.
    throttled: OnceCell<Throttled>,
}

/// Throttled times of the tasks of a service.
#[derive(Debug, Default)]
struct Throttled {
    /// ns, ascending and without overlaps.
    times: Vec<(u64, u64)>,
    /// True for a conclusion from when waits end: the CPUs were busy, and no quota was sampled.
    by_period: bool,
}

/// A task that may have served a request.
struct Candidate {
    pid: i32,
    /// Since when it has not run at the end of the request, ns.
    since_ns: u64,
    /// Time that it waited for work, ns.
    idle_ns: u64,
}

impl Service {
    pub(crate) fn new(pids: Vec<i32>) -> Self {
        Self {
            pids,
            throttled: OnceCell::new(),
        }
    }

    /// Returns whether a task is one of the service, or shares a process with one.
    fn has(&self, ledger: &Ledger<'_>, pid: i32) -> bool {
        let process = ledger.process(pid);
        self.pids.binary_search(&pid).is_ok()
            || process.is_some() && self.pids.iter().any(|&own| ledger.process(own) == process)
    }

    /// Returns the name of the client: the tasks that most of some requests begin with, as the first that wake the service.
    pub(crate) fn client(
        &self,
        ledger: &Ledger<'_>,
        requests: &[Request],
    ) -> Result<Option<String>, Error> {
        let mut begun: HashMap<&str, usize> = HashMap::new();
        for request in requests {
            // Later, the one that wakes it may be the one that it waits for.
            let begun_ns = request.start_ns + most_off(request).min(request.ns);
            let from_ns = request.start_ns.saturating_sub(SLACK_NS);
            let mut woken = ledger.requests.rows(from_ns, begun_ns)?;
            if let Some(first) = woken.find(|it| self.pids.binary_search(&it.pid).is_ok()) {
                *begun.entry(ledger.comm(first.waker_pid)).or_default() += 1;
            }
        }
        let mut most = begun.into_iter();
        let most = most.find(|(comm, count)| !comm.is_empty() && count * 2 > requests.len());
        Ok(most.map(|(comm, _)| comm.to_owned()))
    }

    /// Returns whether a piece is time in which a task waited for a task outside of the service.
    fn waits_outside(&self, ledger: &Ledger<'_>, piece: &Piece) -> bool {
        let outside = matches!(
            piece.cause,
            Cause::Slept(
                SleepCause::Socket | SleepCause::Process | SleepCause::Pipe | SleepCause::Unknown
            )
        );
        outside && !matches!(piece.by, By::Task(pid) if self.has(ledger, pid))
    }

    /// Returns the task that served a request: the thread named by the log, or the one that its client woke. Without them, of the tasks
    /// that ran last before its end: one that waited for work much less than the others, or the last one.
    pub(crate) fn served_by(
        &self,
        ledger: &Ledger<'_>,
        request: &Request,
    ) -> Result<Option<i32>, Error> {
        if let Some(tid) = request.tid {
            return Ok(Some(tid));
        }
        if let Some(pid) = self.requested(ledger, request)? {
            return Ok(Some(pid));
        }
        let (start_ns, end_ns) = (request.start_ns, request.end_ns());
        let (from, to) = (ledger.after_origin(start_ns), ledger.after_origin(end_ns));
        let mut candidates: Vec<Candidate> = Vec::new();
        for &pid in &self.pids {
            let spans = ledger.spans(pid, (start_ns, end_ns))?;
            let mut within = spans.within(from, to).iter().rev();
            let ran = within.find(|span| span.state == TaskState::Running);
            if let Some(ran) = ran {
                candidates.push(Candidate {
                    pid,
                    since_ns: to - ran.end.min(to),
                    idle_ns: 0,
                });
            }
        }
        let latest = candidates.iter().map(|it| it.since_ns).min().unwrap_or(0);
        candidates.retain(|it| it.since_ns <= latest + RECENT_NS);
        if candidates.len() > 1 {
            for candidate in &mut candidates {
                let pieces = ledger.pieces(candidate.pid, start_ns, end_ns)?;
                let idle = pieces
                    .iter()
                    .filter(|piece| self.waits_outside(ledger, piece));
                candidate.idle_ns = idle.map(Piece::ns).sum();
            }
            let least = candidates.iter().map(|it| it.idle_ns).min().unwrap_or(0);
            candidates.retain(|it| it.idle_ns <= least + request.ns * TELLING / 100);
        }
        let served = candidates.iter().min_by_key(|it| (it.since_ns, it.idle_ns));
        Ok(served.map(|it| it.pid))
    }

    /// Returns the task of the service that the client woke when a request began, and that woke the client when it ended. Where several
    /// clients wait at once, that is the pair that fits the times of the request best; `None` if none fits well. A client that waits for
    /// a CPU sends a request late, and takes an answer late, without sleeping in between.
    fn requested(&self, ledger: &Ledger<'_>, request: &Request) -> Result<Option<i32>, Error> {
        if self.pids.len() < 2 {
            return Ok(None);
        }
        let (start_ns, end_ns) = (request.start_ns, request.end_ns());
        let mut begun: HashMap<i32, (i32, u64)> = HashMap::new();
        let mut ended: HashMap<(i32, i32), u64> = HashMap::new();
        let from_ns = start_ns.saturating_sub(SLACK_NS);
        for row in ledger.requests.rows(from_ns, end_ns + SLACK_NS)? {
            let waker = row.waker_pid;
            if waker <= 0 || !is_from(&row, waker) {
                continue;
            }
            if self.pids.binary_search(&row.pid).is_ok() {
                begun.entry(row.pid).or_insert((waker, row.ts_ns));
            }
            if self.pids.binary_search(&waker).is_ok() {
                ended.insert((waker, row.pid), row.ts_ns);
            }
        }
        let pairs = begun.into_iter().filter_map(|(pid, (client, begun_ns))| {
            let ended_ns = *ended.get(&(pid, client))?;
            let is_client = begun_ns < ended_ns && self.pids.binary_search(&client).is_err();
            let off_ns = begun_ns.abs_diff(start_ns) + ended_ns.abs_diff(end_ns);
            is_client.then_some((off_ns, pid, client, begun_ns, ended_ns))
        });
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort_unstable();
        let most_ns = most_off(request);
        let clients: Vec<i32> = pairs.iter().map(|pair| pair.2).collect();
        ledger.gather(&clients, (from_ns, end_ns + SLACK_NS))?;
        for (off_ns, pid, client, begun_ns, ended_ns) in pairs {
            if off_ns <= most_ns
                || is_awake(ledger, client, (start_ns + SLACK_NS, begun_ns))?
                    && is_awake(ledger, client, (ended_ns, end_ns.saturating_sub(SLACK_NS)))?
            {
                return Ok(Some(pid));
            }
        }
        Ok(None)
    }

    /// Returns the causes of a request's time: pieces in order without gaps, from its start to its end.
    pub(crate) fn path(&self, ledger: &Ledger<'_>, request: &Request) -> Result<Vec<Piece>, Error> {
        let (start_ns, end_ns) = (request.start_ns, request.end_ns());
        let mut path = Vec::new();
        if let Some(pid) = self.served_by(ledger, request)? {
            let mut own = ledger.pieces(pid, start_ns, end_ns)?;
            self.without_other_clients(ledger, (pid, request), &mut own)?;
            let answered = self.answered(ledger, pid, (start_ns, end_ns))?;
            if let Some((client, at_ns)) = answered {
                own.retain(|piece| piece.from_ns < at_ns);
                if let Some(last) = own.last_mut() {
                    last.to_ns = last.to_ns.min(at_ns);
                }
                own.extend(ledger.pieces(client, at_ns, end_ns)?);
            }
            for piece in own {
                match piece.by {
                    By::Task(peer) if self.waits_outside(ledger, &piece) => {
                        behind(ledger, peer, piece, Cause::is_queued, &mut path)?;
                    }
                    By::Task(holder)
                        if piece.cause.is_lock() && self.pids.binary_search(&holder).is_ok() =>
                    {
                        behind(ledger, holder, piece, Cause::holds_up, &mut path)?;
                    }
                    _ => path.push(piece),
                }
            }
        }
        let path = filled(path, start_ns, end_ns);
        if path.iter().any(|piece| piece.cause.is_queued()) {
            return self.with_throttling(ledger, path);
        }
        Ok(path)
    }

    /// A server of many clients sleeps until any of them asks. While one waits for its answer, the others that wake the server do not
    /// end what that one waits for: the next wakeup by another program does.
    fn without_other_clients(
        &self,
        ledger: &Ledger<'_>,
        (pid, request): (i32, &Request),
        own: &mut [Piece],
    ) -> Result<(), Error> {
        let end_ns = request.end_ns();
        let from_ns = end_ns.saturating_sub(most_off(request));
        let rows = ledger.requests.rows(from_ns, end_ns + SLACK_NS)?;
        let woken = rows.filter(|it| is_from(it, pid) && it.pid != pid);
        let woken = woken.map(|it| it.pid).filter(|&it| !self.has(ledger, it));
        let Some(client) = woken.last() else {
            return Ok(());
        };
        let mut awaited: Option<Piece> = None;
        for piece in own.iter_mut().skip(1).rev() {
            let By::Task(peer) = piece.by else {
                continue;
            };
            if !self.waits_outside(ledger, piece) {
                continue;
            }
            if ledger.comm(peer) != ledger.comm(client) {
                awaited = Some(*piece);
            } else if peer != client
                && let Some(awaited) = awaited
            {
                *piece = Piece {
                    from_ns: piece.from_ns,
                    to_ns: piece.to_ns,
                    label: Some(Label::Inferred),
                    ..awaited
                };
            }
        }
        Ok(())
    }

    fn throttled(&self, ledger: &Ledger<'_>) -> Result<&Throttled, Error> {
        if let Some(throttled) = self.throttled.get() {
            return Ok(throttled);
        }
        let (throttled, long) = long_waits(ledger, &self.pids)?;
        let mut found = Throttled {
            times: throttled,
            by_period: false,
        };
        if !ledger.has_quotas() {
            let mut times = ends_with_period(ledger, &long)?;
            found.by_period = !times.is_empty();
            times.append(&mut found.times);
            found.times = joined(times);
        }
        Ok(self.throttled.get_or_init(|| found))
    }

    /// Returns why the service is said to be throttled, where nothing recorded says so; `None` if it is not.
    pub(crate) fn quota_note(&self, ledger: &Ledger<'_>) -> Result<Option<String>, Error> {
        let throttled = self.throttled(ledger)?;
        Ok(throttled.by_period.then(|| {
            format!(
                "The service probably has a CPU quota, which was not recorded: {} of its waits end at one time of a period of {} ms. Record cpu.max and cpu.stat of its cgroup, as numalens record does.",
                throttled.times.len(),
                PERIOD_NS / 1_000_000
            )
        }))
    }

    /// Gives unexplained time on an idle CPU the cause `throttled` while another task of the service is throttled: they share the quota,
    /// which was not sampled. Where only the ends of waits show the quota, time behind tasks of its class also gets that cause.
    fn with_throttling(&self, ledger: &Ledger<'_>, path: Vec<Piece>) -> Result<Vec<Piece>, Error> {
        let throttled = self.throttled(ledger)?;
        let mut whole = Vec::with_capacity(path.len());
        for piece in path {
            let mut rest = piece;
            if piece.cause == UNEXPLAINED || throttled.by_period && is_behind_its_class(piece.cause)
            {
                let times = &throttled.times;
                let first = times.partition_point(|span| span.1 <= piece.from_ns);
                for &(from_ns, to_ns) in times[first..]
                    .iter()
                    .take_while(|span| span.0 < piece.to_ns)
                {
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
                        by: if throttled.by_period {
                            By::Unknown
                        } else {
                            rest.by
                        },
                        label: Some(Label::Inferred),
                        ..rest
                    });
                    rest.from_ns = to_ns;
                }
            }
            if rest.from_ns < rest.to_ns {
                whole.push(rest);
            }
        }
        Ok(whole)
    }

    /// Request that a task answered when it already slept at the end of a request, and its time.
    fn answered(
        &self,
        ledger: &Ledger<'_>,
        pid: i32,
        (start_ns, end_ns): (u64, u64),
    ) -> Result<Option<(i32, u64)>, Error> {
        let spans = ledger.spans(pid, (start_ns, end_ns))?;
        let (from, to) = (ledger.after_origin(start_ns), ledger.after_origin(end_ns));
        let last = spans.within(from, to).last();
        let Some(last) = last.filter(|it| it.is_asleep() && it.start > from && it.end >= to) else {
            return Ok(None);
        };
        let at_ns = ledger.origin_ns + last.start;
        let rows = ledger
            .requests
            .rows(at_ns.saturating_sub(ANSWER_NS).max(start_ns), at_ns)?;
        let woken = rows.filter(|it| is_from(it, pid) && it.pid != pid).last();
        let client = woken.map(|it| it.pid).filter(|&it| !self.has(ledger, it));
        Ok(client.map(|client| (client, at_ns)))
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

/// Begins and ends, ns.
type Times = Vec<(u64, u64)>;

/// Begin, end and CPU of a wait, ns.
type Long = (u64, u64, u32);

/// Returns times at which any of some tasks waited and was throttled, ascending and without overlaps, and their long waits for
/// tasks of their class, by task and end.
fn long_waits(ledger: &Ledger<'_>, pids: &[i32]) -> Result<(Times, Vec<Long>), Error> {
    let mut throttled = Vec::new();
    let mut long: Vec<(i32, Long)> = Vec::new();
    ledger.each_wait(pids, |pid, wait, causes| {
        if causes
            .iter()
            .any(|one| one.cause == waits::Cause::Throttled)
        {
            throttled.push((wait.start_ns, wait.end_ns));
        }
        let ns = wait.end_ns - wait.start_ns;
        if wait.end == waits::WaitEnd::Ran && ns >= PERIOD_NS / LONG {
            let own = causes.iter();
            let own = own.filter(|one| is_behind_its_class(Cause::Waited(one.cause)));
            if own.map(|one| one.ns).sum::<u64>() * 2 > ns {
                long.push((pid, (wait.start_ns, wait.end_ns, wait.cpu)));
            }
        }
    })?;
    long.sort_by_key(|(pid, _)| *pid);
    let long = long.into_iter().map(|(_, wait)| wait);
    Ok((joined(throttled), long.collect()))
}

/// Returns long waits of some tasks, if nearly all of them end with a period, whenever they begin: the timer of a quota ends them
/// (`sched_cfs_period_timer`). Tasks that work in the same period would sleep when the waits end.
fn ends_with_period(ledger: &Ledger<'_>, long: &[Long]) -> Result<Times, Error> {
    let late = |end_ns: u64, phase_ns: u64| (end_ns + PERIOD_NS - phase_ns) % PERIOD_NS;
    let phases = long.iter().map(|wait| wait.1 % PERIOD_NS);
    let of_phase = |phase_ns: u64| {
        let of = long.iter().copied();
        of.filter(move |wait| late(wait.1, phase_ns) < LATE_NS)
    };
    let most = phases.max_by_key(|&phase_ns| of_phase(phase_ns).count());
    let ending: Vec<_> = most.map_or_else(Vec::new, |phase_ns| of_phase(phase_ns).collect());
    let ends = joined(
        ending
            .iter()
            .map(|it| (it.1 / LATE_NS, it.1 / LATE_NS + 1))
            .collect(),
    );
    if ends.len() < MANY || ending.len() * 100 < long.len() * IN_PHASE {
        return Ok(Vec::new());
    }
    let mut finished: HashMap<String, usize> = HashMap::new();
    for &(_, end_ns, cpu) in &ending {
        let before = ledger.open.index.slice_at(cpu, end_ns - 1)?;
        let slept = before.filter(|it| {
            it.pid > 0
                && it
                    .end_state
                    .as_ref()
                    .is_some_and(|state| !state.starts_with('R'))
        });
        if let Some(slept) = slept {
            *finished.entry(slept.comm).or_default() += 1;
        }
    }
    let one_works = finished.values().any(|count| count * 2 > ending.len());
    let times = ending.iter().map(|wait| (wait.0, wait.1));
    Ok(if one_works {
        Vec::new()
    } else {
        joined(times.collect())
    })
}

/// Maximum time between a request and the wakeups that begin and end it, ns.
fn most_off(request: &Request) -> u64 {
    (request.ns * FITTING / 100).max(SLACK_NS)
}

/// Returns whether a task does not sleep at any time of a window, if that is not empty.
fn is_awake(ledger: &Ledger<'_>, pid: i32, (from_ns, to_ns): (u64, u64)) -> Result<bool, Error> {
    if from_ns >= to_ns {
        return Ok(true);
    }
    let (from, to) = (ledger.after_origin(from_ns), ledger.after_origin(to_ns));
    let spans = ledger.spans(pid, (from_ns, to_ns))?;
    Ok(!spans.within(from, to).iter().any(TaskSpan::is_asleep))
}

/// Cuts time in which a task waited for another one: what held that one up, as far as `follows` says, held up both.
fn behind(
    ledger: &Ledger<'_>,
    other: i32,
    piece: Piece,
    follows: impl Fn(Cause) -> bool,
    path: &mut Vec<Piece>,
) -> Result<(), Error> {
    let (from_ns, to_ns) = (piece.from_ns, piece.to_ns);
    for part in filled(ledger.pieces(other, from_ns, to_ns)?, from_ns, to_ns) {
        path.push(if follows(part.cause) {
            part
        } else {
            Piece {
                from_ns: part.from_ns,
                to_ns: part.to_ns,
                ..piece
            }
        });
    }
    Ok(())
}

/// The pieces with what is not known between them.
fn filled(pieces: Vec<Piece>, from_ns: u64, to_ns: u64) -> Vec<Piece> {
    let mut whole = Vec::with_capacity(pieces.len() + 1);
    let mut at = from_ns;
    for piece in pieces {
        if at < piece.from_ns {
            whole.push(Piece::unknown(at, piece.from_ns));
        }
        at = piece.to_ns;
        whole.push(piece);
    }
    if at < to_ns {
        whole.push(Piece::unknown(at, to_ns));
    }
    whole
}
