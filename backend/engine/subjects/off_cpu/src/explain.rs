//! The answer to "why was it slow": a service's time by state and cause, and what held up its slow requests.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use numalens_bundle::{Error, Open};
use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_subject::section::no_events;
use numalens_subject::vmstat;
use serde::Deserialize;

use crate::answer::{
    BySum, CauseSum, Explained, Part, Requests, Slow, SlowCause, Tasks, Typical, Worst,
};
use crate::catalogue::{Cause, SleepCause, State};
use crate::ledger::{Ledger, WHOLE};
use crate::piece::{By, Piece, Resource};
use crate::requests::{Clock, Log, Request, Service, align, clock_name, server};

/// Number of listed tasks of a cause.
const NAMED: usize = 10;
/// Number of requests that are described individually.
const WORST: usize = 5;
/// Number of described parts of a request.
const PARTS: usize = 32;
/// Reason for having no answer where neither the question nor a log of requests names a task.
const NO_TASK: &str = "expected a task, by its name or pid: no log of requests identifies one";
/// Requests of the middle half that slow ones are compared with, evenly among them.
const TYPICAL: usize = 200;
/// Share of the main task of a cause from which on others are not named, percent.
const NEARLY_ALL: u64 = 90;
/// Minimum number of refaulted pages that the sentence mentions.
const REFAULTED: u64 = 1_000;
/// Percentile from which on requests are slow, unless a question says otherwise.
pub(crate) const SLOW: f64 = 99.0;

/// Question about a recording.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Question {
    /// Name or pid of the tasks; with a pid, that of a process means all its threads.
    pub task: Option<String>,
    /// Pid of one task, without the other threads of its process; comes before `task`.
    pub pid: Option<i32>,
    /// Requests at or above this percentile of durations are slow.
    pub slow: Option<f64>,
    /// Begin of the window, ns of the reference clock.
    pub from_ns: Option<u64>,
    /// End of the window.
    pub to_ns: Option<u64>,
}

/// Subject of a question: the service, the window and the requests.
pub(crate) struct Subject<'a> {
    pub(crate) ledger: Ledger<'a>,
    pub(crate) service: Service,
    pub(crate) window: (u64, u64),
    /// Requests in the window, on the recording's clock; `None` without a log.
    pub(crate) requests: Option<Vec<Request>>,
    pub(crate) notes: Vec<String>,
}

impl<'a> Subject<'a> {
    /// `log` is the text of a log of requests, with its name, and replaces the logs among the inputs.
    pub(crate) fn new(
        open: &'a Open,
        question: &Question,
        log: Option<(&str, &str)>,
    ) -> Result<Self, Error> {
        if open.evidence.is_none() || !open.switches {
            let reason = no_events(open)
                .unwrap_or("sched_switch was not recorded: states of tasks are unknown; record sched_switch and sched_waking");
            return Err(Error::Option(reason.to_owned()));
        }
        let ledger = Ledger::new(open)?;
        let recorded = (open.index.origin_ns(), open.index.end_ns());
        let window = (
            question.from_ns.unwrap_or(recorded.0).max(recorded.0),
            question.to_ns.unwrap_or(u64::MAX).min(recorded.1),
        );
        if window.0 >= window.1 {
            return Err(Error::Option(
                "no time of the recording lies in the window".to_owned(),
            ));
        }
        let mut logs = match (log, question.pid) {
            (Some((name, text)), _) => vec![Log::read(name, text, recorded)?],
            // The time of one task; requests are a service's.
            (None, Some(_)) => Vec::new(),
            (None, None) => Log::of_bundle(open)?,
        };
        let mut notes = Vec::new();
        let pids = match (question.pid, question.task.as_deref()) {
            (Some(pid), _) => one_task(&ledger, pid)?,
            (None, Some(task)) => chosen(&ledger, task)?,
            (None, None) => served_them(&ledger, &mut logs, &mut notes)?,
        };
        ledger.gather_with_wakers(&pids, window)?;
        let service = Service::new(pids);
        let requests = placed(&ledger, &service, logs, window, &mut notes)?;
        Ok(Self {
            ledger,
            service,
            window,
            requests,
            notes,
        })
    }
}

