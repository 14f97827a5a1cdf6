//! Recordings that are several files: copies of tracefs, and directories of perf.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use numalens_archive::{Caps, Unpack, sniff};
use numalens_bundle::{Error, Files, IngestRequest, Inputs, Memory, Progress, ingest, unpack};
use numalens_columns::{ByteSource, ReadOptions, SinkError, Skipped, SliceSource};
use serde_json::Value;

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/fixtures");
    std::fs::read(folder.join(name)).unwrap()
}

/// Files by name.
type Named = BTreeMap<String, Vec<u8>>;

struct Kept(Named);

impl Unpack for Kept {
    fn entry(&mut self, name: &str, reader: &mut dyn Read) -> Result<(), SinkError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        self.0.insert(name.to_owned(), bytes);
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        panic!("{skipped:?}")
    }
}

/// What is in an archive of the fixtures.
fn files(name: &str) -> Named {
    let bytes = fixture(name);
    let mut kept = Kept(Named::new());
    numalens_archive::unpack(
        &SliceSource(&bytes),
        sniff(&bytes).unwrap(),
        name,
        &Caps::default(),
        &ReadOptions::default(),
        &mut kept,
        &mut |_, _| {},
    )
    .unwrap();
    kept.0
}

fn inputs(files: &Named) -> Inputs<'static> {
    let input = |(name, bytes): (&String, &Vec<u8>)| {
        let source: Box<dyn ByteSource> = Box::new(bytes.clone());
        (name.clone(), source)
    };
    files.iter().map(input).collect()
}

/// Unpacks and reads, as the service does, with as many bytes unpacked at most.
fn read(inputs: &Inputs<'_>, most: Option<u64>) -> Result<(Vec<String>, Value), Error> {
    let (scratch, bundle) = (Memory::default(), Memory::default());
    let options = ReadOptions::default();
    let members = unpack(inputs, &scratch, most, options, &mut Progress::new(None))?;
    let members: Vec<_> = members
        .into_iter()
        .filter(|one| one.kind.is_some())
        .collect();
    let kinds = members
        .iter()
        .map(|one| format!("{} {}", one.name, one.kind.unwrap()));
    let kinds = kinds.collect();
    let sources = members.iter().map(|member| {
        let source = match &member.file {
            Some(file) => scratch.source(file).unwrap(),
            None => Box::new(SliceSource(inputs[member.source as usize].1.bytes())),
        };
        (member.name.clone(), source)
    });
    let request = IngestRequest {
        inputs: sources.collect(),
        ..IngestRequest::default()
    };
    let json = ingest(request, &bundle, &mut Progress::new(None))?;
    Ok((kinds, serde_json::from_str(&json).unwrap()))
}

fn archive(name: &str) -> (Vec<String>, Value) {
    let source: Box<dyn ByteSource> = Box::new(fixture(name));
    read(&vec![(name.to_owned(), source)], None).unwrap()
}

