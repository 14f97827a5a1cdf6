//! Diff tests: recording + query + expected text, and counts against the tools' own.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::fmt::Write as _;

use numalens_ftrace_text::{TextKind, sniff};
use support::{rows, strict, text};

/// Every fixture: its events, its kind.
const FIXTURES: &[(&str, u64, TextKind)] = &[
    ("cling-2x4-small.report-N-t", 78594, TextKind::Ftrace),
    ("ftrace-global.trace", 18_685, TextKind::Ftrace),
    ("ftrace-mono.trace.6000", 5_988, TextKind::Ftrace),
    ("ftrace-mono.noirq-info.trace.6000", 5_994, TextKind::Ftrace),
    (
        "ftrace-mono.latency-format.trace.6000",
        5_982,
        TextKind::Ftrace,
    ),
    ("numa-6.1-2x4-small.report.8000", 7_999, TextKind::Ftrace),
    ("perf-numa-mem.script", 1_950, TextKind::PerfScript),
    ("perf-numa-mem.script-header", 1_950, TextKind::PerfScript),
    (
        "perf-sched-defclock.script-ns.8000",
        8_000,
        TextKind::PerfScript,
    ),
    ("perf-sched-g.script-lost", 142, TextKind::PerfScript),
    ("perf-sched-pipe.script", 5_510, TextKind::PerfScript),
    ("tc-dropped.report.tail", 24_496, TextKind::Ftrace),
    ("tc-multi.report", 12_912, TextKind::Ftrace),
    ("tc-multi.report-N-l-t", 12_912, TextKind::Ftrace),
    ("tc-small.report", 2_739, TextKind::Ftrace),
    ("tc-small.report-N", 2_739, TextKind::Ftrace),
    ("tc-small.report-R", 2_739, TextKind::Ftrace),
    ("tc-small.report-R-l-t", 2_739, TextKind::Ftrace),
    ("tc-small.report-l", 2_739, TextKind::Ftrace),
    ("tc-small.report-t", 2_739, TextKind::Ftrace),
    ("tc-small.report-tsdiff", 2_739, TextKind::Ftrace),
    ("tc-small.report-w-l", 2_739, TextKind::Ftrace),
];

#[test]
fn every_event_of_every_fixture_is_read() {
    for &(name, events, kind) in FIXTURES {
        let text = text(name);
        assert_eq!(sniff(&text), Some(kind), "{name}");
        let (sink, recording) = strict(&text);
        assert_eq!(recording.summary.events, events, "{name}");
        assert_eq!(sink.memory.rows() as u64, events, "{name}");
        assert_eq!(recording.summary.backwards, 0, "{name}");
        assert!(sink.skipped.is_empty(), "{name}");
        let unknown = recording
            .summary
            .counts
            .iter()
            .find(|count| count.system == "unknown");
        assert!(unknown.is_none(), "{name}: {unknown:?}");
    }
}

#[test]
fn all_headers_of_tracefs_give_the_same_rows() {
    let (first, _) = strict(&text("ftrace-mono.trace.6000"));
    let (plain, _) = strict(&text("ftrace-mono.noirq-info.trace.6000"));
    let (latency, _) = strict(&text("ftrace-mono.latency-format.trace.6000"));
    // The stamp of the first event, from the reset of the buffer in one text and from the clock's zero in the other.
    let origin = 1_867_141_115_000 - 292_992_000;
    for event in ["sched_switch", "sched_waking", "softirq_raise", "print"] {
        let (first, plain, latency) = (
            rows(&first.memory, event),
            rows(&plain.memory, event),
            rows(&latency.memory, event),
        );
        for (at, row) in latency.rows.iter().enumerate() {
            let mut with = first.rows[at].clone();
            let ts: u64 = with["ts_ns"].parse::<u64>().unwrap() - origin;
            assert!(
                ts.abs_diff(row["ts_ns"].parse().unwrap()) <= 1000,
                "{event} {at}"
            );
            let mut row = row.clone();
            row.insert("ts_ns".to_owned(), String::new());
            with.insert("ts_ns".to_owned(), String::new());
            assert_eq!(row, with, "{event}");
        }
        for (row, with) in plain.rows.iter().zip(&first.rows) {
            let mut with = with.clone();
            with.retain(|name, _| name != "common_flags" && name != "common_preempt_count");
            assert_eq!(*row, with, "{event}");
        }
    }
}

#[test]
fn what_texts_say_about_themselves() {
    let mut said = String::new();
    for name in [
        "ftrace-global.trace",
        "ftrace-mono.latency-format.trace.6000",
        "perf-numa-mem.script-header",
        "tc-multi.report",
    ] {
        let (_, recording) = strict(&text(name));
        let recording = serde_json::to_string_pretty(&recording).unwrap();
        writeln!(said, "{name}\n{recording}\n").unwrap();
    }
    insta::assert_snapshot!(said);
}

#[test]
fn text_of_first_rows() {
    let mut shown = String::new();
    for (name, events) in [
        (
            "ftrace-global.trace",
            &["sched_switch", "print", "ipi_send_cpu"][..],
        ),
        (
            "numa-6.1-2x4-small.report.8000",
            &["sched_stat_runtime", "mm_migrate_pages", "tick_stop"],
        ),
        ("perf-numa-mem.script", &["page-faults", "sched_switch"]),
        ("perf-sched-g.script-lost", &["sched_switch"]),
        ("tc-multi.report", &["sched_switch", "sched_wakeup"]),
    ] {
        let (sink, _) = strict(&text(name));
        for event in events {
            writeln!(shown, "{name}: {event}\n{}", sink.memory.text(event, 4)).unwrap();
        }
    }
    insta::assert_snapshot!(shown);
}
