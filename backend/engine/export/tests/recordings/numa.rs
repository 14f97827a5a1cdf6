//! The sections about the NUMA balancers, on a kernel that has cling.

use numalens_engine::analyse;
use serde_json::{Value, json};

use super::*;

fn ask(open: &Context, section: &str, options: &str) -> Value {
    let answer = analyse(open, section, (0, u64::MAX), options, false).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

fn heavy(with: &[&str]) -> Made {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/cling-2x4-heavy");
    let names = ["trace.dat", "numactl-H.txt"].iter().chain(with);
    let inputs: Vec<_> = names.map(|name| folder.join(name)).collect();
    try_ingest(&inputs, Limits::default()).unwrap()
}

fn number(value: &Value, path: &str) -> i64 {
    let found = value.pointer(path).and_then(Value::as_i64);
    found.unwrap_or_else(|| panic!("{path} in {value}"))
}

/// Counted over the text of `trace-cmd report` by `backend/tests/ops_counter.py`.
#[test]
fn operations_are_counted() {
    let made = heavy(&[]);
    let section = ask(&made.open, "numa_balancing", r#"{"limit": 3}"#);
    for (row, count) in [
        ("task_migrated_idle_cpu", 100),
        ("task_migrated_swapped", 22),
        ("migrate_failed_no_cpu", 349),
        ("migrate_failed_swap_task_fail", 1),
        ("load_balance_cross_numa", 385),
    ] {
        assert_eq!(
            number(&section, &format!("/ops/rows/{row}")),
            count,
            "{row}"
        );
    }
    assert_eq!(
        number(&section, "/ops/mmtests/load_balance_cross_numa"),
        383
    );
    assert_eq!(number(&section, "/ops/mmtests/task_migrate_retry"), 314);
    let crossings = &section["ops"]["crossings"];
    assert_eq!(number(crossings, "/total"), 529);
    let parts = ["wakeup", "runnable", "asleep", "unknown"];
    let parts: i64 = parts
        .iter()
        .map(|part| number(crossings, &format!("/{part}")))
        .sum();
    assert_eq!(parts, number(crossings, "/lb_cross"));
    assert_eq!(section["attempts"].as_array().unwrap().len(), 3);
    assert_eq!(number(&section, "/attempts_more"), 472 - 3);
    let first = &section["attempts"][0];
    assert_eq!(
        (&first["verdict"], &first["failed"]),
        (&json!("no_cpu"), &json!(true))
    );
    assert!(first["explanation"]["nodes"].as_array().unwrap().len() == 2);
    assert_eq!(section["rules"]["name"], "6.0", "what 6.1 goes by");
}

#[test]
fn printed_lines_and_samples_are_reproduced() {
    let made = heavy(&["numa_group.jsonl"]);
    let section = ask(&made.open, "cling", "{}");
    assert_eq!(
        (&section["known_by"], &section["degree"]),
        (&json!("lines"), &json!(20))
    );
    assert_eq!(section["checked"]["violations_all"], 0);
    let kinds = section["checked"]["kinds"].as_array().unwrap();
    let samples = kinds.iter().find(|kind| kind["check"] == "sample").unwrap();
    assert_eq!(
        (number(samples, "/compared"), number(samples, "/exact")),
        (708, 708)
    );
    for part in ["attempts", "flips"] {
        assert_eq!(section["from_everything"][part]["percent"], 100.0, "{part}");
    }
    // Without probes and readings it is not known when the timer came.
    assert_eq!(section["from_events"]["attempts"]["percent"], 100.0);
    assert!(
        section["from_events"]["counters"]["percent"]
            .as_f64()
            .unwrap()
            < 50.0
    );
    let reasons = section["from_events"]["counters"]["missed"]
        .as_array()
        .unwrap();
    assert!(
        reasons.iter().any(|miss| miss["reason"] == "timer_order"),
        "{reasons:?}"
    );
    assert_eq!(section["groups"].as_array().unwrap().len(), 4);
    let flips = |section: &Value| -> usize {
        let groups = section["groups"].as_array().unwrap().iter();
        groups
            .map(|group| group["flips"].as_array().unwrap().len())
            .sum()
    };
    assert_eq!(flips(&section), 276, "138 busy intervals");
    assert_eq!(section["groups"][0]["label"], "replayed");
    // With degree 99 no node is ever busy, and that is what-if.
    let never = ask(&made.open, "cling", r#"{"degree": 99}"#);
    assert_eq!(flips(&never), 0);
    assert_eq!(never["groups"][0]["label"], "what-if");
    assert_eq!(never["what_if"]["label"], "what-if");
    assert!(number(&never, "/what_if/parts/t_ns") > 0);
    assert_eq!(section["decisions"].as_array().unwrap().len(), 639 + 64);
}

#[test]
fn events_alone_lead_to_the_samples() {
    let made = heavy(&["numa_group.jsonl"]);
    let section = ask(&made.open, "cling", "{}");
    let readings = &section["readings"];
    assert_eq!(number(readings, "/not"), 0, "{readings}");
    let reached = number(readings, "/exactly") + number(readings, "/reordered");
    assert_eq!(
        number(readings, "/adopted") + reached,
        number(readings, "/all")
    );
}

#[test]
fn a_kernel_without_cling_gets_a_what_if() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = vec!["cpus=8".to_owned()];
    let switch = |at: u32, from: &str, to: &str| {
        format!(
            "          java-101   [000] {at}.000000: sched_switch: {from} [120] S ==> {to} [120]"
        )
    };
    lines.push(switch(100, "swapper/0:0", "java:101"));
    for at in 101..104 {
        lines.push(format!(
            "          java-101   [000] {at}.000000: sched_stick_numa: src_pid=101 src_tgid=101 src_ngid=100 src_cpu=0 src_nid=0 dst_pid=0 dst_tgid=0 dst_ngid=0 dst_cpu=-1 dst_nid=-1"
        ));
    }
    lines.push(switch(130, "java:101", "swapper/0:0"));
    let trace = folder.path().join("report.txt");
    std::fs::write(&trace, lines.join("\n") + "\n").unwrap();
    let nodes = folder.path().join("numactl-H.txt");
    std::fs::write(&nodes, "node 0 cpus: 0 1 2 3\nnode 1 cpus: 4 5 6 7\n").unwrap();
    let made = try_ingest(&[trace, nodes], Limits::default()).unwrap();
    let section = ask(&made.open, "cling", "{}");
    assert_eq!(section["known_by"], "what_if", "{section}");
    let group = &section["groups"][0];
    assert_eq!(
        (&group["gid"], &group["label"]),
        (&json!(100), &json!("what-if"))
    );
    let missing = group["missing"].as_array().unwrap();
    assert!(
        missing.contains(&json!("scan_period_max_ms")),
        "{missing:?}"
    );
    // On two nodes a task of node 0 attempts to reach node 1; the timer makes that the busiest one, with 1.5 failures left.
    let node = &group["nodes"][1];
    assert_eq!((number(node, "/nid"), number(node, "/failures")), (1, 3));
    let flips = group["flips"].as_array().unwrap();
    assert_eq!(
        (&flips[0]["nid"], &flips[0]["busy"]),
        (&json!(1), &json!(true))
    );
    assert!(section["checked"].is_null() && section["from_events"].is_null());
    let section = ask(&made.open, "numa_balancing", "{}");
    assert_eq!(number(&section, "/ops/rows/migrate_failed_no_cpu"), 3);
    assert_eq!(number(&section, "/ops/rows/task_migrate_retry_failed"), 2);
}

#[test]
fn cgroups_can_be_the_groups() {
    let made = super::made(&[
        "cling-2x4-small.v7-zstd.dat",
        "samples/cling-2x4-small.cgroup.jsonl.zst",
    ]);
    let section = ask(&made.open, "cling", r#"{"groups": "cgroup"}"#);
    assert_eq!(section["known_by"], "what_if");
    let groups = section["groups"].as_array().unwrap();
    let of = |path: &str| groups.iter().find(|group| group["cgroup"] == path).unwrap();
    assert_eq!(of("/ng_A")["label"], "what-if");
    let attempts = |group: &Value| -> i64 {
        let nodes = group["nodes"].as_array().unwrap().iter();
        nodes.map(|node| number(node, "/attempts")).sum()
    };
    // Every attempt is some cgroup's, those before a task joined its group as well.
    assert_eq!(groups.iter().map(attempts).sum::<i64>(), 43);
}

#[test]
fn statistics_tell_without_a_recording() {
    let made = super::made(&["samples/automig.txt"]);
    let section = ask(&made.open, "page_migration", "{}");
    assert!(section["metrics"].is_null() && section["what_if"].is_null());
    let rows = section["table"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 20, "the published table");
    let first = &rows[0];
    assert_eq!(
        (number(first, "/cached"), number(first, "/shared")),
        (15_618, 96)
    );
    let last = &rows[19];
    assert_eq!((number(last, "/cached"), number(last, "/shared")), (300, 0));
    for law in section["table"]["laws"].as_array().unwrap() {
        assert_eq!(law["violated"], 0, "{law}");
    }
    let section = ask(&made.open, "vmstat", "{}");
    assert_eq!(section["reason"], "no input has samples of /proc/vmstat");
}

#[test]
fn counters_without_times_are_not_called_missing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vmstat.before");
    std::fs::write(
        &file,
        "nr_free_pages 123456\nnuma_hit 7890\nnuma_miss 12\npgmigrate_success 4\n",
    )
    .unwrap();
    let made = try_ingest(&[file], Limits::default()).unwrap();
    let section = ask(&made.open, "vmstat", "{}");
    let reason = section["reason"].as_str().unwrap();
    assert!(reason.contains("their times cannot be aligned"), "{reason}");
}

/// What a task ran is what its CPU was busy: the state log and the slices of tasks tell the same.
#[test]
fn groups_and_nodes_add_up_to_busy_time() {
    let made = heavy(&[]);
    let options = r#"{"step_ns": 1000000000}"#;
    let section = ask(&made.open, "placement", options);
    let use_of = ask(&made.open, "utilisation", options);
    let rows = section["groups"].as_array().unwrap();
    assert!(
        rows.len() >= 5,
        "four numa groups and the others: {section}"
    );
    for (at, node) in (0..).zip(use_of["nodes"].as_array().unwrap()) {
        let rows = rows
            .iter()
            .map(|row| number(row, &format!("/nodes/{at}/run_ns")));
        assert_eq!(rows.sum::<i64>(), number(node, "/busy_ns"), "{node}");
    }
    let all: i64 = rows.iter().map(|row| number(row, "/run_ns")).sum();
    assert_eq!(all, number(&section, "/busy_ns"));
    assert_eq!(rows[0]["whose"], "group");
    assert!(rows[0]["ngid"].as_i64().unwrap() > 0);
    assert_eq!(section["memory"], Value::Null);
    assert_eq!(section["memory_missing"], json!(["numa_maps"]));
    // Fewer rows, and the same time.
    let few = ask(&made.open, "placement", r#"{"limit": 1}"#);
    assert_eq!(few["busy_ns"], section["busy_ns"]);
    let others = few["groups"].as_array().unwrap().iter();
    let others = others.filter(|row| row["whose"] == "others");
    assert_eq!(others.map(|row| number(row, "/groups")).sum::<i64>(), 3);
    for wrong in [r#"{"limit": 0}"#, r#"{"limit": 65}"#, r#"{"step_ns": 0}"#] {
        let answer = analyse(&made.open, "placement", (0, u64::MAX), wrong, false);
        assert!(matches!(answer, Err(Error::Option(_))), "{wrong}");
    }
}
