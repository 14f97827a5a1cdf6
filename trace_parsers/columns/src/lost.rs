//! Parts of a recording that are missing.

use std::ops::Range;

use serde::Serialize;

/// One mark of lost events: events of one CPU are missing before `ts_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostEvents {
    /// Time of the first event after the gap, ns of the trace clock.
    pub ts_ns: u64,
    /// CPU whose events are missing.
    pub cpu: u32,
    /// Index of the buffer (tracing instance) that lost them.
    pub buffer: u8,
    /// Rank of the first event after the gap.
    pub seq: u64,
    /// Number of missing events; `None` when the kernel did not record it.
    pub count: Option<u64>,
}

/// A part of a damaged input that a tolerant reading left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Left-out range: bytes of the file, or lines counted from 1. Never empty.
    pub range: Range<u64>,
    /// `byte` or `line`.
    pub unit: &'static str,
    /// The CPU whose events are missing, where one CPU's are.
    pub cpu: Option<u32>,
    /// Reason in one sentence without the input's name: expected and found content.
    pub why: String,
}
