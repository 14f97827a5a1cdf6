//! Sampled totals beside replayed ones, between the first and the last sample of a window.

use numalens_core::json::Moment;
use schemars::JsonSchema;
use serde::Serialize;

use crate::psi::aggregate::GroupTotals;
use crate::psi::rules::Rules;
use crate::psi::samples::SampleSeries;

/// Error that a complete trace may have, percent.
pub(super) const TOLERANCE: f64 = 1.0;
/// Error that a trace with gaps, or with little pressure, may have, percent.
pub(super) const TOLERANCE_WIDE: f64 = 2.0;
/// Below this much pressure the wider tolerance holds, percent.
pub(super) const LITTLE_PRESSURE: f64 = 10.0;
/// Jiffies per aggregation by which totals may differ in any case (`docs/algorithms/psi.md`, P10).
const JIFFIES_PER_AGGREGATION: u64 = 2;

/// What the trace is like in the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weather {
    /// Events are lost, or what some CPU did is not known.
    pub gaps: bool,
    /// Jiffies per second.
    pub hz: u32,
}

/// A resource's sampled and replayed growth between two samples.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PressureResidual")]
pub struct Residual {
    /// The first sample's read, ns.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// The last sample's read, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Samples in the window.
    pub samples: usize,
    /// Growth of `some` (of `full` where there is no `some`) as printed, µs.
    pub sampled_some_us: u64,
    /// The same as replayed.
    pub replayed_some_us: u64,
    /// By how much the replay is above (or below) what was printed, percent of that.
    pub error_percent: f64,
    /// How far it may be off.
    pub tolerance_percent: f64,
    /// It is not.
    pub within: bool,
    /// The sampled growth as a share of the time, percent.
    pub pressure_percent: f64,
    /// Growth of `full` as printed, µs; none where the kernel has no such line.
    pub sampled_full_us: Option<u64>,
    /// The same as replayed.
    pub replayed_full_us: Option<u64>,
    /// What the loose check (`docs/algorithms/psi.md`, P10) allows: 2 % or two jiffies per aggregation, whichever is more, µs.
    pub check_tolerance_us: u64,
    /// `some` and `full` are within that.
    pub check_within: bool,
}

/// Moments at which the first and the last sample in [from, to] were read, as marks of `group`.
#[must_use]
pub fn marks(
    series: &SampleSeries,
    place: usize,
    group: u32,
    from: u64,
    to: u64,
) -> Vec<(u32, u64)> {
    let inside = inside(series, place, from, to);
    [inside.first(), inside.last()]
        .into_iter()
        .flatten()
        .map(|&(ts, _)| (group, ts))
        .collect()
}

/// The residual of one file in [from, to]; none with fewer than two samples or without their marks. `place` is which
/// file of the group it was, in the order of reading.
#[must_use]
pub fn residual(
    series: &SampleSeries,
    place: usize,
    totals: &GroupTotals,
    rules: &Rules,
    weather: Weather,
    (from, to): (u64, u64),
) -> Option<Residual> {
    let inside = inside(series, place, from, to);
    let (&(first_ns, first), &(last_ns, last)) = (inside.first()?, inside.last()?);
    if last_ns <= first_ns {
        return None;
    }
    let mark = |ts: u64| totals.marks.iter().find(|mark| mark.ts_ns == ts);
    let (before, after) = (mark(first_ns)?, mark(last_ns)?);
    let (first, last) = (&series.samples[first], &series.samples[last]);
    let (some, full) = series.resource.states();
    let machine = series.cgroup.is_none();
    let shown = some != Some(crate::psi::rules::state::CPU_SOME) || rules.shows_cpu_full(machine);
    let grown = |state: usize| (after.totals_ns[state] / 1000) - (before.totals_ns[state] / 1000);
    let sampled_full = first
        .full
        .zip(last.full)
        .map(|(first, last)| last.total_us.saturating_sub(first.total_us));
    let full_us = (shown && rules.has(full)).then(|| grown(full));
    let (sampled, replayed) = match some {
        Some(some) => (
            last.some?.total_us.saturating_sub(first.some?.total_us),
            grown(some),
        ),
        None => (sampled_full?, grown(full)),
    };
    let pressure = sampled as f64 * 1e5 / (last_ns - first_ns) as f64;
    let tolerance = if weather.gaps || pressure < LITTLE_PRESSURE {
        TOLERANCE_WIDE
    } else {
        TOLERANCE
    };
    let error = percent(sampled, replayed);
    let jiffy_us = 1_000_000 / u64::from(weather.hz.max(1));
    let slack = |sampled: u64| {
        let aggregations = after.aggregations - before.aggregations;
        (sampled / 50).max(JIFFIES_PER_AGGREGATION * jiffy_us * aggregations)
    };
    let full_within = match (sampled_full, full_us) {
        (Some(sampled), Some(replayed)) => sampled.abs_diff(replayed) <= slack(sampled),
        _ => true,
    };
    Some(Residual {
        from_ns: first_ns,
        to_ns: last_ns,
        samples: inside.len(),
        sampled_some_us: sampled,
        replayed_some_us: replayed,
        error_percent: error,
        tolerance_percent: tolerance,
        within: error.abs() <= tolerance,
        pressure_percent: pressure,
        sampled_full_us: sampled_full,
        replayed_full_us: full_us,
        check_tolerance_us: slack(sampled),
        check_within: sampled.abs_diff(replayed) <= slack(sampled) && full_within,
    })
}

/// (moment of reading, index) of the samples that were read in [from, to].
fn inside(series: &SampleSeries, place: usize, from: u64, to: u64) -> Vec<(u64, usize)> {
    series
        .samples
        .iter()
        .enumerate()
        .map(|(number, sample)| (sample.read_at(place), number))
        .filter(|(ts, _)| (from..=to).contains(ts))
        .collect()
}

fn percent(sampled: u64, replayed: u64) -> f64 {
    if sampled == replayed {
        return 0.0;
    }
    if sampled == 0 {
        return 100.0;
    }
    (replayed as f64 - sampled as f64) / sampled as f64 * 100.0
}
