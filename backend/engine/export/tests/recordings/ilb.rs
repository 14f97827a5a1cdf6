//! The section about the idle load balancer.

use numalens_engine::analyse;
use serde_json::{Value, json};

use super::*;

fn ask(open: &Context, section: &str, options: &str) -> Value {
    let answer = analyse(open, section, (0, u64::MAX), options, false).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

/// Two CPUs: a task waits on CPU 0 while CPU 1 is idle and its tick is stopped. Its first kick is handled and pulls the task;
/// the second one is dropped.
fn lines() -> Vec<String> {
    let line = |task: &str, cpu: u32, at: u32, event: &str| {
        format!("{task:>16} [00{cpu}] 100.{at:06}: {event}")
    };
    let idle = |at, event: &str| line("<idle>-0", 1, at, event);
    let busy = |at, event: &str| line("a-101", 0, at, event);
    let tick = |at, nr: u32| {
        busy(
            at,
            &format!("trigger_lb: (ffffffff81000000) cpu=0 nr_running={nr} idle_balance=0"),
        )
    };
    vec![
        "cpus=2".to_owned(),
        line(
            "swapper/0-0",
            0,
            1,
            "sched_switch: swapper/0:0 [120] R ==> a:101 [120]",
        ),
        line(
            "b-102",
            1,
            2,
            "sched_switch: b:102 [120] S ==> swapper/1:0 [120]",
        ),
        idle(100, "tick_stop: success=1 dependency=NONE"),
        busy(200, "sched_wakeup: c:103 [120] success=1 CPU:000"),
        tick(4_000, 2),
        idle(
            4_030,
            "nohz_csd_func: (ffffffff81000000) cpu=1 nohz_flags=0xb",
        ),
        idle(4_031, "softirq_raise: vec=7 [action=SCHED]"),
        idle(4_032, "softirq_entry: vec=7 [action=SCHED]"),
        idle(4_033, "nohz_ilb: (ffffffff81000000) cpu=1 flags=0xb"),
        idle(
            4_035,
            "sched_migrate_task: comm=c pid=103 prio=120 orig_cpu=0 dest_cpu=1",
        ),
        idle(4_040, "softirq_exit: vec=7 [action=SCHED]"),
        idle(4_300, "sched_switch: swapper/1:0 [120] R ==> c:103 [120]"),
        line(
            "c-103",
            1,
            5_000,
            "sched_switch: c:103 [120] S ==> swapper/1:0 [120]",
        ),
        idle(5_100, "tick_stop: success=1 dependency=NONE"),
        busy(6_000, "sched_wakeup: d:104 [120] success=1 CPU:000"),
        tick(8_000, 2),
        idle(
            8_030,
            "nohz_csd_func: (ffffffff81000000) cpu=1 nohz_flags=0xb",
        ),
        tick(12_000, 2),
        idle(12_500, "sched_switch: swapper/1:0 [120] R ==> b:102 [120]"),
        // Nothing came of the second kick, and CPU 1 leaves the mask.
        line(
            "b-102",
            1,
            16_000,
            "trigger_lb: (ffffffff81000000) cpu=1 nr_running=1 idle_balance=0",
        ),
        busy(20_000, "sched_switch: a:101 [120] S ==> d:104 [120]"),
    ]
}

fn kicked(change: impl FnOnce(&mut Vec<String>)) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = lines();
    change(&mut lines);
    let trace = folder.path().join("report.txt");
    std::fs::write(&trace, lines.join("\n") + "\n").unwrap();
    try_ingest(&[trace], Limits::default()).unwrap()
}

