//! Memory samples: those that our own writer makes, in every form, against `perf script`; and those of page faults that perf records
//! here.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use support::decode;
use support::memory::{Access, RECORDINGS, Story, accesses, first, recording};
use support::writer::Form;

const EVENTS: [&str; 2] = ["cpu/mem-loads,ldlat=30/P", "cpu/mem-stores/P"];
const COLUMNS: [&str; 9] = [
    "ts_ns",
    "cpu",
    "tid",
    "addr",
    "phys_addr",
    "data_src",
    "weight",
    "ins_lat",
    "data_page_size",
];

fn expected(access: &Access) -> String {
    let Access {
        ts,
        cpu,
        tid,
        addr,
        phys,
        data_src,
        weight,
        ins_lat,
        ..
    } = access;
    format!("{ts}|{cpu}|{tid}|{addr}|{phys}|{data_src}|{weight}|{ins_lat}|4096")
}

#[test]
fn every_form_gives_what_was_written() {
    for form in Form::all() {
        let bytes = recording(form, Story::Followed, true);
        let (sink, read) = decode(&bytes);
        for (event, stores) in EVENTS.into_iter().zip([false, true]) {
            let all = accesses(Story::Followed);
            let wanted: Vec<String> = all
                .iter()
                .filter(|one| one.store == stores)
                .map(expected)
                .collect();
            assert_eq!(sink.lines(event, &COLUMNS), wanted, "{form:?}");
        }
        let block = 128 << 20;
        assert_eq!(
            read.info.memory,
            [(0, 0, 16 * block), (1, 16 * block, 32 * block)]
        );
        assert!(read.info.notes.is_empty(), "{:?}", read.info.notes);
    }
}

/// A sample: ns, CPU, thread, address, physical address, data source, weight, second weight, page size.
type Row = [u64; 9];

