//! The waits of tasks for a CPU, and what they consisted of.
//!
//! A wait begins with a wakeup request (`sched_waking`), with the wakeup of a new task, or when a task loses its CPU without
//! going to sleep. It ends with the task's next switch-in, or where its state becomes unknown. Each of its nanoseconds has
//! one cause.

mod catalogue;
mod clocks;
mod phases;
mod reader;
mod requests;
mod row;
mod rows;
mod rules;
mod segments;
mod spans;
mod writer;

pub use catalogue::Cause;
pub(crate) use clocks::{Clocks, On, SCHED, ScopeId};
pub(crate) use phases::write_masks;
pub use phases::{PassedOver, Phase, Phases, PhasesWriter};
pub use reader::{Order, Waits};
pub use requests::{Context, Request, Requests, RequestsWriter, WakeAffinity};
pub use row::{CauseNs, IDLE_EXIT_NS, MIGRATION_COST_NS, WaitEnd, WaitFrom, WaitPart, WaitRow};
pub use rules::CauseTotals;
pub(crate) use rules::{
    Budget, ClockSnapshot, HARDWARE_NOISE, Left, LeftByOtherNode, STEAL, Turn, Waiter, add, hold,
};
pub use segments::{Segment, SegmentLogs};
pub use spans::{CauseSpan, CauseSpans, SpanOf, SpansWriter};
pub use writer::WaitsWriter;

/// The waits inside the bundle.
pub const WAITS_FILE: &str = "waits/waits.arrow";
/// Table of their causes inside the bundle.
pub const CAUSES_FILE: &str = "waits/causes.arrow";
/// The requests to wake tasks inside the bundle.
pub const REQUESTS_FILE: &str = "waits/requests.arrow";
/// Table of further inputs for the causes of waits, inside the bundle.
pub const SPANS_FILE: &str = "waits/spans.arrow";
/// Table of the replay's knowledge about waiting tasks, inside the bundle.
pub const PHASES_FILE: &str = "waits/phases.arrow";
/// The masks of CPUs that tasks may use, inside the bundle.
pub const MASKS_FILE: &str = "waits/masks.arrow";
