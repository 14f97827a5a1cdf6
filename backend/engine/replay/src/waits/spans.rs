//! Log of the facts that decide the causes of waits and are in no other log. These are interrupts, softirqs, NUMA scans,
//! newly idle balancing, stolen or inactive CPUs, tasks of a higher class, pending balancing, and dropped kicks. With the log
//! of states it sets the clocks of any time.

use std::sync::OnceLock;

use numalens_core::EngineError;
use numalens_core::ipc::Bytes;
use numalens_core::listed;
use numalens_core::logs::{Batches, Columns, table};

use super::rows::numbered;
use crate::log::writer;

listed! {
    /// Kind of span.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum SpanOf {
        /// A CPU that runs a task serves interrupts. The place is the CPU.
        Interrupt = 0,
        /// A CPU that runs a task serves a softirq and no interrupt. The place is the CPU.
        Softirq = 1,
        /// A balancing pass is raised or runs on any CPU. The place is 0.
        Balancing = 2,
        /// A CPU runs tasks of a class above the fair one. The place is the CPU.
        HigherClass = 3,
        /// A kick came and raised no balancing, and none was raised since. The place is 0.
        KickDropped = 4,
        /// The task that a CPU runs scans its memory for NUMA balancing, and the CPU serves no interrupt and no softirq. The place is
        /// the CPU.
        NumaScan = 5,
        /// A CPU that has nothing to run looks for tasks of others. The place is the CPU.
        NewIdle = 6,
        /// No task may come to a CPU that goes off or comes up. The place is the CPU.
        Inactive = 7,
        /// The host does not run a guest's CPU that is to run. The place is the CPU.
        Steal = 8,
        /// The hardware or its firmware has the CPU. The place is the CPU.
        HardwareNoise = 9,
    }
}

impl From<u8> for SpanOf {
    fn from(number: u8) -> Self {
        numbered(&Self::ALL, number)
    }
}

table! {
    /// A condition that held for a time; by their ends.
    #[derive(Hash)]
    pub CauseSpan, SpanColumns, end_ns, {
        /// From when, ns of the reference clock.
        start_ns: u64,
        /// Until when.
        end_ns: u64,
        /// Subject of the span; see [`SpanOf`].
        place: u32,
        /// Kind of the span.
        of: SpanOf as u8,
    }
}

writer! {
    /// Writes `waits/spans.arrow`.
    SpansWriter, SpanColumns, CauseSpan, |row: &CauseSpan| *row
}

/// The spans, ready to be read.
#[derive(Debug)]
pub struct CauseSpans {
    batches: Batches<SpanColumns>,
    /// By batch, the earliest begin of its spans and of all later ones: they ascend by their ends, and a long one comes late.
    earliest: OnceLock<Vec<u64>>,
}

impl CauseSpans {
    /// Opens the file's bytes.
    ///
    /// # Errors
    /// The bytes are not those of spans.
    pub fn open(bytes: impl Into<Bytes>) -> Result<Self, EngineError> {
        Ok(Self {
            batches: Batches::open(bytes, "spans")?,
            earliest: OnceLock::new(),
        })
    }

    /// The spans that overlap `from` to `to`, ordered by end; whole, not cut.
    ///
    /// # Errors
    /// They could not be read.
    pub fn over(&self, from: u64, to: u64) -> Result<impl Iterator<Item = CauseSpan>, EngineError> {
        let earliest = self.earliest()?;
        let first = self.batches.partition(|batch| batch.last_ns <= from);
        let later = earliest.iter().skip(first);
        let past = first + later.take_while(|earliest| **earliest < to).count();
        let batches = self.batches.range(first..past)?.into_iter();
        Ok(batches.flat_map(move |batch| {
            let first = batch.end_ns.partition_point(|&end| end <= from);
            (first..batch.rows())
                .filter(move |&row| batch.start_ns[row] < to)
                .map(|row| batch.get(row))
        }))
    }

    /// Reads the begins of all spans when a part is first wanted.
    fn earliest(&self) -> Result<&[u64], EngineError> {
        if let Some(earliest) = self.earliest.get() {
            return Ok(earliest);
        }
        let batches = self.batches.range(0..self.batches.count())?;
        let mut earliest = vec![u64::MAX; batches.len()];
        let mut least = u64::MAX;
        for (place, batch) in earliest.iter_mut().zip(batches).rev() {
            least = batch.start_ns.iter().copied().fold(least, u64::min);
            *place = least;
        }
        Ok(self.earliest.get_or_init(|| earliest))
    }
}
