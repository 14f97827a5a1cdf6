//! Changes of tasks to runnable, to another CPU and to sleep; their queues and counts.

use super::Observer;
use super::counts::{BOUND, GroupCounts, IOWAIT, MEMSTALL, ON_CPU, Placed, RARE, RUNNING};
use super::cpu::{Current, Waiting};
use super::inputs::Switches;
use super::replay::Replay;
use super::task::{At, State};
use super::timed::Later;
use crate::migrations::{How, Migration};
use crate::states::{LATEST, MACHINE};
use crate::waits::{
    self, Budget, Cause, CauseTotals, Left, MIGRATION_COST_NS, Phase, WaitFrom, WakeAffinity,
};

impl Replay {
    /// Handles a request; returns where the task slept and where it may run if the request starts a wakeup.
    #[inline]
    pub(super) fn waking(
        &mut self,
        now: u64,
        cpu: u32,
        (pid, comm): (i32, &[u8]),
        target_cpu: u32,
        waker: i32,
    ) -> Option<(Option<u32>, WakeAffinity)> {
        if pid == 0 {
            return None;
        }
        let at = self.task(now, pid);
        if (self.switches == Switches::Missing || self.stats.lost_marks > 0)
            && let State::Queued { cpu, .. } = self.states.get(at).state
        {
            self.ran_unseen(at, cpu);
        }
        let task = self.states.get(at);
        task.call(comm);
        // A task that runs or is runnable has nothing to wait for: the request only keeps it from going to sleep.
        let prev_cpu = match task.state {
            State::Sleeping { cpu } => Some(task.moved.take().unwrap_or(cpu)),
            State::Unknown => None,
            State::Queued { .. } | State::Running { .. } => return None,
        };
        let allowed = task.allowed.cpus();
        task.waking = Some((now, waker));
        task.waking_cpu = cpu;
        if !self.recorded.wakeup {
            self.wakeup(now, cpu, pid, target_cpu, WaitFrom::Wakeup);
        }
        Some((prev_cpu, allowed))
    }

    /// Ends the wait since an earlier wakeup: the task is woken again, or the CPU stays idle.
    pub(super) fn ran_unseen(&mut self, at: At, cpu: u32) {
        let task = self.states.get(at);
        if task.was_woken && matches!(task.state, State::Queued { cpu: on, .. } if on == cpu) {
            (task.waking, task.moved, task.iowait) = (None, None, false);
            self.set(at, State::Sleeping { cpu });
        }
    }

    /// An idle CPU takes the tasks of its queue at once, unless they are throttled. Where switches are missing, those have run
    /// that came long before it got idle, and the others by the time at which it is still idle.
    #[cold]
    pub(super) fn expect_on(&mut self, now: u64, cpu: u32) {
        for place in (0..self.cpus[cpu as usize].queue.len()).rev() {
            let at = self.cpus[cpu as usize].queue[place].task;
            let task = self.states.get(at);
            let (pid, group, since) = (task.pid, task.group, task.queued.0);
            if self.has_quota(group) || self.is_throttled(group) {
                continue;
            }
            if since.saturating_add(waits::IDLE_EXIT_NS) <= now {
                self.ran_unseen(at, cpu);
            } else {
                let later = Later::Idled {
                    pid,
                    cpu,
                    since: now,
                };
                let by = now.saturating_add(waits::IDLE_EXIT_NS);
                self.timed.later(by, later);
            }
        }
    }

    #[inline]
    pub(super) fn wakeup(&mut self, now: u64, cpu: u32, pid: i32, target_cpu: u32, from: WaitFrom) {
        if pid == 0 || !self.has_cpu(target_cpu) {
            return;
        }
        let at = self.task(now, pid);
        match self.states.get(at).state {
            State::Running { .. } => {}
            State::Queued { .. } => self.requeue(now, at, target_cpu),
            State::Sleeping { .. } | State::Unknown => {
                let task = self.states.get(at);
                if self.enqueued_before_wakeup
                    && task.waking_cpu == cpu
                    && let Some((requested, _)) = task.waking
                {
                    let middle = u64::midpoint(requested, now);
                    self.since = middle.max(task.slept).max(now.saturating_sub(LATEST));
                }
                let since = self.since;
                self.states.get(at).woken = since;
                self.enqueue(now, at, target_cpu, from);
            }
        }
    }

