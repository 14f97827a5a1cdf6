//! The rules of [`Replay`] for quotas of cgroups, picks of EEVDF and BPF schedulers.

use numalens_events::{Entity, Pick};

use super::cpu::Current;
use super::eevdf::{MOST_COMING, left};
use super::quota::{KEPT_NS, Quota, SILENT, TICK_NS};
use super::replay::Replay;
use super::task::{At, State};
use super::timed::Later;
use crate::states::MACHINE;
use crate::waits::{self, CauseTotals, Turn};

impl Replay {
    /// An entity becomes one to be picked.
    pub(super) fn entity(&mut self, entity: &Entity) {
        if !self.has_cpu(entity.cpu) {
            return;
        }
        if let Some(pid) = entity.pid {
            self.eevdf.of_pid.insert(pid, entity.entity);
            // It is woken where it is put: that is recorded behind what is decided by it.
            let at = self.task(self.since, pid);
            let waits = matches!(
                self.states.get(at).state,
                State::Sleeping { .. } | State::Unknown
            );
            self.eevdf.coming.retain(|&(_, one)| one != at);
            if waits && self.eevdf.coming.len() < MOST_COMING {
                self.eevdf.coming.push((entity.cpu, at));
            }
        }
        self.eevdf.entities.insert(entity.entity, *entity);
    }

    /// Handles a pick: every other task in its queue, or about to enter it, was left.
    pub(super) fn picked(&mut self, now: u64, pick: &Pick) {
        if !self.has_cpu(pick.cpu) {
            return;
        }
        let mut coming = std::mem::take(&mut self.eevdf.coming);
        coming.retain(|&(_, at)| {
            matches!(
                self.states.get(at).state,
                State::Sleeping { .. } | State::Unknown
            )
        });
        let c = &self.cpus[pick.cpu as usize];
        let mut candidates: Vec<At> = c.queue.iter().map(|waiting| waiting.task).collect();
        let woken = candidates.len();
        let here = coming.iter().filter(|(cpu, _)| *cpu == pick.cpu);
        candidates.extend(here.map(|&(_, at)| at));
        let woken = woken..candidates.len();
        if let Current::Task { pid, .. } = c.current {
            candidates.push(self.task(now, pid));
        }
        self.eevdf.coming = coming;
        for (place, at) in candidates.into_iter().enumerate() {
            let pid = self.states.get(at).pid;
            if let Some(entity) = self.eevdf.on_queue(pid, pick.queue)
                && entity.entity != pick.entity
            {
                let longer = woken.contains(&place) && self.eevdf.runs_longer(pick, &entity);
                self.leave_waiting(now, at, left(pick, entity, longer));
            }
        }
    }

    /// A pick leaves the task.
    fn leave_waiting(&mut self, now: u64, at: At, turn: Option<Turn>) {
        if self.states.get(at).turn == turn {
            return;
        }
        // What it waited until now is counted as it was known then.
        self.settle_in_place(now, at);
        self.states.get(at).turn = turn;
    }
}

impl Replay {
    /// The cgroup has a quota and a period from now on, or none.
    pub(super) fn set_quota(&mut self, now: u64, group: u32, quota: Option<(u64, u64)>) {
        let Some((quota, period)) = quota else {
            self.unthrottle(now, group);
            self.quotas.by_group.remove(&group);
            return;
        };
        let found = self.quotas.by_group.get(&group);
        let new = Quota::new(now, quota, period);
        if found.is_none_or(|found| (found.limit, found.period) != (new.limit, new.period)) {
            self.unthrottle(now, group);
            self.quotas.by_group.insert(group, new);
        }
    }

    /// A task of the cgroup, or of one below it, begins or ends to run on the CPU.
    #[inline]
    pub(super) fn quota_runs(&mut self, group: u32, cpu: u32, runs: bool) {
        if self.quotas.is_empty() {
            return;
        }
        let now = self.since;
        let Some(quota) = self.quotas.by_group.get_mut(&group) else {
            return;
        };
        quota.charge(now);
        quota.running = if runs {
            quota.running + 1
        } else {
            quota.left = now;
            quota.running.saturating_sub(1)
        };
        let local = quota.local(now, cpu);
        local.running = if runs {
            local.running + 1
        } else {
            local.running.saturating_sub(1)
        };
        if local.running == 0 && local.left > KEPT_NS && !local.out {
            let back = local.left - KEPT_NS;
            local.left = KEPT_NS;
            quota.pool = (quota.pool + back).min(quota.limit);
        }
    }

