//! Switches that are not in the recording and whose time can be inferred all the same.
//!
//! Some recorders omit events while certain tasks are on a CPU, the idle task among them. The switch to such a task is
//! recorded, the one away from it is not, and the next switch comes from a task without a switch to it. But the scheduler
//! records how long a task ran each time it accounts for it (`sched_stat_runtime`, at ticks and at the end of a slice), so
//! the slice began that long before. And each event names the task that its CPU runs (`common_pid`): if that differs from the
//! task of the last switch, a switch lies before the event.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, UInt8Array, UInt32Array,
    UInt64Array,
};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use numalens_core::EngineError;
use numalens_core::columns::{i32s, i64s, u8s, u32s, u64s};
use numalens_core::hash::PidMap;
use numalens_core::topology::MAX_CPUS;
use numalens_events::{Batches, Merge, Rows};

use crate::run_state::Ran;

/// Known state of a CPU.
#[derive(Debug, Clone, Default)]
struct Cpu {
    /// Task on it, and its start.
    current: Option<Slice>,
    /// The found switch that brought the current task, whose priority is not known yet.
    found: Option<usize>,
    /// Earliest time of that switch, if it is only known to lie before an event of the task.
    loose: Option<u64>,
}

#[derive(Debug, Clone)]
struct Slice {
    pid: i32,
    /// Position among the tasks.
    task: usize,
    comm: String,
    prio: i32,
    since_ns: u64,
    /// The last event that named it, ns; 0 when there is none.
    named_ns: u64,
}

/// Pid, name, priority.
type Side = (i32, Box<str>, i32);

#[derive(Debug, Clone)]
struct Found {
    ts_ns: u64,
    cpu: u32,
    seq: u64,
    from: Side,
    to: Side,
}

#[derive(Debug, Clone, Default)]
struct Task {
    /// Name and priority.
    named: Option<(Box<str>, i32)>,
    /// Time of its last wakeup.
    woken_ns: Option<u64>,
}

/// Looks for switches that are missing.
#[derive(Debug, Default)]
pub struct Unseen {
    cpus: Vec<Cpu>,
    /// CPU and rank of the first event after each gap of lost events, descending.
    lost: Vec<(u64, u32)>,
    found: Vec<Found>,
    tasks: Vec<Task>,
    /// Places of the tasks by their pid.
    places: PidMap<usize>,
    left: u64,
    /// Times of found ones that are only known to lie between two times, ns.
    loose: Vec<u64>,
    ran: Vec<Ran>,
}

/// A table of which [`Unseen`] reads the rows of one tracing instance.
pub struct UnseenTable<'a> {
    batches: Batches<'a>,
    batch: Option<UnseenRows>,
    at: usize,
    buffer: u8,
}

impl<'a> UnseenTable<'a> {
    /// The table of these batches, of which the tracing instance `buffer` is read.
    #[must_use]
    pub fn new(batches: Batches<'a>, buffer: u8) -> Self {
        Self {
            batches,
            batch: None,
            at: 0,
            buffer,
        }
    }
}

impl Rows for UnseenTable<'_> {
    type Row<'r>
        = Option<(&'r UnseenRows, usize)>
    where
        Self: 'r;

    /// Goes to the next row and returns its rank in its input: clocks of CPUs may go back, the order of events does not.
    #[inline]
    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        loop {
            if let Some(rows) = &self.batch {
                while let Some(&seq) = rows.seq.get(self.at) {
                    if rows.buffer[self.at] == self.buffer {
                        return Ok(Some(seq));
                    }
                    self.at += 1;
                }
            }
            // The old batch goes before the next one is read.
            self.batch = None;
            self.at = 0;
            let Some(batch) = self.batches.next().transpose()? else {
                return Ok(None);
            };
            self.batch = UnseenRows::open(&batch);
        }
    }

    fn rank(&self) -> (u32, u64) {
        (0, 0)
    }

    #[inline]
    fn row(&mut self) -> Option<(&UnseenRows, usize)> {
        self.batch.as_ref().map(|rows| (rows, self.at))
    }

    #[inline]
    fn consume(&mut self) {
        self.at += 1;
    }
}

