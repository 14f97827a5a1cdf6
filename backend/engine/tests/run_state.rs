//! The rules of the replay, one by one.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use common::{Ev, What, config, index};
use numalens_engine::run_state::Stats;
use numalens_engine::timeline::{Index, Slice};

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
    index.slice_at(0, ts).expect("a slice")
}

#[test]
fn nobody_is_known_before_the_first_switch() {
    let (index, _) = recording(&[
        (10, What::Waking { pid: 5, target: 0 }),
        (30, switch(7, 1, 5)),
        (40, switch(5, 1, 0)),
    ]);
    assert_eq!(index.slice_at(0, 20), None);
    let slice = at(&index, 30);
    assert_eq!((slice.pid, slice.prev_pid), (5, None));
    assert_eq!(
        (slice.next_pid, slice.next_comm.as_deref()),
        (Some(0), Some("swapper/0"))
    );
    assert_eq!(index.slice_at(0, 40), None, "idle");
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
        assert_eq!(index.slice_at(0, 30), None);
        assert_eq!(at(&index, 55).prev_pid, None);
    }
}
