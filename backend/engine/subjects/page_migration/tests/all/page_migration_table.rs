//! The table of 2010: all published rows, their laws, and what breaks which law.
#![allow(clippy::unwrap_used)]

use numalens_core::provenance::Label;
use numalens_page_migration::table::{
    Config, Counters, LEAK_NS, Law, LawCheck, Leak, Ratios, Row, SKEW_PER_CPU, Table, judge,
};
use proptest::prelude::*;

/// The published table, in the form in which it was printed.
const SEED: &str = include_str!("../../../../../../samples/fixtures/samples/automig.txt");

const SEED_CONFIG: Config = Config {
    cpus: 8,
    region_pages: Some(65536),
};

fn seed() -> Vec<Row> {
    let numbers = |line: &str| -> Option<Vec<u64>> {
        let words = line.split_whitespace().filter(|word| *word != "|");
        words.map(|word| word.parse().ok()).collect()
    };
    let rows: Vec<Row> = SEED
        .lines()
        .filter_map(numbers)
        .filter_map(|numbers| numbers.try_into().ok())
        .map(|values| Row {
            t_ns: None,
            counters: Counters::from_values(values),
        })
        .collect();
    assert_eq!(rows.len(), 20);
    rows
}

fn check(table: &Table, law: Law) -> &LawCheck {
    table.laws.iter().find(|check| check.law == law).unwrap()
}

fn broken(table: &Table) -> Vec<&'static str> {
    let broken = table.laws.iter().filter(|check| check.violated != 0);
    broken.map(|check| check.law.name()).collect()
}

#[test]
fn the_seeds_rows_keep_every_law() {
    let table = judge(&seed(), &SEED_CONFIG);
    assert_eq!(broken(&table), [""; 0]);
    for check in &table.laws {
        let holds = if check.law == Law::C4 { 1 } else { 20 };
        assert_eq!((check.holds, check.rows, check.skewed), (holds, 20, 0));
    }
    assert_eq!((table.label, table.missing.len()), (Label::Replayed, 0));
    assert_eq!(table.leak, None);
}

#[test]
fn the_published_residuals_come_out() {
    let table = judge(&seed(), &SEED_CONFIG);
    let shared: Vec<i64> = table.rows.iter().map(|row| row.shared).collect();
    assert_eq!(
        shared,
        [
            96, 188, 189, 555, 110, 88, 82, 102, 77, 75, 74, 88, 494, 330, 530, 10241, 20281,
            51720, 29327, 0
        ]
    );
    for row in &table.rows {
        assert_eq!(row.references - row.cached, row.shared);
        assert!((0..=329_444).contains(&row.cached));
    }
    let cached: Vec<i64> = table.rows.iter().map(|row| row.cached).collect();
    assert_eq!(cached.iter().max(), Some(&329_444));
    assert_eq!(*cached.last().unwrap(), 300);
    assert_eq!(cached[..19].iter().min(), Some(&8687));
    // C4 as it was published holds in the last row alone.
    let exact = |row: &Row| {
        let of = row.counters;
        of.added + of.duplicates == of.refs_freed + (of.added - of.removed)
    };
    let exact: Vec<bool> = seed().iter().map(exact).collect();
    assert_eq!(exact.iter().position(|exact| *exact), Some(19));
}

#[test]
fn what_mbind_migrated_comes_in_regions() {
    let table = judge(&seed(), &SEED_CONFIG);
    let beyond: Vec<i64> = table.rows.iter().map(|row| row.beyond_misplaced).collect();
    // docs/algorithms/page_migration.md, M15.4.
    assert_eq!(beyond[0], 18_546_688);
    assert_eq!(beyond[0], 283 * 65536);
    assert_eq!(beyond[7], 18_677_759);
    assert_eq!(beyond[7], 285 * 65536 - 1);
    assert_eq!(beyond[19], 294 * 65536);
    for beyond in beyond {
        assert!([0, 65535].contains(&beyond.rem_euclid(65536)), "{beyond}");
    }
    assert_eq!(table.rows[0].never_cached, 8_372_786);
    // No input shows how large regions are.
    let untold = judge(&seed(), &Config::default());
    assert_eq!(check(&untold, Law::C5).rows, 0);
}

