//! Where memory is: who follows whom, fights, locality, and when placement settles.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

use numalens_page_migration::metrics::{
    Config, FaultRow, MapRow, MemoryEvidence, PreferredRow, Reasons, Samples, Stays, Who, measure,
};
use numalens_page_migration::vmstat::Vmstat;
use numalens_replay::migrations::Migration;
use numalens_replay::numa::{Attempt, PageBatch, TargetFrom, Verdict};

use crate::page_migration_common::{
    Ask, END, HALF, SECOND, World, batch, maps, moved, nodes, source, tgid,
};

#[test]
fn memory_is_where_the_last_sample_says() {
    let huge = MapRow {
        page_kb: Some(2048),
        ..maps(0, 1, &[(0, 1)])[0]
    };
    let rows = maps(0, 1, &[(10, 511)]).into_iter().chain([huge]);
    let rows = rows.chain(maps(50, 1, &[(0, 1), (10, 600)]));
    let faults = [FaultRow {
        t_ns: 80,
        pid: 2,
        nid: 0,
        faults: 3,
    }];
    let preferred =
        [(9, 20, -1), (9, 30, 10)].map(|(pid, t_ns, nid)| PreferredRow { t_ns, pid, nid });
    let samples = Samples::new(rows, faults, preferred);
    // A huge page counts by its size.
    assert_eq!(
        samples.holds_most(1, 1, 10, 0),
        Some((true, MemoryEvidence::Maps))
    );
    assert_eq!(
        samples.holds_most(1, 1, 50, 0),
        Some((false, MemoryEvidence::Maps))
    );
    assert_eq!(samples.home(2, 1, 60), Some(10));
    // A task's own faults show more than its process' pages.
    assert_eq!(
        samples.holds_most(2, 1, 80, 0),
        Some((true, MemoryEvidence::Faults))
    );
    assert_eq!(samples.holds_most(9, 9, 25, 10), None);
    assert_eq!(
        samples.holds_most(9, 9, 30, 10),
        Some((true, MemoryEvidence::Preferred))
    );
    assert_eq!(samples.home(8, 8, 30), None);
}

/// Runs half of the time on each of two nodes.
#[derive(Debug)]
struct Halves;

impl Stays for Halves {
    fn ran(&self, _: Who, from_ns: u64, to_ns: u64) -> Vec<(u32, u64)> {
        let half = (to_ns - from_ns) / 2;
        vec![(0, half), (10, half)]
    }
}

/// Process 1 has its memory on node 0 and moves there at 3 s, while pages go to node 10 at 1 s.
fn fighting() -> World {
    World {
        nodes: 2,
        moves: vec![moved(6 * HALF, 2, 2, 0)],
        pages: vec![batch(2 * HALF, 1, 3, 40)],
    }
}

