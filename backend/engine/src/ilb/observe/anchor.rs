//! Moments as jiffies.

use serde::{Deserialize, Serialize};

use super::{IlbKind, IlbRow};

/// Turns moments into jiffies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Jiffies {
    /// Jiffies per second.
    pub hz: u32,
    /// A moment, ns of the reference clock.
    pub origin_ns: u64,
    /// Jiffies at that moment, with the part of one that has passed.
    pub at_origin: f64,
    /// The recording tells the kernel's own count; else it counts from the origin.
    pub told: bool,
}

impl Jiffies {
    /// Jiffies counted from a moment.
    #[must_use]
    pub fn from_origin(hz: u32, origin_ns: u64) -> Self {
        Self {
            hz: hz.max(1),
            origin_ns,
            // Away from 0, so that what is past can be told from what is never.
            at_origin: f64::from(hz.max(1)) * 3600.0,
            told: false,
        }
    }

    /// Jiffies at a moment.
    #[must_use]
    pub fn at(&self, t_ns: u64) -> u64 {
        (self.at_origin + self.since(t_ns)).max(0.0) as u64
    }

    /// From when on jiffies may be others than at a moment, ns: a little before they are.
    #[must_use]
    pub fn steady_until(&self, t_ns: u64) -> u64 {
        /// More than rounding is off by, ns.
        const MARGIN_NS: f64 = 1000.0;
        let next = (self.at(t_ns).saturating_add(1)) as f64;
        let ns = (next - self.at_origin) * 1e9 / f64::from(self.hz);
        (self.origin_ns as f64 + ns - MARGIN_NS).max(0.0) as u64
    }

    fn since(&self, t_ns: u64) -> f64 {
        let ns = t_ns as f64 - self.origin_ns as f64;
        ns * f64::from(self.hz) / 1e9
    }
}

/// The kernel's jiffies, from ticks whose probe tells `rq->next_balance`: a tick raises the SCHED softirq if and only if that
/// is reached, so that the latest one that was reached tells the count. `rows` ascend. Without such ticks, jiffies count
/// from the origin.
#[must_use]
pub fn learn_jiffies(hz: u32, origin_ns: u64, rows: impl Iterator<Item = IlbRow>) -> Jiffies {
    /// So many ticks are enough.
    const ENOUGH: usize = 20_000;
    let mut found = Jiffies {
        at_origin: 0.0,
        ..Jiffies::from_origin(hz, origin_ns)
    };
    let mut ticks: Vec<Option<(u64, u64)>> = Vec::new();
    let mut differences = Vec::new();
    for row in rows {
        let at = row.cpu as usize;
        if at >= crate::run_state::MAX_CPUS as usize {
            continue;
        }
        if at >= ticks.len() {
            ticks.resize(at + 1, None);
        }
        let last = ticks[at].take();
        match row.kind {
            IlbKind::Trigger if row.b != 0 => ticks[at] = Some((row.ts_ns, row.b)),
            IlbKind::Raise => {
                // The softirq is raised right behind the probe.
                if let Some((ts, next)) = last.filter(|tick| row.ts_ns - tick.0 < 100_000) {
                    differences.push(next as f64 - found.since(ts));
                }
            }
            _ => {}
        }
        if differences.len() >= ENOUGH {
            break;
        }
    }
    differences.sort_by(f64::total_cmp);
    // The very latest may be one whose probe came late; a thousandth of them is left out.
    let skip = differences.len() / 1000;
    match differences.iter().rev().nth(skip) {
        Some(&difference) => {
            found.at_origin = difference;
            found.told = true;
            found
        }
        None => Jiffies::from_origin(hz, origin_ns),
    }
}
