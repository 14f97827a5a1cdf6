//! Causes of sleeps from events besides the scheduler's: system calls, contended locks, reclaim, block requests, the freezer and signals.

use std::collections::{BTreeMap, HashMap};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use numalens_bundle::{Error, Open, events};
use numalens_core::columns::{Texts, i64s, u64s};
use serde::Deserialize;

use crate::calls::{Call, Machine};
use crate::catalogue::SleepCause;
use crate::deferred::Deferred;
use crate::devices::Requests;
use crate::piece::Resource;

/// Maximum time from the completion of a request to the wake-up of the task that waits for it, ns.
const COMPLETION_NS: u64 = 100_000;
/// Maximum time between the accounting and the wakeup of a task that slept for I/O, in either order, ns.
const ACCOUNTING_NS: u64 = 50_000;
/// Maximum time for the freezer to wake the tasks of a cgroup, ns.
const THAW_NS: u64 = 10_000_000;

/// Maximum number of shorter intervals considered inside one that has a whole sleep.
const NESTED: usize = 256;

/// Begin or end of a system call.
#[derive(Debug, Clone, Copy)]
struct Edge {
    ts_ns: u64,
    /// `None` where it returns, or says nothing.
    call: Option<(Call, Option<u64>)>,
    enters: bool,
}

/// Time in which a task waited for one thing, whatever else it did.
#[derive(Debug, Clone, Copy)]
struct Interval {
    from_ns: u64,
    to_ns: u64,
    cause: SleepCause,
    resource: Resource,
}

/// A write to the freezer.
#[derive(Debug)]
struct Freeze {
    ts_ns: u64,
    pid: i32,
    thaws: bool,
    path: String,
}

/// A signal that stops.
#[derive(Debug, Clone, Copy)]
struct Stop {
    ts_ns: u64,
    signal: u8,
    by: i32,
}

/// Events of a recording about sleeps.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    edges: HashMap<i32, Vec<Edge>>,
    has_exits: bool,
    intervals: HashMap<i32, Vec<Interval>>,
    /// By CPU, when requests were completed and of which device.
    completed: HashMap<i64, Vec<(u64, u32)>>,
    /// By task, when it was accounted that it had slept for I/O.
    iowaits: HashMap<i32, Vec<u64>>,
    freezes: Vec<Freeze>,
    /// Times at which each task touched a page that was not mapped.
    faults: HashMap<i32, Vec<u64>>,
    /// By task.
    stops: HashMap<i32, Vec<Stop>>,
    /// Block requests.
    pub(crate) requests: Requests,
    /// Timers and works of workqueues.
    pub(crate) deferred: Deferred,
}

#[derive(Deserialize)]
struct Manifest {
    inputs: Vec<Input>,
}

#[derive(Deserialize)]
struct Input {
    kernel: Option<String>,
    #[serde(default)]
    facts: BTreeMap<String, String>,
}

/// The machine that was recorded, if an input names it.
fn machine(open: &Open) -> Option<Machine> {
    let manifest: Manifest = serde_json::from_str(&open.manifest).ok()?;
    manifest.inputs.iter().find_map(|input| {
        let mut texts = input.kernel.iter().chain(input.facts.get("arch"));
        texts.find_map(|text| Machine::named(text))
    })
}

/// Pairs of events that a task is between, and what it waits for then.
const BETWEEN: &[(&str, &str, SleepCause, &str)] = &[
    (
        "mm_vmscan_direct_reclaim_begin",
        "mm_vmscan_direct_reclaim_end",
        SleepCause::Memory,
        "direct reclaim",
    ),
    (
        "mm_vmscan_memcg_reclaim_begin",
        "mm_vmscan_memcg_reclaim_end",
        SleepCause::Memory,
        "reclaim of its memory cgroup",
    ),
    (
        "mm_compaction_begin",
        "mm_compaction_end",
        SleepCause::Memory,
        "compaction",
    ),
];