#[test]
fn recorded_kicks_are_listed_with_what_became_of_them() {
    let made = kicked(|_| ());
    let section = ask(&made.open, "idle_balancing", "{}");
    let kicks = &section["kicks"];
    let count = |name: &str| kicks[name].as_u64().unwrap();
    assert_eq!(
        (
            count("sent"),
            count("handled"),
            count("dropped"),
            count("not_seen")
        ),
        (2, 1, 1, 0),
        "{section}"
    );
    assert_eq!(
        (&kicks["label"], &section["model"]),
        (&json!("observed"), &json!("modern"))
    );
    let passes = &section["passes"];
    assert_eq!(
        (&passes["count"], &passes["migrations"]),
        (&json!(1), &json!(1))
    );
    let events = section["events"].as_array().unwrap();
    let fates: Vec<&Value> = events
        .iter()
        .filter(|event| event["kind"] == "kick_sent")
        .map(|event| &event["fate"])
        .collect();
    assert_eq!(fates, [&json!("handled"), &json!("dropped")]);
    let first = events
        .iter()
        .find(|event| event["kind"] == "kick_sent")
        .unwrap();
    assert_eq!(
        (
            &first["target"],
            &first["arrived_ns"],
            &first["handled_ns"],
            &first["flags"]
        ),
        (
            &json!(1),
            &json!(100_004_030_000_u64),
            &json!(100_004_031_000_u64),
            &json!(0xb)
        )
    );
    let compared = &section["comparison"];
    assert_eq!(compared["observed"], 2);
    let rows = compared["reasons"].as_array().unwrap().iter();
    let sum: u64 = rows
        .map(|row| row["both"].as_u64().unwrap() + row["observed_only"].as_u64().unwrap())
        .sum();
    assert_eq!(
        sum, 2,
        "the reasons add up to what was recorded: {compared}"
    );
    assert_eq!(
        section["observation"]["tick"]["by"],
        "probe trigger_load_balance"
    );
    assert_eq!(section["models"].as_array().unwrap().len(), 3);
    let mask = &section["idle_mask"][1]["spans"];
    let until_tick = json!([[100_000_100_000_u64, 100_016_000_000_u64]]);
    assert_eq!(*mask, until_tick);
    assert!(
        section["idle_mask"][0]["spans"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

/// What task d, 104, waited for, by the name of the cause, µs.
fn spent(change: impl FnOnce(&mut Vec<String>)) -> Vec<(String, u64)> {
    let made = kicked(change);
    let latency = ask(&made.open, "latency", "{}");
    let worst = latency["worst"].as_array().unwrap();
    let wait = worst.iter().find(|wait| wait["pid"] == 104).unwrap();
    let causes = wait["causes"].as_array().unwrap().iter();
    causes
        .map(|one| {
            let name = one["cause"].as_str().unwrap().to_owned();
            (name, one["ns"].as_u64().unwrap() / 1000)
        })
        .collect()
}

#[test]
fn a_dropped_kick_holds_balancing_up_until_the_next() {
    let owned = |all: &[(&str, u64)]| -> Vec<(String, u64)> {
        all.iter()
            .map(|&(name, us)| (name.to_owned(), us))
            .collect()
    };
    let softirq = |at: u32, what: &str| {
        format!("          <idle>-0 [001] 100.{at:06}: {what}: vec=7 [action=SCHED]")
    };
    // Known to be dropped 100 us after it came at 8.03 ms; CPU 1 is idle until 12.5 ms.
    assert_eq!(
        spent(|_| ()),
        owned(&[
            ("idle_same_node", 2_130),
            ("busy", 7_500),
            ("kick_dropped", 4_370),
        ])
    );
    // CPU 1 balances by itself at 9 ms: from there on the kick holds nothing up.
    let found = spent(|lines| {
        let at = lines.len() - 3;
        let pass = ["softirq_raise", "softirq_entry", "softirq_exit"];
        let pass = (9_000..).zip(pass).map(|(at, what)| softirq(at, what));
        drop(lines.splice(at..at, pass));
    });
    let of = |name: &str| found.iter().find(|one| one.0 == name).map(|one| one.1);
    assert_eq!(of("kick_dropped"), Some(870), "{found:?}");
    // The kick is served: nothing is held up.
    let found = spent(|lines| {
        let at = lines.len() - 3;
        let pass = ["softirq_raise", "softirq_entry", "softirq_exit"];
        let pass = (8_031..).zip(pass).map(|(at, what)| softirq(at, what));
        drop(lines.splice(at..at, pass));
    });
    assert!(found.iter().all(|one| one.0 != "kick_dropped"), "{found:?}");
    // Events of CPU 1 are lost right after the kick: what came of it may be among them. CPU 2 is idle all the time.
    let anywhere = |lost: bool| {
        let made = kicked(|lines| {
            lines[0] = "cpus=3".to_owned();
            let idle = "e-105 [002] 100.000003: sched_switch: e:105 [120] S ==> swapper/2:0 [120]";
            lines.insert(3, format!("{:>11}{idle}", ""));
            let at = lines.len() - 3;
            if lost {
                lines.insert(at, "CPU:1 [LOST 2 EVENTS]".to_owned());
            }
        });
        ask(&made.open, "latency", "{}").to_string()
    };
    assert!(anywhere(false).contains("kick_dropped"));
    assert!(!anywhere(true).contains("kick_dropped"));
    // Two ticks of 4 ms later busy CPUs have kicked again, whatever became of that.
    let found = spent(|lines| {
        lines.retain(|line| !line.contains("100.012500") && !line.contains("100.016000"));
        let last = lines.pop().unwrap();
        lines.push(last.replace("100.020000", "100.030000"));
    });
    assert_eq!(
        found,
        owned(&[("idle_same_node", 2_130 + 13_970), ("kick_dropped", 7_900)])
    );
}

#[test]
fn without_a_trace_of_kicks_nothing_is_compared() {
    let made = kicked(|lines| lines.retain(|line| !line.contains("nohz_csd_func")));
    let section = ask(&made.open, "idle_balancing", "{}");
    assert!(section["comparison"].is_null(), "{section}");
    assert_eq!(section["observation"]["kick"]["by"], "made up");
    assert_ne!(section["kicks"]["label"], "observed");
}

#[test]
fn another_model_is_what_if() {
    let made = kicked(|_| ());
    for model in ["2011", "2011-patched"] {
        let section = ask(
            &made.open,
            "idle_balancing",
            &format!(r#"{{"model": "{model}"}}"#),
        );
        assert_eq!(
            (&section["model"], &section["label"]),
            (&json!(model), &json!("what-if"))
        );
        assert!(section["comparison"].is_null());
    }
    for (options, word) in [
        (r#"{"model": "2012"}"#, "2011-patched"),
        (r#"{"limit": 0}"#, "limit"),
        (r#"{"degree": 3}"#, "degree"),
    ] {
        match analyse(&made.open, "idle_balancing", (0, u64::MAX), options, false) {
            Err(Error::Option(sentence)) => assert!(sentence.contains(word), "{sentence}"),
            other => panic!("{options}: {other:?}"),
        }
    }
}

/// The states come from the recording's begin; only what is shown is the window's.
#[test]
fn a_window_tells_of_itself_alone() {
    let made = kicked(|_| ());
    let ask = |from, to| -> Value {
        let answer = analyse(&made.open, "idle_balancing", (from, to), "{}", false).unwrap();
        serde_json::from_slice(&answer).unwrap()
    };
    let split = 100_006_000_000;
    let (whole, early, late) = (ask(0, u64::MAX), ask(0, split), ask(split, u64::MAX));
    for path in ["/kicks/sent", "/passes/count"] {
        let of = |section: &Value| section.pointer(path).and_then(Value::as_u64).unwrap();
        assert_eq!(of(&early) + of(&late), of(&whole), "{path}");
    }
    assert_eq!(late["kicks"]["dropped"], 1);
    // CPU 1 stopped its tick before the window and is in the mask from its start on.
    assert_eq!(late["idle_mask"][1]["spans"][0][0], json!(split));
}
