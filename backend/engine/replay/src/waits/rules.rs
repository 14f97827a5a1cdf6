//! The rules by which each nanosecond of a wait gets its cause: rule K7 of `docs/algorithms/common.md`.
//!
//! A cause follows from the task on the CPU and the set of idle CPUs, which is a class of the [clocks](super::clocks), and
//! from facts about the task, which are a [`Waiter`]. The replay applies the rules to the time between two reads of the
//! clocks, and [`segments`](super::segments) to one time range after the other.

use super::{Cause, IDLE_EXIT_NS};

/// Causes of waits that the CPU itself decides: the first classes.
const OWN_CLASSES: [Cause; 8] = [
    Cause::Unknown,
    Cause::IdleExit,
    Cause::Interrupt,
    Cause::Softirq,
    Cause::NumaScan,
    Cause::NewIdle,
    Cause::Steal,
    Cause::HardwareNoise,
];
pub(super) const UNKNOWN: usize = 0;
pub(super) const IDLE: usize = 1;
pub(super) const INTERRUPT: usize = 2;
pub(super) const SOFTIRQ: usize = 3;
pub(super) const NUMA_SCAN: usize = 4;
pub(super) const NEW_IDLE: usize = 5;
pub(crate) const STEAL: usize = 6;
pub(crate) const HARDWARE_NOISE: usize = 7;

/// Causes while a task runs on the CPU, by the other idle CPUs: the classes of a scope.
pub(super) const SCOPE_CLASSES: [Cause; 7] = [
    Cause::PendingBalance,
    Cause::KickDropped,
    Cause::IdleSameNode,
    Cause::IdleOtherNode,
    Cause::Pinned,
    Cause::Unknown,
    Cause::Busy,
];
pub(super) const PENDING: usize = 0;
pub(super) const KICK_DROPPED: usize = 1;
pub(super) const SAME_NODE: usize = 2;
pub(super) const OTHER_NODE: usize = 3;
pub(super) const NOT_ALLOWED: usize = 4;
/// No CPU is known to be idle, and of some nothing is known.
pub(super) const UNSEEN: usize = 5;
pub(super) const BUSY: usize = 6;

/// The first class of the scope while the CPU runs a fair task, and the first one while it runs one of a higher class.
pub(super) const FAIR: usize = OWN_CLASSES.len();
pub(super) const HIGHER: usize = FAIR + SCOPE_CLASSES.len();
/// No CPU is idle at all.
const FAIR_BUSY: usize = FAIR + BUSY;
const HIGHER_BUSY: usize = HIGHER + BUSY;
pub(super) const CLASSES: usize = HIGHER + SCOPE_CLASSES.len();

/// The times of a CPU's classes so far, ns.
pub(crate) type ClockSnapshot = [u64; CLASSES];

/// Time by cause, ns, by the numbers of the causes.
pub type CauseTotals = [u64; Cause::COUNT];

/// The waiting task, as far as it decides causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Waiter {
    /// True for a real-time, deadline or stop task, so that no class is higher.
    pub(crate) higher: bool,
    /// True if it may run on its CPU only.
    pub(crate) bound: bool,
    /// True if its affinity is a conclusion.
    pub(crate) inferred: bool,
    /// True if it may use a CPU without known state, and may have run there.
    pub(crate) unseen: bool,
    /// The same, and a CPU recorded nothing at all or not to the end: whether it waits at all is not known then.
    pub(crate) astray: bool,
    /// On which CPU's queue it waits is not known: what that CPU does is not what it waits for.
    pub(crate) unplaced: bool,
    /// Reason for which balancing left it, as far as known.
    pub(crate) left: Left,
    /// Reason for which the last pick from its queue left it, as far as known.
    pub(crate) turn: Option<Turn>,
    /// State of its CPU budget.
    pub(crate) budget: Budget,
}

/// Reason for which a pick left a waiting task (`pick_eevdf`, `kernel/sched/fair.c`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    NotEligible,
    LaterDeadline,
    SliceProtected,
    ShortBehindBuddy,
}

impl Turn {
    const fn cause(self) -> Cause {
        match self {
            Self::NotEligible => Cause::NotEligible,
            Self::LaterDeadline => Cause::LaterDeadline,
            Self::SliceProtected => Cause::SliceProtected,
            Self::ShortBehindBuddy => Cause::ShortBehindBuddy,
        }
    }
}

