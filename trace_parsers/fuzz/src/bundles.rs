//! A bundle whose files are anybody's, as those of a bucket are, and recordings that are read together.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use numalens_bundle::{Cut, Files, IngestRequest, Limits, Memory, Open, Progress, ingest};
use numalens_columns::{ReadOptions, SliceSource};
use numalens_engine::{analyse, report, section_names};
use numalens_export::{Format, TABLES, events_page, export_found, export_trace, table};
use numalens_replay::timeline::Lane;
use numalens_subject::{Context, Window};
use serde_json::Value;

/// What a section is given: some answer only where a task is named, which others refuse.
const OPTIONS: [&str; 2] = ["{}", r#"{"pid": 1}"#];
/// Fields that may be negative: differences, and priorities of deadline tasks.
const SIGNED: [&str; 5] = ["drift_ppb", "error_percent", "mmtests", "offset_ns", "prio"];
/// Suffixes of the names of fields in which -1 means none, such as the parent of a tree's root.
const NONE: [&str; 5] = ["cpu", "function", "nid", "parent", "pid"];
/// Most lanes that are asked for.
const LANES: u32 = 4;
/// Limits of what recordings may become.
const LIMITS: Limits = Limits {
    events: Some(1 << 20),
    bytes: Some(64 << 20),
};

/// Files as one input: of each its name after a byte of its length, and its bytes after four of theirs (little endian).
#[must_use]
pub fn packed<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut data = Vec::new();
    for (name, bytes) in files {
        data.push(name.len() as u8);
        data.extend(name.bytes());
        data.extend((bytes.len() as u32).to_le_bytes());
        data.extend(bytes);
    }
    data
}

/// A file of an input.
pub(crate) struct Member {
    pub(crate) name: String,
    /// Where it begins, with its name.
    pub(crate) start: usize,
    pub(crate) length_at: usize,
    pub(crate) bytes: Range<usize>,
}

/// The files of an input; what is no file at the end is left out.
pub(crate) fn members(data: &[u8]) -> Vec<Member> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&length) = data.get(at) {
        let length_at = at + 1 + usize::from(length);
        let (Some(name), Some(size)) = (
            data.get(at + 1..length_at),
            data.get(length_at..length_at + 4),
        ) else {
            break;
        };
        let size = size
            .iter()
            .rev()
            .fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        let bytes = length_at + 4..(length_at + 4).saturating_add(size).min(data.len());
        let (start, name) = (at, String::from_utf8_lossy(name).into_owned());
        at = bytes.end;
        found.push(Member {
            name,
            start,
            length_at,
            bytes,
        });
    }
    found
}

/// Opens a bundle. Files without a manifest are recordings, which become a bundle; their number of bytes chooses how.
fn open(data: &[u8]) -> Option<Open> {
    let members = members(data);
    let files = Memory::default();
    if members.iter().any(|member| member.name == "manifest.json") {
        for Member { name, bytes, .. } in members {
            files.create(&name).ok()?.write_all(&data[bytes]).ok()?;
        }
    } else {
        let way = data.len() % 4;
        let request = IngestRequest {
            inputs: members
                .into_iter()
                .map(|Member { name, bytes, .. }| (name, Box::new(SliceSource(&data[bytes])) as _))
                .collect(),
            options: ReadOptions {
                tolerant: way & 1 != 0,
            },
            cut: Cut {
                pseudonyms: way & 2 != 0,
                ..Cut::default()
            },
            limits: LIMITS,
            ..IngestRequest::default()
        };
        ingest(request, &files, &mut Progress::new(None)).ok()?;
    }
    Open::new(Arc::new(files)).ok()
}

/// Whether the engine opens an input as a bundle.
#[must_use]
pub fn opens(data: &[u8]) -> bool {
    open(data).is_some()
}

/// Checks that an answer is JSON in which no figure is negative but those that may be.
#[allow(clippy::expect_used, reason = "a panic is what the fuzzer reports")]
fn check_figures(answer: &[u8]) {
    let answer: Value = serde_json::from_slice(answer).expect("an answer is JSON");
    check_signs("", &answer);
}

/// Checks the signs of the numbers of a field and of all fields within.
fn check_signs(field: &str, value: &Value) {
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, value)| check_signs(name, value)),
        Value::Array(values) => values.iter().for_each(|value| check_signs(field, value)),
        Value::Number(number) => {
            let negative = number.as_f64().is_some_and(|number| number < 0.0);
            let none = number.as_i64() == Some(-1) && NONE.iter().any(|end| field.ends_with(end));
            assert!(
                !negative || none || SIGNED.contains(&field),
                "{field} is {number}"
            );
        }
        _ => {}
    }
}

/// Opens a bundle and asks everything of it: each answer is an error or JSON, and nothing else happens.
pub(crate) fn check(data: &[u8]) {
    let Some(open) = open(data) else {
        return;
    };
    let (from_ns, to_ns) = (open.index.origin_ns(), open.index.end_ns());
    let lanes: Vec<Lane> = (0..LANES)
        .flat_map(|at| [Lane::Cpu(at), Lane::Node(at)])
        .collect();
    for window in [(from_ns, to_ns), (0, u64::MAX)] {
        drop(open.index.window(&lanes, window.0, window.1, 1000));
    }
    drop(open.index.slice_at(0, from_ns));
    drop(open.index.next_slice(1, from_ns, true));
    let context = Context::new(open);
    if let Ok(answer) = report(&context, (None, None), "{}") {
        check_figures(&answer);
    }
    for section in section_names() {
        for options in OPTIONS {
            if let Ok(answer) = analyse(&context, section, (from_ns, to_ns), options, true) {
                check_figures(&answer);
            }
        }
    }
    let window = Window { from_ns, to_ns };
    for name in TABLES {
        drop(table(&context, name, window));
    }
    drop(events_page(&context, "", (None, None), None, 10));
    let mut nowhere = |_: &[u8]| Ok(());
    let format = Format::NdJson;
    drop(export_found(
        &context,
        "",
        format,
        (None, None),
        &mut nowhere,
    ));
    drop(export_trace(&context, (None, None), true, &mut nowhere));
}
