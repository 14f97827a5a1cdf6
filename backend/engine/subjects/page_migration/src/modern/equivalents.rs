//! Each statistic of 2010 and its equivalent today.

use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::metrics::Quality;
use crate::modern::{Meter, inferred, of};
use crate::vmstat::Vmstat;

/// Short name of a statistic, and what it was called.
type Statistic = (&'static str, &'static str);

const LC: Statistic = ("LC", "pgs loc checked");
const MP: Statistic = ("MP", "pgs misplacd");
const MG: Statistic = ("MG", "pages migrated");
const TM: Statistic = ("TM", "tasks migrated");
const SC: Statistic = ("SC", "pages scanned");
const SE: Statistic = ("SE", "pages selected");
const FA: Statistic = ("FA", "pages failed");
const KICKS: Statistic = ("kicks", "/proc/PID/migrate");
/// The migration cache's.
const CACHE: [Statistic; 4] = [
    ("AD", "pgs added"),
    ("RM", "pgs removd"),
    ("DU", "duplicates"),
    ("FR", "refs freed"),
];

/// Today's source of a statistic.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Equivalent {
    /// The statistic's short name.
    pub statistic: &'static str,
    /// Name in 2010.
    pub name: &'static str,
    /// Equivalent or similar source; `None` if there is none.
    pub source: Option<&'static str>,
    /// Value in the window: for counters of `/proc/vmstat` between its first and last sample.
    pub value: Option<u64>,
    /// Difference.
    pub note: &'static str,
    /// Provenance of the value.
    #[serde(flatten)]
    pub quality: Quality,
}

/// Provenance of a count of events that may not be recorded.
fn recorded(value: Option<u64>, event: &str, label: Label) -> Quality {
    value.map_or(inferred(&[event]), |_| Quality {
        label,
        missing: Vec::new(),
    })
}

impl Meter<'_> {
    fn counter(
        &self,
        (statistic, name): Statistic,
        source: &'static str,
        of: fn(&Vmstat) -> Option<u64>,
        note: &'static str,
    ) -> Equivalent {
        let value = self.grown(of);
        Equivalent {
            statistic,
            name,
            source: Some(source),
            value,
            note,
            quality: self.sampled(value, source),
        }
    }

    pub(super) fn equivalents(&self) -> Vec<Equivalent> {
        let mut all = vec![
            self.counter(
                LC,
                "numa_hint_faults",
                |at| at.numa_hint_faults,
                "a fault on an entry that the scanner took away, not a page in the swap cache",
            ),
            self.misplaced(),
            self.counter(
                MG,
                "pgmigrate_success",
                |at| at.pgmigrate_success,
                "all reasons",
            ),
            self.counter(
                MG,
                "numa_pages_migrated",
                |at| at.numa_pages_migrated,
                "the part on fault",
            ),
            self.beyond(),
            self.moves(),
            self.numa_moves(),
            self.counter(
                SC,
                "numa_pte_updates",
                |at| at.numa_pte_updates,
                "a periodic scan, not a walk for each move",
            ),
            self.skipped(),
            self.counter(
                SE,
                "numa_pte_updates",
                |at| at.numa_pte_updates,
                "what is scanned is selected; a huge page counts 512",
            ),
            self.counter(FA, "pgmigrate_fail", |at| at.pgmigrate_fail, "all reasons"),
            self.traced_pages(
                FA,
                "nr_failed of mm_migrate_pages",
                self.failed,
                "all reasons",
            ),
        ];
        all.extend(CACHE.map(|(statistic, name)| Equivalent {
            statistic,
            name,
            source: None,
            value: None,
            note: "there is no migration cache; set_migration_pte and remove_migration_pte bracket one migration",
            quality: inferred(&[]),
        }));
        let kicks = "migrate_pages(2), move_pages(2) and cpusets: pages, not kicks";
        all.push(self.traced_pages(
            KICKS,
            "mm_migrate_pages reason=syscall_or_cpuset",
            self.by_call,
            kicks,
        ));
        all
    }

    fn traced_pages(
        &self,
        (statistic, name): Statistic,
        source: &'static str,
        value: u64,
        note: &'static str,
    ) -> Equivalent {
        Equivalent {
            statistic,
            name,
            source: Some(source),
            value: self.config.pages.as_ref().map(|_| value),
            note,
            quality: self.of_pages(),
        }
    }

    fn misplaced(&self) -> Equivalent {
        let [succeeded, failed] = self.on_fault;
        let note = "not counted: at least these; misplaced pages that the two-stage filter refused are invisible";
        let mut traced = self.traced_pages(
            MP,
            "mm_migrate_pages reason=numa_misplaced",
            succeeded.saturating_add(failed),
            note,
        );
        traced.quality.label = traced.quality.label.max(Label::Inferred);
        traced
            .quality
            .missing
            .push("pages that the filters refused".to_owned());
        traced
    }

    fn beyond(&self) -> Equivalent {
        let all = self.grown(|at| at.pgmigrate_success);
        let both = all.zip(self.grown(|at| at.numa_pages_migrated));
        let value = both.map(|(all, on_fault)| all.saturating_sub(on_fault));
        Equivalent {
            statistic: "MG-MP",
            name: "pages migrated otherwise",
            source: Some("pgmigrate_success - numa_pages_migrated"),
            value,
            note: "mbind, compaction and the like",
            quality: self.sampled(value, "pgmigrate_success"),
        }
    }

    fn moves(&self) -> Equivalent {
        let quality = if self.config.nodes.is_empty() {
            inferred(&["nodes of CPUs"])
        } else {
            of(&self.config.moves)
        };
        Equivalent {
            statistic: TM.0,
            name: TM.1,
            source: Some("sched_migrate_task to another node"),
            value: Some(self.moves),
            note: "all moves between nodes; no walk of the memory goes with them",
            quality,
        }
    }

    fn numa_moves(&self) -> Equivalent {
        let value = self.config.attempts.then_some(self.numa_moves);
        Equivalent {
            statistic: TM.0,
            name: TM.1,
            source: Some("sched_move_numa, sched_swap_numa"),
            value,
            note: "the part of the NUMA balancer: one for each move that succeeded, two for each swap",
            quality: recorded(value, "sched_move_numa", Label::Replayed),
        }
    }

    fn skipped(&self) -> Equivalent {
        let value = self.config.skipped_vmas;
        Equivalent {
            statistic: SC.0,
            name: SC.1,
            source: Some("sched_skip_vma_numa"),
            value,
            note: "mappings that the scan left out, not pages",
            quality: recorded(value, "sched_skip_vma_numa", Label::Observed),
        }
    }
}
