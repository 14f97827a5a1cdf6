//! Migrate-on-fault: the statistics of 2010 and their laws, what tells the same today, and whether memory followed
//! its tasks too late.

mod break_even;
pub mod findings;
pub mod metrics;
pub mod modern;
pub mod table;
pub mod vmstat;
pub mod what_if;

pub use self::break_even::{BreakEven, Costs, break_even};