/// A batch of such a table, opened for its rows.
#[derive(Debug)]
pub struct UnseenRows {
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    cpu: ScalarBuffer<u32>,
    buffer: ScalarBuffer<u8>,
    own: Own,
}

#[derive(Debug)]
enum Own {
    Switch {
        prev_pid: ScalarBuffer<i32>,
        prev_comm: StringArray,
        prev_prio: ScalarBuffer<i32>,
        next_pid: ScalarBuffer<i32>,
        next_prio: ScalarBuffer<i32>,
        next_comm: StringArray,
    },
    Runtime {
        pid: ScalarBuffer<i32>,
        runtime: ScalarBuffer<i64>,
        comm: StringArray,
        emitter: Option<ScalarBuffer<i32>>,
    },
    /// Any event during which the kernel is certainly not switching.
    Other {
        current: ScalarBuffer<i32>,
        /// Pids of the woken tasks.
        woken: Option<ScalarBuffer<i32>>,
        /// Priorities.
        prio: Option<ScalarBuffer<i32>>,
    },
}

impl UnseenRows {
    /// The columns that are read of `sched_switch`.
    pub const SWITCH: [&str; 10] = [
        "ts_ns",
        "cpu",
        "seq",
        "buffer",
        "prev_pid",
        "prev_comm",
        "prev_prio",
        "next_pid",
        "next_prio",
        "next_comm",
    ];
    /// The columns that are read of `sched_stat_runtime`.
    pub const RUNTIME: [&str; 8] = [
        "ts_ns",
        "cpu",
        "seq",
        "buffer",
        "pid",
        "runtime",
        "comm",
        "common_pid",
    ];

    /// The columns that are read of other events.
    pub const OTHER: [&str; 7] = ["ts_ns", "cpu", "seq", "buffer", "common_pid", "pid", "prio"];
    /// Events of interrupts and of wakeups: interrupts are off while the kernel switches (`__schedule` to
    /// `finish_task_switch`), so these events come before or after a switch.
    pub const OTHERS: [&str; 6] = [
        "irq_handler_entry",
        "softirq_entry",
        "hrtimer_expire_entry",
        "sched_waking",
        "sched_wakeup",
        "sched_wakeup_new",
    ];

    /// Opens a batch; `None` when it lacks what is needed.
    fn open(batch: &RecordBatch) -> Option<Self> {
        let text = |name: &str| batch.column_by_name(name)?.as_string_opt::<i32>().cloned();
        let ints = |name: &str| i32s(batch, name);
        let own = if let Some(runtime) = i64s(batch, "runtime") {
            Own::Runtime {
                pid: ints("pid")?,
                runtime,
                comm: text("comm")?,
                emitter: ints("common_pid"),
            }
        } else if batch.column_by_name("prev_pid").is_none() {
            Own::Other {
                current: ints("common_pid")?,
                woken: ints("pid"),
                prio: ints("prio"),
            }
        } else {
            Own::Switch {
                prev_pid: ints("prev_pid")?,
                prev_comm: text("prev_comm")?,
                prev_prio: ints("prev_prio")?,
                next_pid: ints("next_pid")?,
                next_prio: ints("next_prio")?,
                next_comm: text("next_comm")?,
            }
        };
        Some(Self {
            ts: u64s(batch, "ts_ns")?,
            seq: u64s(batch, "seq")?,
            cpu: u32s(batch, "cpu")?,
            buffer: u8s(batch, "buffer")?,
            own,
        })
    }
}

impl Unseen {
    /// `lost` gives the CPU and the rank of the first event after each gap of lost events.
    #[must_use]
    pub fn new(lost: impl IntoIterator<Item = (u32, u64)>) -> Self {
        let mut lost: Vec<(u64, u32)> = lost.into_iter().map(|(cpu, seq)| (seq, cpu)).collect();
        lost.sort_unstable_by(|a, b| b.cmp(a));
        Self {
            lost,
            ..Self::default()
        }
    }

