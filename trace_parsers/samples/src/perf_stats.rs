//! Reader of `perf sched stats record`: a perf.data without events, whose records are samples of `/proc/schedstat`. Records
//! are `PERF_RECORD_SCHEDSTAT_CPU` and `PERF_RECORD_SCHEDSTAT_DOMAIN` (`tools/lib/perf/include/perf/event.h` and
//! `schedstat-v15.h` to `schedstat-v17.h` next to it, 7.0 to 7.2). The header names the domains (`HEADER_CPU_DOMAIN_INFO`,
//! `write_cpu_domain_info`, `tools/perf/util/header.c`).
//!
//! Through a pipe (`-o -`) it also writes the header of a file, since `perf_sched__schedstat_record`
//! (`tools/perf/builtin-sched.c`, 7.0) knows no other, and cannot go back to it. So the header says that there are no records
//! (perf 7.2.13, which therefore does not read it itself). The records follow the header at once. After the last one come
//! features without known positions, and the header again. A killed recorder also leaves such a header. Streams of other
//! tools have the header of a pipe (`perf_header__write_pipe`), and attributes and features as records.
//!
//! A record has the time of its sample in jiffies, whose length the file does not have: samples are numbered and have no
//! times.

use std::collections::HashMap;

use numalens_columns::{ByteSource, DecodeError, InputError, ReadOptions, Skipped};

use crate::machine::Machine;
use crate::number::LONGEST_TEXT;
use crate::read::summary;
use crate::schedstat::Schedstat;
use crate::stamp::Stamp;
use crate::{SampleKind, SampleSink, SampleSummary};

/// `PERF_RECORD_SCHEDSTAT_CPU` and `PERF_RECORD_SCHEDSTAT_DOMAIN`.
const CPU: u32 = 85;
const DOMAIN: u32 = 86;
/// `PERF_RECORD_HEADER_FEATURE`, and the first record that perf makes and no kernel does (`PERF_RECORD_USER_TYPE_START`).
const FEATURE: u32 = 80;
const USER: u32 = 64;
/// `HEADER_CPU_DOMAIN_INFO`.
const DOMAINS: usize = 32;
/// Size of a record's header, and of what all of these have before their counters.
const HEADER: usize = 8;
const FRONT: usize = HEADER + 16;
/// Size of a pipe's header (`struct perf_pipe_file_header`), and of a file's.
const PIPE: usize = 16;
const FILE: usize = 104;
/// Positions in the header of its size, the sections of attributes and data, and its features.
const SIZE: usize = 8;
const ATTRS_SIZE: usize = 32;
const DATA: usize = 40;
const FEATURES: usize = 72;
/// Note about features without known positions.
const PIPED: &str = "The header of perf sched stats does not say where its samples end, as after a pipe or a kill. The names and CPUs of its domains are therefore unknown.";
/// Domains of CPUs that are named.
const MOST_NAMES: usize = 1 << 16;

/// A file's bytes and their order.
#[derive(Clone, Copy)]
struct Bytes<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl<'a> Bytes<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let big = match bytes.get(..8)? {
            b"PERFILE2" => false,
            b"2ELIFREP" => true,
            _ => return None,
        };
        Some(Self { bytes, big })
    }

    fn array<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        let found = self.bytes.get(at..at.checked_add(N)?)?;
        let mut array: [u8; N] = found.try_into().ok()?;
        if self.big {
            array.reverse();
        }
        Some(array)
    }

    fn u16(self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    fn u32(self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    fn u64(self, at: usize) -> Option<u64> {
        self.array(at).map(u64::from_le_bytes)
    }

    fn place(self, at: usize) -> Option<usize> {
        self.u64(at).and_then(|place| usize::try_from(place).ok())
    }

    /// A text of a feature: its size, the padding with it, then the bytes (`do_write_string`).
    fn text(self, at: &mut usize) -> Option<&'a str> {
        let size = self.u32(*at)? as usize;
        let from = at.checked_add(4)?;
        let text = self.bytes.get(from..from.checked_add(size)?)?;
        *at = from + size;
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(size);
        std::str::from_utf8(&text[..end]).ok()
    }

    fn next_u32(self, at: &mut usize) -> Option<u32> {
        let value = self.u32(*at)?;
        *at += 4;
        Some(value)
    }
}

