//! Waits in detail: their map, those of a part of it, and one of them opened.

use numalens_engine::analyse;
use numalens_replay::waits::Cause;
use serde_json::{Value, json};

use super::*;

fn ask(open: &Context, section: &str, window: (u64, u64), options: &Value) -> Value {
    let answer = analyse(open, section, window, &options.to_string(), false).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

fn number(value: &Value, name: &str) -> u64 {
    value[name]
        .as_u64()
        .unwrap_or_else(|| panic!("{name}: {value}"))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap()
}

/// The recording that ships with the repository.
fn heavy() -> Made {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/cling-2x4-heavy");
    let inputs = ["trace.dat", "numactl-H.txt"].map(|name| folder.join(name));
    try_ingest(&inputs, Limits::default()).unwrap()
}

const ALL: (u64, u64) = (0, u64::MAX);

#[test]
fn the_longest_waits_are_explained_from_begin_to_end() {
    let made = heavy();
    let open = &made.open;
    let latency = ask(open, "latency", ALL, &json!({"limit": 50}));
    let mut worst = list(&latency, "worst").to_vec();
    worst.extend_from_slice(list(&latency["preempted"], "worst"));
    assert!(worst.len() > 50);
    let (mut chains, mut inferred) = (0, 0);
    for wait in &worst {
        let (from, to) = (number(wait, "waking_ns"), number(wait, "switch_in_ns"));
        let options = json!({"pid": wait["pid"], "cpu": wait["cpu"]});
        let story = ask(open, "wait", (from, to), &options);
        assert_eq!(&story["wait"], wait);
        let concluded = list(wait, "causes").iter().any(|cause| {
            let name = cause["cause"].as_str().unwrap();
            Cause::ALL
                .iter()
                .any(|one| one.name() == name && one.is_inferred())
        });
        assert_eq!(story["missing"] != json!([]), concluded, "{story}");
        inferred += usize::from(concluded);
        let mut at = from;
        let mut sums = std::collections::BTreeMap::new();
        for part in list(&story, "segments") {
            assert_eq!(number(part, "from_ns"), at);
            at = number(part, "to_ns");
            for cause in list(part, "causes") {
                let name = cause["cause"].as_str().unwrap().to_owned();
                *sums.entry(name).or_insert(0) += number(cause, "ns");
            }
        }
        assert_eq!(at, to);
        for cause in list(wait, "causes") {
            assert_eq!(
                sums.remove(cause["cause"].as_str().unwrap()),
                Some(number(cause, "ns"))
            );
        }
        assert_eq!(sums.len(), 0, "{sums:?}");
        let runners = list(&story, "runners");
        assert!(runners.iter().all(|ran| number(ran, "run_ns") <= to - from));
        let hops = list(&story, "chain");
        chains += hops.len();
        if let Some(first) = hops.first() {
            assert_eq!(
                (number(first, "t_ns"), &first["pid"]),
                (from, &wait["waker_pid"])
            );
        }
    }
    assert!(chains >= 50, "{chains}");
    assert!((1..worst.len()).contains(&inferred), "{inferred}");
}

#[test]
fn a_cell_of_the_map_has_the_waits_that_it_counts() {
    let made = heavy();
    let open = &made.open;
    let latency = ask(open, "latency", ALL, &json!({}));
    let heat = ask(open, "wait_heat", ALL, &json!({"columns": 40}));
    assert_eq!(heat["wakeups"]["count"], latency["wakeups"]);
    assert_eq!(heat["preempted"]["count"], latency["preempted"]["count"]);
    let (begin, step) = (number(&heat, "from_ns"), number(&heat, "step_ns"));
    for kind in ["wakeups", "preempted"] {
        let cells = list(&heat[kind], "cells");
        assert!(cells.len() > 20);
        for cell in cells.iter().step_by(7) {
            let (column, bucket) = (number(cell, "column"), number(cell, "bucket"));
            let from = begin + column * step;
            let last = column + 1 == number(&heat, "columns");
            let story = ask(
                open,
                "waits",
                ALL,
                &json!({
                    "kind": kind,
                    "least_ns": if bucket == 0 { 0 } else { 1_u64 << bucket },
                    "below_ns": 2_u64 << bucket,
                    "ended_from_ns": from,
                    "ended_to_ns": if last { u64::MAX } else { from + step },
                    "limit": 1,
                }),
            );
            assert_eq!(story["count"], cell["count"]);
            assert_eq!(list(&story, "waits").len(), 1);
        }
    }
}

#[test]
fn a_wait_is_found_by_its_ends() {
    let made = super::made(&["tc-small.v7-zstd.dat"]);
    let waits = ask(&made.open, "waits", ALL, &json!({"limit": 1}));
    let wait = &list(&waits, "waits")[0];
    let window = (number(wait, "waking_ns"), number(wait, "switch_in_ns"));
    let options = json!({"pid": wait["pid"], "cpu": wait["cpu"]});
    assert_ne!(
        ask(&made.open, "wait", window, &options)["available"],
        false
    );
    let other = ask(&made.open, "wait", (window.0, window.1 + 1), &options);
    assert_eq!(
        other["reason"],
        "no wait of that task has exactly these ends"
    );
}

#[test]
fn who_ran_where_the_task_was_queued_is_named_and_nobody_else() {
    let line = |task: &str, cpu: u32, at: u32, event: &str| {
        format!("{task:>16} [00{cpu}] 100.{at:06}: {event}")
    };
    let waits = |moves: bool| {
        let mut lines = vec![
            "cpus=2".to_owned(),
            line("c-103", 0, 1, "sched_switch: c:103 [120] S ==> a:101 [120]"),
            line("e-105", 1, 2, "sched_switch: e:105 [120] S ==> b:102 [120]"),
            line(
                "a-101",
                0,
                1_000,
                "sched_wakeup: c:103 [120] success=1 CPU:000",
            ),
        ];
        let end = if moves {
            let moved = "sched_migrate_task: comm=c pid=103 prio=120 orig_cpu=0 dest_cpu=1";
            lines.push(line("a-101", 0, 11_000, moved));
            line(
                "b-102",
                1,
                31_000,
                "sched_switch: b:102 [120] S ==> c:103 [120]",
            )
        } else {
            line(
                "a-101",
                0,
                31_000,
                "sched_switch: a:101 [120] S ==> c:103 [120]",
            )
        };
        lines.push(end);
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("report.txt");
        std::fs::write(&trace, lines.join("\n") + "\n").unwrap();
        let made = try_ingest(&[trace], Limits::default()).unwrap();
        let latency = ask(&made.open, "latency", ALL, &json!({}));
        let wait = list(&latency, "worst")[0].clone();
        let span = (number(&wait, "waking_ns"), number(&wait, "switch_in_ns"));
        let options = json!({"pid": wait["pid"], "cpu": wait["cpu"]});
        assert_eq!(ask(&made.open, "wait", span, &options)["wait"], wait);
        let ran = list(&wait, "antagonists").iter();
        let ran = ran.map(|one| {
            let comm = one["comm"].as_str().unwrap().to_owned();
            (comm, number(one, "ns") / 1000)
        });
        ran.collect::<Vec<_>>()
    };
    // On CPU 0 for 10 ms, then on CPU 1 for 20: what CPU 1 ran before is no reason to wait.
    let (a, b) = ("a".to_owned(), "b".to_owned());
    assert_eq!(waits(true), [(b, 20_000), (a.clone(), 10_000)]);
    assert_eq!(waits(false), [(a, 30_000)]);
}