#[test]
fn tasks_and_memory_fight() {
    let world = fighting();
    let samples = Samples::new(maps(0, 1, &[(0, 9), (10, 1)]), [], []);
    let ask = Ask {
        from_ns: 0,
        to_ns: 20 * SECOND,
        end_ns: END * HALF,
        amortisation_ns: SECOND,
        samples: &samples,
        attempts: None,
        vmstat: &[],
    };
    let told = world.measure(&ask);
    let fight = &told.fight;
    assert_eq!((fight.windows, fight.fighting), (2, 1));
    assert_eq!((fight.index, fight.at_most), (Some(0.5), Some(0.5)));
    let worst = &fight.processes[0];
    assert_eq!((worst.tgid, worst.windows, worst.active), (1, 1, 1));
    assert_eq!((worst.pages, worst.moves), (40, 1));
    assert_eq!(worst.remote.missing, ["run times"]);
    let follows = &told.cpu_follows_memory;
    assert_eq!((follows.moves, follows.following), (1, 1));
    assert_eq!(follows.by, [(MemoryEvidence::Maps, 1)]);
    assert_eq!(follows.share, Some(1.0));
    // The memory is on the other node: the move does not follow it, so nothing fights.
    let samples = Samples::new(maps(0, 1, &[(0, 1), (10, 9)]), [], []);
    let told = world.measure(&Ask {
        samples: &samples,
        ..ask
    });
    assert_eq!(told.fight.index, Some(0.0));
    assert_eq!(told.cpu_follows_memory.share, Some(0.0));
    // Where it is, is not known.
    let told = world.window(0, 20 * SECOND, SECOND);
    assert_eq!((told.fight.index, told.fight.at_most), (None, Some(0.5)));
    assert_eq!(told.cpu_follows_memory.share, None);
    assert_eq!(told.cpu_follows_memory.unknown, 1);
    // The balancer brought the task there: it knew.
    let attempt = |target_nid, verdict| Attempt {
        start_ns: 5 * HALF,
        end_ns: 6 * HALF,
        cpu: 2,
        pid: 2,
        tgid: 1,
        ngid: 0,
        src_cpu: 2,
        src_nid: 10,
        dst_cpu: 0,
        dst_nid: 0,
        partner: None,
        verdict,
        target_nid,
        target_from: TargetFrom::TwoNodes,
        ret: None,
    };
    let index = |attempts: &[Attempt]| {
        let told = world.measure(&Ask {
            samples: &Samples::default(),
            attempts: Some(attempts),
            ..ask
        });
        (told.fight.index, told.cpu_follows_memory.by)
    };
    let by = vec![(MemoryEvidence::Balancer, 1)];
    assert_eq!(
        index(&[attempt(0, Verdict::Moved)]),
        (Some(0.5), by.clone())
    );
    assert_eq!(
        index(&[attempt(-1, Verdict::Moved)]),
        (Some(0.5), by.clone())
    );
    assert_eq!(index(&[attempt(10, Verdict::Moved)]), (Some(0.0), by));
    assert_eq!(index(&[attempt(0, Verdict::NoCpu)]), (Some(0.0), vec![]));
    let elsewhere = Attempt {
        dst_nid: 10,
        ..attempt(10, Verdict::Moved)
    };
    assert_eq!(index(&[elsewhere]), (Some(0.0), vec![]));
    let early = Attempt {
        start_ns: 0,
        end_ns: 1,
        ..attempt(0, Verdict::Moved)
    };
    assert_eq!(index(&[early]), (Some(0.0), vec![]));
    // Pages that went the same way as the task are no fight.
    let mut world = world;
    world.pages[0].cpu = 0;
    let told = world.window(0, 20 * SECOND, SECOND);
    assert_eq!(told.fight.at_most, Some(0.0));
}

#[test]
fn time_off_the_memory_needs_run_times() {
    let world = fighting();
    let nodes = nodes(2);
    let samples = Samples::new(maps(0, 1, &[(0, 9), (10, 1)]), [], []);
    let config = Config {
        nodes: &nodes,
        begin_ns: 0,
        end_ns: END * HALF,
        from_ns: 0,
        to_ns: 20 * SECOND,
        amortisation_ns: SECOND,
        step_ns: Some(SECOND),
        reasons: Reasons::default(),
        tgid: &tgid,
        samples: &samples,
        attempts: None,
        vmstat: &[],
        stays: Some(&Halves),
        nodes_recorded: false,
        moves: source(),
        pages: Some(source()),
    };
    let told = measure(config, world.moves, world.pages);
    let worst = &told.fight.processes[0];
    assert_eq!(
        (worst.remote.ns, worst.remote.missing.len()),
        (5 * SECOND, 0)
    );
    // Half of the time on 90 % of the pages, half on 10 %.
    assert_eq!(told.locality.pages, Some(0.5));
    assert_eq!(told.tasks.rows[0].run_ns, Some(20 * SECOND));
    assert_eq!(told.series.step_ns, SECOND);
    assert_eq!((told.series.moves[3], told.series.pages[1]), (1, 40));
    assert_eq!(told.series.by_node[1][1], 40);
}

