//! What `perf sched stats record` writes: a perf.data without events, whose records are readings of `/proc/schedstat`
//! (`PERF_RECORD_SCHEDSTAT_CPU` and `PERF_RECORD_SCHEDSTAT_DOMAIN`, `tools/lib/perf/include/perf/event.h` and `schedstat-v15.h` to
//! `schedstat-v17.h` next to it, 7.0 to 7.2), and whose header names the domains (`HEADER_CPU_DOMAIN_INFO`,
//! `write_cpu_domain_info`, `tools/perf/util/header.c`).
//!
//! A record has the time of its reading in jiffies, of which nothing in the file tells how long they are: the readings are
//! numbered and have no times.

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
/// `HEADER_CPU_DOMAIN_INFO`.
const DOMAINS: usize = 32;
/// Size of a record's header, and of what all of these have before their counters.
const HEADER: usize = 8;
const FRONT: usize = HEADER + 16;
/// Where the header has the sections of attributes and data, and its features.
const ATTRS_SIZE: usize = 32;
const DATA: usize = 40;
const FEATURES: usize = 72;
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

/// Whether a file begins like one of `perf sched stats record`: no attributes, and a reading first.
#[must_use]
pub fn sniff_perf(head: &[u8]) -> bool {
    let found = Bytes::of(head).and_then(|bytes| {
        let first = bytes.u32(bytes.place(DATA)?)?;
        Some(bytes.u64(ATTRS_SIZE)? == 0 && matches!(first, CPU | DOMAIN))
    });
    found == Some(true)
}

/// What a domain of a CPU is called, and its CPUs as a mask.
type Names<'a> = HashMap<(u32, u32), (Option<&'a str>, &'a str)>;

/// Reads the readings into the table `schedstat`. `name` is not used; for the rest see [`read`](crate::read).
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
    let (Some(from), Some(size)) = (bytes.place(DATA), bytes.place(DATA + 8)) else {
        return Err(odd(DATA, "the place of the records", "the end").into());
    };
    let end = from.saturating_add(size);
    let names = names(bytes, end).unwrap_or_default();
    let mut machine = Machine::new(name);
    let mut readings = Readings::default();
    let mut at = from;
    while at < end {
        let size = bytes.u16(at.saturating_add(6)).map(usize::from);
        let record = size.and_then(|size| bytes.bytes.get(at..at.checked_add(size)?));
        let Some(record) = record.filter(|record| record.len() >= HEADER) else {
            let error = odd(at, "a record", "the end, or one without a size");
            if !options.tolerant {
                return Err(error.into());
            }
            // What should stand behind the file's end is reported at its last byte.
            let range = (at as u64).min(total.saturating_sub(1))..total;
            sink.skipped(Skipped {
                range,
                unit: "byte",
                cpu: None,
                why: error.to_string(),
            })?;
            break;
        };
        let record = Bytes {
            bytes: record,
            big: bytes.big,
        };
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
    Ok(summary)
}

/// Readings so far.
#[derive(Default)]
struct Readings {
    schedstat: Schedstat,
    /// Number of the reading.
    number: i64,
    /// Jiffies of the first and of the last one.
    jiffies: Option<(u64, u64)>,
    version: u16,
}

impl Readings {
    /// The lines that `/proc/schedstat` had in place of a record.
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
            "The first and the last reading of perf sched stats are {} jiffies apart; how long a jiffy was is not in the file.",
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
    let mut at = bytes.place(end.checked_add(16 * before.count())?)?;
    let version = bytes.next_u32(&mut at)?;
    bytes.next_u32(&mut at)?;
    let mut names = Names::new();
    while let Some(cpu) = bytes.next_u32(&mut at) {
        for _ in 0..bytes.next_u32(&mut at).unwrap_or(0) {
            let Some(domain) = bytes.next_u32(&mut at) else {
                return Some(names);
            };
            let name = if version >= 17 {
                bytes.text(&mut at)
            } else {
                None
            };
            let (Some(mask), Some(_)) = (bytes.text(&mut at), bytes.text(&mut at)) else {
                return Some(names);
            };
            let word = |text: &str| {
                !text.is_empty()
                    && text.len() <= LONGEST_TEXT
                    && !text.contains(char::is_whitespace)
            };
            if names.len() >= MOST_NAMES {
                return Some(names);
            }
            if word(mask) {
                names.insert((cpu, domain), (name.filter(|name| word(name)), mask));
            }
        }
    }
    Some(names)
}
