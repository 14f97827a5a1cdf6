//! Sections about the NUMA balancer.

pub mod balancing;
mod found;
mod vmstat;

pub use self::found::reconcile;

use numalens_subject::report::{as_is, usual};
use numalens_subject::subject;

use crate::findings;

subject! {
    kinds: findings::KINDS, metrics: balancing::metrics;
    "numa_balancing", balancing::balancing, false, Some(
        "NUMA balancing attempts to place tasks: the Ops table, their outcomes, and the state of the target node."
    ), report(usual, as_is);
    "vmstat", vmstat::vmstat, true, Some("Counters of /proc/vmstat over the window, in mmtests' rows."), report(usual, as_is);
}
