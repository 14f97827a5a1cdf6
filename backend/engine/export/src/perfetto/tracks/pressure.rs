//! Pressure: the averages as they are rebuilt, next to those that the kernel printed, for the machine and each sampled cgroup.

use numalens_bundle::Error;
use numalens_engine::{Pressure, pressure, pressure_samples};
use numalens_psi::{Line, Resource, Sample, SampleSeries, Series, SeriesPoint};
use numalens_subject::{Context, Window, optional};

use super::{Tracks, known};

pub(super) fn write(
    tracks: &mut Tracks<'_>,
    root: u64,
    bundle: &Context,
    window: Window,
) -> Result<(), Error> {
    let replay = optional(pressure(bundle, window, &Pressure::default()))?;
    let inside = |sample: &Sample| (window.from_ns..=window.to_ns).contains(&sample.t_ns);
    let mut samples = (*pressure_samples(bundle)?).clone();
    samples.retain(|series| series.samples.iter().any(inside));
    if replay.is_none() && samples.is_empty() {
        return Ok(());
    }
    let parent = tracks.track(
        root,
        3,
        "Pressure",
        "Averages over ten seconds, as in /proc/pressure.",
    );
    if let Some(psi) = &replay {
        replayed(tracks, parent, &psi.series)?;
    }
    if samples.is_empty() {
        return Ok(());
    }
    let track = tracks.track(
        parent,
        1,
        "Recorded",
        "observed: samples of the kernel's own files.",
    );
    for series in &mut samples {
        series.samples.retain(inside);
    }
    let (machine, cgroups): (Vec<&SampleSeries>, Vec<_>) =
        samples.iter().partition(|series| series.cgroup.is_none());
    for series in machine {
        recorded(tracks, track, series)?;
    }
    // The cgroups come in order, each with all its files.
    for (rank, of) in cgroups.chunk_by(|a, b| a.cgroup == b.cgroup).enumerate() {
        let name = of[0].cgroup.as_deref().unwrap_or_default();
        let cgroup = tracks.track(track, 2 * Resource::ALL.len() + rank, name, "A cgroup.");
        for series in of {
            recorded(tracks, cgroup, series)?;
        }
    }
    Ok(())
}

/// A half of a file: its name, and how to read it of a point that was rebuilt and of one that was printed.
type Half = (
    &'static str,
    fn(&SeriesPoint) -> Option<f64>,
    fn(&Sample) -> Option<Line>,
);
const HALVES: [Half; 2] = [
    ("some", |point| Some(point.some_avg10), |sample| sample.some),
    ("full", |point| point.full_avg10, |sample| sample.full),
];

fn replayed(tracks: &mut Tracks<'_>, parent: u64, series: &Series) -> Result<(), Error> {
    let label = series.label.map(|label| known(label, &series.missing));
    let label = label.unwrap_or_else(|| "replayed.".to_owned());
    let track = tracks.track(parent, 0, "Replayed", "Rebuilt from scheduler events.");
    let files = [
        (Resource::Cpu, &series.cpu),
        (Resource::Memory, &series.memory),
        (Resource::Io, &series.io),
    ];
    for (resource, points) in files {
        for (half, (name, replayed, _)) in HALVES.into_iter().enumerate() {
            let values = || {
                points
                    .iter()
                    .filter_map(|point| Some((point.t_ns, replayed(point)?)))
            };
            if values().next().is_some() {
                counter(tracks, track, (resource, half, name), &label, values())?;
            }
        }
    }
    Ok(())
}

fn recorded(tracks: &mut Tracks<'_>, parent: u64, series: &SampleSeries) -> Result<(), Error> {
    for (half, (name, _, printed)) in HALVES.into_iter().enumerate() {
        let values = || {
            let samples = series.samples.iter();
            samples.filter_map(|sample| {
                Some((sample.t_ns, f64::from(printed(sample)?.avg[0]) / 100.0))
            })
        };
        if values().next().is_some() {
            let place = (series.resource, half, name);
            counter(tracks, parent, place, "observed.", values())?;
        }
    }
    Ok(())
}

fn counter(
    tracks: &mut Tracks<'_>,
    parent: u64,
    (resource, half, name): (Resource, usize, &str),
    description: &str,
    values: impl Iterator<Item = (u64, f64)>,
) -> Result<(), Error> {
    let rank = Resource::ALL.iter().position(|of| *of == resource);
    let name = format!("{} {name} avg10", resource.name());
    let rank = 2 * rank.unwrap_or_default() + half;
    let track = tracks.counter(parent, (rank, &name), "%", description);
    for (at_ns, value) in values {
        tracks.value(track, at_ns, value)?;
    }
    Ok(())
}
