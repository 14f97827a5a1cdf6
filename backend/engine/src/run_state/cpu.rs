//! What is known of one CPU.

use super::{Unknown, Wait};
use crate::tasks::TaskId;

/// Who is on the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Current {
    Unknown(Unknown),
    Idle,
    Task {
        pid: i32,
        task: TaskId,
        prio: i32,
        wait: Option<Wait>,
    },
}

#[derive(Debug)]
pub(super) struct Cpu {
    pub(super) current: Current,
    /// Since when `current` holds, ns.
    pub(super) since: u64,
    /// Pids that are runnable here but do not run.
    pub(super) queue: Vec<i32>,
    /// Time and pids of the last switch, to pass over one that two inputs recorded.
    pub(super) last_switch: Option<(u64, i32, i32)>,
    /// What was told last.
    pub(super) told: (bool, u32),
}

impl Cpu {
    pub(super) fn new(since: u64) -> Self {
        Self {
            current: Current::Unknown(Unknown::Start),
            since,
            queue: Vec::new(),
            last_switch: None,
            told: (false, 0),
        }
    }
}
