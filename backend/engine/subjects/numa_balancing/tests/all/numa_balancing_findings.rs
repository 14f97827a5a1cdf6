//! The detectors, each at its threshold.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::Label;
use numalens_numa_balancing::decision::{Config, Explainer, Explanations};
use numalens_numa_balancing::findings::NumaBalancingFacts;
use numalens_numa_balancing::per_node::{NodeRow, Reading, Table};
use numalens_numa_balancing::vmstat::table;
use numalens_replay::migrations::{How, Migration};
use numalens_replay::numa::{Attempt, PageBatch, Partner, Verdict};
use numalens_subject::findings::Severity;
use numalens_subject::vmstat::Counters;
use numalens_support::rows::{idle, row, source, task};
use proptest::prelude::*;

use crate::numa_balancing_common::{Given, attempt, find};

const MS: u64 = 1_000_000;
const S: u64 = 1_000_000_000;

fn ids(facts: &NumaBalancingFacts<'_>) -> Vec<&'static str> {
    find(facts).iter().map(|finding| finding.id).collect()
}

fn moved(start_ns: u64) -> Attempt {
    attempt(start_ns, Verdict::Moved, 0, 0, 4, 10)
}

fn migration(ts_ns: u64, pid: i32, orig_cpu: u32, dest_cpu: u32) -> Migration {
    Migration {
        ts_ns,
        cpu: orig_cpu,
        pid,
        task: 1,
        orig_cpu,
        dest_cpu,
        how: How::Runnable,
    }
}

#[test]
fn nothing_is_found_in_nothing() {
    assert!(find(&Given::new().facts()).is_empty());
}

#[test]
fn tasks_that_are_taken_off_their_node_are_a_fight() {
    let given = Given::new();
    let run = |attempts: &[Attempt], migrations: &[Migration]| {
        let mut found = find(&NumaBalancingFacts {
            attempts,
            migrations: Some(migrations),
            ..given.facts()
        });
        found.retain(|finding| finding.id == "NUMA_LB_FIGHT");
        found
    };
    // It arrives, moves within its node, is taken off, and comes back after 250 ms.
    let attempts = [moved(S)];
    let fight = [
        migration(S + 500, 100, 0, 4),
        migration(S + 100 * MS, 100, 4, 5),
        migration(S + 200 * MS, 100, 5, 1),
        migration(S + 450 * MS, 100, 1, 6),
    ];
    let found = run(&attempts, &fight);
    assert_eq!(found.len(), 1);
    let found = &found[0];
    assert_eq!((found.id, found.label), ("NUMA_LB_FIGHT", Label::Replayed));
    assert!((found.impact_ms - 250.0).abs() < 1e-9);
    // Once may be chance: no task is known to have lost anything. Three times are none.
    assert_eq!(
        (found.worst_task_ms, found.at_most),
        (Some(0.0), Severity::Medium)
    );
    let often: Vec<Attempt> = (0..3).map(|at| moved((1 + 2 * at) * S)).collect();
    let fights: Vec<Migration> = (0..3)
        .flat_map(|at| {
            fight.map(|one| Migration {
                ts_ns: one.ts_ns + 2 * at * S,
                ..one
            })
        })
        .collect();
    let thrice = &run(&often, &fights)[0];
    assert_eq!(
        (thrice.worst_task_ms, thrice.at_most),
        (None, Severity::Medium)
    );
    assert_eq!((found.from_ns, found.to_ns), (S + 200 * MS, S + 450 * MS));
    assert_eq!((&found.nodes[..], &found.pids[..]), (&[10][..], &[100][..]));
    // Exactly a second counts, more does not.
    let later = |ns| [fight[0], migration(ns, 100, 4, 1)];
    assert_eq!(run(&attempts, &later(2 * S + 500)).len(), 1);
    assert!(run(&attempts, &later(2 * S + 501)).is_empty());
    // Another task, or the NUMA balancer itself, is no fight.
    assert!(run(&attempts, &[fight[0], migration(S + 200 * MS, 7, 4, 1)]).is_empty());
    let back = attempt(S + 200 * MS, Verdict::Moved, 4, 10, 1, 0);
    let numa = [fight[0], migration(S + 200 * MS + 500, 100, 4, 1)];
    assert!(run(&[attempts[0], back], &numa).is_empty());
    // Neither is what failed.
    let failed = Attempt {
        verdict: Verdict::MoveFailed,
        ..attempts[0]
    };
    assert!(run(&[failed], &fight).is_empty());
    // Without its own migration in the recording, what follows its end counts.
    assert_eq!(
        run(&attempts, &[migration(S + 200 * MS, 100, 4, 1)]).len(),
        1
    );
}

#[test]
fn a_swap_brings_two_tasks() {
    let given = Given::new();
    let partner = Some(Partner {
        pid: 200,
        tgid: 200,
        ngid: 0,
    });
    let swap = Attempt {
        partner,
        ..attempt(S, Verdict::Swapped, 0, 0, 4, 10)
    };
    let migrations = [
        migration(S + 400, 100, 0, 4),
        migration(S + 500, 200, 4, 0),
        migration(S + 100 * MS, 200, 0, 5),
        migration(S + 200 * MS, 200, 5, 1),
    ];
    let found = find(&NumaBalancingFacts {
        attempts: &[swap],
        migrations: Some(&migrations),
        ..given.facts()
    });
    assert_eq!(
        (&found[0].nodes[..], &found[0].pids[..]),
        (&[0][..], &[200][..])
    );
    assert!((found[0].impact_ms - 100.0).abs() < 1e-9);
}

#[test]
fn few_fights_among_many_moves_are_none() {
    let given = Given::new();
    let run = |moves: u64, fights: &[u64]| {
        let attempts: Vec<Attempt> = (0..moves).map(|at| moved(at * 2 * S)).collect();
        let mut migrations: Vec<Migration> = (0..moves)
            .flat_map(|at| {
                let start = at * 2 * S;
                let off = fights.contains(&at);
                [
                    migration(start + 500, 100, 0, 4),
                    migration(start + S / 2, 100, if off { 4 } else { 5 }, 1),
                ]
                .into_iter()
                .take(1 + usize::from(off))
            })
            .collect();
        migrations.sort_by_key(|one| one.ts_ns);
        let facts = NumaBalancingFacts {
            to_ns: 1000 * S,
            attempts: &attempts,
            migrations: Some(&migrations),
            ..given.facts()
        };
        ids(&facts).contains(&"NUMA_LB_FIGHT")
    };
    // 2 of 21 moves are below a tenth, 2 of 20 are not; 3 within a minute are enough whatever the share.
    assert!(!run(21, &[0, 1]) && run(20, &[0, 1]));
    assert!(run(200, &[0, 1, 29]) && !run(200, &[0, 1, 30]));
}

/// Attempts a second apart, of which every so-many-th fails.
fn attempts(count: u64, every: u64) -> Vec<Attempt> {
    (0..count)
        .map(|at| {
            let verdict = if at % every == every - 1 {
                Verdict::NoCpu
            } else {
                Verdict::Moved
            };
            attempt(at * S, verdict, 0, 0, 4, 10)
        })
        .collect()
}

#[test]
fn more_than_a_fifth_of_failures_is_a_finding() {
    let given = Given::new();
    let run = |attempts: &[Attempt], to_ns| {
        let facts = NumaBalancingFacts {
            attempts,
            to_ns,
            ..given.facts()
        };
        let mut found = find(&facts);
        found.retain(|finding| finding.id == "STICK_RATE");
        found
    };
    assert!(run(&attempts(100, 5), 100 * S).is_empty());
    let found = run(&attempts(100, 4), 100 * S);
    assert_eq!(found.len(), 1);
    assert!((found[0].impact_ms - 25.0 * 0.001).abs() < 1e-9);
    assert!(found[0].summary.contains("25 of 100"));
    // A shorter window is judged as a whole.
    assert!(run(&attempts(20, 5), 20 * S).is_empty());
    assert_eq!(run(&attempts(20, 4), 20 * S).len(), 1);
    // Only the minute with many failures; its neighbours have none.
    let mut mixed = attempts(300, 1000);
    for attempt in &mut mixed[140..160] {
        attempt.verdict = Verdict::MoveRefused;
    }
    let found = run(&mixed, 300 * S);
    assert_eq!(found.len(), 1);
    assert!(found[0].from_ns >= 80 * S && found[0].to_ns < 220 * S);
    assert!(found[0].from_ns <= 140 * S && found[0].to_ns >= 159 * S);
    // Ends that are not known do not count.
    let unknown: Vec<Attempt> = attempts(100, 4)
        .into_iter()
        .map(|one| Attempt {
            verdict: if one.verdict == Verdict::NoCpu {
                Verdict::Unknown
            } else {
                one.verdict
            },
            ..one
        })
        .collect();
    assert!(run(&unknown, 100 * S).is_empty());
}

#[test]
fn more_than_a_twentieth_of_swaps_that_raced_is_a_finding() {
    let given = Given::new();
    let run = |swaps: u64, races: u64| {
        let attempts: Vec<Attempt> = (0..swaps)
            .map(|at| {
                let verdict = if at < races {
                    Verdict::SwapRaced
                } else {
                    Verdict::Swapped
                };
                attempt(at * S, verdict, 0, 0, 4, 10)
            })
            .collect();
        ids(&NumaBalancingFacts {
            attempts: &attempts,
            ..given.facts()
        })
        .contains(&"SWAP_RACE")
    };
    assert!(!run(20, 0) && !run(20, 1) && run(20, 2) && run(19, 1));
}

fn explained(given: &Given, attempts: &[Attempt], kernel: KernelVersion) -> Explanations {
    let mut explainer = Explainer::new(
        Config {
            nodes: &given.machine,
            kernel: Some(kernel),
            llcs_per_node: Some(1),
            from_ns: 0,
            to_ns: 100 * S,
            source: source(),
        },
        attempts,
    );
    // 2 tasks here, 6 there, and from 20 ms on 7.
    for cpu in 0..8 {
        let state = match cpu {
            2 | 3 => idle(0),
            4 | 5 => task(2),
            _ => task(1),
        };
        explainer.row(&row(0, cpu, state));
    }
    explainer.row(&row(20 * MS, 4, task(3)));
    explainer.finish()
}

#[test]
fn moves_into_busier_nodes_are_those_of_5_7() {
    let given = Given::new();
    let attempts = [moved(10 * MS)];
    for (minor, found) in [(6, false), (7, true), (10, true), (11, false)] {
        let kernel = KernelVersion { major: 5, minor };
        let all = explained(&given, &attempts, kernel);
        let facts = NumaBalancingFacts {
            kernel: Some(kernel),
            attempts: &attempts,
            explained: Some(&all),
            ..given.facts()
        };
        let all = find(&facts);
        assert_eq!(
            all.iter().any(|one| one.id == "MOVE_INTO_BUSIER"),
            found,
            "{minor}"
        );
        if found {
            // One task more waits from 20 ms on, until 110 ms.
            assert!((all[0].impact_ms - 90.0).abs() < 1e-9);
            assert_eq!(all[0].label, Label::Inferred);
        }
    }
}

fn batch(start_ns: Option<u64>, reason: u8, src_nid: i32) -> PageBatch {
    PageBatch {
        start_ns,
        end_ns: 10 * MS,
        cpu: 0,
        pid: 100,
        succeeded: 512,
        failed: 0,
        reason,
        mode: 0,
        src_nid,
        dst_nid: -1,
    }
}

#[test]
fn many_pages_for_few_faults_are_churn() {
    let given = Given::new();
    let run = |pages: i64, local: i64, batches: &[PageBatch]| {
        let counters: Counters = [
            ("numa_hit", 0),
            ("numa_miss", 0),
            ("numa_interleave", 0),
            ("numa_local", 0),
            ("numa_pte_updates", 0),
            ("numa_huge_pte_updates", 0),
            ("numa_hint_faults", 1000),
            ("numa_hint_faults_local", local),
            ("numa_pages_migrated", pages),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        let vmstat = table(&counters);
        find(&NumaBalancingFacts {
            vmstat: Some(&vmstat),
            batches,
            ..given.facts()
        })
    };
    let batches = [
        batch(Some(7 * MS), 5, -1),
        batch(Some(5 * MS), 0, -1),
        batch(Some(5 * MS), 5, 0),
    ];
    assert!(run(100, 799, &batches).is_empty());
    assert!(run(101, 800, &batches).is_empty());
    let found = run(101, 799, &batches);
    assert_eq!(
        (found[0].id, found[0].label),
        ("PAGE_CHURN", Label::Replayed)
    );
    assert!((found[0].impact_ms - 3.0).abs() < 1e-9);
    // Without the start of the calls there is no time.
    let found = run(101, 799, &[batch(None, 5, -1)]);
    assert_eq!(
        (found[0].label, found[0].missing.len()),
        (Label::Inferred, 1)
    );
    assert!(found[0].impact_ms.abs() < 1e-9);
}

/// A node of which all is recorded.
fn node_row(nid: u32, cells: &[u64]) -> NodeRow {
    NodeRow {
        nid,
        percent: cells.iter().copied().map(Some).collect(),
        average: Some(0),
        between: cells.iter().map(|&cell| (cell, cell)).collect(),
    }
}

fn per_node(cells: [&[u64]; 3], step_ns: u64) -> Table {
    Table {
        reading: Reading::Busy,
        t0_ns: 0,
        step_ns,
        nodes: (0..3)
            .map(|nid| node_row(nid, cells[nid as usize]))
            .collect(),
        imbalance: Vec::new(),
        label: Label::Replayed,
        missing: Vec::new(),
    }
}

#[test]
fn uneven_nodes_for_four_steps_are_a_finding() {
    let given = Given::new();
    let run = |cells: [&[u64]; 3], step_ns| {
        let table = per_node(cells, step_ns);
        let waste = [S, 2 * S, 3 * S, 4 * S, 5 * S, 6 * S];
        find(&NumaBalancingFacts {
            per_node: Some(&table),
            waste_cpu_ns: Some(&waste),
            ..given.facts()
        })
    };
    let even: [&[u64]; 3] = [&[10, 25, 25, 25, 25, 10], &[10; 6], &[10, 5, 5, 5, 5, 10]];
    let found = run(even, 5 * S);
    assert_eq!((found.len(), found[0].id), (1, "NODE_IMBALANCE_PERSISTENT"));
    assert_eq!((found[0].from_ns, found[0].to_ns), (5 * S, 25 * S));
    assert!((found[0].impact_ms - 14_000.0).abs() < 1e-9);
    assert_eq!(found[0].nodes, [0, 2]);
    // Three steps, a node above 5 %, 19 points, steps of a second.
    assert!(run([&[10, 25, 25, 25, 24, 10], even[1], even[2]], 5 * S).is_empty());
    assert!(run([&[26; 6], even[1], &[6; 6]], 5 * S).is_empty());
    assert!(run([&[24; 6], even[1], &[5; 6]], 5 * S).is_empty());
    assert!(run(even, S).is_empty());
    // Two spans are two findings, the worse one first.
    let found = run([&[25; 6], even[1], &[0, 0, 0, 0, 0, 0]], 5 * S);
    assert_eq!((found.len(), found[0].to_ns), (1, 30 * S));
    // The published regression: the kernel with the flaw has such time ranges.
    let seed = crate::numa_balancing_common::PER_NODE.lines().take(8);
    let nodes: Vec<NodeRow> = (0..)
        .zip(seed)
        .map(|(nid, line)| {
            let cells = line.rsplit('|').next().unwrap().split_whitespace();
            let cells: Vec<u64> = cells.map(|cell| cell.parse().unwrap()).collect();
            node_row(nid, &cells)
        })
        .collect();
    let table = Table {
        nodes,
        ..per_node([&[]; 3], 5 * S)
    };
    let found = find(&NumaBalancingFacts {
        per_node: Some(&table),
        ..given.facts()
    });
    assert_eq!(found[0].id, "NODE_IMBALANCE_PERSISTENT");
    assert_eq!(found[0].missing, ["waste"]);
}

proptest! {
    #[test]
    fn any_attempts_are_taken(
        numbers in prop::collection::vec((any::<u64>(), any::<u64>(), -1_i32..9, -1_i32..20, -1_i32..9, -1_i32..20, 0_u8..9), 0..12),
        moves in prop::collection::vec((any::<u64>(), 0_u32..10, 0_u32..10), 0..12),
    ) {
        let given = Given::new();
        let verdicts = [
            Verdict::Unknown, Verdict::Moved, Verdict::Swapped, Verdict::NoCpu, Verdict::MoveFailed,
            Verdict::MoveRefused, Verdict::SwapRaced, Verdict::SwapRefused, Verdict::NoDomain,
        ];
        let mut attempts: Vec<Attempt> = numbers.into_iter()
            .map(|(start, end, src_cpu, src_nid, dst_cpu, dst_nid, verdict)| Attempt {
                end_ns: end.max(start), start_ns: start, ..attempt(0, verdicts[verdict as usize], src_cpu, src_nid, dst_cpu, dst_nid)
            }).collect();
        attempts.sort_by_key(|one| one.start_ns);
        let mut migrations: Vec<Migration> = moves.into_iter().map(|(ts, from, to)| migration(ts, 100, from, to)).collect();
        migrations.sort_by_key(|one| one.ts_ns);
        let kernel = KernelVersion { major: 5, minor: 7 };
        let all = explained(&given, &attempts, kernel);
        for finding in find(&NumaBalancingFacts {
            to_ns: u64::MAX, kernel: Some(kernel), attempts: &attempts, migrations: Some(&migrations),
            explained: Some(&all), ..given.facts()
        }) {
            prop_assert!(finding.impact_ms >= 0.0 && finding.from_ns <= finding.to_ns);
            prop_assert!(!finding.summary.is_empty());
        }
    }
}
