//! The section about the idle load balancer.

mod findings;
mod known;
mod lists;
mod result;
mod samples;
mod section;

pub(super) use self::findings::findings;
pub(super) use self::result::Ilb;
pub(super) use self::section::ilb;
pub use self::section::{Kicks, kicks};
