//! The processes of tasks, from everything in a bundle that names one.
//!
//! A number may have been several tasks one after the other. A fork of that number, and an exit, start another task. A
//! process holds for the task that had the number at that time, over its whole life; if that is ambiguous, the process of a
//! task is not known. Names of tasks do not count as evidence.

use std::collections::{BTreeMap, HashMap};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, Int32Array, Int64Array, RecordBatch};
use numalens_columns::{Mapping, MappingChange, TS_NS};
use numalens_core::columns::integers;
use numalens_core::ipc::IpcFile;

use crate::bundle::SampleTable;
use crate::error::Error;
use crate::storage::Files;

/// `CLONE_THREAD` (`include/uapi/linux/sched.h`)
const CLONE_THREAD: u64 = 0x10000;
/// `PID_MAX_LIMIT` (`include/linux/threads.h`, of 64 bits): tools use larger numbers for things other than processes.
const MOST_PID: i32 = 1 << 22;
/// A number of a thread and of its process, as each event of a text has them that was recorded with `record-tgid`. Switches are
/// enough: who never ran has no lane.
const OF_TEXT: (&str, &str) = ("common_pid", "common_tgid");

/// System, event and file of an event table.
pub(crate) type EventFile<'a> = (&'a str, &'a str, &'a str);

/// Sources of processes.
pub(crate) struct ProcessSources<'a> {
    pub(crate) files: &'a dyn Files,
    pub(crate) tables: Vec<EventFile<'a>>,
    pub(crate) samples: &'a [SampleTable],
    /// Facts about threads in recordings besides events.
    pub(crate) changes: Vec<&'a Mapping>,
}

/// The process of each task, by its number; `tasks` are pid, first and last moment on a CPU, ns.
///
/// # Errors
///
/// Fails when a table cannot be read.
pub(crate) fn processes(
    sources: &ProcessSources<'_>,
    tasks: &[(i32, u64, u64)],
) -> Result<Vec<Option<i32>>, Error> {
    let mut numbers = Numbers::default();
    for (pid, first_ns, _) in tasks {
        numbers.of(*pid).came.push(*first_ns);
    }
    let mut forks = Vec::new();
    sources.lives(&mut numbers, &mut forks)?;
    numbers.0.values_mut().for_each(Number::part);
    sources.named(&mut numbers)?;
    forks.sort_unstable_by_key(|fork| fork.ts_ns);
    for fork in &forks {
        let of_parent = || numbers.0.get(&fork.parent)?.at(fork.ts_ns);
        let tgid = if fork.thread {
            of_parent()
        } else {
            Some(fork.pid)
        };
        if let Some(tgid) = tgid {
            numbers.named(fork.pid, tgid, Some(fork.ts_ns));
        }
    }
    let known = |&(pid, first_ns, last_ns): &(i32, u64, u64)| {
        let number = numbers.0.get(&pid).filter(|_| pid > 0)?;
        number.over((last_ns > 0).then_some((first_ns, last_ns)))
    };
    Ok(tasks.iter().map(known).collect())
}

/// A new task, as `task_newtask` has it.
struct Fork {
    ts_ns: u64,
    pid: i32,
    parent: i32,
    /// True for a thread of its parent's process.
    thread: bool,
}

#[derive(Default)]
struct Numbers(HashMap<i32, Number>);

/// A pid, and the tasks that had it.
#[derive(Default)]
struct Number {
    /// Times at which tasks of this number first came to a CPU.
    came: Vec<u64>,
    /// Times at which it was given to a new task (`true`), and at which its task ended.
    changes: Vec<(u64, bool)>,
    /// Lives of its tasks in order; the first is that of the task at the start of the recording.
    lives: Vec<Life>,
    /// Processes that something without a time names.
    untimed: Vec<i32>,
}

#[derive(Default)]
struct Life {
    from_ns: u64,
    /// True if it begins after an exit, so that the rest of the exited task also lies in it.
    behind_exit: bool,
    /// First and last time at which each process was named.
    named: BTreeMap<i32, (u64, u64)>,
}

impl Numbers {
    fn of(&mut self, pid: i32) -> &mut Number {
        self.0.entry(pid).or_default()
    }

