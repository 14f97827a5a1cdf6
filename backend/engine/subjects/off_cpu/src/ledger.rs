//! The ledger: state of a task at each time, with one cause and the causing task.
//!
//! A reader of the replay's logs. It decides nothing about runnable time: those causes are the segments of waits.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use numalens_bundle::{Error, Open, Parts};
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_replay::timeline::{NO_CPU, TaskSpan, TaskState};
use numalens_replay::waits::{
    self, CauseNs, Context, Phase, Requests, Segment, SegmentLogs, WaitRow,
};

use crate::catalogue::{Cause, RunCause, SleepCause};
use crate::devices::{self, Device};
use crate::peers::EXIT_NS;
use crate::piece::{By, Piece, Resource, Sleep};
use crate::recorded::{self, Recorded};
use crate::served::Served;
use crate::spans::Spans;
use crate::wakers::{self, Answers};

/// Maximum number of steps from the holder of a lock to the one it waited for.
const MOST_HOLDERS: usize = 16;
/// Windows of a task that are read one by one; then the task is read whole.
const MOST_WINDOWS: usize = 64;

/// All of a recording, ns of the reference clock.
pub(crate) const WHOLE: (u64, u64) = (0, u64::MAX);

/// The ledger of a recording. What tasks did is read for the windows that are asked for.
pub struct Ledger<'a> {
    pub(crate) open: &'a Open,
    pub(crate) requests: &'a Requests,
    parts: &'a Parts,
    pub(crate) origin_ns: u64,
    pub(crate) served: Served<'a>,
    recorded: OnceCell<Recorded>,
    answers: OnceCell<Answers>,
    /// Processes by pid, as far as they are known.
    processes: HashMap<i32, i32>,
    /// By pid, of the windows that were read.
    spans: RefCell<HashMap<i32, Vec<Rc<Spans>>>>,
    /// By pid and begin, ns after the origin.
    pub(crate) sleeps: RefCell<HashMap<(i32, u64), Sleep>>,
}