#[test]
fn short_stays_off_the_memory_cost_run_time() {
    let nodes = nodes(2);
    // Half a second on node 0.
    let moves = [moved(6 * HALF, 2, 2, 0), moved(7 * HALF, 2, 0, 2)];
    let page = PageBatch {
        start_ns: None,
        ..batch(13 * HALF / 2, 2, 0, 3)
    };
    let told = |pages: &[(u32, u64)]| {
        let samples = Samples::new(maps(0, 1, pages), [], []);
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
            stays: Some(&Halves),
            nodes_recorded: false,
            moves: source(),
            pages: Some(source()),
        };
        measure(config, moves, [page])
    };
    let remote = told(&[(10, 4)]).dwell.short_remote;
    assert_eq!((remote.ns, remote.missing.len()), (HALF / 2, 0));
    assert_eq!(told(&[(0, 4)]).dwell.short_remote.ns, 0);
    assert_eq!(
        told(&[]).dwell.short_remote.missing,
        ["numa_maps or numa_faults"]
    );
    let late = told(&[]).just_too_late;
    assert_eq!(
        (late.pages, late.migrate_ns, late.untimed_batches),
        (3, 0, 1)
    );
}

fn reading(t_ns: u64, faults: u64, local: u64) -> Vmstat {
    Vmstat {
        t_ns,
        end_ns: t_ns,
        numa_hint_faults: Some(faults),
        numa_hint_faults_local: Some(local),
        ..Vmstat::default()
    }
}

#[test]
fn placement_settles() {
    let vmstat = [
        reading(0, 0, 0),
        reading(5 * SECOND, 100, 50),
        reading(10 * SECOND, 200, 140),
        reading(20 * SECOND, 200, 140),
        reading(30 * SECOND, 300, 239),
    ];
    let settle = |moves: Vec<Migration>| {
        let world = World {
            nodes: 2,
            moves,
            pages: vec![],
        };
        let told = world.measure(&Ask {
            from_ns: 0,
            to_ns: 30 * SECOND,
            end_ns: END * HALF,
            amortisation_ns: SECOND,
            samples: &Samples::default(),
            attempts: None,
            vmstat: &vmstat,
        });
        (told.convergence.after_ns, told.locality.faults)
    };
    // Half is local for 5 s, then 90 %.
    let share = Some(239.0 / 300.0);
    assert_eq!(settle(vec![]), (Some(5 * SECOND), share));
    let at_7 = moved(7 * SECOND, 7, 0, 2);
    assert_eq!(settle(vec![at_7]), (Some(7 * SECOND), share));
    let at_16 = moved(16 * SECOND, 7, 2, 0);
    assert_eq!(settle(vec![at_7, at_16]), (Some(16 * SECOND), share));
    let at_21 = moved(21 * SECOND, 7, 0, 2);
    assert_eq!(settle(vec![at_7, at_16, at_21]), (None, share));
    // Moves within a node are none.
    assert_eq!(
        settle(vec![moved(7 * SECOND, 7, 0, 1)]),
        (Some(5 * SECOND), share)
    );
}

#[test]
fn pages_are_local_where_the_task_is() {
    let samples = Samples::new(
        maps(0, 1, &[(0, 3), (10, 1)])
            .into_iter()
            .chain(maps(10 * SECOND, 1, &[(0, 3), (10, 1)])),
        [],
        [],
    );
    let world = World {
        nodes: 2,
        moves: vec![moved(8 * SECOND, 1, 0, 2)],
        pages: vec![],
    };
    let told = world.measure(&Ask {
        from_ns: 0,
        to_ns: 40 * SECOND,
        end_ns: END * HALF,
        amortisation_ns: SECOND,
        samples: &samples,
        attempts: None,
        vmstat: &[],
    });
    // 10 s with three quarters, 30 s with one quarter.
    assert_eq!(told.locality.pages, Some(0.375));
    assert_eq!(told.locality.processes[0].pieces.len(), 2);
    assert_eq!(told.locality.faults, None);
    assert!(
        told.locality
            .pages_quality
            .missing
            .contains(&"run times".to_owned())
    );
    assert_eq!(told.convergence.processes[0].after_ns, None);
}