/// One sentence about files that cannot be read.
fn sentence(files: &Named) -> String {
    let error = read(&inputs(files), None).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

/// What `trace-cmd report` counted.
fn counted() -> Value {
    serde_json::json!({
        "sched_migrate_task": 6, "sched_switch": 289, "sched_wakeup": 155, "sched_wakeup_new": 6,
    })
}

/// The pages and formats under the names that other scripts give them.
fn renamed(rename: impl Fn(&str) -> Option<String>) -> Named {
    let files = files("pages.tar.gz").into_iter();
    files
        .filter_map(|(name, bytes)| Some((rename(name.strip_prefix("schedviz/")?)?, bytes)))
        .collect()
}

/// As copied out of tracefs.
fn tracefs() -> Named {
    let mut files = renamed(|name| {
        let cpu = name.strip_prefix("traces/");
        let formats = name.strip_prefix("formats/");
        let formats = formats.map(|rest| format!("copy/events/{rest}"));
        cpu.map(|cpu| format!("copy/per_cpu/{cpu}/trace_pipe_raw"))
            .or(formats)
    });
    files.insert(
        "copy/trace_clock".to_owned(),
        b"[local] global mono\n".to_vec(),
    );
    files
}

#[test]
fn pages_with_formats_are_a_recording() {
    let (kinds, manifest) = archive("pages.tar.gz");
    assert_eq!(
        kinds,
        [
            "pages.tar.gz/schedviz trace.dat",
            "pages.tar.gz/schedviz/topology/node0 topology"
        ]
    );
    assert_eq!(manifest["event_counts"], counted());
    assert_eq!(
        manifest["topology"]["nodes"][0]["cpus"],
        serde_json::json!([0, 1])
    );
    let recording = &manifest["inputs"][0];
    let spans: Vec<_> = recording["cpu_spans"]
        .as_array()
        .unwrap()
        .iter()
        .map(|span| span["events"].as_u64().unwrap())
        .collect();
    assert_eq!(spans, [144, 312]);
    let (first, last) = (
        &recording["buffers"][0]["first_ns"],
        &recording["buffers"][0]["last_ns"],
    );
    assert_eq!(
        (first.as_u64(), last.as_u64()),
        (Some(29_818_740_923_036), Some(29_818_960_951_753))
    );
}

#[test]
fn copies_of_tracefs_in_other_layouts_are_the_same_recording() {
    let raw = renamed(|name| {
        let cpu = name.strip_prefix("traces/").map(|cpu| format!("{cpu}.raw"));
        let format = name
            .strip_suffix("/format")
            .map(|event| format!("{event}.format"));
        cpu.or(format)
            .or((name == "formats/header_page").then(|| name.to_owned()))
    });
    for (files, clock) in [(tracefs(), Some("local")), (raw, None)] {
        let (kinds, manifest) = read(&inputs(&files), None).unwrap();
        assert_eq!(kinds.len(), 1, "{kinds:?}");
        assert_eq!(manifest["event_counts"], counted());
        assert_eq!(manifest["inputs"][0]["clock"].as_str(), clock);
    }
}

#[test]
fn a_directory_of_perf_is_a_recording() {
    // `perf script` has 210 lines of it.
    let (kinds, manifest) = archive("perf-threads-z.tar.zst");
    assert_eq!(kinds, ["perf-threads-z.tar.zst/perf-threads-z perf.data"]);
    assert_eq!(
        manifest["event_counts"],
        serde_json::json!({"sched_switch": 210})
    );
    let recording = &manifest["inputs"][0];
    let (first, last) = (
        &recording["buffers"][0]["first_ns"],
        &recording["buffers"][0]["last_ns"],
    );
    assert_eq!(
        (first.as_u64(), last.as_u64()),
        (Some(30_025_740_109_192), Some(30_026_057_081_494))
    );
    assert_eq!(recording["backwards"], 0);
    let notes = manifest["notes"].to_string();
    assert!(!notes.contains("others are not read"), "{notes}");
    // The features behind the records are still found.
    assert!(recording["kernel"].as_str().unwrap().starts_with("6.18."));
    // Also as files of a folder, named from there.
    let files = files("perf-threads-z.tar.zst").into_iter();
    let files: Named = files
        .map(|(name, bytes)| (name.rsplit('/').next().unwrap().to_owned(), bytes))
        .collect();
    assert_eq!(
        read(&inputs(&files), None).unwrap().1["event_counts"],
        manifest["event_counts"]
    );
}

#[test]
fn what_does_not_belong_together_is_one_sentence() {
    let mut twice = tracefs();
    let pages = twice["copy/per_cpu/cpu0/trace_pipe_raw"].clone();
    twice.insert("copy/cpu0".to_owned(), pages.clone());
    assert!(sentence(&twice).ends_with("expected one file with the pages of CPU 0, found two"));
    let mut many = tracefs();
    many.insert("copy/cpu70000".to_owned(), pages);
    assert!(sentence(&many).contains("pages of at most 65536 CPUs"));
    let mut none = tracefs();
    none.retain(|name, _| !name.ends_with("/format"));
    assert!(sentence(&none).contains("the format of at least one event next to the pages"));
    for header in [
        "",
        "field: char data;\toffset:16;\tsize:99999999999;",
        "not one",
    ] {
        let mut odd = tracefs();
        odd.insert(
            "copy/events/header_page".to_owned(),
            header.as_bytes().to_vec(),
        );
        let said = sentence(&odd);
        assert!(said.starts_with("copy: line 1: expected a "), "{said}");
    }
    let mut cut = tracefs();
    cut.get_mut("copy/per_cpu/cpu1/trace_pipe_raw")
        .unwrap()
        .truncate(5000);
    assert!(sentence(&cut).starts_with("copy: byte "));
    let mut perf = files("perf-threads-z.tar.zst");
    perf.get_mut("perf-threads-z/data.1").unwrap().pop();
    assert!(sentence(&perf).contains("expected a whole record in perf-threads-z/data.1"));
    perf.get_mut("perf-threads-z/data.1").unwrap().clear();
    perf.get_mut("perf-threads-z/data").unwrap().truncate(50);
    assert!(sentence(&perf).starts_with("perf-threads-z: byte "));
}

#[test]
fn parts_come_to_no_more_than_is_allowed() {
    let files = inputs(&files("perf-threads-z.tar.zst"));
    let packed: u64 = files.iter().map(|file| file.1.bytes().len() as u64).sum();
    // What the buffers inflate to is 26 KB, from 3 KB.
    let error = read(&files, Some(packed + 5_000)).unwrap_err().to_string();
    assert!(error.contains("expected records of at most "), "{error}");
    let error = read(&files, Some(packed - 1)).unwrap_err().to_string();
    assert!(error.contains("bytes in all parts"), "{error}");
    read(&files, None).unwrap();
}

#[test]
fn notes_in_another_encoding_are_set_aside() {
    let named = |files: &[(&str, &[u8])]| -> Named {
        let files = files.iter();
        files
            .map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec()))
            .collect()
    };
    let event =
        b"     a-1     [000] .....  1.000000: sched_waking: comm=x pid=1 prio=1 target_cpu=000\n";
    let note = ("a.txt", &b"\xef\xbb\xbfhow it was taken\n"[..]);
    let (kinds, _) = read(&inputs(&named(&[note, ("b.txt", event)])), None).unwrap();
    assert_eq!(kinds, ["b.txt ftrace-text"]);
    let marked = [b"\xef\xbb\xbf", &event[..]].concat();
    let (kinds, _) = read(&inputs(&named(&[note, ("b.txt", &marked)])), None).unwrap();
    assert_eq!(kinds, ["b.txt ftrace-text"]);
    let alone = read(&inputs(&named(&[note])), None)
        .unwrap_err()
        .to_string();
    assert!(
        alone.starts_with("a.txt: byte 0: expected a recording"),
        "{alone}"
    );
}

#[test]
fn an_archive_of_a_foreign_trace_names_its_kind() {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in [
        ("ctf/README", &b"a trace"[..]),
        ("ctf/metadata", b"/* CTF 1.8 */\n"),
    ] {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, name, bytes).unwrap();
    }
    let files = Named::from([("t.tar".to_owned(), tar.into_inner().unwrap())]);
    let sentence = read(&inputs(&files), None).unwrap_err().to_string();
    assert!(
        sentence.starts_with("t.tar/ctf/metadata: byte 0: expected the text of babeltrace2"),
        "{sentence}"
    );
}
