//! Cause of a sleep that another task ended: what the sleeper waited for it to do.

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_replay::timeline::{TaskSpan, TaskState};
use numalens_replay::waits::{Context, Request, WaitFrom};

use crate::catalogue::SleepCause;
use crate::deferred::Place;
use crate::ledger::Ledger;
use crate::piece::{By, Resource, Sleep};
use crate::spans::Spans;
use crate::wakers;

/// Maximum run time from the signal of the freezer until the task is frozen, ns.
const FREEZE_NS: u64 = 1_000_000;
/// Maximum time for which an exiting task exists after it notified its parent, ns.
pub(crate) const EXIT_NS: u64 = 5_000_000;

impl Ledger<'_> {
    /// Returns whether it is a task of a program, not of the kernel.
    pub(crate) fn is_program(&self, pid: i32) -> bool {
        pid > 0 && wakers::kernel_thread(self.comm(pid)).is_none()
    }

    /// Cause of a sleep that a task ended.
    pub(crate) fn by_task(
        &self,
        pid: i32,
        spans: &Spans,
        at: usize,
        request: &Request,
    ) -> Result<Sleep, Error> {
        let waker = request.waker_pid;
        let blocked = spans.all()[at].state == TaskState::Blocked;
        let by = By::Task(waker);
        if let Some(cause) = wakers::kernel_thread(self.comm(waker)) {
            if cause == SleepCause::Unknown {
                let serving = self.served.at(request.cpu, request.ts_ns)?;
                return Ok(self.by_softirq(serving, waker, blocked));
            }
            let cause = if blocked { cause } else { SleepCause::Other };
            let deferred = &self.recorded()?.deferred;
            let queued = deferred.starter(Place::Thread(waker), request.ts_ns);
            return Ok(Sleep {
                resource: match queued {
                    Some(by) => Resource::Work(waker, by),
                    None => Resource::KernelThread(waker),
                },
                ..Sleep::new(cause, by, Label::Inferred)
            });
        }
        let together = match (self.process(pid), self.process(waker)) {
            (Some(own), Some(other)) => Some(own == other),
            _ => None,
        };
        let inferred = |cause| Sleep::new(cause, by, Label::Inferred);
        // Without the context of the wakeup, an interrupt may have ended the sleep while the named task ran.
        let is_related = together == Some(true) || self.comm(pid) == self.comm(waker);
        if request.context == Context::Unknown
            && (blocked || !is_related)
            && !self.called(pid, spans, at, waker)?
            && !self.is_child(pid, spans, at, request)?
        {
            return Ok(Sleep::UNKNOWN);
        }
        if together != Some(true) {
            if blocked && self.is_frozen(pid, spans, at, waker)? {
                return Ok(inferred(SleepCause::Frozen));
            }
            if self.is_child(pid, spans, at, request)? {
                return Ok(inferred(SleepCause::Child));
            }
        }
        if blocked {
            let served = together != Some(true) && self.served(pid, spans, at, waker)?;
            return Ok(inferred(if served {
                SleepCause::Process
            } else {
                SleepCause::KernelLock
            }));
        }
        let namesakes = self.comm(pid) == self.comm(waker);
        Ok(inferred(match together {
            Some(false) if namesakes => SleepCause::UserLock,
            Some(false) => SleepCause::Process,
            None if !namesakes && self.answered(pid, spans, at, waker)? => SleepCause::Process,
            Some(true) | None => SleepCause::Thread,
        }))
    }

    /// Returns whether a waker whose process is unknown answers the sleeper. One that holds a lock which both use may be woken and wake
    /// the sleeper in the same order: what tasks of these names do mostly decides.
    fn answered(&self, pid: i32, spans: &Spans, at: usize, waker: i32) -> Result<bool, Error> {
        match self.answers()?.answers(self.comm(pid), self.comm(waker)) {
            Some(mostly) => Ok(mostly),
            None => self.called(pid, spans, at, waker),
        }
    }

    /// Returns whether the waker is a child of the sleeper that exited, or that began when the sleeper had last run
    /// (`vfork`). A child that exits does not sleep after it notified its parent (`do_exit`).
    fn is_child(
        &self,
        pid: i32,
        spans: &Spans,
        at: usize,
        request: &Request,
    ) -> Result<bool, Error> {
        let child = request.waker_pid;
        // A parent waits interruptibly.
        let ended =
            spans.all()[at].state == TaskState::Sleeping && self.ends_at(child, request.ts_ns)?;
        let ran = at.checked_sub(1).map(|before| &spans.all()[before]);
        let ran = ran.filter(|ran| ran.state == TaskState::Running);
        let ran = ran.map(|ran| (self.origin_ns + ran.start, self.origin_ns + ran.end));
        let mut born = false;
        if let Some((from_ns, to_ns)) = ran {
            let mut made = self.requests.with_new(from_ns, to_ns)?;
            born = made.any(|made| made.new && made.pid == child);
        }
        if !ended && !born {
            return Ok(false);
        }
        // The pid may have had another task before.
        let first = self.first_wait(child)?;
        let first = first.filter(|wait| wait.from == WaitFrom::New);
        let born = first.zip(ran).is_some_and(|(first, (from_ns, to_ns))| {
            first.start_ns > self.origin_ns && (from_ns..=to_ns).contains(&first.start_ns)
        });
        let parent = first.map(|wait| wait.waker_pid);
        let parent = parent.filter(|&maker| maker > 0);
        let process = self.process(pid);
        let is_own = |parent| parent == pid || process.is_some() && self.process(parent) == process;
        Ok((ended || born) && parent.is_none_or(is_own))
    }

    /// Returns whether a task ends soon after a moment and does not sleep before. A program that only wakes another one before it ends,
    /// such as a client, sleeps in between.
    fn ends_at(&self, pid: i32, ts_ns: u64) -> Result<bool, Error> {
        let at = self.after_origin(ts_ns);
        let spans = self.spans(pid, (ts_ns, ts_ns + EXIT_NS))?;
        let all = spans.all();
        let past = all.partition_point(|span| span.start <= at + EXIT_NS);
        let Some(last) = past.checked_sub(1).map(|last| all[last]) else {
            return Ok(false);
        };
        // There are no gaps while a task exists.
        let goes_on = all
            .get(past)
            .map_or(spans.goes_on, |next| next.start == last.end);
        let recorded = self.after_origin(self.open.index.end_ns());
        Ok(last.state == TaskState::Running
            && !goes_on
            && last.end < recorded
            && (at..=at + EXIT_NS).contains(&last.end)
            && !spans.within(at, last.end).iter().any(TaskSpan::is_asleep))
    }

    /// Returns whether a task was frozen: a task of another process woke it, it ran briefly, woke no task and blocked, until
    /// that process woke it again. The freezer wakes a task so that it freezes (`freeze_task`), and again to thaw it. A task that is
    /// runnable needs no wakeup to freeze: then the one that woke it slept, and held no lock.
    fn is_frozen(&self, pid: i32, spans: &Spans, at: usize, thawed_by: i32) -> Result<bool, Error> {
        if self.held_nothing(thawed_by, &spans.all()[at])?
            && !self.called(pid, spans, at, thawed_by)?
        {
            return Ok(true);
        }
        let before = &spans.all()[..at];
        let runs = before.iter().rev();
        let runs =
            runs.take_while(|span| matches!(span.state, TaskState::Running | TaskState::Preempted));
        let runs = runs.count();
        let (rest, runs) = before.split_at(at - runs);
        let ran: u64 = runs.iter().map(|span| span.end - span.start).sum();
        let Some(woken) = rest.last().filter(|span| span.state == TaskState::Woken) else {
            return Ok(false);
        };
        let Some(request) = self.requests.at(self.origin_ns + woken.start, pid)? else {
            return Ok(false);
        };
        let other = request.waker_pid;
        let same = other == thawed_by
            || self.comm(other) == self.comm(thawed_by)
            || self
                .process(other)
                .is_some_and(|it| self.process(thawed_by) == Some(it));
        Ok(request.context == Context::Task
            && self.is_program(other)
            && ran <= FREEZE_NS
            && same
            && !self.woke_anybody(pid, runs)?
            && !self.may_hold(thawed_by, &spans.all()[at])?)
    }

    /// Returns whether a task slept interruptibly for most of another one's sleep: in the meantime it held no lock of the kernel.
    fn held_nothing(&self, pid: i32, sleep: &TaskSpan) -> Result<bool, Error> {
        Ok(sleep.end - sleep.start >= FREEZE_NS
            && self.is_program(pid)
            && self.is_mostly(pid, sleep, |span| span.letter == b'S')?)
    }

    /// Returns whether a task was awake or blocked for most of another one's sleep: it may have held a lock of the kernel.
    fn may_hold(&self, pid: i32, sleep: &TaskSpan) -> Result<bool, Error> {
        self.is_mostly(pid, sleep, |span| span.letter != b'S')
    }

    /// Returns whether a task was in some states for most of another one's sleep.
    fn is_mostly(
        &self,
        pid: i32,
        sleep: &TaskSpan,
        of_states: impl Fn(&TaskSpan) -> bool,
    ) -> Result<bool, Error> {
        let window = (self.origin_ns + sleep.start, self.origin_ns + sleep.end);
        let spans = self.spans(pid, window)?;
        let within = spans.within(sleep.start, sleep.end).iter();
        let of_states = within.filter(|span| of_states(span));
        let ns = of_states.map(|span| span.end.min(sleep.end) - span.start.max(sleep.start));
        Ok(ns.sum::<u64>() * 2 > sleep.end - sleep.start)
    }

    /// Returns whether the sleeper woke its waker when it had last run: it made a request.
    pub(crate) fn called(
        &self,
        pid: i32,
        spans: &Spans,
        at: usize,
        waker: i32,
    ) -> Result<bool, Error> {
        Ok(self.called_at(pid, spans, at, waker)?.is_some())
    }

    /// Returns whether a blocked task made a request to its waker, as to a file system in a program (FUSE). That one slept interruptibly
    /// until then: those that wait for a lock of the kernel are blocked.
    fn served(&self, pid: i32, spans: &Spans, at: usize, waker: i32) -> Result<bool, Error> {
        let Some(called_ns) = self.called_at(pid, spans, at, waker)? else {
            return Ok(false);
        };
        let called = self.after_origin(called_ns);
        let spans = self.spans(waker, (called_ns.saturating_sub(1), called_ns))?;
        let mut ended = spans.all().iter().filter(|span| span.end == called);
        Ok(ended.any(|span| span.letter == b'S'))
    }

    /// Time at which the sleeper last woke its waker when it had last run; `None` if it did not.
    fn called_at(
        &self,
        pid: i32,
        spans: &Spans,
        at: usize,
        waker: i32,
    ) -> Result<Option<u64>, Error> {
        let runs = spans.all()[..at].iter().rev();
        let runs = runs.take_while(|span| !span.is_asleep());
        for span in runs.filter(|span| span.state == TaskState::Running) {
            let (from, to) = (self.origin_ns + span.start, self.origin_ns + span.end);
            let rows = self.requests.rows(from, to)?;
            let called = rows.filter(|it| it.pid == waker && wakers::is_from(it, pid));
            if let Some(last) = called.last() {
                return Ok(Some(last.ts_ns));
            }
        }
        Ok(None)
    }
}
