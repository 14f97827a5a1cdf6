//! The registry of tracepoints: recorded tables and the replays that use them.

mod idle_balancing;
mod numa;
mod probe;
mod scheduler;

pub use self::idle_balancing::{IlbKind, Kinds};
pub use self::numa::NumaKind;
pub use self::probe::probed;
pub use self::scheduler::Kind;
