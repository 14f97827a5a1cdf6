//! Part of the pass for the idle load balancer: writes its log, and finds the address of `nohz_csd_func`.

use numalens_core::{EngineError, Output};
use numalens_events::{Kinds, Order};
use std::collections::{BTreeMap, HashMap};

use super::relevance::Relevance;
use super::table::relevant;
use super::{EventsWriter, IlbRow, IlbTable, Jiffies, JiffyLearner};

/// Writes rows as a log: of softirqs' ends, raises and migrations only those that say something of a kick or a pass, of
/// balancings those for other CPUs. Learns the kernel's jiffies from all rows.
pub struct LogWriter {
    writer: EventsWriter,
    relevance: Relevance,
    jiffies: JiffyLearner,
    kinds: Kinds,
    order: Order,
}

impl LogWriter {
    /// Begins the log of the rows of `tables`; gives it with the tables that are needed for it.
    ///
    /// # Errors
    /// A table could not be read, or the file could not be written.
    pub fn new(
        tables: Vec<IlbTable<'_>>,
        jiffies: JiffyLearner,
        out: Output,
    ) -> Result<(Self, Vec<IlbTable<'_>>), EngineError> {
        let (kinds, tables) = relevant(tables)?;
        let log = Self {
            writer: EventsWriter::new(out)?,
            relevance: Relevance::default(),
            jiffies,
            kinds,
            order: Order::default(),
        };
        Ok((log, tables))
    }

    /// Adds the next row, of the time `ts_ns`.
    ///
    /// # Errors
    /// The file could not be written.
    #[inline]
    pub fn row(&mut self, ts_ns: u64, mut row: IlbRow) -> Result<(), EngineError> {
        row.ts_ns = self.order.take(ts_ns);
        self.jiffies.row(&row);
        if self.relevance.row(&mut row) {
            self.writer.push(&row)?;
        }
        Ok(())
    }

    /// Kinds of tables that exist.
    #[must_use]
    pub fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Finishes the file; the kinds of tables that there were, and the kernel's jiffies.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn finish(self) -> Result<(Kinds, Jiffies), EngineError> {
        self.writer.finish()?;
        Ok((self.kinds, self.jiffies.finish()))
    }
}

/// Returns the address of `nohz_csd_func`: the function that runs when the probe on it is hit next on the same CPU. `entries`
/// is a table of [`IlbKind::CsdEntry`], `arrivals` one of [`IlbKind::Arrive`]. `None` when they are ambiguous.
///
/// # Errors
/// A table could not be read.
pub fn learn_csd(
    entries: IlbTable<'_>,
    arrivals: IlbTable<'_>,
) -> Result<Option<u64>, EngineError> {
    /// Sufficient number of arrivals.
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
