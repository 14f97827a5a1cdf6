//! Use of a task's whole time, and causes of slow requests.
//!
//! [`explain`] answers for a service: its tasks' time by state and cause, and, with a log of requests, what held up the slow ones. The
//! [`Ledger`] is what it reads: each nanosecond of a task has one state and one cause.

mod answer;
mod calls;
mod catalogue;
mod deferred;
mod devices;
mod explain;
pub mod findings;
mod ledger;
mod options;
mod peers;
mod piece;
mod points;
mod recorded;
mod requests;
pub mod sections;
mod served;
mod sleep;
mod sleeps;
mod slow;
mod spans;
mod symbols;
mod wakers;

pub use answer::{
    BySum, CauseSum, Explained, Part, Requests, Slow, SlowCause, Tasks, Typical, Worst,
};
pub use calls::Call;
pub use catalogue::{Cause, RunCause, SleepCause, State};
pub use devices::Device;
pub use explain::{Question, explain};
pub use ledger::Ledger;
pub use piece::{By, Piece, Resource};
pub use points::{RequestCause, RequestPoint, RequestPoints, request_points};
pub use sections::SUBJECT;
pub use sleeps::{Sleeper, TaskSleep};
pub use slow::{SlowPlace, SlowSleep, SlowSleeps, slow_sleeps};
