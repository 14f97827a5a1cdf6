//! The recently used CPU of a task (`task_struct.recent_used_cpu`).

use super::Reasons;
use crate::catalogue::PlacementReason;

/// Most CPUs that are kept of a task.
const MOST: usize = 4;

/// Reasons before which `select_idle_sibling` leaves the recently used CPU alone, or is not called.
const BEFORE: [PlacementReason; 8] = [
    PlacementReason::Pinned,
    PlacementReason::Fallback,
    PlacementReason::OtherClass,
    PlacementReason::DelayedDequeue,
    PlacementReason::PreviousIdle,
    PlacementReason::SyncDeclined,
    PlacementReason::WakerIdle,
    PlacementReason::KthreadStack,
];

/// The CPUs that may be the recently used one of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Recent {
    cpus: Vec<u32>,
    /// No other CPU is possible.
    complete: bool,
}

impl Recent {
    /// Returns whether a CPU may be the recently used one.
    #[must_use]
    pub(crate) fn may_be(&self, cpu: u32) -> bool {
        !self.complete || self.cpus.contains(&cpu)
    }

    /// Returns whether a CPU is certainly the recently used one.
    #[must_use]
    pub(crate) fn is(&self, cpu: u32) -> bool {
        self.complete && self.cpus == [cpu]
    }

    /// Adds a wakeup of the task from its previous CPU.
    pub(crate) fn woken(&mut self, prev: u32, reasons: Reasons) {
        if reasons.is_empty() {
            *self = Self::default();
        } else if !reasons.iter().any(|reason| BEFORE.contains(&reason)) {
            self.cpus.clear();
            self.cpus.push(prev);
            self.complete = true;
        } else if !reasons.all_in(&BEFORE) && !self.cpus.contains(&prev) {
            self.cpus.push(prev);
            if self.cpus.len() > MOST {
                *self = Self::default();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_search_changes_it() {
        let mut recent = Recent::default();
        assert!(recent.may_be(3) && !recent.is(3));
        recent.woken(2, PlacementReason::NoIdle.into());
        assert!(recent.is(2) && !recent.may_be(3));
        recent.woken(5, PlacementReason::PreviousIdle.into());
        assert!(recent.is(2));
        let mut either = Reasons::from(PlacementReason::PreviousIdle);
        either.add(PlacementReason::NoIdle);
        recent.woken(5, either);
        assert!(recent.may_be(2) && recent.may_be(5) && !recent.is(5) && !recent.may_be(1));
        recent.woken(5, Reasons::default());
        assert!(recent.may_be(1));
    }
}