/// Answers a question about a recording. `log` is the text of a log of requests, with its name, and replaces the logs among the inputs.
///
/// # Errors
///
/// Fails when a log cannot be read, no such task was recorded, or no request lies in the recording.
pub fn explain(
    open: &Open,
    question: &Question,
    log: Option<(&str, &str)>,
) -> Result<Explained, Error> {
    let subject = Subject::new(open, question, log)?;
    let (ledger, service) = (&subject.ledger, &subject.service);
    let (window, mut notes) = (subject.window, subject.notes);
    let sums = Sums::of(ledger, &service.pids, window)?;
    let task = most_active(ledger, &service.pids)?;
    let (requests, summary) = match subject.requests {
        Some(requests) => {
            let slow = question.slow.unwrap_or(SLOW);
            let (requests, said) = slow_requests(ledger, (service, &task), requests, slow)?;
            let summary = Some(said).filter(|_| requests.count > 0);
            notes.extend(service.quota_notes(&task.comm));
            (Some(requests), summary)
        }
        None => (None, None),
    };
    if !open.requests {
        notes.push("sched_waking was not recorded: what ended sleeps is unknown; record it with sched_switch.".to_owned());
    }
    let summary = match summary {
        Some(summary) => summary,
        None => sums.sentence(ledger, &task, window)?,
    };
    Ok(Explained {
        task,
        window_ns: [Moment(window.0), Moment(window.1)],
        states: sums.states(ledger)?,
        requests,
        summary,
        notes,
    })
}

/// One task alone.
fn one_task(ledger: &Ledger<'_>, pid: i32) -> Result<Vec<i32>, Error> {
    match ledger.open.index.comm_of(pid) {
        Some(_) if pid != 0 => Ok(vec![pid]),
        _ => Err(Error::Option(format!(
            "no task of the pid {pid} ran in this recording"
        ))),
    }
}

/// The pids of the tasks that are meant.
fn chosen(ledger: &Ledger<'_>, wanted: &str) -> Result<Vec<i32>, Error> {
    let index = &ledger.open.index;
    let all = || {
        (0..)
            .map_while(|task| index.task(task))
            .filter(|task| task.0 != 0)
    };
    // The kernel keeps 15 bytes of a name.
    let short = wanted.get(..15).unwrap_or(wanted);
    let mut pids: Vec<i32> = all()
        .filter(|task| task.1 == short)
        .map(|task| task.0)
        .collect();
    if let Some(pid) = wanted.parse::<i32>().ok().filter(|_| pids.is_empty()) {
        let of = |other: i32| other == pid || ledger.process(other) == Some(pid);
        pids = all()
            .map(|task| task.0)
            .filter(|&other| of(other))
            .collect();
    }
    pids.sort_unstable();
    pids.dedup();
    if pids.is_empty() {
        return Err(Error::Option(format!(
            "no task \"{wanted}\" ran in this recording"
        )));
    }
    Ok(pids)
}

/// The threads that logs name, and those of their processes; or the tasks that answer a client.
fn served_them(
    ledger: &Ledger<'_>,
    logs: &mut [Log],
    notes: &mut Vec<String>,
) -> Result<Vec<i32>, Error> {
    let requests = logs.iter().flat_map(|log| &log.requests);
    let named: BTreeSet<i32> = requests.filter_map(|request| request.tid).collect();
    let processes: BTreeSet<i32> = named
        .iter()
        .filter_map(|&tid| ledger.process(tid))
        .collect();
    let all = (0..).map_while(|task| ledger.open.index.task(task));
    let pids: BTreeSet<i32> = all
        .map(|task| task.0)
        .filter(|pid| {
            let process = ledger.process(*pid);
            named.contains(pid) || process.is_some_and(|it| processes.contains(&it))
        })
        .collect();
    if !pids.is_empty() {
        return Ok(pids.into_iter().collect());
    }
    for log in logs {
        if let Some((clock, server)) = server(ledger, &log.requests, None)? {
            log.clock = Some(clock);
            notes.push(format!(
                "{0} is taken for the service: {1} wakes it when requests begin, and it wakes {1} before they end.",
                server.name, server.client
            ));
            return chosen(ledger, &server.name);
        }
    }
    Err(Error::Option(NO_TASK.to_owned()))
}

