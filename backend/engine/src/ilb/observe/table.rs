//! Tables of the idle load balancer's events, batch by batch, and their merge.

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;

use super::{IDLE, IlbKind, IlbRow, Kinds, NR_TOLD};
use crate::EngineError;
use crate::events::{Batches, Texts, i64s, u8s, u32s, u64s};

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
    at: usize,
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
        IlbKind::BalancerKick => ([NONE; 4], ""),
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

    #[inline]
    fn row(&self, kind: IlbKind, function: Option<u64>, row: usize) -> Option<IlbRow> {
        let cpu = self.cpu[row];
        let mut told = IlbRow {
            ts_ns: self.ts[row],
            cpu,
            kind,
            subject: self.int(0, row).map_or(cpu, |subject| subject as u32),
            a: 0,
            b: 0,
        };
        let a = self.int(1, row);
        let low = |value: i64| value as u64 & 0xffff_ffff;
        match kind {
            IlbKind::Timer | IlbKind::CsdQueue | IlbKind::CsdEntry => {
                let name = self.texts.as_ref().map(|texts| texts.get(row));
                let is = match name {
                    Some(name) if kind == IlbKind::Timer => {
                        TICKS.iter().any(|tick| name.starts_with(tick))
                    }
                    Some(name) => name.starts_with(CSD),
                    None => a.is_some() && a.map(|a| a as u64) == function,
                };
                if !is {
                    return None;
                }
            }
            IlbKind::Raise | IlbKind::Entry | IlbKind::Exit if a != Some(SCHED) => return None,
            IlbKind::Trigger => {
                told.a = a.map_or(0, |nr| low(nr) | NR_TOLD);
                if self.int(2, row).is_some_and(|idle| idle != 0) {
                    told.a |= IDLE;
                }
                told.b = self.int(3, row).unwrap_or(0) as u64;
            }
            IlbKind::Arrive | IlbKind::Pass | IlbKind::Kick => {
                told.a = a.map_or(0, |flags| low(flags) | NR_TOLD);
            }
            IlbKind::TickStop | IlbKind::CpuIdle | IlbKind::Leave => told.a = low(a?),
            IlbKind::Migrate => {
                told.a = low(a?);
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
            at: 0,
        }
    }

    fn next(&mut self) -> Result<Option<Placed>, EngineError> {
        loop {
            if let Some(batch) = &self.batch {
                while self.at < batch.ts.len() {
                    let row = self.at;
                    self.at += 1;
                    if batch.buffer[row] != self.buffer {
                        continue;
                    }
                    if let Some(told) = batch.row(self.kind, self.function, row) {
                        let rank = (told.ts_ns, self.input, batch.seq[row]);
                        return Ok(Some((rank, told)));
                    }
                }
            }
            self.batch = None;
            self.at = 0;
            let Some(next) = self.batches.next().transpose()? else {
                return Ok(None);
            };
            self.batch = Batch::find(self.kind, &next);
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
            for at in 0..batch.ts.len() {
                let address = batch.int(1, at).unwrap_or(0) as u64;
                row(batch.cpu[at], batch.ts[at], batch.seq[at], address);
            }
        }
        Ok(())
    }
}

/// A row with its rank: time, input, number in the input.
type Placed = ((u64, u32, u64), IlbRow);

/// The rows of several tables in ascending time; of one time in the order of inputs, then of their numbers.
pub struct IlbMerge<'a> {
    /// Tables that have rows left and their next ones, the first one last.
    heads: Vec<(Placed, Box<IlbTable<'a>>)>,
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
            kinds: Kinds::default(),
            now_ns: 0,
        };
        for table in &tables {
            merge.kinds = merge.kinds.with(table.kind);
        }
        // Idle states only stand in for what tells of stopped ticks.
        let told = merge.kinds.has(IlbKind::Enter) || merge.kinds.has(IlbKind::TickStop);
        for mut table in tables {
            if told && table.kind == IlbKind::CpuIdle {
                continue;
            }
            if let Some(first) = table.next()? {
                merge.put(first, Box::new(table));
            }
        }
        Ok(merge)
    }

    /// The kinds of the tables given, be they empty.
    #[must_use]
    pub fn kinds(&self) -> Kinds {
        self.kinds
    }

    fn put(&mut self, next: Placed, table: Box<IlbTable<'a>>) {
        let mut at = self.heads.len();
        while at > 0 && self.heads[at - 1].0.0 < next.0 {
            at -= 1;
        }
        self.heads.insert(at, (next, table));
    }

    /// The next row; times never go back.
    ///
    /// # Errors
    /// A table could not be read.
    pub fn next_row(&mut self) -> Result<Option<IlbRow>, EngineError> {
        let Some(((_, mut row), mut table)) = self.heads.pop() else {
            return Ok(None);
        };
        if let Some(next) = table.next()? {
            self.put(next, table);
        }
        self.now_ns = self.now_ns.max(row.ts_ns);
        row.ts_ns = self.now_ns;
        Ok(Some(row))
    }
}
