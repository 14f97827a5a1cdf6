//! Memory samples: where loads found their data, how long that took, and whether memory followed the tasks that moved.
//!
//! Rules: `docs/algorithms/common.md`, K22.

pub mod findings;
mod lines;
mod loads;
mod moves;
pub mod sections;

pub use self::sections::SUBJECT;

pub(crate) use self::lines::{CacheLine, CacheLines};
pub(crate) use self::loads::{LoadSource, Loads, Sum};
pub(crate) use self::moves::{Machine, MemoryOutcome, Moves, NEAR, Pages, Paid, Phase, judge};
