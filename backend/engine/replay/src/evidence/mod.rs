//! Evidence of the replay besides the scheduler's own events, and its quality.
//!
//! Each collector reads batches of events or samples and derives facts: the kernel's version, its jiffies, IO waits,
//! memory stalls, cgroups, and when the kernel aggregated pressure. A fact says where it comes from and what a better
//! one would have needed.

mod aggregations;
mod calls;
mod hotplug;
mod hz;
mod instants;
mod iowait;
mod kinds;
mod limits;
mod members;
mod reads;
mod sched_ext;
mod sources;
mod unseen;

pub use aggregations::Aggregations;
pub use calls::{Call, Calls};
pub use hotplug::{Hotplug, Hotplugged};
pub use hz::HzEvidence;
pub use instants::{open_instants, write_instants};
pub use iowait::{IowaitEvidence, Reasons, Requests};
pub use kinds::{Course, CpuSpan, Doubts, Evidence, Instant, InstantKind, Missed};
pub use limits::{Limited, Limits};
pub use members::{Births, Membership};
pub use reads::{ReadAt, Reads, read_time};
pub use sched_ext::{
    DsqKind, SchedExt, SchedExtEvidence, ScxCpu, ScxDump, ScxLoaded, ScxStalled, ScxTask,
    ScxTaskName,
};
pub use sources::{
    Edge, Fared, IowaitFrom, LOST_EVENTS, MIGRATE_TASK, OTHER_TASKS, SILENT_CPUS, Seen, Stalls,
    WAKEUP_NEW,
};
pub use unseen::{Unseen, UnseenRows, UnseenTable};
