//! A window cut into steps.

/// A finer step than this many to a window is widened: a series must fit into memory and into an answer.
pub const MAX_STEPS: u64 = 1 << 14;
/// The same for the steps of all rows of a table together.
const MAX_CELLS: u64 = 1 << 19;

/// A window in steps of one length, ns; the last one may be shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    from: u64,
    to: u64,
    step: u64,
    count: usize,
}

impl Steps {
    /// Steps of `step_ns`, or wider ones where there would be more than [`MAX_STEPS`].
    #[must_use]
    pub fn new(from_ns: u64, to_ns: u64, step_ns: u64) -> Self {
        let to_ns = to_ns.max(from_ns);
        let step = step_ns.max((to_ns - from_ns).div_ceil(MAX_STEPS)).max(1);
        Self {
            from: from_ns,
            to: to_ns,
            step,
            count: (to_ns - from_ns).div_ceil(step) as usize,
        }
    }

    /// The most steps of a table of so many rows.
    #[must_use]
    pub fn most(rows: usize) -> u64 {
        (MAX_CELLS / (rows as u64).max(1)).clamp(1, MAX_STEPS)
    }

    /// As [`Self::new`], for a table of so many rows: no more steps than [`Self::most`].
    #[must_use]
    pub fn of_table(from_ns: u64, to_ns: u64, step_ns: u64, rows: usize) -> Self {
        let least = to_ns.saturating_sub(from_ns).div_ceil(Self::most(rows));
        Self::new(from_ns, to_ns, step_ns.max(least))
    }

    /// At most `most` steps of 1, 2 or 5 times a power of ten ns.
    #[must_use]
    pub fn round(from_ns: u64, to_ns: u64, most: u64) -> Self {
        let least = to_ns.saturating_sub(from_ns).div_ceil(most.max(1));
        let mut power = 1_u64;
        loop {
            for factor in [1, 2, 5] {
                let step = power.saturating_mul(factor);
                if step >= least {
                    return Self::new(from_ns, to_ns, step);
                }
            }
            power = power.saturating_mul(10);
        }
    }

    /// Their length, ns.
    #[must_use]
    pub fn step_ns(&self) -> u64 {
        self.step
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// When a step begins.
    #[must_use]
    pub fn start(&self, at: usize) -> u64 {
        let offset = (at as u64).saturating_mul(self.step);
        self.from.saturating_add(offset).min(self.to)
    }

    /// When a step ends.
    #[must_use]
    pub fn end(&self, at: usize) -> u64 {
        self.start(at.saturating_add(1))
    }

    /// The step that a moment of the window is in; a border belongs to the step that it begins.
    #[must_use]
    pub fn at(&self, ts_ns: u64) -> usize {
        (ts_ns.saturating_sub(self.from) / self.step) as usize
    }
}
