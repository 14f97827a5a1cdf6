//! What `perf sched stats record` writes, built to the layout of `tools/lib/perf/include/perf/event.h` (versions 15 to 17), and a real
//! file of perf 7.2.13 on Linux 7.2.13.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod support;

use numalens_columns::{DecodeError, ReadOptions};
use numalens_samples::{SampleTableId as T, sniff_perf};
use support::{Kept, perf};

/// Counters that a domain of a version has.
fn counters(version: u16) -> u32 {
    if version >= 17 { 45 } else { 36 }
}

struct Writer {
    big: bool,
    bytes: Vec<u8>,
}

impl Writer {
    fn put<const N: usize>(&mut self, mut little: [u8; N]) {
        if self.big {
            little.reverse();
        }
        self.bytes.extend(little);
    }

    fn text(&mut self, text: &str) {
        self.put(64_u32.to_le_bytes());
        self.bytes.extend(text.bytes());
        self.bytes.resize(self.bytes.len() + 64 - text.len(), 0);
    }

    fn record(
        &mut self,
        kind: u32,
        jiffies: u64,
        cpu: u32,
        (version, domain): (u16, u16),
        counts: &[u32],
    ) {
        let size = (24 + 4 * counts.len()).next_multiple_of(8);
        let end = self.bytes.len() + size;
        self.put(kind.to_le_bytes());
        self.put(0_u16.to_le_bytes());
        self.put((size as u16).to_le_bytes());
        self.put(jiffies.to_le_bytes());
        self.put(cpu.to_le_bytes());
        self.put(version.to_le_bytes());
        self.put(domain.to_le_bytes());
        for count in counts {
            self.put(count.to_le_bytes());
        }
        self.bytes.resize(end, 0);
    }
}

/// Two readings of two CPUs with a domain each, whose counters grow by one; with the feature that names it.
fn file(version: u16, big: bool, named: bool) -> Vec<u8> {
    let mut records = Writer {
        big,
        bytes: Vec::new(),
    };
    for reading in 0..2 {
        for cpu in 0..2 {
            let jiffies = 1000 + 500 * u64::from(reading);
            records.record(85, jiffies, cpu, (version, 0), &[0; 12]);
            let counts: Vec<u32> = (0..counters(version)).map(|at| at + reading).collect();
            records.record(86, jiffies, cpu, (version, 0), &counts);
        }
    }
    let mut out = Writer {
        big,
        bytes: if big {
            b"2ELIFREP".to_vec()
        } else {
            b"PERFILE2".to_vec()
        },
    };
    let data = 104_u64;
    for number in [104, 160, data, 0, data, records.bytes.len() as u64, 0, 0] {
        out.put(number.to_le_bytes());
    }
    // Feature 3 is the host's name, 32 the domains.
    for word in [(1_u64 << 3) | (u64::from(named) << 32), 0, 0, 0] {
        out.put(word.to_le_bytes());
    }
    out.bytes.extend(records.bytes);
    if named {
        let at = out.bytes.len() as u64;
        for (from, size) in [(at + 32, 8_u64), (at + 40, 1 << 10)] {
            out.put(from.to_le_bytes());
            out.put(size.to_le_bytes());
        }
        out.bytes.extend(*b"hostname");
        out.put(u32::from(version).to_le_bytes());
        out.put(1_u32.to_le_bytes());
        for cpu in 0..2_u32 {
            out.put(cpu.to_le_bytes());
            out.put(1_u32.to_le_bytes());
            out.put(0_u32.to_le_bytes());
            if version >= 17 {
                out.text("MC");
            }
            out.text("3");
            out.text("0-1");
        }
    }
    out.bytes
}

fn read(
    bytes: &[u8],
    tolerant: bool,
) -> (Kept, Result<numalens_samples::SampleSummary, DecodeError>) {
    perf(bytes, ReadOptions { tolerant })
}

