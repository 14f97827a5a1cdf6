//! Changes from version to version.

use numalens_core::kernel_version::KernelVersion;
use schemars::JsonSchema;
use serde::Serialize;

use crate::decision::NUMA_IMBALANCE_MIN;

/// Rule by which `task_numa_find_cpu` judges a move to a free CPU (`adjust_numa_imbalance` since 5.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Allowance {
    /// By the loads of both nodes alone.
    LoadTest,
    /// Any imbalance while the source keeps at most two running tasks.
    SourceAlmostIdle,
    /// Up to two tasks while the destination runs on less than a quarter of its CPUs.
    QuarterOfNode,
    /// Up to two tasks while the destination runs at most `imb_numa_nr`: a quarter of a node with one last-level cache.
    LlcQuarter,
    /// The same with an eighth, at least 1.
    LlcEighth,
}

/// Rule by which `numa_classify` classifies a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Classifier {
    /// Not at all.
    None,
    /// By tasks and utilisation.
    Util,
    /// By runnable time as well.
    UtilAndRunnable,
}

/// The rules of kernels from one version on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "BalancingRules")]
pub struct Rules {
    /// First version with these rules, for display; versions before 5.7 have the name of the last one.
    pub name: &'static str,
    /// The first version with them.
    pub from: KernelVersion,
    /// Rule for moves to a free CPU.
    pub allowance: Allowance,
    /// Rule for classifying nodes.
    pub classifier: Classifier,
    /// `imbalance_pct` of a NUMA domain by default, percent.
    pub sd_imbalance_pct: u32,
    /// The search prefers tasks that go home, and ends early (the last patches of the series).
    pub prefers_home: bool,
    /// `is_core_idle` asks the CPU itself instead of its siblings, so any idle CPU passes for an idle core. Stable releases
    /// of 5.10 and 5.14 were fixed later.
    pub idle_core_bug: bool,
}

const fn version(major: u16, minor: u16) -> KernelVersion {
    KernelVersion { major, minor }
}

const BEFORE: Rules = Rules {
    name: "5.6",
    from: version(0, 0),
    allowance: Allowance::LoadTest,
    classifier: Classifier::None,
    sd_imbalance_pct: 125,
    prefers_home: false,
    idle_core_bug: false,
};

const V5_7: Rules = Rules {
    name: "5.7",
    from: version(5, 7),
    allowance: Allowance::SourceAlmostIdle,
    classifier: Classifier::Util,
    prefers_home: true,
    idle_core_bug: true,
    ..BEFORE
};

const V5_10: Rules = Rules {
    name: "5.10",
    from: version(5, 10),
    classifier: Classifier::UtilAndRunnable,
    sd_imbalance_pct: 117,
    ..V5_7
};

const V5_11: Rules = Rules {
    name: "5.11",
    from: version(5, 11),
    allowance: Allowance::QuarterOfNode,
    ..V5_10
};

const V5_15: Rules = Rules {
    name: "5.15",
    from: version(5, 15),
    idle_core_bug: false,
    ..V5_11
};

const V5_18: Rules = Rules {
    name: "5.18",
    from: version(5, 18),
    allowance: Allowance::LlcQuarter,
    ..V5_15
};

const V6_0: Rules = Rules {
    name: "6.0",
    from: version(6, 0),
    allowance: Allowance::LlcEighth,
    ..V5_18
};

/// All rules, by version.
pub const RULES: [Rules; 7] = [BEFORE, V5_7, V5_10, V5_11, V5_15, V5_18, V6_0];

impl Rules {
    /// `imbalance_pct` of the search (`task_numa_migrate`): half of what the domain allows.
    #[must_use]
    pub fn imb_pct(&self) -> u32 {
        Self::imb_pct_of(self.sd_imbalance_pct)
    }

    /// `imbalance_pct` of the search in a domain with `sd_imbalance_pct`.
    #[must_use]
    pub fn imb_pct_of(sd_imbalance_pct: u32) -> u32 {
        100 + sd_imbalance_pct.saturating_sub(100) / 2
    }
}

/// The rules of a version; the newest when it is not known.
#[must_use]
pub fn rules_of(kernel: Option<KernelVersion>) -> &'static Rules {
    let known = |rules: &&Rules| kernel.is_none_or(|kernel| rules.from <= kernel);
    RULES.iter().rev().find(known).unwrap_or(&BEFORE_RULES)
}