impl<'a> Bytes<'a> {
    /// Returns the position of the records.
    fn records(self) -> Option<Records> {
        let size = self.u64(SIZE)?;
        if size == PIPE as u64 {
            return Some(Records::Stream);
        }
        Some(match (self.u64(DATA)?, self.u64(DATA + 8)?) {
            (u64::MAX, _) | (_, 0) => Records::Piped,
            (from, size) => {
                let from = usize::try_from(from).ok()?;
                Records::File(from, from.saturating_add(usize::try_from(size).ok()?))
            }
        })
    }

    /// The record at a place; `None` where it has no size, or its end is not there.
    fn record(self, at: usize) -> Option<Bytes<'a>> {
        let size = usize::from(self.u16(at.checked_add(6)?)?);
        let bytes = self.bytes.get(at..at.checked_add(size)?)?;
        (size >= HEADER).then_some(Bytes { bytes, ..self })
    }

    /// Returns whether the content at a position is a sample.
    fn reads(self, at: usize) -> bool {
        matches!(self.u32(at), Some(CPU | DOMAIN))
    }
}

/// Position of the records, in bytes.
#[derive(Clone, Copy)]
enum Records {
    /// From a place to another, and the features after it.
    File(usize, usize),
    /// The records after the header of a file, as far as they are samples.
    Piped,
    /// Everything after the header of a pipe.
    Stream,
}

impl Records {
    fn from(self) -> usize {
        match self {
            Self::File(from, _) => from,
            Self::Piped => FILE,
            Self::Stream => PIPE,
        }
    }

    /// Returns whether there is one at a position.
    fn more(self, bytes: Bytes<'_>, at: usize) -> bool {
        match self {
            Self::File(_, end) => at < end,
            Self::Piped => bytes.reads(at),
            Self::Stream => at < bytes.bytes.len(),
        }
    }
}

/// Returns whether a file begins like one of `perf sched stats record`: no attributes, and a sample first; through a pipe, a
/// sample before any event.
#[must_use]
pub fn sniff_perf(head: &[u8]) -> bool {
    let found = Bytes::of(head).and_then(|bytes| {
        let records = bytes.records()?;
        let mut at = records.from();
        if !matches!(records, Records::Stream) {
            return Some(bytes.u64(ATTRS_SIZE)? == 0 && bytes.reads(at));
        }
        while !bytes.reads(at) {
            let record = bytes.record(at)?;
            if record.u32(0)? < USER {
                return None;
            }
            at += record.bytes.len();
        }
        Some(true)
    });
    found == Some(true)
}

/// Name of a CPU's domain, and its CPUs as a mask.
type Names<'a> = HashMap<(u32, u32), (Option<&'a str>, &'a str)>;

