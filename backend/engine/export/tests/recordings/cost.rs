//! What an answer comes to is bounded by the events there are, whatever time and which CPUs they claim.

use std::fmt::Write;

use numalens_engine::analyse;

use super::*;

/// Bytes of all answers together, of any recording.
const BASE: usize = 16 << 20;
/// And for each event.
const PER_EVENT: usize = 64 << 10;

/// Tasks that take turns on four CPUs, each of which always has one that waits; times in µs and CPUs multiplied.
fn turns(times: u64, apart: u32) -> (String, usize) {
    let mut text = "# tracer: nop\n#\n".to_owned();
    let mut events = 0;
    for at in 0..40_u64 {
        let us = (1_000_000 + at * 700)
            .saturating_mul(times)
            .min(4_000_000_000_000_000);
        let stamp = format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
        let cpu = (at % 4) as u32 * apart;
        let (on, next) = (
            100 + at % 4 * 10 + at / 4 % 2,
            100 + at % 4 * 10 + (at / 4 + 1) % 2,
        );
        writeln!(
            text,
            " t{on}-{on} [{cpu:03}] d..2. {stamp}: sched_switch: prev_comm=t{on} prev_pid={on} prev_prio=120 prev_state=R ==> \
             next_comm=t{next} next_pid={next} next_prio=120"
        )
        .unwrap();
        events += 1;
    }
    (text, events)
}

#[test]
fn longer_and_wider_recordings_have_no_longer_answers() {
    for (times, apart) in [
        (1, 1),
        (1, 4000),
        (1_000_000, 1),
        (40_000_000, 1),
        (1 << 31, 3),
        (1_000_000, 5000),
    ] {
        let (text, events) = turns(times, apart);
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("far-apart.txt");
        std::fs::write(&input, text).unwrap();
        let made = try_ingest(&[input], Limits::default()).unwrap();

        let answers = sections().into_iter().map(|section| {
            analyse(&made.open, &section, (0, u64::MAX), "{}", false)
                .unwrap_or_else(|error| panic!("{section}, {times} and {apart}: {error}"))
        });
        let bytes: usize = answers.map(|answer| answer.len()).sum();
        assert!(
            bytes <= BASE + PER_EVENT * events,
            "{bytes} bytes of {events} events, times {times}, {apart} CPUs apart"
        );
    }
}
