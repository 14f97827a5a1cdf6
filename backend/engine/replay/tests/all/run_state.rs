//! The rules of the replay, one by one.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use numalens_replay::run_state::{Inputs, Stats};
use numalens_replay::states::{MACHINE_FILE, OnCpu, States, Which};
use numalens_replay::timeline::{Index, Slice};
use numalens_support::recordings::{Ev, Memory, What, config, index, run_pass, tables};

/// Events of CPU 0 at the given times.
fn recording(events: &[(u64, What)]) -> (Index, Stats) {
    let events: Vec<Ev> = events
        .iter()
        .map(|&(ts, what)| Ev { ts, cpu: 0, what })
        .collect();
    let (index, summary) = index(&events, &config(&events, 2, Vec::new()));
    (index, summary.stats)
}

fn switch(prev: i32, state: i64, next: i32) -> What {
    What::Switch { prev, state, next }
}

fn at(index: &Index, ts: u64) -> Slice {
    index.slice_at(0, ts).unwrap().expect("a slice")
}

#[test]
fn nobody_is_known_before_the_first_switch() {
    let (index, _) = recording(&[
        (10, What::Waking { pid: 5, target: 0 }),
        (30, switch(7, 1, 5)),
        (40, switch(5, 1, 0)),
    ]);
    assert_eq!(index.slice_at(0, 20).unwrap(), None);
    let slice = at(&index, 30);
    assert_eq!((slice.pid, slice.prev_pid), (5, None));
    assert_eq!(
        (slice.next_pid, slice.next_comm.as_deref()),
        (Some(0), Some("swapper/0"))
    );
    assert_eq!(index.slice_at(0, 40).unwrap(), None, "idle");
}

#[test]
fn a_wakeup_names_a_task_that_no_switch_shows() {
    for woken in [
        What::Waking { pid: 8, target: 0 },
        What::Wakeup { pid: 8, target: 0 },
        What::WakeupNew { pid: 8, target: 0 },
    ] {
        let events = [(10, switch(0, 0, 7)), (20, woken), (30, switch(7, 1, 0))];
        let events = events.map(|(ts, what)| Ev { ts, cpu: 0, what });
        let mut config = config(&events, 2, Vec::new());
        config.recorded.wakeup = !matches!(woken, What::Waking { .. });
        let (index, _) = index(&events, &config);
        assert_eq!(index.comm_of(8), Some("task8"), "{woken:?}");
    }
}

#[test]
fn a_wait_begins_with_the_request_and_ends_with_the_switch() {
    let (index, _) = recording(&[
        (10, switch(0, 0, 7)),
        (20, switch(7, 1, 0)),
        (30, What::Waking { pid: 7, target: 0 }),
        (32, What::Wakeup { pid: 7, target: 0 }),
        (50, switch(0, 0, 7)),
        (60, switch(7, 0x100, 9)),
        (75, switch(9, 2, 7)),
        (76, What::Waking { pid: 7, target: 0 }),
        (80, switch(7, 0, 9)),
    ]);
    let woken = at(&index, 50);
    assert_eq!(woken.waking_ns.as_deref(), Some("30"));
    assert_eq!(woken.wait_ns.as_deref(), Some("20"));
    assert_eq!(
        (woken.wait_from, woken.waker_pid),
        (Some("waking"), Some(77))
    );
    assert_eq!(woken.end_state.as_deref(), Some("R+"));
    let again = at(&index, 75);
    assert_eq!(
        (again.wait_from, again.wait_ns.as_deref()),
        (Some("preempted"), Some("15"))
    );
    assert_eq!((again.waking_ns, again.waker_pid), (None, None));
    assert_eq!(
        again.end_state.as_deref(),
        Some("R"),
        "a wake-up of a running task starts no wait"
    );
}

#[test]
fn a_missing_switch_is_a_gap() {
    let (index, stats) = recording(&[
        (10, switch(0, 0, 7)),
        (30, switch(8, 1, 9)),
        (40, switch(9, 1, 0)),
        (50, switch(0, 0, 7)),
        (60, switch(7, 1, 0)),
    ]);
    assert_eq!(stats.gaps, 1);
    assert_eq!(
        stats.missed_wakeups, 0,
        "a task that was dropped has no known state"
    );
    let dropped = at(&index, 10);
    assert_eq!(
        (dropped.end_known, dropped.end_state, dropped.label),
        (false, None, "inferred")
    );
    assert_eq!(dropped.end_ns, "30");
    assert_eq!(dropped.next_pid, None);
    assert_eq!(at(&index, 30).label, "observed");
}

