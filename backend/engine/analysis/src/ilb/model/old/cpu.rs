//! What the balancer of 2011 keeps for a CPU.

/// What the balancer keeps for a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "the kernel's own flags")]
pub struct OldCpu {
    /// The idle task was on the CPU at its last tick (`rq->idle_at_tick`).
    pub idle_at_tick: bool,
    /// A kick is under way (`rq->nohz_balance_kick`).
    pub kick: bool,
    /// Jiffies of the kick that set the flag.
    pub kicked: u64,
    /// `rq->next_balance`, jiffies.
    pub next_balance: u64,
    /// Runnable tasks.
    pub nr_running: u32,
    /// The idle task is on the CPU.
    pub idle: bool,
    /// The tick is stopped.
    pub stopped: bool,
}
