//! One event table: its batches, one after the other, as events.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;
use arrow_schema::ArrowError;
use numalens_core::EngineError;
use numalens_core::columns::{u8s, u32s, u64s};

use super::fields::Fields;
use super::{EndStates, Event, Kind, LostMark, Rows};

/// The batches of one table, in order.
pub type Batches<'a> = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'a>;

/// A table of events, or the marks of lost events, read in order.
pub struct EventTable<'a> {
    input: u32,
    rows: Source<'a>,
}

enum Source<'a> {
    Events(Box<Events<'a>>),
    /// Time and CPU of gaps, and whether they end there or begin.
    Lost(VecDeque<(u64, u32, bool)>),
    /// Times at which a recording ended and no other one continued.
    Pauses(VecDeque<u64>),
}

struct Events<'a> {
    kind: Kind,
    /// Only events of this tracing instance count: the others saw the same switches again.
    buffer: u8,
    batches: Batches<'a>,
    states: EndStates,
    batch: Option<Batch>,
    at: usize,
}

/// The columns of one batch.
struct Batch {
    rows: usize,
    /// True if every row belongs to the tracing instance and counts, which is usual.
    plain: bool,
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    cpu: ScalarBuffer<u32>,
    buffer: ScalarBuffer<u8>,
    fields: Fields,
}

impl<'a> EventTable<'a> {
    /// A table of `input` whose rows of the tracing instance `buffer` are read as `kind`, whatever the table's name.
    /// table's name. `print_fmt` is the event's.
    #[must_use]
    pub fn events(
        input: u32,
        kind: Kind,
        buffer: u8,
        print_fmt: &str,
        batches: Batches<'a>,
    ) -> Self {
        let states = EndStates::from_print_fmt(print_fmt);
        Self {
            input,
            rows: Source::Events(Box::new(Events {
                kind,
                buffer,
                batches,
                states,
                batch: None,
                at: 0,
            })),
        }
    }

    /// The marks of lost events of `input`; each is at the start of its gap.
    #[must_use]
    pub fn lost(input: u32, mut marks: Vec<LostMark>) -> Self {
        // The gap begins after its last event, so the mark comes after all events of that time.
        marks.sort_by_key(|mark| mark.since_ns);
        let mut rows: Vec<(u64, u32, bool)> = marks
            .iter()
            .flat_map(|mark| {
                let until_ns = mark.until_ns.max(mark.since_ns);
                [(mark.since_ns, mark.cpu, false), (until_ns, mark.cpu, true)]
            })
            .collect();
        // Stable: of one time, a gap ends before a later one begins.
        rows.sort_by_key(|row| row.0);
        Self {
            input,
            rows: Source::Lost(rows.into()),
        }
    }

    /// Times at which one recording had ended and the next had not begun: nothing is known in between.
    #[must_use]
    pub fn pauses(mut times: Vec<u64>) -> Self {
        times.sort_unstable();
        // After everything else of its time.
        Self {
            input: u32::MAX,
            rows: Source::Pauses(times.into()),
        }
    }

    #[cold]
    fn advance_further(&mut self) -> Result<Option<u64>, EngineError> {
        match &mut self.rows {
            Source::Events(events) => events.advance(),
            Source::Lost(marks) => Ok(marks.front().map(|mark| mark.0)),
            Source::Pauses(times) => Ok(times.front().copied()),
        }
    }
}

impl Rows for EventTable<'_> {
    /// CPU and event.
    type Row<'r>
        = Option<(u32, Event<'r>)>
    where
        Self: 'r;

    #[inline]
    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        if let Source::Events(events) = &self.rows
            && let Some(ts) = events.here()
        {
            return Ok(Some(ts));
        }
        self.advance_further()
    }

    fn rank(&self) -> (u32, u64) {
        let seq = match &self.rows {
            Source::Events(events) => events
                .batch
                .as_ref()
                .and_then(|batch| batch.seq.get(events.at).copied()),
            Source::Lost(_) | Source::Pauses(_) => None,
        };
        (self.input, seq.unwrap_or(u64::MAX))
    }

    #[inline]
    fn row(&mut self) -> Option<(u32, Event<'_>)> {
        match &mut self.rows {
            Source::Events(events) => events.event(),
            Source::Lost(marks) => marks.front().map(|&(_, cpu, ends)| {
                let event = if ends { Event::LostEnd } else { Event::Lost };
                (cpu, event)
            }),
            Source::Pauses(times) => times.front().map(|_| (0, Event::Pause)),
        }
    }

    #[inline]
    fn consume(&mut self) {
        match &mut self.rows {
            Source::Events(events) => events.at += 1,
            Source::Lost(marks) => drop(marks.pop_front()),
            Source::Pauses(times) => drop(times.pop_front()),
        }
    }
}

impl Events<'_> {
    /// Time of the row at hand, when it is known to say something.
    #[inline]
    fn here(&self) -> Option<u64> {
        let batch = self.batch.as_ref().filter(|batch| batch.plain)?;
        batch.ts.get(self.at).copied()
    }

    /// Goes to the next row that says something and returns its time.
    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        loop {
            if let Some(batch) = &self.batch {
                while self.at < batch.rows {
                    if batch.plain || batch.says(self.at, self.buffer) {
                        return Ok(Some(batch.ts[self.at]));
                    }
                    self.at += 1;
                }
            }
            if !self.next_batch()? {
                return Ok(None);
            }
        }
    }

    /// The old batch goes before the next one is read.
    #[cold]
    fn next_batch(&mut self) -> Result<bool, EngineError> {
        self.batch = None;
        self.at = 0;
        let next = self.batches.next().transpose()?;
        let buffer = self.buffer;
        self.batch = next
            .as_ref()
            .and_then(|next| Batch::find(self.kind, buffer, next));
        Ok(next.is_some())
    }

    #[inline]
    fn event(&mut self) -> Option<(u32, Event<'_>)> {
        let (batch, row) = (self.batch.as_ref()?, self.at);
        let cpu = batch.cpu[row];
        let event = batch.fields.event(self.kind, row, cpu, &mut self.states)?;
        Some((cpu, event))
    }
}

impl Batch {
    /// `None` when the batch lacks the four common columns.
    fn find(kind: Kind, buffer: u8, batch: &RecordBatch) -> Option<Self> {
        let mut found = Self {
            rows: batch.num_rows(),
            plain: false,
            ts: u64s(batch, "ts_ns")?,
            seq: u64s(batch, "seq")?,
            cpu: u32s(batch, "cpu")?,
            buffer: u8s(batch, "buffer")?,
            fields: Fields::find(kind, batch),
        };
        found.plain = (0..found.rows).all(|row| found.says(row, buffer));
        Some(found)
    }

    /// Returns whether the row belongs to the tracing instance and counts.
    fn says(&self, row: usize, buffer: u8) -> bool {
        self.buffer[row] == buffer && self.fields.says(row)
    }
}
