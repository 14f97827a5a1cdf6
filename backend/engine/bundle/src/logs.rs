//! The logs that the replays left in a bundle.

use std::sync::OnceLock;

use numalens_replay::evidence::Instant;
use numalens_replay::hardware::Hardware;
use numalens_replay::idle_balancing::Events;
use numalens_replay::memory_samples::MemorySamples;
use numalens_replay::migrations::Migrations;
use numalens_replay::numa::{Attempts, Lines, Pages};
use numalens_replay::stacks::Stacks;
use numalens_replay::states::{Groups, States};
use numalens_replay::waits::{CauseSpans, Phases, Requests, Waits};

/// The logs of the replay of run states.
#[derive(Debug)]
pub struct Parts {
    /// States of each CPU, for the machine and each cgroup.
    pub states: States,
    /// The waits for a CPU and their causes.
    pub waits: Waits,
    /// The cgroups by number; `None` when no cgroup is known.
    pub groups: Option<Groups>,
    /// Times at which pressure was aggregated.
    pub instants: Vec<Instant>,
    pub(crate) requests: OnceLock<Requests>,
    pub(crate) details: OnceLock<(CauseSpans, Phases)>,
}

/// The logs of the NUMA balancers.
#[derive(Debug)]
pub struct NumaLogs {
    /// Attempts to place tasks.
    pub attempts: Attempts,
    /// Calls that migrated pages.
    pub pages: Pages,
    /// Lines of cling's own trace points.
    pub lines: Lines,
    /// Migrations of tasks.
    pub migrations: Migrations,
}

/// The logs of a bundle that were opened.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    pub(crate) parts: OnceLock<Parts>,
    pub(crate) numa: OnceLock<NumaLogs>,
    pub(crate) ilb: OnceLock<Events>,
    pub(crate) stacks: OnceLock<Stacks>,
    pub(crate) hardware: OnceLock<Hardware>,
    pub(crate) memory_samples: OnceLock<MemorySamples>,
}
