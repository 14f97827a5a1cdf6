//! The tests of this crate, in one program: each would otherwise be linked by itself.

mod asleep;
mod cost;
mod findings;
mod findings_io;
mod psi_common;
mod psi_examples;
mod psi_properties;
mod psi_query;
