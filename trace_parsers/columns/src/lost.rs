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
