//! The options of a recording, by their numbers in trace-cmd's file format.

use std::collections::BTreeMap;

use numalens_columns::{Guest, InputError};

use crate::clock::{Clock, ShiftSample};
use crate::cursor::Cursor;
use crate::info::Options;

const DATE: u16 = 1;
const CPUSTAT: u16 = 2;
pub(crate) const BUFFER: u16 = 3;
const TRACECLOCK: u16 = 4;
const UNAME: u16 = 5;
const OFFSET: u16 = 7;
const CPUCOUNT: u16 = 8;
const VERSION: u16 = 9;
const TRACEID: u16 = 11;
const TIME_SHIFT: u16 = 12;
const GUEST: u16 = 13;
const TSC2NSEC: u16 = 14;
pub(crate) const HEADER_INFO: u16 = 16;
pub(crate) const FTRACE_EVENTS: u16 = 17;
pub(crate) const EVENT_FORMATS: u16 = 18;
pub(crate) const KALLSYMS: u16 = 19;
pub(crate) const PRINTK: u16 = 20;
pub(crate) const CMDLINES: u16 = 21;
const BUFFER_TEXT: u16 = 22;
/// The text of tracefs' `saved_tgids`, as recorders of gpuvis write it (`TRACECMD_OPTION_SAVED_TGIDS` of its trace-cmd).
pub(crate) const SAVED_TGIDS: u16 = 32;

/// Highest CPU number that is believed; the kernel's own limit is 8192.
pub(crate) const MAX_CPUS: u32 = 1 << 16;
/// Most tracing instances; the `buffer` column is a byte.
const MAX_BUFFERS: usize = 256;
/// Longest name of a buffer or clock, bytes.
const MAX_NAME: usize = 4096;

/// A tracing instance as an option describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BufferOption {
    /// Start of its data section (version 7) or its CPU table (version 6).
    pub(crate) offset: u64,
    pub(crate) name: String,
    pub(crate) clock: Option<String>,
    pub(crate) page_size: Option<u32>,
    /// CPU, offset and size in the file (version 7).
    pub(crate) cpus: Vec<(u32, u64, u64)>,
}

/// All options of a file.
#[derive(Debug, Default)]
pub(crate) struct ParsedOptions {
    pub(crate) clock: Clock,
    pub(crate) trace_clock: Option<String>,
    /// Version 6 writes the clock after the CPU table when this option is there.
    pub(crate) clock_follows: bool,
    pub(crate) uname: Option<String>,
    pub(crate) cpu_count: Option<u32>,
    pub(crate) buffers: Vec<BufferOption>,
    /// Offsets of the metadata sections (version 7).
    pub(crate) sections: BTreeMap<u16, u64>,
    pub(crate) shown: Options,
    /// Tasks and their processes, as the kernel last had them.
    pub(crate) saved_tgids: Vec<(i32, i32)>,
    pub(crate) notes: Vec<String>,
}

impl ParsedOptions {
    /// Takes one option. `data` is after the option's header; `sectioned` is true for version 7.
    pub(crate) fn apply(
        &mut self,
        id: u16,
        mut data: Cursor<'_>,
        sectioned: bool,
    ) -> Result<(), InputError> {
        let size = data.left() as u64;
        match id {
            DATE => {
                self.clock.offset = self
                    .clock
                    .offset
                    .wrapping_add(c_integer(&text(&mut data)?).wrapping_mul(1000));
            }
            OFFSET => {
                self.clock.offset = self.clock.offset.wrapping_add(c_integer(&text(&mut data)?));
            }
            CPUSTAT => self.shown.cpu_stats.push(text(&mut data)?),
            TRACECLOCK => {
                self.clock_follows = true;
                let clock = text(&mut data)?;
                if let Some(clock) = chosen_clock(&clock) {
                    self.trace_clock = Some(clock);
                }
            }
            UNAME => self.uname = Some(text(&mut data)?).filter(|uname| !uname.is_empty()),
            VERSION => self.shown.recorder = Some(text(&mut data)?),
            CPUCOUNT => self.cpu_count = Some(cpu_number(&mut data, "the CPU count")?),
            TRACEID if size >= 8 => self.shown.trace_id = Some(data.u64("the trace session")?),
            TSC2NSEC if size >= 16 => {
                let tsc = (
                    data.u32("the cycle multiplier")?,
                    data.u32("the cycle shift")?,
                );
                self.clock.tsc = Some(tsc).filter(|&(mult, _)| mult != 0);
            }
            TIME_SHIFT if size >= 16 => self.time_shift(&mut data)?,
            GUEST => self.guest(&mut data)?,
            BUFFER => self.buffer(&mut data, sectioned)?,
            SAVED_TGIDS => self.saved_tgids.extend(saved_tgids(&text(&mut data)?)),
            BUFFER_TEXT => {
                self.notes.push(
                    "a buffer with latency text, which has no binary events, was left out"
                        .to_owned(),
                );
            }
            HEADER_INFO | FTRACE_EVENTS | EVENT_FORMATS | KALLSYMS | PRINTK | CMDLINES
                if size >= 8 =>
            {
                let offset = data.u64("a section's offset")?;
                self.sections.insert(id, offset);
            }
            _ => {}
        }
        Ok(())
    }

