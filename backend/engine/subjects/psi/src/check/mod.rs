//! Sampled totals against replayed ones, between the first and the last sample of a window.

mod predicted;

use crate::group::GroupTotals;
use crate::result::{Line, Residual, Sample, SampleSeries};
use crate::rules::Rules;

pub use self::predicted::{averages, averages_of};

/// Error that a complete trace may have, percent.
const TOLERANCE: f64 = 1.0;
/// Error that a trace with gaps, or with little pressure, may have, percent.
const TOLERANCE_WIDE: f64 = 2.0;
/// Below this much pressure the wider tolerance holds, percent.
const LITTLE_PRESSURE: f64 = 10.0;
/// Jiffies per aggregation by which totals may differ in any case (`docs/algorithms/psi.md`, P10).
const JIFFIES_PER_AGGREGATION: u64 = 2;

/// Recording quality in the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weather {
    /// Events are lost, or what some CPU did is not known.
    pub gaps: bool,
    /// Jiffies per second.
    pub hz: u32,
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
    let shown = some != Some(crate::rules::state::CPU_SOME) || rules.shows_cpu_full(machine);
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

// When the kernel updated the averages, as far as the samples show.
//
// An update is due every period, on a grid that never shifts (`avg_next_update` grows by whole periods), and is made by the
// worker or by the first read after it is due, whichever comes first. All files of a group change at once. So each change
// of a printed average brackets one point of the grid, and all of them together pin the grid better than any alone.

/// Maximum drift between the kernel's clock and the samples', parts per million.
const DRIFT_PPM: u64 = 100;
/// Uncertainty of any bracket, ns.
const SLACK: u64 = 20_000;

/// One update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Update {
    /// Interval of the update: (from, to], ns.
    from: u64,
    /// See `from`.
    to: u64,
    /// Some file's printed averages changed.
    seen: bool,
}

/// A bracket of a visible update: it was due and made in (from, to].
#[derive(Debug, Clone, Copy)]
struct Bracket {
    from: u64,
    to: u64,
    /// Start of the first sample that shows it.
    shown: u64,
    /// Interval of the moment at which it was due.
    due: (u64, u64),
}

/// The updates between the samples of one group's files, by time. `workers` are the traced runs of the worker.
fn updates(files: &[&SampleSeries], period: u64, workers: Option<&[u64]>) -> Vec<Update> {
    let mut brackets = brackets(files, period);
    let count = brackets.len();
    for k in 1..count {
        let (before, [now, ..]) = brackets.split_at_mut(k) else {
            continue;
        };
        narrow(now, &before[k - 1], period, true);
    }
    for k in (1..count).rev() {
        let (before, [now, ..]) = brackets.split_at_mut(k) else {
            continue;
        };
        narrow(&mut before[k - 1], now, period, false);
    }
    let mut list: Vec<Update> = Vec::new();
    let Some(span) = span(files) else {
        return list;
    };
    for (k, bracket) in brackets.iter().enumerate() {
        list.push(made(bracket, workers));
        let end = brackets
            .get(k + 1)
            .map_or(span.1, |next| next.due.0.saturating_sub(period / 2));
        fill(&mut list, bracket.due, end, period, files);
    }
    list
}

/// Intervals in which averages changed between neighbouring samples. Files that changed at once give one bracket.
fn brackets(files: &[&SampleSeries], period: u64) -> Vec<Bracket> {
    let mut all: Vec<(u64, u64, u64)> = Vec::new();
    for file in files {
        for pair in file.samples.windows(2) {
            if changed(&pair[0], &pair[1]) {
                all.push((pair[0].t_ns, pair[1].end(), pair[1].t_ns));
            }
        }
    }
    all.sort_unstable();
    let mut merged: Vec<Bracket> = Vec::new();
    for (from, to, shown) in all {
        match merged.last_mut() {
            Some(last) if from < last.to && from < last.from + period / 2 => {
                last.from = last.from.max(from);
                last.to = last.to.min(to);
                last.shown = last.shown.min(shown);
            }
            _ => merged.push(Bracket {
                from,
                to,
                shown,
                due: (from, to),
            }),
        }
    }
    for bracket in &mut merged {
        bracket.due = (bracket.from, bracket.to);
    }
    merged
}

fn changed(a: &Sample, b: &Sample) -> bool {
    let avg = |line: Option<Line>| line.map(|line| line.avg);
    avg(a.some) != avg(b.some) || avg(a.full) != avg(b.full)
}

/// Narrows when `this` was due by a neighbour's, whole periods away.
fn narrow(this: &mut Bracket, by: &Bracket, period: u64, later: bool) {
    let (a, b) = if later { (by, &*this) } else { (&*this, by) };
    let distance = u64::midpoint(b.from, b.to).saturating_sub(u64::midpoint(a.from, a.to));
    let periods = (distance + period / 2) / period * period;
    let slack = SLACK + periods / 1_000_000 * DRIFT_PPM;
    let due = if later {
        (
            (by.due.0 + periods).saturating_sub(slack),
            by.due.1 + periods + slack,
        )
    } else {
        (
            by.due.0.saturating_sub(periods + slack),
            (by.due.1 + slack).saturating_sub(periods),
        )
    };
    let both = (this.due.0.max(due.0), this.due.1.min(due.1));
    if both.0 <= both.1 {
        this.due = both;
    }
}

/// Time of a seen update: by the worker if it ran after the update was due and before the sample that shows it.
fn made(bracket: &Bracket, workers: Option<&[u64]>) -> Update {
    let mut update = Update {
        from: bracket.from.max(bracket.due.0),
        to: bracket.to,
        seen: true,
    };
    let Some(workers) = workers else {
        return update;
    };
    let mut inside = workers
        .iter()
        .filter(|&&run| run > update.from && run <= update.to);
    match (inside.next(), inside.next()) {
        (Some(&run), None) if run >= bracket.due.1 => (update.from, update.to) = (run, run),
        // No worker ran: the reading itself made it.
        (None, _) => update.from = update.from.max(bracket.shown),
        _ => {}
    }
    update
}

/// Adds the updates that were due after `due` and before `end` and changed nothing that is printed.
fn fill(list: &mut Vec<Update>, due: (u64, u64), end: u64, period: u64, files: &[&SampleSeries]) {
    for n in 1.. {
        let slack = SLACK + n * period / 1_000_000 * DRIFT_PPM;
        let (from, to) = (
            (due.0 + n * period).saturating_sub(slack),
            due.1 + n * period + slack,
        );
        if to >= end {
            return;
        }
        // The first reading after it was due makes it at the latest.
        let shown = files
            .iter()
            .filter_map(|file| {
                let next = file.samples.partition_point(|sample| sample.t_ns < to);
                file.samples.get(next).map(Sample::end)
            })
            .min();
        // Across a gap of the samples nothing can be predicted.
        let Some(shown) = shown.filter(|shown| *shown <= to + period) else {
            return;
        };
        list.push(Update {
            from,
            to: shown,
            seen: false,
        });
    }
}

fn span(files: &[&SampleSeries]) -> Option<(u64, u64)> {
    let first = files
        .iter()
        .filter_map(|file| file.samples.first())
        .map(|sample| sample.t_ns);
    let last = files
        .iter()
        .filter_map(|file| file.samples.last())
        .map(Sample::end);
    Some((first.min()?, last.max()?))
}
