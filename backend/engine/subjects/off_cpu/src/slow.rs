//! Sleeps of the slow requests of a window, with causes, tasks and places: the input of findings about requests.

use std::collections::{BTreeMap, HashMap};

use numalens_bundle::{Error, Open};

use crate::catalogue::{Cause, SleepCause};
use crate::explain::{Question, SLOW, Subject, clause, first_slow, most_active};
use crate::ledger::Ledger;
use crate::piece::{By, Piece, Resource};

/// Slow requests that are looked at, the slowest first.
const LOOKED_AT: usize = 1_000;

/// The slow requests of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowSleeps {
    /// Name of the service.
    pub service: String,
    /// Requests of the window.
    pub count: usize,
    /// Slow ones that were looked at.
    pub slow: usize,
    /// Sum of the durations, ns.
    pub total_ns: u64,
    /// The shortest of these durations, ns.
    pub from_ns: u64,
    /// Duration in the middle of all, ns.
    pub median_ns: u64,
    /// Sleeps by cause, the longest time first.
    pub parts: Vec<SlowSleep>,
}

/// Sleeps inside slow requests with the same cause and the same task, interrupt or timer responsible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowSleep {
    /// The cause.
    pub cause: SleepCause,
    /// Pid of the responsible task; 0 for interrupts and timers.
    pub by: i32,
    /// Name.
    pub by_comm: Option<String>,
    /// Set if the responsible task is the client, whose wakeup begins most of the requests: the service waits for its next question.
    pub of_client: bool,
    /// Thing that was waited for.
    pub resource: Option<String>,
    /// Time, ns.
    pub ns: u64,
    /// Time for which timers that ended these sleeps were overdue, ns; `None` where the timers were not recorded.
    pub late_ns: Option<u64>,
    /// Main activity of the responsible task during this time, as a clause, and its duration, ns.
    pub main_activity: Option<(String, u64)>,
    /// Time by request.
    pub places: Vec<SlowPlace>,
}

/// Part of one slow request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlowPlace {
    /// Begin of the request, ns of the reference clock.
    pub from_ns: u64,
    /// End of the request, ns.
    pub to_ns: u64,
    /// Time of the part, ns.
    pub ns: u64,
    /// Task that served the request.
    pub pid: Option<i32>,
}

type Key = (SleepCause, By, Resource);

/// Returns what slow requests slept for; `None` when no input is a log of requests, or none lies in the window.
///
/// # Errors
///
/// Fails when a log cannot be read, no such task was recorded, or no request lies in the recording.
pub fn slow_sleeps(open: &Open, question: &Question) -> Result<Option<SlowSleeps>, Error> {
    let subject = Subject::new(open, question, None)?;
    let Some(mut requests) = subject.requests.filter(|all| !all.is_empty()) else {
        return Ok(None);
    };
    let (ledger, service) = (&subject.ledger, &subject.service);
    requests.sort_by_key(|it| (it.ns, it.start_ns));
    let count = requests.len();
    let first = first_slow(count, question.slow.unwrap_or(SLOW));
    let first = first.max(count.saturating_sub(LOOKED_AT));
    let mut pieces: HashMap<Key, Vec<Piece>> = HashMap::new();
    let mut places: HashMap<Key, Vec<SlowPlace>> = HashMap::new();
    let mut late: HashMap<Key, u64> = HashMap::new();
    let client = service.client(ledger, &requests[first..])?;
    for request in &requests[first..] {
        let pid = service.served_by(ledger, request)?;
        let mut sums: BTreeMap<Key, u64> = BTreeMap::new();
        for piece in service.path(ledger, request)? {
            if let Cause::Slept(cause) = piece.cause {
                let key = (cause, piece.by, piece.resource);
                *sums.entry(key).or_default() += piece.ns();
                if let (Some(pid), By::Timer) = (pid, piece.by)
                    && let Some(late_ns) = ledger.late_ns(pid, piece.to_ns)?
                {
                    *late.entry(key).or_default() += late_ns.min(piece.ns());
                }
                pieces.entry(key).or_default().push(piece);
            }
        }
        for (key, ns) in sums {
            places.entry(key).or_default().push(SlowPlace {
                from_ns: request.start_ns,
                to_ns: request.end_ns(),
                ns,
                pid,
            });
        }
    }
    let is_client = |pid| client.as_deref() == Some(ledger.comm(pid));
    let mut parts = Vec::new();
    for (key, places) in places {
        let (cause, by, resource) = key;
        let all = pieces.remove(&key).unwrap_or_default();
        parts.push(SlowSleep {
            cause,
            by: if let By::Task(pid) = by { pid } else { 0 },
            by_comm: ledger.name(by),
            of_client: matches!(by, By::Task(pid) if is_client(pid)),
            resource: ledger.resource(resource)?,
            ns: places.iter().map(|it| it.ns).sum(),
            late_ns: late.get(&key).copied(),
            main_activity: match by {
                By::Task(pid) => main_activity(ledger, pid, &all)?,
                _ => None,
            },
            places,
        });
    }
    parts.sort_by(|a, b| {
        (b.ns, a.cause, a.by, &a.resource).cmp(&(a.ns, b.cause, b.by, &b.resource))
    });
    let slow = &requests[first..];
    Ok(Some(SlowSleeps {
        service: most_active(ledger, &service.pids)?.comm,
        count,
        slow: slow.len(),
        total_ns: slow.iter().map(|it| it.ns).sum(),
        from_ns: slow.first().map_or(0, |it| it.ns),
        median_ns: requests[count / 2].ns,
        parts,
    }))
}

/// Returns the main activity of a task during some pieces.
fn main_activity(
    ledger: &Ledger<'_>,
    pid: i32,
    pieces: &[Piece],
) -> Result<Option<(String, u64)>, Error> {
    let mut sums: HashMap<(Cause, By), u64> = HashMap::new();
    for piece in pieces {
        for own in ledger.pieces(pid, piece.from_ns, piece.to_ns)? {
            *sums.entry((own.cause, own.by)).or_default() += own.ns();
        }
    }
    let most = sums
        .into_iter()
        .max_by_key(|&(key, ns)| (ns, std::cmp::Reverse(key)));
    Ok(most.map(|((cause, by), ns)| (clause(cause, ledger.name(by).as_deref()), ns)))
}