impl<'a> Ledger<'a> {
    /// Returns the ledger of a bundle.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn new(open: &'a Open) -> Result<Self, Error> {
        let parts = open.parts()?;
        let index = &open.index;
        let tasks = (0..index.tasks() as TaskId).zip(index.tgids());
        let processes = tasks
            .filter_map(|(task, tgid)| Some((index.task(task)?.0, (*tgid)?)))
            .collect();
        Ok(Self {
            open,
            requests: parts.requests(open)?,
            parts,
            origin_ns: index.origin_ns(),
            served: Served::of(open)?,
            recorded: OnceCell::new(),
            answers: OnceCell::new(),
            processes,
            spans: RefCell::default(),
            sleeps: RefCell::default(),
        })
    }

    /// Last name of a task.
    #[must_use]
    pub fn comm(&self, pid: i32) -> &str {
        self.open.index.comm_of(pid).unwrap_or_default()
    }

    /// Name of the task or interrupt responsible for a piece.
    #[must_use]
    pub fn name(&self, by: By) -> Option<String> {
        match by {
            By::Unknown => None,
            By::Task(pid) => Some(self.comm(pid).to_owned()),
            By::Timer => Some("timer".to_owned()),
            By::Interrupt(at) => Some(self.served.handler(at).to_owned()),
            By::Softirq(vector) => Some(wakers::softirq(vector).0.to_owned()),
        }
    }

    /// Name of what was waited for.
    ///
    /// # Errors
    ///
    /// Fails when the log of stacks cannot be read.
    pub fn resource(&self, resource: Resource) -> Result<Option<String>, Error> {
        Ok(match resource {
            Resource::Unknown => None,
            Resource::Device(at) => Some(self.served.handler(at).to_owned()),
            Resource::KernelThread(pid) => Some(self.comm(pid).to_owned()),
            Resource::Work(thread, by) => Some(format!(
                "{}, work that {} ({by}) queued",
                self.comm(thread),
                self.comm(by)
            )),
            Resource::TimerOf(pid) => {
                Some(format!("timer that {} ({pid}) started", self.comm(pid)))
            }
            Resource::Function(frame) => {
                let frames = &self.open.stack_log()?.frames;
                Some(frames.get(frame).name.to_owned())
            }
            Resource::Call(call, argument) => Some(call.shown(argument)),
            Resource::Lock(flags, 0) => Some(recorded::lock_name(flags).to_owned()),
            Resource::Lock(flags, address) => {
                Some(format!("{} {address:#x}", recorded::lock_name(flags)))
            }
            Resource::Memory(at) => Some(recorded::reclaim_name(at).to_owned()),
            Resource::Block(device) => Some(format!("device {}", devices::shown(device))),
            Resource::Fault(None) => Some("page fault".to_owned()),
            Resource::Fault(Some(device)) => {
                Some(format!("page fault, device {}", devices::shown(device)))
            }
            Resource::Cgroup(at) => self.recorded()?.cgroup(at).map(str::to_owned),
            Resource::Signal(signal, by) => Some(format!(
                "{} from {}",
                recorded::signal_name(signal),
                self.comm(by)
            )),
        })
    }

    /// Events about sleeps besides the scheduler's, read when first needed.
    pub(crate) fn recorded(&self) -> Result<&Recorded, Error> {
        if let Some(recorded) = self.recorded.get() {
            return Ok(recorded);
        }
        let recorded = Recorded::of(self.open)?;
        Ok(self.recorded.get_or_init(|| recorded))
    }

    /// Tasks that answer others, counted when first needed.
    pub(crate) fn answers(&self) -> Result<&Answers, Error> {
        if let Some(answers) = self.answers.get() {
            return Ok(answers);
        }
        let recorded = (self.origin_ns, self.open.index.end_ns());
        let answers = Answers::of(self.requests, recorded, |pid| self.comm(pid))?;
        Ok(self.answers.get_or_init(|| answers))
    }

    /// Returns what block devices did in a window; none where no requests were recorded.
    ///
    /// # Errors
    ///
    /// Fails when a table of events cannot be read.
    pub fn devices(&self, from_ns: u64, to_ns: u64) -> Result<Vec<Device>, Error> {
        Ok(self.recorded()?.requests.devices(from_ns, to_ns))
    }

    /// The logs of the segments of waits.
    pub(crate) fn segment_logs(&self) -> Result<SegmentLogs<'a>, Error> {
        self.parts.segment_logs(self.open)
    }

    /// Process of a task, where it is known.
    pub(crate) fn process(&self, pid: i32) -> Option<i32> {
        self.processes.get(&pid).copied()
    }

    /// States of a task in a window.
    pub(crate) fn spans(&self, pid: i32, window: (u64, u64)) -> Result<Rc<Spans>, Error> {
        if let Some(spans) = self.known(pid, window) {
            return Ok(spans);
        }
        let many = |read: &Vec<_>| read.len() >= MOST_WINDOWS;
        let all = self.spans.borrow().get(&pid).is_some_and(many);
        self.gather(&[pid], if all { WHOLE } else { window })?;
        Ok(self.known(pid, window).unwrap_or_default())
    }

    fn known(&self, pid: i32, (from_ns, to_ns): (u64, u64)) -> Option<Rc<Spans>> {
        let window = (self.after_origin(from_ns), self.after_origin(to_ns));
        let spans = self.spans.borrow();
        let mut read = spans.get(&pid)?.iter();
        read.find(|spans| spans.covers(window)).cloned()
    }

    /// Reads what some tasks did in a window and, in one more pass over the logs, what those did that woke them there.
    pub(crate) fn gather_with_wakers(&self, pids: &[i32], window: (u64, u64)) -> Result<(), Error> {
        if pids.iter().all(|&pid| self.known(pid, window).is_some()) {
            return Ok(());
        }
        self.gather(pids, window)?;
        let pids: HashSet<i32> = pids.iter().copied().collect();
        let requests = self.requests.rows(window.0, window.1)?;
        let woken = requests.filter(|request| pids.contains(&request.pid));
        let by_tasks = woken.filter(|it| matches!(it.context, Context::Task | Context::Unknown));
        let wakers: HashSet<i32> = by_tasks.map(|it| it.waker_pid).collect();
        let wakers: Vec<i32> = wakers.into_iter().filter(|&waker| waker > 0).collect();
        // What ends a sleep may depend on what its waker did next.
        self.gather(&wakers, (window.0, window.1.saturating_add(EXIT_NS)))
    }

    /// Reads what some tasks did in a window, all in one pass over the logs.
    pub(crate) fn gather(&self, pids: &[i32], window: (u64, u64)) -> Result<(), Error> {
        let pids = pids.iter().copied();
        let mut pids: Vec<i32> = pids
            .filter(|&pid| self.known(pid, window).is_none())
            .collect();
        pids.sort_unstable();
        pids.dedup();
        if pids.is_empty() {
            return Ok(());
        }
        let window = (self.after_origin(window.0), self.after_origin(window.1));
        let mut known = (self.open.index).task_spans_over(&pids, window, &self.parts.waits)?;
        let firsts = known.values().filter_map(|spans| spans.all().first());
        let lasts = known.values().filter_map(|spans| spans.all().last());
        let from = firsts.map(|span| span.start).min().unwrap_or(0);
        let to = lasts.map(|span| span.end).max().unwrap_or(0);
        let mut requests: Vec<Vec<(u64, bool)>> = vec![Vec::new(); pids.len()];
        let (from_ns, to_ns) = (self.origin_ns + from, self.origin_ns + to);
        for request in self.requests.rows(from_ns, to_ns)? {
            let waker = request.waker_pid;
            if let Ok(place) = pids.binary_search(&request.pid) {
                requests[place].push((self.after_origin(request.ts_ns), true));
            }
            if waker != request.pid
                && let Ok(place) = pids.binary_search(&waker)
                && wakers::is_from(&request, waker)
            {
                requests[place].push((self.after_origin(request.ts_ns), false));
            }
        }
        let mut spans = self.spans.borrow_mut();
        for (pid, requests) in pids.into_iter().zip(requests) {
            let known = known.remove(&pid).unwrap_or_default();
            let read = spans.entry(pid).or_default();
            read.retain(|spans| !(window.0 <= spans.window.0 && spans.window.1 <= window.1));
            read.push(Rc::new(Spans::new(&known, window, &requests)));
        }
        Ok(())
    }

    /// A moment as the times of spans count.
    pub(crate) fn after_origin(&self, ns: u64) -> u64 {
        ns.saturating_sub(self.origin_ns)
    }

    /// Calls `each` with all waits of some tasks, in the order of their ends: the pid, the wait and its causes.
    pub(crate) fn each_wait(
        &self,
        pids: &[i32],
        mut each: impl FnMut(i32, &WaitRow, &[CauseNs]),
    ) -> Result<(), Error> {
        let index = &self.open.index;
        let mut of: Vec<Option<i32>> = vec![None; index.tasks()];
        for &pid in pids {
            for &task in index.tasks_of(pid) {
                of[task as usize] = Some(pid);
            }
        }
        let of = |task: TaskId| of.get(task as usize).copied().flatten();
        let is_one = |task| of(task).is_some();
        self.parts.waits.of_tasks(WHOLE, is_one, |wait, causes| {
            if let Some(pid) = of(wait.task) {
                each(pid, wait, causes);
            }
        })?;
        Ok(())
    }

    /// The first wait of a task; `None` if it never waited.
    pub(crate) fn first_wait(&self, pid: i32) -> Result<Option<WaitRow>, Error> {
        let tasks = self.open.index.tasks_of(pid);
        Ok(self.parts.waits.first_of(|task| tasks.contains(&task))?)
    }

    /// Returns whether quotas of cgroups were sampled: then the replay knows who was throttled.
    pub(crate) fn has_quotas(&self) -> bool {
        let mut tables = self.open.samples.iter();
        tables.any(|table| table.table == "cgroup_stat")
    }

    /// Waits of a task that end in a window (both ends count), in the order of their ends, with their causes.
    pub(crate) fn waits(
        &self,
        pid: i32,
        window: (u64, u64),
    ) -> Result<Vec<(WaitRow, Vec<CauseNs>)>, Error> {
        let tasks = self.open.index.tasks_of(pid);
        let is_one = |task| tasks.contains(&task);
        let mut found = Vec::new();
        self.parts.waits.of_tasks(window, is_one, |wait, causes| {
            found.push((*wait, causes.to_vec()));
        })?;
        Ok(found)
    }

    /// Returns whether the task of a piece woke another one when it had last run: it made a request.
    pub(crate) fn requested(&self, piece: &Piece, other: i32) -> Result<bool, Error> {
        let spans = self.spans(piece.of, (piece.from_ns, piece.to_ns))?;
        let from = self.after_origin(piece.from_ns);
        let at = spans.all().partition_point(|span| span.end <= from);
        self.called(piece.of, &spans, at, other)
    }

    /// Returns the request that ended a task's last sleep that ended before a moment, and adds the tasks that it woke since.
    pub(crate) fn woken_before(
        &self,
        pid: i32,
        ts_ns: u64,
        woken: &mut Vec<i32>,
    ) -> Result<Option<waits::Request>, Error> {
        let at = self.after_origin(ts_ns).saturating_sub(1);
        let spans = self.spans(pid, (self.origin_ns + at, ts_ns))?;
        let past = spans.all().partition_point(|span| span.end <= at);
        let slept = spans.all()[..past].iter().rposition(TaskSpan::is_asleep);
        let Some(slept) = slept else {
            return Ok(None);
        };
        for span in &spans.all()[slept + 1..past] {
            let (from, to) = (self.origin_ns + span.start, self.origin_ns + span.end);
            let rows = self.requests.rows(from, to)?;
            woken.extend(rows.filter(|it| wakers::is_from(it, pid)).map(|it| it.pid));
        }
        let ended_ns = self.origin_ns + spans.all()[slept].end;
        Ok(self.requests.at(ended_ns, pid)?)
    }

    /// Returns what a task did from one moment to another: pieces in order without gaps, while the task was there.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn pieces(&self, pid: i32, from_ns: u64, to_ns: u64) -> Result<Vec<Piece>, Error> {
        let mut pieces = Vec::new();
        self.gather_with_wakers(&[pid], (from_ns, to_ns))?;
        self.add_pieces(pid, (from_ns, to_ns), &mut pieces)?;
        Ok(pieces)
    }

    fn add_pieces(
        &self,
        pid: i32,
        (from_ns, to_ns): (u64, u64),
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Error> {
        let spans = self.spans(pid, (from_ns, to_ns))?;
        let (from, to) = (self.after_origin(from_ns), self.after_origin(to_ns));
        let first = spans.all().partition_point(|span| span.end <= from);
        let known = pieces.len();
        for (at, span) in spans.all().iter().enumerate().skip(first) {
            if span.start >= to {
                break;
            }
            let part = (
                self.origin_ns + span.start.max(from),
                self.origin_ns + span.end.min(to),
            );
            match span.state {
                TaskState::Running => self.ran(span, part, pieces)?,
                TaskState::Woken | TaskState::Preempted | TaskState::Resumed => {
                    self.waited(pid, span, part, pieces)?;
                }
                TaskState::Sleeping | TaskState::Blocked => {
                    self.slept(pid, &spans, at, part, pieces)?;
                }
                TaskState::NotRecorded | TaskState::Lost => {
                    pieces.push(Piece::unknown(part.0, part.1));
                }
            }
        }
        for piece in &mut pieces[known..] {
            piece.of = pid;
        }
        Ok(())
    }

    /// Adds the time of the task on a CPU, except for interrupts.
    fn ran(
        &self,
        span: &TaskSpan,
        (mut from_ns, to_ns): (u64, u64),
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Error> {
        let mut push = |from_ns, to_ns, cause| {
            if from_ns < to_ns {
                pieces.push(Piece {
                    cause: Cause::Ran(cause),
                    label: Some(if span.cpu == NO_CPU {
                        Label::Inferred
                    } else {
                        Label::Observed
                    }),
                    ..Piece::unknown(from_ns, to_ns)
                });
            }
        };
        if span.cpu != NO_CPU {
            for (start, end) in self.served.between(span.cpu, from_ns, to_ns)? {
                push(from_ns, start, RunCause::Ran);
                push(start.max(from_ns), end, RunCause::Kernel);
                from_ns = from_ns.max(end);
            }
        }
        push(from_ns, to_ns, RunCause::Ran);
        Ok(())
    }

    /// The task was runnable: the causes of its wait, and who ran on the CPUs of its queues.
    fn waited(
        &self,
        pid: i32,
        span: &TaskSpan,
        (from_ns, to_ns): (u64, u64),
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Error> {
        let end_ns = self.origin_ns + span.end;
        let Some((wait, causes)) = self.waits(pid, (end_ns, end_ns))?.pop() else {
            pieces.push(Piece {
                cause: Cause::Waited(waits::Cause::Unknown),
                ..Piece::unknown(from_ns, to_ns)
            });
            return Ok(());
        };
        let phases = self.segment_logs()?.phases.of(&wait, &causes, pid)?;
        let mut at = from_ns;
        for segment in self.segments(&wait, &causes, &phases)? {
            let (start, end) = (segment.from_ns.max(at), segment.to_ns.min(to_ns));
            if start >= end {
                continue;
            }
            let mut queued = phases
                .iter()
                .filter(|phase| phase.start_ns < end && phase.end_ns > start);
            let piece = Piece {
                cause: Cause::Waited(segment.cause),
                label: Some(if segment.cause.entry().inferred {
                    Label::Inferred
                } else {
                    Label::Replayed
                }),
                ..Piece::unknown(start, end)
            };
            at = start;
            while at < end {
                let Some(phase) = queued.next() else {
                    break;
                };
                if at < phase.start_ns {
                    pieces.push(Piece {
                        to_ns: phase.start_ns,
                        from_ns: at,
                        ..piece
                    });
                    at = phase.start_ns;
                }
                let to = phase.end_ns.min(end);
                self.behind(
                    pid,
                    phase.cpu,
                    Piece {
                        from_ns: at,
                        to_ns: to,
                        ..piece
                    },
                    pieces,
                )?;
                at = at.max(to);
            }
            if at < end {
                pieces.push(Piece {
                    from_ns: at,
                    to_ns: end,
                    ..piece
                });
                at = end;
            }
        }
        if at < to_ns {
            pieces.push(Piece {
                cause: Cause::Waited(waits::Cause::Unknown),
                ..Piece::unknown(at, to_ns)
            });
        }
        Ok(())
    }

    /// The causes of a wait in order of time. The replay's logs are needed only where several may alternate: the way to a queue comes first.
    fn segments(
        &self,
        wait: &WaitRow,
        causes: &[CauseNs],
        phases: &[Phase],
    ) -> Result<Vec<Segment>, Error> {
        let (way, others): (Vec<&CauseNs>, Vec<&CauseNs>) = causes
            .iter()
            .partition(|total| total.cause == waits::Cause::WakeUp);
        if others.len() > 1 {
            return Ok(self.segment_logs()?.segments(wait, causes, phases)?);
        }
        let mut at = wait.start_ns;
        let in_order = way.into_iter().chain(others).map(|total| {
            let from_ns = at;
            at += total.ns;
            Segment {
                from_ns,
                to_ns: at,
                cause: total.cause,
            }
        });
        Ok(in_order.collect())
    }

    /// Cuts a piece by who ran on a CPU. While a quota holds the task back, it does not matter who runs.
    fn behind(
        &self,
        pid: i32,
        cpu: u32,
        piece: Piece,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Error> {
        if piece.cause == Cause::Waited(waits::Cause::Throttled) {
            pieces.push(piece);
            return Ok(());
        }
        let mut at = piece.from_ns;
        for slice in self.open.index.slices(cpu, piece.from_ns, piece.to_ns)? {
            let runner = self.open.index.task(slice.task).map_or(0, |task| task.0);
            let (start, end) = (slice.start_ns.max(at), slice.end_ns.min(piece.to_ns));
            if runner == 0 || runner == pid || start >= end {
                continue;
            }
            if at < start {
                pieces.push(Piece {
                    from_ns: at,
                    to_ns: start,
                    ..piece
                });
            }
            pieces.push(Piece {
                from_ns: start,
                to_ns: end,
                by: By::Task(runner),
                ..piece
            });
            at = end;
        }
        if at < piece.to_ns {
            pieces.push(Piece {
                from_ns: at,
                ..piece
            });
        }
        Ok(())
    }

    /// The task slept. Behind a lock is who held it at the time.
    pub(crate) fn slept(
        &self,
        pid: i32,
        spans: &Rc<Spans>,
        at: usize,
        (from_ns, to_ns): (u64, u64),
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Error> {
        let sleep = self.sleep(pid, spans, at)?;
        let piece = Piece {
            cause: Cause::Slept(sleep.cause),
            by: sleep.by,
            resource: sleep.resource,
            label: sleep.label,
            ..Piece::unknown(from_ns, to_ns)
        };
        match sleep.by {
            By::Task(waker) if piece.cause.is_lock() || self.is_passed_on(pid, &sleep) => {
                self.held(&[pid], waker, piece, pieces)?;
            }
            _ => pieces.push(piece),
        }
        Ok(())
    }

    /// Returns whether a task of the same program that had waited for the same pipe woke the sleeper.
    fn is_passed_on(&self, pid: i32, sleep: &Sleep) -> bool {
        let By::Task(waker) = sleep.by else {
            return false;
        };
        let process = self.process(waker);
        sleep.cause == SleepCause::Pipe && process.is_some() && process == self.process(pid)
    }

    /// Splits a piece by the holders of the lock. A task that released it may have waited for it before: then its own holder
    /// counts.
    fn held(
        &self,
        waiters: &[i32],
        holder: i32,
        piece: Piece,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Error> {
        let spans = self.spans(holder, (piece.from_ns, piece.to_ns))?;
        let (from, to) = (
            self.after_origin(piece.from_ns),
            self.after_origin(piece.to_ns),
        );
        let first = spans.all().partition_point(|span| span.end <= from);
        let mut at = piece.from_ns;
        for (place, span) in spans.all().iter().enumerate().skip(first) {
            if span.start >= to {
                break;
            }
            if !span.is_asleep() {
                continue;
            }
            let sleep = self.sleep(holder, &spans, place)?;
            let By::Task(next) = sleep.by else {
                continue;
            };
            // Without having asked that program for anything, both wait for what it let go.
            let follows = match sleep.cause {
                SleepCause::Process | SleepCause::Pipe => {
                    !self.called(holder, &spans, place, next)?
                }
                cause => Cause::Slept(cause).is_lock(),
            };
            if !follows {
                continue;
            }
            if waiters.contains(&next) || next == holder || waiters.len() >= MOST_HOLDERS {
                continue;
            }
            let start = (self.origin_ns + span.start).max(at);
            let end = (self.origin_ns + span.end).min(piece.to_ns);
            if start >= end {
                continue;
            }
            if at < start {
                pieces.push(Piece {
                    from_ns: at,
                    to_ns: start,
                    by: By::Task(holder),
                    ..piece
                });
            }
            let mut all = waiters.to_vec();
            all.push(holder);
            let part = Piece {
                from_ns: start,
                to_ns: end,
                ..piece
            };
            self.held(&all, next, part, pieces)?;
            at = end;
        }
        if at < piece.to_ns {
            pieces.push(Piece {
                from_ns: at,
                by: By::Task(holder),
                ..piece
            });
        }
        Ok(())
    }
}
