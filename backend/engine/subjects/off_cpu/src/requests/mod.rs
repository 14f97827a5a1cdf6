//! Requests as an input: a log of when each began and how long it took, put on the recording's clock and mapped to tasks.

mod clock;
mod log;
mod path;
mod server;

pub(crate) use clock::{Clock, align, clock_name};
pub(crate) use log::Log;
pub(crate) use numalens_requests::Request;
pub(crate) use path::Service;
pub(crate) use server::server;
