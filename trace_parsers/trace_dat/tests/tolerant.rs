//! Tolerant reading: what is damaged is left out and reported, everything else is read.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeMap;

use numalens_columns::{DecodeError, Recording};
use proptest::prelude::*;
use support::writer::{Form, Instance, Sample, write};
use support::{Memory, decode, fixture, read};

fn tolerant(bytes: &[u8]) -> (Memory, Recording) {
    let (sink, recording) = read(bytes, true).unwrap();
    check(bytes, &sink, &recording);
    (sink, recording)
}

/// What holds for every tolerant reading.
fn check(bytes: &[u8], sink: &Memory, recording: &Recording) {
    use arrow_array::cast::AsArray;
    use arrow_array::types::UInt64Type;
    for part in &sink.skipped {
        let range = &part.range;
        assert!(
            range.start < range.end && range.end <= bytes.len() as u64,
            "{part:?}"
        );
        assert_eq!(part.unit, "byte");
    }
    let mut rows = Vec::new();
    for batch in sink.batches.iter().flatten() {
        let ts = batch["ts_ns"].as_primitive::<UInt64Type>().values();
        let seq = batch["seq"].as_primitive::<UInt64Type>().values();
        rows.extend(seq.iter().copied().zip(ts.iter().copied()));
    }
    rows.sort_unstable();
    assert!(rows.iter().map(|row| row.0).eq(0..recording.summary.events));
    let backwards = rows.windows(2).filter(|pair| pair[1].1 < pair[0].1).count();
    assert_eq!(backwards as u64, recording.summary.backwards);
    assert_eq!(sink.lost.len() as u64, recording.summary.lost_marks);
    let spans: u64 = recording
        .summary
        .cpu_spans
        .iter()
        .map(|span| span.events)
        .sum();
    assert_eq!(spans, recording.summary.events);
}

/// Whether every row of `part` is one of `whole`.
fn within(part: &BTreeMap<String, usize>, whole: &BTreeMap<String, usize>) -> bool {
    part.iter()
        .all(|(row, n)| whole.get(row).is_some_and(|all| n <= all))
}

fn two_cpus(form: &Form) -> Vec<u8> {
    let cpu = |from: u64| -> Vec<Sample> {
        (0..60)
            .map(|i| Sample::new(from + i * 10, i as i32, "task"))
            .collect()
    };
    let instances: [Instance; 2] = [
        ("", vec![cpu(1000), cpu(1003)]),
        ("second", vec![cpu(1005), cpu(1007)]),
    ];
    write(form, &instances, &[])
}

fn form(version: u32, compression: &'static str) -> Form {
    Form {
        version,
        big: false,
        long_size: 8,
        page_size: 256,
        compression,
        page_size_in_option: version == 7,
    }
}

#[test]
fn a_whole_recording_reads_the_same_in_both_ways() {
    let mut inputs: Vec<Vec<u8>> = Form::all().iter().map(two_cpus).collect();
    for file in [
        "tc-small.v6.dat",
        "tc-small.v7-none.dat",
        "tc-small.v7-zlib.dat",
        "tc-dropped.v7-zstd.dat",
        "tc-multi.v7-zstd.dat",
        "tc-local.v6.dat",
        "cling-2x4-small.v7-zstd.dat",
    ] {
        inputs.push(fixture(file));
    }
    for bytes in inputs {
        let strict = read(&bytes, false).unwrap();
        let (sink, recording) = tolerant(&bytes);
        assert!(sink.skipped.is_empty(), "{:?}", sink.skipped);
        assert!(recording == strict.1 && sink.lost == strict.0.lost);
        assert!(sink.batches == strict.0.batches);
    }
}

