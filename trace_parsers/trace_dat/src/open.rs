//! The opening of a recording of either version, and the texts that it has besides events.

use std::collections::{BTreeMap, BTreeSet};

use numalens_columns::{ByteSource, InputError, ReadOptions, Symbols};
use numalens_event_format::Endian;
use numalens_event_format::printk::Printk;

use crate::compression::Compression;
use crate::cursor::Cursor;
use crate::layout::{MAX_WORD, Prologue, TextAt, TraceDat};
use crate::metadata::PageHeader;
use crate::options::{KALLSYMS, PRINTK, ParsedOptions};
use crate::printed::Lines;
use crate::recover;
use crate::skips::Damage;
use crate::v6;
use crate::v7::Sections;

/// Unit of the trace clock `uptime`: jiffies as user space has them, 100 a second (`trace_clock_jiffies`,
/// `kernel/trace/trace_clock.c`; `USER_HZ`).
const UPTIME_NS: u64 = 10_000_000;

impl<'s> TraceDat<'s> {
    /// Reads the metadata of a recording.
    ///
    /// # Errors
    /// The input is not a trace.dat, is damaged, or ends early.
    pub fn open(source: &'s dyn ByteSource) -> Result<Self, InputError> {
        Self::open_with(source, &ReadOptions::default())
    }

    /// As [`TraceDat::open`], but a tolerant read continues if enough is left. Events of a version 7 file are found without
    /// the options lost at a cut, later damage is left out, and [`TraceDat::decode`] reports all of this to its sink.
    ///
    /// # Errors
    /// The input is not a trace.dat, or a part needed for all events is damaged.
    pub fn open_with(
        source: &'s dyn ByteSource,
        options: &ReadOptions,
    ) -> Result<Self, InputError> {
        let mut data = Cursor::new(source.bytes(), 0, Endian::Little);
        let prologue = Prologue::read(&mut data)?;
        data = data.with_endian(prologue.endian);
        let mut damage = Damage::new(options.tolerant, source.bytes().len());
        let mut trace = if prologue.version == 6 {
            v6::open(source, data, &prologue, &mut damage)?
        } else {
            open_v7(source, data, &prologue, &mut damage)?
        };
        trace.no_overlaps(&mut damage)?;
        let clock = trace
            .buffers
            .iter()
            .find_map(|buffer| buffer.clock.as_deref());
        if clock.or(trace.options.trace_clock.as_deref()) == Some("uptime") {
            trace.options.clock.unit_ns = Some(UPTIME_NS);
        }
        if let Some(error) = damage.first().filter(|_| trace.metadata.formats.is_empty()) {
            // Without any format no event can be distinguished from another.
            return Err(error.clone());
        }
        // An option may say fewer CPUs than have data.
        let regions = trace.buffers.iter().flat_map(|buffer| &buffer.cpus);
        let seen = regions.filter(|region| !region.range.is_empty());
        let seen = seen.map(|region| region.cpu + 1).max().unwrap_or(0);
        trace.cpus = trace.cpus.max(seen);
        trace.tolerant = options.tolerant;
        trace.skipped = damage.skipped;
        Ok(trace)
    }

    /// The kernel's functions and their addresses, as the recorder stored them; there may be none.
    ///
    /// # Errors
    /// They are damaged.
    pub fn symbols(&self) -> Result<Symbols, InputError> {
        self.text(&self.symbols, "the kernel's symbols")
            .map(Symbols::new)
    }

    /// The formats of `trace_printk`, as the recorder stored them; there may be none.
    ///
    /// # Errors
    /// They are damaged.
    pub fn printk(&self) -> Result<Printk, InputError> {
        self.text(&self.printk, "the trace_printk formats")
            .map(|text| Printk::parse(&text))
    }

    /// Returns the inputs of lines; without damaged ones.
    pub(crate) fn lines(&self) -> Lines {
        Lines {
            formats: self.printk().unwrap_or_default(),
            functions: self.symbols().unwrap_or_default().into_functions(),
            endian: self.endian,
            long_size: self.header.long_size,
        }
    }

    fn text(&self, at: &TextAt, what: &str) -> Result<Vec<u8>, InputError> {
        match at {
            TextAt::Nowhere => Ok(Vec::new()),
            TextAt::Here(range) => {
                let text = self.source.bytes().get(range.clone());
                Ok(text.unwrap_or_default().to_vec())
            }
            TextAt::Section(id, offset) => {
                let sections = Sections {
                    source: self.source,
                    endian: self.endian,
                    compression: self.compression,
                };
                sections.text(*id, *offset, what)
            }
        }
    }
}

/// Opens a file of version 7.
fn open_v7<'s>(
    source: &'s dyn ByteSource,
    mut data: Cursor<'s>,
    prologue: &Prologue,
    damage: &mut Damage,
) -> Result<TraceDat<'s>, InputError> {
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
    let mut options = ParsedOptions::default();
    let mut visited = BTreeSet::new();
    let followed = sections.follow(first, &data, &mut options, &mut visited);
    let broken = damage.pass(followed)?.is_none();
    let found = if broken {
        recover::sections(&sections, data.place(), &mut options, &mut visited, damage)?
    } else {
        BTreeMap::new()
    };

    let metadata = sections.metadata(&options, prologue, damage)?;
    let described = std::mem::take(&mut options.buffers);
    let known: BTreeSet<u64> = described.iter().map(|buffer| buffer.offset).collect();
    let mut buffers = Vec::with_capacity(described.len());
    for buffer in described {
        buffers.push(sections.buffer(buffer, prologue.page_size, damage)?);
    }
    // The top level is index 0 wherever its option is.
    buffers.sort_by_key(|buffer| !buffer.name.is_empty());
    recover::buffers(
        &sections,
        &found,
        &known,
        prologue,
        &mut options,
        &mut buffers,
    );
    let cpus = options.cpu_count.unwrap_or_else(|| {
        let regions = buffers.iter().flat_map(|buffer| &buffer.cpus);
        regions.map(|region| region.cpu + 1).max().unwrap_or(0)
    });
    let header = metadata
        .header
        .unwrap_or(PageHeader::usual(prologue.long_size));
    let text = |id| match options.sections.get(&id) {
        Some(&offset) => TextAt::Section(id, offset),
        None => TextAt::Nowhere,
    };
    let (symbols, printk) = (text(KALLSYMS), text(PRINTK));
    Ok(TraceDat {
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
        tolerant: false,
        skipped: Vec::new(),
        symbols,
        printk,
    })
}
