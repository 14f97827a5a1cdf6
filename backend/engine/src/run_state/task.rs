//! What is known of each task.

use std::collections::HashMap;

use super::WaitFrom;
use crate::tasks::TaskId;

/// What a task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Unknown,
    Sleeping,
    /// Runnable on a CPU, at a place in its queue.
    Queued {
        cpu: u32,
        at: u32,
    },
    Running {
        cpu: u32,
    },
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub(super) state: State,
    /// Number of its last known name.
    pub(super) name: Option<TaskId>,
    /// When and by whom the wake-up under way was asked for.
    pub(super) waking: Option<(u64, i32)>,
    /// When and how it became runnable.
    pub(super) queued: (u64, WaitFrom),
}

impl Task {
    const NEW: Self = Self {
        state: State::Unknown,
        name: None,
        waking: None,
        queued: (0, WaitFrom::Wakeup),
    };
}

/// The largest pid that Linux gives out on 64-bit machines (`PID_MAX_LIMIT`).
const PID_MAX: i32 = 4 << 20;

/// Tasks by pid: an array for the pids that Linux gives out, so that no input can make look-ups slow, and a map for
/// whatever else a damaged input holds.
#[derive(Debug, Default)]
pub(super) struct TaskTable {
    /// Place in `tasks`, plus one.
    slots: Vec<u32>,
    odd: HashMap<i32, u32>,
    tasks: Vec<Task>,
}

impl TaskTable {
    pub(super) fn get(&mut self, pid: i32) -> &mut Task {
        let slot = if (0..PID_MAX).contains(&pid) {
            let at = pid as usize;
            if at >= self.slots.len() {
                self.slots.resize(at + 1, 0);
            }
            &mut self.slots[at]
        } else {
            self.odd.entry(pid).or_insert(0)
        };
        if *slot == 0 {
            self.tasks.push(Task::NEW);
            *slot = self.tasks.len() as u32;
        }
        &mut self.tasks[*slot as usize - 1]
    }
}
