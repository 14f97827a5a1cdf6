//! Claims about the causes of waits.

use numalens_core::listed;
use numalens_replay::waits::Cause;
use serde::{Serialize, Serializer};

listed! {
    /// A claim about waiting.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Claim {
        /// All CPUs that the tasks may use were busy.
        Saturated,
        /// A real-time, deadline or stop task had the CPU.
        HigherClass,
        /// A buddy kept tasks with short slices from preempting one with a longer slice.
        Buddy,
        /// The only idle CPUs were outside the tasks' affinity.
        Pinned,
        /// A cgroup had used up its quota, or a task its budget.
        Throttled,
        /// The CPU served interrupts and softirqs.
        Interrupts,
        /// CPUs within the tasks' affinity were idle, as far as is known, and no balancing pass was seen to consider
        /// them.
        IdleElsewhere,
        /// The same, and a kick that came to one of them raised no balancing.
        KickDropped,
        /// Balancing on such CPUs probably considered the tasks but did not pull them.
        PassedOver,
        /// The task's own CPU was idle for longer than leaving idle takes.
        IdleUnexplained,
        /// The task on the CPU scanned its memory for NUMA balancing.
        NumaScan,
        /// Nothing but the task's BPF scheduler kept it from running.
        ScxQueued,
        /// The same, as the watchdog of `sched_ext` found.
        ScxStalled,
        /// Newly idle balancing had the CPU.
        NewIdle,
        /// The host did not run the guest's CPU.
        Steal,
        /// The hardware or its firmware had the CPU.
        HardwareNoise,
    }
}

impl Claim {
    /// Number of claims.
    pub const COUNT: usize = Self::ALL.len();

    /// Claim of a cause; `None` for waking up, leaving idle, and unknown time.
    #[must_use]
    pub fn of(cause: Cause) -> Option<Self> {
        Some(match cause {
            Cause::Busy | Cause::NotEligible | Cause::LaterDeadline | Cause::SliceProtected => {
                Self::Saturated
            }
            Cause::ShortBehindBuddy => Self::Buddy,
            Cause::NewIdle => Self::NewIdle,
            Cause::Steal => Self::Steal,
            Cause::HardwareNoise => Self::HardwareNoise,
            Cause::BehindHigherClass | Cause::PinnedBehindHigherClass => Self::HigherClass,
            Cause::Pinned | Cause::ProbablyPinned => Self::Pinned,
            Cause::Throttled => Self::Throttled,
            Cause::Interrupt | Cause::Softirq => Self::Interrupts,
            Cause::IdleSameNode | Cause::IdleOtherNode | Cause::PendingBalance => {
                Self::IdleElsewhere
            }
            Cause::KickDropped => Self::KickDropped,
            Cause::PassedOverSameNode
            | Cause::PassedOverOtherNode
            | Cause::ImbalanceAllowed
            | Cause::NumaKept => Self::PassedOver,
            Cause::IdleUnexplained => Self::IdleUnexplained,
            Cause::NumaScan => Self::NumaScan,
            Cause::ScxQueued => Self::ScxQueued,
            Cause::ScxStalled => Self::ScxStalled,
            Cause::WakeUp | Cause::Unknown | Cause::IdleExit | Cause::MigrationCost => {
                return None;
            }
        })
    }
}

/// As the names of its causes.
impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = Cause::ALL
            .into_iter()
            .filter(|&cause| Self::of(cause) == Some(*self));
        serializer.collect_seq(own.map(Cause::name))
    }
}