    /// Something names the process of a thread, and with it a thread of that number: the process' first.
    fn named(&mut self, pid: i32, tgid: i32, ts_ns: Option<u64>) {
        if pid <= 0 || !(1..=MOST_PID).contains(&tgid) {
            return;
        }
        if pid != tgid {
            self.named(tgid, tgid, ts_ns);
        }
        // A number that no task has is never looked up.
        let Some(number) = self.0.get_mut(&pid) else {
            return;
        };
        let Some(ts_ns) = ts_ns else {
            if !number.untimed.contains(&tgid) {
                number.untimed.push(tgid);
            }
            return;
        };
        let life = number.life(ts_ns);
        let seen = number.lives[life]
            .named
            .entry(tgid)
            .or_insert((ts_ns, ts_ns));
        *seen = (seen.0.min(ts_ns), seen.1.max(ts_ns));
    }
}

impl Number {
    /// Splits the time into lives. Several sources may report one fork: they are one as long as no task came to a CPU between
    /// them.
    fn part(&mut self) {
        self.changes.sort_unstable();
        self.lives.push(Life::default());
        let mut fork: Option<u64> = None;
        for &(ts_ns, begins) in &self.changes {
            let came = |since: u64| self.came.iter().any(|came| (since..ts_ns).contains(came));
            let again = begins && fork.is_some_and(|since| !came(since));
            fork = begins.then_some(ts_ns);
            if !again {
                self.lives.push(Life {
                    from_ns: ts_ns.saturating_add(u64::from(!begins)),
                    behind_exit: !begins,
                    named: BTreeMap::new(),
                });
            }
        }
    }

    fn life(&self, ts_ns: u64) -> usize {
        let past = self.lives.partition_point(|life| life.from_ns <= ts_ns);
        past.saturating_sub(1)
    }

    /// The process at a time.
    fn at(&self, ts_ns: u64) -> Option<i32> {
        self.over(Some((ts_ns, ts_ns)))
    }

    /// The process all over a time, or all over the recording; `None` where it is not known or there are several.
    fn over(&self, span: Option<(u64, u64)>) -> Option<i32> {
        if let ([life], [tgid]) = (&self.lives[..], &self.untimed[..])
            && life.named.is_empty()
        {
            return Some(*tgid);
        }
        let lives = match span {
            Some((from, to)) => &self.lives[self.life(from)..=self.life(to)],
            None => &self.lives[..],
        };
        let mut found = None;
        let filled = |life: &&Life| !(life.named.is_empty() && life.behind_exit);
        for life in lives.iter().filter(filled) {
            let tgid = life.over(span)?;
            if found.is_some_and(|found| found != tgid) {
                return None;
            }
            found = Some(tgid);
        }
        found
    }
}

impl Life {
    fn over(&self, span: Option<(u64, u64)>) -> Option<i32> {
        if let [(&tgid, _)] = self.named.iter().collect::<Vec<_>>()[..] {
            return Some(tgid);
        }
        // Nothing shows where one ends and the next begins: only what was named in the task's own time is its own.
        let (from, to) = span?;
        let within = |seen: &&(u64, u64)| seen.0 <= to && seen.1 >= from;
        let mut within = self.named.iter().filter(|(_, seen)| within(seen));
        let found = within.next()?;
        within.next().is_none().then_some(*found.0)
    }
}

