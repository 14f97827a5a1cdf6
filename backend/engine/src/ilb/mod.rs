//! The nohz idle load balancer (seed 002): what the recording shows of it, and what three of its versions would have done.

pub mod compare;
pub mod findings;
pub mod idle;
pub mod model;
pub mod observe;
mod replay;
mod waste;

pub use replay::{Config, Counts, Follow, Replay, Replayed, Run};
pub use waste::Curve;