    /// A task that could run on has left the CPU to `next`: perhaps because a cgroup above it has used up its quota.
    pub(super) fn quota_left(&mut self, now: u64, at: At, cpu: u32, next: i32) {
        if self.quotas.is_empty() {
            return;
        }
        let of_next = if next == 0 {
            None
        } else {
            let next = self.task(now, next);
            Some(self.states.get(next).group)
        };
        let mut group = self.states.get(at).group;
        while group != MACHINE {
            let goes_on = of_next.is_some_and(|of| self.within(of, |above| above == group));
            let counted = self.is_throttled_itself(group);
            if let Some(quota) = self.quotas.by_group.get_mut(&group)
                && !goes_on
                && counted
            {
                quota.charge(now);
                let pool = quota.pool;
                let local = quota.local(now, cpu);
                if !local.out && (next == 0 || pool <= 0 && local.left <= TICK_NS) {
                    // Until here its tasks waited for others.
                    self.settle_group(now, group, cpu);
                    if let Some(quota) = self.quotas.by_group.get_mut(&group) {
                        let local = quota.local(now, cpu);
                        (local.out, local.left) = (true, local.left.min(0));
                        quota.throttled = now;
                        if quota.in_phase {
                            self.timed.later(quota.next, Later::Refill { group });
                        }
                    }
                }
            }
            group = self.groups.parent(group);
        }
    }

    /// Handles a running task: no cgroup above it is throttled there, and the throttled ones have received their quota again.
    #[inline]
    pub(super) fn quota_ran(&mut self, now: u64, at: At, cpu: u32) {
        if self.quotas.is_empty() {
            return;
        }
        let (mut group, queued) = (self.states.get(at).group, self.states.get(at).queued.0);
        while group != MACHINE {
            let counted = self.is_throttled_itself(group);
            let Some(quota) = self.quotas.by_group.get_mut(&group) else {
                group = self.groups.parent(group);
                continue;
            };
            if quota.cpus.get(&cpu).is_none_or(|local| !local.out) {
                if counted && quota.ends_silence(now, queued) {
                    quota.ran_again(now);
                }
            } else {
                // The task itself counts as running already.
                let silent = now.saturating_sub(quota.left) >= quota.period / SILENT;
                if quota.running <= 1 && silent {
                    quota.ran_again(now);
                    self.unthrottle_on(now, group, cpu);
                    self.refill(now, group);
                } else {
                    self.unthrottle_on(now, group, cpu);
                }
            }
            group = self.groups.parent(group);
        }
    }

    /// The timer of the cgroup fires. A CPU that overran by more than the quota stays throttled.
    pub(super) fn refill(&mut self, now: u64, group: u32) {
        let Some(quota) = self.quotas.by_group.get_mut(&group) else {
            return;
        };
        quota.charge(now);
        let out = quota.cpus.iter().filter(|local| local.1.out);
        let (stay, go): (Vec<_>, Vec<_>) = out.partition(|local| local.1.left < 0);
        let (again, next) = (!stay.is_empty(), quota.next);
        for cpu in go.into_iter().map(|local| *local.0).collect::<Vec<_>>() {
            self.unthrottle_on(now, group, cpu);
        }
        if again {
            self.timed.later(next, Later::Refill { group });
        }
    }

    /// The cgroup is throttled nowhere any more.
    fn unthrottle(&mut self, now: u64, group: u32) {
        let Some(quota) = self.quotas.by_group.get(&group) else {
            return;
        };
        let out = quota.cpus.iter().filter(|local| local.1.out);
        for cpu in out.map(|local| *local.0).collect::<Vec<_>>() {
            self.unthrottle_on(now, group, cpu);
        }
    }

    fn unthrottle_on(&mut self, now: u64, group: u32, cpu: u32) {
        self.settle_group(now, group, cpu);
        if let Some(quota) = self.quotas.by_group.get_mut(&group) {
            quota.local(now, cpu).out = false;
        }
    }

    /// Settles the cgroup's tasks that wait on the CPU, because what their time counts as changes now.
    fn settle_group(&mut self, now: u64, group: u32, cpu: u32) {
        let places = self.cpus.get(cpu as usize).map_or(0, |cpu| cpu.queue.len());
        for place in 0..places {
            let at = self.cpus[cpu as usize].queue[place].task;
            let of = self.states.get(at).group;
            if self.within(of, |above| above == group) {
                self.settle_in_place(now, at);
            }
        }
    }

    /// Returns whether the task's cgroup or one above it is throttled on the CPU.
    #[inline]
    pub(super) fn is_out_of_quota(&self, group: u32, cpu: u32) -> bool {
        !self.quotas.is_empty()
            && self.within(group, |above| {
                let quota = self.quotas.by_group.get(&above);
                let local = quota.and_then(|quota| quota.cpus.get(&cpu));
                local.is_some_and(|local| local.out)
            })
    }

    /// Returns whether the task's cgroup or one above it has a quota.
    pub(super) fn has_quota(&self, group: u32) -> bool {
        !self.quotas.is_empty()
            && self.within(group, |above| self.quotas.by_group.contains_key(&above))
    }
}

impl Replay {
    /// Attributes a wait that ends now to the task's BPF scheduler, where it was the cause.
    #[inline]
    pub(super) fn explain_ext(&mut self, since_ns: u64, now: u64, at: At, spent: &mut CauseTotals) {
        let task = self.states.get(at);
        if task.is_of_higher_class() {
            return;
        }
        let pid = task.pid;
        let had = self.ext.had(pid, since_ns, now);
        if had == 0 {
            return;
        }
        let stalled = self.ext.stalled(pid, since_ns, now).min(had);
        waits::hold(spent, had, stalled, |_, _, _| ());
    }
}
