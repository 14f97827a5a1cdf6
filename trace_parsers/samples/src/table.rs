//! The shapes of the sample tables.

use std::sync::{Arc, LazyLock};

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde::Serialize;

/// Column types by short names.
const TEXT: DataType = DataType::Utf8;
const BOOL: DataType = DataType::Boolean;
const I32: DataType = DataType::Int32;
const I64: DataType = DataType::Int64;
const U32: DataType = DataType::UInt32;
const U64: DataType = DataType::UInt64;
const F64: DataType = DataType::Float64;

/// Name, type, and whether a row may have none.
type ColumnSpec = (&'static str, DataType, bool);

/// The stamps that every table begins with.
pub(crate) const STAMPS: [&str; 6] = [
    "idx",
    "mono_ns",
    "real_ns",
    "boot_ns",
    "trace_ns",
    "end_mono_ns",
];

/// Declares the sample tables: their numbers, names and columns.
macro_rules! sample_tables {
    ($($(#[$doc:meta])* $table:ident $name:literal [$($column:expr),+ $(,)?])+) => {
        /// The sample tables.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum SampleTableId {
            $($(#[$doc])* $table,)+
        }

        impl SampleTableId {
            /// All tables, in the order of their numbers.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$table),+];

            /// The table's name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$table => $name,)+
                }
            }

            fn columns(self) -> &'static [ColumnSpec] {
                match self {
                    $(Self::$table => {
                        const COLUMNS: &[ColumnSpec] = &[$($column),+];
                        COLUMNS
                    })+
                }
            }
        }
    };
}

sample_tables! {
    /// Pressure stall information: a row per resource and instant.
    Psi "psi" [
        ("cgroup", TEXT, false),
        ("resource", TEXT, false),
        ("some_avg10", F64, true),
        ("some_avg60", F64, true),
        ("some_avg300", F64, true),
        ("some_total_us", U64, true),
        ("full_avg10", F64, true),
        ("full_avg60", F64, true),
        ("full_avg300", F64, true),
        ("full_total_us", U64, true),
    ]
    /// Memory counters: a row per counter and instant.
    Vmstat "vmstat" [
        ("name", TEXT, false),
        ("value", I64, false),
        ("nid", I32, true),
    ]
    /// CPU time by mode: a row per CPU and instant, CPU -1 for all.
    /// The later columns are missing in old kernels.
    Stat "stat" [
        ("cpu", I32, false),
        ("user", U64, true),
        ("nice", U64, true),
        ("system", U64, true),
        ("idle", U64, true),
        ("iowait", U64, true),
        ("irq", U64, true),
        ("softirq", U64, true),
        ("steal", U64, true),
        ("guest", U64, true),
        ("guest_nice", U64, true),
    ]
    /// Load averages: a row per instant.
    Loadavg "loadavg" [
        ("one", F64, false),
        ("five", F64, false),
        ("fifteen", F64, false),
        ("running", U32, false),
        ("total", U32, false),
    ]
    /// The cling kernel's NUMA groups: a row per group, node and instant.
    NumaGroup "numa_group" [
        ("cgroup", TEXT, false),
        ("enabled", BOOL, false),
        ("gid", I64, true),
        ("nr_tasks", I64, true),
        ("active_nodes", I64, true),
        ("busiest_nid", I64, true),
        ("nid", I32, true),
        ("mem_private", U64, true),
        ("mem_shared", U64, true),
        ("cpu_private", U64, true),
        ("cpu_shared", U64, true),
        ("mem_private_raw", U64, true),
        ("mem_shared_raw", U64, true),
        ("cpu_private_raw", U64, true),
        ("cpu_shared_raw", U64, true),
        ("failure_scaled", U64, true),
        ("total_scaled", U64, true),
        ("ratio_percent", U64, true),
        ("degree", I64, true),
    ]
    /// Auto-migration statistics: a row per instant.
    Automig "automig" [
        ("loc_checked", U64, false),
        ("misplaced", U64, false),
        ("migrated", U64, false),
        ("tasks_migrated", U64, false),
        ("scanned", U64, false),
        ("selected", U64, false),
        ("failed", U64, false),
        ("added", U64, false),
        ("removed", U64, false),
        ("duplicates", U64, false),
        ("refs_freed", U64, false),
    ]
    /// Memory by node: a row per mapping and node.
    NumaMaps "numa_maps" [
        ("pid", I64, true),
        ("tid", I64, true),
        ("comm", TEXT, true),
        ("address", U64, false),
        ("policy", TEXT, false),
        ("what", TEXT, true),
        ("huge", BOOL, false),
        ("anon", U64, true),
        ("dirty", U64, true),
        ("mapped", U64, true),
        ("mapmax", U64, true),
        ("swapcache", U64, true),
        ("active", U64, true),
        ("writeback", U64, true),
        ("page_kb", U64, true),
        ("nid", I32, true),
        ("pages", U64, false),
    ]
    /// NUMA fields of a task: a row per field.
    ProcSched "proc_sched" [
        ("pid", I64, true),
        ("tid", I64, true),
        ("comm", TEXT, true),
        ("name", TEXT, false),
        ("value", F64, false),
    ]
    /// NUMA hinting faults of a task: a row per node.
    ProcSchedFaults "proc_sched_faults" [
        ("pid", I64, true),
        ("tid", I64, true),
        ("comm", TEXT, true),
        ("nid", I32, false),
        ("task_private", U64, true),
        ("task_shared", U64, true),
        ("group_private", U64, true),
        ("group_shared", U64, true),
    ]
    /// Membership: a row per task.
    CgroupTasks "cgroup_tasks" [
        ("cgroup", TEXT, false),
        ("pid", I64, true),
        ("tid", I64, true),
    ]
    /// Values of cgroup files: a row per value.
    CgroupStat "cgroup_stat" [
        ("cgroup", TEXT, false),
        ("file", TEXT, false),
        ("name", TEXT, false),
        ("value", F64, true),
        ("text", TEXT, true),
    ]
    /// Affinity and properties of tasks: a row per task and instant.
    TaskStat "task_stat" [
        ("pid", I64, true),
        ("tid", I64, true),
        ("ppid", I64, true),
        ("flags", I64, true),
        ("nice", I64, true),
        ("rt_priority", I64, true),
        ("policy", I64, true),
        ("cpus_allowed", TEXT, true),
        ("comm", TEXT, true),
        ("state", TEXT, true),
        ("cpu_ticks", I64, true),
        ("cpu", I64, true),
    ]
    /// Counters of the load balancer: a row per CPU, domain, kind of balancing and instant.
    /// `kind` is what the CPU was when it balanced: `busy`, `idle` or `newidle`; or `active` for active balancing.
    Schedstat "schedstat" [
        ("cpu", I32, false),
        ("domain", I32, false),
        ("name", TEXT, true),
        ("cpus", TEXT, false),
        ("kind", TEXT, false),
        ("count", U64, false),
        ("balanced", U64, true),
        ("failed", U64, false),
        ("gained", U64, false),
        ("hot_gained", U64, true),
    ]
    /// State and counters of `sched_ext`: a row per value and instant.
    /// `scheduler` is `root` or a sub-scheduler's directory, empty for what is the machine's; a counter has a value, else there is a text.
    SchedExt "sched_ext" [
        ("scheduler", TEXT, false),
        ("name", TEXT, false),
        ("value", I64, true),
        ("text", TEXT, true),
    ]
    /// Requests to a service: a row per line of their log.
    Requests "requests" [
        ("line", TEXT, false),
    ]
    /// Results of benchmarks: a row per figure and run.
    /// `setup` has what a run was started with. A table of mmtests with several kernels has their names as `column`.
    Benchmarks "benchmarks" [
        ("tool", TEXT, false),
        ("setup", TEXT, false),
        ("name", TEXT, false),
        ("column", TEXT, true),
        ("value", F64, false),
        ("unit", TEXT, false),
        ("better", TEXT, false),
        ("percent", F64, true),
        ("star", BOOL, false),
    ]
}

static SCHEMAS: LazyLock<[SchemaRef; SampleTableId::ALL.len()]> =
    LazyLock::new(|| SampleTableId::ALL.map(SampleTableId::build));

impl SampleTableId {
    /// The table's columns: the stamps of the instant, each of which may be missing, then what was sampled.
    #[must_use]
    pub fn schema(self) -> SchemaRef {
        Arc::clone(&SCHEMAS[self as usize])
    }

    fn build(self) -> SchemaRef {
        let stamps = STAMPS.iter().map(|name| Field::new(*name, I64, true));
        let own = self
            .columns()
            .iter()
            .map(|(name, ty, nullable)| Field::new(*name, ty.clone(), *nullable));
        Arc::new(Schema::new(stamps.chain(own).collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_list_and_names_are_unique() {
        for (at, table) in SampleTableId::ALL.into_iter().enumerate() {
            assert_eq!(table as usize, at);
            let schema = table.schema();
            let stamps: Vec<&str> = schema.fields()[..6]
                .iter()
                .map(|f| f.name().as_str())
                .collect();
            assert_eq!(stamps, STAMPS);
            let mut names: Vec<&String> = schema.fields().iter().map(|f| f.name()).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), schema.fields().len(), "{}", table.name());
        }
    }
}
