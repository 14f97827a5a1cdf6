//! The Ops table: the worked examples, the published table's identities, and properties of any attempts.
#![allow(clippy::unwrap_used, missing_docs)]

use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_numa_balancing::attempts::{Config, Meter, Mmtests, Ops, OpsEvent, OpsKind, Rows};
use numalens_replay::migrations::{How, Migration};
use numalens_replay::numa::{Attempt, Partner, StickFormat, TargetFrom, Verdict};
use proptest::prelude::*;

/// Two nodes: CPUs 0-3 and 4-7.
fn nodes() -> Vec<Node> {
    let node = |nid, cpus: std::ops::Range<u32>| Node {
        nid,
        cpus: cpus.collect(),
    };
    vec![node(0, 0..4), node(1, 4..8)]
}

fn source() -> Source {
    Source {
        name: "sched_migrate_task".to_owned(),
        label: Label::Observed,
        missing: Vec::new(),
    }
}

fn attempt(start_ns: u64, pid: i32, verdict: Verdict, to: (i32, i32), with: i32) -> Attempt {
    let (src_cpu, dst_cpu) = to;
    let node = |cpu: i32| if cpu < 0 { -1 } else { cpu / 4 };
    Attempt {
        start_ns,
        end_ns: start_ns + 5,
        cpu: src_cpu as u32,
        pid,
        tgid: pid,
        ngid: 7,
        src_cpu,
        src_nid: node(src_cpu),
        dst_cpu,
        dst_nid: node(dst_cpu),
        partner: (with > 0).then_some(Partner {
            pid: with,
            tgid: with,
            ngid: 7,
        }),
        verdict,
        target_nid: -1,
        target_from: TargetFrom::Unknown,
        ret: None,
    }
}

fn migration(ts_ns: u64, pid: i32, orig_cpu: u32, dest_cpu: u32, how: How) -> Migration {
    Migration {
        ts_ns,
        cpu: orig_cpu,
        pid,
        task: 0,
        orig_cpu,
        dest_cpu,
        how,
    }
}

fn count(
    window: (u64, u64),
    stick: StickFormat,
    attempts: &[Attempt],
    migrations: &[Migration],
) -> Ops {
    let machine = nodes();
    let names = |_| "task";
    let config = Config {
        nodes: &machine,
        from_ns: window.0,
        to_ns: window.1,
        stick: Some(stick),
        source: source(),
    };
    let mut meter = Meter::new(&config, &names);
    for attempt in attempts {
        meter.attempt(attempt);
    }
    for row in migrations {
        meter.migration(row);
    }
    meter.finish()
}

fn all(attempts: &[Attempt], migrations: &[Migration]) -> Ops {
    count((0, u64::MAX), StickFormat::Ten, attempts, migrations)
}

fn monitor(events: &[(&str, i32, OpsKind)]) -> Mmtests {
    let mut mmtests = Mmtests::new(&nodes());
    for &(comm, pid, kind) in events {
        mmtests.event(&OpsEvent { comm, pid, kind });
    }
    mmtests
}

fn stick(dst_cpu: i32, dst_pid: i32) -> OpsKind {
    OpsKind::Stick { dst_cpu, dst_pid }
}

fn crosses(orig_cpu: u32, dest_cpu: u32) -> OpsKind {
    OpsKind::Migrate { orig_cpu, dest_cpu }
}

/// `docs/algorithms/numa_balancing.md`, N16.1: obtained from the monitor itself.
fn first_example() -> Rows {
    Rows {
        migrate_failed_no_cpu: Some(1),
        migrate_failed_move_to_idle: Some(1),
        migrate_failed_swap_task_fail: Some(1),
        task_migrated_swapped: Some(1),
        task_migrated_swapped_within_group: Some(1),
        task_migrated_idle_cpu: Some(1),
        task_migrate_retry: Some(1),
        task_migrate_retry_failed: Some(1),
        load_balance_cross_numa: Some(1),
        ..Rows::default()
    }
}

