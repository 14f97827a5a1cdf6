//! The shapes of the sample tables.

use std::sync::{Arc, LazyLock};

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde::Serialize;

/// The sample tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleTableId {
    /// Pressure stall information: a row per resource and instant.
    Psi,
    /// Memory counters: a row per counter and instant.
    Vmstat,
    /// CPU time by mode: a row per CPU and instant, CPU -1 for all.
    Stat,
    /// Load averages: a row per instant.
    Loadavg,
    /// The cling kernel's NUMA groups: a row per group, node and instant.
    NumaGroup,
    /// Auto-migration statistics: a row per instant.
    Automig,
    /// Memory by node: a row per mapping and node.
    NumaMaps,
    /// NUMA fields of a task: a row per field.
    ProcSched,
    /// NUMA hinting faults of a task: a row per node.
    ProcSchedFaults,
    /// Membership: a row per task.
    CgroupTasks,
    /// Values of cgroup files: a row per value.
    CgroupStat,
    /// Affinity and properties of tasks: a row per task and instant.
    TaskStat,
    /// Counters of the load balancer: a row per CPU, domain, kind of balancing and instant.
    Schedstat,
    /// State and counters of `sched_ext`: a row per value and instant.
    SchedExt,
    /// Requests to a service: a row per line of their log.
    Requests,
}

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

const PSI: &[ColumnSpec] = &[
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
];

const VMSTAT: &[ColumnSpec] = &[
    ("name", TEXT, false),
    ("value", I64, false),
    ("nid", I32, true),
];

/// The later columns are missing in old kernels.
const STAT: &[ColumnSpec] = &[
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
];

const LOADAVG: &[ColumnSpec] = &[
    ("one", F64, false),
    ("five", F64, false),
    ("fifteen", F64, false),
    ("running", U32, false),
    ("total", U32, false),
];

const NUMA_GROUP: &[ColumnSpec] = &[
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
];

const AUTOMIG: &[ColumnSpec] = &[
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
];

const NUMA_MAPS: &[ColumnSpec] = &[
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
];

const PROC_SCHED: &[ColumnSpec] = &[
    ("pid", I64, true),
    ("tid", I64, true),
    ("comm", TEXT, true),
    ("name", TEXT, false),
    ("value", F64, false),
];

const PROC_SCHED_FAULTS: &[ColumnSpec] = &[
    ("pid", I64, true),
    ("tid", I64, true),
    ("comm", TEXT, true),
    ("nid", I32, false),
    ("task_private", U64, true),
    ("task_shared", U64, true),
    ("group_private", U64, true),
    ("group_shared", U64, true),
];

const CGROUP_TASKS: &[ColumnSpec] = &[
    ("cgroup", TEXT, false),
    ("pid", I64, true),
    ("tid", I64, true),
];

const CGROUP_STAT: &[ColumnSpec] = &[
    ("cgroup", TEXT, false),
    ("file", TEXT, false),
    ("name", TEXT, false),
    ("value", F64, true),
    ("text", TEXT, true),
];

const TASK_STAT: &[ColumnSpec] = &[
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
];

/// `kind` is what the CPU was when it balanced: `busy`, `idle` or `newidle`; or `active` for active balancing.
const SCHEDSTAT: &[ColumnSpec] = &[
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
];

/// `scheduler` is `root` or a sub-scheduler's directory, empty for what is the machine's; a counter has a value, else there is a text.
const SCHED_EXT: &[ColumnSpec] = &[
    ("scheduler", TEXT, false),
    ("name", TEXT, false),
    ("value", I64, true),
    ("text", TEXT, true),
];

const REQUESTS: &[ColumnSpec] = &[("line", TEXT, false)];

static SCHEMAS: LazyLock<[SchemaRef; SampleTableId::ALL.len()]> =
    LazyLock::new(|| SampleTableId::ALL.map(SampleTableId::build));

impl SampleTableId {
    /// All tables, in the order of their numbers.
    pub const ALL: [Self; 15] = [
        Self::Psi,
        Self::Vmstat,
        Self::Stat,
        Self::Loadavg,
        Self::NumaGroup,
        Self::Automig,
        Self::NumaMaps,
        Self::ProcSched,
        Self::ProcSchedFaults,
        Self::CgroupTasks,
        Self::CgroupStat,
        Self::TaskStat,
        Self::Schedstat,
        Self::SchedExt,
        Self::Requests,
    ];

    /// The table's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Psi => "psi",
            Self::Vmstat => "vmstat",
            Self::Stat => "stat",
            Self::Loadavg => "loadavg",
            Self::NumaGroup => "numa_group",
            Self::Automig => "automig",
            Self::NumaMaps => "numa_maps",
            Self::ProcSched => "proc_sched",
            Self::ProcSchedFaults => "proc_sched_faults",
            Self::CgroupTasks => "cgroup_tasks",
            Self::CgroupStat => "cgroup_stat",
            Self::TaskStat => "task_stat",
            Self::Schedstat => "schedstat",
            Self::SchedExt => "sched_ext",
            Self::Requests => "requests",
        }
    }

    /// The table's columns: the stamps of the instant, each of which may be missing, then what was sampled.
    #[must_use]
    pub fn schema(self) -> SchemaRef {
        Arc::clone(&SCHEMAS[self as usize])
    }

    fn build(self) -> SchemaRef {
        let own = match self {
            Self::Psi => PSI,
            Self::Vmstat => VMSTAT,
            Self::Stat => STAT,
            Self::Loadavg => LOADAVG,
            Self::NumaGroup => NUMA_GROUP,
            Self::Automig => AUTOMIG,
            Self::NumaMaps => NUMA_MAPS,
            Self::ProcSched => PROC_SCHED,
            Self::ProcSchedFaults => PROC_SCHED_FAULTS,
            Self::CgroupTasks => CGROUP_TASKS,
            Self::CgroupStat => CGROUP_STAT,
            Self::TaskStat => TASK_STAT,
            Self::Schedstat => SCHEDSTAT,
            Self::SchedExt => SCHED_EXT,
            Self::Requests => REQUESTS,
        };
        let stamps = STAMPS.iter().map(|name| Field::new(*name, I64, true));
        let own = own
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
