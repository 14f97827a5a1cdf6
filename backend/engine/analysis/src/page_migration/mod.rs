//! Migrate-on-fault: the statistics of 2010 and their laws, what tells the same today, and whether memory followed
//! its tasks too late.

pub mod metrics;
pub mod modern;
pub mod table;
pub mod vmstat;
pub mod what_if;
