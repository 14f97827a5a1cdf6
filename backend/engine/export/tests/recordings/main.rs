//! From a recording to a bundle and back out, on the repository's own recordings.
#![allow(clippy::unwrap_used, clippy::panic)]

mod analysis;
mod context;
mod cost;
mod guest;
mod ilb;
mod numa;
mod partial;
mod segments;
mod stacks;
mod symbols;
mod waits;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_ipc::reader::StreamReader;
use numalens_bundle::{
    Error, Files, IngestRequest, Inputs, Limits, Memory, Open, Progress, ingest, sniff, unpack,
};
use numalens_columns::{ReadOptions, SliceSource};
use numalens_engine::schemas;
use numalens_export::{Format, export, export_found, export_samples};
use numalens_replay::timeline::Lane;
use numalens_subject::Context;
use serde_json::Value;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../samples/fixtures")
        .join(name)
}

struct Made {
    open: Context,
    manifest: Value,
}

impl Made {
    /// The same bundle, opened again.
    fn reopened(&self) -> Context {
        Context::new(Open::new(Arc::clone(&self.open.files)).unwrap())
    }
}

/// Each file under its own name.
fn named(inputs: &[PathBuf]) -> Inputs<'static> {
    let input = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        one(name, std::fs::read(path).unwrap())
    };
    inputs.iter().flat_map(input).collect()
}

fn one(name: &str, bytes: Vec<u8>) -> Inputs<'static> {
    vec![(name.to_owned(), Box::new(bytes))]
}

fn try_ingest(inputs: &[PathBuf], limits: Limits) -> Result<Made, Error> {
    try_request(IngestRequest {
        inputs: named(inputs),
        limits,
        ..IngestRequest::default()
    })
}

#[test]
fn damage_that_leaves_nothing_is_no_empty_analysis() {
    let whole = std::fs::read(sample("cling-2x4-small.v7-zstd.dat")).unwrap();
    let read = |inputs: Inputs<'static>| {
        try_request(IngestRequest {
            inputs,
            options: ReadOptions { tolerant: true },
            ..IngestRequest::default()
        })
    };
    // Its formats are whole, its pages have not begun.
    let cut = whole[..whole.len() / 20].to_vec();
    let Err(Error::Input { name, error }) = read(one("cut.dat", cut.clone())) else {
        panic!("an empty analysis");
    };
    assert_eq!(name, "cut.dat");
    assert!(
        error
            .to_string()
            .contains("outside of what is damaged, found none: expected"),
        "{error}"
    );
    let mut both = one("cut.dat", cut);
    both.extend(one("whole.dat", whole));
    assert!(read(both).is_ok(), "what is whole counts");
}

/// Unpacks and reads, as the service does, but in memory.
fn try_request(request: IngestRequest<'_>) -> Result<Made, Error> {
    let (scratch, bundle) = (Memory::default(), Memory::default());
    let mut progress = Progress::new(None);
    let inputs = &request.inputs;
    let members = unpack(inputs, &scratch, None, request.options, &mut progress)?;
    let members = members.into_iter().filter(|member| member.kind.is_some());
    let inputs = members.map(|member| {
        let source = match &member.file {
            Some(file) => scratch.source(file)?,
            None => Box::new(SliceSource(inputs[member.source as usize].1.bytes())),
        };
        Ok((member.name, source))
    });
    let request = IngestRequest {
        inputs: inputs.collect::<Result<_, Error>>()?,
        ..request
    };
    let json = ingest(request, &bundle, &mut Progress::new(None))?;
    let open = Context::new(Open::new(Arc::new(bundle))?);
    assert_eq!(json, open.manifest);
    let manifest = serde_json::from_str(&json).unwrap();
    Ok(Made { open, manifest })
}

/// Names of all sections that need no options.
fn sections() -> Vec<String> {
    let schemas: Value = serde_json::from_slice(&schemas().unwrap()).unwrap();
    let all = schemas["sections"].as_object().unwrap().iter();
    let free = all.filter(|(_, section)| section["options"]["required"].is_null());
    free.map(|(name, _)| name.clone()).collect()
}

fn made(names: &[&str]) -> Made {
    let inputs: Vec<PathBuf> = names.iter().map(|name| sample(name)).collect();
    try_ingest(&inputs, Limits::default()).unwrap()
}

fn exported(
    made: &Made,
    event: &str,
    format: Format,
    window: (Option<u64>, Option<u64>),
) -> (u64, Vec<u8>) {
    let mut bytes = Vec::new();
    let rows = export(&made.open, event, format, window, &mut |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    });
    (rows.unwrap(), bytes)
}

