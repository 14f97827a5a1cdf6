//! The tests of this crate, in one program: each would otherwise be linked by itself.

mod catalogue;
mod findings_headline;
mod findings_severity;
mod findings_waiting;
mod verdict;
mod waste_speed;