#[test]
fn what_is_missing_is_counted() {
    let (_, stats) = recording(&[
        (10, switch(0, 0, 7)),
        (20, switch(7, 1, 8)),
        (30, switch(8, 1, 7)),
        (40, What::Wakeup { pid: 8, target: 1 }),
        (50, switch(7, 0, 8)),
        (50, switch(7, 0, 8)),
    ]);
    assert_eq!(stats.missed_wakeups, 1, "7 slept at 20 and ran at 30");
    assert_eq!(
        stats.missed_migrations, 1,
        "8 waited on CPU 1 and ran on CPU 0"
    );
    assert_eq!((stats.duplicates, stats.switches), (1, 4));
}

#[test]
fn lost_events_and_pauses_make_a_cpu_unknown() {
    for (what, lost) in [(What::Lost, 1), (What::Pause, 0)] {
        let (index, stats) = recording(&[
            (10, switch(0, 0, 7)),
            (20, what),
            (50, switch(8, 1, 9)),
            (60, switch(9, 1, 0)),
        ]);
        assert_eq!((stats.gaps, stats.lost_marks), (0, lost), "{what:?}");
        let before = at(&index, 15);
        assert_eq!(
            (before.end_ns.as_str(), before.end_known),
            ("20", false),
            "{what:?}"
        );
        assert_eq!(index.slice_at(0, 30).unwrap(), None);
        assert_eq!(at(&index, 55).prev_pid, None);
    }
}

/// When CPU 0 has a runnable task and nobody on it.
fn runnable_while_idle(events: &[(u64, What)], dated: bool) -> Vec<(u64, u64)> {
    let events: Vec<Ev> = events
        .iter()
        .map(|&(ts, what)| Ev { ts, cpu: 0, what })
        .collect();
    let inputs = Inputs {
        date_missing_wakeups: dated,
        ..Inputs::default()
    };
    let mut memory = Memory::default();
    let config = config(&events, 1, Vec::new());
    let summary = run_pass(tables(&events, 100), &config, inputs, &mut memory);
    assert_eq!(summary.stats.missed_wakeups, 1);
    let states = memory.file(MACHINE_FILE).expect("states");
    let states = States::open(states, None).expect("states");
    let (mut spans, mut since) = (Vec::new(), None);
    states
        .scan(Which::Machine, 0, u64::MAX, |row| {
            let waits = row.state.on == OnCpu::Idle && row.state.running > 0;
            match (since, waits) {
                (None, true) => since = Some(row.ts_ns),
                (Some(from), false) => {
                    spans.push((from, row.ts_ns));
                    since = None;
                }
                _ => {}
            }
        })
        .expect("rows");
    spans
}

#[test]
fn a_missing_wakeup_on_an_idle_cpu_is_as_long_ago_as_the_others_typically_are() {
    let mut events = vec![(10, switch(0, 0, 7)), (20, switch(7, 1, 0))];
    for n in 0..8 {
        let at = 100 + 100 * n;
        events.push((at, What::Wakeup { pid: 7, target: 0 }));
        events.push((at + 20 + n, switch(0, 0, 7)));
        events.push((at + 50, switch(7, 1, 0)));
    }
    let unseen = [(1000, switch(0, 0, 7)), (1010, switch(7, 1, 0))];
    let all: Vec<_> = events.iter().chain(&unseen).copied().collect();
    let waits: Vec<_> = (0..8).map(|n| (100 + 100 * n, 120 + 101 * n)).collect();
    assert_eq!(runnable_while_idle(&all, false), waits);
    let mut dated = waits.clone();
    // The median of 20 to 27 ns.
    dated.push((976, 1000));
    assert_eq!(runnable_while_idle(&all, true), dated);
    // Not before the CPU was idle.
    let soon = [
        (950, switch(0, 0, 9)),
        (990, switch(9, 1, 0)),
        (1000, switch(0, 0, 7)),
    ];
    let all: Vec<_> = events.iter().chain(&soon).copied().collect();
    assert_eq!(runnable_while_idle(&all, true).last(), Some(&(990, 1000)));
    // Too few others to know (and that the CPU was idle for the first one is not known).
    let few: Vec<_> = events[5..].iter().chain(&unseen).copied().collect();
    assert_eq!(runnable_while_idle(&few, true), waits[2..]);
}
