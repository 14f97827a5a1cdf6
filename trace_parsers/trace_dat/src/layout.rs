//! Positions of all parts of a file; [`crate::v6`] and [`crate::v7`] find them.

use std::collections::BTreeSet;
use std::ops::Range;

use numalens_columns::{BufferInfo, ByteSource, EventCount, InputError, Skipped};
use numalens_event_format::Endian;

use crate::compression::Compression;
use crate::cursor::Cursor;
use crate::info::TraceInfo;
use crate::metadata::{Metadata, PageHeader, SystemFormat};
use crate::options::ParsedOptions;
use crate::skips::Damage;

/// The first ten bytes of every trace.dat.
pub const MAGIC: &[u8; 10] = b"\x17\x08\x44tracing";

/// Longest version or compression name, bytes.
pub(crate) const MAX_WORD: usize = 64;
/// Largest sub-buffer: the kernel allows at most 2^7 pages of 64 KiB, in bytes.
pub(crate) const MAX_PAGE: u32 = 8 << 20;
/// One CPU's data in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CpuRegion {
    pub(crate) cpu: u32,
    pub(crate) range: Range<usize>,
}

/// One tracing instance's data.
#[derive(Debug, Clone)]
pub(crate) struct BufferLayout {
    pub(crate) name: String,
    pub(crate) clock: Option<String>,
    pub(crate) page_size: u32,
    pub(crate) compressed: bool,
    pub(crate) cpus: Vec<CpuRegion>,
}

/// An opened recording: its metadata is read, its events are not.
pub struct TraceDat<'s> {
    pub(crate) source: &'s dyn ByteSource,
    pub(crate) endian: Endian,
    pub(crate) compression: Compression,
    pub(crate) header: PageHeader,
    pub(crate) metadata: Metadata,
    pub(crate) options: ParsedOptions,
    pub(crate) buffers: Vec<BufferLayout>,
    pub(crate) version: u32,
    pub(crate) page_size: u32,
    pub(crate) cpus: u32,
    pub(crate) tolerant: bool,
    /// Parts that a tolerant read could not use so far.
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) symbols: TextAt,
    pub(crate) printk: TextAt,
}

/// Position of a text that is read when needed.
pub(crate) enum TextAt {
    Nowhere,
    /// Bytes of the file (version 6).
    Here(Range<usize>),
    /// The section of this number at this offset (version 7).
    Section(u16, u64),
}

/// First part of a file, in both versions.
pub(crate) struct Prologue {
    pub(crate) version: u32,
    pub(crate) endian: Endian,
    pub(crate) long_size: u8,
    pub(crate) page_size: u32,
}

impl TraceDat<'_> {
    /// Returns whether a damaged file ends in the data of a CPU. The size of compressed data leaves out four bytes.
    pub(crate) fn is_cut(&self, range: &Range<usize>) -> bool {
        !self.skipped.is_empty() && range.end.saturating_add(4) >= self.source.bytes().len()
    }

    /// Checks that no byte belongs to two CPUs: a small forged file could otherwise represent any number of events.
    pub(crate) fn no_overlaps(&mut self, damage: &mut Damage) -> Result<(), InputError> {
        let mut regions: Vec<&mut CpuRegion> = self
            .buffers
            .iter_mut()
            .flat_map(|buffer| &mut buffer.cpus)
            .collect();
        regions.sort_by_key(|region| (region.range.start, region.range.end));
        let mut taken = 0;
        for region in regions {
            if region.range.is_empty() {
                continue;
            }
            if region.range.start < taken {
                let error = InputError::at_byte(
                    region.range.start as u64,
                    format!(
                        "the data of CPU {} separate from other CPUs' data",
                        region.cpu
                    ),
                    format!("another CPU's data up to byte {taken}"),
                );
                damage.tell(error, Some(region.cpu))?;
                region.range = 0..0;
            }
            taken = taken.max(region.range.end);
        }
        Ok(())
    }

    /// The recording in a few facts.
    #[must_use]
    pub fn info(&self) -> TraceInfo {
        let clock = self.buffers.iter().find_map(|buffer| buffer.clock.clone());
        let mut options = self.options.shown.clone();
        options.offset_ns = self.options.clock.offset;
        options.tsc_to_ns = self.options.clock.tsc;
        let buffers = self
            .buffers
            .iter()
            .enumerate()
            .map(|(index, buffer)| BufferInfo {
                index: index as u8,
                name: buffer.name.clone(),
                clock: buffer.clock.clone(),
            });
        let mut buffers: Vec<BufferInfo> = buffers.collect();
        if buffers.is_empty() {
            buffers.push(BufferInfo {
                index: 0,
                name: String::new(),
                clock: None,
            });
        }
        let clock = clock.or_else(|| self.options.trace_clock.clone());
        let mut notes: Vec<String> = self
            .options
            .notes
            .iter()
            .chain(&self.metadata.notes)
            .cloned()
            .collect();
        if let Some(clock) = clock.as_deref().filter(|clock| self.counts_no_time(clock)) {
            notes.push(format!(
                "the clock {clock:?} does not count nanoseconds: times are its raw counts"
            ));
        }
        TraceInfo {
            version: self.version,
            compression: self.compression.name(),
            endian: self.endian.name(),
            long_size: self.header.long_size,
            page_size: self.page_size,
            clock,
            kernel: self.options.uname.clone(),
            cpus: self.cpus,
            formats: self.metadata.formats.len(),
            buffers,
            options,
            notes,
        }
    }

    /// Returns whether any recorded event shows an address as a function; of the tracer's own events the stacks count, the
    /// others only show their caller.
    pub(crate) fn names_functions(&self, counts: &[EventCount]) -> bool {
        let formats = self.metadata.formats.iter();
        let names = |entry: &&SystemFormat| match entry.system.as_str() {
            "ftrace" => entry.format.name == "kernel_stack",
            _ => entry.format.shows_functions(),
        };
        let naming: BTreeSet<u32> = formats.filter(names).map(|entry| entry.format.id).collect();
        counts.iter().any(|count| naming.contains(&count.id))
    }

    /// Returns whether a clock's timestamps count other units than ns. Rejects a recording whose clock does not count time.
    pub(crate) fn counts_time(&self) -> Result<(), InputError> {
        match self.info().clock {
            Some(clock) if self.counts_no_time(&clock) => Err(InputError::at_byte(
                0,
                "a trace clock that counts ns (trace-cmd record -C mono)",
                format!("the clock {clock:?}, whose unit is not known"),
            )),
            _ => Ok(()),
        }
    }

    fn counts_no_time(&self, clock: &str) -> bool {
        match clock {
            "counter" => true,
            "x86-tsc" | "ppc-tb" => self.options.clock.tsc.is_none(),
            _ => false,
        }
    }

    /// Tasks and their processes, as the kernel had them when the recording ended.
    pub(crate) fn saved_tgids(&self) -> &[(i32, i32)] {
        &self.options.saved_tgids
    }

    /// Task names saved by the recorder: pid and comm.
    #[must_use]
    pub fn saved_comms(&self) -> &[(i32, String)] {
        &self.metadata.comms
    }
}

