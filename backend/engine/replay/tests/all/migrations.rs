//! The log of migrations of tasks: what it says of each, and that a window of it is what was written.
#![allow(clippy::unwrap_used, missing_docs)]

use numalens_replay::migrations::{How, MIGRATIONS_FILE, Migration, Migrations};
use numalens_replay::run_state::Inputs;
use numalens_support::recordings::{Ev, Memory, What, config, run_pass, tables};

fn migrations(events: &[(u64, u32, What)]) -> Migrations {
    let events: Vec<Ev> = events
        .iter()
        .map(|&(ts, cpu, what)| Ev { ts, cpu, what })
        .collect();
    let mut memory = Memory::default();
    let config = config(&events, 4, Vec::new());
    run_pass(tables(&events, 3), &config, Inputs::default(), &mut memory);
    Migrations::open(memory.file(MIGRATIONS_FILE).unwrap()).unwrap()
}

fn switch(prev: i32, state: i64, next: i32) -> What {
    What::Switch { prev, state, next }
}

#[test]
fn a_migration_says_what_the_task_was() {
    let found = migrations(&[
        (10, 0, switch(0, 0, 7)),
        // On its CPU, so a balancer moves it.
        (11, 2, What::Migrate { pid: 7, dest: 1 }),
        (20, 0, switch(7, 1, 0)),
        // Asleep, and its wake-up was not requested: its CPU was taken away, or its affinity changed.
        (25, 2, What::Migrate { pid: 7, dest: 3 }),
        (30, 1, What::Waking { pid: 7, target: 0 }),
        (31, 1, What::Migrate { pid: 7, dest: 2 }),
        (32, 1, What::Wakeup { pid: 7, target: 2 }),
        // It waits.
        (40, 3, What::Migrate { pid: 7, dest: 3 }),
        // Never seen before, then being woken for the first time.
        (50, 0, What::Migrate { pid: 8, dest: 1 }),
        (60, 0, What::Waking { pid: 9, target: 0 }),
        (61, 0, What::Migrate { pid: 9, dest: 1 }),
        (62, 0, What::Migrate { pid: 0, dest: 1 }),
    ]);
    let seen: Vec<_> = found
        .rows(0, 100)
        .unwrap()
        .map(|row| {
            (
                row.ts_ns,
                row.cpu,
                row.pid,
                row.orig_cpu,
                row.dest_cpu,
                row.how,
            )
        })
        .collect();
    // The events of these tests do not say where from, so that is where the task was last; for 8 and 9 it is not known.
    let expected = [
        (11, 2, 7, 0, 1, How::Runnable),
        (25, 2, 7, 0, 3, How::Asleep),
        (31, 1, 7, 0, 2, How::Waking),
        (40, 3, 7, 2, 3, How::Runnable),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_window_is_a_part_of_the_whole() {
    let events: Vec<_> = (0..40_000)
        .map(|at| {
            let what = if at == 0 {
                switch(0, 0, 7)
            } else {
                What::Migrate {
                    pid: 7,
                    dest: (at % 3) as i32,
                }
            };
            (100 + at / 3, 0, what)
        })
        .collect();
    let found = migrations(&events);
    let all: Vec<Migration> = found.rows(0, u64::MAX).unwrap().collect();
    assert_eq!((all.len(), found.len()), (39_999, 39_999));
    for (from, to) in [
        (0, 99),
        (100, 100),
        (5_000, 9_000),
        (13_433, u64::MAX),
        (9, 8),
    ] {
        let inside = |row: &&Migration| (from..=to).contains(&row.ts_ns);
        let expected: Vec<Migration> = all.iter().filter(inside).copied().collect();
        assert_eq!(found.rows(from, to).unwrap().collect::<Vec<_>>(), expected);
    }
}
