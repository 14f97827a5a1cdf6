//! Samples with call chains: samples of perf and stacks of ftrace, as three tables.
//!
//! A *frame* is a function, or an address without a name. A *callsite* is a frame below another callsite, its caller; it
//! represents all stacks that start so. A *sample* names the callsite of its innermost frame. No text is stored per sample.

mod chain;
mod frames;
mod logs;
mod memory;
mod written;

pub use chain::{Context, MOST_DEPTH, chain_of};
pub use frames::{Callsites, FrameName, Frames};
pub use logs::{Sample, SampledEvent, Stacks, StacksSummary, StacksWriter, UnnamedFile};
pub use memory::Memory;
pub use written::{ftrace_frames, perf_frames, rename_perf_frames};

/// The frames inside the bundle.
pub const FRAMES_FILE: &str = "stacks/frames.arrow";
/// The callsites inside the bundle.
pub const CALLSITES_FILE: &str = "stacks/callsites.arrow";
/// The samples inside the bundle.
pub const SAMPLES_FILE: &str = "stacks/samples.arrow";
/// Means "no caller" and "no stack".
pub const NO_CALLSITE: u32 = u32::MAX;
