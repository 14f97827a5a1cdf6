//! How busy nodes and CPUs were, how many tasks waited, and where each task ran.
//!
//! A CPU is busy while a task other than the idle one is on it, idle while the idle task is, and unknown while no event
//! tells; the three always add up to the window's length.

mod depth;
mod merge;
mod meter;
mod residency;
mod result;
pub(crate) mod table;

pub use self::merge::merged;
pub use self::meter::{Config, Meter};
pub use self::residency::{NodeRun, Residencies, Residency, TaskResidency};
pub use self::result::{CpuTime, Depth, Imbalance, NodeDepth, NodeTime, Utilisation};
