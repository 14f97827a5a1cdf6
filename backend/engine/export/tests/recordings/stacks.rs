//! Stacks and hardware of real recordings, beside what perf and trace-cmd print of the same files.

use std::collections::BTreeMap;

use numalens_engine::analyse;
use serde_json::{Value, json};

use super::*;

/// Function and module of each frame, the outermost first, and how many samples have such a stack.
pub(super) type Folded = BTreeMap<Vec<(String, String)>, u64>;

pub(super) fn ask(open: &Context, section: &str, options: &Value) -> Value {
    let window = (0, u64::MAX);
    let answer = analyse(open, section, window, &options.to_string(), false).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// The answer's tree as stacks.
pub(super) fn folded(answer: &Value) -> Folded {
    let column = |name: &str| answer["nodes"][name].as_array().unwrap();
    let mut ways: Vec<Vec<(String, String)>> = Vec::new();
    let mut found = Folded::new();
    for (at, parent) in column("parent").iter().enumerate() {
        let caller = parent.as_i64().unwrap();
        let mut way = usize::try_from(caller).map_or(Vec::new(), |caller| ways[caller].clone());
        let function = &answer["functions"][number(&column("function")[at]) as usize];
        let text = |name: &str| function[name].as_str().unwrap().to_owned();
        way.push((text("name"), text("module")));
        let own = number(&column("own")[at]);
        if own > 0 {
            *found.entry(way.clone()).or_default() += own;
        }
        ways.push(way);
    }
    found
}

fn printed(name: &str) -> String {
    let bytes = std::fs::read(sample(name)).unwrap();
    let bytes = inflated(&bytes);
    String::from_utf8(bytes).unwrap()
}

/// What `zstd -d` makes of it.
pub(super) fn inflated(bytes: &[u8]) -> Vec<u8> {
    let scratch = Memory::default();
    let inputs = one("x.txt.zst", bytes.to_vec());
    let members = unpack(
        &inputs,
        &scratch,
        None,
        numalens_columns::ReadOptions::default(),
        &mut Progress::new(None),
    );
    let members = members.unwrap();
    let file = members[0].file.as_ref().unwrap();
    scratch.whole(file).unwrap().to_vec()
}

/// The stacks of `perf script`, and how many samples there are. `user` names frames of programs: perf looks these up in the
/// programs themselves, which nobody else has.
fn of_perf(text: &str, user: impl Fn(&str, &str) -> String) -> (Folded, u64) {
    let mut found = Folded::new();
    let mut samples = 0;
    for block in text.split("\n\n") {
        let Some(head) = block.lines().find(|line| !line.is_empty()) else {
            continue;
        };
        assert!(!head.starts_with('\t'), "{head}");
        samples += 1;
        let lines = block.lines().filter(|line| line.starts_with('\t'));
        let mut way: Vec<(String, String)> = lines
            .map(|line| {
                let (address, rest) = line.trim().split_once(' ').unwrap();
                let module = rest.rfind(" (/").or_else(|| rest.rfind(" (["));
                let (symbol, module) = rest.split_at(module.unwrap());
                let module = module[2..].strip_suffix(')').unwrap();
                let name = match module {
                    "[kernel.kallsyms]" => symbol.rsplit_once("+0x").unwrap().0.to_owned(),
                    module => user(address, module),
                };
                let module = if is_generated(module) || module == "[unknown]" {
                    ""
                } else {
                    module
                };
                (name, module.to_owned())
            })
            .collect();
        way.reverse();
        *found.entry(way).or_default() += 1;
    }
    (found, samples)
}

/// Memory that a program made code in has no file; perf names the list of its functions that there might be.
fn is_generated(module: &str) -> bool {
    let map = std::path::Path::new(module).extension();
    module.starts_with("/tmp/perf-") && map.is_some_and(|kind| kind == "map")
}

/// Takes away what stands behind a file's name, or all of what is only an address.
fn without_places(folded: Folded) -> Folded {
    let mut found = Folded::new();
    for (mut way, samples) in folded {
        for (name, module) in &mut way {
            if module != "[kernel.kallsyms]" {
                name.clear();
            }
            if is_generated(module) {
                module.clear();
            }
        }
        *found.entry(way).or_default() += samples;
    }
    found
}

#[test]
fn stacks_of_perf_data_are_those_of_perf_script() {
    let made = made(&["stacks/perf-g.data.zst", "stacks/kallsyms.zst"]);
    let answer = ask(&made.open, "stacks", &json!({}));
    let (expected, samples) = of_perf(&printed("stacks/perf-g.script.txt.zst"), |_, _| {
        String::new()
    });
    assert_eq!(number(&answer["samples"]), samples);
    assert_eq!(
        (&answer["truncated"], &answer["without_stack"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(answer["label"], "observed");
    assert_eq!(answer["missing"], json!([]));
    assert_eq!(without_places(folded(&answer)), expected);
    // Of programs no symbols are there: their frames are places in their files.
    let functions = answer["functions"].as_array().unwrap();
    let libc = functions.iter().filter_map(|it| it["name"].as_str());
    assert!(
        libc.clone().any(|name| name == "libc.so.6+0xee137"),
        "{functions:?}"
    );
}

#[test]
fn a_text_of_perf_script_has_the_names_that_it_prints() {
    let made = made(&["stacks/perf-g.script.txt.zst"]);
    let answer = ask(&made.open, "stacks", &json!({}));
    let text = printed("stacks/perf-g.script.txt.zst");
    let (expected, samples) = of_perf(&text, |_, _| String::new());
    assert_eq!(number(&answer["samples"]), samples);
    assert_eq!(without_places(folded(&answer)), expected);
    let functions = answer["functions"].as_array().unwrap();
    let has = |name: &str| functions.iter().any(|it| it["name"] == name);
    assert!(has("__schedule") && has("__libc_start_call_main"));
}

#[test]
fn another_kernels_symbols_name_nothing() {
    let made = made(&["perf/perf-sched-all-g.data.zst", "stacks/kallsyms.zst"]);
    let notes = made.manifest["notes"].to_string();
    assert!(
        notes.contains("is from a different kernel or boot than perf-sched-all-g.data"),
        "{notes}"
    );
    let answer = ask(&made.open, "stacks", &json!({}));
    assert_eq!(answer["label"], "inferred");
    assert_eq!(answer["missing"], json!(["kallsyms", "lost_events"]));
    let functions = answer["functions"].as_array().unwrap();
    let kernel = functions
        .iter()
        .filter(|it| it["module"] == "[kernel.kallsyms]");
    let mut names = kernel.map(|it| it["name"].as_str().unwrap());
    assert!(names.all(|name| name.starts_with("[kernel.kallsyms]+0x")));
    let counted: u64 = answer["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| number(&it["samples"]))
        .sum();
    assert_eq!((number(&answer["samples"]), counted), (15345, 15345));
}

#[test]
fn stacks_of_ftrace_belong_to_the_event_before() {
    let text = printed("stacks/trace-stacktrace.report.txt.zst");
    let mut expected = Folded::new();
    let mut events: BTreeMap<String, u64> = BTreeMap::new();
    let (mut way, mut last) = (None::<Vec<(String, String)>>, BTreeMap::new());
    for line in text.lines().chain(["cpus="]) {
        if let Some(frame) = line.strip_prefix("=> ") {
            let (name, _) = frame.split_once(" (").unwrap();
            way.as_mut()
                .unwrap()
                .push((name.to_owned(), "[kernel.kallsyms]".to_owned()));
            continue;
        }
        if let Some(mut whole) = way.take() {
            whole.reverse();
            *expected.entry(whole).or_default() += 1;
        }
        let Some((head, rest)) = line.split_once(": ") else {
            continue;
        };
        let cpu = head.split_once('[').unwrap().1[..3].to_owned();
        let event = rest.split_once(':').unwrap().0.to_owned();
        if event == "kernel_stack" {
            way = Some(Vec::new());
            let of = last.get(&cpu).unwrap_or(&event).clone();
            *events.entry(of).or_default() += 1;
        } else {
            last.insert(cpu, event);
        }
    }
    let samples: u64 = expected.values().sum();
    for name in [
        "stacks/trace-stacktrace.dat.zst",
        "stacks/trace-stacktrace.report.txt.zst",
    ] {
        let made = made(&[name]);
        let answer = ask(&made.open, "stacks", &json!({}));
        assert_eq!(number(&answer["samples"]), samples, "{name}");
        assert_eq!(folded(&answer), expected, "{name}");
        let of = answer["events"].as_array().unwrap().iter();
        let of = of.filter(|event| event["samples"] != 0);
        let found: BTreeMap<String, u64> = of
            .map(|event| {
                (
                    event["event"].as_str().unwrap().to_owned(),
                    number(&event["samples"]),
                )
            })
            .collect();
        assert_eq!(found, events, "{name}");
        // A part of them, by thread, by CPU, by event.
        for option in ["cpu", "event"] {
            let parts = (0..8).map(|part| {
                number(&ask(&made.open, "stacks", &json!({ option: part }))["samples"])
            });
            assert_eq!(parts.sum::<u64>(), samples, "{option}");
        }
        let few = ask(&made.open, "stacks", &json!({"nodes": 5, "limit": 1}));
        assert_eq!(few["nodes"]["own"].as_array().unwrap().len(), 5);
        let kept = few["nodes"]["own"].as_array().unwrap().iter().map(number);
        assert_eq!(
            kept.sum::<u64>() + number(&few["samples_left_out"]),
            samples
        );
        let marks = ask(&made.open, "stack_marks", &json!({"columns": 20}));
        let marked = marks["cpus"].as_array().unwrap().iter();
        let marked = marked
            .flat_map(|cpu| cpu["samples"].as_array().unwrap())
            .map(number);
        assert_eq!(marked.sum::<u64>(), samples);
    }
}

#[test]
fn what_was_not_sampled_is_said() {
    let plain = made(&["tc-small.v7-zstd.dat"]);
    let answer = ask(&plain.open, "stacks", &json!({}));
    assert_eq!(answer["available"], false);
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains("perf record -a -g"), "{reason}");
}

#[test]
fn interrupts_and_idle_states_add_up() {
    let made = made(&["tc-local.v6.dat.zst"]);
    let answer = ask(&made.open, "hardware", &json!({"columns": 37}));
    let kinds = answer["kinds"].as_array().unwrap();
    assert!(kinds.contains(&json!("idle")) && kinds.contains(&json!("softirq")));
    let text = |event| text(&made, event).lines().count() as u64 - 1;
    let lanes = answer["lanes"].as_array().unwrap();
    let count = |kind: &str| {
        let lanes = lanes.iter().filter(|lane| lane["kind"] == kind);
        lanes.map(|lane| number(&lane["count"])).sum::<u64>()
    };
    for (kind, event) in [("irq", "irq_handler_entry"), ("softirq", "softirq_entry")] {
        assert_eq!(count(kind), text(event), "{kind}");
    }
    for lane in lanes {
        let column = |name: &str| lane[name].as_array().unwrap().iter().map(number);
        let steps = column("steps").zip(column("permille"));
        let parts: u64 = steps.map(|(steps, permille)| steps * permille).sum();
        // Each step's part is rounded up.
        let ns = parts * number(&answer["step_ns"]) / 1000;
        assert!(
            ns >= number(&lane["ns"]) && column("at").is_sorted(),
            "{lane}"
        );
    }
    let none = super::made(&["stacks/perf-g.data.zst"]);
    let answer = ask(&none.open, "hardware", &json!({}));
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("power:cpu_frequency")
    );
}