/// Reason for which balancing left a waiting task while CPUs were idle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// True if it ran recently.
    pub(crate) hot: bool,
    /// A pass of a CPU of its node looked at it.
    pub(crate) by_same_node: bool,
    /// Result of balancing passes of CPUs of other nodes.
    pub(crate) by_other_node: LeftByOtherNode,
}

/// Result of balancing passes of CPUs of other nodes for a waiting task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LeftByOtherNode {
    /// None looked at it.
    #[default]
    No,
    /// Considered and not pulled.
    Yes,
    /// The same, and the nodes' numbers of tasks differ by no more than the kernel allows.
    Imbalance,
    /// The same, and NUMA balancing scans its memory.
    Numa,
}

/// The CPU time that a waiting task and the cgroups above it have left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Budget {
    /// Nothing limits it.
    Unlimited,
    /// A cgroup has a quota. A CPU that stays idle for longer than leaving idle takes shows that it is used up.
    Limited,
    /// Samples of a cgroup say that it is throttled somewhere: where its CPU is idle.
    Throttled,
    /// Used up.
    UsedUp,
}

/// The causes of the classes for a task of which nothing is known.
const PLAIN: [Cause; CLASSES] = {
    let mut causes = [Cause::Unknown; CLASSES];
    let mut class = 0;
    while class < CLASSES {
        causes[class] = Waiter::PLAIN.cause(class);
        class += 1;
    }
    causes
};

impl Waiter {
    /// A task of which nothing is known.
    pub(super) const PLAIN: Self = Self {
        higher: false,
        bound: false,
        inferred: false,
        unseen: false,
        astray: false,
        unplaced: false,
        left: Left {
            hot: false,
            by_same_node: false,
            by_other_node: LeftByOtherNode::No,
        },
        turn: None,
        budget: Budget::Unlimited,
    };

    /// The cause of time in which a class of its CPU's clocks runs. What is idle for too long is found by [`Self::cap_idle`].
    #[inline]
    pub(super) const fn cause(self, class: usize) -> Cause {
        if self.unplaced {
            return match class {
                FAIR_BUSY | HIGHER_BUSY => Cause::Busy,
                _ => Cause::Unknown,
            };
        }
        if self.astray {
            return Cause::Unknown;
        }
        match self.budget {
            Budget::UsedUp if class != UNKNOWN => return Cause::Throttled,
            Budget::Throttled if class == IDLE => return Cause::Throttled,
            _ => {}
        }
        if class < FAIR {
            return OWN_CLASSES[class];
        }
        let higher = class >= HIGHER;
        let cause = match SCOPE_CLASSES[class - if higher { HIGHER } else { FAIR }] {
            // Whether other CPUs were idle or not, the higher class is what it waited for.
            Cause::Unknown if higher && !self.higher && self.bound && !self.inferred => Cause::Busy,
            cause @ (Cause::Pinned | Cause::Unknown | Cause::Busy) => cause,
            cause => self.elsewhere(cause),
        };
        match cause {
            Cause::Busy if higher && !self.higher => Cause::BehindHigherClass,
            Cause::Pinned if higher && !self.higher => Cause::PinnedBehindHigherClass,
            Cause::Pinned if self.inferred => Cause::ProbablyPinned,
            Cause::Busy => match self.turn {
                Some(turn) => turn.cause(),
                None => cause,
            },
            cause => cause,
        }
    }

    /// Returns a more exact cause of waiting while CPUs of the scope are idle.
    #[inline]
    const fn elsewhere(self, cause: Cause) -> Cause {
        match cause {
            _ if self.bound => Cause::Pinned,
            _ if self.left.hot && !self.higher => Cause::MigrationCost,
            Cause::IdleSameNode if self.left.by_same_node => Cause::PassedOverSameNode,
            Cause::IdleOtherNode => match self.left.by_other_node {
                LeftByOtherNode::No => cause,
                LeftByOtherNode::Yes => Cause::PassedOverOtherNode,
                LeftByOtherNode::Imbalance => Cause::ImbalanceAllowed,
                LeftByOtherNode::Numa => Cause::NumaKept,
            },
            cause => cause,
        }
    }

    /// The cause of time on an idle CPU beyond [`IDLE_EXIT_NS`] of a wait: leaving idle takes no longer.
    pub(super) fn beyond_idle_exit(self) -> Cause {
        match self.budget {
            _ if self.unseen => Cause::Unknown,
            Budget::Limited => Cause::Throttled,
            _ => Cause::IdleUnexplained,
        }
    }