    fn buffer(&mut self, data: &mut Cursor<'_>, sectioned: bool) -> Result<(), InputError> {
        if self.buffers.len() >= MAX_BUFFERS - 1 {
            return Err(data.error(format!("at most {MAX_BUFFERS} buffers"), "one more"));
        }
        let offset = data.u64("the buffer's offset")?;
        let name = data.string(MAX_NAME, "the buffer's name")?;
        let mut buffer = BufferOption {
            offset,
            name,
            clock: None,
            page_size: None,
            cpus: Vec::new(),
        };
        if sectioned {
            let clock = data.string(MAX_NAME, "the buffer's clock")?;
            buffer.clock = Some(clock).filter(|clock| !clock.is_empty());
            Self::cpu_table(data, &mut buffer)?;
        }
        self.buffers.push(buffer);
        Ok(())
    }

    /// The CPU table of a version 7 buffer. Newer recorders put the sub-buffer size in front of the count; the option's size
    /// decides which of the two comes first, since an entry takes 20 bytes.
    fn cpu_table(data: &mut Cursor<'_>, buffer: &mut BufferOption) -> Result<(), InputError> {
        const ENTRY: usize = 20;
        let with_page_size = data.left() >= 8 && data.left() % ENTRY == 8;
        if with_page_size {
            buffer.page_size = Some(data.u32("the sub-buffer size")?).filter(|&size| size != 0);
        }
        let count = data.u32("the buffer's CPU count")?;
        if count as usize > data.left() / ENTRY {
            return Err(data.error(
                format!("{count} CPU entries of {ENTRY} bytes"),
                format!("{} bytes to the option's end", data.left()),
            ));
        }
        for _ in 0..count {
            let cpu = cpu_number(data, "a CPU number")?;
            buffer
                .cpus
                .push((cpu, data.u64("a CPU's offset")?, data.u64("a CPU's size")?));
        }
        Ok(())
    }

    /// A guest's name, trace session, and which threads of the host run its CPUs.
    fn guest(&mut self, data: &mut Cursor<'_>) -> Result<(), InputError> {
        let mut guest = Guest {
            name: data.string(MAX_NAME, "the guest's name")?,
            ..Guest::default()
        };
        // The first recorders wrote the name alone.
        if data.left() >= 12 {
            guest.session = data.u64("the guest's trace session")?;
            let cpus = cpu_number(data, "the guest's CPU count")?;
            for _ in 0..cpus {
                let cpu = cpu_number(data, "a guest's CPU")?;
                let pid = data.u32("the thread of a guest's CPU")? as i32;
                // 0 and -1 stand for a thread that the recorder could not find.
                if pid > 0 {
                    guest.threads.push((cpu, pid));
                }
            }
        }
        self.shown.guests.push(guest);
        Ok(())
    }

