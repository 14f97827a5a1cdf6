//! Output of the reader: rows, marks of lost events, left-out parts, and the summary.

use std::ops::Range;

use numalens_columns::{
    CpuSpan, DecodeError, EventSink, InputError, LostEvents, SinkError, Skipped, Summary,
};
use numalens_event_format::Endian;

use crate::attrs::Attrs;
use crate::tables::{Row, Tables};
use crate::tracing::Formats;

/// Parts left out that are reported one by one; what comes after is reported as one.
const MOST_SKIPS: u64 = 10_000;

/// Everything that goes to the sink.
pub(crate) struct Output<'s> {
    pub(crate) sink: &'s mut dyn EventSink,
    tables: Tables,
    summary: Summary,
    cpus: Vec<Cpu>,
    /// CPUs whose next event ends a gap.
    gaps: usize,
    last_ns: u64,
    skips: u64,
    more_skips: Option<Range<u64>>,
}

/// One CPU's events so far.
#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    first_ns: u64,
    last_ns: u64,
    events: u64,
    gap: Option<Gap>,
    /// Lost events that the kernel's own records count.
    recorded: u64,
    /// Lost events that perf counted in the end.
    counted: u64,
}

/// Events that are missing before the CPU's next one.
#[derive(Debug, Clone, Copy)]
struct Gap {
    count: Option<u64>,
}

impl<'s> Output<'s> {
    pub(crate) fn new(sink: &'s mut dyn EventSink) -> Self {
        Self {
            sink,
            tables: Tables::default(),
            summary: Summary::default(),
            cpus: Vec::new(),
            gaps: 0,
            last_ns: 0,
            skips: 0,
            more_skips: None,
        }
    }

    /// One event. `row.seq` is given here.
    #[inline]
    pub(crate) fn event(
        &mut self,
        index: u32,
        attrs: &Attrs,
        formats: &Formats,
        endian: Endian,
        mut row: Row<'_>,
    ) -> Result<(), DecodeError> {
        self.count(&mut row)?;
        self.tables
            .push(index, attrs, formats, endian, row, self.sink)
    }

    /// Writes a switch from the kernel's own records. `row.seq` is set here.
    pub(crate) fn switch(&mut self, endian: Endian, mut row: Row<'_>) -> Result<(), DecodeError> {
        self.count(&mut row)?;
        self.tables.push_switch(endian, row, self.sink)
    }

    /// Returns whether there were any.
    pub(crate) fn has_switches(&self) -> bool {
        self.tables.has_switches()
    }

    /// Counts the row among the events of its CPU, and numbers it.
    #[inline]
    fn count(&mut self, row: &mut Row<'_>) -> Result<(), DecodeError> {
        row.seq = self.summary.events;
        let ts = row.ts_ns;
        if self.gaps > 0 {
            self.end_gap(row.cpu, ts, row.seq)?;
        }
        let cpu = self.cpu(row.cpu);
        if cpu.events == 0 {
            (cpu.first_ns, cpu.last_ns) = (ts, ts);
        }
        cpu.first_ns = cpu.first_ns.min(ts);
        cpu.last_ns = cpu.last_ns.max(ts);
        cpu.events += 1;
        if ts < self.last_ns {
            self.summary.backwards += 1;
        }
        self.last_ns = ts;
        self.summary.events += 1;
        Ok(())
    }

    #[inline]
    fn cpu(&mut self, cpu: u32) -> &mut Cpu {
        let at = cpu as usize;
        if at >= self.cpus.len() {
            self.cpus.resize(at + 1, Cpu::default());
        }
        &mut self.cpus[at]
    }

    /// Events of a CPU are missing from here on, `count` of them where that is known.
    pub(crate) fn gap(&mut self, cpu: u32, count: Option<u64>) {
        let before = self.cpu(cpu).gap;
        let count = match (before, count) {
            (None, count) => count,
            (Some(Gap { count: Some(a) }), Some(b)) => Some(a.saturating_add(b)),
            (Some(_), _) => None,
        };
        self.cpu(cpu).gap = Some(Gap { count });
        self.gaps += usize::from(before.is_none());
    }

