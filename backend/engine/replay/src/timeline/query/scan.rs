//! The slices of a CPU, one after the other.

use numalens_core::EngineError;
use numalens_core::tasks::TaskId;

use crate::timeline::Index;

/// A task's slice on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceRef {
    /// CPU of the slice.
    pub cpu: u32,
    /// Task of the slice.
    pub task: TaskId,
    /// Priority as the kernel counts.
    pub prio: i32,
    /// Start, ns of the reference clock.
    pub start_ns: u64,
    /// End, ns of the reference clock.
    pub end_ns: u64,
}

impl Index {
    /// The slices on a CPU that overlap `from_ns..to_ns` (trace clock), by their start; whole, not cut to the window.
    ///
    /// # Errors
    /// They could not be read.
    pub fn slices(
        &self,
        cpu: u32,
        from_ns: u64,
        to_ns: u64,
    ) -> Result<impl Iterator<Item = SliceRef>, EngineError> {
        let origin = self.meta.origin_ns;
        let (from, to) = (from_ns.saturating_sub(origin), to_ns.saturating_sub(origin));
        let lane = self.slices.get(&cpu).map(|lane| &lane.rows);
        let rows = lane
            .map(|rows| {
                let first = rows.partition(from, |slice| slice.end <= from)?;
                let past = rows.partition(to, |slice| slice.start < to)?;
                rows.range(first..past)
            })
            .transpose()?;
        Ok(rows.into_iter().flatten().map(move |slice| SliceRef {
            cpu,
            task: slice.task,
            prio: slice.prio,
            start_ns: origin.saturating_add(slice.start),
            end_ns: origin.saturating_add(slice.end),
        }))
    }
}
