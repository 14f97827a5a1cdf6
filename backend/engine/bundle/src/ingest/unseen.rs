//! Switches that are missing in a recording, found by how long tasks ran and by who was running at other events.

use std::collections::HashSet;

use arrow_array::RecordBatch;
use numalens_core::columns::{i32s, u8s, u32s, u64s};
use numalens_core::topology::MAX_CPUS;
use numalens_replay::evidence::{Unseen, UnseenRows, UnseenTable};
use numalens_replay::run_state::{Ran, Reclassed, Switches};

use super::decode::Decoded;
use super::files::Folder;
use super::index::{MissingSwitches, ReplayInputs};
use super::sink::{Written, fullest};
use crate::error::Error;

/// Number of missing switches that a CPU going offline and back cannot explain.
const MANY: u64 = 8;

/// Found switches.
#[derive(Default)]
pub(super) struct Mended {
    /// Switches that were added.
    pub(super) found: u64,
    /// Times near switches that were added and whose exact time is unknown, ns.
    pub(super) loose: Vec<u64>,
    /// Set if a CPU has no events at all.
    pub(super) silent: bool,
    /// Switches that are recorded.
    pub(super) recorded: u64,
    /// Completeness of the switches: many may be missing, found or not.
    pub(super) switches: Switches,
    /// Times in which tasks ran, whatever the switches say.
    pub(super) ran: Vec<Ran>,
    /// The tasks that were followed, where others were not.
    pub(super) followed: Option<HashSet<i32>>,
    /// Slices in which a task came to another class.
    pub(super) reclassed: Vec<Reclassed>,
}

impl Mended {
    /// Passes the results to the replay. Returns a note if only some tasks were followed.
    pub(super) fn give(&mut self, given: &mut ReplayInputs) -> Option<String> {
        let inputs = &mut given.inputs.run_state;
        inputs.switches = self.switches;
        inputs.ran = std::mem::take(&mut self.ran);
        inputs.reclassed = std::mem::take(&mut self.reclassed);
        inputs.followed = Some(self.followed.take()?);
        // Nothing says who was on a CPU before a task of the process left it.
        given.recording_since.clear();
        let note =
            "Only the tasks of one process were recorded: other tasks on the CPUs are unknown.";
        Some(note.to_owned())
    }
}

/// The switches that each recording lacks, and how many there are.
pub(super) fn mend(
    folder: Folder<'_>,
    recordings: &[Decoded],
) -> Result<(Vec<MissingSwitches>, Mended), Error> {
    let mut mended = Mended::default();
    let mut missing = Vec::new();
    for recording in recordings {
        missing.extend(look(folder, recording, &mut mended)?);
    }
    Ok((missing, mended))
}

/// Missing switches whose time other events show; empty if none is missing or none can be dated.
fn look(
    folder: Folder<'_>,
    recording: &Decoded,
    mended: &mut Mended,
) -> Result<Option<MissingSwitches>, Error> {
    let table = |name: &str| {
        let mut tables = recording.tables.iter();
        tables.find(|table| table.system == "sched" && table.event == name && table.rows > 0)
    };
    let Some(switches) = table("sched_switch") else {
        return Ok(None);
    };
    mended.recorded += switches.rows;
    let buffer = fullest(switches).map_or(0, |(buffer, _)| buffer);
    let known = walk(folder, switches, buffer)?;
    mended.reclassed.extend(known.reclassed);
    if recording.some_tasks {
        mended.followed.get_or_insert_default().extend(known.left);
    }
    if !known.gaps {
        return Ok(None);
    }
    let lost = recording.lost.iter();
    let lost = lost.filter(|lost| lost.buffer == buffer);
    let mut unseen = Unseen::new(lost.map(|lost| (lost.cpu, lost.seq)));
    let open = |table: &Written, columns: &[&str]| {
        let file = folder.open(&table.file, Some(columns))?;
        Ok::<_, Error>(UnseenTable::new(folder.ahead(file), buffer))
    };
    let mut tables = vec![open(switches, &UnseenRows::SWITCH)?];
    if let Some(runtimes) = table("sched_stat_runtime") {
        tables.push(open(runtimes, &UnseenRows::RUNTIME)?);
    }
    let others = recording.tables.iter();
    for other in others.filter(|table| table.rows > 0) {
        if UnseenRows::OTHERS.contains(&other.event.as_str()) {
            tables.push(open(other, &UnseenRows::OTHER)?);
        }
    }
    unseen.look(tables)?;
    let found = unseen.found();
    if found + unseen.left() >= MANY {
        mended.switches = Switches::Missing;
        mended.ran.append(&mut unseen.take_ran());
    }
    if found == 0 {
        return Ok(None);
    }
    mended.found += found;
    mended.loose.append(&mut unseen.take_loose());
    Ok(Some(MissingSwitches {
        input: recording.input,
        buffer,
        batch: unseen.finish(buffer)?,
    }))
}

/// State from the recorded switches.
#[derive(Default)]
struct Walk {
    /// By CPU, the task that was switched to last: its time, pid and priority.
    current: Vec<Option<(u64, i32, i32)>>,
    /// A switch comes from another task than the one that was switched to before. Most recordings have none.
    gaps: bool,
    reclassed: Vec<Reclassed>,
    /// Tasks that left a CPU.
    left: HashSet<i32>,
}

fn walk(folder: Folder<'_>, switches: &Written, buffer: u8) -> Result<Walk, Error> {
    let mut walk = Walk::default();
    for batch in folder.batches(&switches.file, Some(&WALKED))? {
        walk.batch(&batch?, buffer);
    }
    Ok(walk)
}

/// The columns of the switches that are walked.
const WALKED: [&str; 7] = [
    "ts_ns",
    "cpu",
    "buffer",
    "prev_pid",
    "prev_prio",
    "next_pid",
    "next_prio",
];

/// Priorities below this one are of a class above the fair one (`MAX_RT_PRIO`).
const MAX_RT_PRIO: i32 = 100;

impl Walk {
    fn batch(&mut self, batch: &RecordBatch, buffer: u8) {
        let (Some(ts), Some(cpus), Some(buffers)) = (
            u64s(batch, "ts_ns"),
            u32s(batch, "cpu"),
            u8s(batch, "buffer"),
        ) else {
            return;
        };
        let (Some(prev), Some(next)) = (i32s(batch, "prev_pid"), i32s(batch, "next_pid")) else {
            return;
        };
        let prios = i32s(batch, "prev_prio").zip(i32s(batch, "next_prio"));
        for row in 0..batch.num_rows() {
            let cpu = cpus[row];
            if buffers[row] != buffer || cpu >= MAX_CPUS {
                continue;
            }
            let at = cpu as usize;
            if at >= self.current.len() {
                self.current.resize(at + 1, None);
            }
            self.left.insert(prev[row]);
            let (left, came) = prios
                .as_ref()
                .map_or((0, 0), |prios| (prios.0[row], prios.1[row]));
            if let Some((ts_ns, pid, prio)) = self.current[at] {
                self.gaps |= pid != prev[row];
                let class = |prio: i32| prio < MAX_RT_PRIO;
                if pid == prev[row] && pid != 0 && class(prio) != class(left) {
                    self.reclassed.push(Reclassed {
                        ts_ns,
                        cpu,
                        pid,
                        prio: left,
                    });
                }
            }
            self.current[at] = Some((ts[row], next[row], came));
        }
    }
}
