//! `PSI_SPIKE_HIDDEN`: pressure that was high for a moment and that avg10 never showed.

use std::collections::VecDeque;

use numalens_core::provenance::Label;
use numalens_replay::states::MACHINE;
use numalens_subject::findings::{Evidence, Finding, FindingEntry, MOST, Severity};
use numalens_subject::jiffies;
use numalens_subject::window::time;

use crate::findings as pressure;
use crate::findings::{Facts, PressureFacts};
use crate::result::{Or, Resource, Sample, SeriesPoint, Totals};

/// avg10 that would have shown it, percent.
const AVG10_PERCENT: f64 = 5.0;

pub(crate) const PSI_SPIKE_HIDDEN: FindingEntry = FindingEntry {
    id: "PSI_SPIKE_HIDDEN",
    title: "Short stall hidden by PSI averages",
    meaning: "A stall shorter than ten seconds hardly changes the running averages that most tools show.",
    kernel: "calc_avgs",
    threshold: "some >= 50 % in steps of 100 ms while avg10 stayed below 5 %",
    cost: "stall",
    evidence: Evidence::PRESSURE,
};

/// Length of a step, ns.
pub const STEP_NS: u64 = 100_000_000;

/// Stall that makes a step a spike, percent (`docs/algorithms/psi.md`, P14).
pub(super) const SPIKE_PERCENT: u64 = 50;

pub(super) fn spike_hidden(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pressure) = &facts.pressure else {
        return Vec::new();
    };
    let system = &pressure.psi.system;
    let mut found = Vec::new();
    for (number, (resource, totals)) in [
        (Resource::Cpu, &system.cpu),
        (Resource::Memory, &system.memory),
        (Resource::Io, &system.io),
    ]
    .into_iter()
    .enumerate()
    {
        found.extend(of(facts, pressure, number, resource, totals));
    }
    found
}

fn of(
    facts: &Facts<'_>,
    pressure: &PressureFacts<'_>,
    number: usize,
    resource: Resource,
    totals: &Or<Totals>,
) -> Vec<Finding> {
    let samples: Vec<&Sample> = pressure
        .samples
        .iter()
        .filter(|series| series.cgroup.is_none() && series.resource == resource)
        .flat_map(|series| &series.samples)
        .filter(|sample| sample.t_ns >= facts.from_ns && sample.t_ns <= facts.to_ns)
        .collect();
    let period = jiffies::period(pressure.psi.hz);
    let printed = samples.len() > 1;
    // Averages of a part of the machine are lower than those of all of it.
    if !printed && !pressure::recorded(pressure, facts.from_ns, facts.to_ns) {
        return Vec::new();
    }
    let (spikes, (label, missing)) = if printed {
        (sampled_spikes(&samples), (Label::Observed, Vec::new()))
    } else {
        let machine = pressure
            .watched
            .groups
            .iter()
            .find(|group| group.group == MACHINE);
        let spikes = machine
            .map(|machine| machine.spikes[number].clone())
            .unwrap_or_default();
        (spikes, pressure::label(totals))
    };
    let series: &[SeriesPoint] = match resource {
        Resource::Cpu => &pressure.psi.series.cpu,
        Resource::Memory => &pressure.psi.series.memory,
        _ => &pressure.psi.series.io,
    };
    // What a reader could see from right before the spike until the update after it.
    let printed_avg10: Vec<(u64, f64)> = if printed {
        let lines = samples
            .iter()
            .filter_map(|sample| Some((sample.t_ns, sample.some?)));
        lines
            .map(|(ts, line)| (ts, f64::from(line.avg[0]) / 100.0))
            .collect()
    } else {
        series
            .iter()
            .map(|point| (point.t_ns, point.some_avg10))
            .collect()
    };
    let shown = |episode: &Episode| -> Option<f64> {
        let before = printed_avg10
            .partition_point(|(ts, _)| *ts <= episode.from_ns)
            .saturating_sub(1);
        let after = printed_avg10.partition_point(|(ts, _)| *ts <= episode.to_ns + period);
        let range = printed_avg10.get(before..after)?;
        range.iter().map(|(_, avg)| *avg).reduce(f64::max)
    };
    let hidden: Vec<Episode> = spikes
        .into_iter()
        .filter(|episode| shown(episode).is_some_and(|avg| avg < AVG10_PERCENT))
        .collect();
    worst(hidden, MOST)
        .into_iter()
        .map(|episode| Finding {
            label,
            missing: missing.clone(),
            from_ns: episode.from_ns,
            to_ns: episode.to_ns,
            impact_ms: episode.stall_ns as f64 / 1e6,
            summary: format!(
                "Tasks of the whole machine were stalled on {} for {} of {} ({:.0} %) {}, and avg10 never showed more than {:.2} %.",
                resource.name(),
                time(episode.stall_ns),
                time(episode.to_ns - episode.from_ns),
                episode.percent().min(100.0),
                pressure::at(facts, episode.from_ns),
                shown(&episode).unwrap_or(0.0),
            ),
            // Where waits are known, findings about them count the same time.
            at_most: if resource == Resource::Cpu && pressure.waking_ns.is_some() {
                Severity::Low
            } else {
                Severity::High
            },
            ..PSI_SPIKE_HIDDEN.finding(Label::Observed, facts.from_ns, facts.to_ns)
        })
        .collect()
}