#[test]
fn all_versions_have_the_rows_of_proc_schedstat() {
    for (version, busy, idle, active) in [(15, 8, 0, 24), (16, 0, 8, 24), (17, 0, 11, 33)] {
        for big in [false, true] {
            let bytes = file(version, big, true);
            assert!(sniff_perf(&bytes));
            let (kept, summary) = read(&bytes, false);
            let summary = summary.unwrap();
            assert_eq!(summary.samples, 2);
            assert!(
                summary.notes[0].contains("are 500 jiffies;"),
                "{:?}",
                summary.notes
            );
            let rows = kept.rows(T::Schedstat);
            assert_eq!(rows.len(), 2 * 2 * 4);
            let name = if version == 17 { "name=MC " } else { "" };
            let behind = if version == 17 { 7 } else { 4 };
            for reading in 0..2 {
                let of = |kind: &str, first: u32| {
                    let (balanced, failed) = (first + 1 + reading, first + 2 + reading);
                    let (gained, hot) = (first + behind + reading, first + behind + 1 + reading);
                    format!(
                        "idx={reading} cpu=1 domain=0 {name}cpus=3 kind={kind} count={} balanced={balanced} failed={failed} gained={gained} hot_gained={hot}",
                        first + reading
                    )
                };
                assert!(rows.contains(&of("busy", busy)), "{version} {rows:#?}");
                assert!(rows.contains(&of("idle", idle)), "{version} {rows:#?}");
                let active = active + reading;
                let active = format!(
                    "idx={reading} cpu=1 domain=0 {name}cpus=3 kind=active count={active} failed={} gained={}",
                    active + 1,
                    active + 2
                );
                assert!(rows.contains(&active), "{version} {rows:#?}");
            }
        }
    }
}

#[test]
fn domains_without_names_are_counted_all_the_same() {
    let (kept, summary) = read(&file(17, false, false), false);
    summary.unwrap();
    let rows = kept.rows(T::Schedstat);
    assert_eq!(rows.len(), 16);
    assert!(rows[0].contains("name=? cpus=?"), "{}", rows[0]);
}

#[test]
fn a_real_file_reads_as_perf_reports_it() {
    let bytes = real();
    assert!(sniff_perf(&bytes));
    let (kept, summary) = read(&bytes, false);
    assert_eq!(summary.unwrap().samples, 2);
    let rows = kept.rows(T::Schedstat);
    // Four CPUs, two domains, four kinds, two readings.
    assert_eq!(rows.len(), 4 * 2 * 4 * 2);
    assert!(
        rows.iter().any(|row| row.contains("name=NUMA cpus=f")),
        "{rows:#?}"
    );
}

/// A real file.
fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/fixtures/perf");
    std::fs::read(format!("{folder}/{name}")).unwrap()
}

/// What perf wrote into a file.
fn real() -> Vec<u8> {
    fixture("sched-stats-7.2.data")
}

/// What `perf sched stats record -o - | cat` gives of a file's records: the header without their size, the records,
/// the features, and the header again.
fn piped(file: &[u8]) -> Vec<u8> {
    let size = u64::from_le_bytes(file[48..56].try_into().unwrap()) as usize;
    let header = |size: u64| {
        let mut header = file[..104].to_vec();
        header[48..56].copy_from_slice(&size.to_le_bytes());
        header
    };
    let (records, features) = file[104..].split_at(size);
    [&header(0)[..], records, features, &header(size as u64)].concat()
}

/// The same records in a stream with the header of a pipe, after an attribute and the feature that names domains.
fn stream(file: &[u8], feature: bool) -> Vec<u8> {
    let size = u64::from_le_bytes(file[48..56].try_into().unwrap()) as usize;
    let mut out = Writer {
        big: false,
        bytes: b"PERFILE2".to_vec(),
    };
    out.put(16_u64.to_le_bytes());
    let mut record = |kind: u32, id: u64, bytes: &[u8]| {
        out.put(kind.to_le_bytes());
        out.put(0_u16.to_le_bytes());
        out.put((16 + bytes.len() as u16).to_le_bytes());
        out.put(id.to_le_bytes());
        out.bytes.extend(bytes);
    };
    record(64, 0, &[0; 120]);
    if feature {
        // The last feature, whose section is the last of the table behind the records.
        let word = u64::from_le_bytes(file[72..80].try_into().unwrap());
        let at = 104 + size + 16 * (word.count_ones() as usize - 1);
        let from = u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
        let length = u64::from_le_bytes(file[at + 8..at + 16].try_into().unwrap()) as usize;
        record(80, 32, &file[from..from + length]);
    }
    out.bytes.extend(&file[104..104 + size]);
    out.bytes
}

#[test]
fn a_pipe_has_what_the_file_has() {
    let whole = read(&real(), false).0.rows(T::Schedstat);
    let nameless: Vec<String> = whole
        .iter()
        .map(|row| {
            let words = row.split(' ').map(|word| match word.split_once('=') {
                Some((key @ ("name" | "cpus"), _)) => format!("{key}=?"),
                _ => word.to_owned(),
            });
            words.collect::<Vec<_>>().join(" ")
        })
        .collect();
    let of = |bytes: &[u8], named: bool| {
        assert!(sniff_perf(bytes));
        let (kept, summary) = read(bytes, false);
        let rows = kept.rows(T::Schedstat);
        assert_eq!(&rows, if named { &whole } else { &nameless });
        summary.unwrap()
    };
    let summary = of(&piped(&real()), false);
    assert_eq!(summary.samples, 2);
    let said = summary
        .notes
        .iter()
        .any(|note| note.contains("a pipe or a kill"));
    // What perf wrote through a pipe begins and ends so, too.
    let (made, wrote) = (piped(&real()), fixture("sched-stats-7.2.pipe.data"));
    assert_eq!(made[..72], wrote[..72]);
    assert_eq!(made[made.len() - 104..], wrote[wrote.len() - 104..]);
    assert!(said, "{:?}", summary.notes);
    let summary = of(&stream(&real(), true), true);
    assert_eq!((summary.samples, summary.notes.len()), (2, 1));
    of(&stream(&real(), false), false);
}

