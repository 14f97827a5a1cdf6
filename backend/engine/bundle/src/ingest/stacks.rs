//! Samples and stacks in the event tables as the log of stacks.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{ListArray, RecordBatch};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use numalens_columns::Symbols;
use numalens_core::columns::{Texts, i32s, u8s, u32s, u64s};
use numalens_core::{EngineError, FileSink};
use numalens_events::{Batches, Merge, Order, Rows};
use numalens_replay::memory_samples::{
    MEMORY_SAMPLES_FILE, MemorySample, MemorySamplesSummary, MemorySamplesWriter,
};
use numalens_replay::stacks::{
    Context, FrameName, Memory, Sample, SampledEvent, StacksSummary, StacksWriter, chain_of,
    ftrace_frames, perf_frames,
};

use super::decode::Decoded;
use super::files::Folder;
use super::kernel_file::KernelFile;
use super::memory::MemoryColumns;
use super::programs::Programs;
use super::sink::{Written, fullest};
use crate::error::Error;

/// Columns that are looked at.
const COLUMNS: [&str; 19] = [
    "ts_ns",
    "cpu",
    "seq",
    "buffer",
    "common_pid",
    "tid",
    "pid",
    "period",
    "ip",
    "callchain",
    "callchain_symbols",
    "caller",
    "text",
    "common_tgid",
    "data_src",
    "weight",
    "addr",
    "phys_addr",
    "data_page_size",
];
/// ftrace's own event of a stack, which follows the event that it is of.
const KERNEL_STACK: (&str, &str) = ("ftrace", "kernel_stack");

/// Writes the logs of sampled stacks and of memory samples, and returns notes. Without such an event the first is empty and
/// the second is not written. Takes the recordings' mappings. `kernel` is a file of the kernel's functions with its name, for
/// recordings that have none; `programs` name the functions of the mapped files.
pub(super) fn write(
    mut folder: Folder<'_>,
    recordings: &mut [Decoded],
    kernel: Option<(String, Symbols)>,
    mut programs: Programs,
) -> Result<(StacksSummary, MemorySamplesSummary, Vec<String>), Error> {
    let mut kernel = KernelFile::new(kernel);
    let mut events = Events::default();
    let (mut tables, mut memories) = (Vec::new(), Vec::new());
    for (place, recording) in recordings.iter_mut().enumerate() {
        let functions = kernel.functions(recording);
        let mappings = std::mem::take(&mut recording.mappings);
        let files = programs.of(&mappings);
        memories.push(Memory::new(functions, mappings, files));
        for table in &recording.tables {
            if let Some(found) = SampleTable::of(folder, recording, table, place, &mut events)? {
                tables.push(found);
            }
        }
    }
    let mut writer = StacksWriter::new(&mut folder)?;
    let mut memory_samples = None;
    let mut merge = Merge::new(tables)?;
    let (mut order, mut chain, mut frames) = (Order::default(), Vec::new(), Vec::new());
    while let Some((time, row)) = merge.next_row()? {
        let time = order.take(time);
        let Some(row) = row else { continue };
        if let Some(sample) = row.memory {
            let log = match &mut memory_samples {
                Some(log) => log,
                none => none.insert(MemorySamplesWriter::new(FileSink::create(
                    &mut folder,
                    MEMORY_SAMPLES_FILE,
                )?)?),
            };
            log.push(&MemorySample {
                ts_ns: time,
                ..sample
            })?;
        }
        frames.clear();
        let memory = &mut memories[row.recording];
        memory.advance(time);
        let cut = row.frames(memory, &mut writer, &mut chain, &mut frames);
        events.list[row.event as usize].samples += 1;
        let sample = Sample {
            ts_ns: time,
            cpu: row.cpu,
            pid: row.tid,
            event: row.event,
            callsite: None,
            truncated: cut,
            weight: row.weight,
        };
        writer.push(sample, &frames)?;
    }
    let mut summary = writer.finish(events.list, &mut folder)?;
    summary.take_unnamed(&memories);
    let memory_samples = memory_samples
        .map(MemorySamplesWriter::finish)
        .transpose()?;
    Ok((
        summary,
        memory_samples.unwrap_or_default(),
        [kernel.notes, programs.notes()].concat(),
    ))
}

