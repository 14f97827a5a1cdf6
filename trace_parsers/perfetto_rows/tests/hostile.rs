//! Bytes that are no answers, no plans and no traces.

mod support;

use numalens_columns::{ReadOptions, SliceSource};
use numalens_perfetto_rows::{Importer, MAGIC, decode, sniff};
use proptest::prelude::*;
use support::{Call, Kept, answers_file, capture, replay};

const PLAN: &str =
    r#"{"kind": "events", "event": "e", "rows": 1, "columns": [{"key": "a", "kind": "int"}]}"#;

/// An encoded message with one field of bytes.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2, content.len() as u8];
    bytes.extend_from_slice(content);
    bytes
}

/// An answer of one batch: the kinds of its cells, its numbers, its texts.
fn answer(kinds: &[u8], numbers: &[u8], texts: &[u8]) -> Vec<u8> {
    let batch = [field(1, kinds), field(2, numbers), field(5, texts)].concat();
    field(3, &batch)
}

fn error_of(plan: &str, part: &[u8]) -> String {
    let mut sink = Kept::default();
    let mut importer = Importer::new();
    let result = importer
        .table(plan, &mut sink)
        .and_then(|()| importer.rows(part, &mut sink))
        .and_then(|()| importer.finish(r#"{"cpus": 1}"#, &mut sink));
    result.map_or_else(
        |error| error.to_string(),
        |recording| format!("{:?}", recording.summary),
    )
}

#[test]
fn each_kind_of_damage_has_its_sentence() {
    let good = answer(&[2, 2, 2, 2, 2], &[0, 5, 0, 0, 7], b"");
    let cases: &[(&str, &str, Vec<u8>)] = &[
        ("no message", PLAN, vec![0xff]),
        ("cut", PLAN, good[..good.len() - 1].to_vec()),
        ("half a row", PLAN, answer(&[2, 2, 2], &[0, 5, 0], b"")),
        (
            "no value",
            PLAN,
            answer(&[2, 2, 2, 2, 2], &[0, 5, 0, 0], b""),
        ),
        (
            "a value too many",
            PLAN,
            answer(&[2, 2, 2, 2, 2], &[0, 5, 0, 0, 7, 8], b""),
        ),
        (
            "no such kind",
            PLAN,
            answer(&[2, 2, 2, 2, 9], &[0, 5, 0, 0], b""),
        ),
        (
            "text for a number",
            PLAN,
            answer(&[2, 2, 2, 2, 4], &[0, 5, 0, 0], b"x\0"),
        ),
        (
            "no time",
            PLAN,
            answer(&[2, 1, 2, 2, 2], &[0, 0, 0, 7], b""),
        ),
        (
            "before time",
            PLAN,
            answer(
                &[2, 2, 2, 2, 2],
                &[0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 7],
                b"",
            ),
        ),
        (
            "CPU",
            PLAN,
            answer(&[2, 2, 2, 2, 2], &[0, 5, 255, 255, 255, 1, 0, 7], b""),
        ),
        (
            "ranks",
            PLAN,
            answer(&[2; 10], &[1, 5, 0, 0, 7, 1, 6, 0, 0, 7], b""),
        ),
        ("too few", PLAN, Vec::new()),
        (
            "its own error",
            PLAN,
            field(2, b"Traceback\n no such column: x"),
        ),
        ("columns", PLAN, [field(1, b"a"), good.clone()].concat()),
        ("no plan", "{}", good.clone()),
        (
            "a path",
            r#"{"kind": "events", "event": "../x", "rows": 0, "columns": []}"#,
            good.clone(),
        ),
        (
            "a thread's number",
            r#"{"kind": "threads"}"#,
            answer(&[1, 2], &[1], b""),
        ),
        (
            "a rank left out",
            PLAN,
            answer(&[2, 2, 2, 2, 2], &[1, 5, 0, 0, 7], b""),
        ),
        ("good", PLAN, good),
    ];
    let text: Vec<String> = cases
        .iter()
        .map(|(name, plan, part)| format!("{name}: {}", error_of(plan, part)))
        .collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn rows_need_a_table() {
    let mut sink = Kept::default();
    assert!(Importer::new().rows(&[], &mut sink).is_err());
}

#[test]
fn perfetto_traces_are_known_and_others_are_not() {
    for name in ["tc-small", "cling-2x4-small.part", "tc-small.compact"] {
        let (trace, _) = capture(name);
        for cut in [trace.len(), 64 << 10, 30_000, 5_000, 700, 120] {
            assert!(sniff(&trace[..cut.min(trace.len())]), "{name} {cut}");
        }
    }
    // A first packet that is larger than the head: a bundle of events, each with a time and a thread.
    let mut bundle = vec![0x0a, 0xff, 0xff, 0x7f, 0x0a, 0xff, 0xff, 0x7e, 0x08, 1];
    bundle.extend([0x12, 4, 0x08, 5, 0x10, 7].repeat(50));
    assert!(sniff(&bundle));
    bundle[12] = 0x18;
    assert!(!sniff(&bundle));
    for other in [
        &b""[..],
        b"\n",
        b"\n\n\n\n\n\n",
        b"\n# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n",
        b"\n\x00",
        b"\n\x04\x08\x01\x10\x02\n\x04\x08\x03\x10\x04",
        b"{\"traceEvents\": []}",
        b"\x17\x08\x44tracing6\0",
        b"PERFILE2",
        b"<!doctype html>",
    ] {
        assert!(!sniff(other), "{other:?}");
    }
}

/// The error of a file of answers, or the number of its events.
fn read(file: &[u8]) -> Result<u64, String> {
    let (source, mut sink) = (SliceSource(file), Kept::default());
    let mut at = 0;
    let result = decode(
        &source,
        &ReadOptions::default(),
        &mut sink,
        &mut |done, total| {
            assert!(done >= at && done <= total);
            at = done;
        },
    );
    result
        .map(|recording| recording.summary.events)
        .map_err(|error| error.to_string())
}

#[test]
fn a_file_of_answers_is_read_whole_or_refused_with_its_place() {
    let file = answers_file("tc-small.compact");
    assert_eq!(read(&file), Ok(572));
    let mut other = file.clone();
    other[MAGIC.len()] = b'X';
    let cases = [
        read(b"something else"),
        read(MAGIC),
        read(&file[..file.len() - 1]),
        read(&file[..file.len() / 2]),
        read(&other),
    ];
    let text: Vec<String> = cases.into_iter().map(Result::unwrap_err).collect();
    insta::assert_snapshot!(text.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn noise_is_no_trace(noise in proptest::collection::vec(any::<u8>(), 40..2000)) {
        let mut bytes = vec![0x0a];
        bytes.extend(noise);
        prop_assert!(!sniff(&bytes));
    }

    #[test]
    fn noise_as_an_answer_ends_in_an_error_or_nothing(noise in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = error_of(PLAN, &noise);
        let _ = error_of(r#"{"kind": "threads"}"#, &noise);
    }

    #[test]
    fn noise_as_a_trace_changes_no_rows(noise in proptest::collection::vec(any::<u8>(), 0..4000)) {
        let mut importer = Importer::new();
        importer.trace(&noise);
        let mut sink = Kept::default();
        let finished = importer.finish(r#"{"cpus": 0}"#, &mut sink);
        prop_assert!(finished.is_ok());
    }

    #[test]
    fn damaged_answers_never_panic(at in any::<prop::sample::Index>(), to in any::<u8>(), cut in any::<bool>()) {
        let (trace, mut calls) = capture("tc-small.compact");
        let mut parts: Vec<&mut Vec<u8>> = calls.iter_mut().filter_map(|call| match call {
            Call::Rows(part) => Some(part),
            _ => None,
        }).collect();
        let total: usize = parts.iter().map(|part| part.len()).sum();
        let mut place = at.index(total);
        for part in &mut parts {
            if place < part.len() {
                if cut { part.truncate(place) } else { part[place] = to }
                break;
            }
            place -= part.len();
        }
        let _ = replay(&trace, &calls, &mut Kept::default());
    }

    #[test]
    fn the_trace_may_come_in_any_pieces(sizes in proptest::collection::vec(1_usize..5000, 1..40)) {
        let (trace, calls) = capture("cling-2x4-small.part");
        let mut whole = Kept::default();
        let expected = replay(&trace, &calls, &mut whole).unwrap();
        let mut importer = Importer::new();
        let mut rest = trace.as_slice();
        for size in sizes.iter().cycle() {
            if rest.is_empty() { break }
            let (piece, behind) = rest.split_at((*size).min(rest.len()));
            importer.trace(piece);
            rest = behind;
        }
        let mut pieces = Kept::default();
        let mut found = None;
        for call in &calls {
            match call {
                Call::Table(plan) => importer.table(plan, &mut pieces).unwrap(),
                Call::Rows(part) => importer.rows(part, &mut pieces).unwrap(),
                Call::Finish(info) => { found = Some(importer.finish(info, &mut pieces).unwrap()); break }
            }
        }
        prop_assert_eq!(found, Some(expected));
        prop_assert_eq!(pieces.lost, whole.lost);
    }
}
