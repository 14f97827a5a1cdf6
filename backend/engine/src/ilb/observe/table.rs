//! Tables of the idle load balancer's events, batch by batch, and their merge.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;

use super::{IDLE, IlbKind, IlbRow, Kinds, NR_TOLD};
use crate::EngineError;
use crate::events::{Batches, LostMark, Texts, i64s, u8s, u32s, u64s};

type Ints = ScalarBuffer<i64>;

/// The SCHED softirq.
const SCHED: i64 = 7;
/// The functions of the tick's timer, the second one since 6.9.
const TICKS: [&[u8]; 2] = [b"tick_sched_timer", b"tick_nohz_handler"];
const CSD: &[u8] = b"nohz_csd_func";
const PRINT: &[u8] = b"Running rebalance for ";

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
    /// The batch's rows that count, and how many of them are done.
    kept: Vec<u32>,
    at: usize,
    /// Of [`IlbKind::Lost`]: the gaps, by their beginnings.
    marks: VecDeque<LostMark>,
}

struct Batch {
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    cpu: ScalarBuffer<u32>,
    buffer: ScalarBuffer<u8>,
    /// Columns by what the kind needs; see [`names`].
    ints: [Option<Ints>; 4],
    texts: Option<Texts>,
}

/// The integer columns of a kind: subject, then what makes up `a` and `b`; and the column of names.
fn names(kind: IlbKind) -> ([&'static [&'static str]; 4], &'static str) {
    const CPU: &[&str] = &["arg_cpu", "cpu_id"];
    const NONE: &[&str] = &[];
    match kind {
        IlbKind::Timer => ([NONE, &["function"], NONE, NONE], "function"),
        IlbKind::Trigger => (
            [NONE, &["nr_running"], &["idle_balance"], &["next_balance"]],
            "",
        ),
        IlbKind::TickStop => ([NONE, &["success"], NONE, NONE], ""),
        IlbKind::CpuIdle => ([CPU, &["state"], NONE, NONE], ""),
        IlbKind::Raise | IlbKind::Entry | IlbKind::Exit => ([NONE, &["vec"], NONE, NONE], ""),
        IlbKind::CsdQueue => ([CPU, &["func"], NONE, NONE], "func"),
        IlbKind::CsdEntry => ([NONE, &["func"], NONE, NONE], "func"),
        IlbKind::Arrive | IlbKind::Pass | IlbKind::Kick => {
            ([NONE, &["nohz_flags", "flags"], NONE, NONE], "")
        }
        IlbKind::Leave => ([CPU, &["stopped"], NONE, NONE], ""),
        IlbKind::Enter | IlbKind::Balance | IlbKind::Ipi | IlbKind::WakeIdle => {
            ([CPU, NONE, NONE, NONE], "")
        }
        IlbKind::Migrate => ([&["dest_cpu"], &["pid"], &["orig_cpu"], NONE], ""),
        IlbKind::Print => ([NONE; 4], "buf"),
        IlbKind::BalancerKick | IlbKind::Lost => ([NONE; 4], ""),
    }
}

impl Batch {
    fn find(kind: IlbKind, batch: &RecordBatch) -> Option<Self> {
        let (ints, text) = names(kind);
        let any = |names: &[&str]| names.iter().find_map(|name| i64s(batch, name));
        Some(Self {
            ts: u64s(batch, "ts_ns")?,
            seq: u64s(batch, "seq")?,
            cpu: u32s(batch, "cpu")?,
            buffer: u8s(batch, "buffer")?,
            ints: ints.map(any),
            texts: Texts::find(batch, text),
        })
    }

    fn int(&self, at: usize, row: usize) -> Option<i64> {
        let column = self.ints.get(at)?.as_ref()?;
        column.get(row).copied()
    }

    /// Puts the rows that count into `kept`: those of the tracing instance, of the SCHED softirq, of the function. That a CPU
    /// balances itself, or that a busy tick finds nothing to leave, are most rows of their kinds, and nobody needs them.
    fn keep(&self, kind: IlbKind, function: Option<u64>, buffer: u8, kept: &mut Vec<u32>) {
        let column = |at: usize| self.ints.get(at).and_then(|ints| ints.as_deref());
        let (subject, a) = (column(0), column(1));
        let rows = 0..self.ts.len() as u32;
        let ours = |row: &u32| self.buffer.get(*row as usize) == Some(&buffer);
        let of = |column: Option<&[i64]>, row: u32| {
            column.and_then(|all| all.get(row as usize).copied())
        };
        match kind {
            IlbKind::Raise | IlbKind::Entry | IlbKind::Exit => {
                let Some(vec) = a else { return };
                let both = rows.zip(vec).filter(|(_, vec)| **vec == SCHED);
                kept.extend(both.map(|(row, _)| row).filter(ours));
            }
            IlbKind::Leave => {
                let Some(stopped) = a else { return };
                let both = rows.zip(stopped).filter(|(_, stopped)| **stopped != 0);
                kept.extend(both.map(|(row, _)| row).filter(ours));
            }
            IlbKind::Balance => {
                let own = |row: &u32| {
                    of(subject, *row).is_none_or(|of| of as u32 == self.cpu[*row as usize])
                };
                kept.extend(rows.filter(ours).filter(|row| !own(row)));
            }
            IlbKind::Timer | IlbKind::CsdQueue | IlbKind::CsdEntry => {
                let names: &[&[u8]] = if kind == IlbKind::Timer {
                    &TICKS
                } else {
                    &[CSD]
                };
                let is = |row: &u32| match &self.texts {
                    Some(texts) => {
                        let name = texts.get(*row as usize);
                        names.iter().any(|known| name.starts_with(known))
                    }
                    None => function.is_some() && of(a, *row).map(|a| a as u64) == function,
                };
                kept.extend(rows.filter(ours).filter(is));
            }
            IlbKind::TickStop | IlbKind::CpuIdle | IlbKind::Migrate if a.is_none() => {}
            IlbKind::Print => {
                let Some(texts) = &self.texts else { return };
                let is = |row: &u32| texts.get(*row as usize).starts_with(PRINT);
                kept.extend(rows.filter(ours).filter(is));
            }
            _ => kept.extend(rows.filter(ours)),
        }
    }

