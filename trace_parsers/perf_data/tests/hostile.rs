//! Damaged, cut and forged recordings: one sentence with the place, never a panic, never much memory.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeSet;

use numalens_columns::DecodeError;
use proptest::prelude::*;
use support::writer::{Form, Item, write, write_with};
use support::{decode, fixture, read, sentence};

fn small(form: Form) -> Vec<u8> {
    let mut items = Vec::new();
    for i in 0..40_u64 {
        items.push(Item::Mini(
            1000 + i * 10,
            (i % 2) as u32,
            i as i32,
            vec![i; 3],
        ));
        if i % 10 == 9 {
            items.push(Item::Fault(1001 + i * 10, 0, i));
            items.push(Item::Lost(1002 + i * 10, 1, 3));
            items.push(Item::Round);
        }
    }
    write(form, &items)
}

#[test]
fn sentences_name_the_place_and_what_was_expected() {
    let good = small(Form::PLAIN);
    assert_eq!(sentence(&good), "read");
    assert_eq!(
        sentence(b""),
        "perf.data: byte 0: expected the perf.data magic \"PERFILE2\", found the end of the file after 0 bytes"
    );
    assert_eq!(
        sentence(b"\x17\x08\x44tracing6"),
        "perf.data: byte 0: expected the perf.data magic \"PERFILE2\", found \"\\u{17}\\u{8}Dtraci\""
    );
    let mut header = good.clone();
    header[8] = 99;
    assert_eq!(
        sentence(&header),
        "perf.data: byte 8: expected a header of 104 bytes, or of 16 in pipe mode, found one of 99"
    );
    let data = u64::from_le_bytes(good[40..48].try_into().unwrap()) as usize;
    let size = u64::from_le_bytes(good[48..56].try_into().unwrap()) as usize;
    let cut = data + 500;
    // The places of the features, which are behind the records, are missed first.
    let said = sentence(&good[..cut]);
    let expected = format!(
        "perf.data: byte {cut}: expected the place of a header feature at byte {}",
        data + size
    );
    assert!(said.starts_with(&expected), "{said}");
    let mut empty = good.clone();
    empty[data + 6..data + 8].fill(0);
    let said = sentence(&empty);
    let expected =
        format!("perf.data: byte {data}: expected a record, found one of type 9 and 0 bytes");
    assert_eq!(said, expected);
    let mut stranger = good.clone();
    stranger[data + 8] = 200;
    let said = sentence(&stranger);
    let expected = format!(
        "perf.data: byte {data}: expected a sample of a recorded event, found one with id 200"
    );
    assert_eq!(said, expected);
}

#[test]
fn a_tolerant_reading_tells_what_it_left_out() {
    let good = small(Form::PLAIN);
    let whole = decode(&good).1.summary;
    let data = u64::from_le_bytes(good[40..48].try_into().unwrap()) as usize;
    let size = usize::from(u16::from_le_bytes(
        good[data + 6..data + 8].try_into().unwrap(),
    ));
    // A raw part that is longer than its sample: this event alone is missing, and its CPU has a gap.
    let mut long = good.clone();
    let second = data + size;
    long[second + size - 16..second + size - 12].fill(0xff);
    let (sink, recording) = read(&long, true).unwrap();
    assert_eq!(recording.summary.events, whole.events - 1);
    assert_eq!((sink.skipped.len(), sink.skipped[0].cpu), (1, Some(1)));
    assert_eq!(sink.skipped[0].range, second as u64..(second + size) as u64);
    assert_eq!((sink.lost[0].cpu, sink.lost[0].count), (1, None));
    // A header of zeros: the next record is found behind it.
    let mut hole = good.clone();
    hole[second..second + 8].fill(0);
    let (sink, recording) = read(&hole, true).unwrap();
    assert_eq!(recording.summary.events, whole.events - 1);
    assert_eq!(sink.skipped[0].range, second as u64..(second + size) as u64);
    // A cut file: the records that there are.
    let (sink, recording) = read(&good[..data + 10 * size + 20], true).unwrap();
    assert_eq!(recording.summary.events, 10);
    assert!(sink.skipped.len() >= 2, "{:?}", sink.skipped);
    // A pipe has no length: a cut in the middle of a record shows that the ends of all CPUs' events are missing.
    let pipe = small(Form {
        pipe: true,
        ..Form::PLAIN
    });
    let lossy = |bytes: &[u8]| {
        let lost = read(bytes, true).unwrap().0.lost;
        lost.iter().map(|lost| lost.cpu).collect::<BTreeSet<_>>()
    };
    assert_eq!(lossy(&pipe), BTreeSet::from([1]));
    assert_eq!(lossy(&pipe[..pipe.len() - 20]), BTreeSet::from([0, 1]));
}