fn text(made: &Made, event: &str) -> String {
    String::from_utf8(exported(made, event, Format::Csv, (None, None)).1).unwrap()
}

fn times(csv: &str) -> Vec<u64> {
    csv.lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap().parse().unwrap())
        .collect()
}

/// All lanes over the whole recording.
fn picture(made: &Made, px: u32) -> RecordBatch {
    let index = &made.open.index;
    let mut lanes: Vec<Lane> = index
        .nodes()
        .iter()
        .map(|node| Lane::Node(node.nid))
        .collect();
    lanes.extend(
        index
            .nodes()
            .iter()
            .flat_map(|node| node.cpus.iter().map(|&cpu| Lane::Cpu(cpu))),
    );
    index
        .window(&lanes, index.origin_ns(), index.end_ns(), px)
        .unwrap()
}

#[test]
fn counts_are_those_of_the_recorder() {
    for (recording, name) in [
        ("cling-2x4-small.v7-zstd.dat", "cling-2x4-small"),
        ("tc-dropped.v7-zstd.dat", "tc-dropped"),
        ("tc-multi.v7-zstd.dat", "tc-multi"),
        ("tc-small.v7-zstd.dat", "tc-small"),
    ] {
        let made = made(&[recording]);
        let stored = std::fs::read_to_string(sample(&format!("{name}.counts.json"))).unwrap();
        let stored: Value = serde_json::from_str(&stored).unwrap();
        assert_eq!(made.manifest["event_counts"], stored["counts"], "{name}");
        let rows: BTreeMap<&str, u64> = made
            .open
            .tables
            .iter()
            .map(|table| (table.event.as_str(), table.rows))
            .collect();
        for (event, rows) in rows {
            assert_eq!(
                exported(&made, event, Format::NdJson, (None, None)).0,
                rows,
                "{name} {event}"
            );
        }
    }
}

#[test]
fn encodings_give_the_same_columns_and_pictures() {
    let (zlib, zstd) = (
        made(&["tc-small.v7-zlib.dat"]),
        made(&["tc-small.v7-zstd.dat"]),
    );
    assert_eq!(picture(&zlib, 300), picture(&zstd, 300));
    for table in &zlib.open.tables {
        assert_eq!(
            text(&zlib, &table.event),
            text(&zstd, &table.event),
            "{}",
            table.event
        );
    }
}

#[test]
fn lost_events_are_in_the_picture() {
    let made = made(&["tc-dropped.v7-zstd.dat"]);
    assert_eq!(made.manifest["inputs"][0]["lost_marks"], 11);
    let lost = picture(&made, 3000);
    let kinds = lost
        .column(1)
        .as_any()
        .downcast_ref::<arrow_array::UInt8Array>()
        .unwrap();
    assert!(kinds.values().contains(&3), "lost events are shown");
}

#[test]
fn nodes_come_from_events_and_a_sidecar_wins() {
    let learnt = made(&["cling-2x4-small.v7-zstd.dat"]);
    assert_eq!(learnt.manifest["topology"]["source"], "events");
    assert_eq!(
        learnt.manifest["topology"]["nodes"][1]["cpus"],
        serde_json::json!([4, 5, 6, 7])
    );
    let stated = made(&["cling-2x4-small.v7-zstd.dat", "sidecars/2x4.numactl-H.txt"]);
    assert_eq!(stated.manifest["topology"]["source"], "sidecar");
    assert_eq!(stated.manifest["inputs"][1]["kind"], "topology");
    assert_eq!(
        stated.manifest["topology"]["distances"],
        serde_json::json!([[10, 20], [20, 10]])
    );
    assert_eq!(picture(&learnt, 500), picture(&stated, 500));
    let other = made(&["cling-2x4-small.v7-zstd.dat", "sidecars/8x2.sysfs.txt"]);
    let notes = other.manifest["notes"].to_string();
    assert!(notes.contains("Events place CPUs"), "{notes}");
}

