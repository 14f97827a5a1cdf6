//! Models of the idle load balancer: plain state machines over the same steps.
//!
//! [`Old`] is the balancer of 2011 (3.1.3), without and with the patch of that year; [`Modern`] is that of 5.2 and later, whose
//! versions differ by [`Rules`].

mod modern;
mod old;
mod rules;

use numalens_core::listed;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::modern::Modern;
pub use self::old::{Old, OldCpu};
pub use self::rules::{GateMove, Rules};

/// Assumed time for an interrupt and the softirq it raises to reach another CPU when the trace does not show it, ns.
pub const IPI_NS: u64 = 20_000;

/// CPUs may kick each other without end; so many arrivals are followed between two steps.
pub(crate) const CHAIN: usize = 1 << 12;

/// Returns whether `a` is before `b`, in jiffies that wrap (`time_before`).
#[must_use]
pub fn before(a: u64, b: u64) -> bool {
    (a.wrapping_sub(b) as i64) < 0
}

/// Something that the models react to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Time, ns of the reference clock.
    pub t_ns: u64,
    /// The same in jiffies.
    pub jiffies: u64,
    /// CPU.
    pub cpu: u32,
    /// Event.
    pub act: Act,
}

/// Event on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// The tick (`scheduler_tick`).
    Tick {
        /// Runnable tasks.
        nr_running: u32,
        /// The idle task is on the CPU.
        idle: bool,
        /// `rq->next_balance`, if probed.
        next_balance: Option<u64>,
    },
    /// The running task, or the number of runnable tasks, changes.
    Run {
        /// Runnable tasks.
        nr_running: u32,
        /// The idle task is on the CPU.
        idle: bool,
    },
    /// The idle CPU stops its tick.
    EnterNohz,
    /// The CPU starts its tick again.
    ExitNohz,
    /// A kick arrives (`nohz_csd_func`).
    Deliver {
        /// Bits that it takes, if probed.
        flags: Option<u32>,
        /// The idle task is to be switched out.
        need_resched: bool,
    },
    /// The SCHED softirq runs.
    Softirq {
        /// The idle task is to be switched out before the first CPU is balanced.
        need_resched: bool,
    },
    /// State found by the kernel's balancer at the following tick, if probed.
    Nohz {
        /// Jiffies until `nohz.next_balance`, less than 0 when it is past.
        until_next: i64,
        /// Blocked load is to be updated.
        blocked_due: bool,
        /// `nohz.next_balance` is to be updated.
        update_due: bool,
        /// The CPU has too little capacity left.
        short: bool,
    },
    /// A kick to the CPU is in progress, or no longer is, if the trace shows both.
    UnderWay(bool),
    /// A balancing pass is seen to begin (`_nohz_idle_balance`).
    Pass {
        /// Flags of the kick.
        flags: u32,
    },
}

/// Kicks and passes go the way of the trace, or as fast as they can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Deliver {
    /// Times from [`Act::Deliver`] and [`Act::Softirq`].
    ByTrace,
    /// After this time, ns: the kernel that was traced did not run this model.
    After(u64),
}

listed! {
    /// Action of a model.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Kind {
        /// A kick was sent.
        KickSent,
        /// Handled: its softirq balanced.
        KickHandled,
        /// Arrived, but nothing was done.
        KickDropped,
        /// Not sent, because an older one still counts as in progress.
        KickLatched,
        /// Aborted: its pass ended before every idle CPU was served.
        KickAborted,
        /// No CPU could be kicked.
        NoTarget,
        /// A tick was blocked by the first and second pick (2011).
        PickBlocked,
        /// A tick with waiting tasks came before `next_balance`.
        GateClosed,
        /// `next_balance` is later than an idle CPU needs it.
        Stale,
        /// One CPU balanced for the others.
        Pass,
    }
}

listed! {
    /// Reason.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
    #[schemars(rename = "KickWhy")]
    #[serde(rename_all = "snake_case")]
    pub enum Why {
        /// Two or more runnable tasks on the CPU of the tick.
        NrRunning,
        /// The first pick with two or more tasks (2011).
        FirstPick,
        /// The second pick, with any task (2011).
        SecondPick,
        /// Neither pick, but two or more tasks (2011, patched).
        AnyCpu,
        /// A kicked CPU that will not balance kicks another (2011, patched).
        HandOver,
        /// Two or more busy CPUs share the cache.
        LlcBusy,
        /// Interrupts and other classes leave the CPU little capacity for its task.
        Capacity,
        /// Blocked load is to be updated (`NOHZ_STATS_KICK`).
        BlockedLoad,
        /// `next_balance` is to be updated (`NOHZ_NEXT_KICK`, since 5.17).
        NextBalance,
        /// The last tick of the CPU was a busy one, though it is idle now.
        StaleTick,
        /// The CPU is not idle any more.
        NotIdle,
        /// The idle task is to be switched out.
        NeedResched,
        /// The CPU's flag is still set.
        FlagSet,
        /// No idle CPU without a tick.
        NobodyIdle,
        /// A pick is idle and still ticks.
        PickIdle,
        /// Both picks are busy.
        PickBusy,
        /// `next_balance` is not reached.
        TooEarly,
        /// A CPU with an earlier `next_balance` stops its tick.
        EnterNohz,
        /// A kick requested it.
        Kicked,
    }
}

