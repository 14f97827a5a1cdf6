//! Sections over a window, and that they need no events.

use std::io::Write;

use numalens_engine::analyse;
use serde_json::{Value, json};

use super::*;

const SECTIONS: [&str; 15] = [
    "psi",
    "utilisation",
    "residency",
    "latency",
    "waste",
    "wait_windows",
    "wait_heat",
    "waits",
    "findings",
    "sampled",
    "numa_balancing",
    "cling",
    "page_migration",
    "placement",
    "idle_balancing",
];

fn ask_with(open: &Context, section: &str, window: (u64, u64), options: &str) -> Value {
    let answer = analyse(open, section, window, options, false).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

fn ask(open: &Context, section: &str) -> Value {
    ask_with(open, section, (0, u64::MAX), "{}")
}

fn refused(open: &Context, section: &str, options: &str) -> String {
    match analyse(open, section, (0, u64::MAX), options, false) {
        Err(Error::Wrong(sentence) | Error::Option(sentence)) => sentence,
        other => panic!("{section} {options}: {other:?}"),
    }
}

/// The recording that ships with the repository, with its pressure samples.
fn heavy() -> Made {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/cling-2x4-heavy");
    let inputs = ["trace.dat", "psi.jsonl", "numactl-H.txt"].map(|name| folder.join(name));
    try_ingest(&inputs, Limits::default()).unwrap()
}

#[test]
fn evidence_is_in_the_manifest() {
    let made = heavy();
    let evidence = &made.manifest["evidence"];
    assert_eq!(evidence["kernel"], json!({"major": 6, "minor": 1}));
    assert_eq!(evidence["hz"], 250);
    assert_eq!(evidence["hz_source"]["label"], "observed");
    assert_eq!(evidence["run_state"]["label"], "replayed");
    assert_eq!(evidence["iowait"]["name"], "sched_stat_iowait");
    assert!(evidence["memstall"].is_null());
    assert!(evidence["worker"].is_null());
    // Without the lines of the cling kernel the ticks show, where a busy task's runs are timed.
    let native = super::made(&["tc-small.v7-zstd.dat"]);
    assert_eq!(native.manifest["evidence"]["hz"], 250);
    assert_eq!(
        native.manifest["evidence"]["hz_source"]["missing"],
        json!(["CONFIG_HZ"])
    );
    let ingested = try_request(IngestRequest {
        inputs: named(&[sample("tc-small.v7-zstd.dat")]),
        hz: Some(1000),
        ..IngestRequest::default()
    });
    let ingested = ingested.unwrap();
    assert_eq!(ingested.manifest["evidence"]["hz"], 1000);
    assert_eq!(ingested.manifest["evidence"]["hz_source"]["name"], "user");
}

#[test]
fn a_second_reading_needs_no_events() {
    let made = heavy();
    let window = (made.open.index.origin_ns() + 1_000_000_000, u64::MAX);
    let first: Vec<Value> = SECTIONS
        .iter()
        .map(|section| ask_with(&made.open, section, window, "{}"))
        .collect();
    for (section, answer) in SECTIONS.iter().zip(&first) {
        assert_ne!(answer["available"], json!(false), "{section}: {answer}");
        assert_eq!(answer["from_ns"], json!(window.0), "{section}");
    }
    made.open.files.remove("events").unwrap();
    let again = made.reopened();
    for (section, answer) in SECTIONS.iter().zip(&first) {
        assert_eq!(
            &ask_with(&again, section, window, "{}"),
            answer,
            "{section}"
        );
    }
}

#[test]
fn replayed_pressure_is_the_kernels() {
    let made = heavy();
    let from = made.open.index.origin_ns() + 1_000_000_000;
    let psi = ask_with(&made.open, "psi", (from, u64::MAX), "{}");
    let cpu = &psi["residual"]["cpu"];
    assert_eq!(cpu["within"], true, "{cpu}");
    assert!(cpu["sampled_some_us"].as_u64().unwrap() > 1_000_000);
    let sampled = ask_with(&made.open, "sampled", (from, u64::MAX), "{}");
    assert_eq!(
        sampled["system"]["cpu"]["some_us"], cpu["sampled_some_us"],
        "the same samples"
    );
    assert_eq!(psi["rules"], "6.4");
    let other = ask_with(
        &made.open,
        "psi",
        (from, u64::MAX),
        r#"{"psi_rules": "4.20"}"#,
    );
    assert_eq!(other["system"]["cpu"]["label"], "what-if");
    assert!(other["system"]["cpu"]["full_us"].is_null());
}

#[test]
fn options_and_windows_are_looked_at() {
    let made = super::made(&["tc-small.v7-zstd.dat"]);
    let open = &made.open;
    for (section, options, part) in [
        (
            "psi",
            r#"{"psi_rules": "2.6"}"#,
            "psi_rules: expected one of 4.20, ",
        ),
        ("psi", r#"{"hz": 0}"#, "hz: expected 1 to"),
        ("psi", r#"{"step_ns": 1}"#, "unknown field `step_ns`"),
        ("utilisation", r#"{"step_ns": 0}"#, "at least 1"),
        ("waste", r#"{"step_ns": 3}"#, "at most 65536 steps"),
        ("latency", r#"{"limit": 0}"#, "limit: expected 1 to 1000"),
        (
            "residency",
            r#"{"limit": "x"}"#,
            "limit: expected 1 to 1000",
        ),
        ("sampled", r#"{"x": 1}"#, "unknown field"),
        ("cling", r#"{"degree": 101}"#, "degree: expected 0 to 100"),
        (
            "cling",
            r#"{"groups": "x"}"#,
            "groups: expected one of recorded, cgroup",
        ),
        ("page_migration", r#"{"step_ns": 0}"#, "at least 1"),
        ("page_migration", r#"{"step_ns": 3}"#, "at most 65536 steps"),
        (
            "numa_balancing",
            r#"{"limit": 0}"#,
            "limit: expected 1 to 1000",
        ),
        ("vmstat", r#"{"limit": 1}"#, "unknown field"),
        (
            "wait_heat",
            r#"{"columns": 241}"#,
            "columns: expected 1 to 240",
        ),
        (
            "waits",
            r#"{"kind": "all"}"#,
            "kind: expected one of wakeups, preempted",
        ),
        ("waits", r#"{"limit": 0}"#, "limit: expected 1 to 1000"),
        ("wait", r#"{"limit": 1}"#, "unknown field"),
        ("latency", "", "EOF"),
        ("nothing", "{}", "expected a section (psi, "),
    ] {
        let sentence = refused(open, section, options);
        assert!(sentence.contains(part), "{sentence}");
        assert_eq!(sentence.lines().count(), 1);
    }
    let (origin, end) = (open.index.origin_ns(), open.index.end_ns());
    for section in SECTIONS {
        for window in [(0, 0), (end, u64::MAX), (0, origin), (end - 1, origin + 1)] {
            let answer = ask_with(open, section, window, "{}");
            assert_eq!(answer["available"], false, "{section} {window:?}");
        }
    }
    assert!(analyse(open, "psi", (0, 0), r#"{"hz": 0}"#, false).is_err());
    let whole = ask(open, "waste");
    assert_eq!(whole["from_ns"], json!(origin));
    assert_eq!(whole["to_ns"], json!(end));
}

#[test]
fn a_bundle_of_another_version_is_refused() {
    let made = super::made(&["tc-small.v7-zstd.dat"]);
    let files = &made.open.files;
    let mut manifest = made.manifest.clone();
    manifest["schema"] = json!("numalens.bundle/9");
    files.remove("manifest.json").unwrap();
    let mut file = files.create("manifest.json").unwrap();
    file.write_all(manifest.to_string().as_bytes()).unwrap();
    drop(file);
    let refused = Open::new(Arc::clone(files)).unwrap_err().to_string();
    assert!(
        refused
            .ends_with("manifest.json: expected schema numalens.bundle/1, found numalens.bundle/9"),
        "{refused}"
    );
}

#[test]
fn samples_alone_say_why_there_are_no_waits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/cling-2x4-heavy");
    let alone = try_ingest(&[folder.join("psi.jsonl")], Limits::default()).unwrap();
    assert!(alone.manifest["evidence"].is_null());
    let answer = ask(&alone.open, "waste");
    assert_eq!(answer["available"], false);
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("no input is a recording")
    );
    let headline = ask(&alone.open, "findings");
    let headline = headline["reason"].as_str().unwrap();
    assert!(
        headline.starts_with("pressure was sampled (PSI some: cpu "),
        "{headline}"
    );
    assert!(
        headline.contains("waits were not recorded; no input is a recording"),
        "{headline}"
    );
    let sampled = ask(&alone.open, "sampled");
    let cpu = &sampled["system"]["cpu"];
    let of = |name: &str| {
        cpu[name]
            .as_str()
            .map_or_else(|| cpu[name].as_f64().unwrap(), |ns| ns.parse().unwrap())
    };
    assert!(of("some_us") > 0.0);
    // Of the time that was sampled, however much more there is around it.
    let percent = 1e5 * of("some_us") / (of("to_ns") - of("from_ns"));
    assert!(
        headline.contains(&format!("PSI some: cpu {percent:.1} %")),
        "{headline}"
    );
}

#[test]
fn what_is_missing_is_named_whatever_was_given() {
    let reason = |name: &str, text: &str| {
        let made = try_request(IngestRequest {
            inputs: one(name, text.as_bytes().to_vec()),
            ..IngestRequest::default()
        });
        let answer = ask(&made.unwrap().open, "findings");
        answer["reason"].as_str().unwrap().to_owned()
    };
    let of_topology = reason("lscpu.txt", "# CPU,Core,Socket,Node\n0,0,0,0\n1,1,0,0\n");
    assert!(
        of_topology.starts_with("no input is a recording"),
        "{of_topology}"
    );
    let of_nothing = reason("trace.txt", "# tracer: nop\n#\n");
    assert!(
        of_nothing.starts_with("the recording has no events"),
        "{of_nothing}"
    );
    let wakeup = " a-1 [000] d..2. 1.000000: sched_waking: comm=b pid=2 prio=120 target_cpu=000\n";
    let of_one = reason("trace.txt", &format!("# tracer: nop\n#\n{wakeup}"));
    assert!(
        of_one.starts_with("sched_switch was not recorded"),
        "{of_one}"
    );
}

/// Sums that a second, simple reading of the exported switches gives as well.
#[test]
fn busy_time_is_what_the_switches_say() {
    let made = super::made(&["cling-2x4-small.v7-zstd.dat"]);
    let csv = text(&made, "sched_switch");
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| names.iter().position(|found| *found == name).unwrap();
    let (cpu, next) = (column("cpu"), column("next_pid"));
    let (from, to) = (
        made.open.index.origin_ns() + 200_000_000,
        made.open.index.end_ns() - 100_000_000,
    );
    let mut running: BTreeMap<u64, (u64, bool)> = BTreeMap::new();
    let mut busy: BTreeMap<u64, u64> = BTreeMap::new();
    let mut add = |cpu: u64, since: u64, until: u64, task: bool| {
        let overlap = until.min(to).saturating_sub(since.max(from));
        *busy.entry(cpu).or_default() += if task { overlap } else { 0 };
    };
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse::<u64>().unwrap();
        let is = (number(0), number(next) != 0);
        if let Some((since, task)) = running.insert(number(cpu), is) {
            add(number(cpu), since, is.0, task);
        }
    }
    for (cpu, (since, task)) in running {
        add(cpu, since, to, task);
    }
    let answer = ask_with(&made.open, "utilisation", (from, to), "{}");
    let cpus = answer["cpus"].as_array().unwrap();
    assert_eq!(cpus.len(), busy.len());
    for cpu in cpus {
        assert_eq!(cpu["busy_ns"], json!(busy[&cpu["cpu"].as_u64().unwrap()]));
        let all = ["busy_ns", "idle_ns", "unknown_ns"].map(|name| cpu[name].as_u64().unwrap());
        assert_eq!(all.iter().sum::<u64>(), to - from);
    }
    let latency = ask_with(&made.open, "latency", (from, to), "{}");
    for wait in latency["worst"].as_array().unwrap() {
        let causes = wait["causes"].as_array().unwrap();
        let sum: u64 = causes
            .iter()
            .map(|cause| cause["ns"].as_u64().unwrap())
            .sum();
        assert_eq!(json!(sum), wait["wait_ns"], "{wait}");
    }
    let residency = ask_with(&made.open, "residency", (from, to), r#"{"limit": 1000}"#);
    let tasks = residency["tasks"].as_array().unwrap();
    let run: u64 = tasks
        .iter()
        .map(|task| task["run_ns"].as_u64().unwrap())
        .sum();
    assert_eq!(
        run,
        busy.values().sum::<u64>(),
        "tasks ran while CPUs were busy"
    );
}

#[test]
fn waits_by_window_add_up_to_the_latency() {
    let made = heavy();
    let latency = ask(&made.open, "latency");
    let section = ask(&made.open, "wait_windows");
    assert_eq!(section["step_ns"], 1_000_000_000);
    assert_eq!(section["wakeups"], latency["wakeups"]);
    assert_eq!(section["label"], "replayed");
    let counts = section["histogram"]["counts"].as_array().unwrap();
    let edges = section["histogram"]["edges_ns"].as_array().unwrap();
    assert_eq!(counts.len(), edges.len() + 1);
    let sum: u64 = counts.iter().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(sum, latency["wakeups"].as_u64().unwrap());
    // 45.3 s: the last third of a second is in no window.
    assert_eq!(section["windows"].as_array().unwrap().len(), 45);
    let longest = section["windows"].as_array().unwrap().iter();
    let longest = longest.filter_map(|window| window["max_ns"].as_u64()).max();
    assert_eq!(longest, latency["max_ns"].as_u64());
    let why = refused(&made.open, "wait_windows", "{\"step_ns\": 0}");
    assert!(why.contains("step_ns"), "{why}");
}

#[test]
fn rows_are_compared() {
    let query = json!({"by": "windows", "base": 1, "rows": [
        {"better": "lower", "sides": [
            [{"values": [30.0], "seconds": 10.0}],
            [{"values": [40.0], "seconds": 20.0}],
            [],
        ]},
        {"better": "higher", "sides": [[{"values": [1.0, 2.0]}], [{"values": [4.0, 4.0]}], [{"values": [2.0]}]]},
    ]});
    let compared = numalens_engine::compare_rows(&query.to_string()).unwrap();
    let compared: Value = serde_json::from_str(&compared).unwrap();
    assert_eq!(compared[0]["sides"][0]["percent"], -50.0);
    assert_eq!(compared[0]["sides"][1]["mean"], 2.0);
    assert_eq!(
        compared[0]["sides"][2],
        json!({"total": null, "mean": null, "summary": null, "percent": null, "t_test": null,
        "intervals": null, "cell_2020": null, "cell_2024": null, "change_mean": null, "change_median": null})
    );
    assert_eq!(compared[1]["mean"], "harmonic");
    for (query, why) in [
        (
            json!({"by": "windows", "base": 2, "rows": [{"better": "lower", "sides": [[], []]}]}),
            "base below 2",
        ),
        (json!({"by": "days", "base": 0, "rows": []}), "days"),
        (
            json!({"by": "runs", "base": 0, "rows": [{"better": "lower", "sides": [[{"values": [1.0], "seconds": 0.0}]]}]}),
            "seconds above 0",
        ),
    ] {
        match numalens_engine::compare_rows(&query.to_string()) {
            Err(Error::Wrong(sentence)) => assert!(sentence.contains(why), "{sentence}"),
            other => panic!("{query}: {other:?}"),
        }
    }
}