/// The task that ran longest.
pub(crate) fn most_active(ledger: &Ledger<'_>, pids: &[i32]) -> Result<Tasks, Error> {
    let mut most = (0, pids.first().copied().unwrap_or(0));
    let several = if pids.len() > 1 { pids } else { &[] };
    ledger.gather(several, WHOLE)?;
    for &pid in several {
        let spans = ledger.spans(pid, WHOLE)?;
        let ran = spans
            .all()
            .iter()
            .filter(|span| span.cpu != numalens_replay::timeline::NO_CPU);
        let ran: u64 = ran.map(|span| span.end - span.start).sum();
        most = most.max((ran, pid));
    }
    Ok(Tasks {
        pid: most.1,
        comm: ledger.comm(most.1).to_owned(),
        count: pids.len(),
    })
}

// Time by state and cause.

/// Share of time in one row of the answer, with the causing tasks.
#[derive(Default)]
struct Sum {
    ns: u64,
    by: HashMap<By, u64>,
    label: Option<Label>,
}

#[derive(Default)]
struct Sums(HashMap<(Cause, Resource), Sum>);

impl Sums {
    fn of(ledger: &Ledger<'_>, pids: &[i32], (from_ns, to_ns): (u64, u64)) -> Result<Self, Error> {
        let mut sums = Self::default();
        for &pid in pids {
            for piece in ledger.pieces(pid, from_ns, to_ns)? {
                sums.add(&piece);
            }
        }
        Ok(sums)
    }

    fn add(&mut self, piece: &Piece) {
        let sum = self.0.entry((piece.cause, piece.resource)).or_default();
        sum.ns += piece.ns();
        if piece.by != By::Unknown {
            *sum.by.entry(piece.by).or_default() += piece.ns();
        }
        sum.label = sum.label.max(piece.label);
    }

    fn states(&self, ledger: &Ledger<'_>) -> Result<BTreeMap<&'static str, Vec<CauseSum>>, Error> {
        let mut states: BTreeMap<&'static str, Vec<CauseSum>> = State::ALL
            .iter()
            .map(|state| (state.id(), Vec::new()))
            .collect();
        for (&(cause, resource), sum) in &self.0 {
            let mut by: Vec<BySum> = sum
                .by
                .iter()
                .map(|(&by, &ns)| BySum {
                    pid: if let By::Task(pid) = by { pid } else { 0 },
                    comm: ledger.name(by).unwrap_or_default(),
                    ns,
                })
                .collect();
            by.sort_by_key(|one| (Reverse(one.ns), one.pid));
            by.truncate(NAMED);
            let entry = cause.entry();
            states
                .entry(cause.state().id())
                .or_default()
                .push(CauseSum {
                    cause: entry.id,
                    title: entry.title,
                    resource: ledger.resource(resource)?,
                    ns: sum.ns,
                    by,
                    provenance: provenance(sum.label),
                });
        }
        for sums in states.values_mut() {
            sums.sort_by(|a, b| (b.ns, a.cause, &a.resource).cmp(&(a.ns, b.cause, &b.resource)));
        }
        Ok(states)
    }

    /// Main cause of the time that was not spent running.
    fn sentence(
        &self,
        ledger: &Ledger<'_>,
        task: &Tasks,
        window: (u64, u64),
    ) -> Result<String, Error> {
        let total: u64 = self.0.values().map(|sum| sum.ns).sum();
        let most = self
            .0
            .iter()
            .max_by_key(|(key, sum)| (sum.ns, Reverse(**key)));
        let Some((&(cause, _), sum)) = most else {
            return Ok(format!("{} did not exist in the window.", task.comm));
        };
        let by = sum.by.iter().max_by_key(|(by, ns)| (**ns, Reverse(**by)));
        let by = by.and_then(|(by, _)| ledger.name(*by));
        Ok(format!(
            "{} spent {} % of its time {}{}.",
            task.comm,
            percent(sum.ns, total),
            clause(cause, by.as_deref()),
            refaults(ledger, cause, window)?
        ))
    }
}

pub(crate) fn provenance(label: Option<Label>) -> &'static str {
    match label {
        Some(Label::Observed) => "observed",
        Some(Label::Replayed) => "replayed",
        Some(Label::Inferred | Label::WhatIf) => "inferred",
        None => "not recorded",
    }
}

