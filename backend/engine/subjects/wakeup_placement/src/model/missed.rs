//! Idle CPUs that a decision missed.

use super::{Affinity, Reasons, Scene};
use crate::catalogue::{MissedBy, PlacementReason as Reason};

/// Returns the rule that missed an idle CPU, and the nearest such CPU: the task came to a busy CPU while an allowed one was idle.
#[must_use]
pub(crate) fn missed(
    scene: &Scene<'_>,
    affinity: &Affinity,
    reasons: Reasons,
    to: u32,
) -> Option<(MissedBy, u32)> {
    if !scene.of(to).is_busy() || reasons.has(Reason::Pinned) {
        return None;
    }
    let idle = || {
        let cpus = scene.machine.cpus();
        cpus.filter(|&cpu| cpu != to && affinity.has(cpu) && scene.of(cpu).is_idle())
    };
    let in_llc = idle().find(|&cpu| scene.machine.share_llc(cpu, to));
    let on_node = || idle().find(|&cpu| scene.machine.same_node(cpu, to));
    let nearest = in_llc.or_else(on_node).or_else(|| idle().next())?;
    let beyond = if scene.machine.same_node(nearest, to) {
        MissedBy::OtherLlc
    } else {
        MissedBy::OtherNode
    };
    let by = match reasons.only() {
        Some(Reason::ForkIdle | Reason::ForkLeastLoaded) => MissedBy::Fork,
        Some(Reason::OtherClass) => MissedBy::OtherClass,
        Some(Reason::KthreadStack) => MissedBy::KernelThread,
        Some(Reason::NoIdle | Reason::WakeWide) if in_llc.is_none() => beyond,
        Some(Reason::SearchEnded) if in_llc.is_some() => MissedBy::SearchDepth,
        Some(Reason::Sync) if in_llc.is_none() => MissedBy::Sync,
        Some(Reason::Affine) if in_llc.is_none() => MissedBy::WakeAffine,
        Some(Reason::Sync | Reason::Affine) => MissedBy::SearchDepth,
        None if !reasons.is_empty() && reasons.all_in(&[Reason::Sync, Reason::Affine]) => {
            if in_llc.is_some() {
                MissedBy::SearchDepth
            } else {
                MissedBy::WakerPreferred
            }
        }
        _ => MissedBy::Unknown,
    };
    Some((by, nearest))
}
