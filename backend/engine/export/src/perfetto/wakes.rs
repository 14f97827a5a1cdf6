//! Which requests to wake are missing.
//!
//! Perfetto takes it from `sched_waking` alone that a task is runnable, and only of a task that does not run. A recording may
//! have only `sched_wakeup`, may begin between the two or have lost one; the task may have been asked for while it was on its
//! way to sleep; and of a new task there is nothing but `sched_wakeup_new`.

/// What an event tells of a wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// `sched_waking`: it is asked for.
    Asked,
    /// `sched_wakeup`: it is done.
    Done,
    /// `sched_wakeup_new`: a task that never slept is runnable.
    New,
    /// `sched_switch`: who leaves a CPU was asked before it slept, if at all, and is woken after all by what comes next.
    Left,
}

impl Told {
    pub(super) fn of(event: &str) -> Option<Self> {
        match event {
            "sched_waking" => Some(Self::Asked),
            "sched_wakeup" => Some(Self::Done),
            "sched_wakeup_new" => Some(Self::New),
            "sched_switch" => Some(Self::Left),
            _ => None,
        }
    }

    /// The column that says whom it is about.
    pub(super) fn whom(self) -> &'static str {
        match self {
            Self::Left => "prev_pid",
            _ => "pid",
        }
    }
}

/// The largest pid that Linux gives out on 64-bit machines (`PID_MAX_LIMIT`).
const PID_MAX: usize = 4 << 20;

/// The tasks whose wake-up was asked for and is not done.
#[derive(Debug, Default)]
pub(super) struct Wakes {
    /// A bit for each pid, as far as any was met.
    asked: Vec<u64>,
    made: u64,
}

impl Wakes {
    /// Follows an event; true where a request is to be put in front of it.
    pub(super) fn is_to_be_made(&mut self, told: Told, pid: i32) -> bool {
        let Some(bit) = usize::try_from(pid)
            .ok()
            .filter(|bit| (1..PID_MAX).contains(bit))
        else {
            return false;
        };
        let (at, mask) = (bit / 64, 1 << (bit % 64));
        if self.asked.len() <= at {
            self.asked.resize(at + 1, 0);
        }
        let was_asked = self.asked[at] & mask != 0;
        if told == Told::Asked {
            self.asked[at] |= mask;
            return false;
        }
        self.asked[at] &= !mask;
        if told == Told::Left {
            return false;
        }
        self.made += u64::from(!was_asked);
        !was_asked
    }

    /// How many requests were made up.
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
        assert!(!wakes.is_to_be_made(Told::Asked, 7));
        assert!(!wakes.is_to_be_made(Told::Done, 7));
        assert!(wakes.is_to_be_made(Told::Done, 7));
        assert!(wakes.is_to_be_made(Told::New, 8));
        assert!(!wakes.is_to_be_made(Told::Asked, 9));
        assert!(wakes.is_to_be_made(Told::Done, 7));
        assert!(!wakes.is_to_be_made(Told::Done, 9));
        // Asked for while it ran, on its way to sleep.
        assert!(!wakes.is_to_be_made(Told::Asked, 9));
        assert!(!wakes.is_to_be_made(Told::Left, 9));
        assert!(wakes.is_to_be_made(Told::Done, 9));
        assert_eq!(wakes.made(), 4);
    }

    #[test]
    fn pids_that_cannot_be_are_left_alone() {
        let mut wakes = Wakes::default();
        for pid in [-1, 0, i32::MAX, i32::MIN] {
            assert!(!wakes.is_to_be_made(Told::Done, pid));
        }
        assert!(wakes.asked.is_empty());
    }
}
