//! The timeline index of a decoded bundle.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use numalens_engine::events::{EventTable, LostMark, Merge, SchedKind, gap_starts};
use numalens_engine::ipc::IpcFile;
use numalens_engine::run_state::{Recorded, Stats};
use numalens_engine::timeline::{Config, IndexSink, build};

use super::decode::Decoded;
use super::files::Pool;
use super::limits::{Budget, Progress};
use crate::bundle::{TASKS, TIMELINE};
use crate::error::Error;
use crate::storage::{Pieces, named};

/// What the index's making gave for the manifest.
pub(super) struct Indexed {
    pub(super) tasks: u64,
    pub(super) stats: Stats,
    pub(super) notes: Vec<String>,
}

/// Columns that the replay reads.
const COLUMNS: [&str; 17] = [
    "ts_ns",
    "cpu",
    "seq",
    "buffer",
    "common_pid",
    "prev_comm",
    "prev_pid",
    "prev_prio",
    "prev_state",
    "next_comm",
    "next_pid",
    "next_prio",
    "pid",
    "target_cpu",
    "success",
    "dest_cpu",
    "comm",
];

struct Folder {
    path: PathBuf,
    pool: Pool,
}

impl IndexSink for Folder {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write>> {
        Ok(Box::new(BufWriter::new(
            self.pool.create(&self.path.join(name))?,
        )))
    }
}

/// Replays the recordings and writes `timeline/` and `tasks.arrow`. `config` lacks only what the tables tell.
pub(super) fn index(
    folder: &Path,
    recordings: &[Decoded],
    pauses: Vec<u64>,
    config: Config,
    budget: &Budget,
    progress: &mut Progress<'_>,
) -> Result<Indexed, Error> {
    let mut notes = Vec::new();
    let mut plan = Plan::default();
    for recording in recordings {
        plan.add(folder, recording, &mut notes)?;
    }
    plan.remark(recordings, &mut notes);
    if !pauses.is_empty() {
        notes.push("There is time between the recordings: nobody can say who ran then.".to_owned());
        plan.tables.push(EventTable::pauses(pauses));
    }
    let config = Config {
        recorded: Recorded {
            wakeup: plan.has(SchedKind::Wakeup),
            waking: plan.has(SchedKind::Waking),
        },
        switches: plan.rows.get(&SchedKind::Switch).copied().unwrap_or(0),
        ..config
    };
    let path = folder.join(TIMELINE);
    std::fs::create_dir_all(&path).map_err(|error| named(&path, &error))?;
    let mut sink = Folder {
        path,
        pool: Pool::new(budget),
    };
    let total: u64 = plan.rows.values().sum();
    let built = build(Merge::new(plan.tables)?, &config, &mut sink, &mut |done| {
        progress.at("indexing", done, total)
    });
    let summary = match built {
        Ok(summary) => summary,
        Err(error) => {
            return Err(progress.raised().unwrap_or(error.into()));
        }
    };
    progress.at("indexing", total, total);
    if let Some(raised) = progress.raised() {
        return Err(raised);
    }
    let file = sink.pool.create(&folder.join(TASKS))?;
    summary.tasks.write(BufWriter::new(file))?.flush()?;
    remark_replay(&summary.stats, summary.order.backwards, &mut notes);
    if summary.states_full {
        notes.push("The recording has more end states of tasks than can be named; some are shown as unknown.".to_owned());
    }
    Ok(Indexed {
        tasks: summary.tasks.len() as u64,
        stats: summary.stats,
        notes,
    })
}

/// The tables to replay.
#[derive(Default)]
struct Plan {
    tables: Vec<EventTable<'static>>,
    /// Rows of each kind.
    rows: BTreeMap<SchedKind, u64>,
    /// Clocks of the replayed tracing instances.
    clocks: Vec<String>,
}

impl Plan {
    fn has(&self, kind: SchedKind) -> bool {
        self.rows.contains_key(&kind)
    }

