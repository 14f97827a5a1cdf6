//! The table of auto-migration statistics of 2010: rows of counters, what follows from each, and the laws that they keep.

mod laws;

use numalens_core::json::OptionalMoment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::laws::{LEAK_NS, Law, LawCheck, Leak, MOST_VIOLATIONS, SKEW_PER_CPU, Violation};

/// A row of the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Time of the sample, ns of the reference clock; the rows published in 2010 have none.
    pub t_ns: Option<u64>,
    /// Counters.
    pub counters: Counters,
}

/// Facts about the machine and its load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Config {
    /// CPUs: so much skew may be in a row, see [`SKEW_PER_CPU`].
    pub cpus: u32,
    /// Pages of the regions that a load moves by `mbind`, for law C5 (65536 in the table of 2010); `None` when not known.
    pub region_pages: Option<u64>,
}

/// Derived values of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AutomigRow")]
pub struct Derived {
    /// Time, ns.
    #[serde(with = "OptionalMoment")]
    pub t_ns: Option<u64>,
    /// The row.
    pub counters: Counters,
    /// E: entries in the migration cache, `AD - RM`.
    pub cached: i64,
    /// Lr: references to them, `AD + DU - FR`.
    pub references: i64,
    /// X: references beyond each entry's first, `Lr - E`; 0 when no cached page is shared.
    pub shared: i64,
    /// `MG - MP`.
    pub beyond_misplaced: i64,
    /// `SE - AD`.
    pub never_cached: i64,
}

/// Increase of a row over the one before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "AutomigDelta")]
pub struct Delta {
    /// Time of the row before, ns.
    #[serde(with = "OptionalMoment")]
    pub from_ns: Option<u64>,
    /// Time of this row, ns.
    #[serde(with = "OptionalMoment")]
    pub to_ns: Option<u64>,
    /// Increase; `None` when a counter decreased.
    pub counted: Option<Counters>,
    /// Change of E.
    pub cached: i64,
    /// Change of Lr.
    pub references: i64,
    /// Change of X.
    pub shared: i64,
    /// `1 - dLC / dRM`, pages unmapped for nothing; `None` when nothing left the cache.
    pub lazy_waste: Option<f64>,
}

/// The table, judged.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "AutomigTable")]
pub struct Table {
    /// Every row and what follows from it.
    pub rows: Vec<Derived>,
    /// Increases of each row but the first.
    pub deltas: Vec<Delta>,
    /// Every law.
    pub laws: Vec<LawCheck>,
    /// Ratios of the last row's counts since boot; `None` without rows.
    pub ratios: Option<Ratios>,
    /// The same of what was counted between the first row and the last.
    pub window: Option<Ratios>,
    /// Entries that seem to be lost.
    pub leak: Option<Leak>,
    /// Provenance of the derived values: replayed, or inferred if rows were sampled while they changed.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

fn derive(row: &Row) -> Derived {
    let counters = row.counters;
    Derived {
        t_ns: row.t_ns,
        counters,
        cached: counters.cached(),
        references: counters.references(),
        shared: counters.shared(),
        beyond_misplaced: counters.beyond_misplaced(),
        never_cached: counters.never_cached(),
    }
}

fn delta(old: &Derived, new: &Derived) -> Delta {
    let counted = new.counters.since(&old.counters);
    Delta {
        from_ns: old.t_ns,
        to_ns: new.t_ns,
        counted,
        cached: new.cached.saturating_sub(old.cached),
        references: new.references.saturating_sub(old.references),
        shared: new.shared.saturating_sub(old.shared),
        lazy_waste: counted.and_then(|counted| Ratios::of(&counted).lazy_waste),
    }
}

/// Judges the rows of a table, in their order.
#[must_use]
pub fn judge(rows: &[Row], config: &Config) -> Table {
    let derived: Vec<Derived> = rows.iter().map(derive).collect();
    let deltas = derived
        .windows(2)
        .filter_map(|pair| match pair {
            [old, new] => Some(delta(old, new)),
            _ => None,
        })
        .collect();
    let laws = laws::check(rows, config);
    let window = match (rows.first(), rows.last()) {
        (Some(first), Some(last)) => last.counters.since(&first.counters),
        _ => None,
    };
    let (label, missing) = if laws.iter().any(|check| check.skewed != 0) {
        let what = "counters of one moment".to_owned();
        (Label::Inferred, vec![what])
    } else {
        (Label::Replayed, Vec::new())
    };
    Table {
        deltas,
        ratios: rows.last().map(|row| Ratios::of(&row.counters)),
        window: window.map(|counted| Ratios::of(&counted)),
        leak: laws::find(&derived, config),
        rows: derived,
        laws,
        label,
        missing,
    }
}

// The eleven counters of a row and what follows from them alone.

/// Declares counters: a struct with a field for each, their names, and conversions from and to their values in order.
macro_rules! counters {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)+ }) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$doc])* pub $field: u64,)+
        }

        impl $name {
            /// Names, in order.
            pub const NAMES: [&'static str; [$(stringify!($field)),+].len()] = [$(stringify!($field)),+];

            /// Number of counters.
            pub const COUNT: usize = Self::NAMES.len();

            /// From values in order.
            #[must_use]
            pub fn from_values(values: [u64; Self::COUNT]) -> Self {
                let [$($field),+] = values;
                Self { $($field),+ }
            }

            /// The values in order.
            #[must_use]
            pub fn values(&self) -> [u64; Self::COUNT] {
                [$(self.$field),+]
            }
        }
    };
}

counters! {
    /// The statistics of a kernel with migrate-on-fault and auto-migration (Linux 2.6.36-mmotm): counts since boot,
    /// in the order in which they are printed. Pages are base pages. The fields are named like the columns of the sample table.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
    #[schemars(rename = "AutomigCounters")]
    Counters {
        /// LC, "pgs loc checked": found in the swap or migration cache by `do_swap_page`, not mapped, stable.
        loc_checked,
        /// MP, "pages misplacd": of these, those that the memory policy in effect wants elsewhere.
        misplaced,
        /// MG, "pages migrated": all migrations, also by `mbind`.
        migrated,
        /// TM, "tasks migrated": moves of tasks between nodes that made them walk their memory, and kicks.
        tasks_migrated,
        /// SC, "pages scanned": looked at by these walks.
        scanned,
        /// SE, "pages selected": anonymous pages that were to follow.
        selected,
        /// FA, "pages failed": of these, those that could not be unmapped or migrated.
        failed,
        /// AD, "pgs added" to the migration cache.
        added,
        /// RM, "pgs removd" from it.
        removed,
        /// DU, "duplicates": further references to entries of the cache.
        duplicates,
        /// FR, "refs freed": references given back.
        refs_freed,
    }
}

/// `a - b` without wrapping, at the ends of the range where it does not fit.
fn difference(a: u64, b: u64) -> i64 {
    narrow(i128::from(a) - i128::from(b))
}

fn narrow(value: i128) -> i64 {
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

impl Counters {
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

    /// Increase since `earlier`; `None` when a counter decreased.
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
