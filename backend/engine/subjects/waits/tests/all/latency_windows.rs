//! Wake-up waits by window and by length.
#![allow(clippy::unwrap_used, missing_docs)]

use numalens_replay::waits::{WaitEnd, WaitFrom, WaitPart, WaitRow};
use numalens_subject::window::Steps;
use numalens_support::rows::source;
use numalens_waits::{WaitWindows, WindowsConfig, WindowsMeter, wait_bins};
use proptest::prelude::*;

const PIDS: [i32; 3] = [0, 11, 12];

fn wait(task: u32, from: WaitFrom, end_ns: u64, wait_ns: u64) -> WaitRow {
    WaitRow {
        task,
        start_ns: end_ns - wait_ns,
        end_ns,
        cpu: 0,
        from_cpu: 0,
        end: WaitEnd::Ran,
        waker_pid: -1,
        prio: 120,
        group: 0,
        from,
    }
}

fn measured(waits: &[WaitRow], steps: Steps, requests: bool) -> WaitWindows {
    let mut meter = WindowsMeter::new(WindowsConfig {
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

#[test]
fn a_wait_is_of_the_window_in_which_it_ends() {
    let waits = [
        wait(1, WaitFrom::Waking, 1_000, 900),
        wait(1, WaitFrom::Waking, 1_999, 1_500),
        wait(2, WaitFrom::Waking, 2_000, 100),
        // The idle task's, a preemption, and a wake-up whose request is not recorded.
        wait(0, WaitFrom::Waking, 1_500, 10),
        wait(1, WaitFrom::Preempted, 1_500, 10),
        wait(1, WaitFrom::Wakeup, 1_500, 10),
        // In the short end: by length only.
        wait(1, WaitFrom::Waking, 3_400, 50),
    ];
    let told = measured(&waits, Steps::new(1_000, 3_500, 1_000), true);
    let counts: Vec<u64> = told.windows.iter().map(|window| window.wakeups).collect();
    assert_eq!(counts, [3, 1]);
    let preempted: Vec<u64> = told
        .windows
        .iter()
        .map(|window| window.preempted_ns)
        .collect();
    assert_eq!(preempted, [10, 0]);
    assert_eq!(told.windows[0].from_ns, 1_000);
    assert_eq!(
        (told.windows[0].p50_ns, told.windows[0].p99_ns),
        (Some(900), Some(1_500))
    );
    assert_eq!(told.windows[0].wait_ns, 2_410);
    assert_eq!(told.wakeups, 5);
    assert_eq!(told.histogram.counts.iter().sum::<u64>(), 5);
    assert!(told.missing.is_empty());
    let percents = &told.histogram.percent;
    assert!((percents.iter().sum::<f64>() - 100.0).abs() < 1e-9);
    assert!(told.histogram.at_most_percent.is_sorted());
    assert_eq!(told.histogram.at_most_percent.last(), Some(&100.0));
    let nothing = measured(&[], Steps::new(0, 10, 10), true).histogram;
    assert!(nothing.percent.is_empty() && nothing.at_most_percent.is_empty());
    // Without requests the wake-ups themselves count, and it is said.
    let told = measured(&waits, Steps::new(1_000, 3_500, 1_000), false);
    assert_eq!(told.wakeups, 5);
    assert_eq!(told.missing, ["sched_waking"]);
}

#[test]
fn bins_are_tenths_of_decades() {
    let bins = wait_bins();
    assert_eq!((bins[0], bins[10], bins[20]), (100, 1_000, 10_000));
    assert_eq!(*bins.last().unwrap(), 1_000_000_000_000);
    assert!(bins.is_sorted_by(|a, b| a < b));
    // A wait on an edge is above it.
    let steps = Steps::new(0, 1 << 50, 1 << 50);
    let told = measured(&[wait(1, WaitFrom::Waking, 5_000, 1_000)], steps, true);
    assert_eq!(told.histogram.counts[11], 1);
    let told = measured(&[wait(1, WaitFrom::Waking, 5_000, 999)], steps, true);
    assert_eq!(told.histogram.counts[10], 1);
    let told = measured(&[wait(1, WaitFrom::Waking, 5_000, 0)], steps, true);
    assert_eq!(told.histogram.counts[0], 1);
}

proptest! {
    #[test]
    fn every_wait_is_in_the_bin_of_its_length(lengths in proptest::collection::vec(0u64..1 << 42, 1..200)) {
        let waits: Vec<WaitRow> = lengths.iter().map(|&ns| wait(1, WaitFrom::Waking, 1 << 43, ns)).collect();
        let told = measured(&waits, Steps::new(0, 1 << 44, 1 << 44), true);
        let mut below = 0;
        for (at, &edge) in told.histogram.edges_ns.iter().enumerate() {
            below += told.histogram.counts[at];
            let shorter = lengths.iter().filter(|&&ns| ns < edge).count() as u64;
            prop_assert_eq!(below, shorter);
        }
        prop_assert_eq!(told.windows[0].wakeups, lengths.len() as u64);
    }
}
