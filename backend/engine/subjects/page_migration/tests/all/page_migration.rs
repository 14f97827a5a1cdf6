//! Tasks that move and pages that follow: the worked examples and the rules one by one.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

use numalens_core::provenance::Label;
use numalens_page_migration::metrics::{Config, Reasons, Samples, measure};
use numalens_page_migration::what_if::{self, Gate, clip};
use numalens_replay::migrations::Migration;
use numalens_replay::numa::PageBatch;

use crate::page_migration_common::{
    Ask, END, HALF, SECOND, World, batch, moved, nodes, source, tgid,
};

#[test]
fn worked_example_of_the_interval() {
    // docs/algorithms/page_migration.md, M15.5: p arrives on node 1 at 0 s, its walk ends at 0.2 s; it is wanted on node 0 at
    // 12 s and at 31 s.
    let walk = SECOND / 5;
    let mut gate = Gate::default();
    assert!(!gate.refuses(0));
    assert!(gate.refuses(walk - 1), "the walk is pending");
    gate.walked(walk, 30);
    assert!(gate.refuses(12 * SECOND));
    assert!(gate.refuses(30 * SECOND + walk - 1));
    assert!(!gate.refuses(31 * SECOND));
    let mut gate = Gate::default();
    gate.refuses(0);
    gate.walked(walk, 5);
    assert!(!gate.refuses(12 * SECOND));
    gate.walked(12 * SECOND, 5);
    assert!(!gate.refuses(31 * SECOND));
    assert_eq!((clip(1), clip(0), clip(301), clip(30)), (5, 5, 300, 30));
}

#[test]
fn the_interval_on_a_recording() {
    let rows = [
        moved(0, 7, 0, 2),
        moved(12 * SECOND, 7, 2, 0),
        moved(31 * SECOND, 7, 0, 2),
        moved(33 * SECOND, 7, 2, 1),
    ];
    let ask = |interval_s| {
        let mut meter = what_if::Meter::new(&nodes(2), interval_s, 0, 40 * SECOND);
        for row in &rows {
            meter.migration(row);
        }
        meter.finish()
    };
    let told = ask(30);
    // At 12 s it is refused and stays; so at 31 s it is there already, and at 33 s it may go.
    assert_eq!((told.moves, told.first, told.later), (4, 1, 0));
    let refused = &told.refused[0];
    assert_eq!((refused.t_ns, refused.after_ns), (12 * SECOND, 12 * SECOND));
    assert_eq!((refused.from_nid, refused.to_nid), (10, 0));
    assert_eq!(refused.label, Label::Inferred);
    assert!(told.missing.contains(&"end of the walk".to_owned()));
    // A user's 1 is clipped to 5: only the last one comes too soon.
    let told = ask(1);
    assert_eq!((told.interval_s, told.first), (5, 1));
    assert_eq!(told.refused[0].t_ns, 33 * SECOND);
    // All of them, and what comes after the first is a what-if.
    let told = ask(1000);
    assert_eq!((told.interval_s, told.first, told.later), (300, 1, 1));
    assert_eq!(told.refused[1].label, Label::WhatIf);
}

/// `docs/algorithms/page_migration.md`, M15.6, in ms.
fn example() -> World {
    World {
        nodes: 2,
        moves: vec![moved(10_400_000_000, 7, 2, 0)],
        pages: vec![batch(10_000_000_000, 7, 2, 512)],
    }
}

#[test]
fn worked_example_of_pages_just_too_late() {
    let world = example();
    let late = world.window(0, 20 * SECOND, SECOND).just_too_late;
    assert_eq!((late.pages, late.migrated_pages), (512, 512));
    assert_eq!(late.share, Some(1.0));
    assert_eq!((late.migrate_ns, late.batches), (1000, 1));
    assert_eq!(late.quality.label, Label::Inferred);
    assert_eq!(late.quality.missing, ["mm_migrate_misplaced_pages"]);
    let late = world.window(0, 20 * SECOND, 300_000_000).just_too_late;
    assert_eq!((late.pages, late.migrated_pages), (0, 512));
    // To the ns: it must leave sooner than A.
    let at = |a| world.window(0, 20 * SECOND, a).just_too_late.pages;
    assert_eq!((at(400_000_000), at(400_000_001)), (0, 512));
    // The window ends before the task leaves, the recording does not.
    let late = world.window(0, 10_100_000_000, SECOND).just_too_late;
    assert_eq!((late.pages, late.undecided_pages), (512, 0));
    // The recording ends as well.
    let told = world.measure(&Ask {
        from_ns: 0,
        to_ns: 10_100_000_000,
        end_ns: 10_100_000_000,
        amortisation_ns: SECOND,
        samples: &Samples::default(),
        attempts: None,
        vmstat: &[],
    });
    let late = told.just_too_late;
    assert_eq!((late.pages, late.undecided_pages), (0, 512));
}

