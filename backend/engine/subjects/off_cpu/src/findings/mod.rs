//! Findings about the freezer, signals and tracers that kept tasks from running, and about sleeps of slow requests.

pub mod halted;
mod requests;

use numalens_subject::detectors;

use crate::findings::halted::Halted;
use crate::slow::SlowSleeps;

/// Inputs of the detectors.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts<'a> {
    /// The window, ns.
    pub from_ns: u64,
    /// End of the window, ns.
    pub to_ns: u64,
    /// Times in which the freezer, signals or tracers kept tasks from running.
    pub halted: &'a [Halted],
    /// Slow requests; of a window with a log of requests only.
    pub requests: Option<&'a SlowSleeps>,
}

detectors! {
    Facts<'_>;
    halted::FROZEN => halted::frozen,
    halted::STOPPED => halted::stopped,
    halted::TRACED => halted::traced,
    requests::LOCK_HOLDER => requests::lock_holder,
    requests::DISK_SLOW => requests::disk_slow,
    requests::RECLAIM_STALL => requests::reclaim_stall,
    requests::PEER_SLOW => requests::peer_slow,
    requests::SLEPT_TOO_LONG => requests::slept_too_long,
}

/// Returns whether a finding is about requests.
#[must_use]
pub fn is_of_requests(id: &str) -> bool {
    [
        requests::LOCK_HOLDER,
        requests::DISK_SLOW,
        requests::RECLAIM_STALL,
        requests::PEER_SLOW,
        requests::SLEPT_TOO_LONG,
    ]
    .iter()
    .any(|entry| entry.id == id)
}
