//! Affinity of tasks, as far as known.
//!
//! The kernel keeps a mask for each task (`task_struct.cpus_ptr`), of which recordings show little. Samples of the mask
//! and of the cpusets above it are facts. A kernel thread that the kernel named for a CPU and that runs there counts as
//! bound to it. For any other task, affinity is a conclusion from being passed over: it waits, and CPUs where it was
//! never seen repeatedly finish balancing that would have pulled it (`newidle_balance`, `nohz_idle_balance`,
//! `kernel/sched/fair.c`). Isolated CPUs hardly ever do that: they have no scheduling domain, so they are never kicked.
//! The sign of them is that busy CPUs balance repeatedly without a kick while CPUs are idle and tasks wait
//! (`nohz_balancer_kick`).

use numalens_core::CpuSet;
use numalens_core::tasks::NO_TASK;

use super::MAX_RT_PRIO;
use super::cpu::{Cpu, Current};
use super::replay::Replay;
use super::task::{Allowed, At, CHANCES, Cpus, Seen, Task};
use crate::states::MACHINE;
use crate::waits::{Budget, Left, LeftByOtherNode, Waiter};

/// A task that became runnable more lately is cache hot, and balancing leaves it (`sysctl_sched_migration_cost`), ns.
const HOT_NS: u64 = 1_000_000;
/// A CPU that is idle for less at a time does not balance when it becomes idle (`avg_idle` in `newidle_balance`), ns.
const WORTH_NS: u64 = 500_000;
/// A CPU to which a task came from elsewhere takes part in balancing for so long, ns.
const TAKES_PART_NS: u64 = 500_000_000;
/// A CPU that takes part in balancing is not idle for longer while tasks wait and busy CPUs balance, ns.
const KICKED_NS: u64 = 10_000_000;
/// Tasks of a queue that are looked at each time.
const LOOKED_AT: usize = 8;

impl Task {
    /// Returns whether it is a real-time, deadline or stop task. A task without a switch so far hardly ever is.
    #[inline]
    pub(super) fn is_of_higher_class(&self) -> bool {
        self.name != NO_TASK && self.prio < MAX_RT_PRIO
    }

    /// Returns the facts about the task that decide the cause of time on the CPU's queue.
    #[inline]
    pub(super) fn waiter(&self, cpu: u32) -> Waiter {
        Waiter {
            higher: self.is_of_higher_class(),
            bound: self.allowed.is_bound_to(cpu),
            inferred: self.allowed.inferred,
            unseen: false,
            astray: false,
            unplaced: self.unplaced,
            left: self.left,
            turn: self.turn,
            budget: Budget::Unlimited,
        }
    }
}

impl Replay {
    /// The task comes to a CPU: it may run there, whatever was concluded.
    #[inline]
    pub(super) fn seen_on(&mut self, now: u64, at: At, cpu: u32) {
        let task = self.states.get(at);
        if task.seen.last != Some(cpu) {
            self.seen_anew(now, at, cpu);
        }
    }

    #[cold]
    fn seen_anew(&mut self, now: u64, at: At, cpu: u32) {
        let task = self.states.get(at);
        let first = task.seen.cpus.is_empty();
        let expected = task.seen.comes(cpu);
        if !first {
            // It takes tasks from elsewhere.
            let one = &mut self.cpus[cpu as usize];
            (one.left_alone, one.came_ns) = (false, now);
        }
        let task = self.states.get(at);
        let allowed = task.allowed;
        if allowed.observed() && !self.has(allowed.cpus, cpu) {
            // It was changed after it was sampled.
            self.allow(now, at, Allowed::ANYWHERE);
            return;
        }
        let task = self.states.get(at);
        if first && task.home == Some(cpu) && task.allowed.cpus == Cpus::Any {
            let inferred = !self.kernel_threads.contains(&task.pid);
            self.allow(
                now,
                at,
                Allowed {
                    cpus: Cpus::One(cpu),
                    inferred,
                },
            );
        } else if task.allowed.inferred && task.allowed.cpus != Cpus::Any && !expected {
            self.allow(now, at, Allowed::ANYWHERE);
        }
    }

