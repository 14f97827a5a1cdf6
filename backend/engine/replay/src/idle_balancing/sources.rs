//! Evidence for each step of the balancer, in words.

use numalens_core::provenance::Label;
use numalens_events::{IlbKind, Kinds};
use schemars::JsonSchema;
use serde::Serialize;

/// Evidence for a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ToldBy")]
pub struct Source {
    /// Events that are the evidence; `made up` when there are none.
    pub by: &'static str,
    /// Provenance of the step.
    pub label: Label,
}

/// Evidence for each step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IlbObservation")]
pub struct Sources {
    /// Ticks.
    pub tick: Source,
    /// A CPU stops its tick and enters the idle mask.
    pub idle_entry: Source,
    /// A kick comes.
    pub kick: Source,
    /// A CPU balances for the others.
    pub pass: Source,
    /// Number of tasks of a CPU (`rq->nr_running`).
    pub nr_running: Source,
    /// State of `nohz` at a tick: `next_balance`, and whether blocked load or `next_balance` is to be updated.
    pub next_balance: Source,
}

impl Sources {
    /// Returns the evidence from tables of these kinds.
    #[must_use]
    pub fn of(kinds: Kinds) -> Self {
        use IlbKind as K;
        use Label::{Inferred, Observed, Replayed};
        let first = |candidates: &[(IlbKind, &'static str, Label)], otherwise| {
            let mut there = candidates.iter().filter(|candidate| kinds.has(candidate.0));
            let (by, label) = there
                .next()
                .map_or(otherwise, |&(_, by, label)| (by, label));
            Source { by, label }
        };
        let made_up = ("made up", Inferred);
        Self {
            tick: first(
                &[
                    (K::Trigger, "probe trigger_load_balance", Observed),
                    (K::BalancerKick, "probe nohz_balancer_kick", Observed),
                    (K::Timer, "hrtimer_expire_entry", Observed),
                ],
                made_up,
            ),
            idle_entry: first(
                &[
                    (K::Enter, "probe nohz_balance_enter_idle", Observed),
                    (K::TickStop, "tick_stop", Observed),
                    (K::CpuIdle, "cpu_idle", Inferred),
                ],
                made_up,
            ),
            kick: first(
                &[
                    (K::CsdQueue, "csd_queue_cpu", Observed),
                    (K::Arrive, "probe nohz_csd_func", Observed),
                    (K::CsdEntry, "csd_function_entry", Observed),
                ],
                made_up,
            ),
            pass: first(
                &[
                    (K::Pass, "probe _nohz_idle_balance", Observed),
                    (K::Entry, "softirq_entry", Inferred),
                ],
                made_up,
            ),
            nr_running: first(
                &[(K::NrRunning, "sched_update_nr_running_tp", Observed)],
                ("run states", Replayed),
            ),
            next_balance: first(
                &[(K::Nohz, "probe trigger_load_balance", Observed)],
                made_up,
            ),
        }
    }
}