/// Kinds of kernel locks by the flags of `contention_begin` (`include/trace/events/lock.h`). A spinning task does not sleep.
const LOCKS: [(u64, &str); 6] = [
    (32, "mutex"),
    (16, "percpu rwsem"),
    (8, "rt mutex"),
    (4, "rwsem for writing"),
    (2, "rwsem for reading"),
    (0, "lock"),
];

/// Number of the flags of `contention_begin`, which texts have by name.
fn flags_of(text: &str) -> u64 {
    let names = [
        ("SPIN", 1),
        ("READ", 2),
        ("WRITE", 4),
        ("RT", 8),
        ("PERCPU", 16),
        ("MUTEX", 32),
    ];
    text.parse().unwrap_or_else(|_| {
        let parts = text.split(|c: char| !c.is_ascii_alphabetic());
        parts
            .filter_map(|part| names.iter().find(|name| name.0 == part))
            .fold(0, |all, name| all | name.1)
    })
}

/// Name of a thing that an interval waits for.
pub(crate) fn reclaim_name(at: u8) -> &'static str {
    BETWEEN.get(usize::from(at)).map_or("", |row| row.3)
}

/// Name of a lock of the kernel by its flags.
pub(crate) fn lock_name(flags: u8) -> &'static str {
    let row = LOCKS
        .iter()
        .find(|(flag, _)| u64::from(flags) & flag == *flag);
    row.map_or("lock", |row| row.1)
}

/// Name of a signal that stops.
pub(crate) fn signal_name(signal: u8) -> &'static str {
    match signal {
        19 => "SIGSTOP",
        20 => "SIGTSTP",
        21 => "SIGTTIN",
        22 => "SIGTTOU",
        _ => "signal",
    }
}

/// Columns that all events have.
pub(crate) struct Common {
    times: arrow_buffer::ScalarBuffer<u64>,
    pids: arrow_buffer::ScalarBuffer<i64>,
}

impl Common {
    fn find(batch: &RecordBatch) -> Option<Self> {
        let mut pids = ["common_pid", "tid"].iter();
        Some(Self {
            times: u64s(batch, "ts_ns")?,
            pids: pids.find_map(|name| i64s(batch, name))?,
        })
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, u64, i32)> + '_ {
        let rows = self.times.iter().zip(self.pids.iter()).enumerate();
        rows.map(|(row, (&ts_ns, &pid))| (row, ts_ns, pid as i32))
    }
}

/// Contention and reclaim that began and have not ended: by task.
type Begun = HashMap<i32, Vec<(u64, SleepCause, Resource)>>;

/// An event that begins or ends an interval of a task, in order of time.
struct Bound {
    ts_ns: u64,
    pid: i32,
    /// Interval that starts; `None` for an end.
    begins: Option<(SleepCause, Resource)>,
    /// The pair of events: ends close the last begin of the same pair.
    pair: u8,
}

impl Recorded {
    /// Number of the pair of events of contention.
    const CONTENTION: u8 = BETWEEN.len() as u8;

    pub(crate) fn of(open: &Open) -> Result<Self, Error> {
        let mut recorded = Self::default();
        let all = || open.tables.iter().map(|table| table.event.as_str());
        let reads = |event: &str| reads(event) || Deferred::reads(event, all());
        let mut tables = open.tables.iter();
        // A bundle may be kept without its event tables.
        if tables.any(|table| reads(&table.event) && !open.files.has(&table.file)) {
            return Ok(recorded);
        }
        let machine = machine(open);
        let mut bounds = Vec::new();
        events(
            open,
            |_, event| reads(event),
            |event, batch| recorded.observe(event, batch, machine, &mut bounds),
        )?;
        recorded.pair(bounds);
        for intervals in recorded.intervals.values_mut() {
            intervals.sort_by_key(|it| it.from_ns);
        }
        for edges in recorded.edges.values_mut() {
            edges.sort_by_key(|edge| edge.ts_ns);
        }
        for times in recorded.completed.values_mut() {
            times.sort_unstable();
        }
        for times in (recorded.iowaits.values_mut()).chain(recorded.faults.values_mut()) {
            times.sort_unstable();
        }
        for stops in recorded.stops.values_mut() {
            stops.sort_by_key(|stop| stop.ts_ns);
        }
        recorded.freezes.sort_by_key(|freeze| freeze.ts_ns);
        recorded.requests.sort();
        recorded.deferred.sort();
        Ok(recorded)
    }

