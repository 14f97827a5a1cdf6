//! Idle CPUs that a decision missed.

use super::{Affinity, Reasons, Scene};
use crate::catalogue::{MissedBy, PlacementReason as Reason};

/// Returns the rule that missed an idle CPU, and the nearest such CPU: the task came to a busy CPU while an allowed one was idle.
/// `from` is the CPU of the waker or parent.
#[must_use]
pub(crate) fn missed(
    scene: &Scene<'_>,
    affinity: &Affinity,
    reasons: Reasons,
    from: Option<u32>,
    to: u32,
) -> Option<(MissedBy, u32)> {
    if !scene.of(to).is_busy() || reasons.has(Reason::Pinned) {
        return None;
    }
    let machine = scene.machine;
    let idle = |&cpu: &u32| cpu != to && affinity.has(cpu) && scene.of(cpu).is_idle();
    let first = |cpus: &[u32]| cpus.iter().copied().find(idle);
    let in_llc = first(machine.llc(to));
    let on_node = || first(machine.node_cpus(to));
    let nearest = in_llc
        .or_else(on_node)
        .or_else(|| machine.cpus().find(idle))?;
    let beyond = if machine.same_node(nearest, to) {
        MissedBy::OtherLlc
    } else {
        MissedBy::OtherNode
    };
    let by = match reasons.only() {
        Some(Reason::ForkIdle | Reason::ForkLeastLoaded)
            if counts_forbidden(scene, affinity, (from, to), nearest) =>
        {
            MissedBy::ForkAffinity
        }
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

/// Returns whether the group of the chosen CPU has idle CPUs, all of them forbidden, and more than the group of the missed one.
/// Groups are nodes, or the caches of one node. A task may stay in the group of its parent, on the CPU `from`, for other reasons.
fn counts_forbidden(
    scene: &Scene<'_>,
    affinity: &Affinity,
    (from, to): (Option<u32>, u32),
    missed: u32,
) -> bool {
    let machine = scene.machine;
    let one_node = machine.same_node(to, missed);
    let together = |a: u32, b: u32| {
        if one_node {
            machine.share_llc(a, b)
        } else {
            machine.same_node(a, b)
        }
    };
    let idle_near = |of: u32| {
        let near = if one_node {
            machine.llc(of)
        } else {
            machine.node_cpus(of)
        };
        near.iter().filter(|&&cpu| scene.of(cpu).is_idle())
    };
    affinity.observed
        && !machine.share_llc(to, missed)
        && from.is_some_and(|from| !together(from, to))
        && !idle_near(to).any(|&cpu| affinity.has(cpu))
        && idle_near(to).count() > idle_near(missed).count()
}
