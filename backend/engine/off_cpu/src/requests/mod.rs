//! Requests as an input: a log of when each began and how long it took, put on the recording's clock and mapped to tasks.

mod clock;
mod path;
mod read;

pub(crate) use clock::{Clock, align, clock_name};
pub(crate) use path::Service;
pub use read::{Request, read};
