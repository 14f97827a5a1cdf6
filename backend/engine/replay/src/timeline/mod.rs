//! The level-of-detail index of the timeline.
//!
//! **Slices.** A slice is a task's run on a CPU. At the level of width `w` (a power of two, in ns) a slice is *short* when it
//! lasts less than `w`. Short slices that start in one bucket of `w` follow each other without a long one in between, since a
//! long one that starts among them would end beyond the bucket. So they merge into one item with exact ends, exact time on
//! the CPU and an exact longest-running task, and no two items overlap. Long slices are shown as they are: there is at most
//! one per `w`.
//!
//! **Steps.** A step series holds the moments at which the number of waiting tasks (and, for a node, of busy CPUs)
//! changed. A bucket sums up time × number exactly.
//!
//! All times in the index are ns after the origin, the recording's first event; bucket borders are multiples of `w`
//! from there, so a recording shifted in time gives the same pictures.
//!
//! `builder/` is fed by the replay of run states and writes the index in one pass. `index/` opens it from mapped bytes: it reads the
//! directory at once, and a batch of rows when one of them is needed. `query/` answers windows and single slices from it.
//!
//! A level keeps only buckets that sum up at least `DENSE` rows. Sparser places are read from the rows themselves, so no query reads
//! more than a few rows per bucket, however many events fall together. Pixels, colours and files do not belong here.

mod builder;
mod index;
mod query;
mod rows;
mod task_spans;
mod thread_counts;

pub(crate) use builder::Builder;
pub use builder::{Config, Summary};
pub use index::{FILES, FOLDER, Index};
pub use query::{
    BlockedSleep, KIND_BLOCKED, KIND_EXACT, KIND_LOST, KIND_MERGED, KIND_NODE, KIND_PREEMPTED,
    KIND_RESUMED, KIND_SLEEPING, KIND_THREADS, KIND_UNKNOWN, KIND_WAIT, KIND_WOKEN, Lane, Slice,
    SliceRef,
};
pub use task_spans::{NO_CPU, TaskSpan, TaskSpans, TaskState};
pub use thread_counts::{CountStep, ThreadCounts};

/// A bucket is kept in a level when it sums up at least this many rows.
pub(crate) const DENSE: u32 = 16;

/// Marks the lanes of nodes among the lanes of step series, which are otherwise CPUs.
pub(crate) const NODE_LANE: u32 = 1 << 31;