    /// Set if block requests or sleeps for I/O were recorded: then a sleep with neither is not I/O.
    pub(crate) fn records_disks(&self) -> bool {
        !self.completed.is_empty() || !self.iowaits.is_empty()
    }

    fn observe(
        &mut self,
        event: &str,
        batch: &RecordBatch,
        machine: Option<Machine>,
        bounds: &mut Vec<Bound>,
    ) {
        let Some(common) = Common::find(batch) else {
            return;
        };
        match event {
            "sys_enter" | "sys_exit" => self.raw_calls(event, &common, batch, machine),
            "contention_begin" | "contention_end" => contention(event, &common, batch, bounds),
            "cgroup_freeze" | "cgroup_unfreeze" => {
                let paths = Texts::find(batch, "path");
                for (row, ts_ns, pid) in common.rows() {
                    let path = paths.as_ref().map_or(&[][..], |paths| paths.get(row));
                    self.freezes.push(Freeze {
                        ts_ns,
                        pid,
                        thaws: event == "cgroup_unfreeze",
                        path: String::from_utf8_lossy(path).into_owned(),
                    });
                }
            }
            "signal_generate" => self.signals(&common, batch),
            "page_fault_user" | "page_fault_kernel" => {
                for (_, ts_ns, pid) in common.rows() {
                    self.faults.entry(pid).or_default().push(ts_ns);
                }
            }
            "sched_stat_iowait" => {
                let pids = i64s(batch, "pid");
                for (row, ts_ns, _) in common.rows() {
                    if let Some(pids) = &pids {
                        self.iowaits
                            .entry(pids[row] as i32)
                            .or_default()
                            .push(ts_ns);
                    }
                }
            }
            _ if event.starts_with("block_") => {
                self.requests.observe(event, batch);
                if event == "block_rq_complete" {
                    let (cpus, devices) = (i64s(batch, "cpu"), i64s(batch, "dev"));
                    for (row, ts_ns, _) in common.rows() {
                        if let (Some(cpus), Some(devices)) = (&cpus, &devices) {
                            let completed = self.completed.entry(cpus[row]).or_default();
                            completed.push((ts_ns, devices[row] as u32));
                        }
                    }
                }
            }
            _ if event.starts_with("sys_") => self.calls(event, &common, batch),
            _ if between(event, &common, bounds) => {}
            _ => self.deferred.observe(event, &common, batch),
        }
    }

    fn calls(&mut self, event: &str, common: &Common, batch: &RecordBatch) {
        let enters = event.starts_with("sys_enter_");
        let name = event.trim_start_matches("sys_enter_");
        let call = enters.then(|| Call::named(name)).flatten();
        self.has_exits |= !enters;
        let argument = call.and_then(Call::argument);
        let argument = argument.and_then(|argument| i64s(batch, argument));
        for (row, ts_ns, pid) in common.rows() {
            let value = argument.as_ref().map(|values| values[row] as u64);
            self.edges.entry(pid).or_default().push(Edge {
                ts_ns,
                call: call.map(|call| (call, value)),
                enters,
            });
        }
    }

    fn raw_calls(
        &mut self,
        event: &str,
        common: &Common,
        batch: &RecordBatch,
        machine: Option<Machine>,
    ) {
        let enters = event == "sys_enter";
        self.has_exits |= !enters;
        let numbers = i64s(batch, "id");
        let arguments = batch.column_by_name("args");
        for (row, ts_ns, pid) in common.rows() {
            let number = numbers.as_ref().map(|numbers| numbers[row]);
            let call = number.zip(machine);
            let call = call.and_then(|(number, machine)| Call::numbered(number, machine));
            // The argument that names the resource is the first one of each call of the table.
            let named = call.is_some_and(|call| call.argument().is_some());
            let first = arguments.filter(|_| named).and_then(|array| {
                let items = array.as_fixed_size_list_opt()?.value(row);
                let items = items.as_primitive_opt::<UInt64Type>()?;
                (!items.is_empty()).then(|| items.value(0))
            });
            self.edges.entry(pid).or_default().push(Edge {
                ts_ns,
                call: call.filter(|_| enters).map(|call| (call, first)),
                enters,
            });
        }
    }

