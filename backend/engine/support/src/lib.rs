//! What the tests of the engine's crates share: recordings made in memory, the replay's rules once more in the slow and simple
//! way, rows of states.
// The slow and simple way stays in one piece, so that it can be read next to the rules.
#![allow(
    clippy::collapsible_match,
    clippy::expect_used,
    clippy::match_same_arms,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::panic,
    clippy::similar_names,
    clippy::single_match_else,
    clippy::too_many_lines,
    clippy::unwrap_used,
    missing_docs
)]

pub mod model;
pub mod recordings;
pub mod rows;
pub mod truth;
