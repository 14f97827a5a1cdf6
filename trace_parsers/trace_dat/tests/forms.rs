//! Every form of the container that no recording at hand has: byte orders, long sizes, options, instances.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use numalens_columns::SliceSource;
use numalens_trace_dat::TraceDat;
use proptest::prelude::*;
use support::decode;
use support::writer::{Form, Instance, Sample, number32, number64, write};

fn two_cpus() -> Vec<Vec<Sample>> {
    let mut second = vec![
        Sample::new(1_000_010, -3, "b"),
        Sample::new(400_000_000_000, 9, "a name that is longer than sixteen"),
    ];
    second[1].lost = Some(Some(12));
    let mut first: Vec<Sample> = (0_u64..12)
        .map(|i| Sample::new(1_000_000 + i * 7, i as i32, "worker"))
        .collect();
    first[6].lost = Some(None);
    vec![first, second]
}

/// The rows that a reader must give: time, CPU, number, text, in time order.
fn rows(cpus: &[Vec<Sample>]) -> Vec<(u64, u32, i32, String)> {
    let mut rows: Vec<_> = cpus
        .iter()
        .enumerate()
        .flat_map(|(cpu, samples)| {
            samples
                .iter()
                .map(move |s| (s.ts, cpu as u32, s.number, s.text.clone()))
        })
        .collect();
    rows.sort_by_key(|row| (row.0, row.1));
    rows
}

fn decoded_rows(bytes: &[u8]) -> Vec<(u64, u32, i32, String)> {
    let (sink, _) = decode(bytes).unwrap();
    sink.text("sample", usize::MAX - 1)
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            let (ts, cpu, number) = (
                cells[0].parse().unwrap(),
                cells[1].parse().unwrap(),
                cells[7].parse().unwrap(),
            );
            assert_eq!(
                (cells[4], cells[5], cells[6], cells[10]),
                ("1", "2", "77", "[7, 60000]")
            );
            assert_eq!(cells[8], &cells[9][..cells[9].len().min(15)]);
            (ts, cpu, number, cells[9].to_owned())
        })
        .collect()
}

#[test]
fn all_forms_give_the_same_rows() {
    let cpus = two_cpus();
    let want = rows(&cpus);
    for form in Form::all() {
        let bytes = write(&form, &[("", cpus.clone())], &[]);
        assert_eq!(decoded_rows(&bytes), want, "{form:?}");
        let (sink, summary) = decode(&bytes).unwrap();
        let lost: Vec<_> = sink
            .lost
            .iter()
            .map(|lost| (lost.ts_ns, lost.cpu, lost.count))
            .collect();
        assert_eq!(
            lost,
            [(1_000_042, 0, None), (400_000_000_000, 1, Some(12))],
            "{form:?}"
        );
        assert_eq!(
            (
                summary.lost_marks,
                summary.lost_events,
                summary.lost_unknown_marks
            ),
            (2, 12, 1)
        );
    }
}

#[test]
fn instances_keep_their_names_and_merge_by_time() {
    for form in Form::all() {
        let instances: [Instance; 2] = [
            ("", vec![vec![Sample::new(10, 1, "x")], vec![]]),
            ("second", vec![vec![], vec![Sample::new(5, 2, "y")]]),
        ];
        let bytes = write(&form, &instances, &[]);
        let source = SliceSource(&bytes);
        let info = TraceDat::open(&source).unwrap().info();
        let names: Vec<&str> = info
            .buffers
            .iter()
            .map(|buffer| buffer.name.as_str())
            .collect();
        assert_eq!(names, ["", "second"], "{form:?}");
        assert_eq!(
            info.buffers[1].clock.as_deref(),
            if form.version == 6 {
                None
            } else {
                Some("mono")
            }
        );
        let (sink, summary) = decode(&bytes).unwrap();
        let text = sink.text("sample", 9);
        let heads: Vec<&str> = text
            .lines()
            .skip(1)
            .map(|line| &line[..line.len().min(8)])
            .collect();
        assert_eq!(heads, ["5|1|0|1|", "10|0|1|0"], "{form:?}");
        assert_eq!(summary.buffer_events, [1, 1]);
    }
}

