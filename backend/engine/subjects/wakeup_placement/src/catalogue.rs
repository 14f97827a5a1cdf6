//! Wording of placement reasons and of missed idle CPUs, a row each.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// Row of the catalogue about a decision of the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleEntry {
    /// Name in reports.
    pub id: &'static str,
    /// Number of the rule in `docs/algorithms/wakeup_placement.md`.
    pub rule: &'static str,
    /// Label on the page.
    pub title: &'static str,
    /// Meaning, in one sentence.
    pub meaning: &'static str,
    /// Kernel functions, with the version where it matters.
    pub kernel: &'static str,
}

/// Declares an enum with a row of the catalogue for each value.
macro_rules! rules {
    ($(#[doc = $about:literal])+ $name:ident, $($value:ident { $id:literal, $rule:literal, $title:literal, $meaning:literal, $kernel:literal })+) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name {
            $(#[doc = $meaning] $value,)+
        }

        impl $name {
            /// All, in the order of the catalogue.
            pub const ALL: [Self; [$($id),+].len()] = [$(Self::$value),+];

            /// Row of the catalogue.
            #[must_use]
            pub const fn entry(self) -> &'static RuleEntry {
                match self {
                    $(Self::$value => &RuleEntry {
                        id: $id,
                        rule: $rule,
                        title: $title,
                        meaning: $meaning,
                        kernel: $kernel,
                    },)+
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.entry().id)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let ids = Self::ALL.map(|one| one.entry().id);
                let about = concat!($($about),+).trim();
                schemars::json_schema!({ "type": "string", "enum": ids, "description": about })
            }
        }
    };
}

rules! {
    /// Reason why a wakeup or fork placed a task on its CPU.
    PlacementReason,
    Pinned {
        "pinned", "W1", "Only allowed CPU",
        "The task may run on one CPU only, so nothing was selected.",
        "select_task_rq: nr_cpus_allowed"
    }
    Fallback {
        "fallback", "W2", "Previous CPU not allowed",
        "The task may no longer run on its previous CPU, so the kernel took an allowed one.",
        "select_fallback_rq"
    }
    OtherClass {
        "other_class", "W3", "Other class",
        "The task is a real-time, deadline or stop task, which has its own rules.",
        "select_task_rq_rt, select_task_rq_dl, select_task_rq_stop"
    }
    DelayedDequeue {
        "delayed_dequeue", "W4", "Still queued",
        "The task slept but was still on the queue of its CPU, so nothing was selected.",
        "ttwu_runnable, dequeue_entities (6.12: DELAY_DEQUEUE)"
    }
    PreviousIdle {
        "previous_idle", "W5", "Previous CPU idle",
        "The CPU where the task ran before was idle.",
        "wake_affine_idle, select_idle_sibling"
    }
    WakerIdle {
        "waker_idle", "W6", "Waking CPU idle",
        "An interrupt woke the task on an idle CPU, which took it.",
        "wake_affine_idle, select_idle_sibling"
    }
    Sync {
        "sync", "W7", "Sync wakeup",
        "The waker ran alone and announced that it would sleep, so the task stays on the waker's CPU.",
        "wake_affine_idle: WF_SYNC"
    }
    Affine {
        "affine", "W8", "Waker's CPU less loaded",
        "By their loads, the task runs sooner on the waker's CPU than on its previous one.",
        "wake_affine_weight"
    }
    WakeWide {
        "wake_wide", "W9", "Waker wakes many tasks",
        "The waker wakes so many tasks that its CPU was not considered.",
        "wake_wide"
    }
    KthreadStack {
        "kthread_stack", "W10", "Behind a per-CPU kernel thread",
        "A kernel thread bound to the task's previous CPU woke it there.",
        "select_idle_sibling: is_per_cpu_kthread (5.8)"
    }
    Recent {
        "recent", "W11", "Recently used CPU",
        "The CPU that the task used before its previous one was idle and shares its cache.",
        "select_idle_sibling: recent_used_cpu"
    }
    IdleCore {
        "idle_core", "W12", "Idle core",
        "The search found a core of which all threads were idle.",
        "select_idle_core"
    }
    IdleSibling {
        "idle_sibling", "W13", "Idle sibling",
        "No core was idle, but another thread of the core where the task ran before was.",
        "select_idle_smt"
    }
    IdleInLlc {
        "idle_in_llc", "W14", "Idle CPU of the same cache",
        "The search found an idle CPU below the last-level cache of the previous CPU.",
        "select_idle_cpu"
    }
    IdleInWakerLlc {
        "idle_in_waker_llc", "W15", "Idle CPU of the waker's cache",
        "The wakeup pulled the task to the waker's last-level cache, where a CPU was idle.",
        "wake_affine, select_idle_cpu"
    }
    NoIdle {
        "no_idle", "W16", "Previous CPU, none idle",
        "The search found no idle CPU because none of the last-level cache was idle.",
        "select_idle_sibling"
    }
    SearchEnded {
        "search_ended", "W17", "Previous CPU, search ended early",
        "The search ended before it came to an idle CPU of the last-level cache, or was left out.",
        "select_idle_cpu: nr_idle_scan (5.19: SIS_UTIL; before: SIS_PROP)"
    }
    ForkIdle {
        "fork_idle", "W18", "Idle CPU for a new task",
        "The task is new, and fork balancing found an idle CPU.",
        "find_idlest_cpu (6.10: sched_balance_find_dst_cpu)"
    }
    ForkLeastLoaded {
        "fork_least_loaded", "W19", "Least loaded CPU for a new task",
        "The task is new, and no CPU was idle in the group that fork balancing chose.",
        "find_idlest_group_cpu (6.10: sched_balance_find_dst_group_cpu)"
    }
    Cling {
        "cling", "W20", "Clings to its node",
        "NUMA cling kept the wakeup on the task's preferred node, without considering the waker's CPU.",
        "task_numa_cling (patch series of 2019)"
    }
    SyncDeclined {
        "sync_declined", "W21", "Sync wakeup declined",
        "The waker ran alone and announced that it would sleep, but its CPU was not chosen: a sleeping task still queued there may have been counted.",
        "wake_affine_idle: nr_running (6.12 to 6.15: with DELAY_DEQUEUE)"
    }
}