#[test]
fn worked_examples() {
    let rows = seed();
    let of = rows[0].counters;
    // 1
    assert_eq!(of.added + of.duplicates, 338_841_065);
    assert_eq!(of.refs_freed + (of.added - of.removed), 338_840_969);
    assert_eq!((of.cached(), of.shared()), (15618, 96));
    // 2
    let table = judge(&rows, &SEED_CONFIG);
    let delta = table.deltas[0];
    let counted = delta.counted.unwrap();
    assert_eq!((counted.added, counted.removed), (184_962, 185_948));
    assert_eq!((counted.duplicates, counted.refs_freed), (206_275, 392_131));
    assert_eq!(
        (delta.references, delta.cached, delta.shared),
        (-894, -986, 92)
    );
    // 3
    let last = rows[19].counters;
    assert_eq!(last.cached(), 300);
    assert_eq!(last.added + last.duplicates, 348_658_184);
    assert_eq!(last.added + last.duplicates, last.refs_freed + 300);
    assert_eq!(last.shared(), 0);
}

fn rounded(value: Option<f64>, digits: i32) -> f64 {
    let power = 10_f64.powi(digits);
    (value.unwrap() * power).round() / power
}

#[test]
#[allow(clippy::float_cmp)]
fn ratios_of_the_last_row_and_of_2006() {
    let table = judge(&seed(), &SEED_CONFIG);
    let ratios = table.ratios.unwrap();
    assert_eq!(rounded(ratios.misplaced_per_checked, 4), 0.9580);
    assert_eq!(rounded(ratios.scanned_per_selected, 3), 2.178);
    assert_eq!(rounded(ratios.selected_per_task, 1), 166.0);
    assert_eq!(rounded(ratios.checked_per_added, 3), 0.306);
    assert_eq!(rounded(ratios.misplaced_per_selected, 3), 0.278);
    assert_eq!(rounded(ratios.lazy_waste, 3), 0.694);
    // Moves of tasks, unmapped pages, faults, attempts, migrated pages.
    for (row, faults) in [
        ([2109, 9898, 3208, 3007, 3007], 0.324),
        ([4058, 163_627, 62518, 44973, 44968], 0.382),
    ] {
        let [tasks_migrated, added, loc_checked, misplaced, migrated] = row;
        let counters = Counters {
            tasks_migrated,
            added,
            loc_checked,
            misplaced,
            migrated,
            ..Counters::default()
        };
        assert_eq!(rounded(Ratios::of(&counters).checked_per_added, 3), faults);
    }
    assert_eq!(Ratios::of(&Counters::default()).lazy_waste, None);
}

/// The published table with one counter of one row changed.
fn corrupted(row: usize, change: impl Fn(&mut Counters)) -> Table {
    let mut rows = seed();
    change(&mut rows[row].counters);
    judge(&rows, &SEED_CONFIG)
}

#[test]
fn a_corrupted_row_breaks_the_law_that_names_it() {
    let table = corrupted(4, |of| of.misplaced = of.loc_checked + 9);
    assert!(broken(&table).contains(&"C1"));
    let violation = &check(&table, Law::C1).violations[0];
    assert_eq!(
        (violation.row, violation.by, violation.what.as_str()),
        (4, 9, "MP > LC")
    );
    let table = corrupted(4, |of| of.failed = 7);
    assert_eq!(broken(&table), ["C1"]);
    assert_eq!(
        check(&table, Law::C1).violations[0].what,
        "failed decreased"
    );
    let table = corrupted(3, |of| of.removed = of.added + 5);
    let violation = &check(&table, Law::C2).violations[0];
    assert_eq!((violation.row, violation.by), (3, 5));
    assert!(broken(&table).contains(&"C1"));
    // Row 19 has 300 references.
    let skew = u64::from(SKEW_PER_CPU * SEED_CONFIG.cpus);
    let table = corrupted(19, |of| of.refs_freed += 300 + skew + 1);
    assert_eq!(broken(&table), ["C3", "C4'"]);
    let table = corrupted(19, |of| of.refs_freed += 300);
    assert_eq!(broken(&table), ["C4'"]);
    let table = corrupted(2, |of| of.migrated += 5);
    assert_eq!(broken(&table), ["C5"]);
    assert_eq!(check(&table, Law::C5).violations[0].by, 5);
    let table = corrupted(19, |of| {
        of.selected = of.added - 1;
    });
    assert_eq!(broken(&table), ["C1", "C6"]);
    assert_eq!(check(&table, Law::C6).violations[0].by, 1);
}