    fn add(
        &mut self,
        folder: &Path,
        recording: &Decoded,
        notes: &mut Vec<String>,
    ) -> Result<(), Error> {
        let events = folder.join("events").join(recording.input.to_string());
        let mut used = Vec::new();
        for table in &recording.tables {
            let Some(kind) = SchedKind::of(&table.system, &table.event) else {
                continue;
            };
            // Several tracing instances may have recorded the same events; the fullest has them all.
            let fullest = table
                .by_buffer
                .iter()
                .enumerate()
                .max_by_key(|&(at, &rows)| (rows, std::cmp::Reverse(at)));
            let Some((buffer, &rows)) = fullest else {
                continue;
            };
            if rows < table.rows {
                notes.push(format!(
                    "{}: several buffers recorded {}; the timeline uses buffer {buffer}.",
                    recording.name, table.event
                ));
            }
            let file = IpcFile::open(Pieces::open(&events.join(&table.file))?, Some(&COLUMNS))?;
            let batches = Box::new(file.into_batches());
            self.tables.push(EventTable::events(
                recording.input,
                kind,
                buffer as u8,
                &table.print_fmt,
                batches,
            ));
            *self.rows.entry(kind).or_default() += rows;
            used.push(buffer as u8);
            self.clocks
                .extend(recording.clocks.get(buffer).cloned().flatten());
        }
        let marks = lost_marks(&events, recording, &used)?;
        self.tables.push(EventTable::lost(recording.input, marks));
        Ok(())
    }

    /// Notes what is not recorded and what that means.
    fn remark(&mut self, recordings: &[Decoded], notes: &mut Vec<String>) {
        self.clocks.sort_unstable();
        self.clocks.dedup();
        if self.clocks.len() > 1 {
            notes.push(format!(
                "Recordings of different clocks ({}) are shown on one axis as they are.",
                self.clocks.join(", ")
            ));
        }
        if recordings.is_empty() {
            notes.push("No input is a recording.".to_owned());
        } else if !self.has(SchedKind::Switch) {
            notes.push("sched_switch was not recorded: nobody can say who ran where.".to_owned());
        } else if !self.has(SchedKind::Wakeup) && self.has(SchedKind::Waking) {
            notes.push(
                "sched_wakeup was not recorded: tasks count as waiting from sched_waking on."
                    .to_owned(),
            );
        } else if !self.has(SchedKind::Wakeup) {
            notes.push(
                "Wake-ups were not recorded: only tasks that lost their CPU count as waiting."
                    .to_owned(),
            );
        }
    }
}

/// The recording's gaps in the tracing instances that are replayed.
fn lost_marks(events: &Path, recording: &Decoded, used: &[u8]) -> Result<Vec<LostMark>, Error> {
    let lost = recording
        .lost
        .iter()
        .filter(|lost| used.contains(&lost.buffer));
    let mut marks: Vec<LostMark> = lost
        .map(|lost| LostMark {
            since_ns: 0,
            until_ns: lost.ts_ns,
            seq: lost.seq,
            cpu: lost.cpu,
            buffer: lost.buffer,
        })
        .collect();
    if marks.is_empty() {
        return Ok(marks);
    }
    marks.sort_unstable_by_key(|mark| (mark.cpu, mark.buffer, mark.seq));
    for table in &recording.tables {
        let columns = ["ts_ns", "cpu", "seq", "buffer"];
        for batch in
            IpcFile::open(Pieces::open(&events.join(&table.file))?, Some(&columns))?.into_batches()
        {
            gap_starts(&mut marks, &batch?);
        }
    }
    for mark in &mut marks {
        // Nothing came before: the gap reaches back to where the buffer begins, which is the first event after it.
        if mark.since_ns == 0 || mark.since_ns > mark.until_ns {
            mark.since_ns = mark.until_ns;
        }
    }
    Ok(marks)
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
        "times the task that left a CPU was not the one known to run there: a switch in between is missing.",
    );
    note(
        stats.missed_wakeups,
        "times a task ran whose wake-up is missing.",
    );
    note(
        stats.missed_migrations,
        "times a task ran on another CPU than the one where it waited: its migration is missing.",
    );
    note(
        stats.ran_elsewhere,
        "times a task came to a CPU while it was known to run on another.",
    );
    note(
        stats.lost_marks,
        "gaps of lost events: who ran on the CPU is not known until its next switch.",
    );
    note(
        stats.duplicates,
        "switches are in several inputs and count once.",
    );
    note(
        stats.odd_cpus,
        "scheduler events name CPUs that no machine has; they are left out.",
    );
    note(
        backwards,
        "scheduler events are older than the event before them; they count at that event's time.",
    );
}
