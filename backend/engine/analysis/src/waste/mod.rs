//! Idle CPUs beside waiting tasks.
//!
//! At any moment, as many CPUs are wasted as could take a waiting task and are idle: `min(idle CPUs, Σ max(0, |R| - 1))`
//! over the runnable tasks `R` of each CPU. Over time that is CPU-ns. Each has one [`WasteCause`] and stands on the node
//! where the task waits.

mod meter;
mod result;
mod shares;

pub use self::meter::{Config, Meter};
pub use self::result::{CauseAmount, NodeWaste, Series, Waste, WasteCause};