/// The sampled events, each once.
#[derive(Default)]
struct Events {
    list: Vec<SampledEvent>,
}

impl Events {
    fn number(&mut self, system: &str, event: &str, weighted: bool) -> u32 {
        let mut known = self.list.iter();
        let at = known.position(|known| known.system == system && known.event == event);
        let at = at.unwrap_or_else(|| {
            self.list.push(SampledEvent {
                system: system.to_owned(),
                event: event.to_owned(),
                weighted,
                samples: 0,
            });
            self.list.len() - 1
        });
        self.list[at].weighted &= weighted;
        at as u32
    }
}

/// Position of a table's stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// perf's addresses, or names where a text has them.
    Chain,
    /// Only the address that was sampled.
    Ip,
    /// The details of a line of `perf script`: that address with its name.
    Line,
    /// ftrace's addresses or lines.
    Caller,
}

/// A table of samples, read in order.
struct SampleTable {
    recording: usize,
    input: u32,
    buffer: u8,
    kept: Kept,
    /// perf's own event: the columns of its task are others.
    perf: bool,
    event: u32,
    /// Ranks of ftrace's stacks, ascending, each with the event that it is of.
    owners: Vec<(u64, u32)>,
    batches: Batches<'static>,
    batch: Option<Batch>,
    at: usize,
}

struct Batch {
    rows: usize,
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    cpu: ScalarBuffer<u32>,
    buffer: ScalarBuffer<u8>,
    tid: Option<ScalarBuffer<i32>>,
    process: Option<ScalarBuffer<i32>>,
    period: Option<ScalarBuffer<u64>>,
    ip: Option<ScalarBuffer<u64>>,
    addresses: Option<(OffsetBuffer<i32>, ScalarBuffer<u64>)>,
    texts: Option<Texts>,
    memory: Option<MemoryColumns>,
}

/// A sample in its batch.
struct Row<'a> {
    recording: usize,
    event: u32,
    cpu: u32,
    tid: i32,
    process: Option<i32>,
    weight: u64,
    kept: Kept,
    ip: Option<u64>,
    addresses: &'a [u64],
    text: Option<&'a str>,
    memory: Option<MemorySample>,
}

impl Row<'_> {
    /// Frames by number, the innermost first; and whether some were left out.
    fn frames(
        &self,
        memory: &mut Memory,
        writer: &mut StacksWriter,
        chain: &mut Vec<(Context, u64)>,
        frames: &mut Vec<Option<u32>>,
    ) -> bool {
        let mut named = |frame: FrameName<'_>| frames.push(writer.frames.number(frame));
        match (self.kept, self.text) {
            (Kept::Chain, Some(text)) => perf_frames(text, self.addresses, named),
            (Kept::Caller, Some(text)) => ftrace_frames(text, named),
            (Kept::Line, Some(text)) => {
                let line = text.trim();
                let (address, symbol) = line.split_once(' ').unwrap_or((line, ""));
                if let Ok(address) = u64::from_str_radix(address, 16) {
                    let symbol = if symbol.is_empty() {
                        "[unknown] ([unknown])"
                    } else {
                        symbol
                    };
                    perf_frames(&symbol.replace(';', ":"), &[address], &mut named);
                }
            }
            _ => {
                let cut = match (self.kept, self.ip) {
                    (Kept::Ip, Some(ip)) => chain_of(&[ip], chain),
                    (Kept::Caller, _) => {
                        // What the kernel did not fill ends the stack; all of it is its own.
                        let end = self
                            .addresses
                            .iter()
                            .position(|&it| it == 0 || it == u64::MAX);
                        let held = &self.addresses[..end.unwrap_or(self.addresses.len())];
                        let cut = chain_of(held, chain);
                        for frame in chain.iter_mut() {
                            frame.0 = Context::Kernel;
                        }
                        cut
                    }
                    _ => chain_of(self.addresses, chain),
                };
                for &place in &*chain {
                    let frame = memory.frame(&mut writer.frames, place, self.tid, self.process);
                    frames.push(frame);
                }
                return cut;
            }
        }
        false
    }
}

