//! Pages of the kernel's ring buffer with the kernel's own description. Scripts copy them out of tracefs without trace-cmd
//! (`per_cpu/cpuN/trace_pipe_raw`, `events/header_page`, `events/SYSTEM/EVENT/format`), such as `SchedViz`'s `trace.sh`,
//! which names the folders `traces` and `formats`. They become a trace.dat of version 6, whose layout is in
//! trace-cmd.dat.v6(5).

use std::collections::BTreeMap;
use std::io::Write;

use numalens_columns::{DecodeError, InputError, SinkError};
use numalens_event_format::Endian;

use crate::layout::{MAGIC, MAX_PAGE};
use crate::metadata::page_header;
use crate::options::{MAX_CPUS, SAVED_TGIDS};

/// The file whose folder has the formats; the pages are below the folder around that one.
const HEADER_PAGE: &str = "header_page";
const OPTION_TRACECLOCK: u16 = 4;
const OPTION_CPUCOUNT: u16 = 8;
/// Bits of the commit word that say that events are missing (`RB_MISSED_EVENTS`, `RB_MISSED_STORED`).
const MISSED: u64 = 3 << 30;

/// Kind of a file, by its path below the folder around them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role<'a> {
    HeaderPage,
    HeaderEvent,
    /// Formats of this system's events.
    Format(&'a str),
    /// Pages of this CPU's buffer.
    Pages(u32),
    Clock,
    Comms,
    Tgids,
    Printk,
    Symbols,
}

/// The folder around a copy of tracefs, and the folder of its formats, by the name of its `header_page`.
fn folders(name: &str) -> Option<(&str, &str)> {
    let formats = name.strip_suffix(HEADER_PAGE)?.strip_suffix('/')?;
    let around = formats.rsplit_once('/').map_or("", |(around, _)| around);
    Some((around, formats))
}

/// Path after a folder and its `/`.
fn below<'n>(name: &'n str, folder: &str) -> Option<&'n str> {
    if folder.is_empty() {
        return Some(name);
    }
    name.strip_prefix(folder)?.strip_prefix('/')
}

impl<'a> Role<'a> {
    fn of(name: &'a str, around: &str, formats: &str) -> Option<Self> {
        if let Some(file) = below(name, formats) {
            return match file.split('/').collect::<Vec<_>>()[..] {
                [HEADER_PAGE] => Some(Self::HeaderPage),
                ["header_event"] => Some(Self::HeaderEvent),
                [system, _, "format"] => Some(Self::Format(system)),
                [system, event] if event.ends_with(".format") => Some(Self::Format(system)),
                _ => None,
            };
        }
        let file = below(name, around)?;
        let cpu = |text: &str| {
            let digits = text.strip_prefix("cpu")?;
            let digits = digits.strip_suffix(".raw").unwrap_or(digits);
            digits.parse().ok().map(Self::Pages)
        };
        match file.split('/').collect::<Vec<_>>()[..] {
            ["trace_clock"] => Some(Self::Clock),
            ["saved_cmdlines"] => Some(Self::Comms),
            ["saved_tgids"] => Some(Self::Tgids),
            ["printk_formats"] => Some(Self::Printk),
            ["kallsyms"] => Some(Self::Symbols),
            ["per_cpu", folder, "trace_pipe_raw"] => cpu(folder),
            ["traces" | "per_cpu", file] | [file] => cpu(file),
            _ => None,
        }
    }
}

/// Groups of these files that are such copies: of each its `header_page` first.
#[must_use]
pub fn sets(names: &[&str]) -> Vec<Vec<usize>> {
    let mut found: BTreeMap<&str, (&str, Vec<usize>, bool)> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        if let Some((around, formats)) = folders(name) {
            found.entry(around).or_insert((formats, vec![at], false));
        }
    }
    for (at, name) in names.iter().enumerate() {
        let mut around = *name;
        while let Some(up) = around
            .rsplit_once('/')
            .map(|(up, _)| up)
            .or((!around.is_empty()).then_some(""))
        {
            around = up;
            let Some((formats, set, pages)) = found.get_mut(around) else {
                continue;
            };
            match Role::of(name, around, formats) {
                Some(Role::HeaderPage) | None => {}
                Some(role) => {
                    *pages |= matches!(role, Role::Pages(_));
                    set.push(at);
                }
            }
            break;
        }
    }
    found
        .into_values()
        .filter(|one| one.2)
        .map(|one| one.1)
        .collect()
}

