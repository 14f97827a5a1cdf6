//! Reasons why wakeups placed tasks on their CPUs, and the idle CPUs that they missed.
//!
//! [`Replay`] reads the decisions of a window from the logs of the replay of run states. A decision is a wakeup or fork with the reasons
//! that the rules of `select_task_rq_fair` (5.15 to 7.2) leave for the recorded CPU.

pub mod catalogue;
mod decisions;
mod findings;
mod lanes;
mod machine;
mod model;
mod replay;
mod sections;
mod tracepoints;

pub use decisions::decisions;
pub use findings::{MissedIdle, MissedWakeup, PlacementFacts};
pub use lanes::Status;
pub use machine::Machine;
pub use model::{Other, Reasons};
pub use replay::{Decision, Missed, Replay};
pub use sections::{
    MissedRow, PlacementOptions, PlacementRow, ReasonRow, SUBJECT, WakeupPlacement, WhatIfRow,
    found, wakeup_placement,
};