/// What `perf script` says of the samples of an event; `None` where perf is not installed.
fn script(file: &Path, kind: &str, event: &str) -> Option<Vec<Row>> {
    let fields =
        format!("{kind}tid,cpu,time,event,addr,data_src,weight,ins_lat,phys_addr,data_page_size");
    let mut perf = Command::new("perf");
    perf.args(["script", "--ns", "-G", "-F", &fields, "-i"])
        .arg(file);
    let done = perf.output().ok()?;
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(
        done.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let row = |line: &str| {
        let (head, rest) = line.split_once(&format!("{event}:"))?;
        // The data source is said in words, too.
        let (start, words) = rest.split_once('|')?;
        let tail = words
            .rsplit_once("LCK No")
            .or_else(|| words.rsplit_once("LCK N/A"))?
            .1;
        let tail = tail.trim_start_matches("|BLK  N/A");
        let head: Vec<&str> = head.split_whitespace().collect();
        let start: Vec<&str> = start.split_whitespace().collect();
        let tail: Vec<&str> = tail.split_whitespace().collect();
        let hex = |text: &str| u64::from_str_radix(text, 16).unwrap();
        let stamp = head
            .iter()
            .find_map(|cell| cell.strip_suffix(':')?.split_once('.'));
        let (seconds, ns) = stamp.unwrap();
        let number = |text: &str| text.parse::<u64>().unwrap();
        let tid = head.iter().find_map(|cell| cell.parse().ok()).unwrap();
        let on = head.iter().find(|cell| cell.starts_with('['));
        let page = match *tail.last().unwrap() {
            "N/A" => 0,
            size => number(size.trim_end_matches('K')) * 1024,
        };
        Some([
            number(seconds) * 1_000_000_000 + number(ns),
            on.map_or(0, |cell| number(cell.trim_matches(['[', ']']))),
            tid,
            hex(start[0]),
            hex(tail[tail.len() - 2]),
            hex(start[1]),
            number(tail[0]),
            number(tail[1]),
            page,
        ])
    };
    Some(text.lines().filter_map(row).collect())
}

/// The same from the reader; what was not recorded is 0.
fn rows(bytes: &[u8], event: &str) -> Vec<Row> {
    let (sink, _) = decode(bytes);
    let schema = sink.batches(event)[0].schema();
    let there: Vec<&str> = COLUMNS
        .into_iter()
        .filter(|name| schema.index_of(name).is_ok())
        .collect();
    let lines = sink.lines(event, &there);
    let row = |line: &String| {
        let mut cells = line.split('|').map(|cell| cell.parse().unwrap());
        COLUMNS.map(|name| {
            if there.contains(&name) {
                cells.next().unwrap()
            } else {
                0
            }
        })
    };
    lines.iter().map(row).collect()
}

#[test]
fn perf_reads_the_same_of_what_was_written() {
    for (story, _, name) in RECORDINGS.into_iter().filter(|one| one.1) {
        let bytes = recording(Form::PLAIN, story, true);
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mem-{name}.data"));
        std::fs::write(&file, &bytes).unwrap();
        for (event, count) in EVENTS.into_iter().zip([1320, 120]) {
            let Some(theirs) = script(&file, "hw:", event) else {
                println!("perf is not installed: nothing was compared");
                return;
            };
            assert_eq!(theirs.len(), count, "{name} {event}");
            assert_eq!(rows(&bytes, event), theirs, "{name} {event}");
        }
    }
}

/// A page that this test touches while perf watches it by a breakpoint: a real address with its physical one.
#[repr(align(4096))]
struct Watched(AtomicU64);

static WATCHED: Watched = Watched(AtomicU64::new(0));

#[test]
fn perf_reads_the_same_of_what_it_records_here() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native.data");
    let breakpoint = format!("mem:{:#018x}:rw", (&raw const WATCHED) as usize);
    let pid = std::process::id().to_string();
    let recorder = Command::new("perf")
        .args([
            "record",
            "-q",
            "-c",
            "1",
            "-e",
            &breakpoint,
            "-e",
            "page-faults",
        ])
        .args([
            "-W",
            "-d",
            "--phys-data",
            "--data-page-size",
            "--sample-cpu",
        ])
        .args(["-p", &pid, "-o"])
        .arg(&file)
        .args(["--", "sleep", "0.2"])
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut recorder) = recorder else {
        println!("perf is not installed: nothing was compared");
        return;
    };
    let done = loop {
        WATCHED.0.fetch_add(1, Ordering::Relaxed);
        // More than the allocator keeps, so that each is mapped again: a fault each.
        std::hint::black_box(vec![0_u8; 64 << 20])[1 << 20] = 1;
        if let Some(done) = recorder.try_wait().unwrap() {
            break done;
        }
    };
    if !done.success() {
        println!("perf may not record here: nothing was compared");
        return;
    }
    let bytes = std::fs::read(&file).unwrap();
    for (kind, event) in [("bp", &*breakpoint), ("", "page-faults")] {
        let theirs = script(&file, "", event).unwrap();
        let own = rows(&bytes, event);
        assert!(!theirs.is_empty(), "{event}");
        assert_eq!(own, theirs, "{event}");
        if kind == "bp" {
            let at = (&raw const WATCHED) as u64;
            assert!(own.iter().all(|row| row[3] == at && row[8] == 4096));
            let places: Vec<u64> = own.iter().map(|row| row[4]).filter(|&it| it != 0).collect();
            assert!(
                places
                    .iter()
                    .all(|&place| place % 4096 == 0 && place == places[0])
            );
        }
    }
}

/// The committed recordings are those of the writer. `NUMALENS_WRITE_FIXTURES=1` writes them.
#[test]
fn fixtures_are_what_the_writer_writes() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("samples/fixtures/perf");
    for (story, phys, name) in RECORDINGS {
        let file = folder.join(format!("mem-{name}.data.zst"));
        let bytes = recording(Form::PLAIN, story, phys);
        if std::env::var_os("NUMALENS_WRITE_FIXTURES").is_some() {
            std::fs::write(&file, zstd::stream::encode_all(&bytes[..], 19).unwrap()).unwrap();
        }
        let packed = std::fs::read(&file).unwrap();
        assert!(
            zstd::stream::decode_all(&packed[..]).unwrap() == bytes,
            "{name}"
        );
    }
}

/// Sizes that reach beyond a sample, and a bitmap of memory blocks that never ends: refused or left out, in bounds.
#[test]
fn sizes_that_cannot_be_are_refused() {
    let bytes = first(Form::PLAIN, Story::Followed, true, 40);
    for at in (0..bytes.len()).step_by(3) {
        for value in [0xff_u8, 0x7f] {
            let mut hostile = bytes.clone();
            let end = (at + 8).min(hostile.len());
            hostile[at..end].fill(value);
            let Ok((sink, _)) = support::read(&hostile, true) else {
                continue;
            };
            let rows: usize = sink
                .tables
                .iter()
                .flat_map(|table| &table.1)
                .map(arrow_array::RecordBatch::num_rows)
                .sum();
            assert!(rows <= 60, "{at} {rows}");
        }
    }
}