    fn has(&self, cpus: Cpus, cpu: u32) -> bool {
        match cpus {
            Cpus::Any => true,
            Cpus::One(one) => one == cpu,
            Cpus::Mask(mask) => self.clocks.mask_has(mask, cpu),
        }
    }

    /// The task may run where it was seen lately.
    fn conclude(&mut self, now: u64, at: At) {
        let lately = self.states.get(at).seen.lately();
        let cpus = self.cpus_of(&lately);
        self.allow(
            now,
            at,
            Allowed {
                cpus,
                inferred: true,
            },
        );
    }

    fn cpus_of(&mut self, cpus: &CpuSet) -> Cpus {
        let all = (0..self.cpus()).all(|cpu| cpus.contains(cpu));
        let mut each = cpus.iter();
        match (each.next(), each.next()) {
            _ if all => Cpus::Any,
            (Some(one), None) => Cpus::One(one),
            _ => self.clocks.mask(cpus).map_or(Cpus::Any, Cpus::Mask),
        }
    }

    /// The task may run elsewhere than it was thought to.
    fn allow(&mut self, now: u64, at: At, allowed: Allowed) {
        if self.states.get(at).allowed != allowed {
            // What it waited until now is counted as it was known then.
            self.settle_in_place(now, at);
            self.states.get(at).allowed = allowed;
            self.settle_in_place(now, at);
            self.place(at);
        }
    }

    /// The task may run on these CPUs; `inferred` when only a later sample says so, and an earlier one said otherwise.
    pub(super) fn allow_cpus(&mut self, now: u64, at: At, cpus: &CpuSet, inferred: bool) {
        let cpus = self.cpus_of(cpus);
        self.allow(now, at, Allowed { cpus, inferred });
    }

    /// Marks the affinity of the task as changed to unknown CPUs.
    pub(super) fn allow_anew(&mut self, now: u64, at: At) {
        self.states.get(at).seen = Seen::default();
        self.allow(now, at, Allowed::ANYWHERE);
        self.allow_group(now, at);
    }

    /// Time and mask of a sampled task with limited affinity: its children inherit it. Other tasks may be bound at once.
    pub(super) fn sampled_cpus(&mut self, at: At) -> Option<(u64, CpuSet)> {
        let task = self.states.get(at);
        let (pid, allowed) = (task.pid, task.allowed);
        let kept = allowed.observed() && allowed.cpus != Cpus::Any;
        let sampled = kept.then(|| self.task_cpus.get(&pid));
        sampled.flatten().cloned()
    }

    /// Applies the affinity of the cgroups above a task, unless the task itself was sampled.
    pub(super) fn allow_group(&mut self, now: u64, at: At) {
        let mut group = self.states.get(at).group;
        if self.group_cpus.is_empty() || self.task_cpus.contains_key(&self.states.get(at).pid) {
            return;
        }
        while group != MACHINE {
            if let Some(cpus) = self.group_cpus.get(&group).cloned() {
                match self.cpus_of(&cpus) {
                    // Its own affinity may still be narrower.
                    Cpus::Any => break,
                    cpus => {
                        let inferred = false;
                        self.allow(now, at, Allowed { cpus, inferred });
                        return;
                    }
                }
            }
            group = self.groups.parent(group);
        }
        if self.states.get(at).allowed.observed() {
            self.allow(now, at, Allowed::ANYWHERE);
        }
    }

    /// The tasks of a cgroup may run on other CPUs from now on.
    pub(super) fn group_cpus(&mut self, now: u64, group: u32, cpus: CpuSet) {
        if self.group_cpus.get(&group) == Some(&cpus) {
            return;
        }
        self.group_cpus.insert(group, cpus);
        for at in 0..self.states.len() {
            let of = self.states.get(at).group;
            if self.within(of, |above| above == group) {
                self.allow_group(now, at);
            }
        }
    }

