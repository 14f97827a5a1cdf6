//! Sections about the NUMA balancer.

pub mod balancing;
mod found;
mod vmstat;

pub use self::found::reconcile;

use numalens_subject::report::{as_is, usual};
use numalens_subject::subject;

use crate::findings;

subject! {
    kinds: findings::KINDS;
    "numa_balancing", balancing::balancing, false, Some(
        "Attempts of the NUMA balancer to place tasks: the Ops table, how they ended, and what each met."
    ), report(usual, as_is);
    "vmstat", vmstat::vmstat, true, Some("What the counters of /proc/vmstat counted in the window, in mmtests' rows."), report(usual, as_is);
}