#[test]
fn exports_are_ascending_and_cut_by_time() {
    let one = made(&["tc-small.v7-zstd.dat"]);
    let all = times(&text(&one, "sched_switch"));
    let (from, to) = (all[all.len() / 3], all[all.len() / 2]);
    let inside = all.iter().filter(|&&ts| ts >= from && ts < to).count() as u64;
    for format in [Format::Csv, Format::NdJson, Format::Arrow] {
        let (rows, bytes) = exported(&one, "sched:sched_switch", format, (Some(from), Some(to)));
        assert_eq!(rows, inside);
        if format == Format::Arrow {
            let batches = StreamReader::try_new(bytes.as_slice(), None).unwrap();
            assert_eq!(batches.schema().field(0).name(), "ts_ns");
            assert_eq!(batches.schema().field(1).name(), "cpu");
            assert!(batches.schema().column_with_name("seq").is_none());
            let rows: usize = batches.map(|batch| batch.unwrap().num_rows()).sum();
            assert_eq!(rows as u64, inside);
        }
    }
    // Two recordings of different kernels' formats in one analysis.
    let two = made(&["tc-small.v7-zstd.dat", "cling-2x4-small.v7-zstd.dat"]);
    let both = times(&text(&two, "sched_switch"));
    let other = made(&["cling-2x4-small.v7-zstd.dat"]);
    assert_eq!(
        both.len(),
        all.len() + times(&text(&other, "sched_switch")).len()
    );
    assert!(both.is_sorted());
    let missing = export(&one.open, "nothing", Format::Csv, (None, None), &mut |_| {
        Ok(())
    });
    assert!(matches!(missing, Err(Error::Missing(name)) if name == "nothing"));
}

#[test]
fn exports_of_all_events_take_little_memory_at_a_time() {
    const MOST_BYTES: usize = 1 << 18;
    const MOST_CELLS: usize = 1 << 18;
    let many = made(&["tc-multi.v7-zstd.dat", "cling-2x4-small.v7-zstd.dat"]);
    let all: u64 = many.open.tables.iter().map(|table| table.rows).sum();
    for format in [Format::Csv, Format::NdJson, Format::Arrow] {
        let mut bytes = Vec::new();
        let rows = export_found(&many.open, "", format, (None, None), &mut |piece| {
            assert!(piece.len() <= MOST_BYTES);
            bytes.extend_from_slice(piece);
            Ok(())
        });
        assert_eq!(rows.unwrap(), all);
        assert!(bytes.len() > MOST_BYTES);
        if format != Format::Arrow {
            continue;
        }
        let batches = StreamReader::try_new(bytes.as_slice(), None).unwrap();
        let columns = batches.schema().fields().len();
        let (mut last, mut rows, mut largest) = (0, 0, 0);
        for batch in batches.map(Result::unwrap) {
            largest = largest.max(batch.num_rows());
            rows += batch.num_rows() as u64;
            for &ts in batch.column(0).as_primitive::<UInt64Type>().values() {
                assert!(last <= ts);
                last = ts;
            }
        }
        assert_eq!(rows, all);
        assert!(largest * columns <= MOST_CELLS, "{largest} x {columns}");
        assert!(2 * largest * columns > MOST_CELLS, "{largest} x {columns}");
    }
}

#[test]
fn caps_are_named() {
    let recording = [sample("tc-small.v7-zstd.dat")];
    let limits = |events, bytes| Limits { events, bytes };
    let Err(error) = try_ingest(&recording, limits(Some(100), None)) else {
        panic!("100 events are too few")
    };
    assert_eq!(
        error.to_string(),
        "tc-small.v7-zstd.dat: expected at most 100 events (max_events), found more"
    );
    for bytes in [1_000, 100_000] {
        let Err(error) = try_ingest(&recording, limits(None, Some(bytes))) else {
            panic!("{bytes} bytes are too few")
        };
        assert!(
            matches!(&error, Error::Limit(exceeded) if exceeded.cap == "max_bytes" && exceeded.limit == bytes),
            "{error}"
        );
    }
    let events = made(&["tc-small.v7-zstd.dat"]).manifest["inputs"][0]["events"].as_u64();
    assert!(try_ingest(&recording, limits(events, Some(100_000_000))).is_ok());
}

#[test]
fn other_files_are_rejected_with_a_sentence() {
    for (bytes, sentence) in [
        (&b""[..], "found an empty file"),
        (b"hello\n", "found text that begins \"hello\""),
        (b"hello\0\n", "found the bytes 68 65 6c 6c 6f 00 0a"),
    ] {
        let error = sniff("x.bin", bytes).unwrap_err().to_string();
        assert!(
            error.starts_with("x.bin: byte 0: expected a recording (trace.dat, ")
                && error.ends_with(sentence),
            "{error}"
        );
    }
}