    /// A CPU has tasks that wait.
    #[inline]
    pub(super) fn set_overloaded(&mut self, cpu: u32) {
        self.overloaded.push(cpu);
        self.cpus[cpu as usize].overloaded = self.overloaded.len() as u32;
    }

    /// Removes the CPU from the overloaded ones.
    #[inline]
    pub(super) fn clear_overloaded(&mut self, cpu: u32) {
        let place = std::mem::take(&mut self.cpus[cpu as usize].overloaded);
        let Some(at) = (place as usize).checked_sub(1) else {
            return;
        };
        self.overloaded.swap_remove(at);
        if let Some(&moved) = self.overloaded.get(at) {
            self.cpus[moved as usize].overloaded = place;
        }
    }

    /// A CPU becomes idle, has looked for tasks to pull and taken none.
    #[inline]
    pub(super) fn becomes_idle(&mut self, now: u64, cpu: u32) {
        if !self.overloaded.is_empty() && self.balances_when_idle(cpu) {
            let found = self.passes_over(now, cpu);
            let one = &mut self.cpus[cpu as usize];
            one.left_alone |= found && now.saturating_sub(one.came_ns) >= TAKES_PART_NS;
        }
    }

    /// A CPU has balanced (`run_rebalance_domains`): an idle one for itself and for the other idle ones, of which each is
    /// looked at in its turn.
    pub(super) fn balanced(&mut self, now: u64, cpu: u32) {
        let idle = |replay: &Self, cpu: u32| replay.cpus[cpu as usize].current == Current::Idle;
        if !idle(self, cpu) {
            self.kicked_nobody(now, cpu);
            return;
        }
        self.kicks_missed = 0;
        if self.overloaded.is_empty() {
            return;
        }
        self.passes_over(now, cpu);
        let other = self.turn % self.cpus();
        if other != cpu && idle(self, other) {
            self.passes_over(now, other);
        }
    }

    /// A busy CPU has balanced; when tasks wait there it kicks an idle one, if any takes part.
    fn kicked_nobody(&mut self, now: u64, cpu: u32) {
        if self.cpus[cpu as usize].overloaded == 0 || !self.clocks.any_idle() {
            return;
        }
        self.kicks_missed = self.kicks_missed.saturating_add(1);
        if self.kicks_missed < CHANCES {
            return;
        }
        // One of them did look, on becoming idle, and left them.
        let left = |one: &Cpu| {
            let for_ns = now.saturating_sub(one.since);
            one.current == Current::Idle && one.left_alone && for_ns >= KICKED_NS
        };
        if !self.cpus.iter().any(left) {
            return;
        }
        let places = self.cpus[cpu as usize].queue.len().min(LOOKED_AT);
        for place in 0..places {
            let at = self.cpus[cpu as usize].queue[place].task;
            if self.could_be_pulled(now, at, cpu)
                && self.states.get(at).allowed == Allowed::ANYWHERE
            {
                self.seen_on(now, at, cpu);
                self.conclude(now, at);
            }
        }
    }

    /// Returns whether only its affinity can keep a task that waits on the CPU from being pulled.
    fn could_be_pulled(&mut self, now: u64, at: At, cpu: u32) -> bool {
        let task = self.states.get(at);
        let fair = !task.is_of_higher_class() && !self.ext.has(task.pid, now);
        let long = now.saturating_sub(task.queued.0) >= HOT_NS;
        let (out_of_budget, group) = (task.out_of_budget, task.group);
        fair && long && !out_of_budget && !self.is_out_of_quota(group, cpu)
    }

    /// An idle CPU has looked for tasks to pull and taken none: those that wait on one of the queues, each in its turn, were
    /// passed over. Whether there were any that only their affinity keeps.
    fn passes_over(&mut self, now: u64, cpu: u32) -> bool {
        !self.overloaded.is_empty() && self.passes_over_one(now, cpu)
    }