/// The first of [`RULES`], which begins with the first version.
static BEFORE_RULES: Rules = BEFORE;

// What a node is for the NUMA balancer.

/// `enum numa_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeType {
    /// There is room for more tasks.
    HasSpare,
    /// All CPUs used, but tasks do not compete for them.
    FullyBusy,
    /// Tasks compete for its CPUs.
    Overloaded,
}

/// Sums over a node's CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Average {
    /// `compute_capacity`.
    pub capacity: u64,
    /// Utilisation (PELT).
    pub util: u64,
    /// Runnable time (PELT).
    pub runnable: u64,
}

/// `numa_classify`: what a node with so many fair tasks on so many CPUs is. `None` for kernels that do not classify.
#[must_use]
pub fn classify(rules: &Rules, nr_running: u64, weight: u64, average: Average) -> Option<NodeType> {
    let pct = u128::from(rules.imb_pct());
    let (capacity, util) = (u128::from(average.capacity), u128::from(average.util));
    let runnable = u128::from(average.runnable);
    let by_runnable = match rules.classifier {
        Classifier::None => return None,
        Classifier::Util => false,
        Classifier::UtilAndRunnable => true,
    };
    let over_util = capacity * 100 < util * pct;
    let over_runnable = by_runnable && capacity * pct < runnable * 100;
    let spare_util = capacity * 100 > util * pct;
    let spare_runnable = !by_runnable || capacity * pct > runnable * 100;
    Some(if nr_running > weight && (over_util || over_runnable) {
        NodeType::Overloaded
    } else if nr_running < weight || (spare_util && spare_runnable) {
        NodeType::HasSpare
    } else {
        NodeType::FullyBusy
    })
}

/// Possible types of a node when only its tasks are known. A single one is certain: averages decide only where each CPU has a
/// task.
#[must_use]
pub fn possible_types(rules: &Rules, nr_running: u64, weight: u64) -> &'static [NodeType] {
    use NodeType::{FullyBusy, HasSpare, Overloaded};
    if rules.classifier == Classifier::None {
        &[]
    } else if nr_running < weight {
        &[HasSpare]
    } else if nr_running == weight {
        &[HasSpare, FullyBusy]
    } else {
        &[HasSpare, FullyBusy, Overloaded]
    }
}

/// Type of a node by its averages, or the possible types if these are not known.
#[must_use]
pub fn node_types(
    rules: &Rules,
    nr_running: u64,
    weight: u64,
    average: Option<Average>,
) -> &'static [NodeType] {
    match average.and_then(|average| classify(rules, nr_running, weight, average)) {
        Some(NodeType::HasSpare) => &[NodeType::HasSpare],
        Some(NodeType::FullyBusy) => &[NodeType::FullyBusy],
        Some(NodeType::Overloaded) => &[NodeType::Overloaded],
        None => possible_types(rules, nr_running, weight),
    }
}

// Whether an imbalance of running tasks is allowed.

/// Tasks on both nodes as they would be after a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Imbalance {
    /// Tasks that would be left on the source.
    #[schemars(range(min = 0))]
    pub src_running: i64,
    /// Tasks that would be on the destination.
    #[schemars(range(min = 0))]
    pub dst_running: i64,
    /// By how many the destination would have more; 0 where it would not.
    #[schemars(range(min = 0))]
    pub imbalance: i64,
}

impl Imbalance {
    /// The numbers of a move from a node with `src` tasks to one with `dst`; `None` where the source has no task to give, so
    /// that what is known of the nodes cannot be right.
    #[must_use]
    pub fn of_move(src: i64, dst: i64) -> Option<Self> {
        if src < 1 || dst < 0 {
            return None;
        }
        let (src_running, dst_running) = (src - 1, dst.saturating_add(1));
        Some(Self {
            src_running,
            dst_running,
            imbalance: dst_running.saturating_sub(src_running).max(0),
        })
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

/// Decision on a move of a task to a free CPU of the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Maymove {
    /// Yes: the destination has room and the imbalance is allowed.
    Allowed,
    /// No: the destination has room, but the imbalance is too large. A swap is still possible.
    Denied,
    /// The nodes' loads decide (`load_too_imbalanced`), which no event shows.
    LoadTest,
    /// Unknown without the averages of the destination.
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
