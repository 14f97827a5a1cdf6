//! State of one CPU.

use numalens_core::tasks::TaskId;

use super::counts::{Counts, GroupCounts};
use super::task::At;
use super::{Unknown, Wait};
use crate::states::{OnCpu, State};
use crate::waits::{ClockSnapshot, ScopeId};

/// Task on the CPU.
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

/// A task that is runnable here and does not run.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) task: At,
    /// The CPUs that it may use, seen from here.
    pub(super) scope: ScopeId,
    /// Start of the current phase of its wait, ns.
    pub(super) since_ns: u64,
    /// The clocks of the CPU and the scope at that time.
    pub(super) since: ClockSnapshot,
}

#[derive(Debug)]
pub(super) struct Cpu {
    pub(super) current: Current,
    /// Since when `current` holds, ns.
    pub(super) since: u64,
    pub(super) queue: Vec<Waiting>,
    /// Time of its last event, ns.
    pub(super) last_event: u64,
    /// True after lost events until the CPU's next event.
    pub(super) gap: bool,
    /// Position among the CPUs where tasks wait, plus one; 0 without waiting tasks.
    pub(super) overloaded: u32,
    /// Average length of its idle times, as the kernel keeps it (`update_avg`, `kernel/sched/sched.h`), ns.
    pub(super) avg_idle: u64,
    /// Time at which a task last came to it from another CPU, ns.
    pub(super) came_ns: u64,
    /// True if it became idle since and left waiting tasks, a while later.
    pub(super) left_alone: bool,
    /// Time of an arrived kick that has raised nothing so far.
    pub(super) kicked: Option<u64>,
    /// Time and pids of the last switch, to pass over one that two inputs recorded.
    pub(super) last_switch: Option<(u64, i32, i32)>,
    pub(super) counts: Counts,
    /// By the groups' numbers, as far as any was met here.
    pub(super) groups: Vec<GroupCounts>,
    /// State reported last; `None` before the first report.
    pub(super) reported_state: Option<State>,
}

impl Cpu {
    pub(super) fn new(since: u64) -> Self {
        Self {
            current: Current::Unknown(Unknown::Start),
            since,
            queue: Vec::new(),
            last_event: since,
            gap: false,
            overloaded: 0,
            avg_idle: 0,
            came_ns: since,
            left_alone: false,
            kicked: None,
            last_switch: None,
            counts: Counts::default(),
            groups: Vec::new(),
            reported_state: None,
        }
    }

    #[inline]
    pub(super) fn on(&self) -> OnCpu {
        match self.current {
            Current::Unknown(Unknown::Start) => OnCpu::Unknown,
            Current::Unknown(Unknown::Lost) => OnCpu::Lost,
            Current::Idle => OnCpu::Idle,
            Current::Task { .. } => OnCpu::Task,
        }
    }

    #[inline]
    pub(super) fn state(&self) -> State {
        self.counts.machine(self.on(), self.queue.len() as u32)
    }
}
