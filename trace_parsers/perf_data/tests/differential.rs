//! Recordings in every form that `perf script` knows, made at random: it and the reader must tell the same of each. Where `perf`
//! is not installed, nothing is compared, and a line says so.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use support::decode;
use support::writer::{Form, Item, write};

/// A row: ns, CPU, thread, event, its value or address.
type Row = (u64, u32, u32, &'static str, i64);

/// The program's answer about a recording; `None` when it is not installed.
fn script(bytes: &[u8]) -> Option<String> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("differential.data");
    std::fs::write(&file, bytes).unwrap();
    let done = Command::new("perf")
        .args(["script", "--ns", "-G", "--show-lost-events"])
        .args(["-F", "trace:tid,cpu,time,event,trace"])
        .args(["-F", "sw:tid,cpu,time,event,addr", "-i"])
        .arg(&file)
        .output()
        .ok()?;
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(
        done.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&done.stderr)
    );
    Some(text)
}

/// Lines like `501 [000] 0.000000100: sched:mini: 1`, `601 [001] 0.000000110: page-faults:HG: 1000`, and
/// `0 [000] 0.000000120: PERF_RECORD_LOST lost 3`: rows, and how many events were lost.
fn parsed(text: &str) -> (Vec<Row>, u64) {
    let (mut rows, mut lost) = (Vec::new(), 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some((_, count)) = line.split_once("PERF_RECORD_LOST lost ") {
            lost += count.trim().parse::<u64>().unwrap();
            continue;
        }
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [tid, cpu, time, event, value] = cells[..] else {
            panic!("{line}");
        };
        let cpu = cpu.trim_matches(['[', ']']).parse().unwrap();
        let (seconds, ns) = time.trim_end_matches(':').split_once('.').unwrap();
        let (event, value) = match event {
            "sched:mini:" => ("mini", value.parse().unwrap()),
            "page-faults:HG:" => ("page-faults", i64::from_str_radix(value, 16).unwrap()),
            _ => panic!("{line}"),
        };
        let ns = seconds.parse::<u64>().unwrap() * 1_000_000_000 + ns.parse::<u64>().unwrap();
        rows.push((ns, cpu, tid.parse().unwrap(), event, value));
    }
    (rows, lost)
}

/// The same from the reader.
fn read(bytes: &[u8]) -> (Vec<Row>, u64) {
    let (sink, recording) = decode(bytes);
    let mut rows = Vec::new();
    for (event, tid, value) in [
        ("mini", "common_pid", "value"),
        ("page-faults", "tid", "addr"),
    ] {
        let there = sink.tables.iter().any(|table| table.0.event == event);
        let lines = there.then(|| sink.lines(event, &["ts_ns", "cpu", tid, value]));
        for line in lines.into_iter().flatten() {
            let cells: Vec<i64> = line.split('|').map(|cell| cell.parse().unwrap()).collect();
            rows.push((
                cells[0] as u64,
                cells[1] as u32,
                cells[2] as u32,
                event,
                cells[3],
            ));
        }
    }
    (rows, recording.summary.lost_events)
}

/// Records of two CPUs as perf writes them: round by round, in each one CPU's buffer after the other's, or the other way around.
fn items() -> impl Strategy<Value = Vec<Item>> {
    let gap = prop_oneof![1_u64..20, 1_u64..1 << 33];
    let record = (gap, 0_u32..2, 0_u8..12, any::<i32>(), 0_u64..1 << 40);
    let rounds = proptest::collection::vec(
        (proptest::collection::vec(record, 1..25), any::<bool>()),
        1..6,
    );
    rounds.prop_map(|rounds| {
        let (mut ts, mut all) = (1_000, Vec::new());
        for (records, swapped) in rounds {
            let mut cpus = [Vec::new(), Vec::new()];
            for (gap, cpu, kind, value, address) in records {
                ts += gap;
                cpus[cpu as usize].push(match kind {
                    0 => Item::Lost(ts, cpu, address % 1000 + 1),
                    1..4 => Item::Fault(ts, cpu, address),
                    4 => Item::Mini(ts, cpu, value, vec![u64::MAX - 127, address]),
                    _ => Item::Mini(ts, cpu, value, Vec::new()),
                });
            }
            if swapped {
                cpus.reverse();
            }
            all.extend(cpus.into_iter().flatten());
            all.push(Item::Round);
        }
        all
    })
}

/// The forms that perf reads: the writer does not say how large perf's buffers were, without which it unpacks nothing. Of the other
/// byte order, perf 6.1 does not find the formats of files, and takes processes of software events for their threads.
fn forms() -> impl Strategy<Value = Form> {
    let read = |form: &Form| form.packed.is_none() && form.big == cfg!(target_endian = "big");
    let forms = Form::all().into_iter().filter(read);
    proptest::sample::select(forms.collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn perf_tells_the_same(form in forms(), items in items()) {
        let bytes = write(form, &items);
        let Some(text) = script(&bytes) else {
            println!("perf is not installed: nothing was compared");
            return Ok(());
        };
        let (mut rows, lost) = parsed(&text);
        let (mut own_rows, own_lost) = read(&bytes);
        rows.sort_unstable();
        own_rows.sort_unstable();
        prop_assert_eq!(own_rows, rows);
        prop_assert_eq!(own_lost, lost);
    }
}