    /// Takes what is beyond [`IDLE_EXIT_NS`] from the time of leaving idle; how much that was.
    #[inline]
    pub(super) fn cap_idle(self, spent: &mut CauseTotals) -> u64 {
        let long = spent[Cause::IdleExit as usize].saturating_sub(IDLE_EXIT_NS);
        if long > 0 {
            spent[Cause::IdleExit as usize] -= long;
            spent[self.beyond_idle_exit() as usize] += long;
        }
        long
    }
}

/// Adds the time between two reads of the clocks by cause. Returns whether a task without known facts has the same causes.
/// `anywhere` means that the task may run on all CPUs.
#[inline]
pub(crate) fn add(
    spent: &mut CauseTotals,
    since: &ClockSnapshot,
    until: &ClockSnapshot,
    waiter: Waiter,
    anywhere: bool,
) -> bool {
    // Time with other causes than those of a task of which nothing is known.
    let mut other = 0;
    // All are added, with no branch for those that did not run: which ones did is hard to predict.
    for class in 0..CLASSES {
        let ns = until[class] - since[class];
        let cause = waiter.cause(class);
        spent[cause as usize] += ns;
        other |= if cause as u8 == PLAIN[class] as u8 {
            0
        } else {
            ns
        };
    }
    if !anywhere {
        let of_scope = [FAIR, HIGHER].map(|first| first..first + BUSY).into_iter();
        other |= of_scope
            .flatten()
            .fold(0, |all, class| all | (until[class] - since[class]));
    }
    let long = waiter.cap_idle(spent);
    other == 0 && (long == 0 || waiter.beyond_idle_exit() as u8 == Cause::IdleUnexplained as u8)
}

/// Causes in which a task of a BPF scheduler (`sched_ext`) waits while CPUs within its affinity are idle, or its own is, and
/// only that scheduler keeps it from running.
const HELD: [Cause; 11] = [
    Cause::IdleUnexplained,
    Cause::IdleSameNode,
    Cause::IdleOtherNode,
    Cause::PassedOverSameNode,
    Cause::PassedOverOtherNode,
    Cause::ImbalanceAllowed,
    Cause::NumaKept,
    Cause::PendingBalance,
    Cause::KickDropped,
    Cause::MigrationCost,
    Cause::ProbablyPinned,
];

/// Gives time of a wait to the BPF scheduler that had its task for `had` ns; in `stalled` ns of these its watchdog found the task
/// stalled. Calls `taken` with the cause that time is taken from, the one that gets it, and the time, ns.
pub(crate) fn hold(
    spent: &mut CauseTotals,
    had: u64,
    stalled: u64,
    mut taken: impl FnMut(Cause, Cause, u64),
) {
    let mut take = |spent: &mut CauseTotals, causes: &[Cause], to: Cause, mut most: u64| {
        for &cause in causes {
            let ns = spent[cause as usize].min(most);
            spent[cause as usize] -= ns;
            spent[to as usize] += ns;
            most -= ns;
            taken(cause, to, ns);
        }
        most
    };
    if stalled > 0 {
        // Whatever else ran: the watchdog found that the scheduler left this one.
        let left = take(spent, &HELD, Cause::ScxStalled, stalled);
        let others = [Cause::IdleExit, Cause::Busy];
        take(spent, &others, Cause::ScxStalled, left);
    }
    // A CPU that was idle for longer than leaving idle takes was idle for no task.
    let idle = spent[Cause::IdleUnexplained as usize] > 0;
    let left = take(spent, &HELD, Cause::ScxQueued, had - stalled);
    if idle {
        take(spent, &[Cause::IdleExit], Cause::ScxQueued, left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_taken_and_never_made() {
        let mut spent: CauseTotals = [0; Cause::COUNT];
        spent[Cause::IdleSameNode as usize] = 30;
        spent[Cause::Busy as usize] = 50;
        let mut taken = Vec::new();
        hold(&mut spent, 40, 0, |from, to, ns| taken.push((from, to, ns)));
        assert_eq!(spent[Cause::ScxQueued as usize], 30);
        assert_eq!(spent.iter().sum::<u64>(), 80);
        taken.retain(|taken| taken.2 > 0);
        assert_eq!(taken, [(Cause::IdleSameNode, Cause::ScxQueued, 30)]);
    }
}
