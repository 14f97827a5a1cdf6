//! Detection of sample files by their content.

use crate::SampleKind;
use crate::automig;
use crate::files::{Content, File};
use crate::machine::Machine;
use crate::pressure::Resource;

/// Number of inspected bytes of a file.
pub(crate) const SNIFFED: usize = 64 << 10;

/// Lines that may be passed over before the first that decides.
const LINES: usize = 512;

/// Form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One JSON object per line.
    Json,
    /// Output of the kernel, with or without names and timestamps.
    Text,
    /// The table of auto-migration statistics, with or without prose around it.
    Automig,
}

/// Conclusion from one line about a file.
enum Verdict {
    /// Samples of this kind.
    Samples(SampleKind),
    /// Something different.
    Other,
    /// Nothing yet.
    Open,
}

/// Says what kind of samples a file has, by its beginning (at most 64 KiB are looked at); `None` when it has none.
#[must_use]
pub fn sniff(head: &[u8]) -> Option<SampleKind> {
    form(head).map(|(kind, _)| kind)
}

pub(crate) fn form(head: &[u8]) -> Option<(SampleKind, Form)> {
    let cut = head.len() >= SNIFFED;
    let head = &head[..head.len().min(SNIFFED)];
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if head.contains(&0) {
        return None;
    }
    if head.trim_ascii_start().starts_with(b"{") {
        return records(head).map(|kind| (kind, Form::Json));
    }
    let text = String::from_utf8_lossy(head);
    // The last line may be cut.
    let text = match text.rsplit_once('\n') {
        Some((whole, _)) if cut => whole,
        _ => &text,
    };
    if let Some(kind) = plain(text) {
        return Some((kind, Form::Text));
    }
    let row = |line| automig::parse(line).is_ok_and(|row| row.is_some());
    text.lines()
        .any(row)
        .then_some((SampleKind::Automig, Form::Automig))
}

/// The kind of a file of JSON objects, by the first that has a sample in it.
fn records(head: &[u8]) -> Option<SampleKind> {
    let lines = head.split(|&byte| byte == b'\n').take(LINES);
    for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
        match json(line) {
            Verdict::Samples(kind) => return Some(kind),
            Verdict::Open => {}
            Verdict::Other => return None,
        }
    }
    None
}

/// The kind of a text, by the first line that has a sample in it.
fn plain(text: &str) -> Option<SampleKind> {
    // Copies of sysfs may have counters next to the lists, which count more.
    let shapes = text.contains("/devices/system/node/");
    if shapes && text.lines().any(Machine::is_of_topology) {
        return None;
    }
    let mut machine = Machine::new("");
    // Pressure that does not say of what is pressure all the same.
    machine.hint.resource = Some(Resource::Cpu);
    for line in text.lines().take(LINES) {
        machine.text_line(line).ok()?;
        match machine.last().map(|file| decide(file, line.trim())) {
            Some(Verdict::Samples(kind)) => return Some(kind),
            Some(Verdict::Other) => return None,
            Some(Verdict::Open) | None => {}
        }
    }
    None
}

/// The kind of a text by a line of one of its files.
fn decide(file: &File, line: &str) -> Verdict {
    let named = !file.name.is_empty();
    Verdict::Samples(match file.content {
        Content::Pressure(_) => SampleKind::Psi,
        Content::Vmstat(_) if named || is_counter(line) => SampleKind::Vmstat,
        Content::Vmstat(_) => return Verdict::Other,
        Content::Stat | Content::Loadavg | Content::Schedstat | Content::SchedExt => {
            SampleKind::Vmstat
        }
        // One word that other texts have, too.
        Content::NumaGroup if !named && line == "disabled" => return Verdict::Open,
        Content::NumaGroup => SampleKind::NumaGroup,
        Content::NumaMaps => SampleKind::NumaMaps,
        Content::Sched => SampleKind::ProcSched,
        Content::TaskCgroup
        | Content::TaskStat
        | Content::TaskStatus
        | Content::Procs
        | Content::Threads
        | Content::Values(_)
        | Content::CgroupIds
        | Content::Ps(_) => SampleKind::CgroupMap,
    })
}

