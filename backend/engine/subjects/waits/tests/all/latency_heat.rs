//! Waits over time and by length.
#![allow(clippy::unwrap_used, missing_docs)]

use numalens_core::provenance::Label;
use numalens_replay::waits::{WaitEnd, WaitFrom, WaitPart, WaitRow};
use numalens_subject::window::Steps;
use numalens_support::rows::source;
use numalens_waits::{BUCKETS, HeatConfig, HeatMeter, WaitHeat, bucket_of};
use proptest::prelude::*;

const PIDS: [i32; 3] = [0, 11, 12];

fn wait(task: u32, from: WaitFrom, end_ns: u64, wait_ns: u64) -> WaitRow {
    WaitRow {
        start_ns: end_ns - wait_ns,
        end_ns,
        task,
        prio: 120,
        cpu: 0,
        from_cpu: 0,
        from,
        end: WaitEnd::Ran,
        waker_pid: -1,
        group: 0,
    }
}

fn heat(waits: &[WaitRow], requests: bool, steps: Steps) -> WaitHeat {
    let mut meter = HeatMeter::new(HeatConfig {
        pids: &PIDS,
        source: source(),
        requests,
        steps,
    });
    for wait in waits {
        meter.wait(&WaitPart::whole(wait, &[]));
    }
    meter.finish()
}

use WaitFrom::{Preempted, Wakeup, Waking};

#[test]
fn buckets_are_powers_of_two() {
    for (ns, bucket) in [
        (0, 0),
        (1, 0),
        (2, 1),
        (3, 1),
        (4, 2),
        (1023, 9),
        (1024, 10),
        (u64::MAX, BUCKETS - 1),
    ] {
        assert_eq!(bucket_of(ns), bucket, "{ns}");
    }
}

#[test]
fn waits_are_where_they_end() {
    let steps = Steps::new(1000, 1300, 100);
    let waits = [
        wait(1, Waking, 1099, 4),
        wait(2, Waking, 1100, 7),
        wait(1, Waking, 1150, 5),
        // Ends with the window.
        wait(1, Waking, 1300, 100),
        wait(1, Preempted, 1200, 64),
        // The idle task's, and one whose request is not recorded.
        wait(0, Waking, 1100, 7),
        wait(1, Wakeup, 1100, 7),
    ];
    let found = heat(&waits, true, steps);
    let cells = |cells: &[numalens_waits::Cell]| -> Vec<(usize, usize, u64)> {
        cells
            .iter()
            .map(|cell| (cell.column, cell.bucket, cell.count))
            .collect()
    };
    assert_eq!((found.step_ns, found.columns), (100, 3));
    assert_eq!(
        cells(&found.wakeups.cells),
        [(0, 2, 1), (1, 2, 3), (2, 6, 1)]
    );
    assert_eq!((found.wakeups.count, found.wakeups.most), (5, 3));
    assert_eq!(cells(&found.preempted.cells), [(2, 6, 1)]);
    assert_eq!(found.label, Label::Replayed);
    let without = heat(&waits, false, steps);
    assert_eq!(without.wakeups.count, 5);
    assert_eq!(
        (without.label, without.missing),
        (Label::Inferred, vec!["sched_waking".to_owned()])
    );
}

proptest! {
    #[test]
    fn no_wait_is_lost(
        waits in prop::collection::vec((1..3_u32, any::<bool>(), 0..5000_u64, 0..1000_u64), 0..200),
        most in 1..240_u64,
    ) {
        let waits: Vec<WaitRow> = waits
            .into_iter()
            .map(|(task, woken, end, ns)| wait(task, if woken { Waking } else { Preempted }, 10_000 + end, ns))
            .collect();
        let found = heat(&waits, true, Steps::round(10_000, 15_000, most));
        prop_assert!(found.columns as u64 <= most);
        let woken = waits.iter().filter(|wait| wait.from == Waking).count() as u64;
        prop_assert_eq!(found.wakeups.count, woken);
        prop_assert_eq!(found.preempted.count, waits.len() as u64 - woken);
        for cell in found.wakeups.cells.iter().chain(&found.preempted.cells) {
            prop_assert!(cell.column < found.columns && cell.bucket < BUCKETS && cell.count > 0);
        }
    }
}
