//! Events of tasks besides running and waiting: births, exits, cgroups, memory stalls, and facts from the inputs.

use numalens_core::tasks::NO_TASK;

use super::counts::Placed;
use super::cpu::Current;
use super::inputs::{First, Starved};
use super::replay::Replay;
use super::switch::STOPPED_NS;
use super::task::{Allowed, At, Seen, State};
use super::timed::{Due, Later};
use super::{Observer, Unknown};
use crate::states::MACHINE;
use crate::waits::{On, WaitEnd, WaitFrom};

impl Replay {
    /// The task is gone, and the next one of its pid is another.
    pub(super) fn free(&mut self, now: u64, pid: i32, out: &mut impl Observer) {
        if pid == 0 {
            return;
        }
        let at = self.task(now, pid);
        self.end_wait(now, at, WaitEnd::Gone, out);
        self.scanning.retain(|&known| known != pid);
        let task = self.states.get(at);
        task.waking = None;
        if !matches!(task.state, State::Running { .. }) {
            self.set(at, State::Unknown);
            self.states.drop(at);
            self.task_cpus.remove(&pid);
            self.timed.forget(pid, now);
        }
    }

    /// A new task: whatever was known of its pid was another's.
    pub(super) fn fork(&mut self, now: u64, parent: i32, child: i32, out: &mut impl Observer) {
        if child == 0 {
            return;
        }
        let parent = self.task(now, parent);
        let group = self.states.get(parent).group;
        let inherited = self.sampled_cpus(parent);
        let at = self.task(now, child);
        if !matches!(self.states.get(at).state, State::Running { .. }) {
            self.end_wait(now, at, WaitEnd::Gone, out);
            self.set(at, State::Unknown);
            let task = self.states.get(at);
            (task.stalls, task.waking) = (0, None);
            (task.allowed, task.seen) = (Allowed::ANYWHERE, Seen::default());
            task.out_of_budget = false;
            // Its own, if it was sampled since, else its parent's (`dup_task_struct`, `dup_user_cpus_ptr`).
            let own = self.task_cpus.remove(&child);
            let own = own.filter(|own| own.0 > now);
            if let Some(sampled) = own.or(inherited) {
                self.allow_cpus(now, at, &sampled.1, false);
                self.task_cpus.insert(child, sampled);
            }
        }
        self.attach(now, at, group);
        self.allow_group(now, at);
    }

    /// Handles the exit of a task: it runs until its last switch, but in no stall.
    pub(super) fn exit(&mut self, now: u64, pid: i32) {
        if pid != 0 {
            let at = self.task(now, pid);
            self.states.get(at).stalls = 0;
            self.place(at);
        }
    }

    /// Stalls nest; the outermost counts (`psi_memstall_enter`).
    pub(super) fn stall(&mut self, now: u64, pid: i32, enter: bool) {
        if pid == 0 {
            return;
        }
        let at = self.task(now, pid);
        let task = self.states.get(at);
        task.stalls = if enter {
            task.stalls.saturating_add(1)
        } else {
            // The end of one that began before the recording did.
            task.stalls.saturating_sub(1)
        };
        self.place(at);
    }

    /// Moves the task to a cgroup, with all its counts.
    pub(super) fn attach(&mut self, now: u64, at: At, group: u32) {
        let task = self.states.get(at);
        let (old, placed) = (task.group, task.placed);
        if old != group {
            self.settle_in_place(now, at);
            self.count(old, placed, Placed::NOWHERE);
            self.states.get(at).group = group;
            self.count(group, Placed::NOWHERE, placed);
            self.allow_group(now, at);
        }
    }

