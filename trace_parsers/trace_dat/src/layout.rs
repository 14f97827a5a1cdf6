//! Where everything stands in a file: versions 6 (one fixed order) and 7 (sections found through options).

use std::collections::BTreeSet;
use std::ops::Range;

use numalens_columns::{ByteSource, InputError};
use numalens_event_format::Endian;

use crate::compression::Compression;
use crate::cursor::Cursor;
use crate::info::{BufferInfo, TraceInfo};
use crate::metadata::{Metadata, PageHeader};
use crate::options::{
    BufferOption, CMDLINES, EVENT_FORMATS, FTRACE_EVENTS, HEADER_INFO, ParsedOptions, chosen_clock,
    cpu_number,
};

/// The first ten bytes of every trace.dat.
pub const MAGIC: &[u8; 10] = b"\x17\x08\x44tracing";

/// Longest version or compression name, bytes.
const MAX_WORD: usize = 64;
/// Largest sub-buffer: the kernel allows at most 2^7 pages of 64 KiB, in bytes.
const MAX_PAGE: u32 = 8 << 20;
/// Most option sections in a chain.
const MAX_OPTION_SECTIONS: usize = 4096;
/// Section flag: its data is compressed.
const COMPRESSED: u16 = 1;

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
    version: u32,
    page_size: u32,
    cpus: u32,
}

/// What stands before anything else, in both versions.
struct Prologue {
    version: u32,
    endian: Endian,
    long_size: u8,
    page_size: u32,
}

impl<'s> TraceDat<'s> {
    /// Reads the metadata of a recording.
    ///
    /// # Errors
    /// The input is no trace.dat, is damaged, or ends early.
    pub fn open(source: &'s dyn ByteSource) -> Result<Self, InputError> {
        let mut data = Cursor::new(source.bytes(), 0, Endian::Little);
        let prologue = Prologue::read(&mut data)?;
        data = data.with_endian(prologue.endian);
        if prologue.version == 6 {
            Self::open_v6(source, data, &prologue)
        } else {
            Self::open_v7(source, data, &prologue)
        }
    }

    fn open_v6(
        source: &'s dyn ByteSource,
        mut data: Cursor<'s>,
        prologue: &Prologue,
    ) -> Result<Self, InputError> {
        let mut metadata = Metadata::default();
        metadata.header_info(&mut data, prologue.long_size)?;
        metadata.ftrace_formats(&mut data)?;
        metadata.event_formats(&mut data)?;
        for what in ["the kernel's symbols", "the trace_printk formats"] {
            let size = data.u32(&format!("the size of {what}"))?;
            data.take(u64::from(size), what)?;
        }
        metadata.saved_comms(&mut data)?;

        let mut cpus = cpu_number(&mut data, "the CPU count")?;
        let mut options = ParsedOptions::default();
        let mut kind = data.take(10, "the mark of the next part")?;
        if kind == b"options  \0" {
            loop {
                let id = data.u16("an option's number")?;
                if id == 0 {
                    break;
                }
                option(&mut data, id, &mut options, false)?;
            }
            cpus = options.cpu_count.unwrap_or(cpus);
            kind = data.take(10, "the mark of the next part")?;
        }
        flyrecord(&data, kind)?;
        let mut buffers = vec![BufferLayout {
            name: String::new(),
            clock: None,
            page_size: prologue.page_size,
            compressed: false,
            cpus: v6_cpu_table(source, &mut data, cpus)?,
        }];
        if options.clock_follows {
            // Some recorders wrote a damaged clock here; it is a name for people, no reason to refuse the events.
            if let Ok(text) = data.u64("").and_then(|size| data.take(size, "")) {
                options.trace_clock = chosen_clock(&String::from_utf8_lossy(text));
            }
        }
        buffers[0].clock.clone_from(&options.trace_clock);
        for buffer in std::mem::take(&mut options.buffers) {
            let bytes = source.bytes();
            let start = usize::try_from(buffer.offset)
                .ok()
                .filter(|&at| at <= bytes.len());
            let Some(start) = start else {
                return Err(beyond(source, buffer.offset, "a buffer's CPU table"));
            };
            let mut table = Cursor::new(&bytes[start..], buffer.offset, prologue.endian);
            let kind = table.take(10, "the mark \"flyrecord\"")?;
            flyrecord(&table, kind)?;
            buffers.push(BufferLayout {
                name: buffer.name,
                clock: options.trace_clock.clone(),
                page_size: prologue.page_size,
                compressed: false,
                cpus: v6_cpu_table(source, &mut table, cpus)?,
            });
        }
        let header = metadata
            .header
            .unwrap_or(PageHeader::usual(prologue.long_size));
        Ok(Self {
            source,
            endian: prologue.endian,
            compression: Compression::None,
            header,
            metadata,
            options,
            buffers,
            version: 6,
            page_size: prologue.page_size,
            cpus,
        })
    }