#[test]
fn the_first_worked_example() {
    let swap = OpsKind::Swap {
        src_nid: 0,
        dst_nid: 1,
        src_ngid: 7,
        dst_ngid: 7,
    };
    let mmtests = monitor(&[
        ("task", 101, stick(-1, 0)),
        ("task", 101, stick(5, 0)),
        ("task", 102, stick(6, 203)),
        ("task", 101, OpsKind::Move),
        ("migration/0", 17, crosses(0, 5)),
        ("task", 102, swap),
        ("migration/1", 18, crosses(1, 6)),
        ("migration/6", 19, crosses(6, 1)),
        ("other", 300, crosses(6, 2)),
        ("other", 300, crosses(2, 3)),
    ]);
    assert_eq!(mmtests.rows(), first_example());
}

#[test]
fn the_first_worked_example_from_attempts() {
    let attempts = [
        attempt(10, 101, Verdict::NoCpu, (0, -1), 0),
        attempt(20, 101, Verdict::MoveRefused, (0, 5), 0),
        attempt(30, 102, Verdict::SwapRefused, (1, 6), 203),
        attempt(40, 101, Verdict::Moved, (0, 5), 0),
        attempt(50, 102, Verdict::Swapped, (1, 6), 203),
    ];
    let migrations = [
        migration(42, 101, 0, 5, How::Runnable),
        migration(52, 102, 1, 6, How::Runnable),
        migration(53, 203, 6, 1, How::Runnable),
        migration(60, 300, 6, 2, How::Waking),
        migration(70, 300, 2, 3, How::Waking),
    ];
    let ops = all(&attempts, &migrations);
    assert_eq!(ops.mmtests, first_example());
    let counts = (ops.moves, ops.moves_ok, ops.swaps, ops.swaps_ok);
    assert_eq!(counts, (1, 1, 1, 1));
    let failures = ops.failures;
    assert_eq!((failures.no_cpu, failures.move_refused), (1, 1));
    assert_eq!((failures.swap_refused, failures.total()), (1, 3));
    assert_eq!(ops.retries, 1);
    let crossings = ops.crossings;
    assert_eq!((crossings.total, crossings.numa), (4, 3));
    assert_eq!((crossings.lb_cross, crossings.wakeup), (Some(1), 1));
    assert_eq!((ops.label, ops.missing), (Label::Replayed, vec![]));
}

#[test]
fn the_second_worked_example_has_the_quirks() {
    let mmtests = monitor(&[
        ("java", 100, OpsKind::StickSeven),
        ("kworker/u8:1", 55, crosses(0, 5)),
        ("<...>", 103, stick(-1, 0)),
        ("java", 103, stick(-1, 0)),
        ("C2 Compil/0", 104, stick(-1, 0)),
        ("my thread-1", 105, stick(-1, 0)),
        ("my_thread", 105, stick(-1, 0)),
    ]);
    let rows = mmtests.rows();
    assert_eq!(rows.migrate_failed_no_cpu, Some(5));
    assert_eq!(rows.load_balance_cross_numa, Some(1));
    assert_eq!(rows.task_migrate_retry, None);
    assert_eq!(mmtests.warnings(), 1);
    // By the pid alone, 103 and 105 were stuck twice.
    let stuck = [103, 103, 104, 105, 105].map(|pid| attempt(1, pid, Verdict::NoCpu, (0, -1), 0));
    assert_eq!(all(&stuck, &[]).retries, 2);
}

#[test]
fn a_name_that_cannot_be_read_is_the_pids_last_one() {
    let rows = |names: &[&str]| {
        let events: Vec<_> = names.iter().map(|&name| (name, 9, stick(-1, 0))).collect();
        monitor(&events).rows().task_migrate_retry
    };
    assert_eq!(rows(&["java", "<...>"]), Some(1));
    // UNKNOWN, then java, then java again.
    assert_eq!(rows(&["<...>", "java", "<...>"]), Some(1));
    assert_eq!(rows(&["<idle>", "<...>"]), Some(1));
    // Any event of the pid shows its name.
    let mmtests = monitor(&[
        ("java", 9, OpsKind::Other),
        ("<...>", 9, stick(-1, 0)),
        ("java", 9, stick(-1, 0)),
    ]);
    assert_eq!(mmtests.rows().task_migrate_retry, Some(1));
    // Of "a.b" and "c.b" the same end is read.
    assert_eq!(rows(&["a.b", "c.b", "b"]), Some(2));
}

