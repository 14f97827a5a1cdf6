//! Memory that follows tasks, against a slow model on any recording.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

use numalens_page_migration::metrics::{
    Config, FIGHT_WINDOW_NS, INTERVALS_NS, Metrics, Reasons, SHORT_NS, Samples, measure,
};
use numalens_page_migration::what_if;
use numalens_replay::migrations::Migration;
use numalens_replay::numa::PageBatch;
use proptest::prelude::*;

use crate::page_migration_common::{
    Ask, END, HALF, SECOND, World, batch, maps, moved, nid, nodes, source, span, tgid, world,
};

/// Pages that came too late, the slow way.
fn late(world: &World, from: u64, to: u64, a: u64) -> u64 {
    let inside = |t: u64| t >= from && (t < to || (t == to && to == END * HALF));
    let pages = world.pages.iter().filter(|page| inside(page.end_ns));
    let late = pages.filter(|page| {
        let mut leaves = world.node_moves().filter(|row| {
            row.pid == page.pid && row.ts_ns >= page.end_ns && nid(row.orig_cpu) == nid(page.cpu)
        });
        leaves.next().is_some_and(|row| row.ts_ns - page.end_ns < a)
    });
    late.map(|page| page.succeeded).sum()
}

/// Where a task is in a half second, if it ever moved between nodes.
fn node_at(world: &World, pid: i32, t_ns: u64) -> Option<u32> {
    let rows: Vec<&Migration> = world.moves.iter().filter(|row| row.pid == pid).collect();
    let first = rows.first()?;
    let last = rows.iter().rev().find(|row| row.ts_ns <= t_ns);
    Some(last.map_or(nid(first.orig_cpu), |row| nid(row.dest_cpu)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_slow_model_agrees(world in world(), (from, to) in span(), a in 0_u64..20, cut in 0_u64..300) {
        let a = a * HALF + cut;
        let told = world.window(from, to, a);
        let inside = |t: u64| t >= from && (t < to || (t == to && to == END * HALF));
        let moves: Vec<&Migration> = world.node_moves().filter(|row| inside(row.ts_ns)).collect();
        prop_assert_eq!(told.moves.count, moves.len() as u64);
        prop_assert_eq!((told.moves.unseen, told.moves.unplaced), (0, 0));
        prop_assert_eq!(told.moves.by_how.iter().map(|how| how.1).sum::<u64>(), told.moves.count);
        // Dwells: between a task's moves, by when they end.
        let mut dwells = Vec::new();
        for row in &moves {
            let before = world.node_moves().filter(|other| other.pid == row.pid && other.ts_ns < row.ts_ns);
            if let Some(before) = before.last() {
                dwells.push(row.ts_ns - before.ts_ns);
            }
        }
        prop_assert_eq!(told.dwell.count, dwells.len() as u64);
        prop_assert_eq!(told.dwell.sum_ns, dwells.iter().sum::<u64>());
        prop_assert_eq!(told.dwell.max_ns, dwells.iter().max().copied());
        let under = |ns: u64| dwells.iter().filter(|dwell| **dwell < ns).count() as u64;
        prop_assert_eq!(told.dwell.short.count, under(SHORT_NS));
        for (shorter, ns) in told.dwell.violations.iter().zip(INTERVALS_NS) {
            prop_assert_eq!((shorter.than_ns, shorter.count), (ns, under(ns)));
        }
        // Pages.
        let pages: Vec<&PageBatch> = world.pages.iter().filter(|page| inside(page.end_ns)).collect();
        let sum = |pages: &[&PageBatch]| pages.iter().map(|page| page.succeeded).sum::<u64>();
        prop_assert_eq!(told.just_too_late.migrated_pages, sum(&pages));
        prop_assert_eq!(told.just_too_late.pages, late(&world, from, to, a));
        for node in &told.memory_follows_cpu.nodes {
            let own: Vec<&PageBatch> = pages.iter().filter(|page| nid(page.cpu) == node.nid).copied().collect();
            prop_assert_eq!(node.pages, sum(&own));
        }
        // Where tasks were, half second by half second.
        for row in &told.tasks.rows {
            prop_assert_eq!(row.by_node.iter().map(|at| at.1).sum::<u64>(), to - from);
            for &(nid, ns) in &row.by_node {
                let halves = (from / HALF..to / HALF).filter(|at| {
                    node_at(&world, row.pid, at * HALF).is_none_or(|on| on == nid)
                });
                prop_assert_eq!(halves.count() as u64 * HALF, ns);
            }
        }
        // Series.
        prop_assert!(told.series.moves.len() <= 512);
        prop_assert_eq!(told.series.moves.iter().sum::<u64>(), if from == to { 0 } else { told.moves.count });
        if from != to {
            prop_assert_eq!(told.series.pages.iter().sum::<u64>(), sum(&pages));
            prop_assert_eq!(told.series.just_too_late.iter().sum::<u64>(), told.just_too_late.pages);
            let by_node: u64 = told.series.by_node.iter().flatten().sum();
            prop_assert_eq!(by_node, sum(&pages));
        }
    }

    #[test]
    fn fights_by_a_slow_model(
        world in world(),
        (from, to) in span(),
        home in prop::collection::vec((0_u64..END, 0_u32..3, 1_u64..9), 0..6),
    ) {
        // Samples of the process of tasks 1 and 2 alone; of the others nothing is known.
        let rows = home.iter().flat_map(|&(at, node, pages)| maps(at * HALF, 1, &[(node * 10, pages)]));
        let samples = Samples::new(rows, [], []);
        let told = world.measure(&Ask {
            from_ns: from,
            to_ns: to,
            end_ns: END * HALF,
            amortisation_ns: SECOND,
            samples: &samples,
            attempts: None,
            vmstat: &[],
        });
        let inside = |t: u64| t >= from && (t < to || (t == to && to == END * HALF));
        let follows = |row: &Migration| samples.holds_most(row.pid, tgid(row.pid).unwrap(), row.ts_ns, nid(row.dest_cpu));
        let windows = (to - from).div_ceil(FIGHT_WINDOW_NS);
        let (mut sure, mut maybe) = (0, 0);
        for at in 0..windows {
            let here = |t: u64| inside(t) && ((t - from) / FIGHT_WINDOW_NS).min(windows - 1) == at;
            let fights = |sure: bool| world.node_moves().any(|row| {
                let follows = follows(row).map_or(!sure, |told| told.0);
                follows && here(row.ts_ns) && world.pages.iter().any(|page| {
                    here(page.end_ns) && page.succeeded != 0 && tgid(page.pid) == tgid(row.pid)
                        && nid(page.cpu) == nid(row.orig_cpu)
                })
            });
            sure += u64::from(fights(true));
            maybe += u64::from(fights(false));
        }
        prop_assert_eq!(told.fight.windows, windows);
        if from != to {
            let share = |count: u64| Some(count as f64 / windows as f64);
            prop_assert_eq!(told.fight.at_most, share(maybe));
            prop_assert_eq!(told.fight.index, share(sure).filter(|_| !samples.is_empty()));
            prop_assert_eq!(told.fight.processes.is_empty(), if samples.is_empty() { maybe == 0 } else { sure == 0 });
        }
        let moves: Vec<&Migration> = world.node_moves().filter(|row| inside(row.ts_ns)).collect();
        let following = moves.iter().filter(|row| follows(row).is_some_and(|told| told.0));
        prop_assert_eq!(told.cpu_follows_memory.following, following.count() as u64);
        let unknown = moves.iter().filter(|row| follows(row).is_none());
        prop_assert_eq!(told.cpu_follows_memory.unknown, unknown.count() as u64);
    }

    #[test]
    fn raising_the_amortisation_never_lowers_the_share(world in world(), (from, to) in span(), a in 0_u64..30, b in 0_u64..30) {
        let low = world.window(from, to, a.min(b) * HALF).just_too_late;
        let high = world.window(from, to, a.max(b) * HALF).just_too_late;
        prop_assert!(low.pages <= high.pages);
        prop_assert!(low.share <= high.share);
        prop_assert_eq!(low.migrated_pages, high.migrated_pages);
        prop_assert!(high.pages + high.undecided_pages <= high.migrated_pages);
        prop_assert!(low.migrate_ns <= high.migrate_ns);
    }

    #[test]
    fn adjoining_windows_add_up(world in world(), mut at in prop::array::uniform3(0_u64..=END)) {
        at.sort_unstable();
        let [a, b, c] = at.map(|at| at * HALF);
        let (first, second, both) = (world.window(a, b, SECOND), world.window(b, c, SECOND), world.window(a, c, SECOND));
        prop_assert_eq!(first.moves.count + second.moves.count, both.moves.count);
        prop_assert_eq!(first.dwell.count + second.dwell.count, both.dwell.count);
        prop_assert_eq!(first.dwell.sum_ns + second.dwell.sum_ns, both.dwell.sum_ns);
        let late = |told: &Metrics| {
            (told.just_too_late.pages, told.just_too_late.migrated_pages, told.just_too_late.migrate_ns)
        };
        let (x, y, z) = (late(&first), late(&second), late(&both));
        prop_assert_eq!((x.0 + y.0, x.1 + y.1, x.2 + y.2), z);
    }

    #[test]
    fn the_clocks_zero_means_nothing(world in world(), (from, to) in span(), shift in 0_u64..1 << 60) {
        let mut later = world.clone();
        for row in &mut later.moves {
            row.ts_ns += shift;
        }
        for row in &mut later.pages {
            row.end_ns += shift;
            row.start_ns = row.start_ns.map(|start| start + shift);
        }
        let ask = |world: &World, shift: u64| {
            let mut told = world.measure(&Ask {
                from_ns: from + shift,
                to_ns: to + shift,
                end_ns: END * HALF + shift,
                amortisation_ns: SECOND,
                samples: &Samples::default(),
                attempts: None,
                vmstat: &[],
            });
            told.from_ns -= shift;
            told.to_ns -= shift;
            told
        };
        prop_assert_eq!(ask(&world, 0), ask(&later, shift));
    }

    #[test]
    fn another_process_changes_nothing(world in world(), (from, to) in span()) {
        let alone = |world: &World| {
            let mut own = world.clone();
            own.moves.retain(|row| tgid(row.pid) == Some(1));
            own.pages.retain(|row| tgid(row.pid) == Some(1));
            own
        };
        let all = world.window(from, to, SECOND);
        let own = alone(&world).window(from, to, SECOND);
        let mut rows = all.tasks.rows;
        rows.retain(|row| row.tgid == 1);
        prop_assert_eq!(rows.len() as u64, own.tasks.count);
        for row in own.tasks.rows {
            prop_assert!(rows.contains(&row));
        }
    }

    #[test]
    fn a_longer_interval_refuses_more_tasks(world in world(), a in 0_u64..60, b in 0_u64..60) {
        let refused = |interval_s| {
            let mut meter = what_if::Meter::new(&nodes(world.nodes), interval_s, 0, END * HALF);
            for row in &world.moves {
                meter.migration(row);
            }
            meter.finish()
        };
        let (low, high) = (refused(a.min(b)), refused(a.max(b)));
        prop_assert!(low.first <= high.first);
        prop_assert_eq!(low.moves, high.moves);
        // A task is refused first when it leaves sooner than the interval for the first time.
        let dwells = |pid: i32| {
            let moves: Vec<u64> = world.node_moves().filter(|row| row.pid == pid).map(|row| row.ts_ns).collect();
            moves.windows(2).any(|two| two[1] - two[0] < high.interval_s * SECOND)
        };
        prop_assert_eq!(high.first, (1..6).filter(|pid| dwells(*pid)).count() as u64);
    }

    #[test]
    fn any_rows_are_measured(
        moves in prop::collection::vec((any::<u64>(), any::<i32>(), any::<u32>(), any::<u32>()), 0..20),
        pages in prop::collection::vec((any::<u64>(), any::<i32>(), 0_u32..9, any::<u64>(), any::<[i32; 2]>(), any::<u8>()), 0..20),
        times in any::<[u64; 5]>(),
        near in any::<bool>(),
    ) {
        let [begin_ns, end_ns, from_ns, to_ns, amortisation_ns] = times;
        let nodes = nodes(3);
        let samples = Samples::new(maps(u64::MAX, 1, &[(0, u64::MAX), (10, u64::MAX)]), [], []);
        let place = |cpu: u32| if near { cpu % 8 } else { cpu };
        let moves = moves.into_iter().map(|(t, pid, from, to)| moved(t, pid, place(from), place(to)));
        let pages = pages.into_iter().map(|(t, pid, cpu, count, [src_nid, dst_nid], reason)| PageBatch {
            src_nid,
            dst_nid,
            reason,
            ..batch(t, pid, cpu, count)
        });
        let told = measure(
            Config {
                nodes: &nodes,
                begin_ns,
                end_ns,
                from_ns,
                to_ns,
                amortisation_ns,
                step_ns: None,
                reasons: Reasons::default(),
                tgid: &|pid| Some(pid),
                samples: &samples,
                attempts: None,
                vmstat: &[],
                stays: None,
                nodes_recorded: false,
                moves: source(),
                pages: None,
            },
            moves,
            pages,
        );
        prop_assert!(told.series.moves.len() <= 512);
    }
}
