//! Pressure stall information (`kernel/sched/psi.c`), replayed from the states of the CPUs.
//!
//! [`rules`] says which states hold, by kernel version; [`times`] counts them per group and CPU; [`aggregate`] weighs the
//! CPUs as the kernel does at each read and each run of its worker; [`averages`] is its fixed-point arithmetic; [`check`]
//! holds the replay against what the kernel printed; [`query`] puts all that together for a window.

pub mod aggregate;
pub mod averages;
pub mod check;
mod group;
mod input;
pub mod jiffies;
mod judge;
pub mod query;
pub mod result;
pub mod rules;
pub mod times;

pub use self::aggregate::{Config, NodeClock, Pressure, Replay};
pub use self::group::{GroupTotals, Point};
pub use self::input::{Input, Options};
pub use self::query::Query;
pub use self::result::{Line, Psi, Resource, Sample, SampleSeries, Series, SeriesPoint};
pub use self::rules::Rules;

/// ns in a second.
const NS: u64 = 1_000_000_000;
