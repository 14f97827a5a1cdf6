//! The slices of a CPU, one after the other.

use crate::timeline::Index;
use crate::window::SliceRef;

impl Index {
    /// The slices on a CPU that overlap `from_ns..to_ns` (trace clock), by their start; whole, not cut to the window.
    pub fn slices(&self, cpu: u32, from_ns: u64, to_ns: u64) -> impl Iterator<Item = SliceRef> {
        let origin = self.meta.origin_ns;
        let (from, to) = (from_ns.saturating_sub(origin), to_ns.saturating_sub(origin));
        let lane = self.slices.get(&cpu).map(|lane| &lane.rows);
        lane.into_iter().flat_map(move |rows| {
            let mut cursor = rows.cursor();
            let first = rows.partition(|slice| slice.end <= from);
            (first..rows.len())
                .map(move |row| cursor.get(row))
                .take_while(move |slice| slice.start < to)
                .map(move |slice| SliceRef {
                    cpu,
                    task: slice.task,
                    start_ns: origin.saturating_add(slice.start),
                    end_ns: origin.saturating_add(slice.end),
                })
        })
    }
}
