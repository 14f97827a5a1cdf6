//! The pass over a decoded bundle's events: its tables and notes.

use std::collections::{BTreeMap, HashSet};
use std::io::BufWriter;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt8Type, UInt32Type, UInt64Type};
use numalens_events::{EventTable, Kind, Kinds, LostMark};
use numalens_replay::evidence::Course;
use numalens_replay::idle_balancing::{IlbTable, Jiffies};
use numalens_replay::numa::{NumaTable, Summary as NumaSummary};
use numalens_replay::pass::{self, PassInputs, Tables};
use numalens_replay::run_state::{First, Recorded, Stats};
use numalens_replay::states::Groups;
use numalens_replay::timeline::Config;

use super::decode::{Decoded, gaps, marks_of};
use super::files::{Folder, close};
use super::limits::Progress;
use super::noise::Of;
use super::sink::fullest;
use crate::bundle::{SampleTable, TASKS};
use crate::error::Error;
use crate::processes::{ProcessSources, processes};

/// Results of the index for the manifest.
pub(super) struct Indexed {
    pub(super) tasks: u64,
    /// Cgroups by number, for further tables about them.
    #[allow(dead_code)]
    pub(super) groups: Groups,
    pub(super) stats: Stats,
    pub(super) course: Course,
    pub(super) numa: NumaSummary,
    /// Kinds of tables of the idle load balancer's events.
    pub(super) idle_balancing: Kinds,
    pub(super) jiffies: Jiffies,
    pub(super) notes: Vec<String>,
}

/// Inputs of the replay besides its own tables.
#[derive(Default)]
pub(super) struct ReplayInputs {
    /// Facts from other sources. The first task of each CPU is found here.
    pub(super) inputs: PassInputs,
    /// Start of each CPU's recording, ns of the reference clock; without it, the task before the CPU's first switch is
    /// unknown.
    pub(super) recording_since: BTreeMap<u32, u64>,
    /// Tables that are followed as well.
    pub(super) extra: Vec<Extra>,
    /// Switches that are not recorded.
    pub(super) missing: Vec<MissingSwitches>,
}

/// Switches that a recording lacks, as rows of `sched_switch` that ascend in time.
pub(super) struct MissingSwitches {
    /// The recording.
    pub(super) input: u32,
    /// The tracing instance that lacks them.
    pub(super) buffer: u8,
    pub(super) batch: RecordBatch,
}

/// A table that is followed though its name says nothing: the evidence says what it means.
pub(super) struct Extra {
    /// The recording.
    pub(super) input: u32,
    pub(super) system: String,
    pub(super) event: String,
    /// Meaning of its rows.
    pub(super) kind: Kind,
}

/// Replays the recordings and writes `timeline/`, `states/`, `waits/`, `numa/`, the log of the idle load balancer,
/// `tasks.arrow` and, when cgroups are known, `groups.arrow`. `config` lacks only what the tables say.
pub(super) fn index(
    mut folder: Folder<'_>,
    recordings: &[Decoded],
    pauses: Vec<u64>,
    config: Config,
    given: ReplayInputs,
    samples: &[SampleTable],
    progress: &mut Progress<'_>,
) -> Result<Indexed, Error> {
    let mut notes = Vec::new();
    let mut plan = Plan::default();
    for recording in recordings {
        let gaps = gaps(folder, recording)?;
        plan.add(folder, recording, &gaps, &given.extra, &mut notes)?;
        for noise in super::noise::noise(folder, recording)? {
            let (begin, end) = match noise.of {
                Of::Irq => (Kind::IrqEntry, Kind::IrqExit),
                Of::Softirq => (Kind::SoftirqEntry, Kind::SoftirqExit),
                Of::HardwareNoise | Of::Steal => (Kind::TakenBegin, Kind::TakenEnd),
                Of::TimerLatency => continue,
            };
            plan.add_rows(recording.input, begin, noise.buffer, noise.begins);
            plan.add_rows(recording.input, end, noise.buffer, noise.ends);
        }
        plan.others += super::numa::add_tables(folder, recording, &gaps, &mut plan.numa)?;
        plan.others += super::ilb::add_tables(folder, recording, &gaps, &mut plan.idle_balancing)?;
    }
    for missing in given.missing {
        // Of the states only S is written, which is the same number in all kernels.
        plan.add_rows(missing.input, Kind::Switch, missing.buffer, missing.batch);
    }
    let mut inputs = given.inputs;
    let firsts = plan.firsts(folder, &given.recording_since)?;
    inputs.run_state.firsts.extend(firsts);
    plan.remark(recordings, &mut notes);
    if !pauses.is_empty() {
        notes.push(
            "There is time between the recordings: which tasks ran then is unknown.".to_owned(),
        );
        plan.tables.push(EventTable::pauses(pauses));
    }
    let config = Config {
        recorded: Recorded {
            wakeup: plan.has(Kind::Wakeup),
            waking: plan.has(Kind::Waking),
            softirq: plan.has(Kind::SoftirqEntry),
            numa_scan: plan.has(Kind::NumaScanReturn),
            newidle: plan.has(Kind::NewIdleReturn),
            balance_rq: plan.has(Kind::BalanceReturn),
        },
        switches: plan.rows.get(&Kind::Switch).copied().unwrap_or(0),
        ..config
    };
    let total = plan.rows.values().sum::<u64>() + plan.others;
    let tables = Tables {
        scheduler: plan.tables,
        numa: plan.numa,
        idle_balancing: plan.idle_balancing,
    };
    let built = pass::run(tables, &config, inputs, &mut folder, &mut |done| {
        progress.at("indexing", done, total)
    });
    let built = match built {
        Ok(built) => built,
        Err(error) => {
            return Err(progress.raised().unwrap_or(error.into()));
        }
    };
    progress.at("indexing", total, total);
    if let Some(raised) = progress.raised() {
        return Err(raised);
    }
    let summary = built.timeline;
    let file = BufWriter::new(folder.create(TASKS)?);
    let tasks: Vec<_> = summary.tasks.spans().collect();
    let tables = recordings.iter().flat_map(|decoded| &decoded.tables);
    let sources = ProcessSources {
        files: folder.files(),
        tables: tables
            .map(|table| (&*table.system, &*table.event, &*table.file))
            .collect(),
        samples,
        changes: recordings
            .iter()
            .flat_map(|decoded| &decoded.mappings.changes)
            .collect(),
    };
    close(summary.tasks.write(&processes(&sources, &tasks)?, file)?)?;
    remark_replay(&summary.stats, summary.order.backwards, &mut notes);
    if summary.states_full {
        notes.push(
            "The recording has too many different end states of tasks; some are shown as unknown."
                .to_owned(),
        );
    }
    Ok(Indexed {
        tasks: summary.tasks.len() as u64,
        groups: summary.groups,
        stats: summary.stats,
        course: summary.course,
        numa: built.numa,
        idle_balancing: built.idle_balancing,
        jiffies: built.jiffies,
        notes,
    })
}

