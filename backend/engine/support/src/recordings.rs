//! Recordings made in memory: events, their tables, an index on them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{
    Array, ArrayRef, Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_buffer::Buffer;
use arrow_schema::{DataType, Field, Schema};
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;
use numalens_core::{FileSink, Output};
use numalens_events::{EventTable, Kind, LostMark};
use numalens_replay::pass::{self, PassInputs, Tables};
use numalens_replay::run_state::{
    AllowedCpus, AllowedOf, First, Inputs, Iowaits, Member, QuotaSet, Recorded, Throttle,
};
use numalens_replay::states::{
    GROUPS_FILE, Groups, MACHINE_FILE, NAMES_FILE, StateRow, States, Which,
};
use numalens_replay::timeline::{Config, FILES, FOLDER, Index, Summary};
use numalens_replay::waits::{
    CAUSES_FILE, Cause, CauseSpans, CauseTotals, MASKS_FILE, PHASES_FILE, Phases, SPANS_FILE,
    SegmentLogs, WAITS_FILE, WaitRow, Waits,
};

use crate::model;
pub use crate::rows::{Ev, STOPPER, What, comm};

/// The first of the pids that are real-time tasks.
pub const REAL_TIME: i32 = 90;

/// A task of `SCHED_DEADLINE`.
pub const DEADLINE: i32 = 98;

/// The priority of a task, as the kernel counts.
pub fn prio(pid: i32) -> i32 {
    match pid {
        STOPPER => 0,
        DEADLINE => -1,
        REAL_TIME.. => 49,
        _ => 120,
    }
}

fn table(kind: Kind, rows: &[(u64, Ev)]) -> RecordBatch {
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        (
            "ts_ns",
            Arc::new(UInt64Array::from_iter_values(
                rows.iter().map(|row| row.1.ts),
            )),
        ),
        (
            "cpu",
            Arc::new(UInt32Array::from_iter_values(
                rows.iter().map(|row| row.1.cpu),
            )),
        ),
        (
            "seq",
            Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.0))),
        ),
        (
            "buffer",
            Arc::new(UInt8Array::from_iter_values(rows.iter().map(|_| 0))),
        ),
        (
            "common_pid",
            Arc::new(Int32Array::from_iter_values(rows.iter().map(
                |row| match row.1.what {
                    What::Stall { pid, .. } | What::Scan { pid, .. } => pid,
                    _ => 77,
                },
            ))),
        ),
    ];
    let ints = |get: &dyn Fn(What) -> i32| -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(
            rows.iter().map(|row| get(row.1.what)),
        ))
    };
    let names = |get: &dyn Fn(What) -> i32| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(
            rows.iter().map(|row| comm(get(row.1.what))),
        ))
    };
    let prev = |what| {
        if let What::Switch { prev, .. } = what {
            prev
        } else {
            0
        }
    };
    let next = |what| {
        if let What::Switch { next, .. } = what {
            next
        } else {
            0
        }
    };
    let state = |what| {
        if let What::Switch { state, .. } = what {
            state
        } else {
            0
        }
    };
    match kind {
        Kind::Switch => columns.extend([
            ("prev_comm", names(&prev)),
            ("prev_pid", ints(&prev)),
            ("prev_prio", ints(&|event| prio(prev(event)))),
            (
                "prev_state",
                Arc::new(Int64Array::from_iter_values(
                    rows.iter().map(|row| state(row.1.what)),
                )) as ArrayRef,
            ),
            ("next_comm", names(&next)),
            ("next_pid", ints(&next)),
            ("next_prio", ints(&|event| prio(next(event)))),
        ]),
        Kind::CgroupAttach => columns.push((
            "dst_path",
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| {
                if let What::Attach { path, .. } = row.1.what {
                    path
                } else {
                    ""
                }
            }))),
        )),
        Kind::Fork => columns.extend([
            (
                "parent_pid",
                ints(&|what| match what {
                    What::Fork { parent, .. } => parent,
                    _ => 0,
                }),
            ),
            (
                "child_pid",
                ints(&|what| match what {
                    What::Fork { child, .. } => child,
                    _ => 0,
                }),
            ),
        ]),
        Kind::SoftirqEntry | Kind::SoftirqExit | Kind::SoftirqRaise => columns.push((
            "vec",
            ints(&|what| match what {
                What::Irq { vec, .. } | What::Raise { vec } => vec,
                _ => 0,
            }),
        )),
        _ => {}
    }
    match kind {
        Kind::Switch | Kind::Fork | Kind::SoftirqEntry | Kind::SoftirqExit | Kind::SoftirqRaise => {
        }
        _ => {
            columns.push((
                "pid",
                ints(&|what| match what {
                    What::Waking { pid, .. }
                    | What::Wakeup { pid, .. }
                    | What::WakeupNew { pid, .. }
                    | What::Migrate { pid, .. }
                    | What::Exit { pid }
                    | What::Attach { pid, .. }
                    | What::Free { pid } => pid,
                    _ => 0,
                }),
            ));
            columns.push((
                "comm",
                names(&|what| match what {
                    What::Waking { pid, .. }
                    | What::Wakeup { pid, .. }
                    | What::WakeupNew { pid, .. } => pid,
                    _ => 0,
                }),
            ));
            let target = ints(&|what| match what {
                What::Waking { target, .. }
                | What::Wakeup { target, .. }
                | What::WakeupNew { target, .. } => target,
                What::Migrate { dest, .. } => dest,
                _ => 0,
            });
            columns.push((
                if kind == Kind::Migrate {
                    "dest_cpu"
                } else {
                    "target_cpu"
                },
                target,
            ));
        }
    }
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), false))
        .collect();
    RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns.into_iter().map(|column| column.1).collect(),
    )
    .unwrap()
}

