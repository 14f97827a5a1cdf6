//! `PSI_SPIKE_HIDDEN`: pressure that was high for a moment and that avg10 never showed.

use numalens_core::provenance::Label;
use numalens_replay::states::MACHINE;

use crate::findings::episodes::{Episode, worst};
use crate::findings::watch::{SPIKE_PERCENT, STEP_NS};
use crate::findings::{Facts, Finding, MOST, PressureFacts, words};
use crate::psi::jiffies;
use crate::psi::result::{Or, SeriesPoint, Totals};
use crate::psi::samples::{Resource, Sample};

/// avg10 that would have shown it, percent.
const AVG10_PERCENT: f64 = 5.0;

pub(super) fn detect(facts: &Facts<'_>) -> Vec<Finding> {
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
        (spikes, words::label(totals))
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
                words::time(episode.stall_ns),
                words::time(episode.to_ns - episode.from_ns),
                episode.percent().min(100.0),
                words::at(facts, episode.from_ns),
                shown(&episode).unwrap_or(0.0),
            ),
            ..words::finding("PSI_SPIKE_HIDDEN", facts)
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
        // A spike is short: samples that are far apart cannot tell one.
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
