//! Hardware state of each CPU: frequency, idle state, and interrupts served; rows, writer, reader.
//!
//! The log has changes, ascending in time. Each of its batches begins with what everything was then, so that a window needs no
//! batch before its own.

use std::collections::BTreeMap;

use numalens_core::ipc::Bytes;
use numalens_core::listed;
use numalens_core::logs::{Batches, BatchesWriter, Columns, table};
use numalens_core::{EngineError, Output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The log inside the bundle.
pub const HARDWARE_FILE: &str = "hardware/changes.arrow";
/// Changes that go into one batch, besides what everything was.
const BATCH_ROWS: usize = 1 << 14;
/// Interrupts that are distinguished.
const MOST_IRQS: usize = 1024;
/// The CPU is not idle, or serves nothing.
const NOTHING: u32 = u32::MAX;
/// Unknown: events were lost.
const UNKNOWN: u32 = u32::MAX - 1;

listed! {
    /// Kind of a CPU's hardware state.
    #[derive(
        Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
    )]
    #[schemars(rename = "HardwareKind")]
    #[serde(rename_all = "snake_case")]
    #[repr(u8)]
    pub enum HardwareKind {
        /// `cpu_frequency`, kHz.
        Frequency = 0,
        /// `cpu_idle`: the index of the idle state, 0 the lightest.
        Idle = 1,
        /// `irq_handler_entry`, `irq_handler_exit`: the interrupt, a place in [`HardwareSummary::irqs`].
        Irq = 2,
        /// `softirq_entry`, `softirq_exit`: the vector.
        Softirq = 3,
        /// The host did not run the CPU, which is a guest's; no value.
        Steal = 4,
        /// The CPU ran nothing of its kernel, as the osnoise tracer found; no value.
        HardwareNoise = 5,
        /// From when a timer of the timerlat tracer was due until its thread ran: how long that took, µs.
        TimerLatency = 6,
    }
}

impl HardwareKind {
    fn of(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// Value of a state from a time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Unknown.
    Unknown,
    /// The CPU is not idle, or serves nothing.
    Nothing,
    /// Known value.
    Value(u32),
}

impl Level {
    fn pack(self) -> u32 {
        match self {
            Self::Unknown => UNKNOWN,
            Self::Nothing => NOTHING,
            Self::Value(value) => value.min(UNKNOWN - 1),
        }
    }

    fn unpack(value: u32) -> Self {
        match value {
            UNKNOWN => Self::Unknown,
            NOTHING => Self::Nothing,
            value => Self::Value(value),
        }
    }
}

/// Summary of a bundle's hardware states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HardwareSummary {
    /// Recorded kinds.
    pub kinds: Vec<HardwareKind>,
    /// The CPUs of which something is known.
    pub cpus: Vec<u32>,
    /// Interrupts: number and name of the handler.
    pub irqs: Vec<(u32, String)>,
    /// The lowest and the highest frequency, kHz.
    pub frequency_khz: Option<(u32, u32)>,
    /// The deepest idle state.
    pub deepest_idle: Option<u32>,
}

table! {
    /// A row of the file.
    Stored, HardwareColumns, ts_ns, {
        ts_ns: u64,
        cpu: u32,
        kind: u8,
        value: u32,
    }
}

/// Writes the log.
pub struct HardwareWriter {
    writer: BatchesWriter<HardwareColumns>,
    now: BTreeMap<(u32, u8), u32>,
    held: Vec<Stored>,
    /// Rows at the start of `held` that are not changes.
    carried: usize,
    summary: HardwareSummary,
}

