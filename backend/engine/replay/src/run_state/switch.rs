//! Handling of switches.

use numalens_core::tasks::{NO_TASK, TaskId};
use numalens_events::{EndState, Switched};

use super::cpu::Current;
use super::inputs::Switches;
use super::replay::Replay;
use super::task::{At, State};
use super::timed::Later;
use super::{Observer, Slice, Unknown, names};
use crate::states::LATEST;
use crate::waits::WaitFrom;
use crate::waits::{On, WaitEnd};

/// Priorities below this one are real-time ones, and below 0 deadline ones (`MAX_RT_PRIO`, `include/linux/sched/prio.h`).
pub(crate) const MAX_RT_PRIO: i32 = 100;

/// A CPU whose stopper runs for so long without an event has gone offline (`take_cpu_down`, `kernel/cpu.c`), ns. A guest
/// whose CPU is taken away stays in it for tens of ms.
pub(super) const STOPPED_NS: u64 = 200_000_000;

impl Replay {
    #[inline]
    pub(super) fn switch(
        &mut self,
        now: u64,
        cpu: u32,
        prev: Switched<'_>,
        state: &EndState,
        mut next: Switched<'_>,
        out: &mut impl Observer,
    ) {
        if !self.reclassed.is_empty()
            && let Some(&prio) = self.reclassed.get(&(now, cpu, next.pid))
        {
            next.prio = prio;
        }
        let c = &mut self.cpus[cpu as usize];
        let this = Some((now, prev.pid, next.pid));
        if c.last_switch == this {
            self.stats.duplicates += 1;
            return;
        }
        c.last_switch = this;
        self.stats.switches += 1;
        self.course.at(now).switches += 1;
        let left = (prev.pid != 0).then(|| self.task(now, prev.pid));
        self.leave(now, cpu, prev, left, state, out);
        if let Some(at) = left {
            let task = self.states.get(at);
            task.prio = prev.prio;
            // Requested before it was known to run: that request did not end a sleep.
            task.waking = None;
            match task.state {
                // It has been seen on another CPU since: its switch-out comes late and says nothing about now.
                State::Running { cpu: other } if other != cpu => {}
                _ if state.leaves => self.sleep(now, at, cpu, state.blocked),
                _ => {
                    self.enqueue(now, at, cpu, WaitFrom::Preempted);
                    // A lower class, or no task, gets the CPU of a task that could run: it has no budget left.
                    let class = |prio: i32| u8::from(prio >= 0) + u8::from(prio >= MAX_RT_PRIO);
                    self.states.get(at).out_of_budget =
                        next.pid == 0 || class(next.prio) > class(prev.prio);
                    self.quota_left(now, at, cpu, next.pid);
                }
            }
        }
        if self.cpus[cpu as usize].current == Current::Idle {
            let ns = now.saturating_sub(self.cpus[cpu as usize].since);
            self.idled(cpu, ns);
        }
        let followed = self.followed.as_ref();
        let unknown = followed.is_some_and(|followed| !followed.contains(&next.pid));
        let current = if unknown {
            Current::Unknown(Unknown::Start)
        } else if next.pid == 0 {
            self.becomes_idle(now, cpu);
            if self.switches == Switches::Missing {
                self.expect_on(now, cpu);
            }
            Current::Idle
        } else {
            self.enter(now, cpu, next, out)
        };
        let c = &mut self.cpus[cpu as usize];
        c.since = now;
        c.current = current;
        let on = if unknown {
            On::Unknown
        } else if next.pid == 0 {
            On::Idle
        } else {
            On::task(next.prio)
        };
        self.clocks.switched(now, cpu, on);
        if !self.scanning.is_empty() {
            // A task leaves only for others while it scans: it did not sleep in there, so that the return of one that does is missing.
            self.scanning
                .retain(|&pid| pid != prev.pid || !state.leaves);
            let scans = self.scanning.contains(&next.pid);
            self.clocks.numa_scan(now, cpu, scans);
        }
        self.switched = Some(cpu);
        self.touch(cpu);
    }

    /// The number of a task's name, the last known one being kept with the task.
    #[inline]
    pub(super) fn name(&mut self, at: At, comm: &[u8]) -> TaskId {
        let task = self.states.get(at);
        if (task.comm.is(comm) || comm.is_empty()) && task.name != NO_TASK {
            return task.name;
        }
        if comm.is_empty() {
            // The switch does not say it; a wakeup may have.
            self.name_unseen(at);
            return self.states.get(at).name;
        }
        self.rename(at, comm)
    }

    #[cold]
    fn rename(&mut self, at: At, comm: &[u8]) -> TaskId {
        let task = self.states.get(at);
        task.name = self.tasks.id(task.pid, &String::from_utf8_lossy(comm));
        task.comm = names::Short::new(comm);
        task.home = names::home(comm);
        task.name
    }

