//! Sections about the NUMA balancers.

mod balancing;
mod cgroups;
mod cling;
mod cling_answer;
mod clung;
mod counters;
mod findings;
mod known;
mod migration;
mod placement;
mod reproduced;
mod samples;

pub use self::balancing::attempts;
pub(super) use self::balancing::{NumaBalancing, balancing};
pub(super) use self::cling::cling;
pub(super) use self::cling_answer::{CheckedLines, Cling, GroupNode, GroupStep, KnownBy, Readings};
pub use self::clung::{Clung, Group, Node, clung};
pub(super) use self::counters::{Counted, vmstat};
pub(super) use self::findings::findings;
pub(super) use self::known::Known;
pub(super) use self::migration::{PageMigration, migration};
pub(super) use self::placement::{Placement, placement};
pub(super) use self::reproduced::reproduced;
