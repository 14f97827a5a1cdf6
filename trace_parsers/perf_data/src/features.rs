//! Metadata of the recorder and its machine, feature by feature (`perf.data-file-format`).

use std::collections::BTreeMap;

use numalens_columns::{ClockPair, RecordingInfo};
use numalens_event_format::Endian;

use crate::attrs::Attrs;
use crate::bytes::Bytes;
use crate::tables::MAX_CPU;

/// The section of event formats; it is read by [`crate::tracing`].
pub(crate) const TRACING_DATA: u32 = 1;
/// The table of build ids; [`crate::mappings`] has it.
pub(crate) const BUILD_ID: u32 = 2;
const HOSTNAME: u32 = 3;
const OS_RELEASE: u32 = 4;
const VERSION: u32 = 5;
const ARCH: u32 = 6;
const CPUS: u32 = 7;
const COMMAND: u32 = 11;
const EVENT_DESC: u32 = 12;
const CPU_TOPOLOGY: u32 = 13;
const NUMA_TOPOLOGY: u32 = 14;
const MEM_TOPOLOGY: u32 = 22;
pub(crate) const DIR_FORMAT: u32 = 24;
const COMPRESSED: u32 = 27;
const CLOCK_DATA: u32 = 29;

/// Most notes that a recording gets.
const MOST_NOTES: usize = 100;
/// Longest text of a fact, characters.
const LONGEST: usize = 4096;
/// Most ranges of physical memory that are kept.
const MOST_RANGES: usize = 1 << 16;

/// Names of the clocks by `clockid_t`, as tracefs has them.
pub(crate) fn clock_name(id: u32) -> String {
    match id {
        0 => "real".to_owned(),
        1 => "mono".to_owned(),
        4 => "mono_raw".to_owned(),
        7 => "boot".to_owned(),
        11 => "tai".to_owned(),
        other => format!("clock_{other}"),
    }
}

/// Takes one feature into the facts. Unreadable content becomes a note; events do not depend on it.
pub(crate) fn apply(
    feature: u32,
    bytes: &[u8],
    endian: Endian,
    info: &mut RecordingInfo,
    attrs: &mut Attrs,
) {
    let mut data = Bytes::new(bytes, endian);
    let facts = &mut info.facts;
    let read = match feature {
        HOSTNAME => fact(facts, "host", data.string()),
        VERSION => fact(facts, "perf", data.string()),
        ARCH => fact(facts, "arch", data.string()),
        COMMAND => fact(
            facts,
            "command",
            data.strings().map(|words| words.join(" ")),
        ),
        OS_RELEASE => data.string().map(|release| info.kernel = Some(release)),
        // Those that could be, then those that are online.
        CPUS => data
            .u32()
            .map(|possible| info.cpus = data.u32().unwrap_or(possible).min(MAX_CPU)),
        CPU_TOPOLOGY => siblings(&mut data, facts),
        NUMA_TOPOLOGY => nodes(&mut data).map(|nodes| info.nodes = Some(nodes)),
        MEM_TOPOLOGY => memory(&mut data).map(|ranges| info.memory = ranges),
        COMPRESSED => compression(&mut data, facts),
        CLOCK_DATA => clock_pair(&mut data).map(|pair| info.clock_pairs = vec![pair]),
        EVENT_DESC => event_names(&mut data, attrs),
        DIR_FORMAT => {
            let sentence = "this is one file of a directory of perf files; the others are not read";
            note(&mut info.notes, sentence.to_owned());
            Some(())
        }
        _ => Some(()),
    };
    if read.is_none() {
        let sentence = format!("the header's feature {feature} is damaged and was left out");
        note(&mut info.notes, sentence);
    }
}

/// Adds a sentence, unless there are too many already.
pub(crate) fn note(notes: &mut Vec<String>, sentence: String) {
    if notes.len() < MOST_NOTES {
        notes.push(sentence);
    }
}