/// Whatever happens to a recording's bytes, it is read or rejected in one sentence.
#[test]
fn damaged_recordings_are_read_or_rejected() {
    let whole = std::fs::read(sample("tc-small.v7-zlib.dat")).unwrap();
    let mut number = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        (number % below as u64) as usize
    };
    for round in 0..60 {
        let mut bytes = whole.clone();
        if round % 3 == 0 {
            bytes.truncate(10 + next(whole.len() - 10));
        }
        for _ in 0..round {
            let (at, byte) = (next(bytes.len()), next(256) as u8);
            bytes[at] = byte;
        }
        bytes[..10].copy_from_slice(&whole[..10]);
        let limits = Limits {
            events: Some(1_000_000),
            bytes: Some(200_000_000),
        };
        let request = IngestRequest {
            inputs: one("damaged.dat", bytes),
            limits,
            ..IngestRequest::default()
        };
        match try_request(request) {
            Ok(made) => drop(picture(&made, 100)),
            Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
        }
    }
}

#[test]
fn a_listener_that_raises_stops_the_work() {
    let mut reports = Vec::new();
    let request = || IngestRequest {
        inputs: named(&[sample("tc-dropped.v7-zstd.dat")]),
        ..IngestRequest::default()
    };
    let tell = |stage: &str, done: u64, total: u64| {
        reports.push((stage.to_owned(), done, total));
        Ok(())
    };
    let mut progress = Progress::new(Some(Box::new(tell)));
    ingest(request(), &Memory::default(), &mut progress).unwrap();
    drop(progress);
    assert!(reports.iter().all(|(_, done, total)| done <= total));
    for stage in ["decoding", "indexing"] {
        let last = reports.iter().rfind(|report| report.0 == stage).unwrap();
        assert_eq!(last.1, last.2, "{stage}");
    }
    let tell = |_: &str, _, _| Err("stop".into());
    let mut progress = Progress::new(Some(Box::new(tell)));
    let stopped = ingest(request(), &Memory::default(), &mut progress);
    assert!(matches!(stopped, Err(Error::Interrupted(_))));
}

#[test]
fn a_mix_of_inputs_is_one_analysis_on_one_clock() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/cling-2x4-heavy");
    let inputs = [
        "trace.dat",
        "psi.jsonl",
        "numa_group.jsonl",
        "numactl-H.txt",
    ];
    let inputs: Vec<PathBuf> = inputs.iter().map(|name| folder.join(name)).collect();
    let made = try_ingest(&inputs, Limits::default()).unwrap();
    let kinds: Vec<&str> = made.manifest["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| input["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["trace.dat", "psi", "numa-group", "topology"]);
    let alignment = |at: usize| made.manifest["inputs"][at]["alignment"].clone();
    assert_eq!(alignment(0)["method"], "reference");
    assert_eq!(alignment(1)["method"], "same-clock");
    assert_eq!(alignment(1)["uncertainty_ns"], 0);
    assert_eq!(alignment(1)["label"], "observed");
    assert!(alignment(3).is_null());
    let psi = made
        .open
        .samples
        .iter()
        .find(|table| table.table == "psi")
        .unwrap();
    assert_eq!(psi.placed, psi.rows);
    let mut csv = Vec::new();
    let rows = export_samples(&made.open, "psi", Format::Csv, (None, None), &mut |piece| {
        csv.extend_from_slice(piece);
        Ok(())
    });
    assert_eq!(rows.unwrap(), psi.rows);
    let csv = String::from_utf8(csv).unwrap();
    assert!(
        csv.starts_with("ts_ns,input,idx,mono_ns,"),
        "{}",
        csv.lines().next().unwrap()
    );
    let window = (psi.from_ns, psi.from_ns.map(|from| from + 1_000_000_000));
    let cut = export_samples(&made.open, "psi", Format::Arrow, window, &mut |_| Ok(())).unwrap();
    assert!(0 < cut && cut < psi.rows);
}

#[test]
fn a_users_shift_moves_a_recording() {
    let path = sample("tc-small.v7-zstd.dat");
    let plain = try_ingest(std::slice::from_ref(&path), Limits::default()).unwrap();
    let shifted = try_request(IngestRequest {
        inputs: named(std::slice::from_ref(&path)),
        offsets: BTreeMap::from([(0, -1_000)]),
        ..IngestRequest::default()
    });
    let shifted = shifted.unwrap();
    assert_eq!(shifted.manifest["inputs"][0]["alignment"]["method"], "user");
    let moved: Vec<u64> = times(&text(&plain, "sched_switch"))
        .iter()
        .map(|ts| ts - 1_000)
        .collect();
    assert_eq!(times(&text(&shifted, "sched_switch")), moved);
}
