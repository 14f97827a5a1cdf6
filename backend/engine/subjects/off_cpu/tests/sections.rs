//! The sections over a recording with a log of requests, and findings, each with a case and a look-alike.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write as _;
use std::sync::Arc;

use numalens_bundle::{IngestRequest, Memory, Open, Progress, ingest};
use numalens_columns::ByteSource;
use numalens_off_cpu::findings::halted::{Halt, Halted};
use numalens_off_cpu::findings::{Facts, detect};
use numalens_off_cpu::{
    Ledger, Question, SUBJECT, SleepCause, SlowPlace, SlowSleep, SlowSleeps, slow_sleeps,
};
use numalens_subject::Context;
use numalens_subject::findings::Severity;
use serde_json::{Value, json};

const MS: u64 = 1_000_000;
/// The recordings begin at second 1.
const BEGIN_NS: u64 = 1_000_000_000;

/// A line of a recording: µs after second 1, CPU, task, flags, event.
fn line(us: u64, cpu: u32, task: (&str, i32), flags: &str, event: &str) -> String {
    let (comm, pid) = task;
    format!(" {comm}-{pid} [{cpu:03}] {flags} 1.{us:06}: {event}\n")
}

fn switch(us: u64, cpu: u32, from: (&str, i32), state: &str, to: (&str, i32)) -> String {
    let event = format!(
        "sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={} next_pid={} next_prio=120",
        from.0, from.1, to.0, to.1
    );
    line(us, cpu, from, "d..2.", &event)
}

fn wake(us: u64, cpu: u32, by: (&str, i32), woken: (&str, i32)) -> String {
    let event = |name: &str| {
        format!(
            "{name}: comm={} pid={} prio=120 target_cpu=000",
            woken.0, woken.1
        )
    };
    line(us, cpu, by, "d..2.", &event("sched_waking"))
        + &line(us, cpu, by, "d..2.", &event("sched_wakeup"))
}

const IDLE: (&str, i32) = ("swapper", 0);
const SERVER: (&str, i32) = ("server", 10);
const KEEPER: (&str, i32) = ("keeper", 30);
const CLIENT: (&str, i32) = ("client", 20);

/// The client sends ten requests, 50 ms apart. The server answers each after 100 µs, the last one 40 ms later: it waits for the keeper.
fn recording() -> String {
    let mut text = "# tracer: nop\n#\n".to_owned();
    text += &switch(0, 0, SERVER, "S", IDLE);
    text += &switch(1, 1, IDLE, "R", CLIENT);
    for at in 0..10 {
        let us = 10_000 + at * 50_000;
        text += &wake(us, 1, CLIENT, SERVER);
        text += &switch(us + 10, 0, IDLE, "R", SERVER);
        text += &switch(us + 20, 1, CLIENT, "S", KEEPER);
        if at == 9 {
            text += &switch(us + 30, 0, SERVER, "S", IDLE);
            text += &wake(us + 40_030, 1, KEEPER, SERVER);
            text += &switch(us + 40_040, 0, IDLE, "R", SERVER);
        }
        let end = if at == 9 { us + 40_100 } else { us + 100 };
        text += &wake(end, 0, SERVER, CLIENT);
        text += &switch(end + 10, 0, SERVER, "S", IDLE);
        text += &switch(end + 20, 1, KEEPER, "R", CLIENT);
    }
    text += &switch(600_000, 1, CLIENT, "S", IDLE);
    text
}

/// The log of the client, with the thread that served if `tid`.
fn log(tid: bool) -> String {
    let mut text = if tid {
        "start_us,duration_us,tid\n".to_owned()
    } else {
        "start_us,duration_us\n".to_owned()
    };
    for at in 0..10 {
        let start = 1_000_000 + 10_000 + at * 50_000;
        let duration = if at == 9 { 40_120 } else { 120 };
        let thread = if tid { ",10" } else { "" };
        writeln!(text, "{start},{duration}{thread}").unwrap();
    }
    text
}