    fn signals(&mut self, common: &Common, batch: &RecordBatch) {
        let (Some(signals), Some(pids)) = (i64s(batch, "sig"), i64s(batch, "pid")) else {
            return;
        };
        for (row, ts_ns, by) in common.rows() {
            if (19..=22).contains(&signals[row]) {
                self.stops.entry(pids[row] as i32).or_default().push(Stop {
                    ts_ns,
                    signal: signals[row] as u8,
                    by,
                });
            }
        }
    }

    fn pair(&mut self, mut bounds: Vec<Bound>) {
        bounds.sort_by_key(|bound| bound.ts_ns);
        let mut begun: HashMap<u8, Begun> = HashMap::new();
        for bound in bounds {
            let begun = begun.entry(bound.pair).or_default().entry(bound.pid);
            let begun = begun.or_default();
            match bound.begins {
                Some((cause, resource)) => begun.push((bound.ts_ns, cause, resource)),
                None => {
                    if let Some((from_ns, cause, resource)) = begun.pop() {
                        self.intervals.entry(bound.pid).or_default().push(Interval {
                            from_ns,
                            to_ns: bound.ts_ns,
                            cause,
                            resource,
                        });
                    }
                }
            }
        }
    }

    /// Cause of a task's wait in the innermost interval that has a whole sleep.
    pub(crate) fn interval(
        &self,
        pid: i32,
        from_ns: u64,
        to_ns: u64,
    ) -> Option<(SleepCause, Resource)> {
        let intervals = self.intervals.get(&pid)?;
        let past = intervals.partition_point(|it| it.from_ns <= from_ns);
        let mut before = intervals[..past].iter().rev().take(NESTED);
        let innermost = before.find(|it| to_ns <= it.to_ns)?;
        Some((innermost.cause, innermost.resource))
    }

    /// The system call that a task is in at a moment. Without the ends of calls, it is the last one that began since `since_ns`.
    pub(crate) fn call(&self, pid: i32, since_ns: u64, ts_ns: u64) -> Option<(Call, Option<u64>)> {
        let edges = self.edges.get(&pid)?;
        let past = edges.partition_point(|edge| edge.ts_ns <= ts_ns);
        let last = edges.get(past.checked_sub(1)?)?;
        let current = last.enters && (self.has_exits || last.ts_ns >= since_ns);
        last.call.filter(|_| current)
    }

    /// The device of which a request was completed on a CPU just before it woke a task.
    pub(crate) fn completed(&self, cpu: u32, ts_ns: u64) -> Option<u32> {
        let times = self.completed.get(&i64::from(cpu))?;
        let past = times.partition_point(|completed| completed.0 <= ts_ns);
        let &(completed_ns, device) = times.get(past.checked_sub(1)?)?;
        (ts_ns - completed_ns <= COMPLETION_NS).then_some(device)
    }

    /// Returns whether the last thing that a task did between two moments was to touch a page that was not mapped. A call that began
    /// or ended later did something else.
    pub(crate) fn faulted(&self, pid: i32, (since_ns, ts_ns): (u64, u64)) -> bool {
        let Some(times) = self.faults.get(&pid) else {
            return false;
        };
        let past = times.partition_point(|&it| it <= ts_ns);
        let Some(&last_ns) = times[..past].last() else {
            return false;
        };
        let edges = self.edges.get(&pid).map_or(&[][..], |edges| &edges[..]);
        let past = edges.partition_point(|edge| edge.ts_ns <= ts_ns);
        let called_ns = edges[..past].last().map_or(0, |edge| edge.ts_ns);
        last_ns >= since_ns.max(called_ns)
    }