rules! {
    /// Rule by which a wakeup missed an idle CPU that the task may use.
    MissedBy,
    SearchDepth {
        "search_depth", "W22", "Search ended early",
        "An idle CPU shared the last-level cache of the chosen CPU, but the search did not come to it.",
        "select_idle_cpu: nr_idle_scan"
    }
    OtherLlc {
        "other_llc", "W23", "Other cache",
        "Idle CPUs of the node were below other last-level caches, where wakeups do not search.",
        "select_idle_sibling"
    }
    OtherNode {
        "other_node", "W24", "Other node",
        "Idle CPUs were on other nodes only, where wakeups do not search.",
        "select_idle_sibling"
    }
    WakeAffine {
        "wake_affine", "W25", "Wake-affine",
        "The loads favored the waker's cache, which had no idle CPU, over another cache, which had one.",
        "wake_affine_weight"
    }
    Sync {
        "sync", "W26", "Sync wakeup",
        "The wakeup put the task behind its waker, which ran alone, while other CPUs were idle.",
        "wake_affine_idle: WF_SYNC"
    }
    WakerPreferred {
        "waker_preferred", "W27", "Waker's CPU preferred",
        "A sync wakeup or the loads favored the waker's cache; which of the two is not recorded.",
        "wake_affine"
    }
    KernelThread {
        "kernel_thread", "W28", "Behind a per-CPU kernel thread",
        "The task was put behind the kernel thread that woke it while other CPUs were idle.",
        "select_idle_sibling: is_per_cpu_kthread (5.8)"
    }
    Fork {
        "fork", "W29", "Fork balancing",
        "The task is new, and fork balancing chose a busy CPU while others were idle.",
        "find_idlest_group (6.10: sched_balance_find_dst_group)"
    }
    ForkAffinity {
        "fork_affinity", "W30", "Forbidden CPUs counted",
        "The task is new, and fork balancing preferred CPUs of another group for idle ones there that the task may not use.",
        "update_sg_wakeup_stats (before 6.19)"
    }
    OtherClass {
        "other_class", "W31", "Other class",
        "The task is a real-time or deadline task, which may preempt the task on its CPU.",
        "select_task_rq_rt, select_task_rq_dl"
    }
    Unknown {
        "unknown", "W32", "Unknown rule",
        "Several rules may have missed the idle CPU.",
        "select_task_rq_fair"
    }
}

rules! {
    /// Other rules for the same wakeups.
    WhatIf,
    Before612 {
        "before_6_12", "W33", "Kernels before 6.12",
        "A sleeping task leaves its queue at once, so each wakeup selects a CPU.",
        "select_task_rq_fair"
    }
    Since612 {
        "since_6_12", "W34", "Kernels from 6.12 on",
        "A sleeping task may stay queued on a CPU that is busy, and then its wakeup selects nothing.",
        "ttwu_runnable, dequeue_entities (6.12: DELAY_DEQUEUE)"
    }
    ClingOff {
        "cling_off", "W35", "Without NUMA cling",
        "Wakeups that cling kept on the task's preferred node consider the waker's CPU.",
        "select_task_rq_fair: want_affine"
    }
    ClingOn {
        "cling_on", "W36", "With NUMA cling",
        "Wakeups from other nodes leave a task on its preferred node, which is assumed never to be busy (G4).",
        "task_numa_cling (patch series of 2019)"
    }
}

#[cfg(test)]
mod tests {
    use super::{MissedBy, PlacementReason, WhatIf};

    #[test]
    fn rules_are_numbered_in_order() {
        let reasons = PlacementReason::ALL.map(|one| one.entry().rule);
        let missed = MissedBy::ALL.map(|one| one.entry().rule);
        let others = WhatIf::ALL.map(|one| one.entry().rule);
        let all = reasons.into_iter().chain(missed).chain(others);
        for (number, rule) in (1..).zip(all) {
            assert_eq!(rule, format!("W{number}"));
        }
    }
}
