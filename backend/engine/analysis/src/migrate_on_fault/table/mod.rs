//! The table of auto-migration statistics of 2010: rows of counters, what follows from each, and the laws that they keep.

mod counters;
mod laws;
mod leak;

use numalens_core::json::OptionalMoment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::counters::{Counters, Ratios};
pub use self::laws::{Law, LawCheck, MOST_VIOLATIONS, SKEW_PER_CPU, Violation};
pub use self::leak::{LEAK_NS, Leak};

/// A row of the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// When it was read, ns of the reference clock; the rows published in 2010 have no time.
    pub t_ns: Option<u64>,
    /// What it says.
    pub counters: Counters,
}

/// What is known of the machine and its load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Config {
    /// CPUs: so much skew may be in a row, see [`SKEW_PER_CPU`].
    pub cpus: u32,
    /// Pages of the regions that a load moves by `mbind`, for law C5 (65536 in the table of 2010); `None` when not known.
    pub region_pages: Option<u64>,
}

/// What follows from a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AutomigRow")]
pub struct Derived {
    /// Its time, ns.
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

/// What a row added to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "AutomigDelta")]
pub struct Delta {
    /// Time of the row before, ns.
    #[serde(with = "OptionalMoment")]
    pub from_ns: Option<u64>,
    /// Time of this row, ns.
    #[serde(with = "OptionalMoment")]
    pub to_ns: Option<u64>,
    /// What was counted; `None` when a counter went back.
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
    /// What each row but the first added.
    pub deltas: Vec<Delta>,
    /// Every law.
    pub laws: Vec<LawCheck>,
    /// Ratios of the last row's counts since boot; `None` without rows.
    pub ratios: Option<Ratios>,
    /// The same of what was counted between the first row and the last.
    pub window: Option<Ratios>,
    /// Entries that seem to be lost.
    pub leak: Option<Leak>,
    /// How good the derived values are: replayed, or inferred where rows were read while they changed.
    pub label: Label,
    /// What would make them better.
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
        leak: leak::find(&derived, config),
        rows: derived,
        laws,
        label,
        missing,
    }
}
