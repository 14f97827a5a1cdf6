//! The causes of waste, a row each.

use numalens_core::catalogue::CauseEntry;
use schemars::JsonSchema;
use serde::Serialize;

/// Cause of CPU time that was idle while a task waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WasteCause {
    /// Only CPUs of other nodes were idle.
    NumaPlacement,
    /// A CPU of the node where the task waits was idle.
    BalanceDelay,
    /// The rest: tasks that are bound to the CPU where they wait.
    Affinity,
}

impl WasteCause {
    /// All causes, in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::NumaPlacement, Self::BalanceDelay, Self::Affinity];

    /// Row of the catalogue.
    #[must_use]
    pub const fn entry(self) -> &'static CauseEntry {
        match self {
            Self::NumaPlacement => &CauseEntry {
                id: "numa_placement",
                title: "NUMA placement",
                meaning: "The idle CPU was on another node than the waiting task.",
                unit: "CPU-ns",
                kernel: "task_numa_migrate, load_balance",
                color: "light-dark(#733700, #a8732d)",
                inferred: false,
            },
            Self::BalanceDelay => &CauseEntry {
                id: "balance_delay",
                title: "balance delay",
                meaning: "The idle CPU was on the node of the waiting task.",
                unit: "CPU-ns",
                kernel: "load_balance, newidle_balance",
                color: "light-dark(#c77700, #e8a33d)",
                inferred: false,
            },
            Self::Affinity => &CauseEntry {
                id: "affinity",
                title: "affinity or unknown",
                meaning: "The idle CPU was outside the task's affinity, or the affinity was not recorded.",
                unit: "CPU-ns",
                kernel: "can_migrate_task",
                color: "light-dark(#4b5563, #a1a9b3)",
                inferred: false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WasteCause;

    #[test]
    fn ids_are_the_names_on_the_wire() {
        for cause in WasteCause::ALL {
            assert_eq!(serde_json::to_value(cause).unwrap(), cause.entry().id);
        }
    }
}
