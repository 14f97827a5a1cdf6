//! Which numa groups used the CPUs of which nodes, over time, and on which nodes their memory lies.
//!
//! A task's time counts for the group that it was in then, as far as events tell (`task_numa_group_id`, printed as `ngid`).

mod members;
mod memory;
mod meter;
mod result;

pub use self::members::{Membership, Told};
pub use self::memory::resident;
pub use self::meter::{Config, Meter, Ranking};
pub use self::result::{GroupMemory, GroupTime, NodeMemory, NodeSeries, Placement, Whose};
