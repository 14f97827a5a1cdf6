//! Distances of moves and wakeups, and the caches that processes would prefer, by what the topology says that CPUs share.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;

use numalens_bundle::{IngestRequest, Memory, Open, Progress, ingest};
use numalens_columns::ByteSource;
use numalens_llc::SUBJECT;
use numalens_subject::Context;
use serde_json::{Value, json};

/// Four CPUs on one node, with two last-level caches.
const CACHES: &str = "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3
0,0,0,0,,0,0,0,0
1,1,0,0,,1,1,1,0
2,2,0,0,,2,2,2,1
3,3,0,0,,3,3,3,1
";

/// A task: its name and pid.
type Task = (&'static str, i32);

const IDLE: Task = ("swapper", 0);
const DB: Task = ("db", 7);
const SIBLING: Task = ("db", 8);
const OTHER: Task = ("other", 9);

/// Recording as text; times in µs after second 10.
#[derive(Default)]
struct Trace(String);

impl Trace {
    fn event(&mut self, cpu: u32, us: u64, (comm, pid): Task, event: &str) {
        let line = format!("{comm}-{pid} [{cpu:03}] d..2. 10.{us:06}: {event}\n");
        self.0.push_str(&line);
    }

    fn switch(&mut self, cpu: u32, us: u64, from: Task, state: &str, to: Task) {
        let event = format!(
            "sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={} next_pid={} next_prio=120",
            from.0, from.1, to.0, to.1
        );
        self.event(cpu, us, from, &event);
    }

    fn migrate(&mut self, us: u64, (comm, pid): Task, from: u32, to: u32) {
        let event = format!(
            "sched_migrate_task: comm={comm} pid={pid} prio=120 orig_cpu={from} dest_cpu={to}"
        );
        self.event(to, us, OTHER, &event);
    }
}

/// The answer of the section to these inputs.
fn distances<const N: usize>(inputs: [(&str, &str); N]) -> Value {
    let files = Memory::default();
    let inputs = inputs.map(|(name, text)| {
        let source: Box<dyn ByteSource> = Box::new(text.as_bytes().to_vec());
        (name.to_owned(), source)
    });
    let request = IngestRequest {
        inputs: inputs.into(),
        ..IngestRequest::default()
    };
    ingest(request, &files, &mut Progress::new(None)).unwrap();
    let open = Context::new(Open::new(Arc::new(files)).unwrap());
    let window = (open.index.origin_ns(), open.index.end_ns());
    let answer = (SUBJECT.sections[0].answer)(&open, window, "{}").unwrap();
    serde_json::from_slice(&answer).unwrap()
}

/// A number in the row of a distance; `None` without such a row.
fn of(answer: &Value, distance: &str, name: &str) -> Option<u64> {
    let mut rows = answer["rows"].as_array().unwrap().iter();
    rows.find(|row| row["distance"] == distance)?[name].as_u64()
}

fn has(list: &Value, part: &str) -> bool {
    let mut list = list.as_array().unwrap().iter();
    list.any(|text| text.as_str().unwrap().contains(part))
}

#[test]
fn distances_are_by_what_the_topology_says() {
    let mut trace = Trace::default();
    trace.switch(1, 0, IDLE, "R", OTHER);
    trace.switch(1, 1_000, OTHER, "S", IDLE);
    trace.switch(0, 2_000, IDLE, "R", DB);
    for event in ["sched_waking", "sched_wakeup"] {
        let event = format!("{event}: comm=db pid=8 prio=120 target_cpu=000");
        trace.event(0, 10_000, IDLE, &event);
    }
    trace.migrate(11_000, SIBLING, 1, 0);
    trace.switch(0, 50_000, DB, "S", SIBLING);
    trace.switch(0, 100_000, SIBLING, "S", IDLE);
    let three: String = CACHES.split_inclusive('\n').take(4).collect();
    let found = distances([("trace.txt", &trace.0), ("lscpu.txt", &three)]);
    assert_eq!(found["llcs"], json!([[0, 1], [2]]));
    assert_eq!(of(&found, "llc", "moved"), Some(1));
    assert_eq!(of(&found, "node", "moved"), Some(0));
    assert_eq!(of(&found, "same_cpu", "wakeups"), Some(1));
    assert!(of(&found, "same_cpu", "waits") >= Some(1));
    // It was woken from its own CPU at 10.010 s and ran at 10.050 s.
    assert_eq!(of(&found, "same_cpu", "woken_wait_ns"), Some(40_000_000));
    assert_eq!(of(&found, "llc", "woken_wait_ns"), Some(0));
    assert_eq!(found["processes"], json!([]), "nothing names a process");

    let found = distances([("trace.txt", &trace.0)]);
    assert_eq!(found["llcs"], json!([]));
    assert!(has(&found["missing"], "last-level cache"));
    assert_eq!(of(&found, "node", "moved"), Some(1));
}

/// Thread 7 of a process runs on CPU 0 for 50 ms, is moved below the other cache, back, and there again.
fn moving() -> Trace {
    let mut trace = Trace::default();
    trace.switch(0, 0, IDLE, "R", SIBLING);
    trace.switch(0, 1_000, SIBLING, "S", IDLE);
    trace.switch(0, 10_000, IDLE, "R", DB);
    for (cpu, left, dest) in [(0, 60_000, 2), (2, 110_000, 1), (1, 130_000, 3)] {
        trace.switch(cpu, left, DB, "R", if cpu == 0 { OTHER } else { IDLE });
        trace.migrate(left + 10, DB, cpu, dest);
        trace.switch(dest, left + 20, IDLE, "R", DB);
    }
    trace.switch(0, 209_000, OTHER, "S", IDLE);
    trace.switch(3, 210_000, DB, "S", IDLE);
    trace
}

/// Samples of the threads: two of process 7, and process 9.
fn samples() -> String {
    let sched = "#threads: 2)\\n-------------\\nse.exec_start   :   10000.0\\nprio            :   120\\nnuma_pages_migrated : 0\\n";
    let sample = |(pid, tid): (i32, i32)| {
        format!(
            r#"{{"idx": 0, "mono_ns": 10020000000, "pid": {pid}, "tid": {tid}, "comm": "db", "sched": "db ({tid}, {sched}"}}"#
        ) + "\n"
    };
    [(7, 7), (7, 8), (9, 9)].map(sample).concat()
}

#[test]
fn processes_have_a_cache_that_they_would_prefer() {
    let (trace, tasks) = (moving().0, samples());
    let recorded = ("trace.txt", trace.as_str());
    let found = distances([recorded, ("lscpu.txt", CACHES), ("tasks.jsonl", &tasks)]);
    let whole = &found["by_process"];
    let (db, other) = (&whole["processes"][0], &whole["processes"][1]);
    let ns = |of: &Value, name: &str| of[name].as_u64().unwrap();
    assert_eq!(
        (&db["comm"], ns(db, "tgid"), ns(db, "threads")),
        (&json!("db"), 7, 2)
    );
    let ran = [0, 1].map(|llc| (db["by_llc_ns"][llc].as_u64().unwrap() + 500_000) / 1_000_000);
    assert_eq!(ran, [71, 130]);
    // It prefers the first cache until it has left it for another task, then the second one; it comes back and goes again.
    let preferred = ["preferred", "changes", "away", "to"].map(|name| ns(db, name));
    assert_eq!(preferred, [1, 2, 2, 1]);
    assert!(ns(db, "in_preferred_ns") < ns(db, "preferring_ns"));
    assert!(ns(db, "preferring_ns") < ns(db, "run_ns"));
    assert_eq!(
        (ns(other, "tgid"), &other["preferred"]),
        (9, &Value::Null),
        "it has one thread"
    );
    assert_eq!((ns(other, "away"), ns(other, "to")), (0, 0));
    // The other process ran all its time where it was.
    let processes = found["processes"].as_array().unwrap();
    assert_eq!((processes.len(), ns(&processes[0], "tgid")), (1, 7));
    assert_eq!(of(&processes[0], "node", "moved"), Some(3));
    assert_eq!(of(&processes[0], "llc", "moved"), Some(0));
    assert_eq!(of(&found, "node", "moved"), Some(3));
    assert_eq!(
        (&whole["preferred_provenance"], ns(whole, "unknown_ns")),
        (&json!("what-if"), 0)
    );
    assert!(has(&whole["preferred_missing"], "footprint"));

    let unknown = &distances([recorded, ("lscpu.txt", CACHES)])["by_process"];
    assert_eq!(unknown["processes"], json!([]));
    assert_eq!(
        ns(unknown, "unknown_ns"),
        ns(db, "run_ns") + ns(other, "run_ns")
    );
    assert!(has(&unknown["missing"], "the process of some tasks"));

    let one = CACHES.replace(",1\n", ",0\n");
    let found = distances([recorded, ("lscpu.txt", &one), ("tasks.jsonl", &tasks)]);
    assert_eq!(found["by_process"], Value::Null);
}