/// Writes such files as a trace.dat.
///
/// # Errors
/// The description of the pages is invalid, two files have the pages of one CPU, there is no format, or `out`
/// refuses.
pub fn join(files: &[(&str, &[u8])], _more: u64, out: &mut dyn Write) -> Result<(), DecodeError> {
    let copy = Copy::of(files)?;
    let head = copy.head();
    let mut written = out.write_all(&head);
    for pages in copy.pages.values() {
        written = written.and_then(|()| out.write_all(pages));
    }
    written.map_err(|error| DecodeError::Sink(SinkError(error.to_string())))
}

/// The files of a copy by what they are.
#[derive(Default)]
struct Copy<'a> {
    header_page: &'a [u8],
    header_event: &'a [u8],
    formats: BTreeMap<&'a str, Vec<&'a [u8]>>,
    pages: BTreeMap<u32, &'a [u8]>,
    clock: &'a [u8],
    comms: &'a [u8],
    tgids: &'a [u8],
    printk: &'a [u8],
    symbols: &'a [u8],
    page: Page,
}

/// Layout of the pages.
#[derive(Clone, Copy, Default)]
struct Page {
    size: u32,
    long_size: u8,
    big_endian: bool,
}

impl<'a> Copy<'a> {
    fn of(files: &[(&'a str, &'a [u8])]) -> Result<Self, InputError> {
        let mut copy = Self::default();
        let Some((around, formats)) = files.first().and_then(|(name, _)| folders(name)) else {
            return Err(InputError::at_byte(0, "the kernel's header_page", "none"));
        };
        for &(name, bytes) in files {
            match Role::of(name, around, formats) {
                Some(Role::HeaderPage) => copy.header_page = bytes,
                Some(Role::HeaderEvent) => copy.header_event = bytes,
                Some(Role::Format(system)) => copy.formats.entry(system).or_default().push(bytes),
                Some(Role::Clock) => copy.clock = bytes,
                Some(Role::Comms) => copy.comms = bytes,
                Some(Role::Tgids) => copy.tgids = bytes,
                Some(Role::Printk) => copy.printk = bytes,
                Some(Role::Symbols) => copy.symbols = bytes,
                Some(Role::Pages(cpu)) => copy.add_pages(cpu, bytes)?,
                None => {}
            }
        }
        if copy.formats.is_empty() {
            let expected = "the format of at least one event next to the pages";
            return Err(InputError::at_byte(0, expected, "none"));
        }
        copy.page = Page::of(copy.header_page, &copy.pages)?;
        Ok(copy)
    }

    fn add_pages(&mut self, cpu: u32, bytes: &'a [u8]) -> Result<(), InputError> {
        if cpu >= MAX_CPUS {
            let expected = format!("pages of at most {MAX_CPUS} CPUs");
            return Err(InputError::at_byte(
                0,
                expected,
                format!("those of CPU {cpu}"),
            ));
        }
        if self.pages.insert(cpu, bytes).is_some() {
            let expected = format!("one file with the pages of CPU {cpu}");
            return Err(InputError::at_byte(0, expected, "two"));
        }
        Ok(())
    }

