//! How long tasks waited for a CPU, and for what.
//!
//! A wake-up's wait goes from the request (`sched_waking`) to the switch-in; a preempted task's from losing its CPU to
//! getting one again. The two are told apart. Percentiles are nearest-rank ones.

mod antagonists;
mod distribution;
mod groups;
mod heat;
mod histogram;
mod meter;
mod result;
mod story;
mod windows;
mod worst;

pub use self::distribution::Distribution;
pub use self::heat::{BUCKETS, Cell, HeatConfig, HeatMeter, HeatWaits, WaitHeat, bucket_of};
pub use self::meter::{Config, MAX_LIMIT, Meter};
pub use self::result::{
    Antagonist, CauseSum, CgroupWaits, Latency, NodeWaits, Others, Preempted, Spread, TaskWaits,
    Unrequested, WorstWait,
};
pub use self::story::{
    Hop, IdleCpu, IdleNode, IdlePiece, Move, Runner, Segment, Stop, Story, StoryLogs, StoryOf,
    Stretch, story,
};
pub use self::windows::{
    BINS_PER_DECADE, Histogram, WaitWindow, WaitWindows, WindowsConfig, WindowsMeter, wait_bins,
};