    /// Looks at all rows of some tables of one recording.
    ///
    /// # Errors
    /// A table could not be read.
    pub fn look(&mut self, tables: Vec<UnseenTable<'_>>) -> Result<(), EngineError> {
        let mut merge = Merge::new(tables)?;
        while let Some((_, row)) = merge.next_row()? {
            if let Some((rows, at)) = row {
                self.row(rows, at);
            }
        }
        Ok(())
    }

    #[inline]
    fn row(&mut self, rows: &UnseenRows, row: usize) {
        let (seq, cpu, ts_ns) = (rows.seq[row], rows.cpu[row], rows.ts[row]);
        while let Some(&(lost, cpu)) = self.lost.last()
            && lost <= seq
        {
            self.lost.pop();
            if let Some(cpu) = self.cpus.get_mut(cpu as usize) {
                *cpu = Cpu::default();
            }
        }
        if cpu >= MAX_CPUS {
            return;
        }
        let at = cpu as usize;
        if self.cpus.len() <= at {
            self.cpus.resize_with(at + 1, Cpu::default);
        }
        match &rows.own {
            Own::Switch {
                prev_pid,
                prev_comm,
                prev_prio,
                next_pid,
                next_prio,
                next_comm,
            } => {
                let from = (prev_pid[row], prev_comm.value(row), prev_prio[row]);
                let to = (next_pid[row], next_comm.value(row), next_prio[row]);
                self.switch(at, ts_ns, from, to);
            }
            Own::Runtime {
                pid,
                runtime,
                comm,
                emitter,
            } => {
                let pid = pid[row];
                // Another CPU may account for the task on this one; the event then is on the other CPU.
                let own = emitter.as_ref().is_none_or(|emitter| emitter[row] == pid);
                let known = &self.cpus[at];
                let seen = known.found.is_none()
                    && known.current.as_ref().is_some_and(|now| now.pid == pid);
                let ran = runtime[row].unsigned_abs();
                if !own {
                    self.ran.push(Ran {
                        pid,
                        from_ns: ts_ns.saturating_sub(ran),
                        to_ns: ts_ns,
                    });
                } else if !seen {
                    self.ran(cpu, seq, pid, comm.value(row), ts_ns.saturating_sub(ran));
                    self.cpus[at].loose = None;
                }
            }
            Own::Other {
                current,
                woken,
                prio,
            } => {
                self.runs(cpu, seq, current[row], ts_ns);
                if let Some(woken) = woken {
                    let place = self.place(woken[row]);
                    let task = &mut self.tasks[place];
                    task.woken_ns = Some(ts_ns);
                    // It may have changed since the last switch that names it.
                    if let (Some(prio), Some(named)) = (prio, &mut task.named) {
                        named.1 = prio[row];
                    }
                }
            }
        }
    }

    /// A recorded switch on the CPU at a place; both sides are pid, name, priority.
    fn switch(&mut self, at: usize, ts_ns: u64, from: (i32, &str, i32), to: (i32, &str, i32)) {
        let known = &mut self.cpus[at];
        let current = known.current.as_ref();
        let same = current.is_none_or(|slice| slice.pid == from.0);
        let place = current.filter(|_| same).map(|slice| slice.task);
        if let Some(found) = known.found.take().filter(|_| same) {
            self.found[found].to.2 = from.2;
        }
        self.loose.extend(known.loose.take().map(|_| ts_ns));
        self.left += u64::from(!same);
        let place = place.unwrap_or_else(|| self.place(from.0));
        self.named(place, from);
        let task = self.place(to.0);
        self.named(task, to);
        let known = &mut self.cpus[at];
        let mut comm = known
            .current
            .take()
            .map_or_else(String::new, |old| old.comm);
        comm.clear();
        comm.push_str(to.1);
        known.current = Some(Slice {
            pid: to.0,
            task,
            comm,
            prio: to.2,
            since_ns: ts_ns,
            named_ns: 0,
        });
    }

