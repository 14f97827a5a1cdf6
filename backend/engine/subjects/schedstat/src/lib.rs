//! Counters of the load balancer by scheduling domain.

mod sections;

pub use self::sections::SUBJECT;
