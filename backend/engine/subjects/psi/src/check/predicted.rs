//! avg10, avg60 and avg300 predicted from the sampled totals, update by update (`docs/algorithms/psi.md`, P11).
//!
//! What is printed pins an average to about 20 of its 2048ths, and a sample's total is not the total at the update. So
//! intervals go through the kernel's arithmetic, which is monotone: of the averages, of the totals, of the period. Where
//! several whole percents are possible, those count that lead to what was printed. The residual is how far what was printed
//! lies from what was predicted.

use numalens_core::provenance::Label;
use numalens_subject::jiffies;

use crate::averages::{EXP, FIXED_1, calc_load, hundredths, printed_as};
use crate::check::{Update, changed, updates};
use crate::result::{AveragesCheck, Line, SampleSeries};

/// One line on its way through the updates.
struct Track {
    /// Interval of each average, fixed point.
    avg: [(u64, u64); 3],
    /// `avg_total`, ns, and the moment of the last update, once there was one.
    last: Option<((u64, u64), Update)>,
}

/// Predicts the averages of all groups and files and sums up. `workers` are the runs of the machine's worker, if traced.
#[must_use]
pub fn averages(all: &[SampleSeries], hz: u32, workers: Option<&[u64]>) -> Option<AveragesCheck> {
    let mut groups: Vec<Option<&str>> = all.iter().map(|series| series.cgroup.as_deref()).collect();
    groups.sort_unstable();
    groups.dedup();
    let mut sum: Option<AveragesCheck> = None;
    for group in groups {
        let files: Vec<&SampleSeries> = all
            .iter()
            .filter(|series| series.cgroup.as_deref() == group)
            .collect();
        // Which samples are around an update cannot be derived from moments that are estimates.
        let estimated = |file: &&SampleSeries| file.samples.iter().any(|sample| sample.estimated);
        if files.iter().any(estimated) {
            continue;
        }
        let Some(check) = averages_of(&files, hz, workers.filter(|_| group.is_none())) else {
            continue;
        };
        sum = Some(match sum {
            None => check,
            Some(sum) => sum.and(check),
        });
    }
    sum
}

/// The same for the files of one group, which are updated together.
#[must_use]
pub fn averages_of(
    files: &[&SampleSeries],
    hz: u32,
    workers: Option<&[u64]>,
) -> Option<AveragesCheck> {
    let period = jiffies::period(hz);
    let list = updates(files, period, workers);
    let known = list.iter().all(|update| update.from == update.to);
    let mut check = AveragesCheck {
        updates: 0,
        worst: 0.0,
        skipped: 0,
        exact: 0,
        label: if known {
            Label::Replayed
        } else {
            Label::Inferred
        },
        missing: if known {
            Vec::new()
        } else {
            vec!["moments at which the kernel updated the averages".to_owned()]
        },
        worst_at: None,
    };
    for file in files {
        for full in [false, true] {
            line(file, full, &list, period, &mut check);
        }
    }
    (check.updates + check.skipped > 0).then_some(check)
}

impl AveragesCheck {
    fn and(mut self, other: Self) -> Self {
        if other.worst > self.worst {
            self.worst = other.worst;
            self.worst_at = other.worst_at;
        }
        self.updates += other.updates;
        self.skipped += other.skipped;
        self.exact += other.exact;
        self.label = self.label.max(other.label);
        if self.missing.is_empty() {
            self.missing = other.missing;
        }
        self
    }
}

