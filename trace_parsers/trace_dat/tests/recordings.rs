//! Diff tests: recording + query + expected text, and counts against `trace-cmd report`.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::fmt::Write as _;

use std::collections::BTreeMap;

use numalens_columns::{ReadOptions, SliceSource};
use numalens_trace_dat::TraceDat;
use support::{counts, decode, expected, fixture, read};

const RECORDINGS: &[(&str, &str)] = &[
    ("tc-small", "tc-small.v6.dat"),
    ("tc-small", "tc-small.v7-none.dat"),
    ("tc-small", "tc-small.v7-zlib.dat"),
    ("tc-small", "tc-small.v7-zstd.dat"),
    ("tc-dropped", "tc-dropped.v7-zstd.dat"),
    ("tc-multi", "tc-multi.v7-zstd.dat"),
    ("tc-local", "tc-local.v6.dat"),
    ("cling-2x4-small", "cling-2x4-small.v7-zstd.dat"),
    ("idle-6.1-2x4.part", "idle-6.1-2x4.part.v7-none.dat"),
    ("idle-6.12-2x2.part", "idle-6.12-2x2.part.v7-none.dat"),
    ("idle-6.12-2x2.part", "idle-6.12-2x2.part.v6.dat"),
    ("says-6.12", "says-6.12.v7-none.dat"),
    ("says-6.12", "says-6.12.v6.dat"),
];

#[test]
fn counts_equal_those_of_trace_cmd_report() {
    for (recording, file) in RECORDINGS {
        let (sink, summary) = decode(&fixture(file)).unwrap();
        let want = expected(recording);
        let wanted: BTreeMap<String, u64> = serde_json::from_value(want["counts"].clone()).unwrap();
        assert_eq!(counts(&summary), wanted, "{file}");
        assert_eq!(summary.events, want["events"].as_u64().unwrap(), "{file}");
        assert_eq!(sink.rows() as u64, summary.events, "{file}");
        assert_eq!(
            summary.lost_marks,
            want["dropped_marks"].as_u64().unwrap(),
            "{file}"
        );
        for span in &summary.cpu_spans {
            assert_eq!(
                Some(span.events),
                want["events_per_cpu"][span.cpu.to_string()].as_u64(),
                "{file}"
            );
        }
    }
}

#[test]
fn lost_events_keep_their_cpu_and_count() {
    let (sink, summary) = decode(&fixture("tc-dropped.v7-zstd.dat")).unwrap();
    let want = expected("tc-dropped");
    let seen: Vec<(u64, Option<u64>)> = sink
        .lost
        .iter()
        .map(|lost| (u64::from(lost.cpu), lost.count))
        .collect();
    let wanted: Vec<(u64, Option<u64>)> = want["lost"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lost| (lost["cpu"].as_u64().unwrap(), lost["count"].as_u64()))
        .collect();
    assert_eq!(seen, wanted);
    assert_eq!(
        summary.lost_events,
        wanted.iter().filter_map(|lost| lost.1).sum::<u64>()
    );
    assert_eq!(
        summary.lost_unknown_marks,
        wanted.iter().filter(|lost| lost.1.is_none()).count() as u64
    );
}

#[test]
fn four_encodings_of_one_recording_give_identical_columns() {
    let (first, _) = decode(&fixture("tc-small.v6.dat")).unwrap();
    let first = first.all();
    for file in [
        "tc-small.v7-none.dat",
        "tc-small.v7-zlib.dat",
        "tc-small.v7-zstd.dat",
    ] {
        assert!(
            decode(&fixture(file)).unwrap().0.all() == first,
            "{file} differs from tc-small.v6.dat"
        );
    }
}

#[test]
fn rows_ascend_in_time_and_rank() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::UInt64Type;
    let (sink, summary) = decode(&fixture("tc-multi.v7-zstd.dat")).unwrap();
    let mut ranks = Vec::new();
    for table in &sink.batches {
        let mut last = (0, None);
        for batch in table {
            let ts = batch["ts_ns"].as_primitive::<UInt64Type>().values();
            let seq = batch["seq"].as_primitive::<UInt64Type>().values();
            for (&ts, &seq) in ts.iter().zip(seq) {
                assert!(ts >= last.0 && last.1.is_none_or(|last| seq > last));
                last = (ts, Some(seq));
                ranks.push(seq);
            }
        }
    }
    ranks.sort_unstable();
    assert!(
        ranks.iter().copied().eq(0..summary.events),
        "every event has one rank"
    );
}

