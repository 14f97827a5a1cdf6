//! The index's tables.

use numalens_core::logs::table;
use numalens_core::topology::Node;
use serde::{Deserialize, Serialize};

use crate::run_state::MAX_RT_PRIO;

/// Facts for the index's readers besides the rows; stored in the metadata of the last file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Meta {
    pub(super) origin_ns: u64,
    pub(super) end_ns: u64,
    /// The finest level's buckets are `1 << shift` ns wide.
    pub(super) shift: u32,
    pub(super) nodes: Vec<Node>,
    /// Letters of the end states, by number.
    pub(super) states: Vec<String>,
}

/// Key of [`Meta`] in the schema's metadata.
pub(super) const META: &str = "numalens.timeline";

/// Number of the end state that is not known.
pub(super) const NO_STATE: u8 = u8::MAX;

table! {
    /// A task's slice on a CPU.
    SliceRow, SliceColumns, start, {
        start: u64,
        end: u64,
        task: u32,
        prio: i32,
        /// Place of the end state's letters among the index's states; 255 = not known.
        state: u8,
        /// Start of the wait before it: 0 none, 1 waking, 2 wakeup, 3 preempted.
        wait: u8,
        wait_since: u64,
        waker: i32,
    }
}

impl SliceRow {
    /// Length of the slice if its task is a real-time or deadline one, otherwise 0.
    pub(crate) fn rt_ns(&self) -> u64 {
        if self.prio < MAX_RT_PRIO {
            self.end.saturating_sub(self.start)
        } else {
            0
        }
    }
}

table! {
    /// Short slices that start in one bucket of a level.
    SliceBucket, SliceBuckets, start, {
        /// Start of the first slice.
        start: u64,
        /// End of the last slice.
        end: u64,
        /// Time on the CPU.
        busy: u64,
        /// Row of the first slice.
        first: u32,
        /// Number of slices, in adjacent rows.
        count: u32,
        /// The task that ran longest.
        task: u32,
        /// Part of `busy` by real-time and deadline tasks.
        rt: u64,
    }
}

table! {
    /// From `time` on, `busy` CPUs are busy and `waiting` tasks wait.
    StepRow, StepColumns, time, {
        time: u64,
        busy: u32,
        waiting: u32,
    }
}

table! {
    /// The steps in one bucket of a level.
    StepBucket, StepBuckets, start, {
        /// Border at which the bucket starts.
        start: u64,
        /// Busy CPUs × ns, over the whole bucket.
        busy: u64,
        /// Waiting tasks × ns, over the whole bucket.
        waiting: u64,
        waiting_max: u32,
        /// Row of the first step in it.
        first: u32,
        /// Number of steps, in adjacent rows.
        count: u32,
        /// State at its end.
        last_busy: u32,
        last_waiting: u32,
    }
}

table! {
    /// Unknown task.
    SpanRow, SpanColumns, start, {
        start: u64,
        end: u64,
        /// 1 when events were lost, 0 when no event has shown it yet.
        lost: u8,
    }
}

table! {
    /// Position of a lane's rows: `len` rows from `offset` in batch `batch` of a table's file.
    RunRow, RunColumns, first, {
        /// Place of the table's file in `FILES`.
        table: u8,
        level: u8,
        lane: u32,
        batch: u32,
        offset: u32,
        len: u32,
        /// Time of the first row.
        first: u64,
    }
}