impl SampleTable {
    /// The table as one of samples; `None` when it has none.
    fn of(
        folder: Folder<'_>,
        recording: &Decoded,
        table: &Written,
        place: usize,
        events: &mut Events,
    ) -> Result<Option<Self>, Error> {
        let Some((buffer, _)) = fullest(table) else {
            return Ok(None);
        };
        let file = folder.open(&table.file, None)?;
        let has = |name: &str| file.schema().index_of(name).is_ok();
        let perf = table.system == "perf";
        let kept = if (table.system.as_str(), table.event.as_str()) == KERNEL_STACK {
            Kept::Caller
        } else if has("callchain") {
            Kept::Chain
        } else if perf && has("ip") {
            // A text shows the name of the address behind it.
            if has("text") { Kept::Line } else { Kept::Ip }
        } else {
            return Ok(None);
        };
        let event = events.number(&table.system, &table.event, has("period"));
        let owners = if kept == Kept::Caller {
            owners(folder, recording, table, buffer, events)?
        } else {
            Vec::new()
        };
        let file = folder.open(&table.file, Some(&COLUMNS))?;
        Ok(Some(Self {
            recording: place,
            input: recording.input,
            buffer,
            kept,
            perf,
            event,
            owners,
            batches: folder.ahead(file),
            batch: None,
            at: 0,
        }))
    }
}

impl Rows for SampleTable {
    type Row<'r> = Option<Row<'r>>;

    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        loop {
            if let Some(batch) = &self.batch {
                while self.at < batch.rows {
                    if batch.buffer[self.at] == self.buffer {
                        return Ok(Some(batch.ts[self.at]));
                    }
                    self.at += 1;
                }
            }
            self.batch = None;
            self.at = 0;
            let Some(next) = self.batches.next().transpose()? else {
                return Ok(None);
            };
            self.batch = Batch::find(&next, self.perf, self.kept);
        }
    }

    fn rank(&self) -> (u32, u64) {
        let seq = self.batch.as_ref().and_then(|batch| batch.seq.get(self.at));
        (self.input, seq.copied().unwrap_or(u64::MAX))
    }

    fn row(&mut self) -> Option<Row<'_>> {
        let (batch, at) = (self.batch.as_ref()?, self.at);
        let of = |column: &Option<ScalarBuffer<i32>>| column.as_ref().map(|column| column[at]);
        let addresses = batch.addresses.as_ref().map_or(&[][..], |(ends, values)| {
            let range = ends[at] as usize..ends[at + 1] as usize;
            values.get(range).unwrap_or_default()
        });
        let owner = self
            .owners
            .binary_search_by_key(&batch.seq[at], |owner| owner.0);
        let owner = owner.ok().map(|place| self.owners[place].1);
        let tid = of(&batch.tid).unwrap_or(-1);
        let memory = batch.memory.as_ref();
        Some(Row {
            recording: self.recording,
            event: owner.unwrap_or(self.event),
            cpu: batch.cpu[at],
            tid,
            process: of(&batch.process),
            weight: batch.period.as_ref().map_or(1, |periods| periods[at]),
            kept: self.kept,
            ip: batch.ip.as_ref().map(|ips| ips[at]),
            addresses,
            text: batch
                .texts
                .as_ref()
                .map(|texts| std::str::from_utf8(texts.get(at)).unwrap_or_default()),
            memory: memory.and_then(|memory| memory.sample(at, batch.cpu[at], tid)),
        })
    }

    fn consume(&mut self) {
        self.at += 1;
    }
}

