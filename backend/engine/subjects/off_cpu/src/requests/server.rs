//! The service of a log that names none: the tasks that a client wakes when requests begin, and that wake the client
//! before they end.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use numalens_bundle::Error;
use numalens_replay::waits;

use super::Request;
use super::clock::{self, Clock};
use crate::ledger::Ledger;
use crate::spans::joined;
use crate::wakers;
use crate::wakers::is_from;

/// Maximum time from the start of a request to the wakeup of its server, ns.
const REACTION_NS: u64 = 200_000;
/// Maximum error of the logged times, ns: that of a clock which was fitted.
const ERROR_NS: u64 = 50_000;
/// Requests that are looked at.
const LOOKED_AT: usize = 400;
/// Share of the requests that the server must have answered, in percent. A client that is awake needs no wakeup.
const FITTING: usize = 25;
/// Share of the server's requests that any other name has at most, in percent.
const OTHERS: usize = 50;
/// Pairs of client and server by which a log on another clock is placed.
const PAIRS: usize = 4;

/// Service of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Server {
    /// Name of its tasks.
    pub(crate) name: String,
    /// Name of the tasks that made the requests.
    pub(crate) client: String,
    /// Requests that it answered, of those that were looked at.
    answered: usize,
}

/// Names of a client and a server.
type Pair<'a> = (&'a str, &'a str);

/// Wakeup of a server by its client: time in ns, pid of the client, pid of the server.
type Ask = (u64, i32, i32);

/// A pair, times at which the client wakes the server, and at which the server wakes the client, ns ascending.
type Moments<'a> = (Pair<'a>, Vec<i64>, Vec<i64>);

/// Returns the service of a log with the clock of the log; `None` if no name dominates. `own` are the tasks that may serve; all without.
pub(crate) fn server(
    ledger: &Ledger<'_>,
    requests: &[Request],
    own: Option<&[i32]>,
) -> Result<Option<(Clock, Server)>, Error> {
    if let Some(clock) = clock::shift(ledger, requests)? {
        let found = answering(ledger, requests, clock.shift_ns())?;
        return Ok(found.map(|server| (clock, server)));
    }
    if clock::is_real(requests) {
        return Ok(None);
    }
    let mut best: Option<(Clock, Server)> = None;
    for (pair, begins, ends) in moments(ledger, own)? {
        let Some(shift_ns) = clock::search(ledger, requests, (&begins, &ends)) else {
            continue;
        };
        let found = answering(ledger, requests, shift_ns)?;
        let more = |found: &Server| {
            let least = best.as_ref().map_or(0, |best| best.1.answered);
            // By the answers of others, the offset is a coincidence.
            (&*found.client, &*found.name) == pair && found.answered > least
        };
        if let Some(server) = found.filter(more) {
            best = Some((Clock::Fitted(shift_ns), server));
        }
    }
    Ok(best)
}

/// Returns the task that requests to wake another one, if it is a program's.
fn asker(ledger: &Ledger<'_>, request: &waits::Request) -> Option<i32> {
    let waker = request.waker_pid;
    let known = waker > 0 && waker != request.pid && is_from(request, waker);
    (known && is_program(ledger, waker) && is_program(ledger, request.pid)).then_some(waker)
}

fn is_program(ledger: &Ledger<'_>, pid: i32) -> bool {
    let comm = ledger.comm(pid);
    !comm.is_empty() && wakers::kernel_thread(comm).is_none()
}

/// Wakeups of tasks by others at some times, ascending: time and the waker; 0 for interrupts.
fn wakeups(
    ledger: &Ledger<'_>,
    pids: &BTreeSet<i32>,
    times: Vec<(u64, u64)>,
) -> Result<HashMap<i32, Vec<(u64, i32)>>, Error> {
    let mut all: HashMap<i32, Vec<(u64, i32)>> = HashMap::new();
    for (from_ns, to_ns) in joined(times) {
        for row in ledger.requests.rows(from_ns, to_ns)? {
            if pids.contains(&row.pid) {
                let waker = if is_from(&row, row.waker_pid) {
                    row.waker_pid.max(0)
                } else {
                    0
                };
                all.entry(row.pid).or_default().push((row.ts_ns, waker));
            }
        }
    }
    Ok(all)
}

/// The server whose client is woken last by it in most requests, each of which begins with a wakeup of the server by the client.
fn answering(
    ledger: &Ledger<'_>,
    requests: &[Request],
    shift_ns: i64,
) -> Result<Option<Server>, Error> {
    let index = &ledger.open.index;
    let (first_ns, last_ns) = (index.origin_ns(), index.end_ns());
    let placed = requests.iter().map(|it| Request {
        start_ns: it.start_ns.saturating_add_signed(shift_ns),
        ..it.clone()
    });
    let inside = |it: &Request| it.start_ns >= first_ns && it.end_ns() <= last_ns;
    let inside: Vec<Request> = placed.filter(inside).collect();
    let step = inside.len().div_ceil(LOOKED_AT).max(1);
    // Of each request: when which client woke which server.
    let mut requested: Vec<(u64, Vec<Ask>)> = Vec::new();
    for request in inside.iter().step_by(step) {
        let (start_ns, end_ns) = (request.start_ns, request.end_ns());
        let begun = (start_ns + REACTION_NS).min(end_ns);
        let begun = ledger.requests.rows(start_ns, begun)?;
        let asks = begun.filter_map(|it| Some((it.ts_ns, asker(ledger, &it)?, it.pid)));
        requested.push((end_ns + ERROR_NS, asks.collect()));
    }
    let clients = requested
        .iter()
        .flat_map(|(_, asks)| asks.iter().map(|ask| ask.1));
    // An answer comes after the request.
    let times = requested.iter().filter_map(|(end_ns, asks)| {
        let first = asks.first()?;
        Some((first.0, *end_ns))
    });
    let woken = wakeups(ledger, &clients.collect(), times.collect())?;
    let mut answered: BTreeMap<Pair<'_>, usize> = BTreeMap::new();
    for (end_ns, asks) in &requested {
        let pairs = asks.iter().filter_map(|&(ts_ns, client, server)| {
            let wakeups = woken.get(&client)?;
            let past = wakeups.partition_point(|it| it.0 <= *end_ns);
            let &(at_ns, waker) = wakeups.get(past.checked_sub(1)?)?;
            let process = ledger.process(server);
            let same = ledger.comm(waker) == ledger.comm(server)
                || process.is_some() && ledger.process(waker) == process;
            (at_ns >= ts_ns && waker > 0 && same).then(|| (ledger.comm(client), ledger.comm(waker)))
        });
        for pair in pairs.collect::<BTreeSet<_>>() {
            *answered.entry(pair).or_default() += 1;
        }
    }
    Ok(dominant(&answered, requested.len()))
}