#[test]
fn text_of_first_rows() {
    let mut shown = String::new();
    let (sink, _) = decode(&fixture("tc-small.v7-zstd.dat")).unwrap();
    for event in ["sched_switch", "print", "ipi_send_cpu", "softirq_entry"] {
        writeln!(shown, "tc-small: {event}\n{}", sink.text(event, 6)).unwrap();
    }
    let (sink, _) = decode(&fixture("cling-2x4-small.v7-zstd.dat")).unwrap();
    for event in [
        "sched_move_numa",
        "sched_stick_numa",
        "sched_swap_numa",
        "mm_migrate_pages",
        "sched_migrate_task",
    ] {
        writeln!(shown, "cling-2x4-small: {event}\n{}", sink.text(event, 4)).unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn what_a_recording_says_about_itself() {
    let mut said = String::new();
    for (name, file) in [
        ("tc-multi", "tc-multi.v7-zstd.dat"),
        ("tc-local", "tc-local.v6.dat"),
    ] {
        let bytes = fixture(file);
        let source = SliceSource(&bytes);
        let mut info = serde_json::to_value(TraceDat::open(&source).unwrap().info()).unwrap();
        // The statistics are long; that they are there is enough.
        assert!(!info["options"]["cpu_stats"].as_array().unwrap().is_empty());
        info["options"]["cpu_stats"] = serde_json::Value::Null;
        let info = serde_json::to_string_pretty(&info).unwrap();
        writeln!(said, "{name}\n{info}\n").unwrap();
    }
    insta::assert_snapshot!(said);
}

#[test]
fn the_facts_that_every_recording_has() {
    let bytes = fixture("tc-multi.v7-zstd.dat");
    assert!(numalens_trace_dat::sniff(&bytes) && !numalens_trace_dat::sniff(b"PERFILE2"));
    let mut sink = support::Memory::default();
    let mut progress = (0, 0);
    let recording = numalens_trace_dat::decode(
        &SliceSource(&bytes),
        &ReadOptions::default(),
        &mut sink,
        &mut |done, total| progress = (done, total),
    )
    .unwrap();
    assert_eq!(progress.0, progress.1, "at the end all is done");
    assert_eq!(recording.summary.events, sink.rows() as u64);
    insta::assert_snapshot!(serde_json::to_string_pretty(&recording).unwrap());
}

#[test]
fn functions_have_names_where_events_show_any() {
    for file in [
        "idle-6.12-2x2.part.v6.dat",
        "idle-6.12-2x2.part.v7-none.dat",
    ] {
        let (sink, recording) = read(&fixture(file), false).unwrap();
        let address = recording.symbols.address("nohz_csd_func");
        assert_eq!(address, Some(0xffff_ffff_9db1_0d90), "{file}");
        let rows = sink.text("csd_queue_cpu", usize::MAX - 1);
        let func = rows.lines().next().unwrap().split('|');
        let func = func.clone().position(|name| name == "func").unwrap();
        let kicks = rows
            .lines()
            .filter(|line| line.split('|').nth(func) == Some(&address.unwrap().to_string()));
        // As `trace-cmd report` has them.
        assert_eq!(kicks.count(), 18, "{file}");
    }
    // Nothing here is printed as a function, so the kernel's symbols are not kept.
    let (_, recording) = read(&fixture("cling-2x4-small.v7-zstd.dat"), false).unwrap();
    assert!(recording.symbols.is_empty());
    let bytes = fixture("cling-2x4-small.v7-zstd.dat");
    let source = SliceSource(&bytes);
    assert!(
        !TraceDat::open(&source)
            .unwrap()
            .symbols()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn damaged_symbols_cost_names_alone() {
    let mut bytes = fixture("idle-6.12-2x2.part.v7-none.dat");
    let (whole, _) = decode(&bytes).unwrap();
    let size = 7_351_566_u32.to_le_bytes();
    let at = bytes.windows(4).position(|four| four == size).unwrap();
    bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let (sink, recording) = read(&bytes, false).unwrap();
    assert!(sink.all() == whole.all());
    assert!(recording.symbols.is_empty());
    let place = at + 4;
    assert_eq!(
        recording.info.notes.last().unwrap(),
        &format!(
            "functions have no names: byte {place}: expected 4294967295 bytes of the kernel's symbols, found the end of the file \
             after 7351566 bytes"
        )
    );
}

/// A module's lines as the kernel itself printed them in `/sys/kernel/tracing/trace` of the same boot.
fn expect_lines(file: &str) {
    let (sink, _) = decode(&fixture(file)).unwrap();
    let lines = |event: &str| -> Vec<String> {
        let text = sink.text(event, usize::MAX - 1);
        let head: Vec<&str> = text.lines().next().unwrap().split('|').collect();
        let at = head.iter().position(|name| *name == "buf").unwrap();
        let rows = text.lines().skip(1);
        rows.map(|line| line.splitn(head.len(), '|').nth(at).unwrap().to_owned())
            .collect()
    };
    let printed = lines("bprint");
    for (n, call) in printed.chunks_exact(5).enumerate() {
        let n = n as i64;
        assert_eq!(
            call,
            [
                format!("Running rebalance for {}", n % 4),
                format!(
                    "c=q hd=-7 hhu=200 d={} u=4000000000 x=ff X=0XFF o=10 ld=-5 lu=7 lld=-1234567890123 llx=000000000000feed \
                     z=9 %",
                    -n
                ),
                "s=word w=   right l=left    | p=abc star=    42 prec=xy end=1".to_owned(),
                format!("says [says] does says+0x0/0x150 [says] and {n} at 0000000000001234"),
                "08=0000beef plus=+5 space= 6 i=-3".to_owned(),
            ],
            "{file}"
        );
    }
    assert!(printed.len() > 50, "{file}: {}", printed.len());
    assert!(lines("bputs").iter().all(|line| line == "plain words"));
}

#[test]
fn lines_of_trace_printk_read_as_the_kernel_prints_them() {
    expect_lines("says-6.12.v7-none.dat");
    expect_lines("says-6.12.v6.dat");
}

#[test]
fn a_line_whose_format_is_not_listed_says_so() {
    let mut bytes = fixture("says-6.12.v6.dat");
    let listed = b" : \"Running rebalance for %d";
    let at = bytes
        .windows(listed.len())
        .position(|window| window == listed)
        .unwrap();
    bytes[at + 1] = b'?';
    let (sink, _) = decode(&bytes).unwrap();
    let text = sink.text("bprint", 2);
    assert!(text.contains("|[the recording has no format 0x"), "{text}");
    assert!(text.contains("|c=q hd=-7"), "{text}");
}
