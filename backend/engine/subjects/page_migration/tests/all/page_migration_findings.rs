//! The detectors of migrate-on-fault, at their thresholds.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

use numalens_core::provenance::Label;
use numalens_page_migration::findings::{PageMigrationFacts, detect};
use numalens_page_migration::metrics::{MapRow, Metrics, Samples};
use numalens_page_migration::table::{self, Counters, Row};
use numalens_replay::numa::PageBatch;
use numalens_subject::findings::Finding;

use crate::page_migration_common::{Ask, END, HALF, SECOND, World, batch, moved};

fn found(metrics: &Metrics, table: Option<&table::Table>) -> Vec<Finding> {
    let facts = PageMigrationFacts {
        from_ns: metrics.from_ns,
        to_ns: metrics.to_ns,
        metrics,
        table,
    };
    detect(&facts)
}

fn ids(found: &[Finding]) -> Vec<&'static str> {
    found.iter().map(|finding| finding.id).collect()
}

fn measured(world: &World, samples: &Samples) -> Metrics {
    world.measure(&Ask {
        from_ns: 0,
        to_ns: END * HALF,
        end_ns: END * HALF,
        amortisation_ns: SECOND,
        samples,
        attempts: None,
        vmstat: &[],
    })
}

/// Task 7 leaves node 10 half a second after `pages` pages came.
fn leaving(pages: u64, took_ns: u64) -> World {
    World {
        nodes: 2,
        moves: vec![
            moved(HALF, 7, 0, 2),
            moved(20 * HALF, 7, 2, 0),
            moved(21 * HALF, 7, 0, 3),
        ],
        pages: vec![PageBatch {
            start_ns: Some(19 * HALF - took_ns),
            ..batch(19 * HALF, 7, 2, pages)
        }],
    }
}

#[test]
fn pages_just_too_late_are_found() {
    // 50 s: 834 pages are more than 1000 a minute, 833 are not.
    let nobody = Samples::default();
    let told = found(&measured(&leaving(834, 1000), &nobody), None);
    assert_eq!(ids(&told), ["JUST_TOO_LATE", "SHORT_DWELL"]);
    assert!((told[0].impact_ms - 0.001).abs() < 1e-9);
    assert_eq!(
        (told[0].pids.as_slice(), told[0].label),
        (&[7][..], Label::Inferred)
    );
    assert!(
        told[0]
            .summary
            .starts_with("834 of 834 pages migrated on fault (100 %) came just too late")
    );
    assert_eq!(
        ids(&found(&measured(&leaving(833, 1000), &nobody), None)),
        ["SHORT_DWELL"]
    );
    // Less than a fifth of all.
    let mut world = leaving(1000, 1000);
    world.pages.push(batch(30 * HALF, 7, 3, 4001));
    assert_eq!(
        ids(&found(&measured(&world, &nobody), None)),
        ["SHORT_DWELL"]
    );
}

#[test]
fn slow_calls_are_found() {
    let told = found(&measured(&leaving(1, 1_000_001), &Samples::default()), None);
    assert_eq!(ids(&told), ["SHORT_DWELL", "MIGRATE_FAULT_LATENCY"]);
    let slow = &told[1];
    assert_eq!((slow.label, slow.missing.len()), (Label::Observed, 0));
    assert!((slow.impact_ms - 1.000_001).abs() < 1e-9);
    assert_eq!(slow.pids, [7]);
}

#[test]
fn short_stays_and_fights_name_who() {
    let mut world = leaving(10, 1000);
    // Process 7 goes to node 0 at 10 s, where its memory is; ten pages went to node 10 before.
    let maps = MapRow {
        t_ns: 0,
        pid: 7,
        nid: Some(0),
        pages: 4,
        page_kb: None,
    };
    let samples = Samples::new([maps], [], []);
    world.pages[0] = batch(20 * HALF, 7, 2, 10);
    let told = found(&measured(&world, &samples), None);
    assert_eq!(ids(&told), ["MEM_CPU_FIGHT", "SHORT_DWELL"]);
    assert_eq!(told[0].pids, [7]);
    assert!(told[0].missing.contains(&"run times".to_owned()));
    assert!(told[0].impact_ms.abs() < 1e-9);
    assert!(
        told[1].summary.starts_with("1 of 2 stays on a node (50 %)"),
        "{}",
        told[1].summary
    );
}

#[test]
fn quiet_recordings_have_no_findings() {
    let world = World {
        nodes: 2,
        moves: vec![moved(HALF, 7, 0, 2), moved(20 * HALF, 7, 2, 0)],
        pages: vec![batch(2 * HALF, 7, 2, 9000)],
    };
    assert_eq!(
        ids(&found(&measured(&world, &Samples::default()), None)),
        [""; 0]
    );
}

fn row(t_s: u64, loc_checked: u64, removed: u64) -> Row {
    Row {
        t_ns: Some(t_s * SECOND),
        counters: Counters {
            loc_checked,
            removed,
            added: removed,
            selected: removed,
            scanned: removed,
            ..Counters::default()
        },
    }
}

#[test]
fn pages_unmapped_for_nothing_are_found() {
    let metrics = measured(&World::default(), &Samples::default());
    let config = table::Config::default();
    let judge = |rows: &[Row]| {
        let table = table::judge(rows, &config);
        found(&metrics, Some(&table))
    };
    // 60 % in a minute, no more and no less.
    let told = judge(&[row(0, 0, 0), row(30, 30, 50), row(60, 40, 100)]);
    assert_eq!(ids(&told), ["LAZY_WASTE"]);
    assert_eq!((told[0].from_ns, told[0].to_ns), (0, 60 * SECOND));
    assert!(told[0].summary.starts_with("60 pages (60 % of those"));
    assert_eq!(ids(&judge(&[row(0, 0, 0), row(60, 41, 100)])), [""; 0]);
    assert_eq!(ids(&judge(&[row(0, 0, 0), row(59, 0, 100)])), [""; 0]);
    // Minutes that overlap are one.
    let told = judge(&[
        row(0, 0, 0),
        row(40, 0, 50),
        row(80, 1, 100),
        row(120, 2, 150),
    ]);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].to_ns, 120 * SECOND);
}

#[test]
fn lost_references_are_found() {
    let metrics = measured(&World::default(), &Samples::default());
    let mut last = row(70, 0, 10);
    last.counters.duplicates = 3;
    let mut first = last;
    first.t_ns = Some(0);
    let table = table::judge(&[first, last], &table::Config::default());
    let told = found(&metrics, Some(&table));
    assert_eq!(ids(&told), ["REFCOUNT_LEAK"]);
    assert!(
        told[0].summary.starts_with("13 shared references"),
        "{}",
        told[0].summary
    );
    assert_eq!(told[0].label, Label::Replayed);
}
