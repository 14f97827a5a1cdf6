//! `IO_BOUND`, `REFAULTS`: with a case that holds, and some that look like it.
#![allow(clippy::float_cmp, clippy::unwrap_used, missing_docs)]

use numalens_core::provenance::Label;
use numalens_psi::Resource;
use numalens_psi::findings::blocked::Blocked;
use numalens_replay::states::State;
use numalens_subject::findings::Severity;

use crate::findings::{Case, line, series};
use crate::psi_common::{S, idle, row, source};

#[test]
fn tasks_that_wait_for_io() {
    // The kernel's own count over 10 s.
    let sampled = |grown_us: u64| {
        let mut case = Case::new(vec![row(0, 0, idle()), row(0, 1, idle())], 10 * S);
        case.samples = vec![series(
            Resource::Io,
            &[(0, line(0, 5)), (10 * S, line(0, 5 + grown_us))],
        )];
        case
    };
    let found = sampled(1_000_000).of("IO_BOUND");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].impact_ms, found[0].label, found[0].severity),
        (1000.0, Label::Observed, Severity::High)
    );
    assert!(
        found[0]
            .summary
            .starts_with("Tasks waited for I/O for 1.00 s of 10.0 s (10 %)"),
        "{}",
        found[0].summary
    );
    assert!(sampled(999_000).of("IO_BOUND").is_empty());

    // Replayed, without samples.
    let waits = |state: State| {
        let rows = vec![row(0, 0, state), row(0, 1, idle()), row(2 * S, 0, idle())];
        Case::new(rows, 10 * S)
    };
    let io = State {
        iowait: 1,
        ..idle()
    };
    let found = waits(io).of("IO_BOUND");
    assert_eq!(found.len(), 1);
    assert!((found[0].impact_ms - 2000.0).abs() < 1.0, "{found:?}");
    // A sleep that looks like it: no task waits for I/O.
    assert!(waits(idle()).of("IO_BOUND").is_empty());
    // The kernel counted none.
    let mut lock = waits(io);
    lock.samples = sampled(0).samples;
    assert!(lock.of("IO_BOUND").is_empty());
    // Replayed from weaker evidence.
    let mut inferred = waits(io);
    inferred.evidence.iowait = Some(source(Label::Inferred));
    assert_eq!(inferred.of("IO_BOUND")[0].label, Label::Inferred);
    // Nothing shows which sleeps are for I/O.
    let mut unknown = waits(io);
    unknown.evidence.iowait = None;
    assert!(unknown.of("IO_BOUND").is_empty());
}

#[test]
fn only_tasks_known_to_wait_for_io_are_said_to() {
    let verdict = |io_known| {
        let mut case = Case::new(vec![row(0, 0, idle()), row(0, 1, idle())], 10 * S);
        case.samples = vec![series(
            Resource::Io,
            &[(0, line(0, 5)), (10 * S, line(0, 5 + 2_000_000))],
        )];
        case.asleep = vec![Blocked {
            pid: 1,
            comm: "db".to_owned(),
            ns: 3 * S,
            io_ns: 3 * S,
            felt: 1.0,
            longest: (S, 2 * S),
            steady: false,
            reasons: [].into(),
        }];
        case.io_known = io_known;
        case.of("IO_BOUND")[0].verdict.clone()
    };
    assert_eq!(
        verdict(true).as_deref(),
        Some("db was blocked by I/O for 3.00 s; longest 1.00 s, 1.000 s into the window")
    );
    // A lock may have held it while other tasks waited for I/O.
    assert_eq!(
        verdict(false).as_deref(),
        Some(
            "db was in uninterruptible sleep (D) for 3.00 s while tasks waited for I/O for 2.00 s; longest 1.00 s, 1.000 s into \
             the window"
        )
    );
}

#[test]
fn who_keeps_the_device_busy_is_not_the_victim() {
    let verdict = |steady: bool| {
        let mut case = Case::new(vec![row(0, 0, idle()), row(0, 1, idle())], 10 * S);
        case.samples = vec![series(
            Resource::Io,
            &[(0, line(0, 5)), (10 * S, line(0, 5 + 2_000_000))],
        )];
        let sleeper = |pid: i32, comm: &str, ns: u64, steady: bool| Blocked {
            pid,
            comm: comm.to_owned(),
            ns,
            io_ns: ns,
            felt: ns as f64 * ns as f64,
            longest: (S, 2 * S),
            steady,
            reasons: [].into(),
        };
        case.asleep = vec![
            sleeper(1, "dd", 9 * S, steady),
            sleeper(2, "db", 2 * S, false),
        ];
        case.io_known = true;
        case.device = Some("8:0");
        case.of("IO_BOUND")[0].verdict.clone().unwrap()
    };
    let said = verdict(true);
    assert!(
        said.starts_with("db for 2.00 s, dd for 9.00 s were blocked by I/O on device 8:0"),
        "{said}"
    );
    // One that sleeps as long and has other work, too, is the worst victim.
    let said = verdict(false);
    assert!(
        said.starts_with("dd for 9.00 s, db for 2.00 s were blocked by I/O on device 8:0"),
        "{said}"
    );
}

#[test]
fn sleeps_for_memory_that_is_too_small() {
    let kinds = |pages: Option<u64>, stalled_us: u64| {
        let mut case = Case::new(vec![row(0, 0, idle()), row(0, 1, idle())], 10 * S);
        case.samples = vec![series(
            Resource::Memory,
            &[(0, line(0, 7)), (10 * S, line(0, 7 + stalled_us))],
        )];
        case.asleep = vec![Blocked {
            pid: 1,
            comm: "cache".to_owned(),
            ns: 2 * S,
            io_ns: 0,
            felt: 1.0,
            longest: (S, 2 * S),
            steady: false,
            reasons: [].into(),
        }];
        case.refaults = pages;
        (case.of("REFAULTS"), case.of("BLOCKED").len())
    };
    let (found, other) = kinds(Some(1_000), 100_000);
    assert_eq!((found.len(), other), (1, 0), "one sleep is in one finding");
    assert_eq!(
        (found[0].label, found[0].severity, found[0].impact_ms),
        (Label::Inferred, Severity::Medium, 2000.0)
    );
    let verdict = found[0].verdict.as_deref().unwrap();
    assert!(
        verdict.starts_with("cache was blocked for 2.00 s: memory too small, 1000 pages"),
        "{verdict}"
    );
    // The same sleep with fewer pages, without a stall that the kernel counted, and without samples of either.
    for (pages, stalled_us) in [(Some(999), 100_000), (Some(1_000), 99_000), (None, 100_000)] {
        let (found, other) = kinds(pages, stalled_us);
        assert_eq!((found.len(), other), (0, 1), "{pages:?} {stalled_us}");
    }
}
