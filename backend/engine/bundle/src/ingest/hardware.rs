//! Log of the CPUs' hardware from events.

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;
use numalens_core::columns::{Texts, i64s, u8s, u32s, u64s};
use numalens_core::topology::MAX_CPUS;
use numalens_core::{EngineError, FileSink};
use numalens_events::{Batches, LostMark, Merge, Order, Rows};
use numalens_replay::hardware::{
    HARDWARE_FILE, HardwareKind, HardwareSummary, HardwareWriter, Level,
};

use super::decode::{Decoded, gaps, marks_of};
use super::files::Folder;
use super::noise::{Of, noise};
use super::sink::fullest;
use crate::error::Error;

/// Columns that are looked at.
const COLUMNS: [&str; 9] = [
    "ts_ns", "cpu", "seq", "buffer", "state", "cpu_id", "irq", "name", "vec",
];
/// The state in which a CPU is not idle: -1 (`PWR_EVENT_EXIT`).
const NOT_IDLE: u32 = u32::MAX;

/// Meaning of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tells {
    Frequency,
    Idle,
    IrqBegin,
    IrqEnd,
    SoftirqBegin,
    SoftirqEnd,
    /// Start of a state that is recorded by others than the kernel's own events.
    Begin(HardwareKind),
    End(HardwareKind),
}

impl Tells {
    fn of(system: &str, event: &str) -> Option<Self> {
        Some(match (system, event) {
            ("power", "cpu_frequency") => Self::Frequency,
            ("power", "cpu_idle") => Self::Idle,
            ("irq", "irq_handler_entry") => Self::IrqBegin,
            ("irq", "irq_handler_exit") => Self::IrqEnd,
            ("irq", "softirq_entry") => Self::SoftirqBegin,
            ("irq", "softirq_exit") => Self::SoftirqEnd,
            _ => return None,
        })
    }

    /// The column with its value.
    fn column(self) -> &'static str {
        match self {
            Self::Frequency | Self::Idle => "state",
            Self::IrqBegin | Self::IrqEnd => "irq",
            Self::SoftirqBegin | Self::SoftirqEnd | Self::Begin(_) | Self::End(_) => "vec",
        }
    }
}

/// Writes the log; without such an event it is empty.
pub(super) fn write(
    mut folder: Folder<'_>,
    recordings: &[Decoded],
) -> Result<HardwareSummary, Error> {
    let mut tables = Vec::new();
    for recording in recordings {
        let mut used = Vec::new();
        for table in &recording.tables {
            let Some(tells) = Tells::of(&table.system, &table.event) else {
                continue;
            };
            let Some((buffer, _)) = fullest(table) else {
                continue;
            };
            used.push(buffer);
            tables.push(HardwareTable {
                input: recording.input,
                rows: Source::Events {
                    tells,
                    buffer,
                    batches: folder.ahead(folder.open(&table.file, Some(&COLUMNS))?),
                    batch: None,
                },
                at: 0,
            });
        }
        for noise in noise(folder, recording)? {
            let kind = match noise.of {
                Of::Irq => HardwareKind::Irq,
                Of::Softirq => HardwareKind::Softirq,
                Of::HardwareNoise => HardwareKind::HardwareNoise,
                Of::Steal => HardwareKind::Steal,
                Of::TimerLatency => HardwareKind::TimerLatency,
            };
            used.push(noise.buffer);
            for (tells, rows) in [
                (Tells::End(kind), noise.ends),
                (Tells::Begin(kind), noise.begins),
            ] {
                tables.push(HardwareTable {
                    input: recording.input,
                    rows: Source::Events {
                        tells,
                        buffer: noise.buffer,
                        batches: Box::new(std::iter::once(Ok(rows))),
                        batch: None,
                    },
                    at: 0,
                });
            }
        }
        if !used.is_empty() {
            let mut marks = marks_of(&gaps(folder, recording)?, &used);
            marks.sort_unstable_by_key(|mark| mark.since_ns);
            tables.push(HardwareTable {
                input: recording.input,
                rows: Source::Lost(marks),
                at: 0,
            });
        }
    }
    let file = FileSink::create(&mut folder, HARDWARE_FILE)?;
    let mut writer = HardwareWriter::new(file)?;
    let mut merge = Merge::new(tables)?;
    let mut order = Order::default();
    while let Some((time, row)) = merge.next_row()? {
        let time = order.take(time);
        match row {
            Row::Lost(cpu) => writer.lose(time, cpu)?,
            Row::Tells {
                tells,
                cpu,
                value,
                name,
            } => {
                let (kind, level) = match tells {
                    Tells::Frequency => (HardwareKind::Frequency, Level::Value(value)),
                    Tells::Idle if value == NOT_IDLE => (HardwareKind::Idle, Level::Nothing),
                    Tells::Idle => (HardwareKind::Idle, Level::Value(value)),
                    Tells::IrqBegin => {
                        let place = writer.irq(value, name);
                        (HardwareKind::Irq, Level::Value(place))
                    }
                    Tells::IrqEnd => (HardwareKind::Irq, Level::Nothing),
                    Tells::SoftirqBegin => (HardwareKind::Softirq, Level::Value(value)),
                    Tells::SoftirqEnd => (HardwareKind::Softirq, Level::Nothing),
                    Tells::Begin(HardwareKind::Irq) => {
                        let place = writer.irq(value, "");
                        (HardwareKind::Irq, Level::Value(place))
                    }
                    Tells::Begin(kind) => (kind, Level::Value(value)),
                    Tells::End(kind) => (kind, Level::Nothing),
                };
                writer.push(time, cpu, kind, level)?;
            }
            Row::Nothing => {}
        }
    }
    Ok(writer.finish()?)
}

