//! Recorded tables about the NUMA balancers, and their meaning.

use super::probe::probed;

/// Meaning of a table's rows for the NUMA balancers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NumaKind {
    /// `sched_move_numa` (since 3.14): a task is about to be moved to a CPU.
    Move,
    /// `sched_swap_numa`: a task is about to change places with another.
    Swap,
    /// `sched_stick_numa`: a task stays where it is. 7 fields up to 5.6, the 10 of a swap since 5.7.
    Stick,
    /// `mm_migrate_pages`: pages were migrated.
    MigratePages,
    /// `mm_migrate_pages_start`: pages are about to be migrated (since 5.14).
    MigratePagesStart,
    /// `mm_migrate_misplaced_pages`, which mmtests' monitor reads and no kernel release has: pages with their nodes.
    Misplaced,
    /// `sched_skip_vma_numa`: the scanner leaves a part of the address space out.
    SkipVma,
    /// A line printed into the trace; those of the cling kernel count.
    Print,
    /// A probe on `sched_setnuma`.
    Setnuma,
    /// A probe on the entry of `task_numa_migrate`.
    Entry,
    /// A probe on the return of `task_numa_migrate`.
    Return,
    /// A probe on the callback of cling's timer.
    Timer,
}

impl NumaKind {
    /// The kind of an event type with these columns; `None` when it is not about the NUMA balancers.
    #[must_use]
    pub fn of(system: &str, event: &str, columns: &[&str]) -> Option<Self> {
        let has = |name| columns.contains(&name);
        match (system, event) {
            ("sched", "sched_move_numa") => Some(Self::Move),
            ("sched", "sched_swap_numa") => Some(Self::Swap),
            ("sched", "sched_stick_numa") => Some(Self::Stick),
            ("sched", "sched_skip_vma_numa") => Some(Self::SkipVma),
            ("migrate", "mm_migrate_pages") => Some(Self::MigratePages),
            ("migrate", "mm_migrate_pages_start") => Some(Self::MigratePagesStart),
            (_, "mm_migrate_misplaced_pages") => Some(Self::Misplaced),
            // A recording that does not list the formats of `bprint` has no text of it.
            ("ftrace", "print" | "bprint" | "bputs") => has("buf").then_some(Self::Print),
            _ => probe(event, has("__probe_ret_ip") || has("ret")),
        }
    }

    /// Columns that the rows of any kind may need, besides the common ones.
    pub const COLUMNS: &'static [&'static str] = &[
        "ts_ns",
        "cpu",
        "seq",
        "buffer",
        "common_pid",
        "pid",
        "tgid",
        "ngid",
        "src_pid",
        "src_tgid",
        "src_ngid",
        "src_cpu",
        "src_nid",
        "dst_pid",
        "dst_tgid",
        "dst_ngid",
        "dst_cpu",
        "dst_nid",
        "succeeded",
        "nr_succeeded",
        "failed",
        "nr_failed",
        "nr_pages",
        "mode",
        "reason",
        "buf",
        "nid",
        "new_nid",
        "new",
        "old_nid",
        "old",
        "pref_nid",
        "numa_preferred_nid",
        "ret",
        "retval",
        "arg1",
        "arg2",
    ];
}

/// Kind of a probe, by its event's name; `returns` is true if its fields show that it is on a return.
fn probe(event: &str, returns: bool) -> Option<NumaKind> {
    let (name, named) = probed(event);
    match (name, returns || named) {
        ("sched_setnuma" | "setnuma", false) => Some(NumaKind::Setnuma),
        ("task_numa_migrate", false) => Some(NumaKind::Entry),
        ("task_numa_migrate", true) => Some(NumaKind::Return),
        ("cling_timer" | "cling_timer_func", false) => Some(NumaKind::Timer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_known_by_their_events_names() {
        const IP: &[&str] = &["ts_ns", "common_pid", "__probe_ip"];
        const RET: &[&str] = &["ts_ns", "common_pid", "__probe_func", "__probe_ret_ip"];
        for (system, event, columns, kind) in [
            ("nbk", "setnuma", IP, Some(NumaKind::Setnuma)),
            ("nbk", "sched_setnuma", IP, Some(NumaKind::Setnuma)),
            ("kprobes", "p_sched_setnuma_0", IP, Some(NumaKind::Setnuma)),
            ("probe", "sched_setnuma_1", IP, Some(NumaKind::Setnuma)),
            ("nbk", "task_numa_migrate", IP, Some(NumaKind::Entry)),
            ("x", "task_numa_migrate_isra_0", IP, Some(NumaKind::Entry)),
            (
                "kprobes",
                "r_task_numa_migrate_0",
                RET,
                Some(NumaKind::Return),
            ),
            ("nbk", "task_numa_migrate_ret", RET, Some(NumaKind::Return)),
            (
                "probe",
                "task_numa_migrate__return",
                RET,
                Some(NumaKind::Return),
            ),
            (
                "probe",
                "task_numa_migrate__return",
                &["ret"],
                Some(NumaKind::Return),
            ),
            // Both probes may have the function's name.
            ("mine", "task_numa_migrate", RET, Some(NumaKind::Return)),
            ("nbk", "cling_timer", IP, Some(NumaKind::Timer)),
            ("p", "cling_timer_func", IP, Some(NumaKind::Timer)),
            // The return of a function that returns nothing shows nothing.
            ("p", "sched_setnuma_ret", RET, None),
            ("nbk", "numa_find_cpu", IP, None),
            ("nbk", "migrate_task_to", IP, None),
            ("nbk", "_0_0_ret__return", IP, None),
            ("sched", "sched_skip_cpuset_numa", &["pid"], None),
            ("ftrace", "print", &["ip", "buf"], Some(NumaKind::Print)),
            ("ftrace", "bprint", &["ip", "fmt"], None),
        ] {
            assert_eq!(
                NumaKind::of(system, event, columns),
                kind,
                "{system}:{event}"
            );
        }
    }
}