impl ProcessSources<'_> {
    fn batches(
        &self,
        file: &str,
        columns: &[&str],
        mut look: impl FnMut(&RecordBatch),
    ) -> Result<(), Error> {
        for batch in IpcFile::open(self.files.pieces(file)?, Some(columns))?.into_batches() {
            look(&batch?);
        }
        Ok(())
    }

    /// Adds the times at which numbers were given to new tasks, and at which their tasks ended.
    fn lives(&self, numbers: &mut Numbers, forks: &mut Vec<Fork>) -> Result<(), Error> {
        let mut changed = |pid: i32, ts_ns: u64, begins: bool| {
            if let Some(number) = numbers.0.get_mut(&pid).filter(|_| pid > 0) {
                number.changes.push((ts_ns, begins));
            }
        };
        for mapping in &self.changes {
            match mapping.change {
                MappingChange::Thread { tid, new: true } => changed(tid, mapping.ts_ns, true),
                MappingChange::Ended { tid } => changed(tid, mapping.ts_ns, false),
                _ => {}
            }
        }
        for &(_, event, file) in &self.tables {
            let (name, begins) = match event {
                "sched_process_fork" => ("child_pid", true),
                "task_newtask" => ("pid", true),
                "sched_process_exit" => ("pid", false),
                _ => continue,
            };
            let columns = [TS_NS, name, "common_pid", "clone_flags"];
            self.batches(file, &columns, |batch| {
                let (Some(ts), Some(pids)) = (times(batch), ids(batch, name)) else {
                    return;
                };
                let parents = ids(batch, "common_pid");
                let flags = batch.column_by_name("clone_flags");
                // Of a reader that knows the event: elsewhere the digits may have been taken for decimal ones.
                let flags = flags.and_then(|flags| flags.as_primitive_opt::<UInt64Type>());
                for row in (0..batch.num_rows()).filter(|&row| pids.is_valid(row)) {
                    let (pid, ts_ns) = (pids.value(row), ts.value(row) as u64);
                    changed(pid, ts_ns, begins);
                    let flags = flags.filter(|flags| flags.is_valid(row));
                    if let (Some(flags), Some(parents)) = (flags, &parents) {
                        forks.push(Fork {
                            ts_ns,
                            pid,
                            parent: parents.value(row),
                            thread: flags.value(row) & CLONE_THREAD != 0,
                        });
                    }
                }
            })?;
        }
        Ok(())
    }

    /// Everything that names a process.
    fn named(&self, numbers: &mut Numbers) -> Result<(), Error> {
        for mapping in &self.changes {
            if let MappingChange::Thread { tid, .. } = mapping.change {
                numbers.named(tid, mapping.pid, Some(mapping.ts_ns));
            }
        }
        for &(system, event, file) in &self.tables {
            let schema = IpcFile::open(self.files.pieces(file)?, None)?;
            let schema = schema.schema();
            let has = |name: &str| schema.index_of(name).is_ok();
            let fields = schema.fields().iter().map(|field| field.name().as_str());
            let mut pairs: Vec<(String, String)> = fields
                .filter_map(|tgid| Some((format!("{}pid", tgid.strip_suffix("tgid")?), tgid)))
                .filter(|pair| has(&pair.0) && (pair.1 != OF_TEXT.1 || event == "sched_switch"))
                .map(|(pid, tgid)| (pid, tgid.to_owned()))
                .collect();
            match (system, event) {
                // perf's own events, and what LTTng reports of the tasks that exist when it starts.
                ("perf", _) | (_, "lttng_statedump_process_state") => {
                    pairs.push(("tid".to_owned(), "pid".to_owned()));
                }
                // Who has begun another program is the first thread of its process.
                (_, "sched_process_exec") => pairs.push(("pid".to_owned(), "pid".to_owned())),
                _ => {}
            }
            if pairs.is_empty() {
                continue;
            }
            let columns = pairs.iter().flat_map(|pair| [pair.0.as_str(), &pair.1]);
            let columns: Vec<&str> = columns.chain([TS_NS]).collect();
            self.batches(file, &columns, |batch| {
                pairs_of(batch, &pairs, numbers);
            })?;
        }
        let of_samples = [
            ("tid".to_owned(), "pid".to_owned()),
            ("pid".to_owned(), "pid".to_owned()),
        ];
        for table in self.samples {
            let schema = IpcFile::open(self.files.pieces(&table.file)?, None)?;
            let schema = schema.schema();
            // Elsewhere a `pid` is what the sampled file calls so.
            if ["tid", "pid"]
                .iter()
                .all(|name| schema.index_of(name).is_ok())
            {
                self.batches(&table.file, &[TS_NS, "tid", "pid"], |batch| {
                    pairs_of(batch, &of_samples, numbers);
                })?;
            }
        }
        Ok(())
    }
}

fn pairs_of(batch: &RecordBatch, pairs: &[(String, String)], numbers: &mut Numbers) {
    let Some(ts) = times(batch) else { return };
    for (pid, tgid) in pairs {
        let (Some(pids), Some(tgids)) = (ids(batch, pid), ids(batch, tgid)) else {
            continue;
        };
        for row in 0..batch.num_rows() {
            if pids.is_valid(row) && tgids.is_valid(row) {
                let ts_ns = ts.is_valid(row).then(|| ts.value(row).max(0) as u64);
                numbers.named(pids.value(row), tgids.value(row), ts_ns);
            }
        }
    }
}