/// A table of such events, or the gaps of a recording.
struct HardwareTable {
    input: u32,
    rows: Source,
    at: usize,
}

enum Source {
    Events {
        tells: Tells,
        buffer: u8,
        batches: Batches<'static>,
        batch: Option<Batch>,
    },
    Lost(Vec<LostMark>),
}

struct Batch {
    rows: usize,
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    cpu: ScalarBuffer<u32>,
    buffer: ScalarBuffer<u8>,
    value: ScalarBuffer<i64>,
    about: Option<ScalarBuffer<i64>>,
    names: Option<Texts>,
}

impl Batch {
    fn find(batch: &RecordBatch, tells: Tells) -> Option<Self> {
        Some(Self {
            rows: batch.num_rows(),
            ts: u64s(batch, "ts_ns")?,
            seq: u64s(batch, "seq")?,
            cpu: u32s(batch, "cpu")?,
            buffer: u8s(batch, "buffer")?,
            value: i64s(batch, tells.column())?,
            about: i64s(batch, "cpu_id"),
            names: Texts::find(batch, "name"),
        })
    }
}

enum Row<'a> {
    Tells {
        tells: Tells,
        cpu: u32,
        value: u32,
        name: &'a str,
    },
    Lost(u32),
    Nothing,
}

impl Rows for HardwareTable {
    type Row<'r> = Row<'r>;

    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        match &mut self.rows {
            Source::Lost(marks) => Ok(marks.get(self.at).map(|mark| mark.since_ns)),
            Source::Events {
                tells,
                buffer,
                batches,
                batch,
            } => loop {
                if let Some(batch) = batch {
                    while self.at < batch.rows {
                        if batch.buffer[self.at] == *buffer {
                            return Ok(Some(batch.ts[self.at]));
                        }
                        self.at += 1;
                    }
                }
                self.at = 0;
                let Some(next) = batches.next().transpose()? else {
                    *batch = None;
                    return Ok(None);
                };
                *batch = Batch::find(&next, *tells);
            },
        }
    }

    fn rank(&self) -> (u32, u64) {
        let seq = match &self.rows {
            Source::Events {
                batch: Some(batch), ..
            } => batch.seq.get(self.at).copied(),
            // A gap begins behind the last event of its time.
            _ => None,
        };
        (self.input, seq.unwrap_or(u64::MAX))
    }

    fn row(&mut self) -> Row<'_> {
        match &self.rows {
            Source::Lost(marks) => marks
                .get(self.at)
                .map_or(Row::Nothing, |mark| Row::Lost(mark.cpu)),
            Source::Events { tells, batch, .. } => {
                let Some(batch) = batch else {
                    return Row::Nothing;
                };
                let here = || batch.cpu[self.at];
                // Who sets a frequency may be on another CPU.
                let about = batch.about.as_ref().map(|about| about[self.at]);
                let cpu = about.map_or_else(|| Some(here()), |cpu| u32::try_from(cpu).ok());
                let Some(cpu) = cpu.filter(|&cpu| cpu < MAX_CPUS) else {
                    return Row::Nothing;
                };
                let names = batch.names.as_ref();
                let name = names.map(|names| std::str::from_utf8(names.get(self.at)));
                Row::Tells {
                    tells: *tells,
                    cpu,
                    value: batch.value[self.at] as u32,
                    name: name.and_then(Result::ok).unwrap_or_default(),
                }
            }
        }
    }

    fn consume(&mut self) {
        self.at += 1;
    }
}
