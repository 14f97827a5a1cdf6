//! Pressure stall information (`kernel/sched/psi.c`), replayed from the states of the CPUs.
//!
//! [`rules`] defines the states by kernel version. [`times`] counts them per group and CPU. [`aggregate`] weights the CPUs as
//! the kernel does at each read and each run of its worker. [`averages`] is its fixed-point arithmetic. [`check`] compares
//! the replay with the kernel's output. [`query`] combines all that for a window.
//!
//! `rules` is the version table, as data, with one evaluator: no other file has an `if` on a version. `group` has the moments of aggregation,
//! and `Trigger` the moment when a poll would have returned. `check` compares totals, and averages predicted from printed totals. `judge` and
//! `result` are the labels and the shape of a window's answer, with the kernel's own output. `sections` also answers from samples alone
//! (`sampled`) and for uninterruptible sleeps (`blocked`). Events do not belong here: `run_state` turns them into states.
//!
//! `cargo run -p numalens-lab --example psi_averages -- HZ FILE...` checks the averages of `psi.jsonl` files.

pub mod aggregate;
pub mod averages;
pub mod check;
pub mod effort;
pub mod findings;
mod group;
mod input;
mod judge;
pub mod options;
mod per_cpu;
pub mod query;
mod report;
pub mod result;
pub mod rules;
pub mod sections;
pub mod times;

pub use self::aggregate::{Config, NodeClock, Pressure, Replay};
pub use self::group::{GroupTotals, Point};
pub use self::input::{Input, Options};
pub use self::query::Query;
pub use self::result::{Line, Psi, Resource, Sample, SampleSeries, Series, SeriesPoint};
pub use self::rules::Rules;
pub use self::sections::SUBJECT;