/// The published table of 2020: baseline and stopsearch.
fn seed() -> [Rows; 2] {
    let column = |no_cpu, swap_fail, swapped, group, idle, retry, cross| Rows {
        migrate_failed_no_cpu: Some(no_cpu),
        migrate_failed_move_to_idle: None,
        migrate_failed_swap_task_fail: Some(swap_fail),
        task_migrated_swapped: Some(swapped),
        task_migrated_swapped_local_nid: None,
        task_migrated_swapped_within_group: Some(group),
        task_migrated_idle_cpu: Some(idle),
        task_migrated_idle_cpu_local_nid: None,
        task_migrate_retry: Some(retry),
        task_migrate_retry_success: None,
        task_migrate_retry_failed: Some(retry),
        load_balance_cross_numa: Some(cross),
    };
    [
        column(1871, 872, 6702, 1094, 14409, 2355, 1_248_401),
        column(689, 568, 3344, 124, 14610, 1074, 1_261_853),
    ]
}

/// Number of stuck tasks: all but the first time of each is a retry.
fn stuck_tasks(rows: &Rows) -> i64 {
    rows.sticks() - rows.task_migrate_retry.unwrap_or(0)
}

#[test]
fn the_seeds_identities() {
    let [baseline, stopsearch] = seed();
    assert_eq!(stuck_tasks(&baseline), 388);
    assert_eq!(stuck_tasks(&stopsearch), 183);
    assert_eq!(baseline.crossings(), 1_276_214);
    for column in seed() {
        assert_eq!(column.task_migrate_retry, column.task_migrate_retry_failed);
        assert_eq!(column.task_migrated_idle_cpu_local_nid, None);
        assert_eq!(column.task_migrate_retry_success, None);
    }
}

#[test]
fn events_like_the_seeds_give_the_seeds_table() {
    for column in seed() {
        let mut mmtests = Mmtests::new(&nodes());
        let mut event = |pid: i32, kind| {
            let comm = "java";
            mmtests.event(&OpsEvent { comm, pid, kind });
        };
        let times = |row: Option<i64>| row.unwrap_or(0) as i32;
        let tasks = stuck_tasks(&column) as i32;
        let no_cpu = times(column.migrate_failed_no_cpu);
        for at in 0..column.sticks() as i32 {
            let kind = if at < no_cpu {
                stick(-1, 0)
            } else {
                stick(5, 9)
            };
            event(at % tasks, kind);
        }
        let in_group = times(column.task_migrated_swapped_within_group);
        for at in 0..times(column.task_migrated_swapped) {
            event(
                at,
                OpsKind::Swap {
                    src_nid: 0,
                    dst_nid: 1,
                    src_ngid: 3,
                    dst_ngid: if at < in_group { 3 } else { 4 },
                },
            );
        }
        (0..times(column.task_migrated_idle_cpu)).for_each(|at| event(at, OpsKind::Move));
        (0..column.crossings() as i32).for_each(|at| event(at, crosses(1, 7)));
        assert_eq!(mmtests.rows(), column);
    }
}

