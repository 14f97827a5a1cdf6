//! Sections about the NUMA balancers.

mod balancing;
mod cgroups;
mod cling;
mod clung;
mod counters;
mod findings;
mod known;
mod migration;
mod placement;
mod reproduced;
mod samples;

pub use self::balancing::attempts;
pub(super) use self::balancing::balancing;
pub(super) use self::cling::cling;
pub use self::clung::{Clung, Group, Node, clung};
pub(super) use self::counters::vmstat;
pub(super) use self::findings::findings;
pub(super) use self::known::Known;
pub(super) use self::migration::migration;
pub(super) use self::placement::placement;
pub(super) use self::reproduced::reproduced;
