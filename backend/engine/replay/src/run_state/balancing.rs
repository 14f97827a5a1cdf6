//! Conclusions about balancing that did not reach a waiting task, from recorded kicks, softirqs and the nodes' numbers of
//! tasks.

use super::cpu::Current;
use super::replay::Replay;
use super::timed::Later;

/// For so long after a kick its softirq is waited for: `nohz_csd_func` raises it at once, with interrupts off, ns.
const RAISES_NS: u64 = 100_000;
/// Ticks until busy CPUs have kicked again while tasks wait there (`nohz_balancer_kick`, `kernel/sched/fair.c`).
const KICK_TICKS: u64 = 2;
/// A node all CPUs of which have been busy for less does not count as overloaded yet: utilisation follows with a half-life of 32
/// ms (`group_is_overloaded`, `kernel/sched/fair.c`; `LOAD_AVG_PERIOD`, `kernel/sched/pelt.c`), ns.
const FILLS_NS: u64 = 32_000_000;
/// Tasks that one node may have more than another that has few (`NUMA_IMBALANCE_MIN`, `kernel/sched/fair.c`).
const NUMA_IMBALANCE_MIN: u32 = 2;

impl Replay {
    /// A kick comes to the CPU.
    pub(super) fn kicked(&mut self, now: u64, cpu: u32) {
        self.cpus[cpu as usize].kicked = Some(now);
        let dropped = Later::KickDropped { cpu, came: now };
        self.timed.later(now.saturating_add(RAISES_NS), dropped);
    }

    /// Handles a kick that has raised nothing, if the CPU still waits for it: balancing is delayed until an idle CPU raises
    /// it, or busy ones kick again.
    pub(super) fn kick_dropped(&mut self, now: u64, cpu: u32, came: u64) {
        let c = &mut self.cpus[cpu as usize];
        if c.kicked == Some(came) {
            c.kicked = None;
            self.kick_dropped_until = came.saturating_add(KICK_TICKS * self.tick_ns);
            self.timed.later(self.kick_dropped_until, Later::KickServed);
            self.clocks.kick_dropped(now);
        }
    }

    /// The balancing softirq of the CPU is raised or begins.
    #[inline]
    pub(super) fn balancing_comes(&mut self, now: u64, cpu: u32) {
        let c = &mut self.cpus[cpu as usize];
        c.kicked = None;
        if c.current == Current::Idle {
            self.clocks.kick_served(now);
        }
    }

    /// Returns whether the kernel leaves the tasks of the node of `busy` although `idle`, on another node, is idle. While no
    /// utilization shows that the node is overloaded, it moves only half of the difference, and nothing of a small difference
    /// to a node with few running tasks (`calculate_imbalance`, `adjust_numa_imbalance`, `kernel/sched/fair.c`, 5.18 to 7.2).
    /// Nodes are assumed to have one LLC each: `imb_numa_nr`, `kernel/sched/topology.c`.
    pub(super) fn imbalance_allowed(&self, now: u64, busy: u32, idle: u32) -> bool {
        if now.saturating_sub(self.clocks.full_since(busy)) >= FILLS_NS {
            return false;
        }
        let (mut more, mut fewer) = (0_u32, 0_u32);
        for (cpu, c) in (0..).zip(&self.cpus) {
            let tasks = c.queue.len() as u32 + u32::from(matches!(c.current, Current::Task { .. }));
            if self.clocks.same_node(cpu, busy) {
                more += tasks;
            } else if cpu != idle && self.clocks.same_node(cpu, idle) {
                // Who ran last on the idle one has left.
                fewer += tasks;
            }
        }
        let few = (self.cpus() >> 3).max(1);
        let imbalance = more.saturating_sub(fewer);
        imbalance < 2 || fewer < few && imbalance <= NUMA_IMBALANCE_MIN
    }
}
