//! Reconciliation of the NUMA balancer with the load balancer (a series merged for 5.7; `docs/algorithms/numa_balancing.md`):
//! decisions by kernel version, counters, statistics of the reports about it, and problems.

pub mod attempts;
pub mod catalogue;
pub mod decision;
mod decisions;
pub mod findings;
mod mmtests;
pub mod per_node;
pub mod sections;
pub mod statistics;
pub mod vmstat;

pub use self::decisions::decisions;
pub use self::sections::SUBJECT;