    /// Returns whether the sleep was accounted as I/O at a wakeup.
    pub(crate) fn slept_for_io(&self, pid: i32, woken_ns: u64) -> bool {
        let times = self.iowaits.get(&pid);
        times.is_some_and(|times| {
            let at = times.partition_point(|&ts_ns| ts_ns + ACCOUNTING_NS < woken_ns);
            times
                .get(at)
                .is_some_and(|&ts_ns| ts_ns <= woken_ns + ACCOUNTING_NS)
        })
    }

    /// The write to the freezer that ended a sleep: the waker had thawed a cgroup that was frozen before the sleep began.
    pub(crate) fn thawed(&self, waker: i32, slept_ns: u64, woken_ns: u64) -> Option<u32> {
        let past = self.freezes.partition_point(|it| it.ts_ns <= woken_ns);
        let mut before = self.freezes[..past].iter().enumerate().rev();
        let (at, thaw) = before.find(|(_, it)| it.thaws && it.pid == waker)?;
        let frozen = self.freezes[..at]
            .iter()
            .rev()
            .find(|it| it.path == thaw.path)?;
        let held = !frozen.thaws && frozen.ts_ns <= slept_ns && slept_ns < thaw.ts_ns;
        (held && woken_ns - thaw.ts_ns <= THAW_NS).then_some(at as u32)
    }

    /// Path of the cgroup of a write to the freezer.
    pub(crate) fn cgroup(&self, at: u32) -> Option<&str> {
        self.freezes
            .get(at as usize)
            .map(|freeze| freeze.path.as_str())
    }

    /// The last signal before a moment that stops a task or its process, and who sent it.
    pub(crate) fn stopped_by(&self, pids: [i32; 2], ts_ns: u64) -> Option<(u8, i32)> {
        let of = pids.iter().filter_map(|pid| self.stops.get(pid)).flatten();
        let before = of.filter(|stop| stop.ts_ns <= ts_ns);
        let last = before.max_by_key(|stop| stop.ts_ns)?;
        Some((last.signal, last.by))
    }
}

/// Returns whether events of a name are about sleeps.
fn reads(event: &str) -> bool {
    let call = event
        .strip_prefix("sys_enter_")
        .or_else(|| event.strip_prefix("sys_exit_"));
    matches!(
        event,
        "sys_enter"
            | "sys_exit"
            | "contention_begin"
            | "contention_end"
            | "cgroup_freeze"
            | "cgroup_unfreeze"
            | "signal_generate"
            | "page_fault_user"
            | "page_fault_kernel"
            | "sched_stat_iowait"
    ) || call.is_some()
        || Requests::reads(event)
        || BETWEEN.iter().any(|row| row.0 == event || row.1 == event)
}

fn contention(event: &str, common: &Common, batch: &RecordBatch, bounds: &mut Vec<Bound>) {
    let begins = event == "contention_begin";
    let (numbers, names) = (i64s(batch, "flags"), Texts::find(batch, "flags"));
    let addresses = i64s(batch, "lock_addr");
    for (row, ts_ns, pid) in common.rows() {
        let flags = match (&numbers, &names) {
            (Some(numbers), _) => numbers[row] as u64,
            (None, Some(names)) => flags_of(&String::from_utf8_lossy(names.get(row))),
            (None, None) => 0,
        };
        let address = addresses.as_ref().map_or(0, |values| values[row] as u64);
        let resource = Resource::Lock(flags as u8, address);
        bounds.push(Bound {
            ts_ns,
            pid,
            begins: begins.then_some((SleepCause::KernelLock, resource)),
            pair: Recorded::CONTENTION,
        });
    }
}

/// Takes an event that begins or ends an interval; returns whether it is one.
fn between(event: &str, common: &Common, bounds: &mut Vec<Bound>) -> bool {
    let pair = BETWEEN
        .iter()
        .position(|row| row.0 == event || row.1 == event);
    let Some(pair) = pair else {
        return false;
    };
    let (begin, _, cause, _) = BETWEEN[pair];
    for (_, ts_ns, pid) in common.rows() {
        let begins = (event == begin).then_some((cause, Resource::Memory(pair as u8)));
        bounds.push(Bound {
            ts_ns,
            pid,
            begins,
            pair: pair as u8,
        });
    }
    true
}
