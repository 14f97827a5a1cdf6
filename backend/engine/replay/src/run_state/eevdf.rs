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

    /// Returns whether the entity on the CPU is known to have a longer slice than another.
    pub(super) fn runs_longer(&self, pick: &Pick, entity: &Entity) -> bool {
        let running = self.entities.get(&pick.current).and_then(|it| it.slice);
        running
            .zip(entity.slice)
            .is_some_and(|(running, own)| own < running)
    }
}

/// Reason for which a pick left an entity of its queue; `None` when it did not, or for another reason. `longer` is true if the
/// entity's task is being woken and the one on the CPU has a longer slice (`PREEMPT_SHORT`).
pub(super) fn left(pick: &Pick, mut entity: Entity, longer: bool) -> Option<Turn> {
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
    if pick.entity == pick.current {
        return Some(Turn::SliceProtected);
    }
    let earlier = pick.current_deadline.wrapping_sub(entity.deadline) as i64 > 0;
    (longer && pick.current != 0 && earlier).then_some(Turn::ShortBehindBuddy)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDDY: u64 = 3;

    /// Of a base of 1000; entity 1 has the CPU.
    fn pick(entity: u64, deadline: u64) -> Pick {
        Pick {
            cpu: 0,
            queue: 9,
            entity,
            deadline,
            zero: 1000,
            sum: 75 * 1024,
            load: 1024,
            current: 1,
            current_vruntime: 1100,
            current_deadline: 4100,
        }
    }

    fn entity(entity: u64, deadline: u64, slice: Option<u64>) -> Entity {
        Entity {
            cpu: 0,
            entity,
            queue: 9,
            parent: 0,
            pid: Some(entity as i32),
            vruntime: 1050,
            deadline,
            slice,
        }
    }

    /// 78cde54 (7.1): the pick of a wakeup that may preempt a longer slice takes no buddy.
    #[test]
    fn a_buddy_keeps_no_short_slice_waiting() {
        let woken = entity(2, 4050, Some(3));
        let behind = Some(Turn::ShortBehindBuddy);
        assert_eq!(left(&pick(BUDDY, 4100), woken, true), behind);
        // The fixed kernel picks the task, or one with an earlier deadline.
        assert_eq!(left(&pick(2, 4050), woken, true), None);
        assert_eq!(
            left(&pick(BUDDY, 4040), woken, true),
            Some(Turn::LaterDeadline)
        );
        // A task that is not being woken, or whose slice is not shorter, may wait for a buddy; so may one with a later deadline than
        // the one on the CPU.
        assert_eq!(left(&pick(BUDDY, 4100), woken, false), None);
        assert_eq!(
            left(&pick(BUDDY, 4200), entity(2, 4150, Some(3)), true),
            None
        );
        assert_eq!(
            left(&pick(1, 4100), woken, true),
            Some(Turn::SliceProtected)
        );
    }

    #[test]
    fn slices_are_compared_where_both_are_recorded() {
        let longer = |running, own| {
            let mut queues = Eevdf::default();
            queues.entities.insert(1, entity(1, 4100, running));
            queues.runs_longer(&pick(BUDDY, 4100), &entity(2, 4050, own))
        };
        assert!(longer(Some(20), Some(3)));
        assert!(!longer(Some(3), Some(3)));
        assert!(!longer(None, Some(3)) && !longer(Some(20), None));
    }
}
