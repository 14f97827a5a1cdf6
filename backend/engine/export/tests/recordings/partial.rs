//! Recordings of which a part is missing: nothing is claimed that the whole does not show.

use std::collections::BTreeMap;

use numalens_engine::analyse;

use super::*;

/// Places at which a file is cut.
const CUTS: usize = 8;

/// A little-endian number of a file.
fn number(bytes: &[u8], at: usize, length: usize) -> usize {
    let digits = bytes[at..at + length].iter().rev();
    digits.fold(0, |sum, &byte| sum << 8 | usize::from(byte))
}

/// Where the string that begins at a place ends.
fn past_string(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().position(|&byte| byte == 0).unwrap() + 1
}

/// A trace.dat of version 7 without the events of one CPU: its options say that the CPU has no data.
fn without_cpu(whole: &[u8], cpu: usize) -> Vec<u8> {
    const BUFFER: usize = 3;
    let mut bytes = whole.to_vec();
    // Byte order, size of a long and of a page are before the compression's name and version.
    let name = past_string(whole, 10) + 6;
    let mut section = number(whole, past_string(whole, past_string(whole, name)), 8);
    while section > 0 {
        let mut option = section + 16;
        section = loop {
            let (id, size) = (number(whole, option, 2), number(whole, option + 2, 4));
            let data = option + 6;
            if id == 0 {
                break if size >= 8 { number(whole, data, 8) } else { 0 };
            }
            option = data + size;
            if id == BUFFER {
                let table = past_string(whole, past_string(whole, data + 8));
                let first = table + (option - table) % 20;
                for entry in (first..option).step_by(20) {
                    if number(whole, entry, 4) == cpu {
                        bytes[entry + 12..entry + 20].fill(0);
                    }
                }
            }
        };
    }
    assert_ne!(bytes, whole, "CPU {cpu} has data");
    bytes
}

fn read(bytes: Vec<u8>) -> Result<Made, Error> {
    try_request(IngestRequest {
        inputs: one("trace.dat", bytes),
        options: ReadOptions { tolerant: true },
        ..IngestRequest::default()
    })
}

fn findings(made: &Made, window: (u64, u64)) -> Vec<Value> {
    let answer = analyse(&made.open, "findings", window, "{}", false).unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    answer["findings"].as_array().cloned().unwrap_or_default()
}

/// The gravest severity of each kind.
fn severities(found: &[Value]) -> BTreeMap<&str, usize> {
    let mut worst = BTreeMap::new();
    for one in found {
        let levels = ["low", "medium", "high"];
        let severity = one["severity"].as_str().unwrap();
        let level = levels.iter().position(|level| *level == severity).unwrap();
        let known = worst.entry(one["id"].as_str().unwrap()).or_insert(level);
        *known = level.max(*known);
    }
    worst
}

/// The window of a recording, ns.
fn window(made: &Made) -> (u64, u64) {
    let edge = |at: usize| made.manifest["window_ns"][at].as_u64().unwrap();
    (edge(0), edge(1))
}

/// Checks a part of a recording against the whole.
fn check(whole: &Made, part: &Made, how: &str) {
    let window = window(part);
    let (known, found) = (findings(whole, window), findings(part, window));
    let (known, worst) = (severities(&known), severities(&found));
    for (id, level) in worst {
        let most = known.get(id);
        assert!(
            most.is_some_and(|most| level <= *most),
            "{how}: {id} {level}, {most:?}"
        );
    }
    let nodes = part.manifest["topology"]["nodes"].as_array().unwrap();
    let spans = part.manifest["inputs"][0]["cpu_spans"].as_array().unwrap();
    let is_heard = |cpu: &Value| {
        let mut own = spans.iter().filter(|span| span["cpu"] == *cpu);
        own.any(|span| span["events"] != 0)
    };
    for node in nodes {
        let cpus = node["cpus"].as_array().unwrap();
        if cpus.iter().any(is_heard) {
            continue;
        }
        let nid = &node["nid"];
        for one in &found {
            let of = one["nodes"].as_array().unwrap();
            assert!(
                !of.contains(nid),
                "{how}: nothing of node {nid} is recorded: {one}"
            );
        }
    }
    for one in &found {
        for place in one["occurrences"]["worst"].as_array().unwrap() {
            let cpus = place["cpus"].as_array().unwrap();
            assert!(cpus.iter().all(is_heard), "{how}: {one}");
        }
    }
}

/// Compares a recording with what is left of it when it is cut, and when CPUs are missing.
fn parts_claim_no_more(name: &str, cpus: &[usize]) {
    let bytes = std::fs::read(sample(name)).unwrap();
    let whole = read(bytes.clone()).unwrap();
    let mut parts = 0;
    for cut in (1..CUTS).rev() {
        let Ok(part) = read(bytes[..bytes.len() * cut / CUTS].to_vec()) else {
            // What a file begins with is not events.
            break;
        };
        check(&whole, &part, &format!("{name} cut at {cut} of {CUTS}"));
        parts += 1;
    }
    assert!(parts > 0, "{name}: no cut leaves events");
    for &cpu in cpus {
        let part = read(without_cpu(&bytes, cpu)).unwrap();
        check(&whole, &part, &format!("{name} without CPU {cpu}"));
    }
}

#[test]
fn parts_of_a_recording_claim_no_more_than_the_whole() {
    parts_claim_no_more("tc-dropped.v7-zstd.dat", &[0, 1]);
    parts_claim_no_more("cling-2x4-small.v7-zstd.dat", &[0, 6]);
}
