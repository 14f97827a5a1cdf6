//! `LTTng`'s kernel events as `babeltrace2` prints them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeMap;

use numalens_ftrace_text::{TextKind, sniff};
use support::{read, rows, sentence, strict, text};

/// Lines by the name that stands in them, counted without the reader.
fn lines_by_name(bytes: &[u8]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for line in String::from_utf8_lossy(bytes).lines() {
        let name = line.split(" box ").nth(1).unwrap();
        let name = name.split(": {").next().unwrap();
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn each_line_is_an_event_by_the_kernels_names() {
    for name in ["lttng", "lttng.context"] {
        let bytes = text(name);
        assert_eq!(sniff(&bytes), Some(TextKind::Lttng), "{name}");
        let (_, recording) = strict(&bytes);
        let lines = lines_by_name(&bytes);
        assert_eq!(recording.summary.events, lines.values().sum::<u64>());
        assert_eq!(recording.summary.events, 467);
        let of = |name: &str| lines.get(name).copied().unwrap_or(0);
        for count in &recording.summary.counts {
            let prefixes = ["", "irq_", "power_"];
            let said = prefixes.map(|prefix| of(&format!("{prefix}{}", count.event)));
            assert_eq!(said.iter().sum::<u64>(), count.count, "{}", count.event);
            let system = match count.event.as_str() {
                "cpu_idle" => "power",
                "syscall_entry_close" => "unknown",
                event if event.starts_with("sched_") => "sched",
                _ => "irq",
            };
            assert_eq!(count.system, system, "{}", count.event);
        }
        assert_eq!(recording.summary.counts.len(), lines.len());
    }
}

#[test]
fn fields_have_the_kernels_names_and_numbers() {
    let (sink, _) = strict(&text("lttng"));
    let switches = rows(&sink.memory, "sched_switch");
    assert!(
        switches
            .columns
            .iter()
            .all(|column| column.0 != "common_pid")
    );
    let row = switches
        .rows
        .iter()
        .find(|row| row["prev_comm"].starts_with("we"))
        .unwrap();
    let cells = [
        "ts_ns",
        "cpu",
        "prev_comm",
        "prev_pid",
        "prev_prio",
        "prev_state",
        "next_pid",
        "next_prio",
    ];
    assert_eq!(
        cells.map(|cell| row[cell].as_str()),
        [
            "40005007000000",
            "1",
            r#"we, \"ird\" = {"#,
            "900",
            "139",
            "256",
            "800",
            "9"
        ]
    );
    let fork = &rows(&sink.memory, "sched_process_fork").rows[0];
    assert_eq!((&*fork["parent_pid"], &*fork["child_pid"]), ("701", "703"));
    assert_eq!(rows(&sink.memory, "softirq_entry").rows[0]["vec"], "3");
    assert_eq!(
        rows(&sink.memory, "cpu_idle").rows[0]["state"],
        "4294967295"
    );
    assert_eq!(rows(&sink.memory, "syscall_entry_close").rows[0]["fd"], "3");

    let (sink, _) = strict(&text("lttng.context"));
    let moved = &rows(&sink.memory, "sched_migrate_task").rows[0];
    let cells = [
        "common_pid",
        "common_tgid",
        "pid",
        "prio",
        "orig_cpu",
        "dest_cpu",
    ];
    assert_eq!(
        cells.map(|cell| moved[cell].as_str()),
        ["701", "701", "702", "120", "1", "0"]
    );
}

const SWITCH: &str = "{ cpu_id = 0 }, { prev_comm = \"a\", prev_tid = 1, prev_prio = 20, prev_state = 1, next_comm = \"b\", next_tid = 2, next_prio = 20 }";

#[test]
fn times_have_a_day_or_do_not_need_one() {
    let of = |stamp: &str| {
        let line = format!("[{stamp}] (+0.000000001) sched_switch: {SWITCH}\n");
        let (sink, recording) = strict(line.as_bytes());
        let stamps = recording.info.facts.get("stamps").cloned();
        (
            rows(&sink.memory, "sched_switch").rows[0]["ts_ns"].clone(),
            stamps,
        )
    };
    assert_eq!(
        of("00:01:00.000000005"),
        ("60000000005".to_owned(), Some("time of the day".to_owned()))
    );
    assert_eq!(of("60.000000005"), ("60000000005".to_owned(), None));
    assert_eq!(
        of("1970-01-01 00:01:00.000000005"),
        ("60000000005".to_owned(), None)
    );
    let line = |stamp: &str| format!("[{stamp}] box sched_switch: {SWITCH}\n");
    let night = line("23:59:59.999999999") + &line("00:00:00.000000001");
    assert_eq!(
        sentence(night.as_bytes()),
        "line 2: expected times with their day (babeltrace2 --clock-seconds), as the recording crosses midnight, \
         found a time of the day alone"
    );
}

#[test]
fn what_was_discarded_is_noted() {
    let line = format!("[10:00:00.000000001] box sched_switch: {SWITCH}\n");
    let warning = "WARNING: Tracer discarded 12 events between [10:00:00.1] and [10:00:00.2] in trace UUID 1, at path: \"x\"\n";
    let (_, recording) = strict((line.clone() + warning + &line).as_bytes());
    assert_eq!(recording.summary.events, 2);
    assert_eq!(
        recording.info.notes,
        ["LTTng discarded 12 events (CPU unknown)."]
    );
}

#[test]
fn damage_names_its_line() {
    let line = format!("[10:00:00.000000001] box sched_switch: {SWITCH}\n");
    let bad = line.replace("prev_tid = 1", "prev_tid = x");
    assert_eq!(
        sentence((line.clone() + &bad).as_bytes()),
        "line 2: expected the fields of sched_switch, found \" prev_comm = \\\"a\\\", prev_tid = x, prev_prio = 20, prev_state =\" ..."
    );
    let cut = line.clone() + &line[..line.len() - 20];
    let damaged = cut.clone() + "\n";
    assert!(
        sentence(damaged.as_bytes())
            .starts_with("line 2: expected an event line \"[time] (+difference) host event")
    );
    let (sink, result) = read(damaged.as_bytes(), true);
    assert_eq!((result.unwrap().summary.events, sink.skipped.len()), (1, 1));
    // The last line may be cut.
    let (sink, result) = read(cut.as_bytes(), false);
    assert_eq!((result.unwrap().summary.events, sink.skipped.len()), (1, 0));
    // Without CPUs they are no events of the kernel.
    let user = "[10:00:00.000000001] (+0.000000001) box app:step: { vpid = 1 }, { n = 2 }\n";
    assert_eq!(sniff(user.as_bytes()), None);
    // Every cut of a real text is read or refused in one sentence.
    let bytes = text("lttng.context");
    for end in (0..2_000.min(bytes.len())).step_by(7) {
        let _ = read(&bytes[..end], false);
    }
}