// Requests.

/// The requests of the window, on the recording's clock; `None` without a log.
fn placed(
    ledger: &Ledger<'_>,
    service: &Service,
    logs: Vec<Log>,
    window: (u64, u64),
    notes: &mut Vec<String>,
) -> Result<Option<Vec<Request>>, Error> {
    if logs.is_empty() {
        return Ok(None);
    }
    let mut requests = Vec::new();
    for mut log in logs {
        if log.requests.is_empty() {
            // Clients log a request when it ends: none did, so that one continued all the time.
            notes.push(format!(
                "{} has no request: none ended, so the whole window counts as one.",
                log.name
            ));
            log.requests.push(Request {
                start_ns: window.0,
                ns: window.1 - window.0,
                tid: None,
            });
        } else {
            let clock = match log.clock {
                Some(clock) => clock,
                None => align(ledger, service, &log.requests)?,
            };
            place(ledger, clock, &mut log, notes)?;
        }
        requests.append(&mut log.requests);
    }
    requests.retain(|it| it.start_ns >= window.0 && it.end_ns() <= window.1);
    Ok(Some(requests))
}

/// Index of the first slow request of some that are sorted by duration.
pub(crate) fn first_slow(count: usize, slow: f64) -> usize {
    ((count as f64 * slow / 100.0) as usize).min(count.saturating_sub(1))
}

/// Result for the requests, and their summary in one sentence.
fn slow_requests(
    ledger: &Ledger<'_>,
    (service, task): (&Service, &Tasks),
    mut log: Vec<Request>,
    slow: f64,
) -> Result<(Requests, String), Error> {
    let count = log.len();
    log.sort_by_key(|it| (it.ns, it.start_ns));
    let slow: Vec<Request> = log.split_off(first_slow(count, slow));
    // The middle half, without slow ones where these are more than a quarter.
    let end = (count - count / 4).min(log.len());
    let middle = log.get(count / 4..end).unwrap_or_default();
    let step = middle.len().div_ceil(TYPICAL).max(1);
    let typical: Vec<Request> = middle.iter().step_by(step).cloned().collect();
    let paths = |requests: &[Request]| {
        let paths = requests.iter().map(|it| service.path(ledger, it));
        paths.collect::<Result<Vec<_>, _>>()
    };
    let slow_paths = paths(&slow)?;
    let client = service.client(ledger, &slow)?;
    let mut worst = Vec::new();
    for (request, path) in slow.iter().zip(&slow_paths).rev().take(WORST) {
        worst.push(one(ledger, request, path, (task, client.as_deref()))?);
    }
    let causes = causes_of(ledger, task, &slow_paths);
    let said = (task, client.as_deref());
    let summary = sentence(ledger, said, (count, &slow), &slow_paths)?;
    let requests = Requests {
        count,
        slow: Slow {
            count: slow.len(),
            from_ms: slow.first().map_or(0.0, |it| it.ns as f64 / 1e6),
            causes,
        },
        typical: Typical {
            count: typical.len(),
            causes: causes_of(ledger, task, &paths(&typical)?),
        },
        worst,
    };
    Ok((requests, summary))
}

