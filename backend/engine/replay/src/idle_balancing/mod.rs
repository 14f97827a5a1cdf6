//! What a recording shows of the idle load balancer.

mod anchor;
mod batch;
mod beside;
mod facts;
mod pass;
mod rows;
mod sources;
mod table;

pub use anchor::{Jiffies, JiffyLearner, learn_jiffies};
pub use facts::{ObservedKick, ObservedPass, Observer, Outcome};
pub use pass::{learn_csd, pass};
pub use rows::{EVENTS_FILE, Events, EventsWriter, IDLE, IlbRow, NR_TOLD, OUTSIDE};
pub use sources::{Sources, Told};
pub use table::{IlbMerge, IlbTable};
