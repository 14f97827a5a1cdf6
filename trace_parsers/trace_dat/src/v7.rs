//! Version 7: sections found through options.

use std::collections::BTreeSet;

use numalens_columns::{ByteSource, InputError};
use numalens_event_format::Endian;

use crate::compression::{Compression, MAX_SECTION};
use crate::cursor::Cursor;
use crate::layout::{BufferLayout, CpuRegion, MAX_PAGE, Prologue, beyond, option, region};
use crate::metadata::Metadata;
use crate::options::{
    BUFFER, BufferOption, CMDLINES, EVENT_FORMATS, FTRACE_EVENTS, HEADER_INFO, ParsedOptions,
};
use crate::skips::Damage;

/// Most option sections in a chain.
const MAX_OPTION_SECTIONS: usize = 4096;
/// Section flag: its data is compressed.
const COMPRESSED: u16 = 1;

/// A section's head.
pub(crate) struct SectionHead {
    pub(crate) id: u16,
    pub(crate) compressed: bool,
    pub(crate) size: u64,
}

/// Access to the sections of a version 7 file.
pub(crate) struct Sections<'s> {
    pub(crate) source: &'s dyn ByteSource,
    pub(crate) endian: Endian,
    pub(crate) compression: Compression,
}

impl<'s> Sections<'s> {
    /// A cursor at an offset that the file names.
    pub(crate) fn at(&self, offset: u64, what: &str) -> Result<Cursor<'s>, InputError> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|at| self.source.bytes().get(at..));
        rest.map(|rest| Cursor::new(rest, offset, self.endian))
            .ok_or_else(|| beyond(self.source, offset, what))
    }

    /// Reads the head of any section and leaves the cursor after it.
    pub(crate) fn any_head(data: &mut Cursor<'s>) -> Result<SectionHead, InputError> {
        let id = data.u16("a section's number")?;
        let flags = data.u16("a section's flags")?;
        data.u32("a section's description")?;
        Ok(SectionHead {
            id,
            compressed: flags & COMPRESSED != 0,
            size: data.u64("a section's size")?,
        })
    }

    /// The head of section `id`.
    fn head(data: &mut Cursor<'s>, id: u16) -> Result<SectionHead, InputError> {
        let here = data.clone();
        let head = Self::any_head(data)?;
        if head.id == id {
            Ok(head)
        } else {
            Err(here.error(format!("section {id}"), format!("section {}", head.id)))
        }
    }

    /// Reads a section, inflated when it is compressed.
    fn with<T>(
        &self,
        offset: u64,
        id: u16,
        read: impl FnOnce(&mut Cursor<'_>) -> Result<T, InputError>,
    ) -> Result<T, InputError> {
        let mut data = self.at(offset, "a section")?;
        let head = Self::head(&mut data, id)?;
        if !head.compressed {
            let place = data.place();
            return read(&mut Cursor::new(
                data.take(head.size, "a section")?,
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
            (inflated, MAX_SECTION),
            place,
            &mut bytes,
        )?;
        read(&mut Cursor::inflated(&bytes, place, self.endian))
    }

    /// All options, from section to section. What was read before an error stays in `options`.
    pub(crate) fn follow(
        &self,
        first: u64,
        here: &Cursor<'_>,
        options: &mut ParsedOptions,
        visited: &mut BTreeSet<u64>,
    ) -> Result<(), InputError> {
        let mut next = first;
        loop {
            if !visited.insert(next) || visited.len() > MAX_OPTION_SECTIONS {
                return Err(here.error(
                    "a chain of options that ends",
                    format!("one that returns to byte {next}"),
                ));
            }
            next = self.options(next, options)?;
            if next == 0 {
                return Ok(());
            }
        }
    }

    /// One section of options; gives the offset of the next one, 0 at the end.
    pub(crate) fn options(
        &self,
        offset: u64,
        options: &mut ParsedOptions,
    ) -> Result<u64, InputError> {
        self.with(offset, 0, |data| {
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
                option(data, id, options, true)?;
            }
        })
    }

    /// Page layout, formats and task names; a tolerant reading does with those that can be read.
    pub(crate) fn metadata(
        &self,
        options: &ParsedOptions,
        prologue: &Prologue,
        damage: &mut Damage,
    ) -> Result<Metadata, InputError> {
        let mut metadata = Metadata::default();
        for id in [HEADER_INFO, FTRACE_EVENTS, EVENT_FORMATS, CMDLINES] {
            let Some(&offset) = options.sections.get(&id) else {
                continue;
            };
            let read = self.with(offset, id, |data| match id {
                HEADER_INFO => metadata.header_info(data, prologue.long_size),
                FTRACE_EVENTS => metadata.ftrace_formats(data),
                EVENT_FORMATS => metadata.event_formats(data),
                _ => metadata.saved_comms(data),
            });
            damage.pass(read)?;
        }
        Ok(metadata)
    }

    /// A section that is a text, after its size.
    pub(crate) fn text(&self, id: u16, offset: u64, what: &str) -> Result<Vec<u8>, InputError> {
        self.with(offset, id, |data| {
            let size = data.u32(&format!("the size of {what}"))?;
            Ok(data.take(u64::from(size), what)?.to_vec())
        })
    }

    pub(crate) fn buffer(
        &self,
        buffer: BufferOption,
        page_size: u32,
        damage: &mut Damage,
    ) -> Result<BufferLayout, InputError> {
        let head = self
            .at(buffer.offset, "a buffer's section")
            .and_then(|mut data| {
                let head = Self::head(&mut data, BUFFER)?;
                Ok((head, data))
            });
        let head = damage.pass(head)?;
        // Where the head is damaged, the recording's compression shows what its sections are.
        let compressed = head
            .as_ref()
            .map_or(self.compression != Compression::None, |(head, _)| {
                head.compressed
            });
        let mut size = buffer.page_size.unwrap_or(page_size);
        if !(64..=MAX_PAGE).contains(&size) {
            let place = head.map_or(buffer.offset, |(_, data)| data.place());
            let expected = format!("a sub-buffer of 64 to {MAX_PAGE} bytes");
            damage.tell(InputError::at_byte(place, expected, size.to_string()), None)?;
            size = page_size;
        }
        let mut cpus = Vec::with_capacity(buffer.cpus.len());
        for (cpu, offset, size) in buffer.cpus {
            cpus.push(CpuRegion {
                cpu,
                range: region(self.source, cpu, offset, size, damage)?,
            });
        }
        Ok(BufferLayout {
            name: buffer.name,
            clock: buffer.clock,
            page_size: size,
            compressed,
            cpus,
        })
    }
}
