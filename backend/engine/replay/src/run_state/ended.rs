//! Ends of waits, and their reports.

use numalens_core::tasks::NO_TASK;

use super::cpu::Current;
use super::replay::Replay;
use super::task::{At, State};
use super::{Observer, Wait, names};
use crate::waits::{Cause, CauseNs, CauseTotals, Left, WaitEnd, WaitFrom, WaitRow};

impl Replay {
    /// Ends the wait of a task, if it is known to wait, without its having got a CPU.
    pub(super) fn end_wait(&mut self, now: u64, at: At, end: WaitEnd, out: &mut impl Observer) {
        let task = self.states.get(at);
        let (State::Queued { cpu, .. } | State::Sleeping { cpu }) = task.state else {
            // A request to wake a task of which nothing is known may have found it running.
            return;
        };
        if let Some(wait) = task.wait() {
            self.tell_wait(now, at, cpu, wait, end, out);
        }
    }

    /// Ends all waits with the recording.
    pub(super) fn end_waits(&mut self, now: u64, out: &mut impl Observer) {
        self.end_starving(now);
        for at in 0..self.states.len() {
            if !self.is_lost(at) {
                self.end_wait(now, at, WaitEnd::Recording, out);
            }
        }
    }

    /// Returns whether the task is on the queue of a CPU without known state: it may have run there long ago.
    pub(super) fn is_lost(&mut self, at: At) -> bool {
        let State::Queued { cpu, .. } = self.states.get(at).state else {
            return false;
        };
        matches!(self.cpus[cpu as usize].current, Current::Unknown(_))
    }

    /// Handles the first event of the CPU after a gap: all tasks waiting there may have run unseen.
    #[cold]
    pub(super) fn close_gap(&mut self, now: u64, cpu: u32, out: &mut impl Observer) {
        self.cpus[cpu as usize].gap = false;
        self.split_waits(now, out);
    }

    /// Splits all waits because events are lost: a waiting task may have run unseen.
    pub(super) fn split_waits(&mut self, now: u64, out: &mut impl Observer) {
        for at in 0..self.states.len() {
            if !self.is_lost(at) {
                self.end_wait(now, at, WaitEnd::Lost, out);
            }
            let task = self.states.get(at);
            (task.waking, task.before) = (None, None);
            if let State::Queued { cpu, at: place } = task.state {
                task.queued = (now, WaitFrom::Resumed);
                task.left = Left::default();
                self.cpus[cpu as usize].queue[place as usize] = self.begin_phase(now, at, cpu);
            }
        }
    }

    /// Names a task that was woken and that no switch has shown yet.
    #[inline]
    pub(super) fn woken_as(&mut self, now: u64, pid: i32, comm: &[u8]) {
        if pid == 0 {
            return;
        }
        let at = self.task(now, pid);
        let task = self.states.get(at);
        task.call(comm);
        // A kernel thread that waits on the CPU that it is named for is bound to it before it ever ran there.
        if let State::Queued { cpu, .. } = task.state
            && task.seen.is_nowhere()
            && names::home(comm) == Some(cpu)
        {
            task.home = Some(cpu);
            self.seen_on(now, at, cpu);
        }
    }

    /// Numbers a task that waits and was never seen to run.
    #[cold]
    pub(super) fn name_unseen(&mut self, at: At) {
        let task = self.states.get(at);
        task.name = self.tasks.id(task.pid, &task.comm.text());
    }

    /// Reports the wait of a task that was on `cpu` at its end.
    #[inline]
    pub(super) fn tell_wait(
        &mut self,
        now: u64,
        at: At,
        cpu: u32,
        (wait, enqueued): (Wait, Option<u64>),
        end: WaitEnd,
        out: &mut impl Observer,
    ) {
        let mut spent: CauseTotals = [0; Cause::COUNT];
        // Until it was enqueued, if ever, the wake-up was under way.
        let under_way = enqueued.unwrap_or(now).saturating_sub(wait.since_ns);
        spent[Cause::WakeUp as usize] = under_way;
        if enqueued.is_some() {
            self.settle(now, at, &mut spent);
            self.explain_ext(wait.since_ns, now, at, &mut spent);
        }
        if wait.from == WaitFrom::Resumed && wait.since_ns == now {
            // It got its CPU with the event that ends the gap.
            return;
        }
        if self.states.get(at).name == NO_TASK {
            self.name_unseen(at);
        }
        let task = self.states.get(at);
        let row = WaitRow {
            start_ns: wait.since_ns,
            end_ns: now,
            task: task.name,
            prio: task.prio,
            cpu,
            from_cpu: if enqueued.is_some() {
                task.from_cpu
            } else {
                cpu
            },
            from: wait.from,
            end,
            waker_pid: wait.waker_pid,
            group: task.group,
        };
        tell(&row, &spent, out);
    }
}

#[inline]
fn tell(row: &WaitRow, spent: &CauseTotals, out: &mut impl Observer) {
    const NONE: CauseNs = CauseNs {
        cause: Cause::Busy,
        ns: 0,
    };
    let mut causes = [NONE; Cause::COUNT];
    let (mut len, mut sum) = (0, 0);
    for (&ns, &cause) in spent.iter().zip(&Cause::ALL) {
        // Written in any case and kept when there was any: which causes a wait has is hard to predict.
        causes[len] = CauseNs { cause, ns };
        len += usize::from(ns > 0);
        sum += ns;
    }
    debug_assert_eq!(sum, row.end_ns - row.start_ns, "{row:?} {spent:?}");
    out.wait(row, &causes[..len]);
}
