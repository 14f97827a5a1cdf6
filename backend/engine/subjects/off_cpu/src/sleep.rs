//! Cause of one sleep, from the recorded evidence.

use std::rc::Rc;

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_replay::timeline::{TaskSpan, TaskState};
use numalens_replay::waits::{Context, Request};

use crate::catalogue::SleepCause;
use crate::deferred::Place;
use crate::ledger::Ledger;
use crate::piece::{By, Resource, Sleep};
use crate::served::Serving;
use crate::spans::Spans;
use crate::{symbols, wakers};

/// Maximum run time between a wait that timed out and the next wait for the same, ns.
const RETRY_NS: u64 = 200_000;
/// Maximum time from a switch to its stack, ns: ftrace records it as an event of its own.
const STACK_NS: u64 = 50_000;

impl Ledger<'_> {
    /// Returns the cause of the sleep at a position of a task's spans.
    pub(crate) fn sleep(&self, pid: i32, spans: &Rc<Spans>, at: usize) -> Result<Sleep, Error> {
        let start = spans.all()[at].start;
        if let Some(sleep) = self.sleeps.borrow().get(&(pid, start)) {
            return Ok(*sleep);
        }
        // A wait with a timeout that is waited again is one wait: what ends it at last says what it was for.
        let mut sleep = self.one(pid, spans, at)?;
        let mut timed_out = Vec::new();
        let mut last = (Rc::clone(spans), at);
        let begin = |last: &(Rc<Spans>, usize)| last.0.all()[last.1].start;
        while sleep.has_timeout() {
            let Some(next) = self.again(pid, &last.0, last.1)? else {
                break;
            };
            let later = self.one(pid, &next.0, next.1)?;
            if !sleep.continues_as(later) {
                break;
            }
            timed_out.push((begin(&last), sleep));
            (last, sleep) = (next, later);
        }
        let retried = Sleep {
            label: sleep.label.map(|label| label.max(Label::Inferred)),
            ..sleep
        };
        let mut sleeps = self.sleeps.borrow_mut();
        let adopts = !matches!(sleep.cause, SleepCause::Timer | SleepCause::Unknown);
        for (place, own) in timed_out {
            sleeps.insert((pid, place), if adopts { retried } else { own });
        }
        sleeps.insert((pid, begin(&last)), sleep);
        Ok(sleeps.get(&(pid, start)).copied().unwrap_or(sleep))
    }

    /// The sleep in which a task continues a wait after a timer ended its sleep: it ran for a short time between them and woke no
    /// task. The spans are wider ones if it begins after those.
    fn again(
        &self,
        pid: i32,
        spans: &Rc<Spans>,
        at: usize,
    ) -> Result<Option<(Rc<Spans>, usize)>, Error> {
        let rest = &spans.all()[at + 1..];
        let next = rest.iter().position(TaskSpan::is_asleep);
        let known =
            |span: &TaskSpan| !matches!(span.state, TaskState::NotRecorded | TaskState::Lost);
        let between = &rest[..next.unwrap_or(rest.len())];
        let ran = between
            .iter()
            .filter(|span| span.state == TaskState::Running);
        let ran: u64 = ran.map(|span| span.end - span.start).sum();
        if ran > RETRY_NS || !between.iter().all(known) || self.woke_anybody(pid, between)? {
            return Ok(None);
        }
        match next {
            Some(length) => {
                let is_next = matches!(rest[length].letter, b'S' | 0);
                Ok(is_next.then(|| (Rc::clone(spans), at + 1 + length)))
            }
            None if spans.goes_on => {
                let (from, to) = spans.window;
                let to_ns = self.origin_ns + to + (to - from).max(RETRY_NS);
                let start = spans.all()[at].start;
                let wider = self.spans(pid, (self.origin_ns + from, to_ns))?;
                let at = wider.all().partition_point(|span| span.start < start);
                self.again(pid, &wider, at)
            }
            None => Ok(None),
        }
    }

    /// Returns whether a task woke another one while it ran.
    pub(crate) fn woke_anybody(&self, pid: i32, spans: &[TaskSpan]) -> Result<bool, Error> {
        for span in spans.iter().filter(|it| it.state == TaskState::Running) {
            let (from, to) = (self.origin_ns + span.start, self.origin_ns + span.end);
            if self
                .requests
                .rows(from, to)?
                .any(|it| wakers::is_from(&it, pid))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn one(&self, pid: i32, spans: &Spans, at: usize) -> Result<Sleep, Error> {
        let span = &spans.all()[at];
        let request = self.requests.at(self.origin_ns + span.end, pid)?;
        let ended = match request {
            Some(request) => self.ended(pid, spans, at, &request)?,
            None => Sleep::UNKNOWN,
        };
        if matches!(span.letter, b'T' | b't') {
            return self.halted(pid, span, ended);
        }
        let slept = (self.origin_ns + span.start, self.origin_ns + span.end);
        if let Some((cause, frame)) = self.function(pid, slept)? {
            let cause = if cause.may_time_out() && ended.cause == SleepCause::Timer {
                SleepCause::Timer
            } else {
                cause
            };
            return Ok(Sleep {
                cause,
                resource: Resource::Function(frame),
                label: Some(Label::Observed),
                ..ended
            });
        }
        if matches!(span.letter, b'I' | b'P') {
            // A thread of the kernel without work, or parked.
            return Ok(Sleep {
                cause: SleepCause::Other,
                label: Some(Label::Observed),
                ..ended
            });
        }
        self.by_events(pid, spans, at, request.as_ref(), ended)
    }

    /// A sleep of a task that a signal or its tracer stopped.
    fn halted(&self, pid: i32, span: &TaskSpan, ended: Sleep) -> Result<Sleep, Error> {
        let cause = if span.letter == b'T' {
            SleepCause::Stopped
        } else {
            SleepCause::Traced
        };
        let pids = [pid, self.process(pid).unwrap_or(pid)];
        let signal = self
            .recorded()?
            .stopped_by(pids, self.origin_ns + span.start);
        let signal = signal.filter(|_| cause == SleepCause::Stopped);
        Ok(Sleep {
            cause,
            resource: signal.map_or(Resource::Unknown, |(signal, by)| {
                Resource::Signal(signal, by)
            }),
            label: Some(Label::Observed),
            ..ended
        })
    }

    /// Cause of a sleep, by events besides the scheduler's, the strongest first; otherwise as by what ended it.
    fn by_events(
        &self,
        pid: i32,
        spans: &Spans,
        at: usize,
        request: Option<&Request>,
        ended: Sleep,
    ) -> Result<Sleep, Error> {
        let recorded = self.recorded()?;
        let span = &spans.all()[at];
        let (from_ns, to_ns) = (self.origin_ns + span.start, self.origin_ns + span.end);
        let blocked = span.state == TaskState::Blocked;
        let decided = |cause, resource| Sleep {
            cause,
            resource,
            label: Some(Label::Observed),
            ..ended
        };
        if let Some((cause, resource)) = recorded.interval(pid, from_ns, to_ns) {
            return Ok(decided(cause, resource));
        }
        let thawed = match ended.by {
            By::Task(waker) => recorded.thawed(waker, from_ns, to_ns),
            _ => None,
        };
        if let Some(cgroup) = thawed {
            return Ok(decided(SleepCause::Frozen, Resource::Cgroup(cgroup)));
        }
        let device = request.filter(|_| blocked && !matches!(ended.by, By::Task(_)));
        let device = device.and_then(|request| recorded.completed(request.cpu, to_ns));
        let mut before = spans.all()[..at].iter().rev();
        let slept = before.find(|span| span.is_asleep());
        let since_ns = self.origin_ns + slept.map_or(0, |span| span.end);
        let call = recorded.call(pid, since_ns, from_ns);
        let resource = match (device, call) {
            _ if blocked && recorded.faulted(pid, (since_ns, from_ns)) => Resource::Fault(device),
            (Some(device), _) => Resource::Block(device),
            (None, Some((call, argument))) => Resource::Call(call, argument),
            (None, None) => ended.resource,
        };
        // Where the switch is missing, the state is unknown.
        let known = (blocked || span.letter != 0).then_some(blocked);
        let by_call = call.and_then(|(call, _)| call.cause(known));
        Ok(match by_call {
            // A wait that timed out is one until a time. One for a disk has no timeout.
            Some(cause) if ended.cause == SleepCause::Timer && cause != SleepCause::Disk => {
                Sleep { resource, ..ended }
            }
            Some(cause) => decided(cause, resource),
            None if device.is_some() || blocked && recorded.slept_for_io(pid, to_ns) => {
                decided(SleepCause::Disk, resource)
            }
            // Blocked is no I/O where requests were recorded and none ended then.
            None if ended.is_guess() && recorded.records_disks() => Sleep {
                resource,
                ..Sleep::UNKNOWN
            },
            None => Sleep { resource, ..ended },
        })
    }

    /// The cause by the stack with which a task left its CPU, and the frame that decides it.
    fn function(
        &self,
        pid: i32,
        (slept_ns, woken_ns): (u64, u64),
    ) -> Result<Option<(SleepCause, u32)>, Error> {
        let Some(summary) = self.open.stacks.as_ref().filter(|it| it.callsites > 0) else {
            return Ok(None);
        };
        let switches = |event: u32| {
            let event = summary.events.get(event as usize);
            event.is_some_and(|event| event.event == "sched_switch")
        };
        let stacks = self.open.stack_log()?;
        let mut first: Option<(u64, Option<u32>)> = None;
        stacks.scan(slept_ns, woken_ns.min(slept_ns + STACK_NS), |sample| {
            let earlier = first.is_none_or(|(ts_ns, _)| sample.ts_ns < ts_ns);
            if sample.pid == pid && earlier && switches(sample.event) {
                first = Some((sample.ts_ns, sample.callsite));
            }
        })?;
        let mut callsite = first.and_then(|(_, callsite)| callsite);
        let mut frames = Vec::new();
        while let Some((caller, frame)) = callsite.and_then(|at| stacks.callsites.get(at)) {
            frames.push(frame);
            callsite = Some(caller);
        }
        let name = |frame: &u32| stacks.frames.get(*frame).name;
        let Some((cause, symbol)) = symbols::of_stack(frames.iter().map(name)) else {
            return Ok(None);
        };
        let frame = frames.iter().find(|frame| name(frame) == symbol);
        Ok(frame.map(|frame| (cause, *frame)))
    }

    /// Cause of a sleep, by its end.
    fn ended(&self, pid: i32, spans: &Spans, at: usize, request: &Request) -> Result<Sleep, Error> {
        let blocked = spans.all()[at].state == TaskState::Blocked;
        let serving = self.served.at(request.cpu, request.ts_ns)?;
        let mut ended = match request.context {
            Context::Interrupt => self.by_interrupt(serving, blocked),
            Context::Softirq => self.by_softirq(serving, request.waker_pid, blocked),
            Context::Idle if blocked => Sleep::new(SleepCause::Disk, By::Unknown, Label::Inferred),
            Context::Task | Context::Unknown if request.waker_pid > 0 => {
                self.by_task(pid, spans, at, request)?
            }
            Context::Task | Context::Idle | Context::Unknown => Sleep::UNKNOWN,
        };
        if ended.by == By::Timer {
            let deferred = &self.recorded()?.deferred;
            let owner = deferred.starter(Place::Cpu(request.cpu), request.ts_ns);
            ended.resource = owner.map_or(ended.resource, Resource::TimerOf);
        }
        Ok(ended)
    }

    fn by_interrupt(&self, serving: Option<Serving>, blocked: bool) -> Sleep {
        match serving {
            Some(Serving::Interrupt(at)) => {
                let cause = wakers::handler(self.served.handler(at));
                Sleep {
                    resource: Resource::Device(at),
                    ..Sleep::new(cause, By::Interrupt(at), Label::Replayed)
                }
            }
            // The timer's has no handler of its own.
            _ if self.served.has_interrupts => {
                Sleep::new(SleepCause::Timer, By::Timer, Label::Replayed)
            }
            _ if blocked => Sleep::new(SleepCause::Disk, By::Unknown, Label::Inferred),
            _ => Sleep::new(SleepCause::Timer, By::Timer, Label::Inferred),
        }
    }

    pub(crate) fn by_softirq(&self, serving: Option<Serving>, below: i32, blocked: bool) -> Sleep {
        // On the loopback device, packets are received in the system call of their sender.
        let sender = Some(below).filter(|&pid| self.is_program(pid));
        let sender = sender.map(By::Task);
        match serving {
            Some(Serving::Softirq(vector)) => {
                let cause = wakers::softirq(vector).1;
                let by = match cause {
                    SleepCause::Socket => sender.unwrap_or(By::Softirq(vector)),
                    SleepCause::Timer => By::Timer,
                    _ => By::Softirq(vector),
                };
                let label = if sender == Some(by) {
                    Label::Inferred
                } else {
                    Label::Replayed
                };
                Sleep::new(cause, by, label)
            }
            _ if blocked => Sleep::new(SleepCause::Disk, By::Unknown, Label::Inferred),
            _ => match sender {
                Some(by) => Sleep::new(SleepCause::Socket, by, Label::Inferred),
                None => Sleep::UNKNOWN,
            },
        }
    }

    /// Time for which the timer was overdue that woke a task at a moment, ns; `None` if that is not recorded.
    pub(crate) fn late_ns(&self, pid: i32, woken_ns: u64) -> Result<Option<u64>, Error> {
        let Some(request) = self.requests.at(woken_ns, pid)? else {
            return Ok(None);
        };
        let deferred = &self.recorded()?.deferred;
        Ok(deferred.late_ns(Place::Cpu(request.cpu), request.ts_ns))
    }
}