/// The tables of the events, in small batches.
pub fn tables(events: &[Ev], batch_rows: usize) -> Vec<EventTable<'static>> {
    let mut kinds: BTreeMap<Kind, Vec<(u64, Ev)>> = BTreeMap::new();
    let mut lost = Vec::new();
    let mut pauses = Vec::new();
    for (seq, event) in events.iter().enumerate() {
        let kind = match event.what {
            What::Switch { .. } => Kind::Switch,
            What::Waking { .. } => Kind::Waking,
            What::Wakeup { .. } => Kind::Wakeup,
            What::WakeupNew { .. } => Kind::WakeupNew,
            What::Migrate { .. } => Kind::Migrate,
            What::Free { .. } => Kind::Free,
            What::Fork { .. } => Kind::Fork,
            What::Exit { .. } => Kind::Exit,
            What::Attach { .. } => Kind::CgroupAttach,
            What::Stall { enter: true, .. } => Kind::StallEnter,
            What::Stall { .. } => Kind::StallLeave,
            What::Raise { .. } => Kind::SoftirqRaise,
            What::Scan { enter: true, .. } => Kind::NumaScanEntry,
            What::Scan { .. } => Kind::NumaScanReturn,
            What::Irq { softirq, enter, .. } => match (softirq, enter) {
                (false, true) => Kind::IrqEntry,
                (false, false) => Kind::IrqExit,
                (true, true) => Kind::SoftirqEntry,
                (true, false) => Kind::SoftirqExit,
            },
            What::Pause => {
                pauses.push(event.ts);
                continue;
            }
            What::Lost => {
                let (since_ns, later) = (event.ts, &events[seq + 1..]);
                let next = later
                    .iter()
                    .find(|later| later.cpu == event.cpu && !matches!(later.what, What::Pause));
                let seq = seq as u64;
                lost.push(LostMark {
                    since_ns,
                    until_ns: next.map_or(since_ns, |next| next.ts),
                    seq,
                    cpu: event.cpu,
                    buffer: 0,
                });
                continue;
            }
        };
        kinds.entry(kind).or_default().push((seq as u64, *event));
    }
    let mut tables: Vec<EventTable<'static>> = kinds
        .into_iter()
        .map(|(kind, rows)| {
            let batches: Vec<_> = rows
                .chunks(batch_rows)
                .map(|rows| Ok(table(kind, rows)))
                .collect();
            EventTable::events(0, kind, 0, "", Box::new(batches.into_iter()))
        })
        .collect();
    tables.push(EventTable::lost(0, lost));
    tables.push(EventTable::pauses(pauses));
    tables
}

