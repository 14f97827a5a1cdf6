//! The eleven counters of a row and what follows from them alone.

use schemars::JsonSchema;
use serde::Serialize;

/// The statistics of a kernel with migrate-on-fault and auto-migration (Linux 2.6.36-mmotm): counts since boot,
/// in the order in which they are printed. Pages are base pages. The fields are named like the columns of the sample table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "AutomigCounters")]
pub struct Counters {
    /// LC, "pgs loc checked": found in the swap or migration cache by `do_swap_page`, not mapped, stable.
    pub loc_checked: u64,
    /// MP, "pages misplacd": of these, those that the memory policy in effect wants elsewhere.
    pub misplaced: u64,
    /// MG, "pages migrated": all migrations, also by `mbind`.
    pub migrated: u64,
    /// TM, "tasks migrated": moves of tasks between nodes that made them walk their memory, and kicks.
    pub tasks_migrated: u64,
    /// SC, "pages scanned": looked at by these walks.
    pub scanned: u64,
    /// SE, "pages selected": anonymous pages that were to follow.
    pub selected: u64,
    /// FA, "pages failed": of these, those that could not be unmapped or migrated.
    pub failed: u64,
    /// AD, "pgs added" to the migration cache.
    pub added: u64,
    /// RM, "pgs removd" from it.
    pub removed: u64,
    /// DU, "duplicates": further references to entries of the cache.
    pub duplicates: u64,
    /// FR, "refs freed": references given back.
    pub refs_freed: u64,
}

/// `a - b` without wrapping, at the ends of the range where it does not fit.
pub(super) fn difference(a: u64, b: u64) -> i64 {
    narrow(i128::from(a) - i128::from(b))
}

pub(super) fn narrow(value: i128) -> i64 {
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

impl Counters {
    /// How many there are.
    pub const COUNT: usize = 11;

    /// Their names, in order.
    pub const NAMES: [&'static str; Self::COUNT] = [
        "loc_checked",
        "misplaced",
        "migrated",
        "tasks_migrated",
        "scanned",
        "selected",
        "failed",
        "added",
        "removed",
        "duplicates",
        "refs_freed",
    ];

    /// From values in order.
    #[must_use]
    pub fn from_values(values: [u64; Self::COUNT]) -> Self {
        let [
            loc_checked,
            misplaced,
            migrated,
            tasks_migrated,
            scanned,
            selected,
            failed,
            added,
            removed,
            duplicates,
            refs_freed,
        ] = values;
        Self {
            loc_checked,
            misplaced,
            migrated,
            tasks_migrated,
            scanned,
            selected,
            failed,
            added,
            removed,
            duplicates,
            refs_freed,
        }
    }

    /// The values in order.
    #[must_use]
    pub fn values(&self) -> [u64; Self::COUNT] {
        [
            self.loc_checked,
            self.misplaced,
            self.migrated,
            self.tasks_migrated,
            self.scanned,
            self.selected,
            self.failed,
            self.added,
            self.removed,
            self.duplicates,
            self.refs_freed,
        ]
    }

    /// E: entries in the migration cache, `AD - RM`.
    #[must_use]
    pub fn cached(&self) -> i64 {
        difference(self.added, self.removed)
    }

    /// Lr: references to these entries, `AD + DU - FR`.
    #[must_use]
    pub fn references(&self) -> i64 {
        let added = i128::from(self.added) + i128::from(self.duplicates);
        narrow(added - i128::from(self.refs_freed))
    }

    /// X: references beyond each entry's first, `Lr - E = DU + RM - FR`.
    #[must_use]
    pub fn shared(&self) -> i64 {
        let held = i128::from(self.duplicates) + i128::from(self.removed);
        narrow(held - i128::from(self.refs_freed))
    }

    /// `MG - MP`: pages that `mbind` migrated, without lazy moves that failed.
    #[must_use]
    pub fn beyond_misplaced(&self) -> i64 {
        difference(self.migrated, self.misplaced)
    }

    /// `SE - AD`: pages that were selected and never came into the cache.
    #[must_use]
    pub fn never_cached(&self) -> i64 {
        difference(self.selected, self.added)
    }

    /// What was counted since `earlier`; `None` when a counter went back.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Option<Self> {
        let mut values = self.values();
        for (value, before) in values.iter_mut().zip(earlier.values()) {
            *value = value.checked_sub(before)?;
        }
        Some(Self::from_values(values))
    }
}

/// Ratios of counters; `None` where the divisor is 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "AutomigRatios")]
pub struct Ratios {
    /// `MP / LC`: how many of the pages that were touched again lay on the wrong node.
    pub misplaced_per_checked: Option<f64>,
    /// `SC / SE`: pages looked at for one that was to follow.
    pub scanned_per_selected: Option<f64>,
    /// `SE / TM`: pages that were to follow one move of a task.
    pub selected_per_task: Option<f64>,
    /// `LC / AD`: how many of the unmapped pages were touched. The table of 2006 has faults per unmapped page.
    pub checked_per_added: Option<f64>,
    /// `MP / SE`: how many of the pages that were to follow did.
    pub misplaced_per_selected: Option<f64>,
    /// `1 - LC / RM`: pages unmapped for nothing. A lower bound, for LC counts pages found in the swap cache as well.
    pub lazy_waste: Option<f64>,
}

impl Ratios {
    /// Of counts since boot, or of what was counted between two rows.
    #[must_use]
    pub fn of(counters: &Counters) -> Self {
        let ratio = |a: u64, b: u64| (b != 0).then(|| a as f64 / b as f64);
        Self {
            misplaced_per_checked: ratio(counters.misplaced, counters.loc_checked),
            scanned_per_selected: ratio(counters.scanned, counters.selected),
            selected_per_task: ratio(counters.selected, counters.tasks_migrated),
            checked_per_added: ratio(counters.loc_checked, counters.added),
            misplaced_per_selected: ratio(counters.misplaced, counters.selected),
            lazy_waste: ratio(counters.loc_checked, counters.removed).map(|used| 1.0 - used),
        }
    }
}