    fn place(&mut self, pid: i32) -> usize {
        let Self { tasks, places, .. } = self;
        *places.entry(pid).or_insert_with(|| {
            tasks.push(Task::default());
            tasks.len() - 1
        })
    }

    /// An event names the task that the CPU runs. Where that is another than the last switch brought, it came before: from
    /// idle as soon as it was woken, else just before the event.
    fn runs(&mut self, cpu: u32, seq: u64, pid: i32, ts_ns: u64) {
        let Some(known) = &mut self.cpus[cpu as usize].current else {
            return;
        };
        if known.pid == pid {
            known.named_ns = ts_ns;
            return;
        }
        let (after, idle) = (known.since_ns, known.pid == 0);
        let place = self.places.get(&pid).copied();
        let woken = place.and_then(|place| self.tasks[place].woken_ns);
        let woken = woken.filter(|&woken| idle && woken >= after && woken < ts_ns);
        let came = woken.map_or(ts_ns.saturating_sub(1), |woken| {
            woken.max(known.named_ns) + 1
        });
        self.ran(cpu, seq, pid, "", came.min(ts_ns.saturating_sub(1)));
        if woken.is_none() {
            self.cpus[cpu as usize].loose = Some(after);
        }
    }

    /// Adds the name and the priority of the task at a place.
    fn named(&mut self, place: usize, (pid, comm, prio): (i32, &str, i32)) {
        let known = &mut self.tasks[place].named;
        let same = known.as_ref();
        let same = same.is_some_and(|known| known.1 == prio && *known.0 == *comm);
        if pid != 0 && !same {
            *known = Some((comm.into(), prio));
        }
    }

    /// A task was on the CPU from `since_ns` on.
    fn ran(&mut self, cpu: u32, seq: u64, pid: i32, comm: &str, since_ns: u64) {
        /// Priority of a missing switch when no other switch shows it.
        const USUAL: i32 = 120;
        let task = self.place(pid);
        if !comm.is_empty() && self.tasks[task].named.is_none() {
            self.named(task, (pid, comm, USUAL));
        }
        let known = &mut self.cpus[cpu as usize];
        let Some(slice) = &mut known.current else {
            return;
        };
        if slice.pid == pid {
            if let (Some(found), Some(after)) = (known.found, known.loose)
                && since_ns < slice.since_ns
            {
                slice.since_ns = since_ns.max(after + 1);
                self.found[found].ts_ns = slice.since_ns;
            }
            return;
        }
        let since_ns = since_ns.max(slice.since_ns + 1);
        self.found.push(Found {
            ts_ns: since_ns,
            cpu,
            seq,
            from: (slice.pid, slice.comm.as_str().into(), slice.prio),
            to: (pid, comm.into(), USUAL),
        });
        *known = Cpu {
            current: Some(Slice {
                pid,
                task,
                comm: comm.to_owned(),
                prio: USUAL,
                since_ns,
                named_ns: 0,
            }),
            found: Some(self.found.len() - 1),
            loose: None,
        };
    }