/// Causes of the time of some requests, by their paths, the largest first.
fn causes_of(ledger: &Ledger<'_>, task: &Tasks, paths: &[Vec<Piece>]) -> Vec<SlowCause> {
    let mut sums: HashMap<(Cause, Option<String>), Vec<Piece>> = HashMap::new();
    for piece in paths.iter().flatten() {
        let of_cause = sums.entry((piece.cause, ledger.name(piece.by)));
        of_cause.or_default().push(*piece);
    }
    let ns = |pieces: &[Piece]| pieces.iter().map(Piece::ns).sum::<u64>();
    let total = sums.values().map(|pieces| ns(pieces)).sum();
    let mut sums: Vec<_> = sums.into_iter().map(|it| (ns(&it.1), it)).collect();
    sums.sort_by(|a, b| (b.0, &a.1.0).cmp(&(a.0, &b.1.0)));
    let causes = sums
        .into_iter()
        .map(|(ns, ((cause, by), pieces))| SlowCause {
            state: cause.state().id(),
            cause: cause.entry().id,
            title: cause.entry().title,
            by,
            through: through(ledger, task, pieces.iter()).map(str::to_owned),
            ms: ns as f64 / 1e6,
            percent: percent(ns, total),
            provenance: provenance(pieces.iter().map(|it| it.label).max().flatten()),
        });
    causes.collect()
}

/// Name of the task for which requests waited during some pieces of their paths, as these are its time; `None` if most are the service's own.
fn through<'l, 'a>(
    ledger: &'l Ledger<'_>,
    task: &Tasks,
    pieces: impl Iterator<Item = &'a Piece>,
) -> Option<&'l str> {
    let mut sums: HashMap<&str, u64> = HashMap::new();
    let mut total = 0;
    for piece in pieces {
        total += piece.ns();
        *sums.entry(ledger.comm(piece.of)).or_default() += piece.ns();
    }
    let (comm, ns) = most(sums)?;
    (ns * 2 > total && comm != task.comm && !comm.is_empty()).then_some(comm)
}

/// Beginning of a clause about a task that is not the service.
fn behind(other: &str) -> String {
    format!("waiting for {other}, which was ")
}

/// Puts requests on the recording's clock.
fn place(
    ledger: &Ledger<'_>,
    clock: Clock,
    log: &mut Log,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    let name = &log.name;
    for request in &mut log.requests {
        request.start_ns = request.start_ns.saturating_add_signed(clock.shift_ns());
    }
    let index = &ledger.open.index;
    let (from_ns, to_ns) = (index.origin_ns(), index.end_ns());
    let mut all = log.requests.iter();
    if !all.any(|it| it.start_ns >= from_ns && it.end_ns() <= to_ns) {
        let all = &log.requests;
        let first = all.iter().map(|it| it.start_ns).min().unwrap_or(0);
        let last = all.iter().map(Request::end_ns).max().unwrap_or(0);
        let second = |ns: u64| ns as f64 / 1e9;
        return Err(Error::Option(format!(
            "{name}: no request lies in the recording: the requests are from {:.3} to {:.3} s, the recording is from {:.3} to {:.3} s of its clock ({})",
            second(first),
            second(last),
            second(from_ns),
            second(to_ns),
            clock_name(ledger).as_deref().unwrap_or("not named")
        )));
    }
    match clock {
        Clock::Same | Clock::Sampled(_) => {}
        Clock::Fitted(shift_ns) => notes.push(format!(
            "{name}: {:.2} ms were added to its times, so that most requests start at a wakeup of the service and end after it ran.",
            shift_ns as f64 / 1e6
        )),
        Clock::Unknown => notes.push(format!(
            "{name}: its clock cannot be aligned with that of the recording; its times are taken as they are."
        )),
    }
    Ok(())
}

