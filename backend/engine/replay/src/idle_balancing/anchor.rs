//! Conversion of times to jiffies.

use numalens_events::IlbKind;
use serde::{Deserialize, Serialize};

use super::IlbRow;

/// Turns moments into jiffies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Jiffies {
    /// Jiffies per second.
    pub hz: u32,
    /// A moment, ns of the reference clock.
    pub origin_ns: u64,
    /// Jiffies at that moment, with the part of one that has passed.
    pub at_origin: f64,
    /// True if the recording shows the kernel's own count; otherwise it counts from the origin.
    #[serde(rename = "told")]
    pub recorded: bool,
}

impl Jiffies {
    /// Jiffies counted from a moment.
    #[must_use]
    pub fn from_origin(hz: u32, origin_ns: u64) -> Self {
        Self {
            hz: hz.max(1),
            origin_ns,
            // Away from 0, so that what is past can be distinguished from what is never.
            at_origin: f64::from(hz.max(1)) * 3600.0,
            recorded: false,
        }
    }

    /// Jiffies at a moment.
    #[must_use]
    pub fn at(&self, t_ns: u64) -> u64 {
        (self.at_origin + self.since(t_ns)).max(0.0) as u64
    }

    /// Time from which jiffies may differ from those at a moment, ns; slightly too early rather than too late.
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

/// Learns the kernel's jiffies from ticks whose probe shows `rq->next_balance`. A tick raises the SCHED softirq if and only
/// if that is reached, so the latest reached one is the count. Without such ticks, jiffies count from the origin.
#[derive(Debug)]
pub struct JiffyLearner {
    found: Jiffies,
    /// Rows that count are not later, ns.
    end_ns: u64,
    /// Per CPU the tick that was its last row: when, and `rq->next_balance`.
    ticks: Vec<Option<(u64, u64)>>,
    /// Of ticks that raised the softirq: `rq->next_balance` less the jiffies since the origin.
    differences: Vec<f64>,
}

impl JiffyLearner {
    /// Sufficient number of ticks.
    const ENOUGH: usize = 20_000;

    /// Creates the learner of a recording with rows from `origin_ns` to `end_ns`.
    #[must_use]
    pub fn new(hz: u32, origin_ns: u64, end_ns: u64) -> Self {
        Self {
            found: Jiffies {
                at_origin: 0.0,
                ..Jiffies::from_origin(hz, origin_ns)
            },
            end_ns,
            ticks: Vec::new(),
            differences: Vec::new(),
        }
    }

    /// Adds the next row; times ascend.
    #[inline]
    pub fn row(&mut self, row: &IlbRow) {
        let tick = row.kind == IlbKind::Trigger && row.b != 0;
        match self.ticks.get_mut(row.cpu as usize) {
            // The softirq is raised right behind the probe.
            Some(last) => {
                if let Some(last) = last.take().filter(|_| row.kind == IlbKind::Raise) {
                    self.raised(row.ts_ns, last);
                }
            }
            None if tick && row.cpu < numalens_core::topology::MAX_CPUS => {
                self.ticks.resize(row.cpu as usize + 1, None);
            }
            None => {}
        }
        if tick
            && (self.found.origin_ns..=self.end_ns).contains(&row.ts_ns)
            && let Some(last) = self.ticks.get_mut(row.cpu as usize)
        {
            *last = Some((row.ts_ns, row.b));
        }
    }

    /// The softirq was raised after a tick.
    fn raised(&mut self, t_ns: u64, (tick_ns, next): (u64, u64)) {
        let counts = t_ns <= self.end_ns && t_ns - tick_ns < 100_000;
        if counts && self.differences.len() < Self::ENOUGH {
            let difference = next as f64 - self.found.since(tick_ns);
            self.differences.push(difference);
        }
    }

    /// Returns the learned jiffies.
    #[must_use]
    pub fn finish(mut self) -> Jiffies {
        self.differences.sort_by(f64::total_cmp);
        // The very latest may be one whose probe came late; a thousandth of them is left out.
        let skip = self.differences.len() / 1000;
        match self.differences.iter().rev().nth(skip) {
            Some(&difference) => Jiffies {
                at_origin: difference,
                recorded: true,
                ..self.found
            },
            None => Jiffies::from_origin(self.found.hz, self.found.origin_ns),
        }
    }
}

/// Returns the result of a [`JiffyLearner`] for rows, which ascend.
#[must_use]
pub fn learn_jiffies(hz: u32, origin_ns: u64, rows: impl Iterator<Item = IlbRow>) -> Jiffies {
    let mut learner = JiffyLearner::new(hz, origin_ns, u64::MAX);
    for row in rows {
        learner.row(&row);
    }
    learner.finish()
}