    /// A sleeping task moves when it wakes: the kernel leaves its counts where it slept until then (`psi_ttwu_dequeue`).
    pub(super) fn migrate(
        &mut self,
        now: u64,
        cpu: u32,
        pid: i32,
        orig_cpu: Option<u32>,
        dest_cpu: u32,
        out: &mut impl Observer,
    ) {
        if pid == 0 || !self.has_cpu(dest_cpu) {
            return;
        }
        let at = self.task(now, pid);
        let task = self.states.get(at);
        let (was_on, how) = match task.state {
            State::Queued { cpu, .. } | State::Running { cpu } => (Some(cpu), How::Runnable),
            State::Sleeping { cpu } if task.waking.is_none() => (Some(cpu), How::Asleep),
            State::Sleeping { cpu } => (Some(cpu), How::Waking),
            State::Unknown if task.waking.is_some() => (None, How::Waking),
            State::Unknown => (None, How::Unknown),
        };
        if let Some(orig_cpu) = orig_cpu.or(was_on) {
            out.migration(&Migration {
                ts_ns: now,
                cpu,
                pid,
                task: task.name,
                orig_cpu,
                dest_cpu,
                how,
            });
        }
        if how == How::Asleep {
            // Still queued though it sleeps (`DELAY_DEQUEUE`, 6.12): a balancer takes it along.
            self.states.get(at).moved = Some(dest_cpu);
        }
        self.requeue(now, at, dest_cpu);
    }

    #[inline]
    pub(super) fn sleep(&mut self, now: u64, at: At, cpu: u32, blocked: bool) {
        let task = self.states.get(at);
        let pid = task.pid;
        task.slept = now;
        (task.turn, task.moved) = (None, None);
        task.iowait = false;
        match self.iowaits.begins(pid, now, blocked) {
            Some(from) if from <= now => task.iowait = true,
            Some(from) => self.timed.later(from, Later::Iowait { pid, slept: now }),
            None => {}
        }
        self.set(at, State::Sleeping { cpu });
    }

    /// Gives the task a state other than queued, taking it out of its queue.
    #[inline]
    pub(super) fn set(&mut self, at: At, state: State) {
        let task = self.states.get(at);
        let before = std::mem::replace(&mut task.state, state);
        if let State::Queued { cpu, at: place } = before {
            task.before = None;
            self.unqueue(cpu, place);
        }
        self.place(at);
    }

    #[inline]
    fn unqueue(&mut self, cpu: u32, place: u32) {
        self.touch(cpu);
        let queue = &mut self.cpus[cpu as usize].queue;
        queue.swap_remove(place as usize);
        if let Some(moved) = queue.get(place as usize) {
            self.states.get(moved.task).state = State::Queued { cpu, at: place };
        } else if queue.is_empty() {
            self.clear_overloaded(cpu);
        }
    }

    #[inline]
    pub(super) fn enqueue(&mut self, now: u64, at: At, cpu: u32, from: WaitFrom) {
        let task = self.states.get(at);
        task.queued = (now, from);
        task.was_woken = matches!(from, WaitFrom::Waking | WaitFrom::Wakeup | WaitFrom::New);
        let ran = match from {
            WaitFrom::Preempted => now,
            WaitFrom::Waking | WaitFrom::Wakeup => task.slept,
            WaitFrom::New | WaitFrom::Resumed => 0,
        };
        let cools = ran.saturating_add(MIGRATION_COST_NS);
        let hot = ran > 0 && cools > now;
        task.left = Left {
            hot,
            ..Left::default()
        };
        if hot {
            self.timed.cools(cools, at, now);
        }
        let task = self.states.get(at);
        task.out_of_budget = false;
        task.unplaced = false;
        task.from_cpu = cpu;
        task.before = None;
        if let State::Queued { cpu, at: place } = task.state {
            self.unqueue(cpu, place);
        }
        self.queue(now, at, cpu);
    }

    #[inline]
    fn queue(&mut self, now: u64, at: At, cpu: u32) {
        let waiting = self.begin_phase(now, at, cpu);
        let c = &mut self.cpus[cpu as usize];
        let place = c.queue.len() as u32;
        c.queue.push(waiting);
        self.states.get(at).state = State::Queued { cpu, at: place };
        if place == 0 {
            self.set_overloaded(cpu);
        }
        if self.switches == Switches::Missing && self.cpus[cpu as usize].current == Current::Idle {
            self.expect_on(now, cpu);
        }
        self.touch(cpu);
        self.place(at);
    }

    /// Moves a waiting task to another queue; it waits on.
    fn requeue(&mut self, now: u64, at: At, dest_cpu: u32) {
        let State::Queued { cpu, at: place } = self.states.get(at).state else {
            return;
        };
        if cpu == dest_cpu {
            return;
        }
        let mut spent: CauseTotals = [0; Cause::COUNT];
        self.settle(now, at, &mut spent);
        let lost = self.is_lost(at);
        let task = self.states.get(at);
        (task.before, task.turn) = (Some(Box::new(spent)), None);
        if lost {
            // What it waited before it came is not known.
            (task.before, task.waking) = (None, None);
            task.queued = (now, WaitFrom::Resumed);
            task.left = Left::default();
        }
        self.unqueue(cpu, place);
        self.queue(now, at, dest_cpu);
    }

