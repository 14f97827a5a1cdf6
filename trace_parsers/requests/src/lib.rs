//! Logs of requests to a service: when each began and how long it took.
//!
//! [`read`] reads a whole log; units that it does not name are chosen so that its times are near the recording. [`sniff`] distinguishes a log
//! from other texts.

mod logs;
mod read;
mod request;
mod sniff;

pub use self::read::read;
pub use self::request::{REAL_NS, Request};
pub use self::sniff::sniff;
