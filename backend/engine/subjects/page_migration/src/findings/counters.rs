//! Pages unmapped in vain, and references that are never released: from the table of 2010.

use numalens_core::provenance::Label;
use numalens_subject::findings::{Evidence, Finding, FindingEntry};

use crate::findings::{PageMigrationFacts, percent, plural};
use crate::table::{Derived, Ratios};

/// Share of pages unmapped for nothing, percent (`docs/algorithms/page_migration.md`, M16).
const WASTE_PERCENT: f64 = 60.0;
/// Over at least so long, ns.
const WASTE_NS: u64 = 60_000_000_000;

/// A time in which most pages were unmapped for nothing.
#[derive(Debug, Clone, Copy)]
struct Episode<'a> {
    first: &'a Derived,
    last: &'a Derived,
}

/// The worst of all spans of rows that are just long enough; spans that touch are one.
fn wasteful(rows: &[Derived]) -> Vec<Episode<'_>> {
    let mut found: Vec<Episode<'_>> = Vec::new();
    let mut end = 0;
    for (at, first) in rows.iter().enumerate() {
        let Some(from_ns) = first.t_ns else { continue };
        end = end.max(at);
        let long = |row: &Derived| {
            row.t_ns
                .is_some_and(|to_ns| to_ns.saturating_sub(from_ns) >= WASTE_NS)
        };
        while rows.get(end).is_some_and(|row| !long(row)) {
            end += 1;
        }
        let Some(last) = rows.get(end) else { break };
        let counted = last.counters.since(&first.counters);
        let waste = counted.and_then(|counted| Ratios::of(&counted).lazy_waste);
        if waste.is_none_or(|waste| percent(waste) < WASTE_PERCENT) {
            continue;
        }
        match found.last_mut() {
            Some(before) if before.last.t_ns >= first.t_ns => before.last = last,
            _ => found.push(Episode { first, last }),
        }
    }
    found
}

pub(crate) const LAZY_WASTE: FindingEntry = FindingEntry {
    id: "LAZY_WASTE",
    title: "Pages unmapped for migrations that never happened",
    meaning: "Pages were unmapped so that the next access would migrate them, but no migration followed.",
    kernel: "do_swap_page",
    threshold: "at least 60 % of the unmapped pages untouched over 60 s",
    cost: "none",
    evidence: Evidence::PAGE_MIGRATION,
};

/// `LAZY_WASTE`: most pages that were unmapped for lazy migration were never touched.
pub(super) fn lazy_waste(facts: &PageMigrationFacts<'_>) -> Vec<Finding> {
    let Some(table) = facts.table else {
        return Vec::new();
    };
    let episodes = wasteful(&table.rows).into_iter();
    episodes
        .filter_map(|Episode { first, last }| {
            let counted = last.counters.since(&first.counters)?;
            let share = Ratios::of(&counted).lazy_waste?;
            let wasted = counted.removed.saturating_sub(counted.loc_checked);
            let (from_ns, to_ns) = (first.t_ns?, last.t_ns?);
            Some(Finding {
                missing: vec!["time of TLB flushes and faults".to_owned()],
                from_ns,
                to_ns,
                summary: format!(
                    "{} ({:.0} % of those that left the migration cache in {:.0} s) were unmapped in vain: no task touched them.",
                    plural(wasted, "page"),
                    percent(share),
                    to_ns.saturating_sub(from_ns) as f64 / 1e9,
                ),
                ..LAZY_WASTE.finding(Label::Inferred, facts.from_ns, facts.to_ns)
            })
        })
        .collect()
}

pub(crate) const REFCOUNT_LEAK: FindingEntry = FindingEntry {
    id: "REFCOUNT_LEAK",
    title: "Page references leaked",
    meaning: "Counters of migrated pages do not add up, which suggests pages that were never released.",
    kernel: "migration_duplicate",
    threshold: "references taken and released differ by more than reading the counters one after the other explains",
    cost: "none",
    evidence: Evidence::PAGE_MIGRATION,
};

/// `REFCOUNT_LEAK`: references to cached pages stay, or were given back too often.
pub(super) fn refcount_leak(facts: &PageMigrationFacts<'_>) -> Vec<Finding> {
    let Some(table) = facts.table else {
        return Vec::new();
    };
    let Some(leak) = table.leak else {
        return Vec::new();
    };
    let entries = leak.entries.unsigned_abs();
    let summary = if leak.entries > 0 {
        let seconds = leak
            .to_ns
            .zip(leak.from_ns)
            .map_or(0, |(to_ns, from_ns)| to_ns.saturating_sub(from_ns));
        format!(
            "{} to pages of the migration cache remain {:.0} s after the last one was taken: something does not release them.",
            plural(entries, "shared reference"),
            seconds as f64 / 1e9,
        )
    } else {
        format!(
            "{} to pages of the migration cache were released in excess of those taken, by more than reading the counters one after the other explains.",
            plural(entries, "reference"),
        )
    };
    vec![Finding {
        label: if table.missing.is_empty() {
            Label::Replayed
        } else {
            Label::Inferred
        },
        missing: table.missing.clone(),
        from_ns: leak.from_ns.unwrap_or(facts.from_ns),
        to_ns: leak.to_ns.unwrap_or(facts.to_ns),
        summary,
        ..REFCOUNT_LEAK.finding(Label::Inferred, facts.from_ns, facts.to_ns)
    }]
}
