//! The rows of mmtests' table ("Ops"), in its order and by its names.

use schemars::JsonSchema;
use serde::Serialize;

/// Wording of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpsEntry {
    /// Name in reports.
    pub id: &'static str,
    /// Label on the page.
    pub title: &'static str,
    /// Meaning by the kernel's own rules, and where mmtests counts otherwise.
    pub meaning: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Kernel functions.
    pub kernel: &'static str,
    /// Better direction in a comparison: `higher`, `lower` or `neither`.
    pub better: &'static str,
}

/// Declares [`Rows`] and [`OPS`]; the comment of a row says what mmtests counts.
macro_rules! rows {
    ($($(#[$doc:meta])+ $id:ident {
        title: $title:literal,
        meaning: $meaning:literal,
        kernel: $kernel:literal,
        better: $better:literal,
    })+) => {
        /// The table's rows; `None` is a counter that never counted: the monitor's table lacks the row.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
        #[schemars(rename = "OpsRows")]
        pub struct Rows {
            $($(#[$doc])+ pub $id: Option<i64>,)+
        }

        impl Rows {
            /// The values in the order of [`OPS`].
            pub(crate) fn values(&self) -> [Option<i64>; OPS.len()] {
                [$(self.$id),+]
            }
        }

        /// Wording of the rows.
        pub const OPS: &[OpsEntry] = &[$(OpsEntry {
            id: stringify!($id),
            title: $title,
            meaning: $meaning,
            unit: "count",
            kernel: $kernel,
            better: $better,
        },)+];
    };
}

rows! {
    /// `sched_stick_numa` without a CPU.
    migrate_failed_no_cpu {
        title: "Migrate failed no CPU",
        meaning: "Attempts that found no CPU.",
        kernel: "task_numa_migrate, best_cpu == -1",
        better: "lower",
    }
    /// `sched_stick_numa` with a CPU and without a partner.
    migrate_failed_move_to_idle {
        title: "Migrate failed move to idle",
        meaning: "Moves to a chosen CPU that failed.",
        kernel: "migrate_task_to",
        better: "lower",
    }
    /// `sched_stick_numa` with a partner.
    migrate_failed_swap_task_fail {
        title: "Migrate failed swap task fail",
        meaning: "Swaps with a chosen task that failed.",
        kernel: "migrate_swap",
        better: "lower",
    }
    /// Every `sched_swap_numa`: attempts, also failed ones.
    task_migrated_swapped {
        title: "Task Migrated swapped",
        meaning: "Swaps that succeeded; mmtests counts attempted swaps.",
        kernel: "migrate_swap",
        better: "neither",
    }
    /// Swaps inside a node.
    task_migrated_swapped_local_nid {
        title: "Task Migrated swapped local NID",
        meaning: "Swaps within a node.",
        kernel: "migrate_swap",
        better: "neither",
    }
    /// Swaps inside a numa group.
    task_migrated_swapped_within_group {
        title: "Task Migrated swapped within group",
        meaning: "Swaps between tasks of one numa group.",
        kernel: "migrate_swap",
        better: "neither",
    }
    /// Every `sched_move_numa`: attempts, also failed ones.
    task_migrated_idle_cpu {
        title: "Task Migrated idle CPU",
        meaning: "Moves that succeeded; mmtests counts attempted moves.",
        kernel: "migrate_task_to",
        better: "neither",
    }
    /// Counted only by an event that no kernel release has.
    task_migrated_idle_cpu_local_nid {
        title: "Task Migrated idle CPU local NID",
        meaning: "Moves within a node.",
        kernel: "migrate_task_to",
        better: "neither",
    }
    /// `sched_stick_numa` of a task that was stuck before.
    task_migrate_retry {
        title: "Task Migrate retry",
        meaning: "Attempts of a task that failed earlier in the window; mmtests counts only those that fail again.",
        kernel: "numa_migrate_preferred",
        better: "lower",
    }
    /// Counted only by an event that no kernel release has.
    task_migrate_retry_success {
        title: "Task Migrate retry success",
        meaning: "Retries that succeeded.",
        kernel: "numa_migrate_preferred",
        better: "higher",
    }
    /// The same as the retries.
    task_migrate_retry_failed {
        title: "Task Migrate retry failed",
        meaning: "Retries that failed again.",
        kernel: "numa_migrate_preferred",
        better: "lower",
    }
    /// Tasks that crossed nodes, less one for each move and two for each swap, also failed ones: the monitor's sum may be below 0.
    load_balance_cross_numa {
        title: "Load Balance cross NUMA",
        meaning: "Tasks that moved to another node without the NUMA balancer.",
        kernel: "load_balance, select_task_rq",
        better: "lower",
    }
}
