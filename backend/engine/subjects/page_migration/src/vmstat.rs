//! Samples of `/proc/vmstat`, as far as memory migration goes.

use std::collections::BTreeMap;

use serde::Serialize;

/// A sample of the counters; each counts since boot. `None` if the file does not have it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Vmstat {
    /// A moment before the file was read, as late as known; ns of the reference clock.
    pub t_ns: u64,
    /// A moment after it was read, as early as known, ns; at least `t_ns`. See [`bound`].
    pub end_ns: u64,
    /// Hinting faults: one for each base page or huge page touched.
    pub numa_hint_faults: Option<u64>,
    /// Of these, those whose page lay on the node of the CPU.
    pub numa_hint_faults_local: Option<u64>,
    /// Base pages migrated on fault.
    pub numa_pages_migrated: Option<u64>,
    /// Base pages migrated for any reason.
    pub pgmigrate_success: Option<u64>,
    /// Base pages that could not be migrated.
    pub pgmigrate_fail: Option<u64>,
    /// Entries of page tables that the scanner took away; 512 for a huge one.
    pub numa_pte_updates: Option<u64>,
    /// Entries of huge pages among these.
    pub numa_huge_pte_updates: Option<u64>,
}

impl Vmstat {
    /// Sets a counter by its name in the file; others are of no interest.
    pub fn set(&mut self, name: &str, value: u64) {
        let place = match name {
            "numa_hint_faults" => &mut self.numa_hint_faults,
            "numa_hint_faults_local" => &mut self.numa_hint_faults_local,
            "numa_pages_migrated" => &mut self.numa_pages_migrated,
            "pgmigrate_success" => &mut self.pgmigrate_success,
            "pgmigrate_fail" => &mut self.pgmigrate_fail,
            "numa_pte_updates" => &mut self.numa_pte_updates,
            "numa_huge_pte_updates" => &mut self.numa_huge_pte_updates,
            _ => return,
        };
        *place = Some(value);
    }

    /// Samples, ascending in time, from rows of the sample table `vmstat`: start and end of the sample, name, value. Rows of
    /// single nodes must be excluded.
    #[must_use]
    pub fn collect<'a>(rows: impl IntoIterator<Item = (u64, u64, &'a str, u64)>) -> Vec<Self> {
        let mut readings: BTreeMap<u64, Self> = BTreeMap::new();
        for (t_ns, end_ns, name, value) in rows {
            let reading = readings.entry(t_ns).or_default();
            reading.t_ns = t_ns;
            reading.end_ns = reading.end_ns.max(end_ns).max(t_ns);
            reading.set(name, value);
        }
        readings.into_values().collect()
    }
}

/// Moves the times of samples nearer to the actual read of the file. A sampler takes a timestamp, reads other files first,
/// and this one later: on a busy machine hundreds of ms later. `others` are the starts and ends of its samples, ascending by
/// start: a sample comes after the end of the span that began with it, and before the next one begins.
pub fn bound(readings: &mut [Vmstat], others: &[(u64, u64)]) {
    for reading in readings {
        let after = others.partition_point(|(begin_ns, _)| *begin_ns <= reading.t_ns);
        let next = others.get(after).map(|(begin_ns, _)| *begin_ns);
        if let Some(next_ns) = next.filter(|_| reading.end_ns == reading.t_ns) {
            reading.end_ns = next_ns;
        }
        let same = after.checked_sub(1).and_then(|at| others.get(at));
        if let Some((_, end_ns)) = same.filter(|(begin_ns, _)| *begin_ns == reading.t_ns) {
            reading.t_ns = reading.t_ns.max(*end_ns);
            reading.end_ns = reading.end_ns.max(reading.t_ns);
        }
    }
}

/// The samples for the computation of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'a> {
    /// The first of them, the last, and those between.
    pub readings: &'a [Vmstat],
    /// True if both are inside the window, false if they surround it.
    pub inside: bool,
}

/// The two samples of a window, otherwise with those just before and after it. `None` without two.
#[must_use]
pub fn within(readings: &[Vmstat], from_ns: u64, to_ns: u64) -> Option<Pair<'_>> {
    let first = readings.partition_point(|reading| reading.t_ns < from_ns);
    let after = readings.partition_point(|reading| reading.end_ns <= to_ns);
    if let Some(own) = readings.get(first..after).filter(|own| own.len() >= 2) {
        return Some(Pair {
            readings: own,
            inside: true,
        });
    }
    let first = first.saturating_sub(1);
    let after = readings.len().min(after.max(first).saturating_add(1));
    let around = readings.get(first..after).filter(|own| own.len() >= 2)?;
    Some(Pair {
        readings: around,
        inside: false,
    })
}

/// Growth of a counter; `None` if it is missing or decreased.
#[must_use]
pub fn grown(old: &Vmstat, new: &Vmstat, of: fn(&Vmstat) -> Option<u64>) -> Option<u64> {
    of(new)?.checked_sub(of(old)?)
}