#[test]
fn pages_stay_where_a_task_returns_to() {
    // It leaves node 0 for node 10 and back: pages that came to node 10 are late, those on node 0 are not.
    let world = World {
        nodes: 2,
        moves: vec![moved(10 * HALF, 7, 0, 2), moved(11 * HALF, 7, 2, 0)],
        pages: vec![batch(HALF, 7, 0, 3), batch(21 * HALF / 2, 7, 2, 5)],
    };
    let told = world.window(0, END * HALF, SECOND);
    assert_eq!(told.just_too_late.pages, 5);
    let told_by_node = told.memory_follows_cpu.nodes.iter();
    let by_node: Vec<u64> = told_by_node.map(|node| node.pages).collect();
    assert_eq!(by_node, [3, 5]);
    let row = &told.tasks.rows[0];
    assert_eq!((row.moves, row.short_dwells, row.pages), (2, 1, 8));
    assert_eq!(row.by_node, [(0, (END - 1) * HALF), (10, HALF)]);
    assert_eq!(told.dwell.count, 1);
    assert_eq!(told.dwell.short.count, 1);
    let counts: Vec<u64> = told.dwell.violations.iter().map(|at| at.count).collect();
    assert_eq!(counts, [1, 1, 1]);
}

#[test]
fn rows_that_tell_nodes_are_not_counted_twice() {
    let told = |nodes_recorded| {
        let nodes = nodes(2);
        let samples = Samples::default();
        let config = Config {
            nodes: &nodes,
            begin_ns: 0,
            end_ns: 100,
            from_ns: 0,
            to_ns: 100,
            amortisation_ns: 50,
            step_ns: None,
            reasons: Reasons::default(),
            tgid: &tgid,
            samples: &samples,
            attempts: None,
            vmstat: &[],
            stays: None,
            nodes_recorded,
            moves: source(),
            pages: Some(source()),
        };
        let teller = PageBatch {
            src_nid: 0,
            dst_nid: 10,
            start_ns: None,
            ..batch(10, 7, 0, 4)
        };
        let other = PageBatch {
            reason: 0,
            ..batch(12, 7, 0, 9)
        };
        measure(config, [], [batch(9, 7, 0, 4), teller, other])
    };
    let pages = |nodes_recorded| {
        let told = told(nodes_recorded).memory_follows_cpu;
        let by_node: Vec<u64> = told.nodes.iter().map(|node| node.pages).collect();
        (told.pages, by_node, told.quality.missing.len())
    };
    assert_eq!(pages(false), (4, vec![4, 0], 1));
    assert_eq!(pages(true), (4, vec![0, 4], 0));
    let durations = told(true).durations;
    assert_eq!(durations.len(), 2);
    assert_eq!(durations[0].reason, "compaction");
    assert_eq!((durations[0].pages, durations[1].pages), (9, 4));
    assert_eq!(durations[1].timed, 1);
    assert_eq!(told(true).series.all_pages.iter().sum::<u64>(), 13);
}

#[test]
fn pages_are_late_by_leaving_their_own_node() {
    let nodes = nodes(3);
    let samples = Samples::default();
    let told = |moves: &[Migration]| {
        let config = Config {
            nodes: &nodes,
            begin_ns: 0,
            end_ns: END * HALF,
            from_ns: 0,
            to_ns: END * HALF,
            amortisation_ns: SECOND,
            step_ns: None,
            reasons: Reasons::default(),
            tgid: &tgid,
            samples: &samples,
            attempts: None,
            vmstat: &[],
            stays: None,
            nodes_recorded: true,
            moves: source(),
            pages: Some(source()),
        };
        // It runs on node 0, its pages go to node 10.
        let page = PageBatch {
            src_nid: 20,
            dst_nid: 10,
            ..batch(10 * HALF, 7, 0, 6)
        };
        measure(config, moves.iter().copied(), [page]).just_too_late
    };
    let leaves = moved(10 * HALF + 1, 7, 0, 2);
    assert_eq!(told(&[leaves]).pages, 0);
    let goes_on = moved(11 * HALF, 7, 2, 0);
    assert_eq!(told(&[leaves, goes_on]).pages, 6);
    assert_eq!(told(&[leaves]).told_batches, 1);
}

#[test]
fn pages_come_before_a_move_of_the_same_moment() {
    let world = World {
        nodes: 2,
        moves: vec![moved(10 * HALF, 7, 2, 0)],
        pages: vec![batch(10 * HALF, 7, 2, 6)],
    };
    let told = world.window(0, END * HALF, SECOND);
    assert_eq!((told.just_too_late.pages, told.moves.unseen), (6, 0));
}

#[test]
fn moves_that_nobody_saw_are_told() {
    let world = World {
        nodes: 2,
        moves: vec![moved(HALF, 7, 0, 2), moved(9 * HALF, 7, 0, 2)],
        pages: vec![],
    };
    let told = world.window(0, END * HALF, SECOND);
    assert_eq!((told.moves.count, told.moves.unseen), (2, 1));
    assert_eq!(told.moves.quality.label, Label::Inferred);
    // How long it stayed is not known.
    assert_eq!(told.dwell.count, 0);
    assert_eq!(
        told.tasks.rows[0]
            .by_node
            .iter()
            .map(|at| at.1)
            .sum::<u64>(),
        END * HALF
    );
}
