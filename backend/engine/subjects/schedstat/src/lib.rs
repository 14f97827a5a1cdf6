//! What the load balancer counted by scheduling domain.

mod sections;

pub use self::sections::{DESCRIPTIONS, KINDS, PARTS, SECTIONS};
