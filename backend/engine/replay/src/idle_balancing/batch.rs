//! A batch of a table of the idle load balancer's events: its columns, the rows that count, and their meaning.

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;
use numalens_core::columns::{Texts, i64s, u8s, u32s, u64s};
use numalens_events::IlbKind;

use super::{BLOCKED_DUE, IDLE, IlbRow, NR_KNOWN, SHORT, UPDATE_DUE};

type Ints = ScalarBuffer<i64>;

/// The SCHED softirq.
const SCHED: i64 = 7;
const PRINT: &[u8] = b"Running rebalance for ";
pub(super) struct Batch {
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    cpu: ScalarBuffer<u32>,
    buffer: ScalarBuffer<u8>,
    /// Columns by what the kind needs; see [`names`].
    ints: [Option<Ints>; 4],
    /// State of the balancer that a tick's probe reads.
    nohz: Option<Nohz>,
    /// Columns of a queue's averages: `runnable_avg` and the CPU's capacity.
    averages: Option<[Ints; 2]>,
    texts: Option<Texts>,
}

/// The columns that a tick's probe reads besides ([`IlbKind::NOHZ`]), and what the CPU has left of its capacity.
struct Nohz {
    columns: [Ints; IlbKind::NOHZ.len()],
    capacity: Option<[Ints; 2]>,
}

impl Nohz {
    fn find(batch: &RecordBatch) -> Option<Self> {
        let all = IlbKind::NOHZ.map(|name| i64s(batch, name));
        let [
            Some(jiffies),
            Some(gate),
            Some(blocked),
            Some(load),
            Some(update),
        ] = all
        else {
            return None;
        };
        let capacity = [i64s(batch, "capacity"), i64s(batch, "imbalance_pct")];
        Some(Self {
            columns: [jiffies, gate, blocked, load, update],
            capacity: match capacity {
                [Some(capacity), Some(percent)] => Some([capacity, percent]),
                _ => None,
            },
        })
    }

    /// The row's state in the fields of [`IlbRow`].
    fn row(&self, row: usize) -> Option<(u64, u64)> {
        /// A CPU's whole capacity (`SCHED_CAPACITY_SCALE`, `include/linux/sched.h`).
        const WHOLE: i64 = 1024;
        let mut read = [0; IlbKind::NOHZ.len()];
        for (value, column) in read.iter_mut().zip(&self.columns) {
            *value = *column.get(row)?;
        }
        let [jiffies, gate, blocked, load, update] = read;
        let mut flags = 0;
        // `time_after(jiffies, nohz.next_blocked)`
        if load != 0 && jiffies.wrapping_sub(blocked) > 0 {
            flags |= BLOCKED_DUE;
        }
        if update != 0 {
            flags |= UPDATE_DUE;
        }
        // `check_cpu_capacity`; a CPU without a domain reads no percentage.
        if let Some([capacity, percent]) = &self.capacity {
            let (capacity, percent) = (*capacity.get(row)?, *percent.get(row)?);
            if capacity.saturating_mul(percent) < WHOLE * 100 && percent > 0 {
                flags |= SHORT;
            }
        }
        Some((gate.wrapping_sub(jiffies) as u64, flags))
    }
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
        IlbKind::WakeQueue => ([CPU, &["func"], &["type"], NONE], "func"),
        IlbKind::CsdEntry | IlbKind::WakeEntry => ([NONE, &["func"], NONE, NONE], "func"),
        IlbKind::Arrive | IlbKind::Pass | IlbKind::Kick => {
            ([NONE, &["nohz_flags", "flags"], NONE, NONE], "")
        }
        IlbKind::Leave => ([CPU, &["stopped"], NONE, NONE], ""),
        IlbKind::NrRunning => ([CPU, &["nr_running"], NONE, NONE], ""),
        IlbKind::Averages => ([CPU, &["parent"], &["util_avg"], &["util_est"]], ""),
        IlbKind::Search => ([CPU, &["idle"], &["span"], NONE], ""),
        IlbKind::SearchEnd | IlbKind::NewIdleEnd => ([NONE, &["moved"], NONE, NONE], ""),
        IlbKind::Enter | IlbKind::Balance | IlbKind::Ipi | IlbKind::WakeIdle | IlbKind::NewIdle => {
            ([CPU, NONE, NONE, NONE], "")
        }
        IlbKind::Migrate => ([&["dest_cpu"], &["pid"], &["orig_cpu"], NONE], ""),
        IlbKind::Print => ([NONE; 4], "buf"),
        IlbKind::BalancerKick
        | IlbKind::PassEnd
        | IlbKind::Lost
        | IlbKind::Nohz
        | IlbKind::TickEnd => ([NONE; 4], ""),
    }
}

impl Batch {
    pub(super) fn find(kind: IlbKind, batch: &RecordBatch) -> Option<Self> {
        let (ints, text) = names(kind);
        let any = |names: &[&str]| names.iter().find_map(|name| i64s(batch, name));
        Some(Self {
            ts: u64s(batch, "ts_ns")?,
            seq: u64s(batch, "seq")?,
            cpu: u32s(batch, "cpu")?,
            buffer: u8s(batch, "buffer")?,
            ints: ints.map(any),
            nohz: (kind == IlbKind::Trigger)
                .then(|| Nohz::find(batch))
                .flatten(),
            averages: match ["runnable_avg", "capacity"].map(|name| i64s(batch, name)) {
                [Some(runnable), Some(capacity)] if kind == IlbKind::Averages => {
                    Some([runnable, capacity])
                }
                _ => None,
            },
            texts: Texts::find(batch, text),
        })
    }