fn times(batch: &RecordBatch) -> Option<Int64Array> {
    integers::<Int64Type>(batch.column_by_name(TS_NS)?)
}

/// Numbers of tasks, however wide they are.
fn ids(batch: &RecordBatch, name: &str) -> Option<Int32Array> {
    integers::<Int32Type>(batch.column_by_name(name)?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, StringArray, UInt64Array};
    use numalens_core::ipc::BatchWriter;

    use super::*;
    use crate::storage::Memory;

    fn table(files: &Memory, name: &str, columns: &[(&str, ArrayRef)]) {
        let batch = RecordBatch::try_from_iter(columns.iter().cloned()).unwrap();
        let mut writer = BatchWriter::new(files.create(name).unwrap(), batch.schema_ref()).unwrap();
        writer.write_unordered(&batch).unwrap();
        writer.finish().unwrap();
    }

    fn ints(values: &[i32]) -> ArrayRef {
        Arc::new(Int32Array::from(values.to_vec()))
    }

    fn stamps(values: &[u64]) -> ArrayRef {
        Arc::new(UInt64Array::from(values.to_vec()))
    }

    fn found(
        files: &Memory,
        tables: &[EventFile<'_>],
        changes: &[Mapping],
        tasks: &[(i32, u64, u64)],
    ) -> Vec<Option<i32>> {
        let sources = ProcessSources {
            files,
            tables: tables.to_vec(),
            samples: &[],
            changes: changes.iter().collect(),
        };
        processes(&sources, tasks).unwrap()
    }

    fn mapping(ts_ns: u64, pid: i32, change: MappingChange) -> Mapping {
        Mapping { ts_ns, pid, change }
    }

    fn thread(tid: i32, new: bool) -> MappingChange {
        MappingChange::Thread { tid, new }
    }

    #[test]
    fn a_number_is_another_task_behind_its_fork() {
        let changes = [
            mapping(0, 10, thread(11, false)),
            mapping(50, 10, MappingChange::Ended { tid: 11 }),
            mapping(100, 20, thread(11, true)),
        ];
        // The rest of a slice lies behind the exit; a name that both had is of neither.
        let tasks = [
            (11, 5, 51),
            (11, 101, 150),
            (11, 5, 150),
            (10, 1, 2),
            (20, 1, 200),
        ];
        let of = [Some(10), Some(20), None, Some(10), Some(20)];
        assert_eq!(found(&Memory::default(), &[], &changes, &tasks), of);
        // Another thread of the same process is no other process.
        let again = [changes[0].clone(), mapping(100, 10, thread(11, true))];
        assert_eq!(
            found(&Memory::default(), &[], &again, &[(11, 5, 150)]),
            [Some(10)]
        );
    }

    #[test]
    fn of_who_comes_behind_an_exit_nothing_is_known() {
        let ended = mapping(50, 10, MappingChange::Ended { tid: 11 });
        let changes = [mapping(0, 10, thread(11, false)), ended];
        let tasks = [(11, 5, 52), (11, 60, 70)];
        assert_eq!(
            found(&Memory::default(), &[], &changes, &tasks),
            [Some(10), None]
        );
        // Without the exit nothing says that it is another one.
        assert_eq!(
            found(&Memory::default(), &[], &changes[..1], &tasks),
            [Some(10), Some(10)]
        );
    }

    #[test]
    fn without_a_fork_what_was_named_in_a_tasks_time_counts() {
        let changes = [
            mapping(10, 10, thread(11, false)),
            mapping(90, 20, thread(11, false)),
        ];
        let tasks = [
            (11, 5, 40),
            (11, 80, 95),
            (11, 5, 95),
            (11, 50, 60),
            (11, 0, 0),
        ];
        let of = [Some(10), Some(20), None, None, None];
        assert_eq!(found(&Memory::default(), &[], &changes, &tasks), of);
    }

    #[test]
    fn a_new_task_is_of_its_parents_process_or_its_own_first_thread() {
        let files = Memory::default();
        let flags: ArrayRef = stamps(&[CLONE_THREAD | 0x100, 0x11, CLONE_THREAD]);
        let columns = [
            ("ts_ns", stamps(&[10, 20, 30])),
            ("common_pid", ints(&[7, 7, 8])),
            ("pid", ints(&[8, 9, 10])),
            (
                "comm",
                Arc::new(StringArray::from(vec!["db"; 3])) as ArrayRef,
            ),
            ("clone_flags", flags),
        ];
        table(&files, "new", &columns);
        let exec = [("ts_ns", stamps(&[5])), ("pid", ints(&[7]))];
        table(&files, "exec", &exec);
        let new = ("task", "task_newtask", "new");
        let tasks = [
            (7, 1, 40),
            (8, 11, 40),
            (9, 21, 40),
            (10, 31, 40),
            (12, 1, 40),
        ];
        let known = [Some(7), Some(7), Some(9), Some(7), None];
        let both = [("sched", "sched_process_exec", "exec"), new];
        assert_eq!(found(&files, &both, &[], &tasks), known);
        // Threads of a process that no event names belong to no known process, whatever their names.
        let alone = [None, None, Some(9), None, None];
        assert_eq!(found(&files, &[new], &[], &tasks), alone);
    }

    #[test]
    fn pairs_of_events_name_processes_and_zeros_do_not() {
        let files = Memory::default();
        let columns = [
            ("ts_ns", stamps(&[10, 20])),
            ("src_pid", ints(&[11, 0])),
            ("src_tgid", ints(&[10, 0])),
            ("dst_pid", ints(&[21, 31])),
            ("dst_tgid", ints(&[20, -1])),
            ("common_pid", ints(&[41, 41])),
            ("common_tgid", ints(&[40, 40])),
        ];
        table(&files, "swap", &columns);
        let tasks = [
            (0, 1, 9),
            (10, 1, 9),
            (11, 1, 9),
            (21, 1, 9),
            (31, 1, 9),
            (41, 1, 9),
        ];
        let swap = [("sched", "sched_swap_numa", "swap")];
        let of = [None, Some(10), Some(10), Some(20), None, None];
        assert_eq!(found(&files, &swap, &[], &tasks), of);
        let switch = [("sched", "sched_switch", "swap")];
        assert_eq!(found(&files, &switch, &[], &tasks)[5], Some(40));
        // `tid` and `pid` are a pair in perf's own events, and two numbers of anything elsewhere.
        let columns = [
            ("ts_ns", stamps(&[10])),
            ("pid", ints(&[10])),
            ("tid", ints(&[11])),
        ];
        table(&files, "cycles", &columns);
        assert_eq!(
            found(&files, &[("perf", "cycles", "cycles")], &[], &tasks)[2],
            Some(10)
        );
        assert_eq!(
            found(&files, &[("nvme", "cycles", "cycles")], &[], &tasks)[2],
            None
        );
    }

    #[test]
    fn what_has_no_time_tells_of_a_number_that_was_one_task() {
        let of = |forked: bool, tgids: &[i32]| {
            let mut numbers = Numbers::default();
            numbers.of(11).changes.extend(forked.then_some((5, true)));
            numbers.0.values_mut().for_each(Number::part);
            for &tgid in tgids {
                numbers.named(11, tgid, None);
            }
            numbers.0[&11].over(Some((10, 20)))
        };
        assert_eq!(of(false, &[10, 10]), Some(10));
        assert_eq!(of(false, &[10, 20]), None);
        assert_eq!(of(true, &[10]), None);
    }

    #[test]
    fn one_fork_that_two_sources_tell_is_one() {
        let changes = [
            mapping(100, 20, thread(11, true)),
            mapping(103, 20, thread(11, true)),
        ];
        let named = mapping(101, 20, thread(11, false));
        let of = |changes: &[Mapping]| found(&Memory::default(), &[], changes, &[(11, 110, 150)]);
        assert_eq!(of(&changes), [Some(20)]);
        // The second one alone names nothing, and is not a task of which nothing is known.
        let files = Memory::default();
        table(
            &files,
            "fork",
            &[("ts_ns", stamps(&[103])), ("child_pid", ints(&[11]))],
        );
        let fork = [("sched", "sched_process_fork", "fork")];
        let first = [changes[0].clone(), named];
        assert_eq!(found(&files, &fork, &first, &[(11, 110, 150)]), [Some(20)]);
        assert_eq!(
            found(&files, &fork, &first, &[(11, 101, 102), (11, 110, 150)])[1],
            None
        );
    }
}