#[test]
fn a_cut_recording_gives_the_events_before_the_cut() {
    for file in [
        "tc-small.v6.dat",
        "tc-small.v7-none.dat",
        "tc-small.v7-zstd.dat",
        "tc-multi.v7-zstd.dat",
    ] {
        let bytes = fixture(file);
        let (whole, summary) = decode(&bytes).unwrap();
        let whole = whole.row_set();
        let (mut most, mut opened) = (0, false);
        // Most of these files is symbols; the events are at the end.
        let start = bytes.len() - bytes.len().min(112_000);
        let cuts = (0..24).map(|part| bytes.len() * part / 24);
        let cuts = cuts.chain((0..48).map(|part| start + (bytes.len() - start) * part / 48));
        let mut cuts: Vec<usize> = cuts.collect();
        cuts.sort_unstable();
        for cut in cuts {
            let part = &bytes[..cut];
            match read(part, true) {
                Err(DecodeError::Input(error)) => {
                    assert!(!opened, "{file} cut at {cut}: {error}");
                    assert!(error.place.number() <= cut as u64);
                }
                Err(other) => panic!("{file} cut at {cut}: {other}"),
                Ok((sink, recording)) => {
                    opened = true;
                    check(part, &sink, &recording);
                    assert!(
                        !sink.skipped.is_empty(),
                        "{file} cut at {cut}: nothing is reported"
                    );
                    assert!(within(&sink.row_set(), &whole), "{file} cut at {cut}");
                    let events = recording.summary.events;
                    assert!(
                        events >= most,
                        "{file} cut at {cut}: a later cut holds less"
                    );
                    most = events;
                }
            }
        }
        assert!(
            most > summary.events / 2,
            "{file}: {most} of {} events",
            summary.events
        );
    }
}

