//! The replay held against what the kernel printed.
//!
//! [`residual()`]: the totals; [`averages()`]: the averages, from the printed totals alone.

mod predicted;
mod residual;
mod updates;

pub use self::predicted::{AveragesCheck, averages, averages_of};
pub use self::residual::{Residual, Weather, marks, residual};