    /// Number of missing switches without a known time.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Takes the ends, ns, of the slices after switches whose time is only known to lie between a switch and an event of the
    /// next task.
    pub fn take_loose(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.loose)
    }

    /// Takes the times in which tasks ran, according to events of other tasks.
    pub fn take_ran(&mut self) -> Vec<Ran> {
        std::mem::take(&mut self.ran)
    }

    /// Number of found switches.
    #[must_use]
    pub fn found(&self) -> u64 {
        self.found.len() as u64
    }

    /// Returns the found switches as a batch of `sched_switch`, ascending by time, as rows of the tracing instance `buffer`.
    /// The state of the leaving task is not known; it counts as sleeping, which the replay corrects when the task runs again.
    ///
    /// # Errors
    /// The batch could not be built.
    pub fn finish(mut self, buffer: u8) -> Result<RecordBatch, ArrowError> {
        const SLEEPING: i64 = 1;
        for found in &mut self.found {
            for (pid, comm, prio) in [&mut found.from, &mut found.to] {
                if !comm.is_empty() {
                    continue;
                }
                let place = self.places.get(pid);
                if let Some((name, own)) = place.and_then(|&at| self.tasks[at].named.as_ref()) {
                    (*comm, *prio) = (name.clone(), *own);
                } else if *pid == 0 {
                    *comm = format!("swapper/{}", found.cpu).into();
                } else {
                    // As the recorders print a task without a name.
                    *comm = "<...>".into();
                }
            }
        }
        self.found
            .sort_by_key(|found| (found.ts_ns, found.cpu, found.seq));
        let found = &self.found;
        let field = |name, ty| Field::new(name, ty, false);
        let schema = Schema::new(vec![
            field("ts_ns", DataType::UInt64),
            field("cpu", DataType::UInt32),
            field("seq", DataType::UInt64),
            field("buffer", DataType::UInt8),
            field("prev_comm", DataType::Utf8),
            field("prev_pid", DataType::Int32),
            field("prev_prio", DataType::Int32),
            field("prev_state", DataType::Int64),
            field("next_comm", DataType::Utf8),
            field("next_pid", DataType::Int32),
            field("next_prio", DataType::Int32),
        ]);
        let side = |side: fn(&Found) -> &Side| -> [ArrayRef; 3] {
            [
                Arc::new(StringArray::from_iter_values(
                    found.iter().map(|row| &side(row).1),
                )),
                Arc::new(Int32Array::from_iter_values(
                    found.iter().map(|row| side(row).0),
                )),
                Arc::new(Int32Array::from_iter_values(
                    found.iter().map(|row| side(row).2),
                )),
            ]
        };
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(UInt64Array::from_iter_values(
                found.iter().map(|row| row.ts_ns),
            )),
            Arc::new(UInt32Array::from_iter_values(
                found.iter().map(|row| row.cpu),
            )),
            Arc::new(UInt64Array::from_iter_values(
                found.iter().map(|row| row.seq),
            )),
            Arc::new(UInt8Array::from(vec![buffer; found.len()])),
        ];
        columns.extend(side(|row| &row.from));
        columns.push(Arc::new(Int64Array::from(vec![SLEEPING; found.len()])));
        columns.extend(side(|row| &row.to));
        RecordBatch::try_new(Arc::new(schema), columns)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::{Int32Type, UInt64Type};

    use super::*;

    fn switches(rows: &[(u64, u64, i32, i32)]) -> UnseenRows {
        let number = |pick: fn(&(u64, u64, i32, i32)) -> i32| -> ArrayRef {
            Arc::new(
                rows.iter()
                    .map(|row| Some(pick(row)))
                    .collect::<Int32Array>(),
            )
        };
        let names = rows.iter().map(|row| format!("t{}", row.3));
        let columns: Vec<(&str, ArrayRef)> = vec![
            (
                "ts_ns",
                Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.0))),
            ),
            (
                "seq",
                Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.1))),
            ),
            ("cpu", Arc::new(UInt32Array::from(vec![0; rows.len()]))),
            ("buffer", Arc::new(UInt8Array::from(vec![0; rows.len()]))),
            ("prev_pid", number(|row| row.2)),
            (
                "prev_comm",
                Arc::new(StringArray::from_iter_values(
                    rows.iter().map(|row| format!("t{}", row.2)),
                )),
            ),
            ("prev_prio", number(|_| 110)),
            ("next_pid", number(|row| row.3)),
            ("next_prio", number(|_| 115)),
            ("next_comm", Arc::new(StringArray::from_iter_values(names))),
        ];
        UnseenRows::open(&RecordBatch::try_from_iter(columns).unwrap()).unwrap()
    }

    fn runtime(ts_ns: u64, seq: u64, pid: i32, ran: u64, emitter: i32) -> UnseenRows {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("ts_ns", Arc::new(UInt64Array::from(vec![ts_ns]))),
            ("seq", Arc::new(UInt64Array::from(vec![seq]))),
            ("cpu", Arc::new(UInt32Array::from(vec![0]))),
            ("buffer", Arc::new(UInt8Array::from(vec![0]))),
            ("pid", Arc::new(Int32Array::from(vec![pid]))),
            ("runtime", Arc::new(UInt64Array::from(vec![ran]))),
            ("comm", Arc::new(StringArray::from(vec![format!("t{pid}")]))),
            ("common_pid", Arc::new(Int32Array::from(vec![emitter]))),
        ];
        UnseenRows::open(&RecordBatch::try_from_iter(columns).unwrap()).unwrap()
    }

    fn look(unseen: &mut Unseen, rows: &UnseenRows) {
        (0..rows.seq.len()).for_each(|row| unseen.row(rows, row));
    }

    #[test]
    fn a_runtime_dates_the_switch_before_it() {
        let mut unseen = Unseen::new([]);
        look(&mut unseen, &switches(&[(100, 1, 5, 6)]));
        look(&mut unseen, &runtime(900, 2, 6, 800, 6));
        // Accounted for from elsewhere: says that it ran, and nothing about this CPU.
        look(&mut unseen, &runtime(950, 3, 9, 100, 6));
        let ran = Ran {
            pid: 9,
            from_ns: 850,
            to_ns: 950,
        };
        assert_eq!(unseen.take_ran(), [ran]);
        look(&mut unseen, &runtime(2_000, 4, 7, 600, 7));
        look(&mut unseen, &runtime(2_500, 5, 7, 500, 7));
        look(
            &mut unseen,
            &switches(&[(2_500, 6, 7, 0), (3_000, 7, 8, 0)]),
        );
        assert_eq!((unseen.found(), unseen.left()), (1, 1));
        let batch = unseen.finish(0).unwrap();
        let number = |name: &str| {
            batch
                .column_by_name(name)
                .unwrap()
                .as_primitive::<Int32Type>()
                .value(0)
        };
        assert_eq!(
            batch.column(0).as_primitive::<UInt64Type>().values(),
            &[1_400]
        );
        assert_eq!((number("prev_pid"), number("next_pid")), (6, 7));
        assert_eq!((number("prev_prio"), number("next_prio")), (115, 110));
    }

    fn other(rows: &[(u64, u64, i32)]) -> UnseenRows {
        let times = rows.iter().map(|row| row.0);
        let ranks = rows.iter().map(|row| row.1);
        let pids: Int32Array = rows.iter().map(|row| Some(row.2)).collect();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("ts_ns", Arc::new(UInt64Array::from_iter_values(times))),
            ("seq", Arc::new(UInt64Array::from_iter_values(ranks))),
            ("cpu", Arc::new(UInt32Array::from(vec![0; rows.len()]))),
            ("buffer", Arc::new(UInt8Array::from(vec![0; rows.len()]))),
            ("common_pid", Arc::new(pids)),
        ];
        UnseenRows::open(&RecordBatch::try_from_iter(columns).unwrap()).unwrap()
    }

    /// Time, who came, and its name, of each found switch.
    fn found(unseen: Unseen) -> Vec<(u64, i32, String)> {
        let batch = unseen.finish(0).unwrap();
        let column = |name: &str| batch.column_by_name(name).unwrap();
        let times = batch.column(0).as_primitive::<UInt64Type>();
        let pids = column("next_pid").as_primitive::<Int32Type>();
        let comms = column("next_comm").as_string::<i32>();
        let rows = 0..batch.num_rows();
        rows.map(|row| {
            (
                times.value(row),
                pids.value(row),
                comms.value(row).to_owned(),
            )
        })
        .collect()
    }

    #[test]
    fn an_event_names_the_task_that_its_cpu_runs() {
        let mut unseen = Unseen::new([]);
        look(&mut unseen, &switches(&[(100, 1, 5, 0)]));
        look(
            &mut unseen,
            &other(&[(200, 2, 0), (1_000, 3, 7), (1_100, 4, 7)]),
        );
        // By how long it ran it came at 800, not just before the event.
        look(&mut unseen, &runtime(1_200, 5, 7, 400, 7));
        look(&mut unseen, &other(&[(3_000, 6, 0), (4_000, 7, 9)]));
        look(&mut unseen, &switches(&[(5_000, 8, 9, 0)]));
        assert_eq!(unseen.left(), 0);
        let expected = [(800, 7, "t7"), (2_999, 0, "swapper/0"), (3_999, 9, "t9")];
        let expected = expected.map(|(at, pid, comm)| (at, pid, comm.to_owned()));
        assert_eq!(found(unseen), expected);
    }

    /// A wake-up, which prints the real-time priority of who is woken.
    fn woken(ts: u64, seq: u64, current: i32, pid: i32) -> UnseenRows {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("ts_ns", Arc::new(UInt64Array::from(vec![ts]))),
            ("seq", Arc::new(UInt64Array::from(vec![seq]))),
            ("cpu", Arc::new(UInt32Array::from(vec![0]))),
            ("buffer", Arc::new(UInt8Array::from(vec![0]))),
            ("common_pid", Arc::new(Int32Array::from(vec![current]))),
            ("pid", Arc::new(Int32Array::from(vec![pid]))),
            ("prio", Arc::new(Int32Array::from(vec![72]))),
        ];
        UnseenRows::open(&RecordBatch::try_from_iter(columns).unwrap()).unwrap()
    }

    #[test]
    fn a_task_has_the_priority_that_an_event_printed_last() {
        let mut unseen = Unseen::new([]);
        look(&mut unseen, &switches(&[(100, 1, 7, 0)]));
        look(&mut unseen, &woken(1_000, 2, 0, 7));
        look(&mut unseen, &other(&[(1_010, 3, 0), (5_000, 4, 7)]));
        let batch = unseen.finish(0).unwrap();
        let number = |name: &str| {
            let column = batch.column_by_name(name).unwrap();
            column.as_primitive::<Int32Type>().value(0)
        };
        assert_eq!((number("next_pid"), number("next_prio")), (7, 72));
    }

    #[test]
    fn who_is_woken_on_an_idle_cpu_comes_at_once() {
        let mut unseen = Unseen::new([]);
        look(&mut unseen, &switches(&[(100, 1, 7, 0)]));
        look(&mut unseen, &woken(1_000, 2, 0, 7));
        look(&mut unseen, &other(&[(1_010, 3, 0), (5_000, 4, 7)]));
        // While another task runs, a woken one may wait.
        look(&mut unseen, &woken(6_000, 5, 7, 9));
        look(&mut unseen, &other(&[(9_000, 6, 9)]));
        let found: Vec<_> = found(unseen)
            .into_iter()
            .map(|row| (row.0, row.1))
            .collect();
        assert_eq!(found, [(1_011, 7), (8_999, 9)]);
    }

    #[test]
    fn an_event_of_the_known_task_says_nothing_new() {
        let mut unseen = Unseen::new([]);
        look(&mut unseen, &switches(&[(100, 1, 5, 6)]));
        look(&mut unseen, &other(&[(200, 2, 6)]));
        look(&mut unseen, &switches(&[(300, 3, 6, 0)]));
        look(&mut unseen, &other(&[(400, 4, 0)]));
        assert_eq!((unseen.found(), unseen.left()), (0, 0));
    }

    #[test]
    fn a_stay_begins_after_the_one_before() {
        let mut unseen = Unseen::new([]);
        look(&mut unseen, &switches(&[(1_000, 1, 5, 0)]));
        look(&mut unseen, &runtime(1_500, 2, 7, 4_000, 7));
        let batch = unseen.finish(0).unwrap();
        assert_eq!(
            batch.column(0).as_primitive::<UInt64Type>().values(),
            &[1_001]
        );
    }

    #[test]
    fn nothing_is_known_after_lost_events() {
        let mut unseen = Unseen::new([(0, 2)]);
        look(&mut unseen, &switches(&[(1_000, 1, 5, 6)]));
        look(&mut unseen, &runtime(9_000, 2, 7, 500, 7));
        assert_eq!((unseen.found(), unseen.left()), (0, 0));
    }
}
