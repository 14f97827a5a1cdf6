//! What reconciled the NUMA balancer with the load balancer (a series merged for 5.7; `docs/algorithms/numa_balancing.md`): its
//! decisions by kernel version, its counters, the statistics that the reports about it use, and what goes wrong.

pub mod attempts;
pub(crate) mod catalogue;
pub mod decision;
mod mmtests;
pub mod per_node;
pub mod statistics;
pub mod vmstat;
