//! Replays and indexes over event columns.
//!
//! Every replay reads the tables that the readers wrote (Arrow record batches), never an input's bytes, and knows no
//! files: whoever calls hands in batches and takes written bytes. One folder per algorithm:
//!
//! * [`clock`]: the inputs' clocks, put on one;
//! * [`run_state`]: who runs, waits or sleeps where, event by event;
//! * [`topology`]: which CPU belongs to which node;
//! * [`timeline`]: the level-of-detail index behind the pictures, and the queries on it.

pub mod clock;
mod error;
pub mod events;
pub mod ipc;
pub mod run_state;
pub mod tasks;
pub mod timeline;
pub mod topology;

pub use error::EngineError;
