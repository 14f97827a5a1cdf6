//! The same wakeup under other rules.

use super::{Reasons, Rules, Scene, Wakeup, elsewhere, wakeup};
use crate::catalogue::{PlacementReason as Reason, WhatIf};

/// Reasons with which a task comes to a CPU whatever the rules of fair tasks are.
const FIXED: [Reason; 3] = [Reason::Pinned, Reason::Fallback, Reason::OtherClass];

/// A wakeup that may have gone elsewhere under other rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Other {
    /// The other rules.
    pub rules: WhatIf,
    /// True if they do not give the recorded CPU.
    pub differs: bool,
    /// Reasons for other CPUs under these rules.
    pub reasons: Reasons,
}

/// Returns what rules of another kernel version would have changed about a wakeup with these reasons.
#[must_use]
pub(crate) fn other_version(scene: &Scene<'_>, one: &Wakeup<'_>, own: Reasons) -> Option<Other> {
    if !scene.rules.delayed_dequeue {
        // A task may only be queued still where its CPU did not become idle.
        let queued = one.to != one.prev && scene.of(one.prev).may_be_busy;
        let fair = !own.is_empty() && !own.iter().any(|reason| FIXED.contains(&reason));
        return (queued && fair).then(|| Other {
            rules: WhatIf::Since612,
            differs: false,
            reasons: Reason::DelayedDequeue.into(),
        });
    }
    if !own.has(Reason::DelayedDequeue) {
        return None;
    }
    let rules = Rules {
        delayed_dequeue: false,
        ..scene.rules
    };
    let scene = Scene { rules, ..*scene };
    under(&scene, &unprobed(one), WhatIf::Before612)
}

/// Returns what the wakeup would have been without NUMA cling, which kept it.
#[must_use]
pub(crate) fn without_cling(scene: &Scene<'_>, one: &Wakeup<'_>, own: Reasons) -> Option<Other> {
    let free = Wakeup {
        clings: false,
        ..unprobed(one)
    };
    let kept = own.has(Reason::Cling);
    kept.then(|| under(scene, &free, WhatIf::ClingOff))?
}

/// Returns what the wakeup would have been with NUMA cling, where the task prefers the node of its previous CPU.
#[must_use]
pub(crate) fn with_cling(scene: &Scene<'_>, one: &Wakeup<'_>) -> Option<Other> {
    let same = scene.machine.same_node(one.this, one.prev);
    let kept = Wakeup {
        clings: true,
        ..*one
    };
    let differs = !same && wakeup(scene, &kept).is_empty();
    differs.then(|| Other {
        rules: WhatIf::ClingOn,
        differs,
        reasons: Reason::Cling.into(),
    })
}

/// A wakeup of which the search is not known.
fn unprobed<'a>(one: &Wakeup<'a>) -> Wakeup<'a> {
    Wakeup {
        probed: None,
        ..*one
    }
}

/// Returns the reasons of other CPUs; `None` where only the recorded one is possible.
fn under(scene: &Scene<'_>, one: &Wakeup<'_>, rules: WhatIf) -> Option<Other> {
    let reasons = elsewhere(scene, one);
    (!reasons.is_empty()).then(|| Other {
        rules,
        differs: wakeup(scene, one).is_empty(),
        reasons,
    })
}
