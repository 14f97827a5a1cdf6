//! Sections about idle load balancing.

pub mod domain_balancing;
pub mod ilb;
pub mod logs;
pub mod result;

use numalens_subject::report::usual;
use numalens_subject::subject;

use crate::{findings, report};

subject! {
    kinds: findings::KINDS, found: ilb::found;
    "idle_balancing", ilb::ilb, false, Some(
        "The nohz idle load balancer: kicks, passes, idle time, and three of its versions side by side.\n\nStates are replayed from the start of the recording; the answer covers the window."
    ), report(usual, report::without_mask);
    "domain_balancing", domain_balancing::domain_balancing, false, Some(
        "Costs of load balancing by searcher, domain and CPU, where `sched_balance_newidle` and `sched_balance_rq` were probed."
    );
}
