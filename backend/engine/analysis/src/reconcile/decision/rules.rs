//! What changed from version to version.

use numalens_core::kernel_version::KernelVersion;
use schemars::JsonSchema;
use serde::Serialize;

/// How `task_numa_find_cpu` judges a move to a free CPU (`adjust_numa_imbalance` since 5.7).
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

/// How `numa_classify` tells what a node is.
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
    /// The first version with them, for people; what was before 5.7 goes by the last one before.
    pub name: &'static str,
    /// The first version with them.
    pub from: KernelVersion,
    /// How moves to a free CPU are judged.
    pub allowance: Allowance,
    /// How nodes are classified.
    pub classifier: Classifier,
    /// `imbalance_pct` of a NUMA domain by default, percent.
    pub sd_imbalance_pct: u32,
    /// The search prefers tasks that go home, and ends early (the last patches of the series).
    pub prefers_home: bool,
    /// `is_core_idle` asks the CPU itself instead of its siblings, so any idle CPU passes for an idle core. Stable releases of
    /// 5.10 and 5.14 were mended later on.
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