impl Batch {
    fn find(batch: &RecordBatch, perf: bool, kept: Kept) -> Option<Self> {
        let (tid, process) = if perf {
            ("tid", "pid")
        } else {
            ("common_pid", "common_tgid")
        };
        let (addresses, text) = match kept {
            Kept::Chain => ("callchain", "callchain_symbols"),
            Kept::Caller => ("caller", "caller"),
            Kept::Line => ("", "text"),
            Kept::Ip => ("", ""),
        };
        Some(Self {
            rows: batch.num_rows(),
            ts: u64s(batch, "ts_ns")?,
            seq: u64s(batch, "seq")?,
            cpu: u32s(batch, "cpu")?,
            buffer: u8s(batch, "buffer")?,
            tid: i32s(batch, tid),
            process: i32s(batch, process),
            period: u64s(batch, "period"),
            ip: u64s(batch, "ip"),
            addresses: batch
                .column_by_name(addresses)
                .and_then(|column| column.as_list_opt::<i32>())
                .and_then(numbers),
            texts: Texts::find(batch, text),
            memory: perf.then(|| MemoryColumns::find(batch)).flatten(),
        })
    }
}

/// Ends and values of lists of addresses, in 64 bits on every machine.
fn numbers(list: &ListArray) -> Option<(OffsetBuffer<i32>, ScalarBuffer<u64>)> {
    let values = list.values();
    let wide = values.as_primitive_opt::<UInt64Type>();
    let values = if let Some(values) = wide {
        values.values().clone()
    } else {
        let narrow = values.as_primitive_opt::<UInt32Type>()?;
        narrow.values().iter().map(|&value| value.into()).collect()
    };
    Some((list.offsets().clone(), values))
}

/// The event that each stack of a tracing instance is of, by the stack's rank: the last one of its CPU before it.
fn owners(
    folder: Folder<'_>,
    recording: &Decoded,
    stacks: &Written,
    buffer: u8,
    events: &mut Events,
) -> Result<Vec<(u64, u32)>, Error> {
    const PLACE: [&str; 3] = ["cpu", "seq", "buffer"];
    /// Rank of a stack, that of its event, and the event.
    type Found = (u64, Option<(u64, u32)>);
    let mut found: HashMap<u32, Vec<Found>> = HashMap::new();
    each_place(folder, &stacks.file, buffer, &PLACE, |cpu, seq| {
        found.entry(cpu).or_default().push((seq, None));
    })?;
    for stacks in found.values_mut() {
        stacks.sort_unstable_by_key(|stack| stack.0);
    }
    for table in &recording.tables {
        if table.system == "ftrace" && matches!(table.event.as_str(), "kernel_stack" | "user_stack")
        {
            continue;
        }
        let mut number = None;
        each_place(folder, &table.file, buffer, &PLACE, |cpu, seq| {
            let Some(stacks) = found.get_mut(&cpu) else {
                return;
            };
            let next = stacks.partition_point(|stack| stack.0 < seq);
            let Some((_, owner)) = stacks.get_mut(next) else {
                return;
            };
            if owner.is_none_or(|(known, _)| known < seq) {
                let event = *number
                    .get_or_insert_with(|| events.number(&table.system, &table.event, false));
                *owner = Some((seq, event));
            }
        })?;
    }
    let found = found.into_values().flatten();
    let mut owners: Vec<(u64, u32)> = found
        .filter_map(|(seq, owner)| Some((seq, owner?.1)))
        .collect();
    owners.sort_unstable_by_key(|owner| owner.0);
    Ok(owners)
}

/// CPU and rank of the rows of a tracing instance.
fn each_place(
    folder: Folder<'_>,
    file: &str,
    buffer: u8,
    columns: &[&str],
    mut visit: impl FnMut(u32, u64),
) -> Result<(), Error> {
    for batch in folder.batches(file, Some(columns))? {
        let batch = batch?;
        let columns = (
            u32s(&batch, "cpu"),
            u64s(&batch, "seq"),
            u8s(&batch, "buffer"),
        );
        if let (Some(cpus), Some(seqs), Some(buffers)) = columns {
            for row in (0..batch.num_rows()).filter(|&row| buffers[row] == buffer) {
                visit(cpus[row], seqs[row]);
            }
        }
    }
    Ok(())
}
