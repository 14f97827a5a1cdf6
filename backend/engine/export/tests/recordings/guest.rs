//! A guest and its host: the times in which the host did not run the guest's CPUs are those that the host's own analysis has as
//! waits of their threads.

use std::collections::BTreeMap;

use numalens_bundle::{Error, IngestRequest, Inputs};
use numalens_engine::analyse;
use numalens_subject::Context;
use serde_json::{Value, json};

use super::{Made, one, sample, text, try_request};

fn ask(open: &Context, section: &str, options: &Value) -> Value {
    let answer = analyse(open, section, (0, u64::MAX), &options.to_string(), false).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

const DONE: u16 = 0;
const TRACEID: u16 = 11;
const TIME_SHIFT: u16 = 12;
const GUEST: u16 = 13;

/// The file with more options behind its last ones (`Documentation/trace-cmd/trace-cmd.dat.v7.5.txt` of trace-cmd).
fn with_options(name: &str, options: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = std::fs::read(sample(name)).unwrap();
    let u16_at =
        |bytes: &[u8], at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap());
    let u32_at =
        |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let u64_at =
        |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    // Magic, version, endianness, size of long, page size, then the compression's name and version.
    let mut at = 10 + 2 + 1 + 1 + 4;
    for _ in 0..2 {
        at += bytes[at..].iter().position(|&byte| byte == 0).unwrap() + 1;
    }
    let mut section = u64_at(&bytes, at) as usize;
    let last = loop {
        let mut option = section + 16;
        while u16_at(&bytes, option) != DONE {
            option += 6 + u32_at(&bytes, option + 2) as usize;
        }
        match u64_at(&bytes, option + 6) {
            0 => break option + 6,
            next => section = next as usize,
        }
    };
    let next = bytes.len() as u64;
    bytes[last..last + 8].copy_from_slice(&next.to_le_bytes());
    let done = (DONE, 0_u64.to_le_bytes().to_vec());
    let mut data = Vec::new();
    for (id, body) in options.iter().chain([&done]) {
        data.extend(id.to_le_bytes());
        data.extend((body.len() as u32).to_le_bytes());
        data.extend(body);
    }
    bytes.extend([0; 8]);
    bytes.extend((data.len() as u64).to_le_bytes());
    bytes.extend(data);
    bytes
}

const RECORDING: &str = "tc-small.v7-zlib.dat";

/// A host whose session is 7, with the guest of session 8, whose CPUs 0 and 1 are these threads.
fn host(threads: &[i32], guests: &[u64]) -> Vec<u8> {
    let mut options = vec![(TRACEID, 7_u64.to_le_bytes().to_vec())];
    for session in guests {
        let mut body = b"vm\0".to_vec();
        body.extend(session.to_le_bytes());
        body.extend((threads.len() as u32).to_le_bytes());
        for (cpu, pid) in (0_u32..).zip(threads) {
            body.extend(cpu.to_le_bytes());
            body.extend(pid.to_le_bytes());
        }
        options.push((GUEST, body));
    }
    with_options(RECORDING, &options)
}

/// A guest of this session; `host` is that on whose clock its times are.
fn guest(session: u64, host: Option<u64>) -> Vec<u8> {
    guest_apart(session, host, 0)
}

/// A guest whose clock is that of the host with this offset.
fn guest_apart(session: u64, host: Option<u64>, offset: u64) -> Vec<u8> {
    let mut options = vec![(TRACEID, session.to_le_bytes().to_vec())];
    options.extend(host.map(|host| {
        // No flags, two CPUs, each with one sample of time 0.
        let mut body = host.to_le_bytes().to_vec();
        body.extend([0, 0, 0, 0, 2, 0, 0, 0]);
        for _ in 0..2 {
            body.extend([1, 0, 0, 0]);
            body.extend([0; 8]);
            body.extend(offset.to_le_bytes());
            body.extend(1_u64.to_le_bytes());
        }
        body.extend([0; 16]);
        (TIME_SHIFT, body)
    }));
    with_options(RECORDING, &options)
}

fn read(inputs: &[(&str, Vec<u8>)]) -> Result<Made, Error> {
    let inputs: Inputs<'static> = inputs
        .iter()
        .flat_map(|(name, bytes)| one(name, bytes.clone()))
        .collect();
    try_request(IngestRequest {
        inputs,
        ..IngestRequest::default()
    })
}

/// What each task waited on a queue, ns, of waits that ended with it running.
fn waited(alone: &Made) -> BTreeMap<i32, u64> {
    let mut waited = BTreeMap::new();
    let latency = ask(&alone.open, "latency", &json!({"limit": 1000}));
    for kind in [&latency, &latency["preempted"], &latency["new"]] {
        for wait in kind["worst"].as_array().unwrap() {
            let causes = wait["causes"].as_array().unwrap();
            let waking: u64 = causes
                .iter()
                .filter(|cause| cause["cause"] == "wake_up")
                .map(|cause| number(&cause["ns"]))
                .sum();
            let pid = wait["pid"].as_i64().unwrap() as i32;
            *waited.entry(pid).or_default() += number(&wait["wait_ns"]) - waking;
        }
    }
    waited
}

fn notes(made: &Made) -> String {
    made.manifest["notes"].to_string()
}

