//! Samples of `/proc/stat` as rows on the reference clock.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use numalens_bundle::Error;
use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_subject::Context;
use numalens_subject::section::{at, integers, samples};
use schemars::JsonSchema;
use serde::Serialize;

/// A line of `/proc/stat`, in its ticks of 1/100 s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatSample {
    /// Time of the sample, ns of the reference clock.
    pub t_ns: u64,
    /// The CPU; -1 for all together.
    pub cpu: i32,
    /// Time in user mode, niced included.
    pub user: u64,
    /// Time in the kernel.
    pub system: u64,
    /// Idle time.
    pub idle: u64,
    /// Idle time with a task in `in_iowait`.
    pub iowait: u64,
    /// Time in interrupts and softirqs.
    pub irq: u64,
    /// Time that the host took.
    pub steal: u64,
}

impl StatSample {
    /// Sum of all times.
    #[must_use]
    pub fn all(&self) -> u64 {
        let parts = [
            self.user,
            self.system,
            self.idle,
            self.iowait,
            self.irq,
            self.steal,
        ];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

/// Shares of the CPUs' time by mode, from `/proc/stat`, percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Modes {
    /// First sample, ns.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Last sample, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// In user mode.
    pub user_percent: f64,
    /// In the kernel, interrupts excluded.
    pub system_percent: f64,
    /// In interrupts and softirqs.
    pub irq_percent: f64,
    /// Idle, with and without a task in `in_iowait`.
    pub idle_percent: f64,
    /// Taken by the host.
    pub steal_percent: f64,
}

impl Modes {
    /// Returns the shares between two samples; `None` when nothing was counted.
    fn between(first: &StatSample, last: &StatSample) -> Option<Self> {
        let grown = |of: fn(&StatSample) -> u64| of(last).saturating_sub(of(first));
        let idle = grown(|it| it.idle) + grown(|it| it.iowait);
        let [user, system, irq, steal] = [
            grown(|it| it.user),
            grown(|it| it.system),
            grown(|it| it.irq),
            grown(|it| it.steal),
        ];
        let all = user + system + irq + idle + steal;
        let percent = |ticks: u64| ticks as f64 * 100.0 / all as f64;
        (all > 0).then(|| Self {
            from_ns: first.t_ns,
            to_ns: last.t_ns,
            user_percent: percent(user),
            system_percent: percent(system),
            irq_percent: percent(irq),
            idle_percent: percent(idle),
            steal_percent: percent(steal),
        })
    }
}

/// Modes of all CPUs together in a window.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CpuModes {
    /// Between the first sample of the window and the last.
    #[serde(flatten)]
    pub whole: Modes,
    /// Between each sample and the next.
    pub steps: Vec<Modes>,
    /// Provenance: differences of samples.
    pub label: Label,
}

/// Returns the modes in a window; `None` without two samples.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn modes(open: &Context, from_ns: u64, to_ns: u64) -> Result<Option<CpuModes>, Error> {
    let mut inside = stat(open)?;
    inside.retain(|sample| (from_ns..=to_ns).contains(&sample.t_ns));
    let whole = inside.first().zip(inside.last());
    let whole = whole.and_then(|(first, last)| Modes::between(first, last));
    Ok(whole.map(|whole| CpuModes {
        whole,
        steps: (inside.windows(2))
            .filter_map(|pair| Modes::between(pair.first()?, pair.last()?))
            .collect(),
        label: Label::Observed,
    }))
}

/// The placed lines of all CPUs together, by time.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn stat(open: &Context) -> Result<Vec<StatSample>, Error> {
    let mut found = Vec::new();
    samples(open, "stat", |batch| found.extend(rows(batch)))?;
    found.retain(|sample: &StatSample| sample.cpu < 0);
    found.sort_by_key(|sample| sample.t_ns);
    found.dedup_by_key(|sample| sample.t_ns);
    Ok(found)
}

/// Steal of each CPU between two of its samples: CPU, times of both, and steal, ns; by CPU and time.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn steal_of_cpus(open: &Context) -> Result<Vec<(u32, u64, u64, u64)>, Error> {
    let mut found: Vec<StatSample> = Vec::new();
    samples(open, "stat", |batch| found.extend(rows(batch)))?;
    found.sort_by_key(|sample| (sample.cpu, sample.t_ns));
    let pairs = found.windows(2).filter_map(|pair| {
        let [first, last] = pair else { return None };
        let cpu = u32::try_from(first.cpu)
            .ok()
            .filter(|_| first.cpu == last.cpu)?;
        let ticks = last.steal.saturating_sub(first.steal);
        (first.t_ns < last.t_ns).then_some((
            cpu,
            first.t_ns,
            last.t_ns,
            ticks.saturating_mul(TICK_NS),
        ))
    });
    Ok(pairs.collect())
}

/// A tick of `/proc/stat` (`USER_HZ`), ns.
const TICK_NS: u64 = 10_000_000;

/// CPU time that the host took, of all CPUs, between the first and the last sample in a window; `None` when there are not two.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn steal_ns(open: &Context, from_ns: u64, to_ns: u64) -> Result<Option<u64>, Error> {
    let samples = stat(open)?;
    let mut inside = samples
        .iter()
        .filter(|sample| (from_ns..=to_ns).contains(&sample.t_ns));
    let (first, last) = (inside.next(), inside.next_back());
    let ticks = first
        .zip(last)
        .map(|(first, last)| last.steal.saturating_sub(first.steal));
    Ok(ticks.map(|ticks| ticks.saturating_mul(TICK_NS)))
}

fn rows(batch: &RecordBatch) -> Vec<StatSample> {
    let number = |name: &str, row: usize| -> u64 {
        let Some(array) = batch.column_by_name(name) else {
            return 0;
        };
        if let Some(array) = array.as_primitive_opt::<UInt64Type>() {
            return if array.is_valid(row) {
                array.value(row)
            } else {
                0
            };
        }
        let array = array.as_primitive_opt::<Int64Type>();
        at(array, row).map_or(0, |value| value.max(0) as u64)
    };
    let cpus = batch.column_by_name("cpu");
    let cpus = cpus.and_then(|array| array.as_primitive_opt::<Int32Type>());
    let times = integers(batch, "ts_ns");
    let row = |row: usize| {
        let t_ns = u64::try_from(at(times, row)?).ok()?;
        let cpu = cpus.filter(|cpus| cpus.is_valid(row))?.value(row);
        Some(StatSample {
            t_ns,
            cpu,
            user: number("user", row) + number("nice", row),
            system: number("system", row),
            idle: number("idle", row),
            iowait: number("iowait", row),
            irq: number("irq", row) + number("softirq", row),
            steal: number("steal", row),
        })
    };
    (0..batch.num_rows()).filter_map(row).collect()
}
