//! Conclusions from an attempt's row beyond its fields.

use super::{Attempt, Verdict};

impl Attempt {
    /// Returns whether the kernel counts it as failed; `None` when not known. A probed return value decides.
    #[must_use]
    pub fn failed(&self) -> Option<bool> {
        self.ret.map(|ret| ret != 0).or(self.verdict.failed())
    }

    /// Returns whether `sched_move_numa` announced it.
    #[must_use]
    pub fn traced_move(&self) -> bool {
        match self.verdict {
            Verdict::Moved | Verdict::MoveFailed => true,
            // Without a move or swap, an unknown end has no chosen CPU.
            Verdict::Unknown => self.dst_cpu >= 0 && self.partner.is_none(),
            _ => false,
        }
    }

    /// Returns whether `sched_swap_numa` announced it.
    #[must_use]
    pub fn traced_swap(&self) -> bool {
        match self.verdict {
            Verdict::Swapped | Verdict::SwapRaced => true,
            Verdict::Unknown => self.partner.is_some(),
            _ => false,
        }
    }

    /// Returns whether it ended in a way that `sched_stick_numa` reports: no CPU, refused, or failed.
    #[must_use]
    pub fn stuck(&self) -> bool {
        self.verdict.failed() == Some(true) && self.verdict != Verdict::NoDomain
    }
}