#[test]
fn bombs_are_capped() {
    let zeros = zstd::bulk::compress(&vec![0; 40 << 20], 19).unwrap();
    assert!(zeros.len() < 60_000);
    let bytes = write_with(Form::PLAIN, |w| w.packed(81, &zeros));
    let said = sentence(&bytes);
    assert!(
        said.contains("expected zstd data, found more than 33554432 bytes in"),
        "{said}"
    );
    let (sink, recording) = read(&bytes, true).unwrap();
    assert_eq!((recording.summary.events, sink.skipped.len()), (0, 1));
    let noise = write_with(Form::PLAIN, |w| w.packed(81, b"no zstd at all"));
    assert!(sentence(&noise).contains("expected zstd data, found damaged data"));
}

#[test]
fn damage_in_compressed_records_costs_what_is_in_them() {
    let items: Vec<Item> = (0..400)
        .map(|i| Item::Mini(1000 + i, 0, 1, vec![]))
        .collect();
    let packed = Form {
        packed: Some(81),
        ..Form::PLAIN
    };
    let good = write(packed, &items);
    let data = u64::from_le_bytes(good[40..48].try_into().unwrap()) as usize;
    let mut first = data;
    for _ in 0..20 {
        first += usize::from(u16::from_le_bytes(
            good[first + 6..first + 8].try_into().unwrap(),
        ));
    }
    let mut bad = good.clone();
    bad[first + 8..first + 40].fill(0xff);
    assert!(
        sentence(&bad).contains("expected zstd data"),
        "{}",
        sentence(&bad)
    );
    let (sink, recording) = read(&bad, true).unwrap();
    assert!(recording.summary.events > 30 && recording.summary.events < 400);
    assert_eq!(sink.skipped[0].range.start, first as u64);
}

#[test]
fn a_cpu_that_cannot_be_is_damage() {
    let mut bytes = small(Form::PLAIN);
    let (_, undamaged) = read(&bytes, false).unwrap();
    let data = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    bytes[data + 40..data + 44].fill(0xff);
    assert!(
        sentence(&bytes).ends_with("found one of CPU 4294967295"),
        "{}",
        sentence(&bytes)
    );
    let (sink, recording) = read(&bytes, true).unwrap();
    assert_eq!(sink.skipped.len(), 1);
    let highest = recording
        .summary
        .cpu_spans
        .iter()
        .map(|span| span.cpu)
        .max();
    assert_eq!(
        (highest, recording.info.cpus),
        (Some(1), undamaged.info.cpus)
    );
}

/// Both readings end; a strict error names a place within the bytes.
fn ends(bytes: &[u8]) {
    for tolerant in [false, true] {
        match read(bytes, tolerant) {
            Ok((sink, recording)) => {
                assert_eq!(sink.order().len() as u64, recording.summary.events);
                assert!(tolerant || sink.skipped.is_empty());
                assert!(
                    sink.skipped
                        .iter()
                        .all(|skipped| skipped.range.start < skipped.range.end)
                );
            }
            Err(DecodeError::Input(error)) => {
                assert!(error.place.number() <= bytes.len() as u64, "{error}");
            }
            Err(other) => panic!("not about the input: {other}"),
        }
    }
}

#[test]
fn every_cut_ends() {
    for form in Form::all() {
        let bytes = small(form);
        for cut in (0..bytes.len())
            .step_by(97)
            .chain(bytes.len() - 40..bytes.len())
        {
            ends(&bytes[..cut]);
        }
    }
}

#[test]
fn real_recordings_cut_anywhere_end() {
    for name in ["perf-sched-pipe", "perf-sched-pipe-z", "perf-numa-mem"] {
        let bytes = fixture(name);
        for cut in (0..bytes.len()).step_by(97 * 500) {
            ends(&bytes[..cut]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn flipped_bytes_never_panic(
        form in proptest::sample::select(Form::all()),
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = small(form);
        for (index, value) in flips {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        ends(&bytes);
    }

    #[test]
    fn forged_words_never_panic(
        form in proptest::sample::select(Form::all()),
        at in any::<proptest::sample::Index>(),
        word in prop_oneof![Just(u64::MAX), Just(u64::MAX / 2), Just(1 << 31), Just(1 << 27), Just(0), any::<u64>()],
    ) {
        let mut bytes = small(form);
        let at = at.index(bytes.len() - 8);
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        ends(&bytes);
    }

    #[test]
    fn noise_never_panics(pipe in any::<bool>(), noise in proptest::collection::vec(any::<u8>(), 0..600)) {
        let mut bytes = b"PERFILE2".to_vec();
        bytes.extend(if pipe { 16_u64 } else { 104 }.to_le_bytes());
        bytes.extend(&noise);
        ends(&bytes);
    }

    #[test]
    fn noise_as_records_never_panics(
        form in proptest::sample::select(Form::all()),
        records in proptest::collection::vec((0_u32..90, proptest::collection::vec(any::<u8>(), 0..120)), 0..20),
    ) {
        let items: Vec<Item> = records.into_iter().map(|(kind, body)| Item::Other(kind, body)).collect();
        ends(&write(form, &items));
    }
}