/// The tables to replay.
#[derive(Default)]
struct Plan {
    tables: Vec<EventTable<'static>>,
    numa: Vec<NumaTable<'static>>,
    idle_balancing: Vec<IlbTable<'static>>,
    /// Rows of the balancers' tables.
    others: u64,
    /// Rows of each kind of the scheduler's.
    rows: BTreeMap<Kind, u64>,
    /// Position of the switches: file and tracing instance.
    switches: Vec<(String, u8)>,
    /// First gap of each CPU.
    first_gap: BTreeMap<u32, u64>,
    /// Clocks of the replayed tracing instances.
    clocks: Vec<String>,
}

impl Plan {
    fn has(&self, kind: Kind) -> bool {
        self.rows.contains_key(&kind)
    }

    fn add(
        &mut self,
        folder: Folder<'_>,
        recording: &Decoded,
        gaps: &[LostMark],
        extra: &[Extra],
        notes: &mut Vec<String>,
    ) -> Result<(), Error> {
        let mut used = Vec::new();
        for table in &recording.tables {
            let known = extra.iter().find(|extra| {
                extra.input == recording.input
                    && (&extra.system, &extra.event) == (&table.system, &table.event)
            });
            let kind = known.map(|extra| extra.kind);
            let Some(kind) = kind.or_else(|| Kind::of(&table.system, &table.event)) else {
                continue;
            };
            let Some((buffer, rows)) = fullest(table) else {
                continue;
            };
            if rows < table.rows {
                notes.push(format!(
                    "{}: several buffers recorded {}; the timeline uses buffer {buffer}.",
                    recording.name, table.event
                ));
            }
            let file = folder.open(&table.file, Some(&Kind::COLUMNS))?;
            if kind == Kind::Switch {
                self.switches.push((table.file.clone(), buffer));
            }
            let batches = folder.ahead(file);
            self.tables.push(EventTable::events(
                recording.input,
                kind,
                buffer,
                &table.print_fmt,
                batches,
            ));
            *self.rows.entry(kind).or_default() += rows;
            used.push(buffer);
            let clock = recording.clocks.get(usize::from(buffer));
            self.clocks.extend(clock.cloned().flatten());
        }
        let marks = marks_of(gaps, &used);
        for mark in &marks {
            let first = self.first_gap.entry(mark.cpu).or_insert(mark.since_ns);
            *first = mark.since_ns.min(*first);
        }
        self.tables.push(EventTable::lost(recording.input, marks));
        Ok(())
    }

    /// Rows that are in no table of the recording.
    fn add_rows(&mut self, input: u32, kind: Kind, buffer: u8, batch: RecordBatch) {
        *self.rows.entry(kind).or_default() += batch.num_rows() as u64;
        let batches = Box::new(std::iter::once(Ok(batch)));
        let table = EventTable::events(input, kind, buffer, "", batches);
        self.tables.push(table);
    }