/// The pair with most answers, if its server stands out. A service that another one calls for the client comes after it.
fn dominant(answered: &BTreeMap<Pair<'_>, usize>, requests: usize) -> Option<Server> {
    let is_inner = |(client, server): Pair<'_>, count: usize| {
        answered.iter().any(|(outer, &outer_count)| {
            outer.1 == client && outer.0 != server && outer_count * 100 >= count * OTHERS
        })
    };
    let outer = answered
        .iter()
        .filter(|(pair, count)| !is_inner(**pair, **count));
    let (&(client, name), &most) = outer.clone().max_by_key(|(_, count)| **count)?;
    let others = outer.filter(|(pair, _)| pair.1 != name);
    let next = others.map(|(_, &count)| count).max().unwrap_or(0);
    let stands_out = most * 100 >= requests * FITTING && next * 100 <= most * OTHERS;
    stands_out.then(|| Server {
        name: name.to_owned(),
        client: client.to_owned(),
        answered: most,
    })
}

/// The busiest pairs. `own` are the tasks that may serve.
fn moments<'a>(ledger: &'a Ledger<'_>, own: Option<&[i32]>) -> Result<Vec<Moments<'a>>, Error> {
    let mut by_pid: HashMap<(i32, i32), usize> = HashMap::new();
    for row in ledger.requests.rows(0, u64::MAX)? {
        if row.waker_pid > 0 {
            *by_pid.entry((row.waker_pid, row.pid)).or_default() += 1;
        }
    }
    let serves = |pid: &i32| own.is_none_or(|own| own.contains(pid));
    let mut requested: BTreeMap<Pair<'_>, usize> = BTreeMap::new();
    let mut all: BTreeMap<Pair<'_>, usize> = BTreeMap::new();
    for (&(waker, pid), &count) in &by_pid {
        if waker != pid && is_program(ledger, waker) && is_program(ledger, pid) {
            let pair = (ledger.comm(waker), ledger.comm(pid));
            *all.entry(pair).or_default() += count;
            if serves(&pid) {
                *requested.entry(pair).or_default() += count;
            }
        }
    }
    let mut pairs: Vec<(usize, Pair<'_>)> = requested
        .iter()
        .filter_map(|(&(client, server), &count)| {
            let answers = *all.get(&(server, client))?;
            (client != server).then_some((count.min(answers), (client, server)))
        })
        .collect();
    pairs.sort_unstable_by(|a, b| b.cmp(a));
    pairs.truncate(PAIRS);
    let pairs = pairs
        .into_iter()
        .map(|(_, pair)| (pair, Vec::new(), Vec::new()));
    let mut moments: Vec<Moments<'_>> = pairs.collect();
    // Of each two tasks that wake each other, the pairs that they belong to, and whether the first one is the client.
    let mut of: HashMap<(i32, i32), Vec<(usize, bool)>> = HashMap::new();
    for &(waker, pid) in by_pid.keys() {
        let names = (ledger.comm(waker), ledger.comm(pid));
        for (place, ((client, server), _, _)) in moments.iter().enumerate() {
            if names == (*client, *server) {
                of.entry((waker, pid)).or_default().push((place, true));
            } else if names == (*server, *client) {
                of.entry((waker, pid)).or_default().push((place, false));
            }
        }
    }
    for row in ledger.requests.rows(0, u64::MAX)? {
        let Some(places) = of.get(&(row.waker_pid, row.pid)) else {
            continue;
        };
        if !is_from(&row, row.waker_pid) {
            continue;
        }
        for &(place, begins) in places {
            let (_, begun, ended) = &mut moments[place];
            let times = if begins { begun } else { ended };
            times.push(row.ts_ns as i64);
        }
    }
    Ok(moments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(answered: &[(Pair<'_>, usize)]) -> Option<String> {
        dominant(&answered.iter().copied().collect(), 100).map(|it| it.name)
    }

    #[test]
    fn the_service_stands_out_and_is_the_one_that_the_client_asks() {
        assert_eq!(name(&[(("client", "db"), 30)]).as_deref(), Some("db"));
        assert_eq!(name(&[(("client", "db"), 20)]), None);
        // Two services answer alike.
        assert_eq!(
            name(&[(("client", "db"), 60), (("browser", "tab"), 40)]),
            None
        );
        // What the service asks is behind it, even if that answers more often.
        assert_eq!(
            name(&[(("client", "proxy"), 60), (("proxy", "backend"), 90)]).as_deref(),
            Some("proxy")
        );
        // Both wake each other.
        assert_eq!(
            name(&[(("client", "db"), 90), (("db", "client"), 10)]).as_deref(),
            Some("db")
        );
    }
}
