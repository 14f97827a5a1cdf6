//! The tests of this crate, in one program: each would otherwise be linked by itself.

mod allowed;
mod migrations;
mod numa_attempts;
mod numa_lines;
mod numa_pages;
mod numa_pass;
mod run_state;
mod state_files;
mod states;
mod task_lanes;
mod timeline;
mod waits;
