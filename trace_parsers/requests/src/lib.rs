//! Logs of requests to a service: when each began and how long it took.
//!
//! [`read`] reads a whole log; the units that it does not name are those by which its moments lie near the recording. [`sniff`] tells a log
//! from other texts.

mod read;
mod sniff;

pub use self::read::{REAL_NS, Request, read};
pub use self::sniff::sniff;