#[test]
fn reading_counters_one_after_the_other_is_no_violation() {
    let skew = u64::from(SKEW_PER_CPU * SEED_CONFIG.cpus);
    let table = corrupted(19, |of| of.refs_freed += skew);
    assert_eq!(broken(&table), [""; 0]);
    assert_eq!(check(&table, Law::C4True).skewed, 1);
    assert_eq!(table.label, Label::Inferred);
    assert_eq!(table.missing.len(), 1);
    assert_eq!(table.leak, None);
    let table = corrupted(19, |of| of.refs_freed += skew + 1);
    assert_eq!(broken(&table), ["C4'"]);
    assert_eq!(table.leak.unwrap().entries, -(skew as i64) - 1);
}

#[test]
fn references_that_stay_are_a_leak() {
    let row = |t_ns, added, duplicates, refs_freed| Row {
        t_ns: Some(t_ns),
        counters: Counters {
            selected: 100,
            scanned: 100,
            added,
            duplicates,
            refs_freed,
            ..Counters::default()
        },
    };
    let config = Config::default();
    let mut rows = vec![row(0, 5, 3, 0), row(1, 9, 7, 0), row(LEAK_NS, 9, 7, 3)];
    assert_eq!(judge(&rows, &config).leak, None);
    rows.push(row(LEAK_NS + 1, 9, 7, 4));
    let leak = judge(&rows, &config).leak;
    let expected = Leak {
        from_ns: Some(1),
        to_ns: Some(LEAK_NS + 1),
        entries: 3,
    };
    assert_eq!(leak, Some(expected));
    // The last ones are given back in time.
    rows[3] = row(LEAK_NS + 1, 9, 7, 7);
    assert_eq!(judge(&rows, &config).leak, None);
    // Another page comes into the cache.
    rows[2] = row(LEAK_NS, 10, 7, 3);
    rows[3] = row(LEAK_NS + 1, 10, 7, 4);
    assert_eq!(judge(&rows, &config).leak, None);
}

#[test]
fn nothing_is_nothing() {
    let table = judge(&[], &Config::default());
    assert_eq!((table.rows.len(), table.deltas.len()), (0, 0));
    assert!(table.ratios.is_none() && table.leak.is_none());
    let json = serde_json::to_value(judge(&seed(), &SEED_CONFIG)).unwrap();
    assert_eq!(json["laws"][4]["law"], "C4'");
    assert_eq!(json["rows"][0]["counters"]["loc_checked"], 46_496_887);
}

proptest! {
    #[test]
    fn the_residual_is_what_references_exceed_entries_by(
        rows in prop::collection::vec(prop::array::uniform11(0_u64..1 << 40), 0..20),
        cpus in 0_u32..300,
    ) {
        let rows: Vec<Row> = rows
            .into_iter()
            .map(|values| Row { t_ns: None, counters: Counters::from_values(values) })
            .collect();
        let table = judge(&rows, &Config { cpus, region_pages: None });
        for (row, given) in table.rows.iter().zip(&rows) {
            prop_assert_eq!(row.shared, row.references - row.cached);
            prop_assert_eq!(Counters::from_values(given.counters.values()), given.counters);
        }
        for check in &table.laws {
            if check.law != Law::C4 {
                prop_assert_eq!(check.holds + check.skewed + check.violated, check.rows);
            }
        }
        // Deltas add up to the change over all rows.
        if let (Some(first), Some(last)) = (table.rows.first(), table.rows.last()) {
            let sum: i64 = table.deltas.iter().map(|delta| delta.shared).sum();
            prop_assert_eq!(sum, last.shared - first.shared);
        }
    }

    #[test]
    fn any_numbers_are_judged(
        rows in prop::collection::vec((prop::option::of(any::<u64>()), prop::array::uniform11(any::<u64>())), 0..9),
        cpus in any::<u32>(),
        region_pages in prop::option::of(any::<u64>()),
    ) {
        let rows: Vec<Row> = rows
            .into_iter()
            .map(|(t_ns, values)| Row { t_ns, counters: Counters::from_values(values) })
            .collect();
        prop_assert_eq!(judge(&rows, &Config { cpus, region_pages }).rows.len(), rows.len());
    }
}
