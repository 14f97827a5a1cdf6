//! What is known of one CPU.

use numalens_core::tasks::TaskId;

use super::counts::{Counts, GroupCounts};
use super::task::At;
use super::{Unknown, Wait};
use crate::states::{OnCpu, State};
use crate::waits::{ClockSnapshot, ScopeId};

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

/// A task that is runnable here and does not run.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) task: At,
    /// The CPUs that it may use, seen from here.
    pub(super) scope: ScopeId,
    /// When the phase of its wait that is under way began, ns.
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
    /// When its last event was, ns.
    pub(super) last_event: u64,
    /// Events of it are lost, and none of it came since.
    pub(super) gap: bool,
    /// Its place among the CPUs where tasks wait, plus one; 0 when none does.
    pub(super) overloaded: u32,
    /// How long it is idle at a time, as the kernel averages it (`update_avg`, `kernel/sched/sched.h`), ns.
    pub(super) avg_idle: u64,
    /// When a task last came to it from elsewhere, ns.
    pub(super) came_ns: u64,
    /// It has left waiting tasks on becoming idle since, a while later.
    pub(super) left_alone: bool,
    /// When a kick came to it that has raised nothing so far.
    pub(super) kicked: Option<u64>,
    /// Time and pids of the last switch, to pass over one that two inputs recorded.
    pub(super) last_switch: Option<(u64, i32, i32)>,
    pub(super) counts: Counts,
    /// By the groups' numbers, as far as any was met here.
    pub(super) groups: Vec<GroupCounts>,
    /// Its state as reported last; `None` when nothing was reported.
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