#[test]
fn options_change_times_and_tell_the_origin() {
    for form in Form::all() {
        let options = vec![
            (1, b"0x10\0".to_vec()),  // DATE: 16 µs
            (7, b"-5000\0".to_vec()), // OFFSET: -5 µs
            (4, b"local [mono_raw]\0".to_vec()),
            (5, b"Linux box 6.1.0\0".to_vec()),
            (9, b"3.1\0".to_vec()),
            (8, number32(&form, &[2])),
            (11, number64(&form, &[99])),
            (
                14,
                [number32(&form, &[3, 1]), number64(&form, &[0])].concat(),
            ), // cycles * 3 / 2
            (600, vec![1, 2, 3]), // unknown
        ];
        let bytes = write(&form, &[("", two_cpus())], &options);
        let source = SliceSource(&bytes);
        let trace = TraceDat::open(&source).unwrap();
        let info = trace.info();
        assert_eq!(info.kernel.as_deref(), Some("Linux box 6.1.0"));
        assert_eq!(info.options.offset_ns, 11_000);
        assert_eq!(
            (info.options.trace_id, info.options.tsc_to_ns, info.cpus),
            (Some(99), Some((3, 1)), 2)
        );
        assert_eq!(
            trace.saved_comms(),
            [(77, "saved name".to_owned()), (78, "other".to_owned())]
        );
        assert_eq!(info.clock.as_deref(), Some("mono"), "{form:?}");
        let first = decoded_rows(&bytes)[0].0;
        assert_eq!(first, 1_000_000 * 3 / 2 + 11_000, "{form:?}");
    }
}

#[test]
fn a_guest_is_shifted_onto_its_hosts_clock() {
    for form in Form::all() {
        let shift = [
            number64(&form, &[1]),       // peer
            number32(&form, &[1, 1, 2]), // interpolate, one CPU, two samples
            number64(&form, &[0, 2_000_000, 100, 300, 1, 1]),
            number64(&form, &[0, 0]),
        ]
        .concat();
        let bytes = write(&form, &[("", two_cpus())], &[(12, shift)]);
        let rows = decoded_rows(&bytes);
        assert_eq!(
            (rows[0].0, rows[0].1),
            (1_000_010, 1),
            "CPU 1 has no samples and keeps its stamps"
        );
        assert_eq!(
            (rows[1].0, rows[1].1),
            (1_000_200, 0),
            "half way between +100 and +300"
        );
    }
}

#[test]
fn a_stamp_that_was_added_to_itself_is_set_right() {
    const S: u64 = 1_000_000_000;
    let form = Form::all()
        .into_iter()
        .find(|form| form.version == 6)
        .unwrap();
    let times = |second: u64| {
        let others = (0..400).map(|at| Sample::new(5328 * S + at * 20_000_000, 1, "busy"));
        let cpu = [5328 * S, second].map(|ts| Sample::new(ts, 2, "offline"));
        let bytes = write(&form, &[("", vec![others.collect(), cpu.to_vec()])], &[]);
        let (_, summary) = decode(&bytes).unwrap();
        (summary.cpu_spans[1].last_ns / S, summary.redated)
    };
    assert_eq!(times((5328 + 5331) * S), (5331, 1));
    // A CPU that was idle for long, and one whose clock just began to count.
    assert_eq!(times(5335 * S), (5335, 0));
    assert_eq!(times(5328 * S + 90 * S), (5418, 0));
}

#[test]
fn a_clock_that_counts_cycles_says_so() {
    let form = Form::all().remove(0);
    assert_eq!(form.version, 6);
    let named = |tsc: bool| {
        let mut options = vec![(4, Vec::new())];
        if tsc {
            options.push((
                14,
                [number32(&form, &[3, 1]), number64(&form, &[0])].concat(),
            ));
        }
        let mut bytes = write(&form, &[("", two_cpus())], &options);
        let at = bytes.windows(6).position(|word| word == b"[mono]").unwrap();
        // Same length: the clock text of a recording made with -C counter.
        let text = b"local counter [x86-tsc]!";
        bytes[at - 13..at + 11].copy_from_slice(text);
        let source = SliceSource(&bytes);
        TraceDat::open(&source).unwrap().info()
    };
    assert_eq!(named(false).clock.as_deref(), Some("x86-tsc"));
    assert_eq!(
        named(false).notes,
        ["the clock \"x86-tsc\" does not count nanoseconds: times are its raw counts"]
    );
    assert!(named(true).notes.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_was_written_is_read(
        form in proptest::sample::select(Form::all()),
        cpus in proptest::collection::vec(
            proptest::collection::vec((0_u64..1 << 30, any::<i32>(), "[a-z/:-]{0,40}", proptest::option::weighted(0.1, proptest::option::of(1_u64..1 << 30))), 0..40),
            1..5,
        ),
    ) {
        let cpus: Vec<Vec<Sample>> = cpus.into_iter().map(|samples| {
            let mut ts = 1 << 40;
            samples.into_iter().map(|(gap, number, text, lost)| {
                ts += gap;
                Sample { ts, number, text, lost }
            }).collect()
        }).collect();
        let bytes = write(&form, &[("", cpus.clone())], &[]);
        let want = rows(&cpus);
        if want.is_empty() {
            prop_assert_eq!(decode(&bytes).unwrap().1.events, 0);
        } else {
            prop_assert_eq!(decoded_rows(&bytes), want);
        }
        let marks = cpus.iter().flatten().filter(|sample| sample.lost.is_some()).count();
        prop_assert_eq!(decode(&bytes).unwrap().1.lost_marks, marks as u64);
    }
}
