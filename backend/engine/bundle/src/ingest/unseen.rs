//! Switches that are missing in a recording, found by how long tasks ran and by who was running at other events.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt8Type, UInt32Type};
use numalens_core::topology::MAX_CPUS;
use numalens_replay::evidence::{Unseen, UnseenRows, UnseenTable};
use numalens_replay::run_state::Switches;

use super::decode::Decoded;
use super::files::Folder;
use super::index::{MissingSwitches, fullest};
use super::sink::Written;
use crate::error::Error;

/// So many missing switches are not just those of a CPU that goes off and comes back.
const MANY: u64 = 8;

/// What was found.
#[derive(Default)]
pub(super) struct Mended {
    /// Switches that were added.
    pub(super) found: u64,
    /// Switches that are recorded.
    pub(super) recorded: u64,
    /// Whether many are missing, found or not.
    pub(super) switches: Switches,
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

/// The switches that the recording lacks; none when it lacks none or no event dates them.
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
    if !gaps(folder, switches, buffer)? {
        return Ok(None);
    }
    let lost = recording.lost.iter();
    let lost = lost.filter(|lost| lost.buffer == buffer);
    let mut unseen = Unseen::new(lost.map(|lost| (lost.cpu, lost.seq)));
    let open = |table: &Written, columns: &[&str]| {
        let file = folder.open(&table.file, Some(columns))?;
        Ok::<_, Error>(UnseenTable::new(Box::new(file.into_batches()), buffer))
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
    }
    if found == 0 {
        return Ok(None);
    }
    mended.found += found;
    Ok(Some(MissingSwitches {
        input: recording.input,
        buffer,
        batch: unseen.finish(buffer)?,
    }))
}

/// Whether any switch comes from another task than the one that was switched to before: most recordings have none, and
/// for them this is all that is looked at.
fn gaps(folder: Folder<'_>, switches: &Written, buffer: u8) -> Result<bool, Error> {
    let columns = ["cpu", "buffer", "prev_pid", "next_pid"];
    let mut current: Vec<Option<i32>> = Vec::new();
    for batch in folder.batches(&switches.file, Some(&columns))? {
        if in_batch(&batch?, buffer, &mut current) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn in_batch(batch: &RecordBatch, buffer: u8, current: &mut Vec<Option<i32>>) -> bool {
    let column = |name| batch.column_by_name(name);
    let pids = |name| column(name).and_then(|array| array.as_primitive_opt::<Int32Type>());
    let cpus = column("cpu").and_then(|array| array.as_primitive_opt::<UInt32Type>());
    let buffers = column("buffer").and_then(|array| array.as_primitive_opt::<UInt8Type>());
    let (Some(cpus), Some(buffers), Some(prev), Some(next)) =
        (cpus, buffers, pids("prev_pid"), pids("next_pid"))
    else {
        return false;
    };
    for row in 0..batch.num_rows() {
        let cpu = cpus.value(row);
        if buffers.value(row) != buffer || cpu >= MAX_CPUS {
            continue;
        }
        let at = cpu as usize;
        if at >= current.len() {
            current.resize(at + 1, None);
        }
        if current[at].is_some_and(|pid| pid != prev.value(row)) {
            return true;
        }
        current[at] = Some(next.value(row));
    }
    false
}
