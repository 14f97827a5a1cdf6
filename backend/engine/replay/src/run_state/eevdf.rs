//! Reasons for which picks of the fair class left waiting tasks, from probes of `__enqueue_entity` and `pick_eevdf`
//! (`kernel/sched/fair.c`, 6.6 to 7.2): rule K21 of `docs/algorithms/common.md`.

use std::collections::HashMap;

use numalens_events::{Entity, Pick};

use super::cpu::Current;
use super::replay::Replay;
use super::task::{At, State};
use crate::waits::Turn;

/// Levels of cgroups that are looked at.
const DEEPEST: usize = 32;
/// Tasks of a CPU of which a wake-up is under way at a time.
const MOST_COMING: usize = 64;

/// State of the queues.
#[derive(Debug, Default)]
pub(super) struct Eevdf {
    /// Entities by their addresses, as they were put on a queue last. One that is there stays as it is until it is picked.
    entities: HashMap<u64, Entity>,
    /// The tasks' own, by pid.
    of_pid: HashMap<i32, u64>,
    /// Tasks that were put on a CPU's queue and whose wake-up was not recorded yet, with the CPU.
    coming: Vec<(u32, At)>,
}

impl Eevdf {
    /// Forgets all: their ends may be lost.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The entity of a task, or of a cgroup above it, that is on the queue of a pick.
    fn on_queue(&self, pid: i32, queue: u64) -> Option<Entity> {
        let mut address = *self.of_pid.get(&pid)?;
        for _ in 0..DEEPEST {
            let entity = self.entities.get(&address)?;
            if entity.queue == queue {
                return Some(*entity);
            }
            address = entity.parent;
        }
        None
    }
}

/// Reason for which a pick left an entity of its queue; `None` when it did not, or for another reason.
fn left(pick: &Pick, mut entity: Entity) -> Option<Turn> {
    if entity.entity == pick.entity {
        return None;
    }
    if entity.entity == pick.current {
        entity.vruntime = pick.current_vruntime;
        entity.deadline = pick.current_deadline;
    }
    if !pick.eligible(entity.vruntime) {
        return Some(Turn::NotEligible);
    }
    if pick.deadline.wrapping_sub(entity.deadline) as i64 <= 0 {
        return Some(Turn::LaterDeadline);
    }
    (pick.entity == pick.current).then_some(Turn::SliceProtected)
}

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
        let here = coming.iter().filter(|(cpu, _)| *cpu == pick.cpu);
        candidates.extend(here.map(|&(_, at)| at));
        if let Current::Task { pid, .. } = c.current {
            candidates.push(self.task(now, pid));
        }
        self.eevdf.coming = coming;
        for at in candidates {
            let pid = self.states.get(at).pid;
            if let Some(entity) = self.eevdf.on_queue(pid, pick.queue)
                && entity.entity != pick.entity
            {
                self.leave_waiting(now, at, left(pick, entity));
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