    /// Ends what the CPU did until now.
    #[inline]
    fn leave(
        &mut self,
        now: u64,
        cpu: u32,
        prev: Switched<'_>,
        left: Option<At>,
        state: &EndState,
        out: &mut impl Observer,
    ) {
        let c = &self.cpus[cpu as usize];
        let since = c.since;
        match (c.current, left) {
            (
                Current::Task {
                    pid, prio, wait, ..
                },
                Some(at),
            ) if pid == prev.pid => {
                let task = self.name(at, prev.comm);
                let slice = Slice {
                    cpu,
                    task,
                    prio,
                    start_ns: since,
                    end_ns: now,
                    end_known: true,
                    end_state: &state.label,
                    wait,
                };
                out.slice(&slice, &mut self.tasks);
            }
            (Current::Idle, None) => {}
            (Current::Unknown(why), _) => {
                out.unknown(cpu, since, now, why);
                if let Some(at) = left {
                    self.name(at, prev.comm);
                }
            }
            (Current::Idle | Current::Task { .. }, _) => self.gap(now, cpu, out),
        }
    }

    /// Handles a missing switch: the task assumed to run had left before.
    #[cold]
    fn gap(&mut self, now: u64, cpu: u32, out: &mut impl Observer) {
        self.stats.gaps += 1;
        let wrong = now.saturating_sub(self.cpus[cpu as usize].since);
        self.stats.gap_ns = self.stats.gap_ns.saturating_add(wrong);
        let step = self.course.at(now);
        step.gap_ns = step.gap_ns.saturating_add(wrong);
        if let Some(pid) = self.cut_short(now, cpu, out) {
            let at = self.task(now, pid);
            if self.states.get(at).state == (State::Running { cpu }) {
                self.set(at, State::Unknown);
            }
        }
    }

    /// The next task comes to its CPU.
    #[inline]
    fn enter(
        &mut self,
        now: u64,
        cpu: u32,
        next: Switched<'_>,
        out: &mut impl Observer,
    ) -> Current {
        let at = self.task(now, next.pid);
        let name = self.name(at, next.comm);
        let task = self.states.get(at);
        task.prio = next.prio;
        if task.home == Some(cpu) && next.prio == 0 {
            let later = Later::Stopped { cpu, since: now };
            self.timed.later(now.saturating_add(STOPPED_NS), later);
        }
        self.seen_on(now, at, cpu);
        let task = self.states.get(at);
        let from = task.queued.1;
        let wait = task.wait();
        let idle = self.cpus[cpu as usize].current == Current::Idle;
        match task.state {
            State::Queued { cpu: queue, .. } if queue != cpu => {
                // The target of `sched_waking` is the CPU where the task last ran, not the one that it was put on.
                task.unplaced = !self.recorded.wakeup && task.was_woken;
                if !task.unplaced {
                    self.stats.missed_migrations += 1;
                    self.course.first_migration.get_or_insert(now);
                }
            }
            State::Queued { .. } if idle && matches!(from, WaitFrom::Wakeup | WaitFrom::New) => {
                self.typical.add(now - task.woken);
            }
            State::Running { cpu: other } if other != cpu => self.stats.ran_elsewhere += 1,
            State::Sleeping { .. } if self.recorded.wakeup => {
                self.stats.missed_wakeups += 1;
                self.course.at(now).wakeups += 1;
                if idle && self.date_missing_wakeups {
                    self.wake_unseen(now, at, cpu, out);
                }
            }
            _ => {}
        }
        let elsewhere =
            !matches!(self.states.get(at).state, State::Queued { cpu: on, .. } if on == cpu);
        let wait = wait.filter(|_| !(elsewhere && self.is_lost(at)));
        if let Some(wait) = wait {
            self.tell_wait(now, at, cpu, wait, WaitEnd::Ran, out);
        }
        let task = self.states.get(at);
        (task.waking, task.turn) = (None, None);
        self.set(at, State::Running { cpu });
        self.quota_ran(now, at, cpu);
        Current::Task {
            pid: next.pid,
            task: name,
            prio: next.prio,
            wait: wait.map(|(wait, _)| wait),
        }
    }
}

impl Replay {
    /// A task comes to an idle CPU whose wake-up is not recorded: it was runnable for about as long as others are then.
    #[cold]
    fn wake_unseen(&mut self, now: u64, at: At, cpu: u32, out: &mut impl Observer) {
        let Some(typical) = self.typical.median() else {
            return;
        };
        let slept = self.states.get(at).slept;
        let woken = now.saturating_sub(typical.min(LATEST));
        // The log keeps a CPU's changes in their order, so it is not before the CPU was idle.
        self.since = woken.max(slept);
        self.enqueue(now, at, cpu, WaitFrom::Wakeup);
        self.tell(out);
        self.since = now;
    }
}