    /// Marks a task as runnable that may have no event but samples: reads the clocks of its CPU, in case it waits.
    fn starves(&mut self, now: u64, starved: &Starved) {
        let Starved { pid, cpu, .. } = *starved;
        if pid == 0 || !self.has_cpu(cpu) {
            return;
        }
        let at = self.task(now, pid);
        let task = self.states.get(at);
        if task.state == State::Unknown && task.name == NO_TASK && task.waking.is_none() {
            self.woken_as(now, pid, starved.comm.as_bytes());
            let waiting = self.begin_phase(now, at, cpu);
            self.starving.insert(pid, (waiting, cpu));
        }
    }

    /// Reports the whole time as a wait, if the task had no event.
    fn starved(&mut self, now: u64, pid: i32) {
        let Some((since, cpu)) = self.starving.remove(&pid) else {
            return;
        };
        let at = self.task(now, pid);
        let task = self.states.get(at);
        if at != since.task
            || task.state != State::Unknown
            || task.name != NO_TASK
            || task.waking.is_some()
        {
            return;
        }
        self.enqueue(now, at, cpu, WaitFrom::Resumed);
        self.states.get(at).queued.0 = since.since_ns;
        if let Some(waiting) = self.cpus[cpu as usize].queue.last_mut() {
            *waiting = since;
        }
    }

    /// The recording ends between the samples of some tasks.
    pub(super) fn end_starving(&mut self, now: u64) {
        let pids: Vec<i32> = self.starving.keys().copied().collect();
        for pid in pids {
            self.starved(now, pid);
        }
    }

    /// A task that counts as waiting since before it ran has not waited: the switch to it is missing, and who knows where it is.
    fn ran_elsewhere(&mut self, now: u64, pid: i32, since: u64) {
        let at = self.task(now, pid);
        let task = self.states.get(at);
        if matches!(task.state, State::Queued { .. }) && task.queued.0 <= since {
            task.waking = None;
            self.set(at, State::Unknown);
        }
    }

    /// Applies a fact from the inputs that is due at this time.
    pub(super) fn due(&mut self, now: u64, due: Due, out: &mut impl Observer) {
        match due {
            Due::Member { pid: 0, .. }
            | Due::TaskCpus { pid: 0, .. }
            | Due::TaskChanged { pid: 0 } => {}
            Due::Member { pid, group } => {
                let at = self.task(now, pid);
                self.attach(now, at, group);
            }
            Due::Throttle { group, on } => self.throttle(now, group, on),
            Due::TaskCpus {
                pid,
                cpus,
                sampled_ns,
            } => {
                let at = self.task(now, pid);
                let inferred = now < sampled_ns && self.task_cpus.contains_key(&pid);
                self.allow_cpus(now, at, &cpus, inferred);
                self.task_cpus.insert(pid, (sampled_ns, *cpus));
            }
            Due::TaskChanged { pid } => {
                self.task_cpus.remove(&pid);
                let at = self.task(now, pid);
                self.allow_anew(now, at);
            }
            Due::Idled { pid, cpu, since } => {
                let at = self.task(now, pid);
                let c = &self.cpus[cpu as usize];
                if c.current == Current::Idle && c.since <= since {
                    self.ran_unseen(at, cpu);
                }
            }
            Due::Ran { pid, since } => self.ran_elsewhere(now, pid, since),
            Due::KickDropped { cpu, came } => self.kick_dropped(now, cpu, came),
            Due::KickServed => {
                if now >= self.kick_dropped_until {
                    self.clocks.kick_served(now);
                }
            }
            // The place is another task's since then, or empty, if the wait is over.
            Due::Cools { task, since } if task < self.states.len() => {
                let waiting = self.states.get(task);
                if waiting.left.hot
                    && waiting.queued.0 == since
                    && matches!(waiting.state, State::Queued { .. })
                {
                    self.settle_in_place(now, task);
                    self.states.get(task).left.hot = false;
                }
            }
            Due::Cools { .. } => {}
            Due::Starves(starved) => self.starves(now, &starved),
            Due::Starved { pid } => self.starved(now, pid),
            Due::GroupCpus { group, cpus } => self.group_cpus(now, group, *cpus),
            Due::Quota { group, quota } => self.set_quota(now, group, quota),
            Due::Refill { group } => self.refill(now, group),
            Due::Stopped { cpu, since } => {
                let c = &self.cpus[cpu as usize];
                if c.since == since && matches!(c.current, Current::Task { .. }) {
                    let until = c.last_event.saturating_add(STOPPED_NS);
                    if until <= now {
                        self.forget(now, cpu, Unknown::Start, out);
                        self.clocks.goes_offline(now, cpu);
                    } else {
                        self.timed.later(until, Later::Stopped { cpu, since });
                    }
                }
            }
            Due::Offline { cpu } => {
                if self.has_cpu(cpu) {
                    self.forget(now, cpu, Unknown::Start, out);
                    self.clocks.goes_offline(now, cpu);
                }
            }
            Due::Active { cpu, active } => {
                if self.has_cpu(cpu) {
                    self.clocks.activate(now, cpu, active);
                }
            }
            Due::First(first) => self.first(now, &first, out),
            Due::Iowait { pid, slept } => {
                let at = self.task(now, pid);
                let task = self.states.get(at);
                if task.slept == slept && matches!(task.state, State::Sleeping { .. }) {
                    task.iowait = true;
                    self.place(at);
                }
            }
        }
    }

