//! Migrate-on-fault: the statistics of 2010 and their invariants, their equivalents today, and whether memory followed its
//! tasks too late.

pub mod findings;
pub mod metrics;
pub mod modern;
mod options;
pub mod sections;
pub mod table;
pub mod vmstat;
pub mod what_if;

pub use self::sections::SUBJECT;
