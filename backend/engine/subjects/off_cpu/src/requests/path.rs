//! The path of a request: the serving task, and the causes of its time from the start of the request to its end.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_replay::timeline::{TaskSpan, TaskState};

use super::Request;
use super::kept::{Kept, LONG_NS, is_behind_busy};
use crate::catalogue::{Cause, SleepCause};
use crate::ledger::Ledger;
use crate::piece::{By, Piece};
use crate::wakers::{is_from, kernel_thread};

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

/// Minimum share of a request for which time behind busy CPUs is examined, percent.
const MATTERS: u64 = 10;
/// Wakeups of a task that are searched for the request that it works for.
const MOST_WAKEUPS: usize = 16;
/// Maximum number of services that wait for each other.
const MOST_SERVICES: usize = 8;

/// The tasks of a service.
pub(crate) struct Service {
    /// Ascending.
    pub(crate) pids: Vec<i32>,
    /// Waits of its tasks, and of those of other services by their names; read when needed.
    kept: RefCell<HashMap<Option<String>, Rc<Kept>>>,
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
            kept: RefCell::default(),
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
                self.follow(ledger, &[piece.of], piece, &mut path)?;
            }
        }
        let path = filled(path, start_ns, end_ns);
        if path.iter().any(|piece| piece.cause.is_queued()) {
            return self.with_kept(ledger, request, path);
        }
        Ok(path)
    }

    /// Adds a piece of the path. While the task that it waited for was held up itself, that counts: the last cause of the chain. `chain` are
    /// the tasks so far that waited for each other.
    fn follow(
        &self,
        ledger: &Ledger<'_>,
        chain: &[i32],
        piece: Piece,
        path: &mut Vec<Piece>,
    ) -> Result<(), Error> {
        let next = match piece.by {
            By::Task(next) if self.holds_up_both(ledger, chain, &piece, next) => next,
            _ => {
                path.push(piece);
                return Ok(());
            }
        };
        let (from_ns, to_ns) = (piece.from_ns, piece.to_ns);
        let works = is_kernel_work(ledger, &piece);
        let chain = [chain, &[next]].concat();
        for part in filled(ledger.pieces(next, from_ns, to_ns)?, from_ns, to_ns) {
            // That the first task waited for the last one is a conclusion.
            let last = Piece {
                label: part.label.max(Some(Label::Inferred)),
                ..part
            };
            let held_up = if works {
                part.cause.is_queued()
            } else {
                part.cause.holds_up() || is_kernel_work(ledger, &part)
            };
            if held_up || !works && self.waits_in_turn(ledger, &chain, (&piece, &part))? {
                self.follow(ledger, &chain, last, path)?;
            } else {
                path.push(Piece {
                    from_ns: part.from_ns,
                    to_ns: part.to_ns,
                    ..piece
                });
            }
        }
        Ok(())
    }

    /// Returns whether what held up the task that a piece waited for held up both. That task is of another service, a thread of
    /// the kernel that worked for the waiting task, or one of the same program that had a lock. The holder of another program
    /// is to be named itself.
    fn holds_up_both(&self, ledger: &Ledger<'_>, chain: &[i32], piece: &Piece, next: i32) -> bool {
        if chain.contains(&next) || chain.len() > MOST_SERVICES {
            return false;
        }
        if piece.cause.is_lock() {
            let namesakes = chain.len() > 1 && ledger.comm(next) == ledger.comm(piece.of);
            return namesakes || self.pids.binary_search(&next).is_ok();
        }
        is_kernel_work(ledger, piece) || self.waits_outside(ledger, piece)
    }

    /// Returns whether the task that a piece waits for waited for a further one: for a lock, or for the answer to a request of its own. A
    /// service without work waits for the next request, which it did not ask for. The holder of a lock waits for an answer if it works for
    /// a client: a session whose client pauses has answered.
    fn waits_in_turn(
        &self,
        ledger: &Ledger<'_>,
        chain: &[i32],
        (piece, part): (&Piece, &Piece),
    ) -> Result<bool, Error> {
        let By::Task(other) = part.by else {
            return Ok(false);
        };
        if chain.contains(&other) || self.has(ledger, other) {
            return Ok(false);
        }
        if piece.cause.is_lock() {
            return Ok(part.cause.is_peer()
                && ledger.requested(part, other)?
                && self.has_client(ledger, part, other)?);
        }
        Ok(part.cause.is_lock() || part.cause.is_peer() && ledger.requested(part, other)?)
    }

    /// Returns whether the task of a piece, which asked another one, had a request of a third one to answer.
    fn has_client(&self, ledger: &Ledger<'_>, piece: &Piece, other: i32) -> Result<bool, Error> {
        let (pid, mut at_ns) = (piece.of, piece.from_ns);
        let mut woken: Vec<i32> = Vec::new();
        for _ in 0..MOST_WAKEUPS {
            let Some(request) = ledger.woken_before(pid, at_ns, &mut woken)? else {
                return Ok(false);
            };
            at_ns = request.ts_ns;
            let client = request.waker_pid;
            let asks = is_from(&request, client)
                && client > 0
                && kernel_thread(ledger.comm(client)).is_none();
            if asks && ledger.comm(client) != ledger.comm(other) && !self.has(ledger, client) {
                let answered = woken
                    .iter()
                    .any(|&it| ledger.comm(it) == ledger.comm(client));
                return Ok(!answered);
            }
        }
        Ok(false)
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

    /// Waits of the tasks that share a task's quota: tasks of the service, or all of the same name.
    fn kept(&self, ledger: &Ledger<'_>, pid: i32) -> Result<Rc<Kept>, Error> {
        let is_own = pid == 0 || self.pids.binary_search(&pid).is_ok();
        let name = (!is_own).then(|| ledger.comm(pid).to_owned());
        if let Some(kept) = self.kept.borrow().get(&name) {
            return Ok(Rc::clone(kept));
        }
        let found = Rc::new(match &name {
            None => Kept::of(ledger, self.pids.clone())?,
            Some(name) => {
                let all = (0..).map_while(|task| ledger.open.index.task(task));
                let pids: BTreeSet<i32> = all.filter(|it| it.1 == name).map(|it| it.0).collect();
                Kept::of(ledger, pids.into_iter().collect())?
            }
        });
        let mut known = self.kept.borrow_mut();
        Ok(Rc::clone(known.entry(name).or_insert(found)))
    }

    /// Returns why services are said to be throttled, where nothing recorded says so. `name` is that of the service.
    pub(crate) fn quota_notes(&self, name: &str) -> Vec<String> {
        let kept = self.kept.borrow();
        let notes = kept.iter().filter_map(|(other, kept)| {
            let name = other.as_ref().map_or(name, |other| other);
            kept.quota_note(name)
        });
        let mut notes: Vec<String> = notes.collect();
        notes.sort();
        notes
    }

    /// Names the quota or the affinity that kept tasks of a path from CPUs, where the causes of their waits do not.
    fn with_kept(
        &self,
        ledger: &Ledger<'_>,
        request: &Request,
        path: Vec<Piece>,
    ) -> Result<Vec<Piece>, Error> {
        let mut queued: BTreeMap<i32, u64> = BTreeMap::new();
        for piece in path.iter().filter(|piece| piece.cause.is_queued()) {
            *queued.entry(piece.of).or_default() += piece.ns();
        }
        let mut whole = Vec::with_capacity(path.len());
        for piece in path {
            let is_own = self.pids.binary_search(&piece.of).is_ok();
            // Other services are examined only for long waits.
            let ns = queued.get(&piece.of).copied().unwrap_or(0);
            if piece.cause.is_queued() && (is_own || ns >= LONG_NS) {
                let kept = self.kept(ledger, piece.of)?;
                kept.throttled(ledger)?.cut(piece, &mut whole);
            } else {
                whole.push(piece);
            }
        }
        for pid in queued.into_keys().filter(|&pid| pid != 0) {
            let is_behind = |piece: &&mut Piece| piece.of == pid && is_behind_busy(piece.cause);
            let ns: u64 = whole.iter_mut().filter(is_behind).map(|it| it.ns()).sum();
            if ns * 100 < request.ns * MATTERS {
                continue;
            }
            let window = (request.start_ns, request.end_ns());
            let kept = self.kept(ledger, pid)?;
            if let Some(cause) = kept.pinned(ledger, pid, window)? {
                for piece in whole.iter_mut().filter(is_behind) {
                    piece.cause = Cause::Waited(cause);
                    piece.label = Some(Label::Inferred);
                }
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

/// Returns whether a piece is time in which a task waited for work of a thread of the kernel, such as one of a workqueue.
fn is_kernel_work(ledger: &Ledger<'_>, piece: &Piece) -> bool {
    let works = matches!(
        piece.cause,
        Cause::Slept(SleepCause::Disk | SleepCause::Memory | SleepCause::Other)
    );
    works && matches!(piece.by, By::Task(pid) if kernel_thread(ledger.comm(pid)).is_some())
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
