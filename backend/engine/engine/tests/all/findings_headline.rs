//! The window in one sentence, whatever was found.
#![allow(clippy::float_cmp, missing_docs)]

use numalens_core::topology::Node;
use numalens_engine::headline::{Headline, OtherWaiting};
use numalens_machine::utilisation::{Config, Meter, Utilisation};
use numalens_replay::evidence::CpuSpan;
use numalens_replay::waits::Cause;
use numalens_support::rows::{idle, row, source, task};
use numalens_waits::OfflineCpu;

use crate::findings_waiting::{MS, WINDOW, Wait, all, facts, waiting};

/// CPUs 0 and 1 are busy for so much of the window; of CPUs 2 and 3 nothing is known unless they are idle.
fn used(busy_ms: u64, others_known: bool) -> Utilisation {
    let mut meter = Meter::new(&Config {
        nodes: &[Node {
            nid: 0,
            cpus: vec![0, 1, 2, 3],
        }],
        from_ns: 0,
        to_ns: WINDOW,
        step_ns: Some(WINDOW),
        source: source(),
    });
    let mut rows = vec![
        row(0, 0, task(1)),
        row(0, 1, task(1)),
        row(busy_ms * MS, 0, idle(0)),
        row(busy_ms * MS, 1, idle(0)),
    ];
    if others_known {
        rows.extend([row(0, 2, idle(0)), row(0, 3, idle(0))]);
    }
    rows.sort_by_key(|row| row.ts_ns);
    for row in &rows {
        meter.row(row);
    }
    meter.finish()
}

fn headline(used: &Utilisation, waits: &[Wait<'_>]) -> Headline {
    let waiting = waiting(waits);
    let found = all(&waiting, false);
    Headline::of(
        4,
        Some(used),
        Some(&facts(&waiting, false)),
        &found,
        Vec::new(),
    )
}

#[test]
fn nothing_is_wrong() {
    let quiet = headline(&used(620, true), &[(1, 0, &[(Cause::IdleExit, 1_200_000)])]);
    assert_eq!(
        quiet.summary,
        "No task waited long for a CPU (longest 1.2 ms): if something was slow, CPUs are not the cause. 4 CPUs, 31 % busy, tasks waited for 0 % of their \
         runnable time."
    );
    assert_eq!(
        (quiet.busy_percent, quiet.waiting_ms, quiet.longest_wait_ms),
        (Some(31.0), Some(1.2), Some(1.2))
    );
    assert_eq!(
        headline(&used(620, true), &[]).summary,
        "No task waited for a CPU: if something was slow, CPUs are not the cause. 4 CPUs, 31 % busy."
    );
}

#[test]
fn a_long_wait_of_no_cause_is_not_called_short() {
    let waits: &[Wait<'_>] = &[(1, 0, &[(Cause::Unknown, 300 * MS)])];
    let unknown = headline(&used(620, true), waits);
    assert!(
        unknown
            .summary
            .starts_with("Waits unknown: 300.0 ms of waiting has no recorded cause. 4 CPUs"),
        "{}",
        unknown.summary
    );
}

#[test]
fn offline_cpus_are_named() {
    // Nothing is known of CPUs 2 and 3, of which CPU 3 was offline for all of the window and longer.
    let off = |cpu, from_ns, to_ns| CpuSpan {
        cpu,
        from_ns,
        to_ns,
    };
    let of = |offline: &[CpuSpan]| {
        let offline = OfflineCpu::within(offline, 0, WINDOW);
        Headline::of(4, Some(&used(500, false)), None, &[], offline)
    };
    let one = of(&[off(3, 0, None), off(2, WINDOW, None)]);
    assert_eq!(
        one.summary,
        "Waits unknown: switches and wakeups were not recorded. 4 CPUs (CPU 3 offline for 1.00 s), 50 % busy (33 % of their time not \
         recorded)."
    );
    assert_eq!(one.offline.len(), 1);
    assert_eq!(one.offline[0].to_ns, WINDOW);
    let both = of(&[off(2, 0, None), off(3, 0, Some(2 * WINDOW))]);
    assert!(
        both.summary
            .ends_with(". 4 CPUs (CPU 2 offline for 1.00 s, CPU 3 offline for 1.00 s), 50 % busy."),
        "{}",
        both.summary
    );
}

#[test]
fn what_is_not_recorded_is_said() {
    let quiet = waiting(&[(1, 0, &[(Cause::IdleExit, MS)])]);
    let without = Headline::of(4, None, None, &[], Vec::new());
    assert_eq!(
        without.summary,
        "Waits unknown: switches and wakeups were not recorded. 4 CPUs, busy time not recorded."
    );
    assert_eq!((without.busy_percent, without.waiting_ms), (None, None));
    let half = used(500, false);
    let partly = Headline::of(4, Some(&half), Some(&facts(&quiet, false)), &[], Vec::new());
    assert!(
        partly
            .summary
            .contains(". 4 CPUs, 50 % busy (50 % of their time not recorded)"),
        "{}",
        partly.summary
    );
    let missing = [numalens_replay::evidence::LOST_EVENTS.to_owned()];
    let mut lost = facts(&quiet, false);
    lost.missing = &missing;
    let lost = Headline::of(4, Some(&half), Some(&lost), &[], Vec::new()).summary;
    assert!(lost.ends_with("; events were lost."), "{lost}");
    let mut blind = facts(&quiet, false);
    blind.wakeups = false;
    let blind = Headline::of(4, Some(&half), Some(&blind), &[], Vec::new()).summary;
    let unknown = "Waits unknown: wakeups were not recorded; the longest after a preemption is 1.0 ms. 4 CPUs";
    assert!(blind.starts_with(unknown), "{blind}");
}

#[test]
fn saturated_cpus_are_the_headline() {
    // 1.2 s of waiting, 0.4 s of running.
    let waits: &[Wait<'_>] = &[
        (1, 0, &[(Cause::Busy, 600 * MS)]),
        (
            4,
            100 * MS,
            &[(Cause::Busy, 540 * MS), (Cause::WakeUp, 60 * MS)],
        ),
    ];
    let all = headline(&used(200, true), waits);
    assert_eq!(
        all.summary,
        "victim waited 600.0 ms: no CPU was idle, behind hog; longest 600.0 ms, 0.000 s into the window. 4 CPUs, 10 % busy, tasks waited for 75 % of \
         their runnable time."
    );
}

#[test]
fn what_no_finding_claims_is_other_waiting() {
    let waits: &[Wait<'_>] = &[(
        1,
        0,
        &[
            (Cause::Pinned, 300 * MS),
            (Cause::Softirq, 9 * MS),
            (Cause::IdleExit, MS),
            (Cause::Unknown, 90 * MS),
        ],
    )];
    let waiting = waiting(waits);
    let other = OtherWaiting::of(&facts(&waiting, false));
    assert_eq!((other.ms, other.percent), (100.0, 25.0));
    let claimed: f64 = all(&waiting, false).iter().map(|one| one.impact_ms).sum();
    assert_eq!(claimed + other.ms, waiting.total_ns as f64 / 1e6);
}
