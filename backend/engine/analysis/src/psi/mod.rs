//! Pressure stall information (`kernel/sched/psi.c`), replayed from the states of the CPUs.
//!
//! [`rules`] says which states hold, by kernel version; [`times`] counts them per group and CPU; [`aggregate`] weighs the
//! CPUs as the kernel does at each read and each run of its worker; [`averages`] is its fixed-point arithmetic; [`check`]
//! holds the replay against what the kernel printed; [`query`] puts all that together for a window.

pub mod aggregate;
pub mod averages;
pub mod check;
mod group;
pub mod jiffies;
mod judge;
pub mod query;
pub mod result;
pub mod rules;
pub mod times;

pub use self::aggregate::{Config, GroupTotals, NodeClock, Point, Pressure, Replay};
pub use self::query::{Input, Options, Query};
pub use self::result::{Line, Psi, Resource, Sample, SampleSeries, Series, SeriesPoint};
pub use self::rules::Rules;

/// ns in a second.
const NS: u64 = 1_000_000_000;

// Triggers: when a poll on a pressure file would have returned (`window_update`, `update_triggers`, `kernel/sched/psi.c`).

/// What an update of a trigger led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The growth within the window is below the threshold.
    Below,
    /// It is not, but the last event is less than a window ago.
    TooEarly,
    /// An event.
    Fires,
}

/// A trigger: so much stall within so long a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trigger {
    threshold: u64,
    size: u64,
    start: u64,
    start_total: u64,
    previous_growth: u64,
    last_event: Option<u64>,
    /// Since 6.4 an event that came too early is kept until it may fire; before, it is dropped.
    keeps: bool,
    pending: bool,
}

impl Trigger {
    /// A trigger that is written at `now` when the total is `total` (ns all).
    #[must_use]
    pub fn new(threshold: u64, size: u64, now: u64, total: u64, keeps: bool) -> Self {
        Self {
            threshold,
            size: size.max(1),
            start: now,
            start_total: total,
            previous_growth: 0,
            last_event: None,
            keeps,
            pending: false,
        }
    }

    /// What happens at `now` when the total is `total`.
    pub fn update(&mut self, total: u64, now: u64) -> Verdict {
        let over = self.grown(total, now) >= self.threshold;
        if !over && !self.pending {
            return Verdict::Below;
        }
        if self.last_event.is_some_and(|last| now < last + self.size) {
            self.pending = self.keeps;
            return Verdict::TooEarly;
        }
        self.last_event = Some(now);
        self.pending = false;
        Verdict::Fires
    }

    /// Growth within the window, the part of the window before the last reset taken in proportion.
    fn grown(&mut self, total: u64, now: u64) -> u64 {
        let elapsed = now.saturating_sub(self.start);
        let growth = total.saturating_sub(self.start_total);
        if elapsed > self.size {
            self.start = now;
            self.start_total = total;
            self.previous_growth = growth;
            return growth;
        }
        let left = u128::from(self.size - elapsed);
        growth + (u128::from(self.previous_growth) * left / u128::from(self.size)) as u64
    }
}
