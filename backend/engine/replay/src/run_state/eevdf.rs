//! Reasons for which picks of the fair class left waiting tasks, from probes of `__enqueue_entity` and `pick_eevdf`
//! (`kernel/sched/fair.c`, 6.6 to 7.2): rule K21 of `docs/algorithms/common.md`.

use std::collections::HashMap;

use numalens_events::{Entity, Pick};

use super::task::At;
use crate::waits::Turn;

/// Levels of cgroups that are looked at.
const DEEPEST: usize = 32;
/// Tasks of a CPU of which a wake-up is under way at a time.
pub(super) const MOST_COMING: usize = 64;

/// State of the queues.
#[derive(Debug, Default)]
pub(super) struct Eevdf {
    /// Entities by their addresses, as they were put on a queue last. One that is there stays as it is until it is picked.
    pub(super) entities: HashMap<u64, Entity>,
    /// The tasks' own, by pid.
    pub(super) of_pid: HashMap<i32, u64>,
    /// Tasks that were put on a CPU's queue and whose wake-up was not recorded yet, with the CPU.
    pub(super) coming: Vec<(u32, At)>,
}

impl Eevdf {
    /// Forgets all: their ends may be lost.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The entity of a task, or of a cgroup above it, that is on the queue of a pick.
    pub(super) fn on_queue(&self, pid: i32, queue: u64) -> Option<Entity> {
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
pub(super) fn left(pick: &Pick, mut entity: Entity) -> Option<Turn> {
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
