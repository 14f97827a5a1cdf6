//! What analyses of a part of a recording share.

mod label;
mod places;
mod steps;

pub(crate) use numalens_replay::timeline::SliceRef;

pub use self::label::Names;
pub(crate) use self::label::{CPUS_ALLOWED, LOST_EVENTS, SCHED_SWITCH, SCHED_WAKING, lowered};
pub(crate) use self::places::{NO_NODE, Places};
pub use self::steps::{MAX_STEPS, Steps};
