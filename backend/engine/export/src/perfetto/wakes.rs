//! Missing wakeup requests.
//!
//! Perfetto takes only `sched_waking` as a sign that a task is runnable, and only for a task that does not run. A recording
//! may have only `sched_wakeup`, may begin between the two or have lost one. The task may have been woken while it was about
//! to sleep. A new task has only `sched_wakeup_new`.

/// Kind of wakeup event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WakeEvent {
    /// `sched_waking`: it is requested.
    Waking,
    /// `sched_wakeup`: it is done.
    Wakeup,
    /// `sched_wakeup_new`: a task that never slept is runnable.
    WakeupNew,
    /// `sched_switch`: the wake-up of the task that leaves was requested before it slept, if at all; what comes next wakes
    /// it after all.
    Switch,
}

impl WakeEvent {
    pub(super) fn of(event: &str) -> Option<Self> {
        match event {
            "sched_waking" => Some(Self::Waking),
            "sched_wakeup" => Some(Self::Wakeup),
            "sched_wakeup_new" => Some(Self::WakeupNew),
            "sched_switch" => Some(Self::Switch),
            _ => None,
        }
    }

    /// The column with the pid of the task it is about.
    pub(super) fn pid_column(self) -> &'static str {
        match self {
            Self::Switch => "prev_pid",
            _ => "pid",
        }
    }
}

/// The largest pid that Linux gives out on 64-bit machines (`PID_MAX_LIMIT`).
const PID_MAX: usize = 4 << 20;

/// The tasks whose wake-up was requested and is not done.
#[derive(Debug, Default)]
pub(super) struct Wakes {
    /// A bit for each pid, as far as any was met.
    requested: Vec<u64>,
    made: u64,
}

impl Wakes {
    /// Follows an event; returns true if a request must be inserted before it.
    pub(super) fn is_to_be_made(&mut self, event: WakeEvent, pid: i32) -> bool {
        let Some(bit) = usize::try_from(pid)
            .ok()
            .filter(|bit| (1..PID_MAX).contains(bit))
        else {
            return false;
        };
        let (at, mask) = (bit / 64, 1 << (bit % 64));
        if self.requested.len() <= at {
            self.requested.resize(at + 1, 0);
        }
        let was_requested = self.requested[at] & mask != 0;
        if event == WakeEvent::Waking {
            self.requested[at] |= mask;
            return false;
        }
        self.requested[at] &= !mask;
        if event == WakeEvent::Switch {
            return false;
        }
        self.made += u64::from(!was_requested);
        !was_requested
    }

    /// Returns the number of inserted requests.
    pub(super) fn made(&self) -> u64 {
        self.made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_made_where_none_came_since_the_last_wake_up() {
        let mut wakes = Wakes::default();
        assert!(!wakes.is_to_be_made(WakeEvent::Waking, 7));
        assert!(!wakes.is_to_be_made(WakeEvent::Wakeup, 7));
        assert!(wakes.is_to_be_made(WakeEvent::Wakeup, 7));
        assert!(wakes.is_to_be_made(WakeEvent::WakeupNew, 8));
        assert!(!wakes.is_to_be_made(WakeEvent::Waking, 9));
        assert!(wakes.is_to_be_made(WakeEvent::Wakeup, 7));
        assert!(!wakes.is_to_be_made(WakeEvent::Wakeup, 9));
        // Requested while it ran, on its way to sleep.
        assert!(!wakes.is_to_be_made(WakeEvent::Waking, 9));
        assert!(!wakes.is_to_be_made(WakeEvent::Switch, 9));
        assert!(wakes.is_to_be_made(WakeEvent::Wakeup, 9));
        assert_eq!(wakes.made(), 4);
    }

    #[test]
    fn pids_that_cannot_be_are_left_alone() {
        let mut wakes = Wakes::default();
        for pid in [-1, 0, i32::MAX, i32::MIN] {
            assert!(!wakes.is_to_be_made(WakeEvent::Wakeup, pid));
        }
        assert!(wakes.requested.is_empty());
    }
}