#[test]
fn failed_attempts_are_no_migrations() {
    let attempts = [
        attempt(10, 1, Verdict::Moved, (0, 5), 0),
        attempt(20, 1, Verdict::MoveFailed, (0, 5), 0),
        attempt(30, 2, Verdict::SwapRaced, (1, 6), 3),
        attempt(40, 4, Verdict::NoDomain, (1, -1), 0),
    ];
    // The balancer moved 2 while the swap raced, and another woke elsewhere.
    let migrations = [
        migration(11, 1, 0, 5, How::Runnable),
        migration(31, 2, 1, 6, How::Runnable),
        migration(50, 9, 1, 6, How::Waking),
        migration(51, 9, 6, 1, How::Asleep),
        migration(52, 8, 6, 1, How::Unknown),
    ];
    let ops = all(&attempts, &migrations);
    assert_eq!((ops.moves, ops.moves_ok), (2, 1));
    assert_eq!((ops.swaps, ops.swaps_ok), (1, 0));
    let crossings = ops.crossings;
    assert_eq!((crossings.total, crossings.numa), (5, 1));
    assert_eq!((crossings.lb_cross, crossings.earlier), (Some(4), 0));
    assert_eq!((crossings.runnable, crossings.wakeup), (1, 1));
    assert_eq!((crossings.asleep, crossings.unknown), (1, 1));
    // mmtests takes off the attempts: too few remain.
    assert_eq!(ops.mmtests.load_balance_cross_numa, Some(5 - 2 - 2));
    // No event reports a task without a domain, so the monitor does not see it.
    assert_eq!(ops.mmtests.sticks(), 2);
    assert_eq!(ops.label, Label::Inferred);
    assert_eq!(ops.missing, ["run_state"]);
}

#[test]
fn a_window_has_what_began_in_it() {
    let attempts = [
        attempt(10, 1, Verdict::Moved, (0, 5), 0),
        attempt(20, 1, Verdict::NoCpu, (5, -1), 0),
        attempt(30, 1, Verdict::NoCpu, (5, -1), 0),
        attempt(40, 1, Verdict::NoCpu, (5, -1), 0),
    ];
    let migrations = [migration(14, 1, 0, 5, How::Runnable)];
    let ops = count((12, 30), StickFormat::Ten, &attempts, &migrations);
    assert_eq!((ops.attempts, ops.moves, ops.retries), (2, 0, 1));
    // Who sent the task is known though the attempt began before the window.
    let crossings = ops.crossings;
    assert_eq!((crossings.total, crossings.numa), (1, 1));
    assert_eq!((crossings.lb_cross, crossings.earlier), (Some(1), 1));
    assert_eq!(crossings.runnable, 0);
}

#[test]
fn a_task_that_woke_beside_its_cpu_was_sent_there() {
    let attempts = [attempt(10, 1, Verdict::Moved, (0, 5), 0)];
    let numa = |how| {
        all(&attempts, &[migration(12, 1, 0, 6, how)])
            .crossings
            .numa
    };
    assert_eq!((numa(How::Waking), numa(How::Runnable)), (1, 0));
}

#[test]
fn old_sticks_warn_and_count_nothing() {
    let attempts = [
        attempt(10, 1, Verdict::MoveFailed, (0, 5), 0),
        attempt(20, 1, Verdict::NoCpu, (0, -1), 0),
    ];
    let ops = count((0, 99), StickFormat::Seven, &attempts, &[]);
    assert_eq!((ops.mmtests.sticks(), ops.mmtests_warnings), (0, 1));
    assert_eq!(ops.mmtests.task_migrated_idle_cpu, Some(1));
    assert_eq!(ops.failures.total(), 2);
    assert_eq!(ops.missing, ["sched_stick_numa of Linux 5.7"]);
}

/// Attempts with the migrations that they make, one attempt each 100 ns.
fn any_events() -> impl Strategy<Value = (Vec<Attempt>, Vec<Migration>)> {
    let one = (0..9_u8, 1..6_i32, 0..4_i32, 4..8_i32, 0..4_u8);
    prop::collection::vec(one, 0..40).prop_map(|all| {
        let (mut attempts, mut migrations) = (Vec::new(), Vec::new());
        for (start, (verdict, pid, src, dst, how)) in (100_u64..).step_by(100).zip(all) {
            let how = [How::Unknown, How::Waking, How::Runnable, How::Asleep][usize::from(how)];
            let (verdict, with, to) = match verdict {
                0 => (Verdict::Moved, 0, dst),
                1 => (Verdict::Swapped, pid + 10, dst),
                2 => (Verdict::NoCpu, 0, -1),
                3 => (Verdict::MoveFailed, 0, dst),
                4 => (Verdict::MoveRefused, 0, dst),
                5 => (Verdict::SwapRaced, pid + 10, dst),
                6 => (Verdict::SwapRefused, pid + 10, dst),
                7 => (Verdict::NoDomain, 0, -1),
                _ => (Verdict::Unknown, 0, -1),
            };
            attempts.push(attempt(start, pid, verdict, (src, to), with));
            let mut goes = |pid, from: i32, to: i32, how| {
                let at = start + 2;
                migrations.push(migration(at, pid, from as u32, to as u32, how));
            };
            match verdict {
                Verdict::Moved => goes(pid, src, dst, How::Runnable),
                Verdict::Swapped => {
                    goes(pid, src, dst, How::Runnable);
                    goes(pid + 10, dst, src, How::Runnable);
                }
                _ => {}
            }
            // And another task.
            migrations.push(migration(start + 50, pid + 20, src as u32, dst as u32, how));
        }
        (attempts, migrations)
    })
}

