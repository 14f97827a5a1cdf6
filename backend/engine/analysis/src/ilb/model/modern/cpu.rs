//! What the modern balancer keeps for a CPU.

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cpu {
    /// Kicks under way (`nohz_flags`).
    pub(super) flags: u32,
    pub(super) kicked: u64,
    pub(super) kicked_ns: u64,
    /// What the softirq is to do (`rq->nohz_idle_balance`).
    pub(super) pending: u32,
    pub(super) next_balance: u64,
    pub(super) nr_running: u32,
    pub(super) idle: bool,
    /// `rq->idle_balance`: idle at the last tick or kick.
    pub(super) idle_balance: bool,
}

impl Cpu {
    /// `idle_cpu()`.
    #[inline]
    pub(super) fn free(&self) -> bool {
        self.idle && self.nr_running == 0
    }
}
