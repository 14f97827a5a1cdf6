//! Lost events: where the gap begins that a mark closes.

use arrow_array::RecordBatch;
use numalens_core::columns::{u8s, u32s, u64s};

/// Events of a CPU are missing between two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostMark {
    /// Time of the last event before the gap, ns of the trace clock; the first event after it when none came before.
    pub since_ns: u64,
    /// Time of the first event after the gap.
    pub until_ns: u64,
    /// Rank of the first event after the gap.
    pub seq: u64,
    /// CPU whose events are missing.
    pub cpu: u32,
    /// Tracing instance that lost them.
    pub buffer: u8,
}

/// Finds where the gaps begin: feed it every batch of every table of the input.
///
/// A recorder marks a gap at the first event after it. The gap began after the last event before it, of whatever type.
/// `marks` are sorted by CPU, buffer and rank before the first call; `since_ns` starts at 0.
pub fn gap_starts(marks: &mut [LostMark], batch: &RecordBatch) {
    let (Some(ts), Some(cpus), Some(seqs), Some(buffers)) = (
        u64s(batch, "ts_ns"),
        u32s(batch, "cpu"),
        u64s(batch, "seq"),
        u8s(batch, "buffer"),
    ) else {
        return;
    };
    for row in 0..batch.num_rows() {
        let key = (cpus[row], buffers[row], seqs[row]);
        let at = marks.partition_point(|mark| (mark.cpu, mark.buffer, mark.seq) <= key);
        if let Some(mark) = marks
            .get_mut(at)
            .filter(|mark| (mark.cpu, mark.buffer) == (key.0, key.1))
        {
            mark.since_ns = mark.since_ns.max(ts[row]);
        }
    }
}