    fn time_shift(&mut self, data: &mut Cursor<'_>) -> Result<(), InputError> {
        let peer = data.u64("the peer's trace session")?;
        let flags = data.u32("the time shift flags")?;
        let cpus = cpu_number(data, "the time shift's CPU count")?;
        let mut shifts: Vec<Vec<ShiftSample>> = Vec::new();
        for _ in 0..cpus {
            let count = data.u32("a CPU's sample count")?;
            if u64::from(count) * 16 > data.left() as u64 {
                let found = format!("{} bytes to the option's end", data.left());
                return Err(data.error(format!("{count} time shift samples"), found));
            }
            let mut samples = vec![
                ShiftSample {
                    time: 0,
                    offset: 0,
                    scaling: 1,
                    fraction: 0
                };
                count as usize
            ];
            for sample in &mut samples {
                sample.time = data.u64("a sample's time")? as i64;
            }
            for sample in &mut samples {
                sample.offset = data.u64("a sample's offset")? as i64;
            }
            // Scaling, and behind all CPUs its fraction bits, were added to the format later.
            if data.left() >= samples.len() * 8 {
                for sample in &mut samples {
                    sample.scaling = data.u64("a sample's scaling")? as i64;
                }
            }
            shifts.push(samples);
        }
        for sample in shifts.iter_mut().flatten() {
            if data.left() >= 8 {
                sample.fraction = data.u64("a sample's fraction")? as i64;
            }
        }
        for samples in &mut shifts {
            samples.sort_by_key(|sample| sample.time);
        }
        self.shown.clock_of = Some(peer);
        self.clock.interpolate = flags & 1 != 0;
        self.clock.shifts = shifts;
        Ok(())
    }
}

/// A CPU number or count.
pub(crate) fn cpu_number(data: &mut Cursor<'_>, what: &str) -> Result<u32, InputError> {
    let here = data.clone();
    let cpu = data.u32(what)?;
    if cpu > MAX_CPUS {
        return Err(here.error(format!("{what} of at most {MAX_CPUS}"), cpu.to_string()));
    }
    Ok(cpu)
}

/// An option's text up to its NUL or its end.
fn text(data: &mut Cursor<'_>) -> Result<String, InputError> {
    let bytes = data.take(data.left() as u64, "an option's text")?;
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// Lines of a task and its process (`saved_tgids_show`, `kernel/trace/trace.c`).
fn saved_tgids(text: &str) -> impl Iterator<Item = (i32, i32)> {
    let number = |word: Option<&str>| word?.parse().ok().filter(|&id: &i32| id > 0);
    text.lines().filter_map(move |line| {
        let mut words = line.split_ascii_whitespace();
        Some((number(words.next())?, number(words.next())?))
    })
}

/// The clock in brackets in the text of tracefs' `trace_clock`.
pub(crate) fn chosen_clock(text: &str) -> Option<String> {
    let rest = &text[text.find('[')? + 1..];
    Some(rest[..rest.find(']')?].to_owned()).filter(|clock| !clock.is_empty())
}

/// C's `strtoll(text, NULL, 0)`: sign, `0x` or octal prefix, digits up to the first other character.
fn c_integer(text: &str) -> i64 {
    let text = text.trim_start();
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let (base, digits) = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) => (16, hex),
        None if digits.starts_with('0') => (8, digits),
        None => (10, digits),
    };
    let mut value: u64 = 0;
    for digit in digits.chars().map_while(|c| c.to_digit(base)) {
        value = value
            .wrapping_mul(u64::from(base))
            .wrapping_add(u64::from(digit));
    }
    if negative {
        (value as i64).wrapping_neg()
    } else {
        value as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_c_does() {
        assert_eq!(c_integer("0x10"), 16);
        assert_eq!(c_integer(" -12 ns"), -12);
        assert_eq!(c_integer("010"), 8);
        assert_eq!(c_integer(""), 0);
    }

    #[test]
    fn saved_tgids_are_pairs_of_what_can_be_tasks() {
        let found = saved_tgids("11 10\n 12 10\n0 0\n13 -1\n14\nx 3\n\n15 15 16");
        assert_eq!(found.collect::<Vec<_>>(), [(11, 10), (12, 10), (15, 15)]);
    }

    #[test]
    fn the_clock_stands_in_brackets() {
        assert_eq!(
            chosen_clock("local global [mono] boot").as_deref(),
            Some("mono")
        );
        assert_eq!(chosen_clock("local global"), None);
    }
}
