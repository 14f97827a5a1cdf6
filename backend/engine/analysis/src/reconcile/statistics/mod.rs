//! The statistics of the two reports of 2020 (`docs/algorithms/numa_balancing.md`, N14): those of mmtests and those of the NAS
//! tables.
//!
//! Plain functions of numbers, for comparing runs. Where two ways go by one name, both are here under a name of their own:
//! deviations of a sample and of a population, two rules of what is significant.

mod beside;
mod compare;
mod percent;
mod significance;
mod student;
mod summary;

pub use self::beside::{Better, By, Mean, Measured, RowBeside, Run, SideOfRow, beside};
pub use self::compare::{Comparison, Direction, Rule, cell, compare, rounded_change};
pub use self::percent::{pdiff, pndiff};
pub use self::significance::{
    Intervals, NORMAL_95, Spread, THRESHOLD_2020, TTest, intervals_2024, t_test_2020,
};
pub use self::student::{student_cdf, student_two_sided};
pub use self::summary::{
    Summary, coefficient_of_variation, harmonic_deviation, harmonic_mean, mean,
    population_deviation, quantile, sample_deviation, summarise,
};
