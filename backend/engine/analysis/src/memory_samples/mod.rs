//! Memory samples: where loads found their data, how long that took, and whether memory followed the tasks that moved.
//!
//! Rules: `docs/algorithms/common.md`, K22.

mod lines;
mod loads;
mod moves;

pub(crate) use self::lines::{CacheLine, CacheLines};
pub(crate) use self::loads::{LoadSource, Loads, Sum};
pub(crate) use self::moves::{Machine, MemoryOutcome, Moves, NEAR, Pages, Paid, Phase, judge};