    /// The place in the queue of a CPU of a task that waits there: a phase of its wait begins.
    #[inline]
    pub(super) fn begin_phase(&mut self, now: u64, at: At, cpu: u32) -> Waiting {
        let mask = self.states.get(at).allowed.mask();
        let scope = self.clocks.scope(now, cpu, mask);
        Waiting {
            task: at,
            scope,
            since_ns: now,
            since: self.clocks.read(now, cpu, scope),
        }
    }

    /// Ends the phase of a waiting task's wait, and adds what all of them consisted of.
    #[inline]
    pub(super) fn settle(&mut self, now: u64, at: At, spent: &mut CauseTotals) {
        let task = self.states.get(at);
        let State::Queued { cpu, at: place } = task.state else {
            return;
        };
        let (pid, from_cpu, group) = (task.pid, task.from_cpu, task.group);
        let (mut waiter, out) = (task.waiter(cpu), task.out_of_budget);
        if let Some(before) = task.before.take() {
            for (sum, ns) in spent.iter_mut().zip(before.iter()) {
                *sum += ns;
            }
        }
        waiter.budget = if out || self.is_out_of_quota(group, cpu) {
            Budget::UsedUp
        } else if !self.throttled.is_empty() && self.is_throttled(group) {
            Budget::Throttled
        } else if self.has_quota(group) {
            Budget::Limited
        } else {
            Budget::Unlimited
        };
        let waiting = &self.cpus[cpu as usize].queue[place as usize];
        let since = waiting.since_ns;
        waiter.unseen = !waiter.bound && self.clocks.any_unseen_in(waiting.scope, since);
        // That CPUs passed it over shows nothing where it may have run on one that recorded nothing.
        let passed_over = waiter.inferred && self.clocks.any_unseen(since);
        waiter.astray = (waiter.unseen || passed_over) && self.switches == Switches::Missing;
        let until = self.clocks.read(now, cpu, waiting.scope);
        let mask = self.clocks.mask_of(waiting.scope);
        let plain = waits::add(spent, &waiting.since, &until, waiter, mask.is_none());
        if (!plain || cpu != from_cpu) && waiting.since_ns < now {
            self.phases.push(Phase {
                start_ns: waiting.since_ns,
                end_ns: now,
                pid,
                cpu,
                mask,
                waiter,
            });
        }
    }

    /// Settles a waiting task in its place, because what its time counts as changes now.
    pub(super) fn settle_in_place(&mut self, now: u64, at: At) {
        let State::Queued { cpu, at: place } = self.states.get(at).state else {
            return;
        };
        let mut spent: CauseTotals = [0; Cause::COUNT];
        self.settle(now, at, &mut spent);
        self.states.get(at).before = Some(Box::new(spent));
        self.cpus[cpu as usize].queue[place as usize] = self.begin_phase(now, at, cpu);
    }

    /// Recounts the task after its state, stalls or binding changed.
    #[inline]
    pub(super) fn place(&mut self, at: At) {
        let task = self.states.get(at);
        let (cpu, mut flags) = match task.state {
            State::Unknown => (0, 0),
            State::Sleeping { cpu } => (cpu, if task.iowait { IOWAIT } else { 0 }),
            State::Queued { cpu, at: place } => {
                let scope = self.cpus[cpu as usize].queue[place as usize].scope;
                let bound = task.allowed.is_bound_to(cpu)
                    || task.allowed.mask().is_some() && !self.clocks.any_idle_in(scope);
                (cpu, RUNNING | if bound { BOUND } else { 0 })
            }
            State::Running { cpu } => (cpu, RUNNING | ON_CPU),
        };
        if task.stalls > 0 && task.state != State::Unknown {
            flags |= MEMSTALL;
        }
        let new = Placed { cpu, flags };
        let old = std::mem::replace(&mut task.placed, new);
        let group = task.group;
        if old != new && (group != MACHINE || (old.flags | flags) & RARE != 0) {
            self.count(group, old, new);
        }
    }

    /// Takes the old flags away and adds the new ones, in the machine, the group and all above it.
    pub(super) fn count(&mut self, group: u32, old: Placed, new: Placed) {
        for (placed, add) in [(old, false), (new, true)] {
            let at = placed.cpu as usize;
            if placed.flags == 0 || at >= self.cpus.len() {
                continue;
            }
            self.cpus[at].counts.each(placed.flags, add);
            self.touch(placed.cpu);
            let mut group = group;
            while group != MACHINE {
                if placed.flags & ON_CPU != 0 {
                    self.quota_runs(group, placed.cpu, add);
                }
                self.count_in(group, placed, add);
                group = self.groups.parent(group);
            }
        }
    }

    fn count_in(&mut self, group: u32, placed: Placed, add: bool) {
        let groups = &mut self.cpus[placed.cpu as usize].groups;
        if group as usize >= groups.len() {
            groups.resize(group as usize + 1, GroupCounts::default());
        }
        groups[group as usize].each(placed.flags, add);
        self.touched_groups.push((placed.cpu, group));
    }
}
