//! NUMA cling: tasks of a cgroup's numa group stay on their preferred node unless migrations to it fail too often. Rules:
//! `docs/algorithms/cling.md`.
//!
//! Names: a *group* is a `struct numa_group`, its *id* is printed by events as `ngid`, its *number* identifies a group
//! object. Per node a group keeps F, T and Q ([`group::Stat`]). A node is *busy* for a group when migrations to it failed so
//! often that the group no longer clings to it.

pub mod annotations;
pub mod compare;
mod decisions;
pub mod events;
pub mod findings;
pub mod group;
pub mod history;
pub mod lines;
pub mod options;
pub mod prefs;
mod report;
pub mod samples;
pub mod sections;
pub mod timer;
pub mod whatif;

pub use self::decisions::decisions;
pub use self::sections::SUBJECT;
