//! The tests of this crate, in one program: each would otherwise be linked by itself.

mod numa_balancing_attempts;
mod numa_balancing_common;
mod numa_balancing_decision;
mod numa_balancing_explain;
mod numa_balancing_findings;
mod numa_balancing_per_node;
mod numa_balancing_runs;
mod numa_balancing_stacking;
mod numa_balancing_statistics;
mod numa_balancing_vmstat;