    /// Handles the start of a CPU's recording with a running task.
    fn first(&mut self, now: u64, first: &First, out: &mut impl Observer) {
        let cpu = first.cpu;
        if !self.has_cpu(cpu) {
            return;
        }
        let c = &self.cpus[cpu as usize];
        if c.current != Current::Unknown(Unknown::Start) {
            return;
        }
        let since = c.since;
        let (current, on) = if first.pid == 0 {
            (Current::Idle, On::Idle)
        } else {
            let at = self.task(now, first.pid);
            if self.states.get(at).state != State::Unknown {
                return;
            }
            let task = self.name(at, first.comm.as_bytes());
            self.seen_on(now, at, cpu);
            self.states.get(at).waking = None;
            self.set(at, State::Running { cpu });
            let current = Current::Task {
                pid: first.pid,
                task,
                prio: first.prio,
                wait: None,
            };
            (current, On::task(first.prio))
        };
        if since < now {
            out.unknown(cpu, since, now, Unknown::Start);
        }
        let c = &mut self.cpus[cpu as usize];
        (c.current, c.since) = (current, now);
        self.clocks.switched(now, cpu, on);
        self.touched.push(cpu);
    }

    /// Returns whether the cgroup or one above it is throttled.
    pub(super) fn is_throttled(&self, group: u32) -> bool {
        self.within(group, |group| self.is_throttled_itself(group))
    }

    /// Returns whether the cgroup's own quota is used up.
    pub(super) fn is_throttled_itself(&self, group: u32) -> bool {
        self.throttled.get(group as usize).is_some_and(|&n| n > 0)
    }

    /// Returns whether a condition holds for the cgroup or for one above it.
    pub(super) fn within(&self, mut group: u32, holds: impl Fn(u32) -> bool) -> bool {
        while group != MACHINE {
            if holds(group) {
                return true;
            }
            group = self.groups.parent(group);
        }
        false
    }

    fn throttle(&mut self, now: u64, group: u32, on: bool) {
        for cpu in 0..self.cpus.len() {
            for place in 0..self.cpus[cpu].queue.len() {
                let at = self.cpus[cpu].queue[place].task;
                let of = self.states.get(at).group;
                if self.within(of, |above| above == group) {
                    self.settle_in_place(now, at);
                }
            }
        }
        if group as usize >= self.throttled.len() {
            self.throttled.resize(group as usize + 1, 0);
        }
        let spans = &mut self.throttled[group as usize];
        *spans = if on {
            *spans + 1
        } else {
            spans.saturating_sub(1)
        };
    }
}