    fn open_v7(
        source: &'s dyn ByteSource,
        mut data: Cursor<'s>,
        prologue: &Prologue,
    ) -> Result<Self, InputError> {
        let here = data.clone();
        let name = data.string(MAX_WORD, "the compression's name")?;
        let compression = Compression::by_name(&name)
            .ok_or_else(|| here.error("compression none, zlib or zstd", format!("{name:?}")))?;
        data.string(MAX_WORD, "the compression's version")?;
        let first = data.u64("the offset of the first options")?;
        let sections = Sections {
            source,
            endian: prologue.endian,
            compression,
        };
        let mut options = sections.options(first, &data)?;

        let mut metadata = Metadata::default();
        if let Some(&offset) = options.sections.get(&HEADER_INFO) {
            sections.with(offset, HEADER_INFO, |data| {
                metadata.header_info(data, prologue.long_size)
            })?;
        }
        if let Some(&offset) = options.sections.get(&FTRACE_EVENTS) {
            sections.with(offset, FTRACE_EVENTS, |data| metadata.ftrace_formats(data))?;
        }
        if let Some(&offset) = options.sections.get(&EVENT_FORMATS) {
            sections.with(offset, EVENT_FORMATS, |data| metadata.event_formats(data))?;
        }
        if let Some(&offset) = options.sections.get(&CMDLINES) {
            sections.with(offset, CMDLINES, |data| metadata.saved_comms(data))?;
        }
        let described = std::mem::take(&mut options.buffers);
        let mut buffers = Vec::with_capacity(described.len());
        for buffer in described {
            buffers.push(sections.buffer(buffer, prologue.page_size)?);
        }
        // The top level is index 0 wherever its option stands.
        buffers.sort_by_key(|buffer| !buffer.name.is_empty());
        let cpus = options.cpu_count.unwrap_or_else(|| {
            buffers
                .iter()
                .flat_map(|buffer| &buffer.cpus)
                .map(|region| region.cpu + 1)
                .max()
                .unwrap_or(0)
        });
        let header = metadata
            .header
            .unwrap_or(PageHeader::usual(prologue.long_size));
        Ok(Self {
            source,
            endian: prologue.endian,
            compression,
            header,
            metadata,
            options,
            buffers,
            version: 7,
            page_size: prologue.page_size,
            cpus,
        })
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
                cpus: buffer.cpus.len(),
            });
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
                "the clock {clock:?} counts no nanoseconds: times are its raw counts"
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
            buffers: buffers.collect(),
            options,
            notes,
        }
    }

    /// Whether a clock's stamps are counts of something else than ns.
    fn counts_no_time(&self, clock: &str) -> bool {
        match clock {
            "counter" => true,
            "x86-tsc" | "ppc-tb" => self.options.clock.tsc.is_none(),
            _ => false,
        }
    }

    /// Task names saved by the recorder: pid and comm.
    #[must_use]
    pub fn saved_comms(&self) -> &[(i32, String)] {
        &self.metadata.comms
    }
}

impl Prologue {
    fn read(data: &mut Cursor<'_>) -> Result<Self, InputError> {
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

/// Access to the sections of a version 7 file.
struct Sections<'s> {
    source: &'s dyn ByteSource,
    endian: Endian,
    compression: Compression,
}

impl<'s> Sections<'s> {
    /// A cursor at an offset that the file names.
    fn at(&self, offset: u64, what: &str) -> Result<Cursor<'s>, InputError> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|at| self.source.bytes().get(at..));
        rest.map(|rest| Cursor::new(rest, offset, self.endian))
            .ok_or_else(|| beyond(self.source, offset, what))
    }

    /// A section's flags and size; the cursor stands behind its head.
    fn head(data: &mut Cursor<'s>, id: u16) -> Result<(u16, u64), InputError> {
        let here = data.clone();
        let found = data.u16("a section's number")?;
        if found != id {
            return Err(here.error(format!("section {id}"), format!("section {found}")));
        }
        let flags = data.u16("a section's flags")?;
        data.u32("a section's description")?;
        Ok((flags, data.u64("a section's size")?))
    }