impl Prologue {
    pub(crate) fn read(data: &mut Cursor<'_>) -> Result<Self, InputError> {
        data.expect(MAGIC, "the trace.dat magic 17 08 44 \"tracing\"")?;
        let here = data.clone();
        let version = data.string(MAX_WORD, "the file version")?;
        let version = match version.as_str() {
            "6" => 6,
            "7" => 7,
            other => {
                return Err(here.error("trace.dat version 6 or 7", format!("version {other:?}")));
            }
        };
        let here = data.clone();
        let endian = match data.u8("the byte order")? {
            0 => Endian::Little,
            1 => Endian::Big,
            other => return Err(here.error("byte order 0 (little) or 1 (big)", other.to_string())),
        };
        let here = data.clone();
        let long_size = data.u8("the size of a long")?;
        if !matches!(long_size, 4 | 8) {
            return Err(here.error("a long of 4 or 8 bytes", long_size.to_string()));
        }
        let mut ordered = data.clone().with_endian(endian);
        let page_size = ordered.u32("the page size")?;
        data.take(4, "the page size")?;
        if !(64..=MAX_PAGE).contains(&page_size) {
            return Err(ordered.error(
                format!("a page size of 64 to {MAX_PAGE} bytes"),
                page_size.to_string(),
            ));
        }
        Ok(Self {
            version,
            endian,
            long_size,
            page_size,
        })
    }
}

/// Reads one option after its number.
pub(crate) fn option(
    data: &mut Cursor<'_>,
    id: u16,
    options: &mut ParsedOptions,
    sectioned: bool,
) -> Result<(), InputError> {
    let size = data.u32("an option's size")?;
    options.apply(id, data.part(u64::from(size), "an option")?, sectioned)
}

/// A CPU's data must lie within the file: where it does not, the file was cut, and a tolerant reading takes what is
/// left.
pub(crate) fn region(
    source: &dyn ByteSource,
    cpu: u32,
    offset: u64,
    size: u64,
    damage: &mut Damage,
) -> Result<Range<usize>, InputError> {
    let length = source.bytes().len() as u64;
    if size == 0 {
        return Ok(0..0);
    }
    match offset.checked_add(size) {
        Some(end) if end <= length => Ok(offset as usize..end as usize),
        _ => {
            let error = InputError::at_byte(
                length,
                format!("the data of CPU {cpu}, {size} bytes from byte {offset} on"),
                "the end of the file",
            );
            damage.tell(error, Some(cpu))?;
            Ok(offset.min(length) as usize..length as usize)
        }
    }
}

pub(crate) fn beyond(source: &dyn ByteSource, offset: u64, what: &str) -> InputError {
    InputError::at_byte(
        source.bytes().len() as u64,
        format!("{what} at byte {offset}"),
        "the end of the file",
    )
}
