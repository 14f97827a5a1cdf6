//! Tables of the idle load balancer's events, batch by batch.

use std::collections::VecDeque;

use numalens_core::EngineError;
use numalens_events::{Batches, IlbKind, Kinds, LostMark, Rows};

use super::IlbRow;
use super::batch::Batch;
use super::relevance::Relevance;

/// Number of rows of a table that are made at once.
const READY: usize = 128;

/// A table read in order.
pub struct IlbTable<'a> {
    input: u32,
    kind: IlbKind,
    /// Second kind of its rows.
    also: Option<IlbKind>,
    /// Only events of this tracing instance count.
    buffer: u8,
    /// The address of the function whose rows count, where the recording has addresses.
    function: Option<u64>,
    batches: Batches<'a>,
    batch: Option<Batch>,
    /// The batch's rows that count, and how many of them are among `ready` or done.
    kept: Vec<u32>,
    taken: usize,
    /// The next rows with their numbers in the input, and the number of finished ones. They are made in one go: the merge
    /// alternates between tables, and branches on the kind of each row would be mispredicted.
    ready: Vec<(u64, IlbRow)>,
    at: usize,
    /// Of [`IlbKind::Lost`]: the gaps, by their beginnings.
    marks: VecDeque<LostMark>,
}

impl<'a> IlbTable<'a> {
    /// A table of `input` whose rows of the tracing instance `buffer` are read and mean what `kind` says. `function` is the
    /// address of `nohz_csd_func`, or of the tick's timer, where the table has addresses.
    #[must_use]
    pub fn new(
        input: u32,
        kind: IlbKind,
        buffer: u8,
        function: Option<u64>,
        batches: Batches<'a>,
    ) -> Self {
        Self {
            input,
            kind,
            also: None,
            buffer,
            function,
            batches,
            batch: None,
            kept: Vec::new(),
            taken: 0,
            ready: Vec::new(),
            at: 0,
            marks: VecDeque::new(),
        }
    }

    /// Returns the table with a second kind for its rows ([`IlbKind::also`]).
    #[must_use]
    pub fn also(mut self, kind: Option<IlbKind>) -> Self {
        self.also = kind;
        self
    }

    /// The marks of lost events of `input`; each is at the start of its gap.
    #[must_use]
    pub fn lost(input: u32, mut marks: Vec<LostMark>) -> Self {
        marks.sort_unstable_by_key(|mark| (mark.since_ns, mark.seq));
        Self {
            marks: marks.into(),
            ..Self::new(input, IlbKind::Lost, 0, None, Box::new(std::iter::empty()))
        }
    }

    #[cold]
    fn refill(&mut self) -> Result<Option<u64>, EngineError> {
        if let Some(mark) = self.marks.front() {
            return Ok(Some(mark.since_ns));
        }
        self.at = 0;
        self.ready.clear();
        loop {
            if let Some(batch) = &self.batch {
                while let (Some(rest), true) = (self.kept.get(self.taken..), self.ready.is_empty())
                {
                    let rest = rest.get(..READY).unwrap_or(rest);
                    if rest.is_empty() {
                        break;
                    }
                    batch.rows(self.kind, rest, &mut self.ready);
                    self.taken += rest.len();
                }
                if let Some(first) = self.ready.first() {
                    return Ok(Some(first.1.ts_ns));
                }
            }
            self.batch = None;
            self.taken = 0;
            self.kept.clear();
            let Some(next) = self.batches.next().transpose()? else {
                return Ok(None);
            };
            self.batch = Batch::find(self.kind, &next);
            if let Some(batch) = &self.batch {
                batch.keep(self.kind, self.function, self.buffer, &mut self.kept);
            }
        }
    }

    /// Each row's function as an address, for [`super::learn_csd`]; rows without one are left out.
    pub(super) fn addresses(
        self,
        mut row: impl FnMut(u32, u64, u64, u64),
    ) -> Result<(), EngineError> {
        for batch in self.batches {
            let Some(batch) = Batch::find(self.kind, &batch?) else {
                continue;
            };
            batch.addresses(&mut row);
        }
        Ok(())
    }
}

impl Rows for IlbTable<'_> {
    type Row<'r>
        = Option<IlbRow>
    where
        Self: 'r;

    #[inline]
    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        match self.ready.get(self.at) {
            Some(next) => Ok(Some(next.1.ts_ns)),
            None => self.refill(),
        }
    }

    fn rank(&self) -> (u32, u64) {
        if let Some(mark) = self.marks.front() {
            // What was recorded before the gap comes first.
            return (self.input, mark.seq);
        }
        let next = self.ready.get(self.at);
        (self.input, next.map_or(u64::MAX, |next| next.0))
    }

    #[inline]
    fn row(&mut self) -> Option<IlbRow> {
        if let Some(next) = self.ready.get(self.at) {
            return Some(next.1);
        }
        let mark = self.marks.front()?;
        Some(IlbRow {
            ts_ns: mark.since_ns,
            cpu: mark.cpu,
            kind: IlbKind::Lost,
            subject: mark.cpu,
            a: mark.until_ns,
            b: 0,
        })
    }

    #[inline]
    fn consume(&mut self) {
        if self.at < self.ready.len() {
            self.at += 1;
        } else {
            self.marks.pop_front();
        }
    }
}

/// The kinds of the tables, be they empty, and those tables whose rows mean something next to the others.
///
/// # Errors
/// A table could not be read.
pub(super) fn relevant(
    tables: Vec<IlbTable<'_>>,
) -> Result<(Kinds, Vec<IlbTable<'_>>), EngineError> {
    // A recording without a gap has lost nothing.
    let there = tables
        .iter()
        .filter(|table| table.kind != IlbKind::Lost || !table.marks.is_empty());
    let kinds = there.fold(Kinds::default(), |kinds, table| {
        let kinds = kinds.with(table.kind);
        table.also.map_or(kinds, |also| kinds.with(also))
    });
    // Idle states only stand in for what reports stopped ticks.
    let explicit = kinds.has(IlbKind::Enter) || kinds.has(IlbKind::TickStop);
    let (dependent, others): (Vec<_>, Vec<_>) = tables
        .into_iter()
        .filter(|table| !explicit || table.kind != IlbKind::CpuIdle)
        .partition(|table| Relevance::only(table.kind));
    // What is only needed together with other rows comes last, for then it is known whether there are any.
    let (mut seen, mut kept) = (Kinds::default(), Vec::new());
    for mut table in others.into_iter().chain(dependent) {
        if Relevance::needs(table.kind, seen) && table.advance()?.is_some() {
            seen = seen.with(table.kind);
            kept.push(table);
        }
    }
    Ok((kinds, kept))
}