    #[cold]
    fn passes_over_one(&mut self, now: u64, cpu: u32) -> bool {
        if !self.clocks.is_active(cpu) {
            // It balances nothing (`cpu_active` in `newidle_balance`).
            return false;
        }
        self.turn = self.turn.wrapping_add(1);
        let queue = self.overloaded[self.turn as usize % self.overloaded.len()];
        let near = self.clocks.same_node(queue, cpu);
        // Between nodes nothing is pulled while the node has an idle CPU of its own (`find_busiest_group`).
        if queue == cpu || !near && self.clocks.idle_near(queue) > 0 {
            return false;
        }
        let mut found = false;
        let places = self.cpus[queue as usize].queue.len().min(LOOKED_AT);
        for place in 0..places {
            let at = self.cpus[queue as usize].queue[place].task;
            let task = self.states.get(at);
            let numa = !near && self.numa_balanced.contains(&task.pid);
            let fair = !task.is_of_higher_class() && !self.ext.has(task.pid, now);
            let again = now.saturating_sub(task.seen.at) >= HOT_NS;
            let (allowed, before, group) = (task.allowed, task.left, task.group);
            let could_run = !task.out_of_budget && !self.is_out_of_quota(group, queue);
            if fair && !before.hot && could_run && (allowed.inferred || self.has(allowed.cpus, cpu))
            {
                let left = self.left_by(now, before, numa, queue, cpu);
                if left != before {
                    self.settle_in_place(now, at);
                    self.states.get(at).left = left;
                }
            }
            if self.could_be_pulled(now, at, queue) && allowed.inferred && !numa {
                found = true;
                if !again {
                    continue;
                }
                // A task on a queue may run there.
                self.seen_on(now, at, queue);
                if self.states.get(at).seen.passed_by(now, cpu) {
                    self.conclude(now, at);
                }
            }
        }
        found
    }

    /// Known reasons for which balancing leaves a task that waits on the CPU `queue`, after a pass of the CPU `idle` has left
    /// it there.
    fn left_by(&self, now: u64, before: Left, numa: bool, queue: u32, idle: u32) -> Left {
        if self.clocks.same_node(queue, idle) {
            return Left {
                by_same_node: true,
                ..before
            };
        }
        let by_other_node = match before.by_other_node {
            _ if numa => LeftByOtherNode::Numa,
            // One pass that nothing explains decides.
            left @ (LeftByOtherNode::Numa | LeftByOtherNode::Yes) => left,
            _ if self.imbalance_allowed(now, queue, idle) => LeftByOtherNode::Imbalance,
            _ => LeftByOtherNode::Yes,
        };
        Left {
            by_other_node,
            ..before
        }
    }

    /// The CPU became idle, or a busy one: how long it is idle at a time.
    #[inline]
    pub(super) fn idled(&mut self, cpu: u32, ns: u64) {
        let average = &mut self.cpus[cpu as usize].avg_idle;
        *average = (*average - *average / 8).saturating_add(ns / 8);
    }

    /// Returns whether the CPU looks for tasks to pull when it becomes idle.
    #[inline]
    fn balances_when_idle(&self, cpu: u32) -> bool {
        self.cpus[cpu as usize].avg_idle >= WORTH_NS
    }

    /// Recounts waiting tasks whose scopes got their first idle CPU, or lost the last one.
    #[cold]
    pub(super) fn replace_scopes(&mut self) {
        for scope in self.clocks.take_crossed() {
            for place in 0..self.clocks.views_of(scope).len() {
                let cpu = self.clocks.views_of(scope)[place] as usize;
                for place in 0..self.cpus[cpu].queue.len() {
                    let waiting = &self.cpus[cpu].queue[place];
                    if waiting.scope == scope {
                        self.place(waiting.task);
                    }
                }
            }
        }
    }
}