proptest! {
    #[test]
    fn the_rows_hold_together((attempts, migrations) in any_events()) {
        let ops = all(&attempts, &migrations);
        let Ops { crossings, mmtests: rows, failures, .. } = &ops;
        let row = |row: Option<i64>| row.unwrap_or(0);
        // Sticks are the three rows of failures, and all failures but the silent ones.
        prop_assert_eq!(rows.sticks() as u64, failures.total() - failures.no_domain);
        prop_assert!(row(rows.task_migrated_swapped_within_group) <= row(rows.task_migrated_swapped));
        prop_assert!(row(rows.task_migrate_retry) <= rows.sticks());
        prop_assert_eq!(rows.task_migrate_retry, rows.task_migrate_retry_failed);
        prop_assert!(crossings.total >= ops.moves_ok + 2 * ops.swaps_ok);
        prop_assert_eq!(rows.crossings() as u64, crossings.total);
        prop_assert_eq!(ops.attempts as usize, attempts.len());
        prop_assert_eq!(ops.moves_ok, ops.moves - failures.move_failed);
        prop_assert_eq!(ops.swaps_ok, ops.swaps - failures.swap_raced);
        // The separate parts add up.
        let told = crossings.wakeup + crossings.runnable + crossings.asleep + crossings.unknown;
        prop_assert_eq!(Some(told), crossings.lb_cross);
        prop_assert_eq!((crossings.unmatched, crossings.earlier), (0, 0));
        let rows = serde_json::to_value(rows).unwrap();
        prop_assert!(rows.as_object().unwrap().values().all(|count| *count != 0));
    }

    #[test]
    fn an_offset_changes_nothing((attempts, migrations) in any_events(), offset in 0..1_u64 << 60) {
        let later: Vec<Attempt> = attempts.iter().map(|attempt| Attempt {
            start_ns: attempt.start_ns + offset,
            end_ns: attempt.end_ns + offset,
            ..*attempt
        }).collect();
        let moved: Vec<Migration> = migrations.iter().map(|row| Migration {
            ts_ns: row.ts_ns + offset,
            ..*row
        }).collect();
        prop_assert_eq!(all(&attempts, &migrations), all(&later, &moved));
    }

    #[test]
    fn windows_add_up((attempts, migrations) in any_events(), at in 0..5_000_u64) {
        let whole = all(&attempts, &migrations);
        let first = count((0, at), StickFormat::Ten, &attempts, &migrations);
        let second = count((at + 1, u64::MAX), StickFormat::Ten, &attempts, &migrations);
        let adds = |value: fn(&Ops) -> i64| value(&first) + value(&second) == value(&whole);
        prop_assert!(adds(|ops| ops.attempts as i64));
        prop_assert!(adds(|ops| ops.moves_ok as i64) && adds(|ops| ops.swaps_ok as i64));
        prop_assert!(adds(|ops| ops.failures.total() as i64));
        prop_assert!(adds(|ops| ops.crossings.total as i64));
        prop_assert!(adds(|ops| ops.crossings.numa as i64));
        let others = [&first, &second, &whole].map(|ops| ops.crossings.lb_cross);
        if let [Some(first), Some(second), Some(whole)] = others {
            prop_assert_eq!(first + second, whole);
        }
        prop_assert!(first.retries + second.retries <= whole.retries);
    }
}