/// Returns the cause that took most of a request, the task or interrupt responsible for it, and its time.
pub(crate) fn main_cause(path: &[Piece]) -> Option<(Cause, By, u64)> {
    let mut sums: HashMap<(Cause, By), u64> = HashMap::new();
    for piece in path {
        *sums.entry((piece.cause, piece.by)).or_default() += piece.ns();
    }
    most(sums).map(|((cause, by), ns)| (cause, by, ns))
}

/// Main activity of the tasks that a request waited for, during some pieces of its path.
fn main_activity<'a>(
    ledger: &Ledger<'_>,
    waited: impl Iterator<Item = &'a Piece>,
) -> Result<Option<String>, Error> {
    let mut did = Vec::new();
    for piece in waited.filter(|piece| piece.cause.is_lock() || piece.cause.is_peer()) {
        if let By::Task(other) = piece.by {
            let parts = ledger.pieces(other, piece.from_ns, piece.to_ns)?;
            did.extend(parts.into_iter().map(|part| (other, part)));
        }
    }
    let mut sums: HashMap<(i32, Cause, By), u64> = HashMap::new();
    for (other, part) in &did {
        *sums.entry((*other, part.cause, part.by)).or_default() += part.ns();
    }
    Ok(most(sums).map(|((other, cause, by), ns)| {
        format!(
            ". During the wait, {} was {}, for {:.1} ms",
            ledger.comm(other),
            clause(cause, ledger.name(by).as_deref()),
            ns as f64 / 1e6
        )
    }))
}

/// Name of what a request waited for in a sentence: a service that waits for its client waits for the next part of the request.
fn named(cause: Cause, name: String, client: Option<&str>) -> String {
    if cause.is_peer() && client == Some(&name) {
        format!("{name}, its client")
    } else {
        name
    }
}

fn one(
    ledger: &Ledger<'_>,
    request: &Request,
    path: &[Piece],
    (task, client): (&Tasks, Option<&str>),
) -> Result<Worst, Error> {
    let mut merged: Vec<Piece> = Vec::new();
    for piece in path {
        match merged.last_mut() {
            Some(last) if (last.cause, last.by) == (piece.cause, piece.by) => {
                last.to_ns = piece.to_ns;
            }
            _ => merged.push(*piece),
        }
    }
    let mut summary = String::new();
    if let Some((cause, by, ns)) = main_cause(path) {
        let waited = path.iter().filter(|it| (it.cause, it.by) == (cause, by));
        let holder = main_activity(ledger, waited)?.unwrap_or_default();
        let waited = path.iter().filter(|it| (it.cause, it.by) == (cause, by));
        let through = through(ledger, task, waited).map_or_else(String::new, behind);
        let by = ledger.name(by).map(|name| named(cause, name, client));
        let clause = clause(cause, by.as_deref());
        summary = format!(
            "{:.1} of {:.1} ms {through}{clause}{holder}.",
            ns as f64 / 1e6,
            request.ns as f64 / 1e6
        );
    }
    if merged.len() > PARTS {
        let mut lengths: Vec<u64> = merged.iter().map(Piece::ns).collect();
        lengths.sort_unstable_by_key(|&ns| Reverse(ns));
        let least = lengths[PARTS - 1];
        merged.retain(|piece| piece.ns() >= least);
        merged.truncate(PARTS);
    }
    let parts = merged.iter().map(|piece| Part {
        from_ns: piece.from_ns,
        to_ns: piece.to_ns,
        state: piece.cause.state().id(),
        cause: piece.cause.entry().id,
        title: piece.cause.entry().title,
        by: ledger.name(piece.by),
    });
    Ok(Worst {
        start_ns: request.start_ns,
        ms: request.ns as f64 / 1e6,
        summary,
        parts: parts.collect(),
    })
}

fn percent(ns: u64, total: u64) -> u64 {
    if total == 0 {
        return 0;
    }
    ((u128::from(ns) * 200 + u128::from(total)) / (2 * u128::from(total))) as u64
}