    /// Task of each CPU from the start of its recording to its first switch; unknown if events are missing in between.
    fn firsts(&self, folder: Folder<'_>, since: &BTreeMap<u32, u64>) -> Result<Vec<First>, Error> {
        let mut found: BTreeMap<u32, (u64, First)> = BTreeMap::new();
        for (file, buffer) in &self.switches {
            let mut left: HashSet<u32> = since.keys().copied().collect();
            for batch in folder.batches(file, Some(&FIRST_COLUMNS))? {
                if left.is_empty() {
                    break;
                }
                first_switches(&batch?, *buffer, &mut left, &mut found);
            }
        }
        let firsts = found.into_values().filter_map(|(switch_ns, mut first)| {
            first.from_ns = *since.get(&first.cpu)?;
            let gap = self.first_gap.get(&first.cpu).copied();
            let whole = first.from_ns < switch_ns && gap.is_none_or(|gap| gap >= switch_ns);
            whole.then_some(first)
        });
        Ok(firsts.collect())
    }

    /// Notes what is not recorded and what that means.
    fn remark(&mut self, recordings: &[Decoded], notes: &mut Vec<String>) {
        self.clocks.sort_unstable();
        self.clocks.dedup();
        if self.clocks.len() > 1 {
            notes.push(format!(
                "Recordings with different clocks ({}) are shown on one axis without alignment.",
                self.clocks.join(", ")
            ));
        }
        if recordings.is_empty() {
            notes.push("No input is a recording.".to_owned());
        } else if !self.has(Kind::Switch) {
            notes.push(
                "sched_switch was not recorded: which tasks ran where is unknown.".to_owned(),
            );
        } else if !self.has(Kind::Wakeup) && self.has(Kind::Waking) {
            notes.push(
                "sched_wakeup was not recorded: tasks count as waiting from sched_waking on."
                    .to_owned(),
            );
        } else if !self.has(Kind::Wakeup) {
            notes.push(
                "Wakeups were not recorded: only preempted tasks count as waiting.".to_owned(),
            );
        }
    }
}

/// Columns of `sched_switch` for the task that was on the CPU before.
const FIRST_COLUMNS: [&str; 6] = [
    "ts_ns",
    "cpu",
    "buffer",
    "prev_pid",
    "prev_comm",
    "prev_prio",
];

/// Finds the first switches of the CPUs that are left; an earlier one of another recording wins.
fn first_switches(
    batch: &RecordBatch,
    buffer: u8,
    left: &mut HashSet<u32>,
    found: &mut BTreeMap<u32, (u64, First)>,
) {
    let column = |name| batch.column_by_name(name);
    let ts = column("ts_ns").and_then(|array| array.as_primitive_opt::<UInt64Type>());
    let cpus = column("cpu").and_then(|array| array.as_primitive_opt::<UInt32Type>());
    let buffers = column("buffer").and_then(|array| array.as_primitive_opt::<UInt8Type>());
    let pids = column("prev_pid").and_then(|array| array.as_primitive_opt::<Int32Type>());
    let comms = column("prev_comm").and_then(|array| array.as_string_opt::<i32>());
    let prios = column("prev_prio").and_then(|array| array.as_primitive_opt::<Int32Type>());
    let (Some(ts), Some(cpus), Some(buffers), Some(pids)) = (ts, cpus, buffers, pids) else {
        return;
    };
    for row in 0..batch.num_rows() {
        if left.is_empty() {
            return;
        }
        let cpu = cpus.value(row);
        if buffers.value(row) != buffer || !left.remove(&cpu) {
            continue;
        }
        let switch_ns = ts.value(row);
        if found.get(&cpu).is_none_or(|known| switch_ns < known.0) {
            let first = First {
                cpu,
                from_ns: switch_ns,
                pid: pids.value(row),
                comm: comms.map_or("", |comms| comms.value(row)).to_owned(),
                prio: prios.map_or(0, |prios| prios.value(row)),
            };
            found.insert(cpu, (switch_ns, first));
        }
    }
}

/// Notes what the replay had to bridge.
fn remark_replay(stats: &Stats, backwards: u64, notes: &mut Vec<String>) {
    let mut note = |times: u64, text: &str| {
        if times > 0 {
            notes.push(format!("{times} {text}"));
        }
    };
    note(
        stats.gaps,
        "times the task that left a CPU was not the one seen running there: a switch in between is missing.",
    );
    note(
        stats.missed_wakeups,
        "times a task ran without a recorded wakeup.",
    );
    note(
        stats.missed_migrations,
        "times a task ran on a different CPU than the one where it waited: its migration is missing.",
    );
    note(
        stats.ran_elsewhere,
        "times a task switched in on a CPU while it was still running on another.",
    );
    note(
        stats.lost_marks,
        "gaps of lost events: the running task of the CPU is unknown until its next switch.",
    );
    note(
        stats.duplicates,
        "switches are in several inputs and count once.",
    );
    note(
        stats.odd_cpus,
        "scheduler events have impossible CPU numbers; they are left out.",
    );
    note(
        backwards,
        "scheduler events are older than the event before them; they get that event's time.",
    );
}