/// Counters of each domain by CPU and number, in the order of `/proc/schedstat`.
fn counted(text: &str) -> Vec<Vec<u64>> {
    let domains = text.lines().filter(|line| line.starts_with("domain"));
    domains
        .map(|line| {
            let words = line.split_whitespace().skip(3);
            words.map(|word| word.parse().unwrap()).collect()
        })
        .collect()
}

/// Two readings through a pipe, between two of the file itself.
#[test]
fn a_pipe_has_what_the_kernel_counted() {
    let (kept, summary) = read(&fixture("sched-stats-7.2.pipe.data"), false);
    assert_eq!(summary.unwrap().samples, 2);
    let rows = kept.rows(T::Schedstat);
    let value = |row: &str, key: &str| -> u64 {
        let mut words = row.split(' ').filter_map(|word| word.split_once('='));
        words.find(|word| word.0 == key).unwrap().1.parse().unwrap()
    };
    let text = |name| String::from_utf8(fixture(name)).unwrap();
    let before = counted(&text("sched-stats-7.2.pipe.before.txt"));
    let after = counted(&text("sched-stats-7.2.pipe.after.txt"));
    // Eight domains, each as busy, idle, newly idle and active balancing.
    assert_eq!((before.len(), rows.len()), (8, 2 * 8 * 4));
    for (at, kind) in [(0, "busy"), (11, "idle"), (22, "newidle")] {
        let of_kind = |reading: u64| {
            let kind = format!(" kind={kind} ");
            let rows = rows.iter().filter(move |row| row.contains(&kind));
            rows.filter(move |row| value(row, "idx") == reading)
        };
        let pairs = of_kind(0).zip(of_kind(1)).zip(before.iter().zip(&after));
        for ((first, second), (before, after)) in pairs {
            for (place, key) in [(0, "count"), (1, "balanced"), (2, "failed"), (7, "gained")] {
                let read = [
                    before[at + place],
                    value(first, key),
                    value(second, key),
                    after[at + place],
                ];
                assert!(read.is_sorted(), "{key}: {read:?} of {first}");
            }
        }
        assert_eq!(of_kind(1).count(), 8);
    }
}

/// Streams of events are not taken for readings, nor are those of which the head has only what perf says first.
#[test]
fn a_pipe_of_events_is_none() {
    let whole = stream(&real(), true);
    let mut events = whole.clone();
    // A sample (`PERF_RECORD_SAMPLE`) instead of the attribute.
    events[16] = 9;
    assert!(!sniff_perf(&events));
    assert!(!sniff_perf(&whole[..100]));
    for bytes in [piped(&real()), whole] {
        for end in (0..bytes.len()).step_by(11) {
            let cut = &bytes[..end];
            let _ = (sniff_perf(cut), read(cut, false), read(cut, true));
        }
        let error = read(&bytes[..1000], false).1.unwrap_err().to_string();
        assert!(error.contains("byte"), "{error}");
        read(&bytes[..1000], true).1.unwrap();
    }
}

#[test]
fn hostile_lengths_end_in_a_sentence_and_cost_nothing() {
    let whole = file(17, false, true);
    for end in (0..whole.len()).step_by(7) {
        let cut = &whole[..end];
        let _ = (read(cut, false), read(cut, true));
        if end > 120 {
            read(cut, true).1.unwrap();
        }
    }
    for place in [16, 24, 40, 48, 72, 110, 200] {
        for value in [0, 1, 7, u64::MAX, u64::MAX / 2, 1 << 32] {
            let mut odd = whole.clone();
            odd[place..place + 8].copy_from_slice(&u64::to_le_bytes(value));
            let _ = (sniff_perf(&odd), read(&odd, false), read(&odd, true));
        }
    }
    let mut short = whole;
    // A record that ends before its counters do.
    short[104 + 72 + 6] = 96;
    let error = read(&short, false).1.unwrap_err().to_string();
    assert!(error.contains("byte"), "{error}");
}
