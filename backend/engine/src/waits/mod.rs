//! The waits of tasks for a CPU, and what they consisted of.
//!
//! A wait begins when somebody asks for a task to be woken (`sched_waking`), or when the task loses its CPU without going to
//! sleep, and ends with its next switch-in. Each of its nanoseconds has one cause.

mod clocks;
mod reader;
mod row;
mod rows;
mod writer;

pub(crate) use clocks::{Clocks, On, Reading, Spent, add, idle};
pub use reader::Waits;
pub use row::{Cause, CauseNs, WaitRow};
pub use writer::WaitsWriter;

/// The waits inside the bundle.
pub const WAITS_FILE: &str = "waits/waits.arrow";
/// Their causes inside the bundle.
pub const CAUSES_FILE: &str = "waits/causes.arrow";