/// Spikes between samples, each over at least a step; neighbours joined.
fn sampled_spikes(samples: &[&Sample]) -> Vec<Episode> {
    let mut spikes: Vec<Episode> = Vec::new();
    let mut start = 0;
    for end in 1..samples.len() {
        // Sampling is a little early now and then; nine tenths of a step are one.
        while start + 1 < end
            && samples[end].t_ns.saturating_sub(samples[start + 1].t_ns) >= STEP_NS / 10 * 9
        {
            start += 1;
        }
        let (from_ns, to_ns) = (samples[start].t_ns, samples[end].t_ns);
        // A spike is short: samples that are far apart cannot show one.
        if !(STEP_NS / 10 * 9..=2 * STEP_NS).contains(&to_ns.saturating_sub(from_ns)) {
            continue;
        }
        let (Some(before), Some(after)) = (samples[start].some, samples[end].some) else {
            continue;
        };
        let stall_ns = after.total_us.saturating_sub(before.total_us) * 1000;
        if stall_ns * 100 < SPIKE_PERCENT * (to_ns - from_ns) {
            continue;
        }
        match spikes.last_mut() {
            Some(last) if from_ns < last.to_ns => {}
            Some(last) if from_ns == last.to_ns => {
                last.to_ns = to_ns;
                last.stall_ns += stall_ns;
            }
            _ => spikes.push(Episode {
                from_ns,
                to_ns,
                stall_ns,
            }),
        }
    }
    spikes
}

// Time ranges in which a sliding window is full enough.

/// A time range and its stall time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Episode {
    /// Start, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// The stall in it, ns.
    pub stall_ns: u64,
}

impl Episode {
    /// The stall as a share of the time, percent.
    #[must_use]
    pub fn percent(&self) -> f64 {
        self.stall_ns as f64 / (self.to_ns.saturating_sub(self.from_ns)).max(1) as f64 * 100.0
    }
}

/// Finder of episodes in steps that arrive in the order of time.
#[derive(Debug, Clone)]
pub(crate) struct Sliding {
    over_ns: u64,
    percent: u64,
    steps: VecDeque<Episode>,
    span: u64,
    stall: u64,
    episodes: Vec<Episode>,
}

impl Sliding {
    /// Time ranges made of windows of `over_ns` with at least `percent` of stall.
    pub(crate) fn new(over_ns: u64, percent: u64) -> Self {
        Self {
            over_ns,
            percent,
            steps: VecDeque::new(),
            span: 0,
            stall: 0,
            episodes: Vec::new(),
        }
    }

    /// The next `count` steps, all like `step`: when the window is full of them, the others only make the episode longer.
    pub(crate) fn steps(&mut self, mut step: Episode, count: u64) {
        let length = (step.to_ns - step.from_ns).max(1);
        let one_by_one = count.min(self.over_ns / length + 2);
        for _ in 0..one_by_one {
            self.step(step);
            (step.from_ns, step.to_ns) = (step.to_ns, step.to_ns + length);
        }
        let (times, ns) = (count - one_by_one, (count - one_by_one) * length);
        if times == 0 {
            return;
        }
        let end = step.from_ns;
        for step in &mut self.steps {
            step.from_ns += ns;
            step.to_ns += ns;
        }
        if let Some(last) = self.episodes.last_mut().filter(|last| last.to_ns == end) {
            last.to_ns += ns;
            last.stall_ns += step.stall_ns * times;
        }
    }

    /// Handles the next step. A gap between steps begins a new time range.
    fn step(&mut self, step: Episode) {
        if self
            .steps
            .back()
            .is_some_and(|last| last.to_ns != step.from_ns)
        {
            self.steps.clear();
            (self.span, self.stall) = (0, 0);
        }
        self.span += step.to_ns - step.from_ns;
        self.stall += step.stall_ns;
        self.steps.push_back(step);
        while let Some(first) = self.steps.front() {
            let length = first.to_ns - first.from_ns;
            if self.span - length < self.over_ns {
                break;
            }
            self.span -= length;
            self.stall -= first.stall_ns;
            self.steps.pop_front();
        }
        if self.span < self.over_ns
            || self.stall * 100 < self.percent * self.span
            || self.stall == 0
        {
            return;
        }
        match self.episodes.last_mut() {
            // The window overlaps the episode before: only what is new counts.
            Some(last)
                if self
                    .steps
                    .front()
                    .is_some_and(|first| first.from_ns < last.to_ns) =>
            {
                let new = self.steps.iter().filter(|step| step.from_ns >= last.to_ns);
                last.stall_ns += new.map(|step| step.stall_ns).sum::<u64>();
                last.to_ns = step.to_ns;
            }
            _ => self.episodes.push(Episode {
                from_ns: step.to_ns - self.span,
                to_ns: step.to_ns,
                stall_ns: self.stall,
            }),
        }
    }

    pub(crate) fn finish(self) -> Vec<Episode> {
        self.episodes
    }
}

/// The worst `most` of `episodes`.
pub(crate) fn worst(mut episodes: Vec<Episode>, most: usize) -> Vec<Episode> {
    episodes.sort_by(|a, b| b.stall_ns.cmp(&a.stall_ns).then(a.from_ns.cmp(&b.from_ns)));
    episodes.truncate(most);
    episodes
}
