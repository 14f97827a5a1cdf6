//! Limit of work caused by time alone: periods and jiffies without events.

/// Steps that a replay may take beyond its events. A replay that models a timer steps through time without events. The length
/// of that time and the number of CPUs come from the input, so they must not determine the cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    left: u64,
    spent: u64,
}

impl Effort {
    /// Steps that any window may take: those of an hour on 400 CPUs every 0.1 s.
    pub const FREE: u64 = 1 << 24;
    /// Further steps for each event.
    pub const PER_EVENT: u64 = 1 << 10;

    /// Steps that adding up so many CPUs once is worth: dividing the sums takes about as long as a few of them.
    #[must_use]
    pub fn of_cpus(cpus: usize) -> u64 {
        cpus as u64 + 16
    }

    /// An event was met.
    #[inline]
    pub fn event(&mut self) {
        self.left = self.left.saturating_add(Self::PER_EVENT);
    }

    /// Takes `steps`; false when there are not so many left, and then none is taken.
    #[inline]
    pub fn take(&mut self, steps: u64) -> bool {
        let Some(left) = self.left.checked_sub(steps) else {
            return false;
        };
        self.left = left;
        self.spent = self.spent.saturating_add(steps);
        true
    }

    /// Steps taken so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            left: Self::FREE,
            spent: 0,
        }
    }
}