    /// A row that counts.
    #[inline]
    fn row(&self, kind: IlbKind, row: usize) -> Option<IlbRow> {
        let cpu = self.cpu[row];
        let mut told = IlbRow {
            ts_ns: self.ts[row],
            cpu,
            kind,
            subject: self.int(0, row).map_or(cpu, |subject| subject as u32),
            a: 0,
            b: 0,
        };
        let low = |value: i64| value as u64 & 0xffff_ffff;
        match kind {
            IlbKind::Trigger => {
                told.a = self.int(1, row).map_or(0, |nr| low(nr) | NR_TOLD);
                if self.int(2, row).is_some_and(|idle| idle != 0) {
                    told.a |= IDLE;
                }
                told.b = self.int(3, row).unwrap_or(0) as u64;
            }
            IlbKind::Arrive | IlbKind::Pass | IlbKind::Kick => {
                told.a = self.int(1, row).map_or(0, |flags| low(flags) | NR_TOLD);
            }
            IlbKind::TickStop | IlbKind::CpuIdle | IlbKind::Leave => {
                told.a = low(self.int(1, row)?);
            }
            IlbKind::Migrate => {
                told.a = low(self.int(1, row)?);
                told.b = low(self.int(2, row).unwrap_or(0));
            }
            IlbKind::Print => {
                let text = self.texts.as_ref()?.get(row).strip_prefix(PRINT)?;
                told.subject = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
            }
            _ => {}
        }
        Some(told)
    }
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
        let row = self.kept.get(self.at).map(|&row| row as usize);
        let batch = self.batch.as_ref();
        let seq = row.zip(batch).and_then(|(row, batch)| batch.seq.get(row));
        (self.input, seq.copied().unwrap_or(u64::MAX))
    }

    /// Time of the next row, ns.
    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        if let Some(mark) = self.marks.front() {
            return Ok(Some(mark.since_ns));
        }
        loop {
            if let (Some(batch), Some(&row)) = (&self.batch, self.kept.get(self.at)) {
                return Ok(Some(batch.ts[row as usize]));
            }
            self.batch = None;
            self.at = 0;
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

    /// The next row, of which [`Self::advance`] told.
    fn take(&mut self) -> Option<IlbRow> {
        if let Some(mark) = self.marks.pop_front() {
            return Some(IlbRow {
                ts_ns: mark.since_ns,
                cpu: mark.cpu,
                kind: IlbKind::Lost,
                subject: mark.cpu,
                a: mark.until_ns,
                b: 0,
            });
        }
        let (batch, &row) = (self.batch.as_ref()?, self.kept.get(self.at)?);
        self.at += 1;
        batch.row(self.kind, row as usize)
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
            for at in 0..batch.ts.len() {
                let address = batch.int(1, at).unwrap_or(0) as u64;
                row(batch.cpu[at], batch.ts[at], batch.seq[at], address);
            }
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
        let told = merge.kinds.has(IlbKind::Enter) || merge.kinds.has(IlbKind::TickStop);
        for at in 0..merge.tables.len() {
            if told && merge.tables[at].kind == IlbKind::CpuIdle {
                continue;
            }
            if let Some(first) = merge.tables[at].advance()? {
                merge.put((first, at));
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

    fn put(&mut self, head: (u64, usize)) {
        let mut at = self.heads.len();
        while at > 0 && self.before(self.heads[at - 1], head) {
            at -= 1;
        }
        self.heads.insert(at, head);
    }

    /// The next row; times never go back.
    ///
    /// # Errors
    /// A table could not be read.
    pub fn next_row(&mut self) -> Result<Option<IlbRow>, EngineError> {
        loop {
            let Some((_, at)) = self.heads.pop() else {
                return Ok(None);
            };
            let table = &mut self.tables[at];
            let row = table.take();
            if let Some(next) = table.advance()? {
                // It goes on with the same table more often than not.
                match self.heads.last() {
                    Some(&first) if !self.before((next, at), first) => self.put((next, at)),
                    _ => self.heads.push((next, at)),
                }
            }
            // A line that is no number after all tells nothing.
            let Some(mut row) = row else { continue };
            self.now_ns = self.now_ns.max(row.ts_ns);
            row.ts_ns = self.now_ns;
            return Ok(Some(row));
        }
    }
}