/// Returns whether a line begins with the name of a counter that `/proc/vmstat` has (`mm/vmstat.c`).
fn is_counter(line: &str) -> bool {
    const FAMILIES: [&str; 32] = [
        "nr_",
        "numa_",
        "pgpg",
        "pgalloc",
        "pgfault",
        "pgmajfault",
        "pgmigrate",
        "pgscan",
        "pgsteal",
        "pgfree",
        "pgactivate",
        "pgdeactivate",
        "pglazy",
        "pgrefill",
        "pgreuse",
        "pgskip",
        "pgpromote",
        "pgdemote",
        "pginode",
        "pgrotated",
        "pswp",
        "allocstall",
        "workingset_",
        "thp_",
        "compact_",
        "kswapd_",
        "slabs_",
        "swap_ra",
        "unevictable_",
        "oom_kill",
        "balloon_",
        "htlb_",
    ];
    FAMILIES.iter().any(|family| line.starts_with(family))
}

/// Returns a record's kind by its keys.
fn json(line: &[u8]) -> Verdict {
    let keys = top_level(line).unwrap_or_default();
    let value = |name: &str| {
        keys.iter()
            .find(|(key, _)| *key == name.as_bytes())
            .map(|(_, value)| *value)
    };
    let text = |name: &str| value(name).is_some_and(|value| value.starts_with(b"\""));
    let stamped = ["idx", "mono_ns", "real_ns", "boot_ns"]
        .iter()
        .any(|name| value(name).is_some_and(|value| value[0].is_ascii_digit() || value[0] == b'-'));
    let pressure = |name: &&str| {
        value(name)
            .is_some_and(|value| value.starts_with(b"\"some ") || value.starts_with(b"\"full "))
    };
    let open = |name: &str, with: &[u8]| value(name).is_some_and(|value| value.starts_with(with));
    let of_task = value("pid").is_some() || value("tid").is_some();
    if !stamped {
        return Verdict::Other;
    }
    let kind = if of_task && text("sched") {
        Some(SampleKind::ProcSched)
    } else if of_task && text("numa_maps") {
        Some(SampleKind::NumaMaps)
    } else if of_task && (open("cgroup", b"\"") || text("cpus_allowed")) {
        Some(SampleKind::CgroupMap)
    } else if ["cpu", "memory", "io", "irq"].iter().any(pressure) {
        Some(SampleKind::Psi)
    } else if text("vmstat") || open("stat", b"\"cpu") || text("loadavg") {
        Some(SampleKind::Vmstat)
    } else if open("groups", b"[") {
        Some(SampleKind::NumaGroup)
    } else if open("files", b"{") {
        Some(SampleKind::CgroupMap)
    } else {
        None
    };
    kind.map_or(Verdict::Open, Verdict::Samples)
}

/// The keys of an object with the first bytes of their values, as far as the object continues; `None` for other text.
fn top_level(line: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    const SHOWN: usize = 16;
    let line = line.trim_ascii();
    let mut keys = Vec::new();
    let mut depth = 0_u32;
    let mut at = 0;
    let mut key: Option<&[u8]> = None;
    while at < line.len() {
        let byte = line[at];
        // A value begins behind the colon of its key.
        if depth == 1 && !byte.is_ascii_whitespace() && !matches!(byte, b',' | b':' | b'}') {
            if let Some(name) = key.take() {
                keys.push((name, &line[at..line.len().min(at + SHOWN)]));
            } else if byte == b'"' {
                let end = string_end(line, at)?;
                key = Some(&line[at + 1..end]);
                at = end + 1;
                continue;
            } else if !keys.is_empty()
                && (byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'+'))
            {
                at += 1;
                continue;
            } else {
                return None;
            }
        }
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => match string_end(line, at) {
                Some(end) => at = end,
                // The line is cut here.
                None => return Some(keys),
            },
            _ if depth == 0 => return None,
            _ => {}
        }
        at += 1;
        if depth == 0 && at < line.len() {
            return None;
        }
    }
    Some(keys)
}

/// End of a string that begins at `at`.
fn string_end(line: &[u8], at: usize) -> Option<usize> {
    let mut escaped = false;
    line[at + 1..]
        .iter()
        .position(|&byte| match byte {
            _ if escaped => {
                escaped = false;
                false
            }
            b'\\' => {
                escaped = true;
                false
            }
            _ => byte == b'"',
        })
        .map(|length| at + 1 + length)
}
