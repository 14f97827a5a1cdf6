//! The tests of this crate, in one program: each would otherwise be linked by itself.

mod critical_path;
mod latency;
mod latency_heat;
mod latency_windows;
mod wait_story;