fn fact(facts: &mut BTreeMap<String, String>, name: &str, value: Option<String>) -> Option<()> {
    facts.insert(name.to_owned(), value?.chars().take(LONGEST).collect());
    Some(())
}

fn siblings(data: &mut Bytes<'_>, facts: &mut BTreeMap<String, String>) -> Option<()> {
    fact(
        facts,
        "cpus_by_socket",
        data.strings().map(|lists| lists.join("; ")),
    )?;
    fact(
        facts,
        "cpus_by_core",
        data.strings().map(|lists| lists.join("; ")),
    )
}

fn nodes(data: &mut Bytes<'_>) -> Option<Vec<(u32, Vec<u32>)>> {
    let count = data.u32()?;
    let mut cpus = 0;
    let mut nodes = Vec::new();
    for _ in 0..count {
        let nid = data.u32()?;
        data.take(16)?; // memory in all, and free
        let list = cpu_list(&data.string()?)?;
        cpus += list.len();
        if cpus > MAX_CPU as usize || nodes.len() >= MAX_CPU as usize {
            return None;
        }
        nodes.push((nid, list));
    }
    Some(nodes)
}

/// Nodes of memory blocks, as ranges of addresses (`write_mem_topology` and `do_write_bitmap` of `tools/perf/util/header.c`,
/// Linux 6.1). The part of a block that a second node shares with a first one is left out.
fn memory(data: &mut Bytes<'_>) -> Option<Vec<(u32, u64, u64)>> {
    data.take(8)?; // version
    let (block, count) = (data.u64()?, data.u64()?);
    let mut ranges: Vec<(u32, u64, u64)> = Vec::new();
    for _ in 0..count {
        let nid = u32::try_from(data.u64()?).ok()?;
        data.take(8)?; // the bitmap's size, which is in front of it, too
        for word in 0..data.u64()?.div_ceil(64) {
            let mut bits = data.u64()?;
            while bits != 0 {
                let at = word * 64 + u64::from(bits.trailing_zeros());
                bits &= bits - 1;
                let (from, to) = (at.checked_mul(block)?, (at + 1).checked_mul(block)?);
                if let Some(last) = ranges.last_mut()
                    && (last.0, last.2) == (nid, from)
                {
                    last.2 = to;
                } else if ranges.len() < MOST_RANGES {
                    ranges.push((nid, from, to));
                } else {
                    return None;
                }
            }
        }
    }
    ranges.sort_by_key(|range| range.1);
    let mut end = 0;
    ranges.retain_mut(|(_, from, to)| {
        *from = end.max(*from);
        end = end.max(*to);
        from < to
    });
    Some(ranges)
}

/// The kernel's list format: `0-3,8`.
fn cpu_list(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        if last >= MAX_CPU || cpus.len() >= MAX_CPU as usize {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

fn compression(data: &mut Bytes<'_>, facts: &mut BTreeMap<String, String>) -> Option<()> {
    data.u32()?; // version
    let (kind, level) = (data.u32()?, data.u32()?);
    let name = match kind {
        0 => "none".to_owned(),
        1 => format!("zstd level {level}"),
        other => format!("unknown method {other}"),
    };
    fact(facts, "compression", Some(name))
}

/// Version, clock, the wall clock's time and the recording clock's, ns.
fn clock_pair(data: &mut Bytes<'_>) -> Option<ClockPair> {
    data.take(8)?;
    let (real, trace) = (data.u64()?, data.u64()?);
    Some(ClockPair {
        trace_ns: i64::try_from(trace).ok()?,
        real_ns: i64::try_from(real).ok()?,
    })
}

/// Attributes again, with names; only the names are taken.
fn event_names(data: &mut Bytes<'_>, attrs: &mut Attrs) -> Option<()> {
    let (count, size) = (data.u32()?, data.u32()?);
    for place in 0..count {
        data.take(u64::from(size))?;
        let ids = data.u32()?;
        let name = data.string()?;
        attrs.name_by_place(place as usize, &name);
        for _ in 0..ids {
            attrs.name_by_id(data.u64()?, &name);
        }
    }
    Some(())
}
