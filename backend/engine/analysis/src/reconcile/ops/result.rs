//! What comes out.

use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::reconcile::ops::Rows;

/// Why attempts failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "OpsFailures")]
pub struct Failures {
    /// No CPU was found.
    pub no_cpu: u64,
    /// The move was tried and failed.
    pub move_failed: u64,
    /// The move was refused before it was tried: affinity.
    pub move_refused: u64,
    /// The swap was tried, and a task had gone elsewhere meanwhile.
    pub swap_raced: u64,
    /// The swap was refused before it was tried.
    pub swap_refused: u64,
    /// The task's CPU is in no NUMA domain.
    pub no_domain: u64,
}

impl Failures {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.no_cpu
            + self.move_failed
            + self.move_refused
            + self.swap_raced
            + self.swap_refused
            + self.no_domain
    }
}

/// How tasks crossed nodes: `lb_cross` and the NUMA balancer's part add up to `total`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Crossings {
    /// Tasks that came to a CPU of another node (`sched_migrate_task`).
    pub total: u64,
    /// Of them, those that the NUMA balancer moved or swapped.
    pub numa: u64,
    /// `total`, less one for each move and two for each swap that succeeded across nodes: everything but the NUMA balancer.
    /// Below 0 when migrations are missing.
    pub lb_cross: i64,
    /// Of `lb_cross`, tasks that a wake-up placed.
    pub wakeup: u64,
    /// Of `lb_cross`, tasks that were runnable or ran: the load balancer, a change of affinity, an exec.
    pub runnable: u64,
    /// Of `lb_cross`, tasks that slept.
    pub asleep: u64,
    /// Of `lb_cross`, tasks of which nobody knows what they did then.
    pub unknown: u64,
    /// What of `lb_cross` no migration explains: below 0 for moves and swaps that succeeded and whose migrations were not seen,
    /// above 0 for migrations whose attempt began before the window.
    pub unexplained: i64,
}

/// The table for a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ops {
    /// Attempts that began in the window.
    pub attempts: u64,
    /// Of them, those whose end is not known.
    pub unknown: u64,
    /// Moves that were tried.
    pub moves: u64,
    /// Of them, those that did not fail.
    pub moves_ok: u64,
    /// Swaps that were tried.
    pub swaps: u64,
    /// Of them, those that did not fail.
    pub swaps_ok: u64,
    /// Of `swaps`, those inside a node.
    pub swaps_local: u64,
    /// Of `swaps`, those inside a numa group.
    pub swaps_within_group: u64,
    /// What failed, by why.
    pub failures: Failures,
    /// Failures of a task that had failed in the window before.
    pub retries: u64,
    /// Tasks that came to another CPU.
    pub migrations: u64,
    /// Tasks that came to another node.
    pub crossings: Crossings,
    /// The same in mmtests' names, as its rows are meant.
    pub rows: Rows,
    /// mmtests' rows of the same window.
    pub mmtests: Rows,
    /// How often mmtests' monitor would have warned.
    pub mmtests_warnings: u64,
    /// How good it is.
    pub label: Label,
    /// What would make it better.
    pub missing: Vec<String>,
}