impl HardwareWriter {
    /// Begins the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: Output) -> Result<Self, EngineError> {
        Ok(Self {
            writer: BatchesWriter::new(out)?,
            now: BTreeMap::new(),
            held: Vec::new(),
            carried: 0,
            summary: HardwareSummary::default(),
        })
    }

    /// Position of an interrupt; past the end when there are too many.
    pub fn irq(&mut self, number: u32, name: &str) -> u32 {
        let irqs = &mut self.summary.irqs;
        let mut known = irqs.iter();
        let at = known.position(|irq| irq.0 == number && irq.1 == name);
        let at = at.unwrap_or_else(|| {
            if irqs.len() < MOST_IRQS {
                irqs.push((number, name.to_owned()));
                return irqs.len() - 1;
            }
            MOST_IRQS
        });
        at as u32
    }

    /// Sets a value from a time on; times never go back.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn push(
        &mut self,
        ts_ns: u64,
        cpu: u32,
        kind: HardwareKind,
        level: Level,
    ) -> Result<(), EngineError> {
        let value = level.pack();
        if self.held.len() >= self.carried + BATCH_ROWS {
            self.write()?;
        }
        if self.held.is_empty() {
            let carried = self.now.iter().map(|(&(cpu, kind), &value)| Stored {
                ts_ns,
                cpu,
                kind,
                value,
            });
            self.held.extend(carried);
            self.carried = self.held.len();
        }
        if self.now.insert((cpu, kind as u8), value) == Some(value) {
            return Ok(());
        }
        self.held.push(Stored {
            ts_ns,
            cpu,
            kind: kind as u8,
            value,
        });
        if let Level::Value(value) = level {
            let summary = &mut self.summary;
            match kind {
                HardwareKind::Frequency => {
                    let (low, high) = summary.frequency_khz.unwrap_or((value, value));
                    summary.frequency_khz = Some((low.min(value), high.max(value)));
                }
                HardwareKind::Idle => {
                    summary.deepest_idle = Some(value.max(summary.deepest_idle.unwrap_or(0)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Marks the loss of a CPU's events from a time on: its states are unknown until the next event.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn lose(&mut self, ts_ns: u64, cpu: u32) -> Result<(), EngineError> {
        let known = self.now.range((cpu, 0)..=(cpu, u8::MAX));
        let kinds: Vec<u8> = known.map(|(&(_, kind), _)| kind).collect();
        for kind in kinds.into_iter().filter_map(HardwareKind::of) {
            self.push(ts_ns, cpu, kind, Level::Unknown)?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), EngineError> {
        if !self.held.is_empty() {
            self.writer.write(&[&self.held])?;
            self.held.clear();
            self.carried = 0;
        }
        Ok(())
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<HardwareSummary, EngineError> {
        self.write()?;
        self.writer.finish()?;
        let mut summary = self.summary;
        for &(cpu, kind) in self.now.keys() {
            if summary.cpus.last() != Some(&cpu) {
                summary.cpus.push(cpu);
            }
            summary.kinds.extend(HardwareKind::of(kind));
        }
        summary.kinds.sort_unstable();
        summary.kinds.dedup();
        Ok(summary)
    }
}

/// The log, ready to be read.
#[derive(Debug)]
pub struct Hardware(Batches<HardwareColumns>);

impl Hardware {
    /// Opens the file's bytes.
    ///
    /// # Errors
    /// They are not those of the log.
    pub fn open(bytes: impl Into<Bytes>) -> Result<Self, EngineError> {
        Batches::open(bytes, "hardware").map(Self)
    }

    /// Returns begin and end of the part of the log with a moment. Parts follow each other without gaps, and reading one is cheap.
    #[must_use]
    pub fn part(&self, ts_ns: u64) -> (u64, u64) {
        let batches = self.0.extents();
        let past = self.0.partition(|batch| batch.first_ns <= ts_ns);
        let first = past.checked_sub(1).map_or(0, |at| batches[at].first_ns);
        let next = batches.get(past).map_or(u64::MAX, |batch| batch.first_ns);
        (first, next)
    }

    /// Calls `visit` with each span of time in a window in which something had one value, as far as it is known: CPU, kind, begin,
    /// end, value. Those of one CPU and kind ascend and do not overlap.
    ///
    /// # Errors
    /// The log could not be read.
    pub fn spans(
        &self,
        from: u64,
        to: u64,
        mut visit: impl FnMut(u32, HardwareKind, u64, u64, Level),
    ) -> Result<(), EngineError> {
        let mut now: BTreeMap<(u32, HardwareKind), (u64, Level)> = BTreeMap::new();
        // What was before the window is in the batch before the one that the window begins in, where it begins between them.
        let first = self
            .0
            .partition(|batch| batch.last_ns < from)
            .saturating_sub(1);
        let past = self.0.partition(|batch| batch.first_ns < to);
        for batch in self.0.range(first..past.max(first))? {
            batch.each(0..batch.rows(), |row| {
                let Some(kind) = HardwareKind::of(row.kind).filter(|_| row.ts_ns < to) else {
                    return;
                };
                let level = Level::unpack(row.value);
                let at = row.ts_ns.max(from);
                let before = now.get(&(row.cpu, kind)).copied();
                if let Some((since, value)) = before {
                    if value == level {
                        return;
                    }
                    if since < at && value != Level::Unknown {
                        visit(row.cpu, kind, since, at, value);
                    }
                }
                now.insert((row.cpu, kind), (at, level));
            });
        }
        for ((cpu, kind), (since, value)) in now {
            if since < to && value != Level::Unknown {
                visit(cpu, kind, since, to, value);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use arrow_buffer::Buffer;
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Default)]
    struct Out(Arc<Mutex<Vec<u8>>>);

    impl Write for Out {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn log(changes: &[(u64, u32, u8, u32)], batch: usize) -> (Hardware, HardwareSummary) {
        let out = Out::default();
        let mut writer = HardwareWriter::new(Output::new(out.clone())).unwrap();
        for (at, &(ts, cpu, kind, value)) in changes.iter().enumerate() {
            if at % batch == 0 {
                writer.write().unwrap();
            }
            let kind = HardwareKind::of(kind).unwrap();
            writer.push(ts, cpu, kind, Level::unpack(value)).unwrap();
        }
        let summary = writer.finish().unwrap();
        let bytes = Buffer::from_vec(out.0.lock().unwrap().clone());
        (Hardware::open(bytes).unwrap(), summary)
    }

    proptest! {
        #[test]
        fn spans_are_what_the_last_change_said(
            steps in prop::collection::vec((0_u64..4, 0_u32..3, 0_u8..4, 0_u32..5), 1..60),
            batch in 1_usize..9,
            (from, len) in (0_u64..120, 1_u64..60),
        ) {
            let mut ts = 0;
            let mut changes = Vec::new();
            for (step, cpu, kind, value) in steps {
                ts += step;
                let value = match value { 3 => NOTHING, 4 => UNKNOWN, value => value };
                changes.push((ts, cpu, kind, value));
            }
            let to = from + len;
            let (log, _) = log(&changes, batch);
            let part = log.part(from);
            prop_assert!(part.0 <= from && from < part.1);
            prop_assert!(part.1 == u64::MAX || log.part(part.1).0 == part.1);
            let mut found: BTreeMap<(u32, u8, u64), Level> = BTreeMap::new();
            log.spans(from, to, |cpu, kind, start, end, level| {
                assert!(from <= start && start < end && end <= to);
                for at in start..end {
                    assert!(found.insert((cpu, kind as u8, at), level).is_none());
                }
            }).unwrap();
            for cpu in 0..3 {
                for kind in 0..4 {
                    for at in from..to {
                        let said = changes.iter().rev().find(|c| c.0 <= at && (c.1, c.2) == (cpu, kind));
                        let said = said.map(|c| Level::unpack(c.3)).filter(|level| *level != Level::Unknown);
                        prop_assert_eq!(found.get(&(cpu, kind, at)).copied(), said);
                    }
                }
            }
        }
    }

    #[test]
    fn lost_events_leave_nothing_known() {
        let out = Out::default();
        let mut writer = HardwareWriter::new(Output::new(out)).unwrap();
        assert_eq!(
            (
                writer.irq(4, "eth"),
                writer.irq(4, "disk"),
                writer.irq(4, "eth")
            ),
            (0, 1, 0)
        );
        writer
            .push(5, 1, HardwareKind::Frequency, Level::Value(2_000))
            .unwrap();
        writer
            .push(6, 1, HardwareKind::Idle, Level::Value(2))
            .unwrap();
        writer.lose(7, 1).unwrap();
        assert!(writer.now.values().all(|&value| value == UNKNOWN));
        let summary = writer.finish().unwrap();
        assert_eq!(summary.kinds, [HardwareKind::Frequency, HardwareKind::Idle]);
        assert_eq!(
            (summary.cpus, summary.frequency_khz),
            (vec![1], Some((2_000, 2_000)))
        );
        assert_eq!(summary.deepest_idle, Some(2));
    }
}
