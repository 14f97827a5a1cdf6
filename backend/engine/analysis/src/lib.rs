//! What a recording's logs say of a window, and the sections of a report over it.
//!
//! * [`psi`]: pressure stall information, replayed by the rules of any kernel version;
//! * [`waste`]: idle CPUs while tasks wait, and why;
//! * [`utilisation`]: how busy nodes and CPUs were, and which task ran where;
//! * [`placement`]: which numa group used which node, and where its memory lies;
//! * [`latency`]: how long tasks waited for a CPU, and for what;
//! * [`cling`], [`numa_balancing`], [`page_migration`]: the NUMA balancers;
//! * [`idle_balancing`]: who balances for sleeping CPUs, by three models of the kernel;
//! * [`findings`]: what went wrong, by severity and then by cost;
//! * [`effort`]: what time without events may cost a replay;
//! * [`window`]: what analyses of a part of a recording share.

mod cache_aware;
mod catalogue;
pub mod cling;
mod context;
pub mod effort;
pub mod findings;
pub mod idle_balancing;
pub mod latency;
mod memory_samples;
pub mod numa_balancing;
pub mod page_migration;
mod per_cpu;
pub mod placement;
pub mod psi;
mod sections;
mod shared;
mod stacks;
mod timeline;
pub mod utilisation;
pub mod waste;
pub mod window;

pub use self::catalogue::catalogue;
pub use self::context::{Context, Usage};
pub use self::numa_balancing::statistics::compare_rows;
pub use self::sections::{
    ClingTracks, GroupTrack, Kicks, Ledger, NodeTrack, Pressure, Stop, analyse, attempts,
    cling_tracks, found, kicks, optional, options, pressure, pressure_samples, report, schemas,
    section_names, states, used,
};
pub use self::timeline::timeline;
pub use window::Window;
