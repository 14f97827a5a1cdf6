//! A version 7 file whose options are damaged or cut away: its sections one after the other, and in a buffer's section
//! the data of one CPU after the other.
//!
//! trace-cmd writes the options that describe a buffer after the buffer's data, so every cut takes them away.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use numalens_columns::InputError;

use crate::compression::Compression;
use crate::layout::{BufferLayout, CpuRegion, Prologue};
use crate::options::{
    BUFFER, CMDLINES, EVENT_FORMATS, FTRACE_EVENTS, HEADER_INFO, MAX_CPUS, ParsedOptions,
};
use crate::skips::Damage;
use crate::v7::Sections;

/// Highest number that a section has, with room for ones that are added to the format.
const MAX_SECTION: u16 = 64;
/// Bytes of a section's head.
const HEAD: usize = 16;
/// Most sections that are looked at.
const MAX_SECTIONS: usize = 4096;
/// Most buffers; the `buffer` column is a byte.
const MAX_BUFFERS: usize = 256;

/// A buffer's section: the file's bytes after its head, as far as the file goes, and whether they are compressed.
pub(crate) struct BufferSection {
    range: Range<usize>,
    compressed: bool,
}

/// Walks the sections from `start` on: reads options that were not read yet, notes metadata sections that no option
/// names, and returns the buffers' sections by their offset.
pub(crate) fn sections(
    sections: &Sections<'_>,
    start: u64,
    options: &mut ParsedOptions,
    visited: &mut BTreeSet<u64>,
    damage: &mut Damage,
) -> Result<BTreeMap<u64, BufferSection>, InputError> {
    let length = sections.source.bytes().len();
    let mut found = BTreeMap::new();
    let mut at = start;
    for _ in 0..MAX_SECTIONS {
        let Ok(mut data) = sections.at(at, "a section") else {
            break;
        };
        let Ok(head) = Sections::any_head(&mut data) else {
            break;
        };
        if head.id > MAX_SECTION {
            break;
        }
        let next = (at + HEAD as u64).saturating_add(head.size);
        match head.id {
            0 if next <= length as u64 && visited.insert(at) => {
                let read = sections.options(at, options);
                damage.pass(read)?;
            }
            HEADER_INFO | FTRACE_EVENTS | EVENT_FORMATS | CMDLINES => {
                options.sections.entry(head.id).or_insert(at);
            }
            BUFFER => {
                // A recorder that died did not come to write the size.
                let end = if head.size == 0 { u64::MAX } else { next };
                let range = (at as usize + HEAD).min(length)..end.min(length as u64) as usize;
                found.insert(
                    at,
                    BufferSection {
                        range,
                        compressed: head.compressed,
                    },
                );
                if head.size == 0 {
                    break;
                }
            }
            _ => {}
        }
        at = next;
    }
    Ok(found)
}

/// Adds the buffers of `found` that no option describes (`known` are those that one does).
pub(crate) fn buffers(
    sections: &Sections<'_>,
    found: &BTreeMap<u64, BufferSection>,
    known: &BTreeSet<u64>,
    prologue: &Prologue,
    options: &mut ParsedOptions,
    buffers: &mut Vec<BufferLayout>,
) {
    let statistics = recorded(&options.shown.cpu_stats);
    let order: Vec<u64> = found.keys().copied().collect();
    for (offset, section) in found {
        if known.contains(offset) || buffers.len() >= MAX_BUFFERS {
            continue;
        }
        // Buffers are in the order of the statistics: the top level first.
        let index = order.iter().position(|at| at == offset).unwrap_or(0);
        let statistics = statistics.get(index);
        let name = match statistics {
            Some(statistics) => statistics.name.clone(),
            None if buffers.is_empty() => String::new(),
            None => format!("buffer {index}"),
        };
        let regions = if section.compressed && sections.compression != Compression::None {
            packed_regions(sections, section, prologue)
        } else {
            plain_regions(sections, section, prologue)
        };
        let cpus = statistics.map_or(&[][..], |statistics| &statistics.cpus);
        let numbered =
            regions
                .into_iter()
                .take(MAX_CPUS as usize)
                .enumerate()
                .map(|(at, range)| CpuRegion {
                    cpu: cpus.get(at).copied().unwrap_or(at as u32),
                    range,
                });
        let shown = if name.is_empty() { "top level" } else { &name };
        options.notes.push(format!(
            "the options of the buffer {shown:?} are missing: its CPUs' data was found by position, and its CPU numbers {}",
            if cpus.is_empty() { "are counted from 0" } else { "come from the recorder's statistics" },
        ));
        buffers.push(BufferLayout {
            name,
            clock: options.trace_clock.clone(),
            page_size: prologue.page_size,
            compressed: section.compressed,
            cpus: numbered.collect(),
        });
    }
}

