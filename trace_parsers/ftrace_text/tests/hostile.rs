//! Noise, cuts and exaggerations: an error or rows, never a panic, never unbounded memory.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use numalens_columns::DecodeError;
use proptest::prelude::*;
use support::{read, rows, strict, text};

const EVENT: &str =
    "     a-1     [000] .....  1.000000: sched_waking: comm=x pid=1 prio=1 target_cpu=000\n";

#[test]
fn every_cut_of_a_text_is_an_error_or_fewer_rows() {
    for name in [
        "tc-small.report-l",
        "tc-multi.report",
        "perf-sched-g.script-lost",
        "ftrace-global.trace",
    ] {
        let all = text(name);
        let all = &all[..all.len().min(6000)];
        for end in (0..all.len()).step_by(7) {
            for tolerant in [false, true] {
                let (sink, result) = read(&all[..end], tolerant);
                if let Ok(recording) = result {
                    assert_eq!(recording.summary.events, sink.memory.rows() as u64);
                }
            }
        }
    }
}

#[test]
fn very_long_lines_are_one_error() {
    let mut long = EVENT.as_bytes().to_vec();
    long.extend_from_slice(&vec![b'x'; 3 << 20]);
    long.push(b'\n');
    long.extend_from_slice(EVENT.as_bytes());
    let message = read(&long, false).1.unwrap_err().to_string();
    assert!(
        message.starts_with(
            "line 2: expected lines of at most 1048576 bytes, found a longer one that begins \"xxx"
        ),
        "{message}"
    );
    let (sink, result) = read(&long, true);
    assert_eq!((result.unwrap().summary.events, sink.skipped.len()), (2, 1));
}

#[test]
fn too_many_kinds_of_events_are_one_error() {
    let line = |at: usize| format!("     a-1     [000] .....  1.000000: event_{at}: x=1\n");
    let text: String = (0..5000).map(line).collect();
    let message = read(text.as_bytes(), false).1.unwrap_err().to_string();
    assert_eq!(
        message,
        "line 4097: expected at most 4096 event types, found one more"
    );
}

#[test]
fn a_cpu_that_cannot_be_is_damage_in_both_readings() {
    for cpu in [1_u32 << 16, 134_217_728, u32::MAX] {
        let all = format!(
            "{EVENT}{}{EVENT}",
            EVENT.replace("[000]", &format!("[{cpu}]"))
        );
        assert!(read(all.as_bytes(), false).1.is_err(), "{cpu}");
        let (sink, result) = read(all.as_bytes(), true);
        let recording = result.unwrap();
        assert_eq!((recording.summary.events, sink.skipped.len()), (2, 1));
        assert_eq!(recording.info.cpus, 1);
    }
}

#[test]
fn a_tolerant_reading_makes_no_more_tables_than_a_strict_one() {
    let line = |at: usize| format!("     a-1     [000] .....  1.000000: event_{at}: x=1\n");
    let text: String = (0..5000).map(line).collect();
    let (sink, result) = read(text.as_bytes(), true);
    assert_eq!(result.unwrap().summary.counts.len(), 4096);
    assert_eq!(sink.skipped.len(), 1);
}

#[test]
fn damage_everywhere_is_summed_up() {
    let text: String = format!("{EVENT}bad\n").repeat(12_000);
    let (sink, result) = read(text.as_bytes(), true);
    assert_eq!(result.unwrap().summary.events, 12_000);
    assert_eq!(sink.skipped.len(), 10_001);
    let last = sink.skipped.last().unwrap();
    assert_eq!(last.range, 20_002..24_001);
    assert!(last.why.starts_with("2000 more places"), "{}", last.why);
}

#[test]
fn names_that_imitate_fields_do_not_take_forever() {
    let comm = " prev_pid=1 prev_prio=1 prev_state=S ==> next_comm=".repeat(4000);
    let line =
        format!("     a-1     [000] .....  1.000000: sched_switch: prev_comm={comm} next_pid=x\n");
    let all = [EVENT, &line].concat();
    let started = std::time::Instant::now();
    let _ = read(all.as_bytes(), true).1.unwrap();
    assert!(started.elapsed().as_secs() < 5);
}

