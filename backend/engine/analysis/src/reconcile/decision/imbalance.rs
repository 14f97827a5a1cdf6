//! Whether an imbalance of running tasks is allowed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::reconcile::decision::NUMA_IMBALANCE_MIN;
use crate::reconcile::decision::rules::Allowance;

/// Tasks on both nodes as they would be after a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Imbalance {
    /// Tasks that would be left on the source.
    pub src_running: i64,
    /// Tasks that would be on the destination.
    pub dst_running: i64,
    /// By how many the destination would have more; at least 0.
    pub imbalance: i64,
}

impl Imbalance {
    /// The numbers of a move from a node with `src` tasks to one with `dst`.
    #[must_use]
    pub fn of_move(src: i64, dst: i64) -> Self {
        let (src_running, dst_running) = (src.saturating_sub(1), dst.saturating_add(1));
        Self {
            src_running,
            dst_running,
            imbalance: dst_running.saturating_sub(src_running).max(0),
        }
    }

    /// `adjust_numa_imbalance`: what is left of the imbalance; 0 is allowed. `dst_weight` is the destination's CPUs,
    /// `imb_numa_nr` the domain's (see [`imb_numa_nr`]). `None` where there is no such rule.
    #[must_use]
    pub fn adjusted(&self, allowance: Allowance, dst_weight: i64, imb_numa_nr: i64) -> Option<i64> {
        let small = |allowed: bool| {
            if allowed && self.imbalance <= NUMA_IMBALANCE_MIN {
                0
            } else {
                self.imbalance
            }
        };
        Some(match allowance {
            Allowance::LoadTest => return None,
            Allowance::SourceAlmostIdle if self.src_running <= NUMA_IMBALANCE_MIN => 0,
            Allowance::SourceAlmostIdle => self.imbalance,
            Allowance::QuarterOfNode => small(self.dst_running < dst_weight >> 2),
            Allowance::LlcQuarter | Allowance::LlcEighth => small(self.dst_running <= imb_numa_nr),
        })
    }
}

/// `imb_numa_nr` of the lowest NUMA domain: tasks that a node may run before imbalances count (`build_sched_domains`). A node
/// has `weight` CPUs and `llcs` last-level caches. `None` for rules that do not use it.
#[must_use]
pub fn imb_numa_nr(allowance: Allowance, weight: i64, llcs: i64) -> Option<i64> {
    match allowance {
        Allowance::LlcQuarter if llcs <= 1 => Some(weight >> 2),
        Allowance::LlcEighth if llcs <= 1 => Some((weight >> 3).max(1)),
        Allowance::LlcQuarter | Allowance::LlcEighth => Some(llcs),
        _ => None,
    }
}

/// `imb_numa_nr` of a domain of `span` CPUs above, where the lowest NUMA domain has `lowest_span` of them.
#[must_use]
pub fn imb_numa_nr_above(lowest: i64, span: i64, lowest_span: i64) -> i64 {
    lowest.saturating_mul(span.checked_div(lowest_span).unwrap_or(1).max(1))
}

/// Whether a task may move to a free CPU of the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Maymove {
    /// Yes: the destination has room and the imbalance is allowed.
    Allowed,
    /// No: the destination has room, but the imbalance is too large. A swap is still possible.
    Denied,
    /// The nodes' loads decide ([`load_too_imbalanced`](super::load_too_imbalanced)), which no event tells.
    LoadTest,
    /// Whether the destination has room is not known without its averages.
    Unknown,
}

/// `maymove` of `task_numa_find_cpu` for a destination that surely has room (fewer tasks than CPUs), or that may be full.
#[must_use]
pub fn maymove(
    allowance: Allowance,
    has_spare: bool,
    imbalance: &Imbalance,
    dst_weight: i64,
    imb_numa_nr: i64,
) -> Maymove {
    match imbalance.adjusted(allowance, dst_weight, imb_numa_nr) {
        None => Maymove::LoadTest,
        Some(_) if !has_spare => Maymove::Unknown,
        Some(0) => Maymove::Allowed,
        Some(_) => Maymove::Denied,
    }
}