    /// Returns all bytes before the pages.
    fn head(&self) -> Vec<u8> {
        let big = self.page.big_endian;
        let number = |value: u64, size: usize| {
            if big {
                value.to_be_bytes()[8 - size..].to_vec()
            } else {
                value.to_le_bytes()[..size].to_vec()
            }
        };
        let sized = |text: &[u8]| [number(text.len() as u64, 8), text.to_vec()].concat();
        let mut head = [&MAGIC[..], b"6\0", &[u8::from(big), self.page.long_size]].concat();
        head.extend(number(u64::from(self.page.size), 4));
        head.extend([&b"header_page\0"[..], &sized(self.header_page)].concat());
        head.extend([&b"header_event\0"[..], &sized(self.header_event)].concat());
        let (own, others): (Vec<_>, Vec<_>) = self
            .formats
            .iter()
            .partition(|(system, _)| **system == "ftrace");
        let own: Vec<&&[u8]> = own.into_iter().flat_map(|(_, formats)| formats).collect();
        head.extend(number(own.len() as u64, 4));
        head.extend(own.into_iter().flat_map(|text| sized(text)));
        head.extend(number(others.len() as u64, 4));
        for (system, formats) in others {
            head.extend([system.as_bytes(), b"\0", &number(formats.len() as u64, 4)].concat());
            head.extend(formats.iter().flat_map(|text| sized(text)));
        }
        for text in [self.symbols, self.printk] {
            head.extend([&number(text.len() as u64, 4), text].concat());
        }
        head.extend(sized(self.comms));
        let cpus = self.pages.last_key_value().map_or(0, |(cpu, _)| cpu + 1);
        head.extend([&number(u64::from(cpus), 4), &b"options  \0"[..]].concat());
        if !self.clock.is_empty() {
            // Empty: the clock is behind the table of CPUs.
            head.extend([number(u64::from(OPTION_TRACECLOCK), 2), number(0, 4)].concat());
        }
        head.extend([number(u64::from(OPTION_CPUCOUNT), 2), number(4, 4)].concat());
        head.extend(number(u64::from(cpus), 4));
        if !self.tgids.is_empty() {
            head.extend(number(u64::from(SAVED_TGIDS), 2));
            head.extend([&number(self.tgids.len() as u64, 4), self.tgids].concat());
        }
        head.extend(number(0, 2));
        head.extend(b"flyrecord\0");
        let clock = if self.clock.is_empty() {
            Vec::new()
        } else {
            sized(self.clock)
        };
        let table = 16 * cpus as usize;
        let end = head.len() + table + clock.len();
        let start = end.next_multiple_of(self.page.size as usize);
        let mut offset = start as u64;
        for cpu in 0..cpus {
            let size = self.pages.get(&cpu).map_or(0, |pages| pages.len() as u64);
            head.extend([number(offset, 8), number(size, 8)].concat());
            offset += size;
        }
        head.extend(clock);
        head.resize(start, 0);
        head
    }
}

impl Page {
    fn of(header_page: &[u8], pages: &BTreeMap<u32, &[u8]>) -> Result<Self, InputError> {
        let layout = page_header(header_page, 8);
        let layout = layout.map_err(|expected| InputError::at_line(1, expected, "another text"))?;
        let data = String::from_utf8_lossy(header_page);
        let data = data
            .lines()
            .map(str::trim)
            .find(|line| line.contains(" data;"));
        let size =
            data.and_then(|line| line.split_once("size:")?.1.split(';').next()?.parse().ok());
        let size = size.and_then(|size: u32| size.checked_add(layout.data as u32));
        let Some(size) = size.filter(|size| (4096..=MAX_PAGE).contains(size)) else {
            let expected = "a header_page with the size of a page's data";
            return Err(InputError::at_line(1, expected, "none, or an invalid one"));
        };
        // Nothing says the byte order but the pages: a commit word is at most a page.
        let first = pages.values().find(|pages| pages.len() > layout.data);
        let fits = |endian: Endian| {
            first.is_none_or(|pages| {
                let commit = if layout.long_size == 4 {
                    u64::from(endian.u32(pages, layout.commit))
                } else {
                    endian.u64(pages, layout.commit)
                };
                commit & !MISSED <= u64::from(size)
            })
        };
        Ok(Self {
            size,
            long_size: layout.long_size,
            big_endian: !fits(Endian::Little) && fits(Endian::Big),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::sets;

    #[test]
    fn copies_of_tracefs_are_found_by_their_header_page() {
        let names = [
            "x/formats/header_page",
            "x/formats/sched/sched_switch/format",
            "x/traces/cpu0",
            "x/options/raw",
            "events/header_page",
            "events/sched/sched_switch.format",
            "per_cpu/cpu1/trace_pipe_raw",
            "per_cpu/cpu1/stats",
            "saved_cmdlines",
            "none/formats/header_page",
            "none/formats/sched/sched_switch/format",
        ];
        assert_eq!(sets(&names), [vec![4, 5, 6, 8], vec![0, 1, 2]]);
        assert_eq!(sets(&["a/header_page", "cpu0.raw", "cpu1x"]), [[0, 1]]);
    }
}
