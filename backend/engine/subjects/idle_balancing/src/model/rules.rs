//! Differences between versions of the modern idle load balancer: a table.
//!
//! Source: `nohz_balancer_kick`, `kick_ilb`, `find_new_ilb`, `nohz_csd_func`, `_nohz_idle_balance` and `nohz_newidle_balance`
//! of `kernel/sched/fair.c` and `core.c`, read in 5.2, 5.4, 5.7, 5.11, 5.14, 5.17, 6.4 and 6.12
//! (`docs/algorithms/idle_balancing.md`, I11).

use numalens_core::kernel_version::KernelVersion;
use serde::Serialize;

/// Effect of a kick on `nohz.next_balance`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateMove {
    /// Adds one, also for a kick that only updates statistics, and also when no CPU can be kicked.
    AddOne,
    /// Sets it to the next jiffy, for kicks that balance.
    NextJiffy,
}

/// Rules of one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "one per difference between versions"
)]
pub struct Rules {
    /// Effect of a kick on the gate.
    pub gate: GateMove,
    /// The kicking CPU is never chosen.
    pub skips_self: bool,
    /// A kick is a function call on the target, which drops it when the target is not idle; else a reschedule interrupt.
    pub csd: bool,
    /// The call drops the kick as well when the target's idle task is to be switched out: so it is when a polling target
    /// is woken without an interrupt.
    pub drops_on_resched: bool,
    /// A CPU that becomes idle leaves the update of blocked load to its idle loop.
    pub newidle_flag: bool,
    /// A CPU that stops its tick asks for a kick that updates `next_balance`.
    pub next_kick: bool,
    /// A pass that ends early leaves `next_balance` as it was.
    pub abort_keeps_gate: bool,
    /// A target that has all wanted bits set is not touched.
    pub skips_same_flags: bool,
    /// True if the kicked CPU is balanced last: the loop begins after it.
    pub self_last: bool,
}

const V5_2: Rules = Rules {
    gate: GateMove::AddOne,
    skips_self: false,
    csd: false,
    drops_on_resched: false,
    newidle_flag: false,
    next_kick: false,
    abort_keeps_gate: false,
    skips_same_flags: false,
    self_last: false,
};
// 5.4.286 has the later gate; whether 5.4.0 had is not known.
const V5_4: Rules = Rules {
    gate: GateMove::NextJiffy,
    ..V5_2
};
// The function call came in 5.8; what it drops is reasoned from the code.
const V5_8: Rules = Rules {
    csd: true,
    drops_on_resched: true,
    ..V5_2
};
const V5_11: Rules = Rules {
    gate: GateMove::NextJiffy,
    skips_self: true,
    ..V5_8
};
const V5_14: Rules = Rules {
    newidle_flag: true,
    ..V5_11
};
const V5_17: Rules = Rules {
    next_kick: true,
    ..V5_14
};
const V6_0: Rules = Rules {
    abort_keeps_gate: true,
    ..V5_17
};
const V6_12: Rules = Rules {
    skips_same_flags: true,
    self_last: true,
    ..V6_0
};
// From memory, not read.
const V6_13: Rules = Rules {
    drops_on_resched: false,
    ..V6_12
};

/// From which version on which rules hold, ascending.
const TABLE: [((u16, u16), Rules); 10] = [
    ((5, 2), V5_2),
    ((5, 4), V5_4),
    ((5, 5), V5_2),
    ((5, 8), V5_8),
    ((5, 11), V5_11),
    ((5, 14), V5_14),
    ((5, 17), V5_17),
    ((6, 0), V6_0),
    ((6, 12), V6_12),
    ((6, 13), V6_13),
];

impl Rules {
    /// The rules of a version and whether they were read in a kernel between 5.2 and 6.12; older ones get those of 5.2.
    #[must_use]
    pub fn of(version: KernelVersion) -> (Self, bool) {
        let key = (version.major, version.minor);
        let at = TABLE.partition_point(|&(since, _)| since <= key);
        let rules = TABLE.get(at.saturating_sub(1)).map_or(V5_2, |row| row.1);
        (rules, at > 0 && key < (6, 13))
    }
}
