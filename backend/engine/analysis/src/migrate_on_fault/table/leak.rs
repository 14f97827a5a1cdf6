//! References that nobody gives back.

use numalens_core::json::OptionalMoment;
use schemars::JsonSchema;
use serde::Serialize;

use crate::migrate_on_fault::table::laws::SKEW_PER_CPU;
use crate::migrate_on_fault::table::{Config, Derived};

/// So long after the last entry came may references still be shared, ns (`docs/algorithms/page_migration.md`, M4).
pub const LEAK_NS: u64 = 60_000_000_000;

/// Shared references that stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Leak {
    /// When the cache came to rest, or when the row was read that has too few references; ns.
    #[serde(with = "OptionalMoment")]
    pub from_ns: Option<u64>,
    /// When that was seen, ns.
    #[serde(with = "OptionalMoment")]
    pub to_ns: Option<u64>,
    /// X then: positive for references that stay, negative for references freed too often.
    pub entries: i64,
}

/// The last moment at which X stays above 0 although AD and DU have not grown for [`LEAK_NS`], or else the first row with
/// fewer references than reading skew explains. Rows without times tell only the latter.
pub(super) fn find(rows: &[Derived], config: &Config) -> Option<Leak> {
    let skew = i64::from(config.cpus).saturating_mul(i64::from(SKEW_PER_CPU));
    let mut found = None;
    let mut quiet: Option<&Derived> = None;
    for row in rows {
        let same = |before: &&Derived| {
            before.counters.added == row.counters.added
                && before.counters.duplicates == row.counters.duplicates
        };
        let began = quiet.filter(same).unwrap_or(row);
        quiet = Some(began);
        if let (Some(from_ns), Some(to_ns)) = (began.t_ns, row.t_ns)
            && row.shared > 0
            && to_ns.saturating_sub(from_ns) >= LEAK_NS
        {
            found = Some(Leak {
                from_ns: Some(from_ns),
                to_ns: Some(to_ns),
                entries: row.shared,
            });
        }
    }
    found.or_else(|| {
        let row = rows.iter().find(|row| row.shared < -skew)?;
        Some(Leak {
            from_ns: row.t_ns,
            to_ns: row.t_ns,
            entries: row.shared,
        })
    })
}