    #[inline]
    fn int(&self, at: usize, row: usize) -> Option<i64> {
        let column = self.ints.get(at)?.as_ref()?;
        column.get(row).copied()
    }

    /// Puts the rows that count into `kept`: those of the tracing instance, of the SCHED softirq, of the function. Most rows
    /// of their kinds, CPUs that balance themselves and busy ticks with nothing to leave, are not needed.
    pub(super) fn keep(
        &self,
        kind: IlbKind,
        function: Option<u64>,
        buffer: u8,
        kept: &mut Vec<u32>,
    ) {
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
            // Queues of groups have a parent.
            IlbKind::Averages => {
                kept.extend(rows.filter(ours).filter(|row| of(a, *row) == Some(0)));
            }
            IlbKind::Balance => {
                let own = |row: &u32| {
                    of(subject, *row).is_none_or(|of| of as u32 == self.cpu[*row as usize])
                };
                kept.extend(rows.filter(ours).filter(|row| !own(row)));
            }
            IlbKind::WakeQueue if column(2).is_some() => {
                /// `CSD_FLAG_TYPE_MASK` and `CSD_TYPE_TTWU` (`include/linux/smp_types.h`).
                const TYPES: i64 = 0xf0;
                const WAKES: i64 = 0x30;
                let wakes = |row: &u32| of(column(2), *row).is_some_and(|of| of & TYPES == WAKES);
                kept.extend(rows.filter(ours).filter(wakes));
            }
            // A probe on the function itself.
            IlbKind::WakeEntry if a.is_none() && self.texts.is_none() => {
                kept.extend(rows.filter(ours));
            }
            IlbKind::Timer
            | IlbKind::CsdQueue
            | IlbKind::CsdEntry
            | IlbKind::WakeQueue
            | IlbKind::WakeEntry => {
                let names = kind.functions();
                let is = |row: &u32| match &self.texts {
                    Some(texts) => {
                        let name = texts.get(*row as usize);
                        names.iter().any(|known| name.starts_with(known.as_bytes()))
                    }
                    None => function.is_some() && of(a, *row).map(|a| a as u64) == function,
                };
                kept.extend(rows.filter(ours).filter(is));
            }
            IlbKind::TickStop | IlbKind::CpuIdle | IlbKind::Migrate | IlbKind::NrRunning
                if a.is_none() => {}
            IlbKind::Print => {
                let Some(texts) = &self.texts else { return };
                let is = |row: &u32| texts.get(*row as usize).starts_with(PRINT);
                kept.extend(rows.filter(ours).filter(is));
            }
            _ => kept.extend(rows.filter(ours)),
        }
    }

    /// Makes rows that count and appends them to `ready`; a line without a valid number is skipped.
    pub(super) fn rows(&self, kind: IlbKind, kept: &[u32], ready: &mut Vec<(u64, IlbRow)>) {
        ready.reserve(kept.len());
        for &row in kept {
            let row = row as usize;
            if let Some(event) = self.row(kind, row) {
                // The tick reads the balancer's state first.
                if let Some((a, b)) = self.nohz.as_ref().and_then(|nohz| nohz.row(row)) {
                    let kind = IlbKind::Nohz;
                    ready.push((
                        self.seq[row],
                        IlbRow {
                            kind,
                            a,
                            b,
                            ..event
                        },
                    ));
                }
                ready.push((self.seq[row], event));
            }
        }
    }

    /// A row that counts.
    #[inline]
    fn row(&self, kind: IlbKind, row: usize) -> Option<IlbRow> {
        let cpu = self.cpu[row];
        let mut event = IlbRow {
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
                event.a = self.int(1, row).map_or(0, |nr| low(nr) | NR_KNOWN);
                if self.int(2, row).is_some_and(|idle| idle != 0) {
                    event.a |= IDLE;
                }
                event.b = self.int(3, row).unwrap_or(0) as u64;
            }
            IlbKind::Arrive | IlbKind::Pass | IlbKind::Kick => {
                event.a = self.int(1, row).map_or(0, |flags| low(flags) | NR_KNOWN);
            }
            IlbKind::TickStop | IlbKind::CpuIdle | IlbKind::Leave | IlbKind::NrRunning => {
                event.a = low(self.int(1, row)?);
            }
            IlbKind::Averages => {
                event.b = low(self.int(3, row).unwrap_or(0));
                if let Some([runnable, capacity]) = &self.averages {
                    event.a = low(self.int(2, row)?) | low(*runnable.get(row)?) << 32;
                    event.b |= low(*capacity.get(row)?) << 32;
                }
            }
            IlbKind::Search => {
                event.a = self.int(1, row).map_or(0, |idle| low(idle) | NR_KNOWN);
                event.b = low(self.int(2, row).unwrap_or(0));
            }
            // Less than none: a task of a higher class came in the meantime.
            IlbKind::SearchEnd | IlbKind::NewIdleEnd => {
                let moved = |moved: i64| moved.max(0) as u64 | NR_KNOWN;
                event.a = self.int(1, row).map_or(0, moved);
            }
            IlbKind::Migrate => {
                event.a = low(self.int(1, row)?);
                event.b = low(self.int(2, row).unwrap_or(0));
            }
            IlbKind::Print => {
                let text = self.texts.as_ref()?.get(row).strip_prefix(PRINT)?;
                event.subject = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
            }
            _ => {}
        }
        Some(event)
    }

    /// Each row's function as an address, with its CPU, time and number in the input.
    pub(super) fn addresses(&self, row: &mut impl FnMut(u32, u64, u64, u64)) {
        for at in 0..self.ts.len() {
            let address = self.int(1, at).unwrap_or(0) as u64;
            row(self.cpu[at], self.ts[at], self.seq[at], address);
        }
    }
}
