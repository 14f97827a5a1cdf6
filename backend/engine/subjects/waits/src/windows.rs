//! Wake-up waits by window of time, and how many were how long: what two recordings are compared by.

use numalens_core::json::Moment;
use numalens_core::provenance::{Label, Source};
use numalens_replay::waits::WaitPart;
use numalens_subject::distribution::Distribution;
use numalens_subject::waits::Sort;
use numalens_subject::window::{SCHED_WAKING, Steps, lowered};
use schemars::JsonSchema;
use serde::Serialize;

/// Bins of the histogram in a decade. All histograms have the same bins, so that any two lie on each other.
pub const BINS_PER_DECADE: u32 = 10;
/// Decades of ns with bins: from 100 ns to 1000 s. Shorter waits are in the first bin, longer ones in the last.
const DECADES: std::ops::Range<u32> = 2..12;

/// Query.
#[derive(Debug, Clone)]
pub struct WindowsConfig<'a> {
    /// Pids of the tasks, by number: the idle task's waits are left out.
    pub pids: &'a [i32],
    /// Source of the run states.
    pub source: Source,
    /// True if the recording has wakeup requests (`sched_waking`).
    pub requests: bool,
    /// The windows; a last one of other length is left out unless it is the only one.
    pub steps: Steps,
}

/// The wake-up waits that ended in a window. Nearest-rank percentiles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WaitWindow {
    /// Begin.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Number of waits.
    pub wakeups: u64,
    /// Sum.
    pub wait_ns: u64,
    /// The sum of the waits that began with a preemption and ended in the window, ns.
    pub preempted_ns: u64,
    /// Half of them were at most so long; `None` without any.
    pub p50_ns: Option<u64>,
    /// 99 of 100.
    pub p99_ns: Option<u64>,
    /// The longest.
    pub max_ns: Option<u64>,
}

/// Number of waits by length.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "WaitHistogram")]
pub struct Histogram {
    /// Upper edge of each bin but the last, ns; a wait on an edge is above it. The first bin begins at 0.
    pub edges_ns: Vec<u64>,
    /// Waits in each bin: one more than there are edges.
    pub counts: Vec<u64>,
    /// The same in percent of all; empty without any.
    pub percent: Vec<f64>,
    /// Percent of all that were in a bin or below it; empty without any.
    pub at_most_percent: Vec<f64>,
}

impl Histogram {
    fn new(edges_ns: Vec<u64>, counts: Vec<u64>) -> Self {
        let all: u64 = counts.iter().sum();
        let share = |count: u64| (all > 0).then(|| 100.0 * count as f64 / all as f64);
        let below = counts.iter().scan(0, |below, count| {
            *below += count;
            Some(*below)
        });
        Self {
            percent: counts.iter().filter_map(|&count| share(count)).collect(),
            at_most_percent: below.filter_map(share).collect(),
            edges_ns,
            counts,
        }
    }
}

/// Wake-up waits over time and by length.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WaitWindows {
    /// Length of a window, ns.
    pub step_ns: u64,
    /// The windows, ascending.
    pub windows: Vec<WaitWindow>,
    /// All waits by length, including those outside the whole windows.
    pub histogram: Histogram,
    /// Number of wakeups.
    pub wakeups: u64,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// The edges between the bins, ns.
#[must_use]
pub fn wait_bins() -> Vec<u64> {
    let first = DECADES.start * BINS_PER_DECADE;
    let last = DECADES.end * BINS_PER_DECADE;
    let edge = |at: u32| {
        10f64
            .powf(f64::from(at) / f64::from(BINS_PER_DECADE))
            .round() as u64
    };
    (first..=last).map(edge).collect()
}

/// Adds waits up by window. A window takes room for its waits, few bytes once there are many.
#[derive(Debug)]
pub struct WindowsMeter<'a> {
    config: WindowsConfig<'a>,
    windows: Vec<Distribution>,
    preempted_ns: Vec<u64>,
    edges: Vec<u64>,
    counts: Vec<u64>,
}

impl<'a> WindowsMeter<'a> {
    /// Returns an empty meter.
    #[must_use]
    pub fn new(config: WindowsConfig<'a>) -> Self {
        let edges = wait_bins();
        Self {
            windows: vec![Distribution::default(); config.steps.count()],
            preempted_ns: vec![0; config.steps.count()],
            counts: vec![0; edges.len() + 1],
            edges,
            config,
        }
    }

    /// Takes the part of a wait between the start of the first window and the end of the last one: as a whole, in the window
    /// in which it ends. Waits that began neither with a wakeup nor with a preemption are left out, and those without a known
    /// end.
    #[inline]
    pub fn wait(&mut self, part: &WaitPart<'_>) {
        if self.config.pids.get(part.wait.task as usize) == Some(&0) {
            return;
        }
        let wait_ns = part.ns();
        // A wait that ends with the last window belongs to it.
        let last = self.windows.len().saturating_sub(1);
        let at = self.config.steps.at(part.to_ns).min(last);
        match Sort::of(part) {
            Sort::WokenUp => {}
            Sort::Preempted => {
                if let Some(sum) = self.preempted_ns.get_mut(at) {
                    *sum = sum.saturating_add(wait_ns);
                }
                return;
            }
            Sort::New | Sort::Unfinished => return,
        }
        let bin = self.edges.partition_point(|&edge| edge <= wait_ns);
        if let Some(count) = self.counts.get_mut(bin) {
            *count += 1;
        }
        if let Some(window) = self.windows.get_mut(at) {
            window.add(wait_ns);
        }
    }

    /// Returns the summary of the waits.
    #[must_use]
    pub fn finish(self) -> WaitWindows {
        let steps = &self.config.steps;
        let missing: &[&str] = if self.config.requests {
            &[]
        } else {
            &[SCHED_WAKING]
        };
        let (label, missing) = lowered(&self.config.source, missing);
        let whole =
            |at: usize| steps.count() == 1 || steps.end(at) - steps.start(at) == steps.step_ns();
        let windows = self.windows.iter().zip(&self.preempted_ns).enumerate();
        WaitWindows {
            step_ns: steps.step_ns(),
            windows: windows
                .filter(|(at, _)| whole(*at))
                .map(|(at, (waits, &preempted_ns))| {
                    let [p50_ns, p99_ns] = waits.percentiles([50, 99]);
                    WaitWindow {
                        from_ns: steps.start(at),
                        wakeups: waits.count(),
                        wait_ns: waits.sum(),
                        preempted_ns,
                        p50_ns,
                        p99_ns,
                        max_ns: waits.max(),
                    }
                })
                .collect(),
            wakeups: self.counts.iter().sum(),
            histogram: Histogram::new(self.edges, self.counts),
            label,
            missing,
        }
    }
}
