//! Forks: `select_task_rq_fair` with `WF_FORK`, `find_idlest_cpu`.

use super::{Affinity, Class, Reasons, Scene};
use crate::catalogue::PlacementReason as Reason;

/// Returns the reasons why fork balancing may have placed a new task on a CPU. The forking CPU is not recorded.
#[must_use]
pub(crate) fn fork(scene: &Scene<'_>, class: Class, affinity: &Affinity, to: u32) -> Reasons {
    if class != Class::Fair {
        return Reason::OtherClass.into();
    }
    match affinity.only() {
        Some(cpu) if cpu == to => return Reason::Pinned.into(),
        Some(_) if affinity.observed => return Reasons::default(),
        _ => {}
    }
    let mut reasons = Reasons::default();
    let status = scene.of(to);
    reasons.add_if(status.may_be_idle, Reason::ForkIdle);
    // The last group below a cache is a core; among its idle CPUs one is taken.
    let near = scene.machine.llc(to).iter();
    let mut near = near.filter(|&&cpu| cpu != to && affinity.has(cpu));
    let all_busy = near.all(|&cpu| !scene.of(cpu).is_idle());
    reasons.add_if(status.may_be_busy && all_busy, Reason::ForkLeastLoaded);
    reasons
}
