//! Diff tests: real recordings against what perf itself says about them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use support::{RECORDINGS, counts, decode, fixture, read, text_file};

#[test]
fn counts_equal_those_of_perf() {
    let all: serde_json::Value = serde_json::from_str(&text_file("counts.json")).unwrap();
    for name in RECORDINGS {
        let (sink, recording) = decode(&fixture(name));
        let want = &all[name];
        let wanted: BTreeMap<String, u64> = serde_json::from_value(want["counts"].clone()).unwrap();
        assert_eq!(counts(&recording), wanted, "{name}");
        let spans = recording.summary.cpu_spans.iter();
        let per_cpu: BTreeMap<String, u64> = spans
            .map(|span| (span.cpu.to_string(), span.events))
            .collect();
        let wanted: BTreeMap<String, u64> =
            serde_json::from_value(want["per_cpu"].clone()).unwrap();
        assert_eq!(per_cpu, wanted, "{name}");
        let events = want["events"].as_u64().unwrap();
        assert_eq!(recording.summary.events, events, "{name}");
        assert_eq!(sink.order().len() as u64, events, "{name}");
        assert_eq!(recording.summary.backwards, 0, "{name}");
        assert!(
            sink.skipped.is_empty() && recording.info.notes.is_empty(),
            "{name}"
        );
    }
}

/// Lines of an expected text, without its head.
fn expected(file: &str) -> Vec<String> {
    text_file(file).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn rows_equal_those_of_perf_script() {
    let (sink, _) = decode(&fixture("perf-sched-pipe"));
    let want = expected("perf-sched-pipe.sched_switch.txt");
    let names = "ts_ns cpu prev_comm prev_pid prev_prio next_comm next_pid next_prio";
    let names: Vec<&str> = names.split(' ').collect();
    assert_eq!(sink.lines("sched_switch", &names)[..want.len()], want);

    let (sink, _) = decode(&fixture("perf-numa-mem"));
    let want = expected("perf-numa-mem.page-faults.txt");
    let names = ["ts_ns", "cpu", "pid", "tid", "period", "ip", "addr"];
    assert_eq!(sink.lines("page-faults", &names)[..want.len()], want);
}

#[test]
fn the_order_of_all_events_is_that_of_perf_script() {
    let (sink, _) = decode(&fixture("perf-numa-2x4"));
    let want = expected("perf-numa-2x4.order.txt");
    assert_eq!(sink.order()[5000..5000 + want.len()], want);
}

#[test]
fn callchains_are_kept_with_their_context_marks() {
    /// Larger values mark the context of the addresses after them.
    const MARKS: u64 = -4095_i64 as u64;
    let (sink, _) = decode(&fixture("perf-sched-all-g"));
    let mut rows = Vec::new();
    for (spec, _) in &sink.tables {
        rows.extend(sink.lines(&spec.event, &["ts_ns", "cpu", "callchain"]));
    }
    let rows: Vec<String> = rows
        .iter()
        .map(|row| row.replace(['[', ',', ']'], ""))
        .collect();
    let want = expected("perf-sched-all-g.callchains.txt");
    for line in &want {
        assert!(rows.contains(line), "{line}");
        let first = line.split(['|', ' ']).nth(2).unwrap();
        assert!(first.parse::<u64>().unwrap() >= MARKS, "{line}");
    }
    assert!(want.len() > 40);
}

#[test]
fn lost_events_stand_before_the_next_event_of_their_cpu() {
    let (sink, recording) = decode(&fixture("perf-sched-all-g"));
    let summary = &recording.summary;
    assert_eq!(
        (
            summary.lost_marks,
            summary.lost_events,
            summary.lost_unknown_marks
        ),
        (1, 979, 0)
    );
    let lost = sink.lost[0];
    assert_eq!((lost.cpu, lost.count), (1, Some(979)));
    let order = sink.order();
    let next = &order[lost.seq as usize];
    assert!(next.starts_with(&format!("{}|1|", lost.ts_ns)), "{next}");
    // perf report -D shows the mark at this time.
    assert!(lost.ts_ns >= 1_183_433_599_817);
    let before = order[..lost.seq as usize].iter().rev();
    let before = before
        .map(|row| row.split('|').collect::<Vec<_>>())
        .find(|row| row[1] == "1");
    assert!(before.unwrap()[0].parse::<u64>().unwrap() <= 1_183_433_599_817);
}

#[test]
fn tables_equal_those_of_a_trace_dat() {
    let mut shown = String::new();
    for (name, event, rows) in [
        ("perf-sched-all-z", "sched_switch", 5),
        ("perf-sched-all-z", "sched_wakeup", 3),
        ("perf-numa-2x4", "sched_stick_numa", 3),
        ("perf-numa-mem", "page-faults", 3),
        ("perf-numa-mem", "context-switches", 3),
    ] {
        let (sink, _) = decode(&fixture(name));
        writeln!(shown, "{name}: {event}\n{}", sink.text(event, rows)).unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn what_a_recording_says_about_itself() {
    let mut said = String::new();
    for name in [
        "perf-numa-2x4",
        "perf-sched-pipe-z",
        "perf-sched-all-defclock",
    ] {
        let info = serde_json::to_string_pretty(&decode(&fixture(name)).1.info).unwrap();
        writeln!(said, "{name}\n{info}\n").unwrap();
    }
    insta::assert_snapshot!(said);
}

#[test]
fn a_tolerant_reading_of_a_whole_file_is_the_strict_one() {
    for name in ["perf-numa-mem", "perf-sched-pipe-z"] {
        let bytes = fixture(name);
        let (strict, tolerant) = (read(&bytes, false).unwrap(), read(&bytes, true).unwrap());
        assert_eq!(strict.1, tolerant.1);
        assert!(tolerant.0.skipped.is_empty() && strict.0.tables == tolerant.0.tables);
    }
}
