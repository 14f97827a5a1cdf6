//! Tables of the idle load balancer's events, batch by batch, and their merge.

use std::collections::VecDeque;

use numalens_core::EngineError;
use numalens_events::{Batches, IlbKind, Kinds, LostMark};

use super::IlbRow;
use super::batch::Batch;
use super::relevance::Relevance;

/// So many rows of a table are made at once.
const READY: usize = 128;

/// A table read in order.
pub struct IlbTable<'a> {
    input: u32,
    kind: IlbKind,
    /// Only events of this tracing instance count.
    buffer: u8,
    /// The address of the function whose rows count, where the recording has addresses.
    function: Option<u64>,
    batches: Batches<'a>,
    batch: Option<Batch>,
    /// The batch's rows that count, and how many of them are among `ready` or done.
    kept: Vec<u32>,
    taken: usize,
    /// The next rows with their numbers in the input, and how many of them are done: made in one go, for the merge goes from
    /// table to table, and what a row of each kind takes would be guessed wrong each time.
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

    /// The marks of lost events of `input`; each stands where its gap begins.
    #[must_use]
    pub fn lost(input: u32, mut marks: Vec<LostMark>) -> Self {
        marks.sort_unstable_by_key(|mark| (mark.since_ns, mark.seq));
        Self {
            marks: marks.into(),
            ..Self::new(input, IlbKind::Lost, 0, None, Box::new(std::iter::empty()))
        }
    }

    /// Input and number in the input of the next row: the order of rows of one time.
    fn rank(&self) -> (u32, u64) {
        if let Some(mark) = self.marks.front() {
            // What was recorded before the gap comes first.
            return (self.input, mark.seq);
        }
        let next = self.ready.get(self.at);
        (self.input, next.map_or(u64::MAX, |next| next.0))
    }

    /// Time of the next row, ns.
    #[inline]
    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        match self.ready.get(self.at) {
            Some(next) => Ok(Some(next.1.ts_ns)),
            None => self.refill(),
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

    /// The next row, of which [`Self::advance`] gave the time.
    #[inline]
    fn take(&mut self) -> Option<IlbRow> {
        if let Some(next) = self.ready.get(self.at) {
            self.at += 1;
            return Some(next.1);
        }
        let mark = self.marks.pop_front()?;
        Some(IlbRow {
            ts_ns: mark.since_ns,
            cpu: mark.cpu,
            kind: IlbKind::Lost,
            subject: mark.cpu,
            a: mark.until_ns,
            b: 0,
        })
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

/// The rows of several tables in ascending time; of one time in the order of inputs, then of their numbers.
pub struct IlbMerge<'a> {
    tables: Vec<IlbTable<'a>>,
    /// Times of the next rows of tables that have rows left, and the tables; the first one last.
    heads: Vec<(u64, usize)>,
    kinds: Kinds,
    now_ns: u64,
}

impl<'a> IlbMerge<'a> {
    /// Starts at the first rows.
    ///
    /// # Errors
    /// A table could not be read.
    pub fn new(tables: Vec<IlbTable<'a>>) -> Result<Self, EngineError> {
        let mut merge = Self {
            heads: Vec::with_capacity(tables.len()),
            tables,
            kinds: Kinds::default(),
            now_ns: 0,
        };
        for table in &merge.tables {
            // A recording without a gap has lost nothing.
            if table.kind != IlbKind::Lost || !table.marks.is_empty() {
                merge.kinds = merge.kinds.with(table.kind);
            }
        }
        // Idle states only stand in for what tells of stopped ticks.
        let explicit = merge.kinds.has(IlbKind::Enter) || merge.kinds.has(IlbKind::TickStop);
        // What is only needed together with other rows comes last, for then it is known whether there are any.
        let mut seen = Kinds::default();
        for last in [false, true] {
            for at in 0..merge.tables.len() {
                let kind = merge.tables[at].kind;
                let idle = explicit && kind == IlbKind::CpuIdle;
                if idle || Relevance::only(kind) != last || !Relevance::needs(kind, seen) {
                    continue;
                }
                if let Some(first) = merge.tables[at].advance()? {
                    seen = seen.with(kind);
                    merge.put((first, at));
                }
            }
        }
        Ok(merge)
    }

    /// The kinds of the tables given, be they empty.
    #[must_use]
    pub fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Whether the row at `one` comes before that at `other`.
    #[inline]
    fn before(&self, one: (u64, usize), other: (u64, usize)) -> bool {
        if one.0 != other.0 {
            return one.0 < other.0;
        }
        self.tables[one.1].rank() < self.tables[other.1].rank()
    }

    /// Puts a head where it belongs: those that come before it, which are few, make room.
    #[inline]
    fn put(&mut self, head: (u64, usize)) {
        let len = self.heads.len();
        let first = self.heads.iter().rev();
        let first = first.take_while(|other| self.before(**other, head)).count();
        self.heads.push(head);
        if first > 0 {
            self.heads.copy_within(len - first..len, len - first + 1);
            self.heads[len - first] = head;
        }
    }

    /// The next row; times never go back.
    ///
    /// # Errors
    /// A table could not be read.
    #[inline]
    pub fn next_row(&mut self) -> Result<Option<IlbRow>, EngineError> {
        loop {
            let Some((_, at)) = self.heads.pop() else {
                return Ok(None);
            };
            let table = &mut self.tables[at];
            let row = table.take();
            if let Some(next) = table.advance()? {
                self.put((next, at));
            }
            let Some(mut row) = row else { continue };
            self.now_ns = self.now_ns.max(row.ts_ns);
            row.ts_ns = self.now_ns;
            return Ok(Some(row));
        }
    }
}
