//! The tests of this crate, in one program: each would otherwise be linked by itself.

mod cling;
mod cling_common;
mod cling_findings;
mod cling_properties;
mod cling_replay;
