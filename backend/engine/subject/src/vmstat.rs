//! Samples of `/proc/vmstat`: the machine's counters and their growth between two samples.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use numalens_bundle::{Error, Open};

use crate::logs::{cell, column, times};
use crate::section::{at, integers, samples, texts};
use crate::{Context, Shared};

/// Counters by their names in `/proc/vmstat`.
pub type Counters = BTreeMap<String, i64>;

/// A sample of `/proc/vmstat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Time, ns of the reference clock.
    pub t_ns: u64,
    /// Counters.
    pub counters: Counters,
}

/// Growth of each counter. Counters that only one sample has are left out, and so are those that decreased: they restarted in
/// between, so their growth is not known.
#[must_use]
pub fn deltas(before: &Counters, after: &Counters) -> Counters {
    after
        .iter()
        .filter_map(|(name, &after)| {
            let before = *before.get(name)?;
            let grown = after.checked_sub(before).filter(|&grown| grown >= 0)?;
            Some((name.clone(), grown))
        })
        .collect()
}

/// Samples that represent a window: the last one before its start (otherwise the first one inside) and the first one after
/// its end (otherwise the last one inside). `None` without two. `readings` ascend in time.
#[must_use]
pub fn span(readings: &[Reading], from_ns: u64, to_ns: u64) -> Option<(&Reading, &Reading)> {
    let before = readings
        .partition_point(|reading| reading.t_ns <= from_ns)
        .saturating_sub(1);
    let after = readings
        .partition_point(|reading| reading.t_ns < to_ns)
        .min(readings.len().saturating_sub(1));
    let (first, last) = (readings.get(before)?, readings.get(after)?);
    (before < after).then_some((first, last))
}

/// Returns the number of pages that were read back in a window soon after they had been reclaimed; `None` without two samples. `readings`
/// ascend in time.
#[must_use]
pub fn refaults(readings: &[Reading], from_ns: u64, to_ns: u64) -> Option<u64> {
    let (before, after) = span(readings, from_ns, to_ns)?;
    let grown = deltas(&before.counters, &after.counters);
    let of_refaults = grown
        .iter()
        .filter(|(name, _)| name.starts_with("workingset_refault"));
    Some(of_refaults.map(|(_, &pages)| pages.unsigned_abs()).sum())
}

/// Counters by name, by start and end of the sample.
pub type CountersByReading = BTreeMap<(u64, u64), BTreeMap<String, i64>>;

/// The machine's counters of memory, by reading.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn machine_counters(open: &Open) -> Result<CountersByReading, Error> {
    let mut found = CountersByReading::new();
    samples(open, "vmstat", |batch| {
        let (Some(names), values) = (texts(batch, "name"), integers(batch, "value")) else {
            return;
        };
        let nids = column::<Int32Type>(batch, "nid");
        for (row, time) in times(batch).into_iter().enumerate() {
            let (Some(time), None, Some(value)) = (time, cell(nids, row), at(values, row)) else {
                continue;
            };
            let counters = found.entry(time).or_default();
            counters.insert(names.value(row).to_owned(), value);
        }
    })?;
    Ok(found)
}

/// The samples of `/proc/vmstat` of a bundle, in order of time.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn readings(open: &Open) -> Result<Vec<Reading>, Error> {
    let found = machine_counters(open)?.into_iter();
    let readings = found.map(|((t_ns, _), counters)| Reading { t_ns, counters });
    Ok(readings.collect())
}

/// The samples of `/proc/vmstat`.
pub struct VmstatSamples {
    /// All counters, for mmtests' table.
    pub readings: Vec<Reading>,
}

impl Shared for VmstatSamples {
    fn heap_bytes(&self) -> usize {
        /// A counter's name and value.
        const COUNTER: usize = 64;
        let counters: usize = self.readings.iter().map(|one| one.counters.len()).sum();
        counters * COUNTER + self.readings.heap_bytes()
    }
}

impl VmstatSamples {
    /// Samples of a bundle.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn of(open: &Context) -> Result<Arc<Self>, Error> {
        open.shared("vmstat", || {
            Ok(Self {
                readings: readings(open)?,
            })
        })
    }
}