#[test]
fn the_waits_of_the_hosts_threads_are_the_guests_steal() {
    let alone = read(&[("alone.dat", guest(7, None))]).unwrap();
    let waited = waited(&alone);
    let mut most: Vec<(u64, i32)> = waited.iter().map(|(&pid, &ns)| (ns, pid)).collect();
    most.sort_unstable();
    let threads: Vec<i32> = most.iter().rev().take(2).map(|&(_, pid)| pid).collect();
    let made = read(&[
        ("host.dat", host(&threads, &[8])),
        ("guest.dat", guest(8, Some(7))),
    ])
    .unwrap();
    let mut stolen: BTreeMap<i32, u64> = BTreeMap::new();
    let table = text(&made, "steal");
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = |name: &str| head.iter().position(|&column| column == name).unwrap();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let pid: i32 = cells[place("vcpu_pid")].parse().unwrap();
        let cpu: usize = cells[place("cpu")].parse().unwrap();
        assert_eq!(threads[cpu], pid);
        *stolen.entry(pid).or_default() += cells[place("duration")].parse::<u64>().unwrap();
    }
    let expected: BTreeMap<i32, u64> = threads.iter().map(|&pid| (pid, waited[&pid])).collect();
    assert_eq!(stolen, expected);
    assert!(notes(&made).contains("host.dat is the recording of the host of guest.dat"));
    // The machine is the guest, whose own events are the same with the host next to it.
    let other = |made: &Made| {
        let mut counts = made.manifest["event_counts"].clone();
        counts.as_object_mut().unwrap().remove("steal");
        counts
    };
    assert_eq!(other(&made), other(&alone));
    // The lanes of the CPUs have the same times.
    let hardware = ask(&made.open, "hardware", &json!({}));
    for lane in hardware["lanes"].as_array().unwrap() {
        if lane["kind"] == "steal" {
            let cpu = number(&lane["cpu"]) as usize;
            assert_eq!(number(&lane["ns"]), stolen[&threads[cpu]], "{lane}");
        }
    }
    assert!(hardware["kinds"].to_string().contains("steal"));
    // Each ns of a wait has one cause, and some of it is steal.
    let latency = ask(&made.open, "latency", &json!({}));
    let sum = |of: &Made, cause: &str| -> u64 {
        let latency = ask(&of.open, "latency", &json!({}));
        let all = latency["causes"].as_array().unwrap().clone();
        all.iter()
            .filter(|one| cause.is_empty() || one["cause"] == cause)
            .map(|one| number(&one["ns"]))
            .sum()
    };
    assert!(sum(&made, "steal") > 0, "{latency}");
    assert_eq!(sum(&made, ""), sum(&alone, ""));
    assert_eq!(sum(&alone, "steal"), 0);
}

#[test]
fn a_host_whose_clock_is_not_known_says_nothing() {
    for clock_of in [None, Some(6)] {
        let made = read(&[
            ("host.dat", host(&[1, 2], &[8])),
            ("guest.dat", guest(8, clock_of)),
        ])
        .unwrap();
        assert!(notes(&made).contains("does not relate its clock to the host's"));
        assert!(made.manifest["event_counts"]["steal"].is_null());
    }
}

#[test]
fn recordings_of_other_sessions_are_of_one_machine() {
    let made = read(&[("a.dat", host(&[1, 2], &[9])), ("b.dat", guest(8, Some(7)))]).unwrap();
    assert!(!notes(&made).contains("host of"), "{}", notes(&made));
}

#[test]
fn one_analysis_is_of_one_guest() {
    let inputs = [
        ("host.dat", host(&[1, 2], &[8, 9])),
        ("a.dat", guest(8, Some(7))),
        ("b.dat", guest(9, Some(7))),
    ];
    let Err(error) = read(&inputs) else {
        panic!("two machines in one analysis");
    };
    assert!(
        error
            .to_string()
            .contains("those of two machines: a.dat and b.dat"),
        "{error}"
    );
}

/// Numbers at which sums and tables turn.
const TURNS: [u64; 5] = [0, 1, 1 << 31, (1 << 62) - 1, u64::MAX];

#[test]
fn whatever_a_host_says_of_its_guest_is_answered_or_refused() {
    let alone = read(&[("alone.dat", guest(7, None))]).unwrap();
    let busy: Vec<i32> = waited(&alone).into_keys().collect();
    let mut inputs = Vec::new();
    for turn in TURNS {
        inputs.push((host(&busy, &[8]), guest_apart(8, Some(7), turn)));
    }
    inputs.push((host(&[busy[0]; 2], &[8]), guest(8, Some(7))));
    inputs.push((host(&vec![busy[0]; 4096], &[8, 8]), guest(8, Some(7))));
    inputs.push((host(&busy, &[7]), guest(7, Some(7))));
    inputs.push((host(&busy, &[8]), host(&busy, &[7])));
    for (host, guest) in inputs {
        match read(&[("host.dat", host), ("guest.dat", guest)]) {
            Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
            Ok(made) => {
                for section in super::sections() {
                    drop(analyse(&made.open, &section, (0, u64::MAX), "{}", false));
                }
                // A host names CPUs that the guest does not have.
                let hardware = ask(&made.open, "hardware", &json!({}));
                for lane in hardware["lanes"].as_array().into_iter().flatten() {
                    assert!(
                        lane["kind"] != "steal" || number(&lane["cpu"]) < 2,
                        "{lane}"
                    );
                }
            }
        }
    }
}
