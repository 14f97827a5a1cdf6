//! When the kernel updated the averages, as far as the samples tell.
//!
//! An update is due every period, on a grid that never shifts (`avg_next_update` grows by whole periods), and is made by the
//! worker or by the first read after it is due, whichever comes first. All files of a group change at once. So each change
//! of a printed average brackets one point of the grid, and all of them together pin the grid better than any alone.

use crate::psi::samples::{Line, Sample, SampleSeries};

/// How far apart the kernel's clock and the samples' may run, parts per million.
const DRIFT_PPM: u64 = 100;
/// Uncertainty of any bracket, ns.
const SLACK: u64 = 20_000;

/// One update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Update {
    /// It was made in (from, to], ns.
    pub(super) from: u64,
    /// See `from`.
    pub(super) to: u64,
    /// Some file's printed averages changed.
    pub(super) seen: bool,
}

/// A bracket of a visible update: it was due and made in (from, to].
#[derive(Debug, Clone, Copy)]
struct Bracket {
    from: u64,
    to: u64,
    /// When the reading began that shows it first.
    shown: u64,
    /// Interval of the moment at which it was due.
    due: (u64, u64),
}

/// The updates between the samples of one group's files, by time. `workers` are the traced runs of the worker.
pub(super) fn updates(
    files: &[&SampleSeries],
    period: u64,
    workers: Option<&[u64]>,
) -> Vec<Update> {
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

/// Where averages changed between neighbouring samples. Files that changed at once give one bracket.
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

pub(super) fn changed(a: &Sample, b: &Sample) -> bool {
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

/// When a seen update was made: by the worker if it ran after the update was due and before the sample that shows it.
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
