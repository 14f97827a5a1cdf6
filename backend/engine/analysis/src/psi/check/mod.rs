//! The replay held against what the kernel printed.
//!
//! [`residual()`]: the totals; [`averages()`]: the averages, from the printed totals alone.

mod predicted;
mod residual;
mod updates;

pub use predicted::{AveragesCheck, averages, averages_of};
pub use residual::{Residual, Weather, marks, residual};
