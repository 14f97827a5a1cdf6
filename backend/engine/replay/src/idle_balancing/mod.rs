//! Recorded events of the idle load balancer.

mod anchor;
mod batch;
mod facts;
mod pass;
mod relevance;
mod rows;
mod sources;
mod table;

pub use anchor::{Jiffies, JiffyLearner, learn_jiffies};
pub use facts::{ObservedKick, ObservedPass, Observer, Outcome};
pub use pass::{LogWriter, learn_csd};
pub use rows::{
    BLOCKED_DUE, EVENTS_FILE, Events, EventsWriter, IDLE, IlbRow, NR_KNOWN, OUTSIDE, SHORT,
    UPDATE_DUE,
};
pub use sources::{Source, Sources};
pub use table::IlbTable;