fn line(file: &SampleSeries, full: bool, list: &[Update], period: u64, check: &mut AveragesCheck) {
    let samples = &file.samples;
    let of = |at: usize| {
        if full {
            samples[at].full
        } else {
            samples[at].some
        }
    };
    let mut track: Option<Track> = None;
    for update in list {
        let Some((before, after)) = around(file, update) else {
            track = None;
            continue;
        };
        let (Some(old), Some(new)) = (of(before), of(after)) else {
            return;
        };
        // Samples that are too far apart may hide an update, and the state before the first one is not known.
        let gap = samples[after].t_ns.saturating_sub(samples[before].t_ns) > period;
        let stale = track
            .as_ref()
            .and_then(|track| track.last)
            .is_none_or(|(_, last)| update.from > last.to + 2 * period);
        let total = (old.total_us * 1000, (new.total_us + 1) * 1000);
        if gap || stale {
            check.skipped += 1;
            track = (!gap).then(|| Track {
                avg: printed(&new),
                last: Some((total, *update)),
            });
            continue;
        }
        let Some(track) = track.as_mut() else {
            continue;
        };
        check.updates += 1;
        let (worst, which, exact) = track.step(update, total, &new);
        check.exact += usize::from(exact);
        if worst > check.worst {
            check.worst = worst;
            check.worst_at = Some((
                update.to,
                file.resource.name(),
                if full { "full" } else { "some" },
                ["avg10", "avg60", "avg300"][which],
            ));
        }
    }
}

/// The samples of a file right before and right after an update.
fn around(file: &SampleSeries, update: &Update) -> Option<(usize, usize)> {
    let samples = &file.samples;
    // Where the file itself changed, that pair.
    let near = samples
        .partition_point(|sample| sample.end() <= update.from)
        .saturating_sub(1);
    let far = samples.partition_point(|sample| sample.t_ns < update.to);
    for at in near..far.min(samples.len().saturating_sub(1)) {
        if changed(&samples[at], &samples[at + 1]) {
            return Some((at, at + 1));
        }
    }
    (samples.get(near)?.end() <= update.from && far < samples.len()).then_some((near, far))
}

fn printed(line: &Line) -> [(u64, u64); 3] {
    line.avg.map(|avg| printed_as(u64::from(avg)))
}

impl Track {
    /// One update: the distance of what was printed, which average it is, and whether only one percentage was possible.
    fn step(&mut self, update: &Update, total: (u64, u64), new: &Line) -> (f64, usize, bool) {
        let Some((avg_total, last)) = self.last else {
            return (0.0, 0, false);
        };
        let period = (
            update.from.saturating_sub(last.to).max(1),
            update.to.saturating_sub(last.from).max(1),
        );
        let sample = (
            total.0.saturating_sub(avg_total.1),
            total.1.saturating_sub(avg_total.0),
        );
        // What exceeds the period is carried over to the next one.
        self.last = Some((
            (
                total.0.min(avg_total.0 + period.0),
                total.1.min(avg_total.1 + period.1),
            ),
            *update,
        ));
        let percents = (
            (sample.0 * 100 / period.1).min(100),
            (sample.1 * 100 / period.0).min(100),
        );
        let pinned = printed(new);
        let mut best = (u64::MAX, 0);
        let mut hull: Option<[(u64, u64); 3]> = None;
        for percent in percents.0..=percents.1 {
            let mut next = [(0, 0); 3];
            let mut worst = (0, 0);
            for k in 0..3 {
                let step = |avg| calc_load(avg, EXP[k], percent * FIXED_1);
                next[k] = (step(self.avg[k].0), step(self.avg[k].1));
                let far = distance(u64::from(new.avg[k]), next[k]);
                if far > worst.0 {
                    worst = (far, k);
                }
                next[k] = (next[k].0.max(pinned[k].0), next[k].1.min(pinned[k].1));
            }
            if worst.0 < best.0 {
                best = worst;
            }
            if worst.0 == 0 {
                hull = Some(hull.map_or(next, |hull| {
                    std::array::from_fn(|k| (hull[k].0.min(next[k].0), hull[k].1.max(next[k].1)))
                }));
            }
        }
        self.avg = hull.unwrap_or(pinned);
        (best.0 as f64 / 100.0, best.1, percents.0 == percents.1)
    }
}

/// Distance of `printed` from the printed form of an interval, hundredths.
fn distance(printed: u64, interval: (u64, u64)) -> u64 {
    let (least, most) = (hundredths(interval.0), hundredths(interval.1));
    least
        .saturating_sub(printed)
        .max(printed.saturating_sub(most))
}
