//! The laws of conservation, row by row.

use std::borrow::Cow;

use numalens_core::json::OptionalMoment;
use numalens_core::listed;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::table::{Config, Counters, Derived, Row, narrow};

/// Rows that violate a law are listed up to this many; all are counted.
pub const MOST_VIOLATIONS: usize = 100;

/// Entries that a CPU may have counted in one counter and not yet in another while a row is read (derived: the batch of the
/// kernel's per-CPU counters).
pub const SKEW_PER_CPU: u32 = 32;

listed! {
    /// Invariants of the counters (`docs/algorithms/page_migration.md`, M3).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Law {
        /// `MP <= LC`, `SE <= SC`, `FA <= SE`, `RM <= AD`, and no counter goes back.
        C1 => "C1",
        /// `E = AD - RM >= 0`.
        C2 => "C2",
        /// `Lr = AD + DU - FR >= 0`, but for the skew.
        C3 => "C3",
        /// `AD + DU == FR + (AD - RM)`, as it was published: exact only while no cached page is shared, so nothing breaks it.
        C4 => "C4",
        /// `X = Lr - E >= 0`, but for the skew.
        C4True => "C4'",
        /// `MG - MP` is a multiple of a region's pages, or one below; only where the size of regions is reported.
        C5 => "C5",
        /// `SE - AD >= 0`: only what was selected came into the cache.
        C6 => "C6",
    }
}

impl Law {
    /// Formula.
    #[must_use]
    pub fn form(self) -> &'static str {
        match self {
            Self::C1 => "MP <= LC, SE <= SC, FA <= SE, RM <= AD, no counter goes back",
            Self::C2 => "E = AD - RM >= 0",
            Self::C3 => "Lr = AD + DU - FR >= 0",
            Self::C4 => "AD + DU == FR + (AD - RM)",
            Self::C4True => "X = Lr - E >= 0",
            Self::C5 => "MG - MP is a multiple of a region, or one below",
            Self::C6 => "SE - AD >= 0",
        }
    }
}

impl Serialize for Law {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl JsonSchema for Law {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Law".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        str::json_schema(generator)
    }
}

/// A row that breaks a law.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "LawViolation")]
pub struct Violation {
    /// Number of the row, from 0.
    pub row: usize,
    /// Time, ns; `None` if rows have none.
    #[serde(with = "OptionalMoment")]
    pub t_ns: Option<u64>,
    /// Violation, with the counters' short names.
    pub what: String,
    /// By how much, pages or entries; positive.
    pub by: u64,
}

/// A law and the rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LawCheck {
    /// Invariant.
    pub law: Law,
    /// Formula.
    pub form: &'static str,
    /// Rows in which it holds exactly.
    pub holds: usize,
    /// Rows that break it only by what reading the counters one after the other explains.
    pub skewed: usize,
    /// Rows that were checked.
    pub rows: usize,
    /// Number of rows that break it. Rows that break C4 do not count: it holds only for caches without shared pages.
    pub violated: usize,
    /// The first of them.
    pub violations: Vec<Violation>,
}

/// Result of an invariant for a row.
enum Says {
    Holds,
    Skewed,
    /// Not exactly, but nothing is wrong.
    Loose,
    Broken(String, u64),
    /// Cannot be checked.
    Nothing,
}

/// `value >= 0`, but for `slack`.
fn not_negative(name: &str, value: i64, slack: u64) -> Says {
    match value {
        0.. => Says::Holds,
        _ if value.unsigned_abs() <= slack => Says::Skewed,
        _ => Says::Broken(format!("{name} = {value}"), value.unsigned_abs()),
    }
}

fn c1(counters: &Counters, before: Option<&Counters>) -> Says {
    let pairs = [
        ("MP > LC", counters.misplaced, counters.loc_checked),
        ("SE > SC", counters.selected, counters.scanned),
        ("FA > SE", counters.failed, counters.selected),
        ("RM > AD", counters.removed, counters.added),
    ];
    for (what, small, large) in pairs {
        if small > large {
            return Says::Broken(what.to_owned(), small - large);
        }
    }
    let Some(before) = before else {
        return Says::Holds;
    };
    let changes = before.values().into_iter().zip(counters.values());
    for (name, (was, is)) in Counters::NAMES.iter().zip(changes) {
        if is < was {
            return Says::Broken(format!("{name} decreased"), was - is);
        }
    }
    Says::Holds
}

fn c4(counters: &Counters) -> Says {
    match counters.shared() {
        0 => Says::Holds,
        _ => Says::Loose,
    }
}

fn c5(counters: &Counters, region: Option<u64>) -> Says {
    let Some(region) = region.filter(|&region| region > 1) else {
        return Says::Nothing;
    };
    let beyond = i128::from(counters.migrated) - i128::from(counters.misplaced);
    let over = beyond.rem_euclid(i128::from(region));
    if over == 0 || over + 1 == i128::from(region) {
        return Says::Holds;
    }
    let by = narrow(over).unsigned_abs();
    Says::Broken(format!("MG - MP is {by} above a multiple of {region}"), by)
}

fn says(law: Law, row: &Row, before: Option<&Row>, config: &Config) -> Says {
    let counters = &row.counters;
    let skew = u64::from(config.cpus) * u64::from(SKEW_PER_CPU);
    match law {
        Law::C1 => c1(counters, before.map(|row| &row.counters)),
        Law::C2 => not_negative("E", counters.cached(), 0),
        Law::C3 => not_negative("Lr", counters.references(), skew),
        Law::C4 => c4(counters),
        Law::C4True => not_negative("X", counters.shared(), skew),
        Law::C5 => c5(counters, config.region_pages),
        Law::C6 => not_negative("SE - AD", counters.never_cached(), 0),
    }
}

/// Checks every law in every row.
pub(super) fn check(rows: &[Row], config: &Config) -> Vec<LawCheck> {
    let mut checks = Vec::new();
    for law in Law::ALL {
        let mut check = LawCheck {
            law,
            form: law.form(),
            holds: 0,
            skewed: 0,
            rows: 0,
            violated: 0,
            violations: Vec::new(),
        };
        let mut before = None;
        for (at, row) in rows.iter().enumerate() {
            let said = says(law, row, before, config);
            before = Some(row);
            match said {
                Says::Nothing => continue,
                Says::Holds => check.holds += 1,
                Says::Skewed => check.skewed += 1,
                Says::Loose => {}
                Says::Broken(what, by) => {
                    check.violated += 1;
                    if check.violations.len() < MOST_VIOLATIONS {
                        check.violations.push(Violation {
                            row: at,
                            t_ns: row.t_ns,
                            what,
                            by,
                        });
                    }
                }
            }
            check.rows += 1;
        }
        checks.push(check);
    }
    checks
}

// References that are not given back.

/// Time after the last new entry for which references may still be shared, ns (`docs/algorithms/page_migration.md`, M4).
pub const LEAK_NS: u64 = 60_000_000_000;

/// Shared references that stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Leak {
    /// Time at which the cache came to rest, or of the row with too few references; ns.
    #[serde(with = "OptionalMoment")]
    pub from_ns: Option<u64>,
    /// Time of the observation, ns.
    #[serde(with = "OptionalMoment")]
    pub to_ns: Option<u64>,
    /// X then: positive for references that stay, negative for references freed too often.
    pub entries: i64,
}

/// The last time at which X stays above 0 although AD and DU have not grown for [`LEAK_NS`], otherwise the first row with
/// fewer references than the sampling skew explains. Rows without times allow only the latter.
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