#[test]
fn cut_anywhere_every_form_keeps_what_it_can() {
    for form in Form::all() {
        let bytes = two_cpus(&form);
        let whole = decode(&bytes).unwrap().0.row_set();
        let mut opened = false;
        for cut in (0..bytes.len()).step_by(31) {
            match read(&bytes[..cut], true) {
                Ok((sink, recording)) => {
                    opened = true;
                    check(&bytes[..cut], &sink, &recording);
                    // A buffer whose name is cut away gets another one, not another number.
                    assert!(within(&sink.row_set(), &whole), "{form:?} cut at {cut}");
                }
                Err(DecodeError::Input(error)) => {
                    assert!(!opened, "{form:?} cut at {cut}: {error}");
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(opened);
    }
}

#[test]
fn the_last_cpu_alone_suffers_from_a_cut_behind_the_others() {
    let bytes = fixture("tc-small.v6.dat");
    let whole = decode(&bytes).unwrap().1;
    let cut = bytes.len() - 10_000;
    let (sink, recording) = tolerant(&bytes[..cut]);
    let spans = &recording.summary.cpu_spans;
    assert_eq!(spans[0], whole.cpu_spans[0]);
    assert!(spans[1].events < whole.cpu_spans[1].events && spans[1].events > 0);
    assert_eq!(sink.skipped[0].cpu, Some(1));
    assert!(
        sink.skipped[0]
            .why
            .starts_with("expected the data of CPU 1, "),
        "{:?}",
        sink.skipped
    );
    assert!(sink.skipped[0].why.ends_with("found the end of the file"));
}

/// Where the data of the first CPU begins in a version 6 recording of [`two_cpus`].
fn first_page(bytes: &[u8]) -> usize {
    let at = bytes
        .windows(10)
        .position(|word| word == b"flyrecord\0")
        .unwrap()
        + 10;
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

#[test]
fn a_damaged_page_costs_its_own_events_and_marks_the_next_one() {
    let good = two_cpus(&form(6, "none"));
    let (all, whole) = read(&good, false).unwrap();
    let first = first_page(&good);
    for (fill, from, said) in [
        (0xff, 0, "expected a commit of at most 240 bytes, found"),
        (0x00, 0, "expected pages of CPU 0, found zeros"),
        (0xfe, 120, "expected an event of CPU 0 within its page"),
    ] {
        let mut bytes = good.clone();
        let page = first + 256 * 3;
        bytes[page + from..page + 256].fill(fill);
        let (sink, recording) = tolerant(&bytes);
        assert_eq!(sink.skipped.len(), 1, "{:?}", sink.skipped);
        let part = &sink.skipped[0];
        assert!(part.why.starts_with(said), "{}", part.why);
        assert_eq!((part.cpu, part.range.end), (Some(0), page as u64 + 256));
        if from == 0 {
            assert_eq!(part.range.start, page as u64);
            assert!(read(&bytes, false).is_err() || fill == 0);
            assert!(within(&sink.row_set(), &all.row_set()));
        }
        let missing = whole.summary.events - recording.summary.events;
        assert!((1..=5).contains(&missing), "{missing} events are missing");
        let mark = &sink.lost[..];
        assert_eq!((mark.len(), mark[0].cpu, mark[0].count), (1, 0, None));
        assert_eq!(mark[0].buffer, 0);
        // The marked event is the first one of the next page: its stamp is in that page's head.
        let next = u64::from_le_bytes(bytes[page + 256..page + 264].try_into().unwrap());
        assert_eq!(mark[0].ts_ns, next);
    }
}

#[test]
fn a_damaged_chunk_costs_its_own_pages() {
    for compression in ["zlib", "zstd"] {
        let good = two_cpus(&form(7, compression));
        let (all, whole) = read(&good, false).unwrap();
        // The first chunk is behind the first number of chunks, on a page's boundary.
        let option = good
            .windows(6)
            .rposition(|word| word == b"\0mono\0")
            .unwrap()
            + 6;
        let at = u64::from_le_bytes(good[option + 12..option + 20].try_into().unwrap()) as usize;
        let mut bytes = good.clone();
        bytes[at + 4 + 8 + 6] ^= 0x55;
        bytes[at + 4 + 8 + 7] ^= 0x55;
        assert!(read(&bytes, false).is_err(), "{compression}");
        let (sink, recording) = tolerant(&bytes);
        assert_eq!(sink.skipped.len(), 1, "{:?}", sink.skipped);
        assert_eq!(sink.skipped[0].range.start, at as u64 + 4);
        assert!(within(&sink.row_set(), &all.row_set()));
        assert!(recording.summary.events < whole.summary.events);
        assert_eq!(sink.lost.len(), 1);
        // A chunk that says to be longer than the data hides everything behind it.
        bytes[at + 4..at + 8].copy_from_slice(&u32::MAX.to_le_bytes());
        let (sink, _) = tolerant(&bytes);
        assert!(
            sink.skipped[0]
                .why
                .starts_with("expected 4294967295 bytes of a compressed chunk")
        );
    }
}

#[test]
fn damaged_options_are_done_without() {
    let file = "tc-multi.v7-zstd.dat";
    let good = fixture(file);
    let (all, whole) = read(&good, false).unwrap();
    let first = u64::from_le_bytes(good[29..37].try_into().unwrap()) as usize;
    // The first options lead nowhere: the sections are found one after the other.
    let mut bytes = good.clone();
    bytes[29..37].fill(0xff);
    let (sink, recording) = tolerant(&bytes);
    assert_eq!(sink.all(), all.all());
    assert_eq!(recording.info.buffers, whole.info.buffers);
    // The options that describe the buffers are no options any more: their data is found by its place.
    let mut bytes = good.clone();
    let mut at = first;
    let mut described = Vec::new();
    while at + 16 < good.len() {
        let id = u16::from_le_bytes(good[at..at + 2].try_into().unwrap());
        let size = u64::from_le_bytes(good[at + 8..at + 16].try_into().unwrap()) as usize;
        if id == 0 && good[at + 16..at + 18] == [3, 0] {
            described.push(at + 16);
        }
        at += 16 + size;
    }
    assert_eq!(described.len(), 3);
    for at in described {
        bytes[at] = 99;
        bytes[at + 2..at + 6].fill(0xff);
    }
    let (sink, recording) = tolerant(&bytes);
    assert_eq!(recording.summary.events, whole.summary.events);
    assert_eq!(sink.all(), all.all());
    let names = |recording: &Recording| -> Vec<String> {
        recording
            .info
            .buffers
            .iter()
            .map(|buffer| buffer.name.clone())
            .collect()
    };
    assert_eq!(names(&recording), names(&whole));
    assert!(
        recording.info.notes[0].contains("its CPU numbers come from the recorder's statistics")
    );
}

#[test]
fn without_event_formats_there_are_no_events() {
    let good = two_cpus(&form(7, "zstd"));
    let mut bytes = good.clone();
    // Sections 16, 17 and 18 are one behind the other from byte 35 on.
    let mut at = 35;
    for _ in 0..2 {
        at += 16 + u64::from_le_bytes(bytes[at + 8..at + 16].try_into().unwrap()) as usize;
    }
    assert_eq!(bytes[at], 18);
    bytes[at + 30..at + 40].fill(0x55);
    let error = read(&bytes, true).unwrap_err();
    assert!(
        error.to_string().contains("zstd data that inflates to"),
        "{error}"
    );
    // The page layout and the task names can be done without.
    let mut bytes = good;
    bytes[35 + 30..35 + 40].fill(0x55);
    let (sink, recording) = tolerant(&bytes);
    assert_eq!(sink.skipped.len(), 1);
    assert_eq!(recording.summary.events, 240);
}

#[test]
fn data_that_two_cpus_claim_counts_once() {
    let mut bytes = two_cpus(&form(6, "none"));
    let at = bytes
        .windows(10)
        .position(|word| word == b"flyrecord\0")
        .unwrap()
        + 10;
    let first: [u8; 16] = bytes[at..at + 16].try_into().unwrap();
    bytes[at + 16..at + 32].copy_from_slice(&first);
    let error = read(&bytes, false).unwrap_err().to_string();
    assert!(
        error.contains("the data of CPU 1 separate from other CPUs' data"),
        "{error}"
    );
    let (sink, recording) = tolerant(&bytes);
    assert_eq!(recording.summary.events, 180);
    assert_eq!(sink.skipped.len(), 1);
}

#[test]
fn a_chunk_asks_for_no_memory() {
    let mut bytes = two_cpus(&form(7, "zlib"));
    let option = bytes
        .windows(6)
        .rposition(|word| word == b"\0mono\0")
        .unwrap()
        + 6;
    let at = u64::from_le_bytes(bytes[option + 12..option + 20].try_into().unwrap()) as usize;
    bytes[at + 8..at + 12].copy_from_slice(&(200_u32 << 20).to_le_bytes());
    let error = read(&bytes, false).unwrap_err().to_string();
    assert!(
        error.contains("expected a block of at most 1048576 bytes"),
        "{error}"
    );
}

#[test]
fn chunks_of_many_cpus_ask_for_no_memory_together() {
    let form = Form {
        page_size: 4 << 20,
        ..form(7, "zstd")
    };
    let cpus = |n: u64| -> Vec<Vec<Sample>> {
        (0..n).map(|cpu| vec![Sample::new(cpu, 1, "one")]).collect()
    };
    let few = write(&form, &[("", cpus(60))], &[]);
    assert_eq!(decode(&few).unwrap().1.events, 60);
    let many = write(&form, &[("", cpus(70))], &[]);
    for tolerant in [false, true] {
        let error = read(&many, tolerant).unwrap_err().to_string();
        assert!(
            error.contains("chunks of all CPUs of at most 268435456 bytes"),
            "{error}"
        );
    }
}

#[test]
fn a_gap_behind_damage_has_no_number() {
    let lost = |at: usize| -> Vec<u8> {
        let mut samples: Vec<Sample> = (0..20).map(|i| Sample::new(1000 + i, 0, "x")).collect();
        samples[at].lost = Some(Some(9));
        write(&form(6, "none"), &[("", vec![samples])], &[])
    };
    // The kernel's number is in the page behind the gap.
    let bytes = lost(10);
    let (sink, _) = tolerant(&bytes);
    assert_eq!((sink.lost[0].ts_ns, sink.lost[0].count), (1010, Some(9)));
    // More than that is missing when the page before it cannot be read.
    let mut damaged = bytes.clone();
    let stamp = 1010_u64.to_le_bytes();
    let page = bytes.windows(8).position(|word| word == stamp).unwrap();
    damaged[page - 256 + 8..page - 256 + 12].fill(0xff);
    let (sink, _) = tolerant(&damaged);
    assert_eq!(
        (sink.lost.len(), sink.lost[0].ts_ns, sink.lost[0].count),
        (1, 1010, None)
    );
    // A page that reports a gap and has no events leaves the mark to the next one.
    let mut empty = bytes;
    empty[page + 8..page + 12].copy_from_slice(&(1_u32 << 31).to_le_bytes());
    let (sink, _) = tolerant(&empty);
    assert_eq!((sink.lost.len(), sink.lost[0].count), (1, None));
    assert!(sink.lost[0].ts_ns > 1010);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn flipped_bytes_are_reported_or_do_no_harm(
        form in proptest::sample::select(Form::all()),
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = two_cpus(&form);
        for (index, value) in flips {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        match read(&bytes, true) {
            Ok((sink, recording)) => check(&bytes, &sink, &recording),
            Err(DecodeError::Input(error)) => {
                prop_assert!(error.place.number() <= bytes.len() as u64);
                prop_assert!(read(&bytes, false).is_err(), "what is read strictly is read tolerantly");
            }
            Err(other) => panic!("{other}"),
        }
        if let Ok((sink, _)) = read(&bytes, false) {
            prop_assert_eq!(read(&bytes, true).unwrap().0.rows(), sink.rows());
        }
    }
}