    /// Events of all CPUs are missing from here on.
    pub(crate) fn gap_everywhere(&mut self) {
        for cpu in 0..self.cpus.len() as u32 {
            if self.cpu(cpu).events > 0 {
                self.gap(cpu, None);
            }
        }
    }

    /// The kernel's own record of lost events.
    pub(crate) fn lost(&mut self, cpu: u32, count: u64) {
        let recorded = &mut self.cpu(cpu).recorded;
        *recorded = recorded.saturating_add(count);
        self.gap(cpu, Some(count));
    }

    /// perf's count of a CPU's lost samples, which it writes at the end.
    pub(crate) fn counted(&mut self, cpu: u32, count: u64) {
        let counted = &mut self.cpu(cpu).counted;
        *counted = counted.saturating_add(count);
    }

    #[cold]
    fn end_gap(&mut self, cpu: u32, ts_ns: u64, seq: u64) -> Result<(), SinkError> {
        let Some(gap) = self.cpu(cpu).gap.take() else {
            return Ok(());
        };
        self.gaps -= 1;
        self.summary.lost_marks += 1;
        match gap.count {
            Some(count) => {
                self.summary.lost_events = self.summary.lost_events.saturating_add(count);
            }
            None => self.summary.lost_unknown_marks += 1,
        }
        self.sink.lost(LostEvents {
            ts_ns,
            cpu,
            buffer: 0,
            seq,
            count: gap.count,
        })
    }

    /// A damage that a tolerant reading leaves out.
    pub(crate) fn skip(
        &mut self,
        error: &InputError,
        range: Range<u64>,
        cpu: Option<u32>,
    ) -> Result<(), SinkError> {
        self.skips += 1;
        if let Some(cpu) = cpu {
            self.gap(cpu, None);
        }
        if self.skips > MOST_SKIPS {
            let all = self.more_skips.get_or_insert(range.clone());
            *all = all.start.min(range.start)..all.end.max(range.end);
            return Ok(());
        }
        self.sink.skipped(skipped(range, cpu, error.to_string()))
    }

    /// Tracepoints whose format the file lacks.
    pub(crate) fn without_format(&self) -> u64 {
        self.tables.without_format
    }

    /// Writes what waits and returns the summary.
    pub(crate) fn finish(mut self) -> Result<Summary, DecodeError> {
        for cpu in 0..self.cpus.len() as u32 {
            // What was lost after the last event that fitted is in perf's count alone.
            let state = *self.cpu(cpu);
            if state.counted > state.recorded {
                self.gap(cpu, Some(state.counted - state.recorded));
            }
            self.end_gap(cpu, self.last_ns, self.summary.events)?;
        }
        if let Some(range) = self.more_skips.take() {
            let why = format!("{} more damaged places", self.skips - MOST_SKIPS);
            self.sink.skipped(skipped(range, None, why))?;
        }
        self.tables.flush(self.sink)?;
        self.summary.counts = self.tables.counts();
        self.summary.cpu_spans = spans(&self.cpus);
        self.summary.buffer_events = vec![self.summary.events];
        Ok(self.summary)
    }
}

/// Bytes that were left out; at least one.
fn skipped(range: Range<u64>, cpu: Option<u32>, why: String) -> Skipped {
    let start = range.start.min(u64::MAX - 1);
    Skipped {
        range: start..range.end.max(start + 1),
        unit: "byte",
        cpu,
        why,
    }
}

fn spans(cpus: &[Cpu]) -> Vec<CpuSpan> {
    let seen = (0..).zip(cpus).filter(|(_, cpu)| cpu.events > 0);
    seen.map(|(number, cpu)| CpuSpan {
        cpu: number,
        first_ns: cpu.first_ns,
        last_ns: cpu.last_ns,
        events: cpu.events,
    })
    .collect()
}