    /// Reads a section, inflated when it is compressed.
    fn with<T>(
        &self,
        offset: u64,
        id: u16,
        read: impl FnOnce(&mut Cursor<'_>) -> Result<T, InputError>,
    ) -> Result<T, InputError> {
        let mut data = self.at(offset, "a section")?;
        let (flags, size) = Self::head(&mut data, id)?;
        if flags & COMPRESSED == 0 {
            let place = data.place();
            return read(&mut Cursor::new(
                data.take(size, "a section")?,
                place,
                self.endian,
            ));
        }
        let compressed = data.u32("a section's compressed size")?;
        let inflated = data.u32("a section's size after decompression")?;
        let place = data.place();
        let mut bytes = Vec::new();
        self.compression.inflate(
            data.take(u64::from(compressed), "a compressed section")?,
            inflated,
            place,
            &mut bytes,
        )?;
        read(&mut Cursor::inflated(&bytes, place, self.endian))
    }

    /// All options, from section to section.
    fn options(&self, first: u64, here: &Cursor<'_>) -> Result<ParsedOptions, InputError> {
        let mut options = ParsedOptions::default();
        let mut visited = BTreeSet::new();
        let mut next = first;
        loop {
            if !visited.insert(next) || visited.len() > MAX_OPTION_SECTIONS {
                return Err(here.error(
                    "a chain of options that ends",
                    format!("one that returns to byte {next}"),
                ));
            }
            next = self.with(next, 0, |data| {
                loop {
                    let id = data.u16("an option's number")?;
                    if id == 0 {
                        let size = data.u32("an option's size")?;
                        return if size >= 8 {
                            data.u64("the offset of the next options")
                        } else {
                            Ok(0)
                        };
                    }
                    option(data, id, &mut options, true)?;
                }
            })?;
            if next == 0 {
                return Ok(options);
            }
        }
    }

    fn buffer(&self, buffer: BufferOption, page_size: u32) -> Result<BufferLayout, InputError> {
        const BUFFER: u16 = 3;
        let mut data = self.at(buffer.offset, "a buffer's section")?;
        let (flags, _) = Self::head(&mut data, BUFFER)?;
        let page_size = buffer.page_size.unwrap_or(page_size);
        if !(64..=MAX_PAGE).contains(&page_size) {
            return Err(data.error(
                format!("a sub-buffer of 64 to {MAX_PAGE} bytes"),
                page_size.to_string(),
            ));
        }
        let mut cpus = Vec::with_capacity(buffer.cpus.len());
        for (cpu, offset, size) in buffer.cpus {
            cpus.push(CpuRegion {
                cpu,
                range: region(self.source, cpu, offset, size)?,
            });
        }
        Ok(BufferLayout {
            name: buffer.name,
            clock: buffer.clock,
            page_size,
            compressed: flags & COMPRESSED != 0,
            cpus,
        })
    }
}

/// Reads one option behind its number.
fn option(
    data: &mut Cursor<'_>,
    id: u16,
    options: &mut ParsedOptions,
    sectioned: bool,
) -> Result<(), InputError> {
    let size = data.u32("an option's size")?;
    options.apply(id, data.part(u64::from(size), "an option")?, sectioned)
}

fn flyrecord(data: &Cursor<'_>, kind: &[u8]) -> Result<(), InputError> {
    match kind {
        b"flyrecord\0" => Ok(()),
        b"latency  \0" => Err(data.error(
            "binary event data (\"flyrecord\")",
            "a latency text, which holds no events",
        )),
        other => Err(data.error(
            "the mark \"flyrecord\"",
            format!("{:?}", String::from_utf8_lossy(other)),
        )),
    }
}

fn v6_cpu_table(
    source: &dyn ByteSource,
    data: &mut Cursor<'_>,
    cpus: u32,
) -> Result<Vec<CpuRegion>, InputError> {
    let mut regions = Vec::new();
    for cpu in 0..cpus {
        let offset = data.u64("a CPU's offset")?;
        let size = data.u64("a CPU's size")?;
        regions.push(CpuRegion {
            cpu,
            range: region(source, cpu, offset, size)?,
        });
    }
    Ok(regions)
}

/// A CPU's data must lie within the file: where it does not, the file was cut.
fn region(
    source: &dyn ByteSource,
    cpu: u32,
    offset: u64,
    size: u64,
) -> Result<Range<usize>, InputError> {
    let length = source.bytes().len() as u64;
    if size == 0 {
        return Ok(0..0);
    }
    match offset.checked_add(size) {
        Some(end) if end <= length => Ok(offset as usize..end as usize),
        _ => Err(InputError::at_byte(
            length,
            format!("the data of CPU {cpu}, {size} bytes from byte {offset} on"),
            "the end of the file",
        )),
    }
}

fn beyond(source: &dyn ByteSource, offset: u64, what: &str) -> InputError {
    InputError::at_byte(
        source.bytes().len() as u64,
        format!("{what} at byte {offset}"),
        "the end of the file",
    )
}