/// Something that a model did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Annotation {
    /// Time, ns of the reference clock.
    pub t_ns: u64,
    /// Kind.
    pub kind: Kind,
    /// CPU.
    pub cpu: u32,
    /// The other CPU: the kicked one, or the pick that blocks.
    pub target: Option<u32>,
    /// Reason.
    pub why: Why,
    /// [`Kind::Stale`]: how far `next_balance` is off; [`Kind::KickLatched`]: for how long; [`Kind::Pass`]: CPUs that were
    /// balanced for. Jiffies, jiffies, CPUs; else 0.
    pub size: u64,
    /// Of a kick: the flags (5.2 and later), else 0.
    pub flags: u32,
}

/// Takes what a model does. The models are made for each that there is: behind a pointer, what is done at a tick costs more than
/// the tick.
pub(crate) trait Out: FnMut(&Annotation) {}

impl<O: FnMut(&Annotation) + ?Sized> Out for O {}

/// An annotation of what is done now.
fn about(now: &Step, kind: Kind, why: Why) -> Annotation {
    Annotation {
        t_ns: now.t_ns,
        kind,
        cpu: now.cpu,
        target: None,
        why,
        size: 0,
        flags: 0,
    }
}

/// A model of the idle load balancer.
pub trait Model {
    /// Takes the next step, in ascending time; `out` gets what the model does, in ascending time.
    fn step(&mut self, step: &Step, out: &mut dyn FnMut(&Annotation));
    /// Returns the arrival of the next kick in progress, ns; `None` without one.
    fn due(&self) -> Option<u64>;
    /// Lets what arrives until `t_ns` arrive; [`Self::step`] does so by itself.
    fn arrive(&mut self, t_ns: u64, out: &mut dyn FnMut(&Annotation));
    /// Idle CPUs without a tick whose own `next_balance` is past at `jiffies`, and for how long they stay so.
    fn overdue(&self, jiffies: u64) -> Late;
    /// Returns the earliest time of the next kick, jiffies; `None` before it is known.
    fn next_balance(&self) -> Option<u64>;
    /// Sets it, when the trace shows it.
    fn set_next_balance(&mut self, jiffies: u64);
}

/// Bits of a kick (`kernel/sched/sched.h`).
pub mod flags {
    /// Balance (`NOHZ_BALANCE_KICK`).
    pub const BALANCE: u32 = 1;
    /// Update blocked load (`NOHZ_STATS_KICK`).
    pub const STATS: u32 = 2;
    /// Update `next_balance` (`NOHZ_NEXT_KICK`, since 5.17).
    pub const NEXT: u32 = 8;
    /// The bits that are kicks (`NOHZ_KICK_MASK`).
    pub const KICKS: u32 = BALANCE | STATS | NEXT;
}

// How many CPUs have their balancing overdue, and until when that stays so.

/// A count of CPUs that stays the same for a while when nothing happens to them: it is read at every step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Late {
    /// CPUs whose `next_balance` is past.
    pub count: u32,
    /// For fewer jiffies than these from then on, they and only they are late.
    pub steady: u64,
}

impl Late {
    /// No CPU, whatever the time.
    pub const NONE: Self = Self {
        count: 0,
        steady: u64::MAX,
    };

    /// Summarizes CPUs with these values of `next_balance`, at `jiffies`.
    #[inline]
    #[must_use]
    pub fn of(jiffies: u64, next_balances: impl Iterator<Item = u64>) -> Self {
        /// Further away than this, past and future change places ([`before`]).
        const HALF: u64 = 1 << 63;
        let mut found = Self::NONE;
        for next in next_balances {
            let steady = if before(jiffies, next) {
                next.wrapping_sub(jiffies)
            } else {
                found.count += 1;
                HALF - jiffies.wrapping_sub(next)
            };
            found.steady = found.steady.min(steady);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Moments close to each other, and ones that are half of all time away.
    fn moment() -> impl Strategy<Value = u64> {
        prop_oneof![
            0..20_u64,
            Just(0..20_u64).prop_flat_map(|near| near.prop_map(|at| at + (1 << 63) - 10)),
            any::<u64>()
        ]
    }

    proptest! {
        /// Counted again at any time before it may change, and not so at the first time behind.
        #[test]
       fn a_count_is_steady_for_as_long_as_told(
            next in prop::collection::vec(moment(), 0..5),
            now in moment(),
            later in moment(),
        ) {
            let of = |jiffies| Late::of(jiffies, next.iter().copied());
            let found = of(now);
            let late = next.iter().filter(|next| !before(now, **next)).count();
            prop_assert_eq!(found.count as usize, late);
            if later < found.steady {
                prop_assert_eq!(of(now.wrapping_add(later)).count, found.count);
            }
            prop_assert_eq!(of(now.wrapping_add(found.steady - 1)).count, found.count);
            if next.len() == 1 {
                prop_assert_ne!(of(now.wrapping_add(found.steady)).count, found.count);
            }
        }
    }
}
