//! Version 6: everything in one fixed order, the CPUs' data last.

use std::ops::Range;

use numalens_columns::{ByteSource, InputError};

use crate::compression::Compression;
use crate::cursor::Cursor;
use crate::layout::{BufferLayout, CpuRegion, Prologue, TextAt, TraceDat, beyond, option, region};
use crate::metadata::{Metadata, PageHeader};
use crate::options::{BufferOption, ParsedOptions, chosen_clock, cpu_number};
use crate::skips::Damage;

/// Reads everything up to the data. The parts before the CPU table are not stored twice: damage there also ends a tolerant
/// read.
pub(crate) fn open<'s>(
    source: &'s dyn ByteSource,
    mut data: Cursor<'s>,
    prologue: &Prologue,
    damage: &mut Damage,
) -> Result<TraceDat<'s>, InputError> {
    let mut metadata = Metadata::default();
    metadata.header_info(&mut data, prologue.long_size)?;
    metadata.ftrace_formats(&mut data)?;
    metadata.event_formats(&mut data)?;
    let symbols = sized(&mut data, "the kernel's symbols")?;
    let printk = sized(&mut data, "the trace_printk formats")?;
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
        cpus: cpu_table(source, &mut data, cpus, damage)?,
    }];
    if options.clock_follows {
        // Some recorders wrote a damaged clock here; it is a name for people, no reason to refuse the events.
        if let Ok(text) = data.u64("").and_then(|size| data.take(size, "")) {
            options.trace_clock = chosen_clock(&String::from_utf8_lossy(text));
        }
    }
    buffers[0].clock.clone_from(&options.trace_clock);
    for buffer in std::mem::take(&mut options.buffers) {
        let read = instance(source, buffer, prologue, cpus, &options, damage);
        buffers.extend(damage.pass(read)?);
    }
    let header = metadata
        .header
        .unwrap_or(PageHeader::usual(prologue.long_size));
    Ok(TraceDat {
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
        tolerant: false,
        skipped: Vec::new(),
        symbols: TextAt::Here(symbols),
        printk: TextAt::Here(printk),
    })
}

/// Position of a text that follows its size.
fn sized(data: &mut Cursor<'_>, what: &str) -> Result<Range<usize>, InputError> {
    let size = data.u32(&format!("the size of {what}"))?;
    let begin = data.place() as usize;
    data.take(u64::from(size), what)?;
    Ok(begin..begin + size as usize)
}

/// A further tracing instance; its CPU table is elsewhere in the file.
fn instance(
    source: &dyn ByteSource,
    buffer: BufferOption,
    prologue: &Prologue,
    cpus: u32,
    options: &ParsedOptions,
    damage: &mut Damage,
) -> Result<BufferLayout, InputError> {
    let rest = usize::try_from(buffer.offset)
        .ok()
        .and_then(|start| source.bytes().get(start..))
        .ok_or_else(|| beyond(source, buffer.offset, "a buffer's CPU table"))?;
    let mut table = Cursor::new(rest, buffer.offset, prologue.endian);
    let kind = table.take(10, "the mark \"flyrecord\"")?;
    flyrecord(&table, kind)?;
    Ok(BufferLayout {
        name: buffer.name,
        clock: options.trace_clock.clone(),
        page_size: prologue.page_size,
        compressed: false,
        cpus: cpu_table(source, &mut table, cpus, damage)?,
    })
}

fn flyrecord(data: &Cursor<'_>, kind: &[u8]) -> Result<(), InputError> {
    match kind {
        b"flyrecord\0" => Ok(()),
        b"latency  \0" => Err(data.error(
            "binary event data (\"flyrecord\")",
            "a latency text, which has no events",
        )),
        other => Err(data.error(
            "the mark \"flyrecord\"",
            format!("{:?}", String::from_utf8_lossy(other)),
        )),
    }
}

fn cpu_table(
    source: &dyn ByteSource,
    data: &mut Cursor<'_>,
    cpus: u32,
    damage: &mut Damage,
) -> Result<Vec<CpuRegion>, InputError> {
    let mut regions = Vec::new();
    for cpu in 0..cpus {
        let offset = data.u64("a CPU's offset")?;
        let size = data.u64("a CPU's size")?;
        regions.push(CpuRegion {
            cpu,
            range: region(source, cpu, offset, size, damage)?,
        });
    }
    Ok(regions)
}