/// Clause of a cause.
pub(crate) fn clause(cause: Cause, by: Option<&str>) -> String {
    let somebody = by.unwrap_or("somebody");
    match cause {
        Cause::Ran(cause) => cause.clause().to_owned(),
        Cause::Waited(cause) => {
            let behind = by.map_or_else(String::new, |by| format!(" behind {by}"));
            format!("runnable{behind} ({})", cause.entry().title)
        }
        Cause::Slept(cause) => format!("asleep, {}", cause.clause().replace("{by}", somebody)),
    }
}

/// Clause about the pages that were read back while tasks waited for a disk or memory; empty where they are few or were not sampled.
fn refaults(
    ledger: &Ledger<'_>,
    cause: Cause,
    (from_ns, to_ns): (u64, u64),
) -> Result<String, Error> {
    if !matches!(cause, Cause::Slept(SleepCause::Disk | SleepCause::Memory)) {
        return Ok(String::new());
    }
    let readings = vmstat::readings(ledger.open)?;
    let pages = vmstat::refaults(&readings, from_ns, to_ns).filter(|&pages| pages >= REFAULTED);
    Ok(pages.map_or_else(String::new, |pages| {
        format!("; {pages} recently reclaimed pages were read back in this time (refaults)")
    }))
}

/// Main cause of the slow requests, in one sentence, with its main task or interrupt.
fn sentence(
    ledger: &Ledger<'_>,
    (task, client): (&Tasks, Option<&str>),
    (count, slow): (usize, &[Request]),
    paths: &[Vec<Piece>],
) -> Result<String, Error> {
    let which = if slow.len() == 1 {
        "The slowest request".to_owned()
    } else {
        format!("The {} slowest of {count} requests", slow.len())
    };
    let mut sums: HashMap<Cause, u64> = HashMap::new();
    for piece in paths.iter().flatten() {
        *sums.entry(piece.cause).or_default() += piece.ns();
    }
    let total: u64 = sums.values().sum();
    let Some((cause, ns)) = most(sums) else {
        return Ok(format!("{which} took no time."));
    };
    let pieces: Vec<&Piece> = paths
        .iter()
        .flatten()
        .filter(|piece| piece.cause == cause)
        .collect();
    let mut by: HashMap<Option<String>, u64> = HashMap::new();
    let mut resources: HashMap<Resource, u64> = HashMap::new();
    for piece in &pieces {
        *by.entry(ledger.name(piece.by)).or_default() += piece.ns();
        *resources.entry(piece.resource).or_default() += piece.ns();
    }
    let (by, by_ns) = most(by).unwrap_or_default();
    let others = by_ns * 100 < ns * NEARLY_ALL;
    let window = (
        slow.iter().map(|it| it.start_ns).min().unwrap_or(0),
        slow.iter().map(Request::end_ns).max().unwrap_or(0),
    );
    let resource = most(resources).map_or(Ok(None), |it| ledger.resource(it.0))?;
    let resource = resource.filter(|name| by.as_ref() != Some(name));
    let by = by.map(|by| match (named(cause, by, client), others) {
        (by, true) if by.contains(", ") => format!("{by}, and others"),
        (by, true) => format!("{by} and others"),
        (by, false) => by,
    });
    Ok(format!(
        "{which} (from {:.1} ms) of {} spent {} % of their time {}{}{}{}{}.",
        slow.first().map_or(0.0, |it| it.ns as f64 / 1e6),
        task.comm,
        percent(ns, total),
        through(ledger, task, pieces.iter().copied()).map_or_else(String::new, behind),
        clause(cause, by.as_deref()),
        resource.map_or_else(String::new, |name| format!(" ({name})")),
        main_activity(ledger, pieces.into_iter())?.unwrap_or_default(),
        refaults(ledger, cause, window)?,
    ))
}

/// Entry with the most time.
fn most<K: Ord>(sums: HashMap<K, u64>) -> Option<(K, u64)> {
    sums.into_iter()
        .max_by(|a, b| (a.1, Reverse(&a.0)).cmp(&(b.1, Reverse(&b.0))))
}