/// Files in memory.
#[derive(Default, Clone)]
pub struct Memory(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

struct MemoryFile(Memory, String);

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .held()
            .entry(self.1.clone())
            .or_default()
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FileSink for Memory {
    fn create(&mut self, name: &str) -> io::Result<Output> {
        Ok(self.writer(name))
    }
}

impl Memory {
    fn held(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn files(&self) -> [Buffer; 6] {
        FILES.map(|name| self.file(&format!("{FOLDER}/{name}")).unwrap_or_default())
    }

    pub fn file(&self, name: &str) -> Option<Buffer> {
        self.held().get(name).cloned().map(Buffer::from_vec)
    }

    /// Begins a file.
    pub fn writer(&self, name: &str) -> Output {
        Output::new(MemoryFile(self.clone(), name.to_owned()))
    }

    /// The bytes of a file that was written.
    pub fn buffer(&self, name: &str) -> Buffer {
        self.file(name).expect(name)
    }

    pub fn bytes(&self) -> usize {
        self.held().values().map(Vec::len).sum()
    }
}

pub fn config(events: &[Ev], cpus: u32, nodes: Vec<Node>) -> Config {
    Config {
        origin_ns: events.iter().map(|event| event.ts).min().unwrap_or(0),
        end_ns: events.iter().map(|event| event.ts).max().unwrap_or(0),
        cpus,
        nodes,
        recorded: Recorded {
            wakeup: true,
            waking: true,
            softirq: true,
            numa_scan: true,
            newidle: true,
            balance_rq: true,
        },
        switches: events
            .iter()
            .filter(|event| matches!(event.what, What::Switch { .. }))
            .count() as u64,
    }
}

/// What the pass writes of the events, in the model's terms.
pub fn answer(events: &[Ev], config: &Config, outside: &model::Outside) -> model::Answer {
    let inputs = Inputs {
        enqueued_before_wakeup: false,
        date_missing_wakeups: false,
        hz: 250,
        ran: Vec::new(),
        followed: None,
        reclassed: Vec::new(),
        sched_ext: outside.sched_ext.clone(),
        switches: outside.switches,
        iowaits: Iowaits::recorded(outside.iowaits.iter().flatten().copied()),
        members: (outside.members.iter())
            .map(|&(pid, path, from_ns)| Member {
                pid,
                path: path.to_owned(),
                from_ns,
            })
            .collect(),
        firsts: (outside.firsts.iter())
            .map(|&(cpu, from_ns, pid)| First {
                cpu,
                from_ns,
                pid,
                comm: comm(pid),
                prio: prio(pid),
            })
            .collect(),
        throttled: (outside.throttled.iter())
            .map(|&(path, from_ns, to_ns)| Throttle {
                path: path.to_owned(),
                from_ns,
                to_ns,
            })
            .collect(),
        allowed: (outside.allowed.iter())
            .map(|(pid, cpus)| (*pid, 0, 0, Some(cpus)))
            .chain(
                (outside.changed.iter())
                    .map(|(pid, from, sampled, cpus)| (*pid, *from, *sampled, cpus.as_ref())),
            )
            .map(|(pid, from_ns, sampled_ns, cpus)| AllowedCpus {
                of: AllowedOf::Task(pid),
                cpus: cpus.map(|cpus| cpus.iter().copied().collect()),
                from_ns,
                sampled_ns,
            })
            .collect(),
        kernel_threads: Vec::new(),
        starved: outside.starved.clone(),
        numa_balanced: outside.numa_balanced.clone(),
        offline: outside.offline.clone(),
        inactive: outside.inactive.clone(),
        quotas: (outside.quotas.iter())
            .map(|&(path, quota_ns, period_ns)| QuotaSet {
                path: path.to_owned(),
                quota_ns: Some(quota_ns),
                period_ns,
                from_ns: 0,
            })
            .collect(),
    };
    let mut memory = Memory::default();
    let summary = run_pass(tables(events, 100), config, inputs, &mut memory);
    let groups = memory
        .file(NAMES_FILE)
        .map_or_else(Groups::default, |bytes| Groups::open(bytes).unwrap());
    let states = memory.file(MACHINE_FILE).unwrap();
    let states = States::open(states, memory.file(GROUPS_FILE)).unwrap();
    let mut answer = model::Answer::default();
    let origin = config.origin_ns;
    states
        .scan(Which::Machine, origin, u64::MAX, |row| {
            answer.machine.push(*row);
        })
        .unwrap();
    let row = |row: &StateRow| {
        (
            groups.path(row.group).to_owned(),
            StateRow { group: 0, ..*row },
        )
    };
    states
        .scan(Which::Groups, origin, u64::MAX, |state| {
            answer.groups.push(row(state));
        })
        .unwrap();
    let waits = Waits::open(
        memory.file(WAITS_FILE).unwrap(),
        memory.file(CAUSES_FILE).unwrap(),
    )
    .unwrap();
    let file = |name: &str| memory.file(name).unwrap();
    let segments = SegmentLogs {
        nodes: &config.nodes,
        states: &states,
        spans: &CauseSpans::open(file(SPANS_FILE)).unwrap(),
        phases: &Phases::open(file(PHASES_FILE), file(MASKS_FILE)).unwrap(),
    };
    check_segments(&waits, segments, |task| summary.tasks.pid(task));
    waits
        .scan(0, u64::MAX, |wait, causes| {
            let row = WaitRow {
                group: 0,
                task: summary.tasks.pid(wait.task) as u32,
                ..*wait
            };
            answer
                .waits
                .push((groups.path(wait.group).to_owned(), row, causes.to_vec()));
        })
        .unwrap();
    answer.sort_waits();
    answer
}

/// Checks that the segments of each wait cover it without gaps and add up to its causes. Returns the number of waits.
pub fn check_segments(waits: &Waits, logs: SegmentLogs<'_>, pid: impl Fn(TaskId) -> i32) -> usize {
    let mut all = 0;
    waits
        .scan(0, u64::MAX, |wait, causes| {
            let phases = logs.phases.of(wait, causes, pid(wait.task)).unwrap();
            let mut sums: CauseTotals = [0; Cause::COUNT];
            let mut at = wait.start_ns;
            for segment in logs.segments(wait, causes, &phases).unwrap() {
                assert!(segment.from_ns == at && segment.to_ns > at, "{segment:?}");
                sums[segment.cause as usize] += segment.to_ns - segment.from_ns;
                at = segment.to_ns;
            }
            assert_eq!(at, wait.end_ns, "{wait:?}");
            let mut totals: CauseTotals = [0; Cause::COUNT];
            for total in causes {
                totals[total.cause as usize] = total.ns;
            }
            assert_eq!(sums, totals, "{wait:?} {causes:?} {phases:?}");
            all += 1;
        })
        .unwrap();
    all
}

/// The pass over tables of the scheduler's events alone.
pub fn run_pass(
    scheduler: Vec<EventTable<'_>>,
    config: &Config,
    run_state: Inputs,
    sink: &mut dyn FileSink,
) -> Summary {
    let tables = Tables {
        scheduler,
        ..Tables::default()
    };
    let inputs = PassInputs {
        run_state,
        ..PassInputs::default()
    };
    let summary = pass::run(tables, config, inputs, sink, &mut |_| true).unwrap();
    summary.timeline
}

/// The index on the events, as a query would open it.
pub fn index(events: &[Ev], config: &Config) -> (Index, Summary) {
    let mut memory = Memory::default();
    let summary = run_pass(tables(events, 100), config, Inputs::default(), &mut memory);
    let tasks = Buffer::from_vec(summary.tasks.write(&[], Vec::new()).unwrap());
    (Index::open(memory.files(), &tasks).unwrap(), summary)
}

/// An item of an answer; times in ns after the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    pub lane: u16,
    pub kind: u8,
    pub start: f64,
    pub end: f64,
    pub busy: f32,
    pub rt: f32,
    pub wait: f32,
    pub wait_max: u32,
    pub task: u32,
    pub count: u32,
}

fn column<'a, T: 'static>(batch: &'a RecordBatch, name: &str) -> &'a T {
    batch
        .column_by_name(name)
        .unwrap()
        .as_any()
        .downcast_ref::<T>()
        .unwrap()
}

pub fn items(batch: &RecordBatch) -> Vec<Item> {
    assert_eq!(batch.schema().field(0).data_type(), &DataType::UInt16);
    (0..batch.num_rows())
        .map(|row| Item {
            lane: column::<UInt16Array>(batch, "lane").value(row),
            kind: column::<UInt8Array>(batch, "kind").value(row),
            start: column::<Float64Array>(batch, "t0").value(row),
            end: column::<Float64Array>(batch, "t1").value(row),
            busy: column::<Float32Array>(batch, "busy").value(row),
            rt: column::<Float32Array>(batch, "rt").value(row),
            wait: column::<Float32Array>(batch, "wait").value(row),
            wait_max: column::<UInt32Array>(batch, "wait_max").value(row),
            task: column::<UInt32Array>(batch, "task").value(row),
            count: column::<UInt32Array>(batch, "count").value(row),
        })
        .collect()
}
