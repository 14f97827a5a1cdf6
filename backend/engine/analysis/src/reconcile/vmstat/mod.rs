//! The NUMA rows that mmtests makes of `/proc/vmstat` (`MonitorMmtestsvmstat.pm`; `docs/algorithms/numa_balancing.md`, N13).
//!
//! All rows are differences of counters between two readings. A row whose counters were not read is absent, not zero.

mod rows;
mod span;

pub use self::rows::{Row, VmstatRow, VmstatTable, table};
pub use self::span::{Counters, Reading, deltas, span};

/// Base pages that `change_prot_numa` counts for one huge page: 2 MiB of 4 KiB pages, as on x86.
pub const PAGES_PER_HUGE: i64 = 512;

/// Cost of an updated PTE in the model of mmtests: a `struct page` of 56 bytes, in words of 8.
pub const COST_UPDATE: i64 = 7;
/// Cost of a hint fault in the model.
pub const COST_FAULT: i64 = 5000;
/// Cost of a migrated page that the model really adds: one update and 12 more.
pub const COST_MIGRATED: i64 = 19;
/// Cost of copying a page (`Cpagerw`), which the model meant to add for each migrated page and does not: a stray `;` ends
/// the sum before it. The columns that mmtests published are those without it.
pub const COST_COPY: i64 = 519;
/// The model's sums are told in millions.
pub const COST_UNIT: f64 = 1e6;