fn opened(log: Option<String>) -> Context {
    with_log(recording(), log)
}

fn with_log(trace: String, log: Option<String>) -> Context {
    let mut inputs = vec![("trace.txt", trace)];
    inputs.extend(log.map(|log| ("client.csv", log)));
    of_inputs(inputs)
}

fn of_inputs(inputs: Vec<(&str, String)>) -> Context {
    let files = Memory::default();
    let inputs = inputs.into_iter().map(|(name, text)| {
        let source: Box<dyn ByteSource> = Box::new(text.into_bytes());
        (name.to_owned(), source)
    });
    let request = IngestRequest {
        inputs: inputs.collect(),
        ..IngestRequest::default()
    };
    ingest(request, &files, &mut Progress::new(None)).unwrap();
    Context::new(Open::new(Arc::new(files)).unwrap())
}

fn section(open: &Context, name: &str, window: (u64, u64), options: &Value) -> Value {
    let section = SUBJECT
        .sections
        .iter()
        .find(|one| one.name == name)
        .unwrap();
    let answer = (section.answer)(open, window, &options.to_string()).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

const WHOLE: (u64, u64) = (0, u64::MAX);

#[test]
fn a_log_of_requests_is_an_input() {
    let open = opened(Some(log(true)));
    let manifest: Value = serde_json::from_str(&open.manifest).unwrap();
    assert_eq!(manifest["inputs"][1]["kind"], "requests");
    assert_eq!(manifest["inputs"][1]["samples"], 10);
    // The log names who served: no task is needed.
    let answer = section(&open, "explain", WHOLE, &json!({}));
    assert_eq!(answer["task"]["comm"], "server");
    assert_eq!(answer["requests"]["count"], 10);
    let slow = &answer["requests"]["slow"];
    assert_eq!(
        (&slow["count"], &slow["causes"][0]["by"]),
        (&json!(1), &json!("keeper"))
    );
    let sum: f64 = slow["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["ms"].as_f64().unwrap())
        .sum();
    assert!((sum - 40.12).abs() < 1e-6, "{sum}");

    // Without a log, it is a task's time alone.
    let open = opened(None);
    let answer = section(&open, "explain", WHOLE, &json!({"task": "server"}));
    assert!(answer["requests"].is_null());
    let none = section(&open, "explain", WHOLE, &json!({}));
    assert_eq!(none["available"], false);
    assert_eq!(
        section(&open, "requests", WHOLE, &json!({"task": "server"}))["available"],
        false
    );
}

#[test]
fn the_slow_requests_are_points_with_their_cause() {
    let open = opened(Some(log(true)));
    let all = section(&open, "requests", WHOLE, &json!({}));
    assert_eq!(
        (&all["count"], &all["slow"], &all["left_out"]),
        (&json!(10), &json!(1), &json!(0))
    );
    let points = all["points"].as_array().unwrap();
    assert_eq!(points.len(), 10);
    assert!(points[..9].iter().all(|one| one["cause"].is_null()));
    assert_eq!(points[9]["cause"]["by"], "keeper");
    // A limit keeps the slow one.
    let few = section(&open, "requests", WHOLE, &json!({"limit": 3}));
    let points = few["points"].as_array().unwrap();
    assert!(
        points.len() <= 3 && points.last().unwrap()["ns"] == 40_120_000,
        "{few}"
    );
    // A window has those inside.
    let begun = section(&open, "requests", (0, BEGIN_NS + 100 * MS), &json!({}));
    assert_eq!(begun["count"], 2);
}

#[test]
fn the_sleep_around_a_moment_is_found_whole() {
    let open = opened(None);
    let middle = BEGIN_NS + 480 * MS;
    let answer = section(&open, "sleeps", (middle, middle + 1), &json!({"pid": 10}));
    let sleeps = answer["sleeps"].as_array().unwrap();
    assert_eq!(sleeps.len(), 1);
    let sleep = &sleeps[0];
    assert_eq!(sleep["from_ns"], BEGIN_NS + 460_030_000);
    assert_eq!(sleep["to_ns"], BEGIN_NS + 500_030_000);
    assert_eq!(
        (&sleep["waker"]["comm"], &sleep["state"]),
        (&json!("keeper"), &json!("S"))
    );
    // The longest stay where there are more than the limit.
    let longest = section(&open, "sleeps", WHOLE, &json!({"pid": 10, "limit": 1}));
    assert_eq!(longest["sleeps"].as_array().unwrap().len(), 1);
    assert!(longest["left_out"].as_u64().unwrap() >= 9);
    assert_eq!(
        section(&open, "sleeps", WHOLE, &json!({"pid": 99}))["available"],
        false
    );
}

#[test]
fn the_table_of_all_sleeps_is_that_of_each_task() {
    let open = opened(None);
    let ledger = Ledger::new(&open).unwrap();
    let mut all = Vec::new();
    let mut keep = |pid, sleep| {
        all.push((pid, sleep));
        Ok(())
    };
    ledger.each_sleep((0, u64::MAX), &mut keep).unwrap();
    for pid in [10, 20, 30] {
        let own: Vec<_> = all
            .iter()
            .filter(|one| one.0 == pid)
            .map(|one| &one.1)
            .collect();
        let alone = Ledger::new(&open)
            .unwrap()
            .sleeps(pid, 0, u64::MAX)
            .unwrap();
        assert_eq!(own, alone.iter().collect::<Vec<_>>());
    }
    assert!(!all.is_empty());
}

#[test]
fn the_service_is_the_one_that_a_client_wakes_and_that_wakes_the_client() {
    let service = |trace: String, log: String| {
        let open = with_log(trace, Some(log));
        section(&open, "explain", WHOLE, &json!({}))
    };
    // Its clock is not named: the client and its server determine the offset.
    let found = service(recording(), log(false));
    assert_eq!(found["task"]["comm"], "server", "{found}");
    assert_eq!(found["requests"]["count"], 10);
    let later = log(false)
        .replace(",120", ",5120")
        .replace(",40120", ",45120");
    let found = service(recording(), later);
    assert_eq!(
        found["task"]["comm"], "server",
        "The client waited 5 ms for a CPU before it took the time: {found}"
    );
    // Another task wakes the client: the server may not have answered.
    let other = recording().replace("server-10 [000] d..2.", "keeper-30 [000] d..2.");
    let found = service(other, log(false));
    assert_eq!(found["available"], false, "{found}");
}

fn halted(halt: Halt, pid: i32, from_ms: u64, ms: u64) -> Halted {
    Halted {
        halt,
        pid,
        comm: "db".to_owned(),
        from_ns: from_ms * MS,
        to_ns: (from_ms + ms) * MS,
        by: Some("runc".to_owned()),
        signal: None,
    }
}

fn of_halted(halted: &[Halted]) -> Vec<(&'static str, f64)> {
    let found = detect(&Facts {
        from_ns: 0,
        to_ns: 10_000 * MS,
        halted,
        requests: None,
    });
    found.iter().map(|one| (one.id, one.impact_ms)).collect()
}

#[test]
fn tasks_that_are_kept_from_running_are_found_by_what_kept_them() {
    let each = [
        halted(Halt::Frozen, 1, 100, 200),
        halted(Halt::Frozen, 2, 100, 100),
        halted(Halt::Stopped, 1, 500, 150),
        halted(Halt::Traced, 3, 700, 110),
    ];
    assert_eq!(
        of_halted(&each),
        [("FROZEN", 300.0), ("STOPPED", 150.0), ("TRACED", 110.0)]
    );
    let found = detect(&Facts {
        from_ns: 0,
        to_ns: 10_000 * MS,
        halted: &each[..2],
        requests: None,
    });
    assert_eq!(
        found[0].summary,
        "db (2 tasks) was frozen for 300.0 ms; longest 200.0 ms, 0.100 s into the window; runc thawed it: CPUs are not the cause."
    );
    assert_eq!(
        (found[0].severity, found[0].occurrences.count),
        (Severity::Low, 2)
    );
    let mut signaled = halted(Halt::Stopped, 1, 500, 150);
    signaled.signal = Some("SIGSTOP from runc".to_owned());
    let found = detect(&Facts {
        from_ns: 0,
        to_ns: 10_000 * MS,
        halted: &[signaled],
        requests: None,
    });
    let summary = &found[0].summary;
    assert!(
        summary.starts_with("db was stopped by a signal (SIGSTOP from runc) for 150.0 ms"),
        "{summary}"
    );
    // Less than 1 % of the window is what a shell or a profiler does in passing.
    assert!(of_halted(&[halted(Halt::Stopped, 1, 500, 99)]).is_empty());
    assert!(of_halted(&[]).is_empty());
}

fn slow(cause: SleepCause, by: i32, share: u64, median_ns: u64) -> SlowSleeps {
    let part = SlowSleep {
        cause,
        by,
        by_comm: (by > 0).then(|| "keeper".to_owned()),
        of_client: false,
        resource: None,
        ns: share * MS,
        late_ns: None,
        main_activity: Some(("running".to_owned(), share * MS)),
        places: vec![SlowPlace {
            from_ns: 0,
            to_ns: 100 * MS,
            ns: share * MS,
            pid: Some(7),
        }],
    };
    SlowSleeps {
        service: "db".to_owned(),
        count: 100,
        slow: 1,
        total_ns: 100 * MS,
        from_ns: 100 * MS,
        median_ns,
        parts: vec![part],
    }
}

fn of_slow(slow: &SlowSleeps) -> Vec<&'static str> {
    let found = detect(&Facts {
        from_ns: 0,
        to_ns: 10_000 * MS,
        halted: &[],
        requests: Some(slow),
    });
    found.iter().map(|one| one.id).collect()
}

#[test]
fn what_slow_requests_alone_wait_for_is_found() {
    assert_eq!(
        of_slow(&slow(SleepCause::UserLock, 30, 90, MS)),
        ["LOCK_HOLDER"]
    );
    assert_eq!(of_slow(&slow(SleepCause::Disk, 0, 40, MS)), ["DISK_SLOW"]);
    assert_eq!(
        of_slow(&slow(SleepCause::Process, 30, 90, MS)),
        ["PEER_SLOW"]
    );
    assert_eq!(
        of_slow(&slow(SleepCause::Memory, 0, 40, MS)),
        ["RECLAIM_STALL"]
    );
    // All requests wait so long for it.
    assert!(of_slow(&slow(SleepCause::Memory, 0, 90, 80 * MS)).is_empty());
    assert!(of_slow(&slow(SleepCause::UserLock, 30, 90, 80 * MS)).is_empty());
    // Most of their time went elsewhere.
    assert!(of_slow(&slow(SleepCause::UserLock, 30, 29, MS)).is_empty());
    // Waiting for a timer is not waiting for a peer.
    let timer = |median_ns| of_slow(&slow(SleepCause::Timer, 0, 90, median_ns));
    assert_eq!(timer(MS), ["SLEPT_TOO_LONG"]);
    assert!(timer(80 * MS).is_empty());
    // The peer of a wakeup without a task is not known.
    assert!(of_slow(&slow(SleepCause::Socket, 0, 90, MS)).is_empty());
    // The client of the service is no peer: it asks the next question when it likes.
    let mut client = slow(SleepCause::Process, 30, 90, MS);
    client.parts[0].of_client = true;
    assert!(of_slow(&client).is_empty());
}

#[test]
fn a_timer_is_late_by_the_time_from_when_it_was_due() {
    let slept = |due_ns: u64| {
        let mut text = switch(0, 0, IDLE, "R", SERVER);
        let start = format!(
            "hrtimer_start: hrtimer=0x20 function=hrtimer_wakeup expires={due_ns} softexpires={due_ns}"
        );
        text += &line(50, 0, SERVER, "d..2.", &start);
        text += &switch(100, 0, SERVER, "S", IDLE);
        let expire = "hrtimer_expire_entry: hrtimer=0x20 function=hrtimer_wakeup now=9000000";
        text += &line(8_000, 0, IDLE, "d.h2.", expire);
        let waking = "sched_waking: comm=server pid=10 prio=120 target_cpu=000";
        text += &line(8_001, 0, IDLE, "d.h2.", waking);
        text += &switch(8_010, 0, IDLE, "R", SERVER);
        text += &switch(9_000, 0, SERVER, "S", IDLE);
        let log = "start_us,duration_us,tid\n1000000,8100,10\n".to_owned();
        let open = with_log(format!("# tracer: nop\n#\n{text}"), Some(log));
        slow_sleeps(&open, &Question::default()).unwrap().unwrap()
    };
    assert_eq!(slept(3_000_000).parts[0].late_ns, Some(6 * MS));
    let mut late = slept(8_999_000);
    assert_eq!(late.parts[0].late_ns, Some(1_000));
    // Most requests are short.
    late.median_ns = MS;
    let found = detect(&Facts {
        from_ns: 0,
        to_ns: 10_000 * MS,
        halted: &[],
        requests: Some(&late),
    });
    let summary = &found[0].summary;
    assert!(
        summary.ends_with("; the timers were 1.0 µs late."),
        "{summary}"
    );
    // Its start was not recorded, or another clock's.
    assert_eq!(slept(9_000_001).parts[0].late_ns, None);
}

#[test]
fn tasks_of_a_name_are_one_peer_and_the_verdict_is_short() {
    let mut slow = slow(SleepCause::Socket, 30, 20, MS);
    let mut other = slow.parts[0].clone();
    other.by = 31;
    slow.parts.push(other);
    let found = detect(&Facts {
        from_ns: 0,
        to_ns: 10_000 * MS,
        halted: &[],
        requests: Some(&slow),
    });
    assert_eq!((found[0].id, found[0].impact_ms), ("PEER_SLOW", 40.0));
    assert_eq!(
        found[0].verdict.as_deref(),
        Some("db: the slowest of 100 requests (100.0 ms or more) waited for keeper")
    );
    assert_eq!(
        found[0].summary,
        "Of 100 requests to db, the slowest took 100.0 ms or more and waited for keeper (2 tasks) for 40 % of their time. keeper spent 100 % of this time running."
    );
    // One with more than half of the time is named.
    slow.parts[1].ns += MS;
    let found = detect(&Facts {
        from_ns: 0,
        to_ns: 10_000 * MS,
        halted: &[],
        requests: Some(&slow),
    });
    let summary = &found[0].summary;
    assert!(summary.contains("keeper (mostly 31)"), "{summary}");
    slow.parts[1].ns -= MS;
    // Different names are different peers, each with too little.
    slow.parts[1].by_comm = Some("other".to_owned());
    assert!(of_slow(&slow).is_empty());
}

#[test]
fn a_log_alone_says_what_is_missing() {
    let open = of_inputs(vec![("client.csv", log(false))]);
    let answer = section(&open, "explain", WHOLE, &json!({}));
    let reason = answer.to_string();
    assert!(
        reason.contains("this is a log of requests: add the recording"),
        "{reason}"
    );
    let open = opened(None);
    let answer = section(&open, "explain", (0, 1), &json!({"task": "server"}));
    assert!(answer.to_string().contains("no time in common"), "{answer}");
}