#[test]
fn a_text_in_no_order_is_an_error() {
    let line = |us: u64| {
        format!(
            "     a-1     [000] .....  {}.{:06}: e: x=1\n",
            us / 1_000_000,
            us % 1_000_000
        )
    };
    // Each piece is longer than the window, and begins before the last one ended.
    let text: String = (0..4200_u64)
        .flat_map(|piece| (0..514_u64).map(move |at| line(10_000_000 - piece + at)))
        .collect();
    let result = read(text.as_bytes(), true).1;
    assert!(matches!(result, Err(DecodeError::Input(_))), "{result:?}");
}

fn head() -> impl Strategy<Value = (String, i32, u32, u64, String)> {
    let comm = "[ -~]{0,15}".prop_map(|comm| comm.replace('\n', " "));
    (
        comm,
        0..i32::MAX,
        0..4096_u32,
        0..10_000_000_000_000_u64,
        "[a-z0-9 :=\\[\\]()]{0,15}",
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512,
        failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_event_parses_back((comm, pid, cpu, us, other) in head(), state in 0..256_u64, flags in "[.dDbX][.NnpLlBb][.hsHzZ][.1-9a-f][.1-9a-f]", form in 0..4) {
        let letters: Vec<&str> = ["S", "D", "T", "t", "X", "Z", "P", "I"].into_iter().enumerate()
            .filter(|(bit, _)| state >> bit & 1 == 1).map(|(_, letter)| letter).collect();
        let state_text = if letters.is_empty() { "R".to_owned() } else { letters.join("|") };
        let (sec, part) = (us / 1_000_000, us % 1_000_000);
        let details = format!("prev_comm={comm} prev_pid={pid} prev_prio=120 prev_state={state_text} ==> next_comm={other} next_pid=2 next_prio=99");
        let line = match form {
            0 => format!("{comm:>16}-{pid:<7} [{cpu:03}] {flags} {sec:5}.{part:06}: sched_switch: {details}\n"),
            1 => format!("{comm:>16}-{pid:<7} [{cpu:03}] {sec:5}.{part:06}: sched_switch:         {details}\n"),
            2 => format!("{comm:>8.8}-{pid:<7} {cpu:3}{flags} {sec:5}.{part:06}: sched_switch: {details}\n"),
            _ => format!("{comm:>16} {pid:5} [{cpu:03}] {sec:5}.{part:06}:  sched:sched_switch: {details}\n"),
        };
        // A name that holds a whole head of its own cannot be distinguished from one.
        prop_assume!(!comm.contains("[0") || !comm.contains(": "));
        let header = if form == 2 { "# tracer: nop\n# nop latency trace v1.1.5 on 6.18\n" } else { "" };
        let (sink, _) = strict([header, &line].concat().as_bytes());
        let table = rows(&sink.memory, "sched_switch");
        let row = &table.rows[0];
        prop_assert_eq!(&row["common_pid"], &pid.to_string());
        prop_assert_eq!(&row["cpu"], &cpu.to_string());
        prop_assert_eq!(&row["ts_ns"], &(us * 1000).to_string());
        prop_assert_eq!(&row["prev_state"], &state.to_string());
        prop_assert_eq!(&row["prev_comm"], &comm);
        prop_assert_eq!(&row["next_comm"], &other);
    }

    #[test]
    fn noise_is_an_error_or_rows(noise in proptest::collection::vec(any::<u8>(), 0..400), at in 0..400_usize) {
        let mut all = EVENT.repeat(4).into_bytes();
        for (index, byte) in noise.iter().enumerate() {
            let at = (at + index * 3) % all.len();
            all[at] = *byte;
        }
        for tolerant in [false, true] {
            let _ = read(&all, tolerant);
        }
        let _ = read(&noise, true);
    }
}