/// Reads the samples into the table `schedstat`. `name` is not used; for the rest see [`read`](crate::read).
///
/// # Errors
/// One sentence with the byte: a record is damaged or cut (strict reading only), or the sink refused.
pub fn read_perf(
    source: &dyn ByteSource,
    name: &str,
    options: &ReadOptions,
    sink: &mut dyn SampleSink,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<SampleSummary, DecodeError> {
    let total = source.bytes().len() as u64;
    let odd =
        |at: usize, expected: &str, found: &str| InputError::at_byte(at as u64, expected, found);
    let bytes = Bytes::of(source.bytes()).ok_or_else(|| odd(0, "a perf.data", "another file"))?;
    let Some(records) = bytes.records() else {
        return Err(odd(DATA, "the place of the records", "the end").into());
    };
    let mut names = match records {
        Records::File(_, end) => names(bytes, end).unwrap_or_default(),
        Records::Piped | Records::Stream => Names::new(),
    };
    let mut machine = Machine::new(name);
    let mut readings = Readings::default();
    let mut at = records.from();
    while records.more(bytes, at) {
        let Some(record) = bytes.record(at) else {
            let error = odd(at, "a record", "the end, or one without a size");
            if !options.tolerant {
                return Err(error.into());
            }
            // What should be behind the file's end is reported at its last byte.
            let range = (at as u64).min(total.saturating_sub(1))..total;
            sink.skipped(Skipped {
                range,
                unit: "byte",
                cpu: None,
                why: error.to_string(),
            })?;
            break;
        };
        if (record.u32(0), record.u64(HEADER)) == (Some(FEATURE), Some(DOMAINS as u64)) {
            names = names_at(record, HEADER + 8);
        }
        let lines = readings.record(record, &names);
        machine.rows.at(Stamp {
            idx: Some(readings.number),
            ..Stamp::default()
        });
        for line in lines {
            if let Err(why) = readings.schedstat.line(&line, &mut machine.rows) {
                let error = odd(at, &why.expected, &why.found);
                if !options.tolerant {
                    return Err(error.into());
                }
                sink.skipped(Skipped {
                    range: at as u64..(at + record.bytes.len()) as u64,
                    unit: "byte",
                    cpu: None,
                    why: error.to_string(),
                })?;
            }
        }
        machine.rows.write_full(sink)?;
        at += record.bytes.len();
        progress(at as u64, total);
    }
    progress(total, total);
    machine.settle();
    machine.rows.write_all(sink)?;
    let mut summary = summary(SampleKind::Vmstat, &machine);
    summary.notes.extend(readings.note());
    if matches!(records, Records::Piped) {
        summary.notes.push(PIPED.to_owned());
    }
    Ok(summary)
}

/// Samples so far.
#[derive(Default)]
struct Readings {
    schedstat: Schedstat,
    /// Number of the sample.
    number: i64,
    /// Jiffies of the first and of the last one.
    jiffies: Option<(u64, u64)>,
    version: u16,
}

impl Readings {
    /// The lines of `/proc/schedstat` for a record.
    fn record(&mut self, record: Bytes<'_>, names: &Names<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        let kind = record.u32(0).filter(|kind| matches!(*kind, CPU | DOMAIN));
        let (Some(kind), Some(jiffies), Some(cpu), Some(version)) = (
            kind,
            record.u64(HEADER),
            record.u32(HEADER + 8),
            record.u16(HEADER + 12),
        ) else {
            return lines;
        };
        let (first, last) = *self.jiffies.get_or_insert((jiffies, jiffies));
        if jiffies != last {
            self.number += 1;
            self.jiffies = Some((first, jiffies));
        }
        if version != self.version {
            self.version = version;
            lines.push(format!("version {version}"));
        }
        lines.push(format!("cpu{cpu}"));
        if kind == DOMAIN {
            let domain = record.u16(HEADER + 14).unwrap_or(0);
            let (name, mask) = names
                .get(&(cpu, u32::from(domain)))
                .copied()
                .unwrap_or((None, "?"));
            let mut line = format!("domain{domain}");
            if version >= 17 {
                line += " ";
                line += name.unwrap_or("?");
            }
            line += " ";
            line += mask;
            let imbalances = if version >= 17 { 4 } else { 1 };
            for counter in 0..3 * (7 + imbalances) + 12 {
                if let Some(count) = record.u32(FRONT + 4 * counter) {
                    line += " ";
                    line += &count.to_string();
                }
            }
            lines.push(line);
        }
        lines
    }

    fn note(&self) -> Option<String> {
        let (first, last) = self.jiffies.filter(|(first, last)| last > first)?;
        Some(format!(
            "Between the first and the last sample of perf sched stats are {} jiffies; the file does not say how long a jiffy is.",
            last - first
        ))
    }
}

/// The names of domains, of the header's feature; `None` where it is missing or damaged.
fn names(bytes: Bytes<'_>, end: usize) -> Option<Names<'_>> {
    let set = |feature: usize| {
        let word = bytes.u64(FEATURES + feature / 64 * 8)?;
        Some(word >> (feature % 64) & 1 == 1)
    };
    if set(DOMAINS) != Some(true) {
        return None;
    }
    let before = (0..DOMAINS).filter(|&feature| set(feature) == Some(true));
    let at = bytes.place(end.checked_add(16 * before.count())?)?;
    Some(names_at(bytes, at))
}

/// The names of domains that the feature at a place has.
fn names_at(bytes: Bytes<'_>, mut at: usize) -> Names<'_> {
    let mut names = Names::new();
    let (Some(version), Some(_)) = (bytes.next_u32(&mut at), bytes.next_u32(&mut at)) else {
        return names;
    };
    while let Some(cpu) = bytes.next_u32(&mut at) {
        for _ in 0..bytes.next_u32(&mut at).unwrap_or(0) {
            let Some(domain) = bytes.next_u32(&mut at) else {
                return names;
            };
            let name = if version >= 17 {
                bytes.text(&mut at)
            } else {
                None
            };
            let (Some(mask), Some(_)) = (bytes.text(&mut at), bytes.text(&mut at)) else {
                return names;
            };
            let word = |text: &str| {
                !text.is_empty()
                    && text.len() <= LONGEST_TEXT
                    && !text.contains(char::is_whitespace)
            };
            if names.len() >= MOST_NAMES {
                return names;
            }
            if word(mask) {
                names.insert((cpu, domain), (name.filter(|name| word(name)), mask));
            }
        }
    }
    names
}