/// The CPUs with recorded events in one buffer, according to the recorder's statistics.
#[derive(Debug, Default, PartialEq, Eq)]
struct Recorded {
    name: String,
    cpus: Vec<u32>,
}

/// The statistics texts: one for each CPU (`per_cpu/cpuN/stats`), `Buffer: NAME` before those of a further buffer.
fn recorded(texts: &[String]) -> Vec<Recorded> {
    let mut buffers: Vec<Recorded> = Vec::new();
    for text in texts {
        let value = |key: &str| {
            let mut lines = text.lines();
            lines.find_map(|line| line.strip_prefix(key)).map(str::trim)
        };
        let number = |key| value(key).and_then(|text| text.parse::<u64>().ok());
        if let Some(name) = value("Buffer:") {
            buffers.push(Recorded {
                name: name.to_owned(),
                cpus: Vec::new(),
            });
        } else if let Some(cpu) = number("CPU:").filter(|&cpu| cpu < u64::from(MAX_CPUS)) {
            if buffers.is_empty() {
                buffers.push(Recorded::default());
            }
            let recorded = ["entries:", "read events:"].map(|key| number(key).unwrap_or(0) > 0);
            if let Some(buffer) = buffers.last_mut().filter(|_| recorded.contains(&true)) {
                buffer.cpus.push(cpu as u32);
            }
        }
    }
    buffers
}

/// The regions of a compressed buffer: each begins at a page's boundary with its number of chunks. As in the option,
/// their size leaves out these four bytes.
fn packed_regions(
    sections: &Sections<'_>,
    section: &BufferSection,
    prologue: &Prologue,
) -> Vec<Range<usize>> {
    let page_size = prologue.page_size as usize;
    let mut regions = Vec::new();
    let mut at = section.range.start.next_multiple_of(page_size);
    while at + 4 < section.range.end {
        let bytes = sections.source.bytes();
        let u32_at = |at: usize| {
            let word = bytes.get(at..at + 4)?;
            Some(prologue.endian.u32(word, 0) as usize)
        };
        let Some(chunks) = u32_at(at).filter(|&chunks| chunks > 0) else {
            break;
        };
        let mut end = at + 4;
        for _ in 0..chunks {
            match u32_at(end) {
                Some(size) if end < section.range.end => {
                    end = end.saturating_add(size).saturating_add(8);
                }
                _ => break,
            }
        }
        let end = end.min(section.range.end);
        regions.push(at..(end - 4).max(at + 1));
        at = end.next_multiple_of(page_size);
    }
    regions
}

/// The regions of a buffer that is not compressed: a page with a stamp before its predecessor's begins the next CPU.
fn plain_regions(
    sections: &Sections<'_>,
    section: &BufferSection,
    prologue: &Prologue,
) -> Vec<Range<usize>> {
    let page_size = prologue.page_size as usize;
    let mut regions: Vec<Range<usize>> = Vec::new();
    let mut last = 0;
    let mut at = section.range.start.next_multiple_of(page_size);
    while at < section.range.end {
        let end = (at + page_size).min(section.range.end);
        let bytes = sections.source.bytes();
        let stamp = bytes
            .get(at..at + 8)
            .map_or(0, |word| prologue.endian.u64(word, 0));
        match regions.last_mut() {
            // A page without a stamp is filling.
            Some(region) if stamp >= last || stamp == 0 => region.end = end,
            _ => regions.push(at..end),
        }
        if stamp != 0 {
            last = stamp;
        }
        at = end;
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_tell_which_cpus_recorded() {
        let cpu = |cpu: u32, entries: u32, read: u32| {
            format!("CPU: {cpu}\nentries: {entries}\noverrun: 0\nread events: {read}\n")
        };
        let texts = [
            cpu(0, 0, 5),
            cpu(1, 0, 0),
            cpu(2, 7, 0),
            "\nBuffer: second\n\n".to_owned(),
            cpu(0, 0, 0),
            cpu(1, 0, 9),
            // As in a strict reading, no machine has such a CPU.
            cpu(MAX_CPUS, 0, 9),
            cpu(u32::MAX, 0, 9),
        ];
        let want = |name: &str, cpus: &[u32]| Recorded {
            name: name.to_owned(),
            cpus: cpus.to_vec(),
        };
        assert_eq!(recorded(&texts), [want("", &[0, 2]), want("second", &[1])]);
        assert!(recorded(&[]).is_empty());
    }
}
