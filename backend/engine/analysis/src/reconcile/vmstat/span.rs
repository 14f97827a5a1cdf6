//! Readings of counters and what lies between two of them.

use std::collections::BTreeMap;

/// Counters by their names in `/proc/vmstat`.
pub type Counters = BTreeMap<String, i64>;

/// A reading of `/proc/vmstat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// When, ns of the reference clock.
    pub t_ns: u64,
    /// What it said.
    pub counters: Counters,
}

/// What each counter grew by. Counters that only one reading has are left out, and so are those that went back: they
/// began anew in between, so their growth is not known.
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

/// The readings that stand for a window: the last one by its begin (else the first one in it) and the first one from its
/// end on (else the last one in it). `None` when these are not two. `readings` ascend in time.
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
