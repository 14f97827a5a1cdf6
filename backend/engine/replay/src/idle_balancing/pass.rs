//! The pass over the tables, which writes the log; and which address is `nohz_csd_func`.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use numalens_core::EngineError;
use numalens_events::Kinds;

use super::relevance::Relevance;
use super::{EventsWriter, IlbMerge, IlbTable, JiffyLearner};

/// Rows between two calls of the progress function.
const PROGRESS_ROWS: u64 = 1 << 16;

/// Writes the merged rows as a log: of softirqs' ends, raises and migrations only those that tell something of a kick or a
/// pass, of balancings those for other CPUs. `jiffies` gets all rows. `progress` gets the number of rows so far and says
/// whether to go on.
///
/// # Errors
/// A table could not be read, the file could not be written, or `progress` said to stop.
pub fn pass(
    mut events: IlbMerge<'_>,
    out: Box<dyn Write>,
    jiffies: &mut JiffyLearner,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Kinds, EngineError> {
    let mut writer = EventsWriter::new(out)?;
    let mut relevance = Relevance::default();
    let mut done = 0_u64;
    while let Some(mut row) = events.next_row()? {
        done += 1;
        if done.is_multiple_of(PROGRESS_ROWS) && !progress(done) {
            return Err(EngineError::Stopped);
        }
        jiffies.row(&row);
        if relevance.row(&mut row) {
            writer.push(&row)?;
        }
    }
    writer.finish()?;
    Ok(events.kinds())
}

/// The address of `nohz_csd_func`: the function that runs when the probe on it is hit next on the same CPU. `entries` is a
/// table of [`IlbKind::CsdEntry`], `arrivals` one of [`IlbKind::Arrive`]. `None` when they do not tell it clearly.
///
/// # Errors
/// A table could not be read.
pub fn learn_csd(
    entries: IlbTable<'_>,
    arrivals: IlbTable<'_>,
) -> Result<Option<u64>, EngineError> {
    /// So many arrivals are enough.
    const ENOUGH: usize = 256;
    let mut hits: HashMap<u32, Vec<(u64, u64)>> = HashMap::new();
    let mut kept = 0;
    arrivals.addresses(|cpu, ts, seq, _| {
        if kept < ENOUGH {
            kept += 1;
            hits.entry(cpu).or_default().push((ts, seq));
        }
    })?;
    // The last function begun before each arrival.
    let mut before: HashMap<(u32, usize), u64> = HashMap::new();
    entries.addresses(|cpu, ts, seq, address| {
        if let Some(hits) = hits.get(&cpu) {
            let at = hits.partition_point(|&hit| hit < (ts, seq));
            if at < hits.len() {
                before.insert((cpu, at), address);
            }
        }
    })?;
    let mut votes: BTreeMap<u64, usize> = BTreeMap::new();
    for address in before.values() {
        *votes.entry(*address).or_default() += 1;
    }
    let best = votes.into_iter().max_by_key(|vote| vote.1);
    let clear = |&(address, votes): &(u64, usize)| address != 0 && votes * 2 > before.len();
    Ok(best.filter(clear).map(|vote| vote.0))
}
