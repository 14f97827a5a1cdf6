//! What the samples of pressure say, and the samples themselves.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use numalens_engine::evidence::Reads;
use numalens_engine::psi::{Line, Resource, Sample, SampleSeries};
use serde::Serialize;
use serde_json::json;

use super::data::{at, integers, samples, texts};
use super::options::{Nothing, parse};
use super::{Answer, Window, unavailable, value};
use crate::bundle::Open;
use crate::error::Error;

/// What lies between the first and the last sample of a file in the window.
#[derive(Debug, Serialize)]
struct Between {
    from_ns: u64,
    to_ns: u64,
    samples: usize,
    some_us: Option<u64>,
    full_us: Option<u64>,
    label: &'static str,
}

pub(super) fn sampled(open: &Open, window: Window, options: &str) -> Answer {
    parse::<Nothing>("sampled", options)?;
    let series = pressure_samples(open)?;
    if series.is_empty() {
        return Ok(unavailable("no samples of pressure were given"));
    }
    let mut system = BTreeMap::new();
    let mut cgroups: BTreeMap<&str, BTreeMap<&str, Between>> = BTreeMap::new();
    for series in &series {
        let Some(between) = between(&series.samples, window) else {
            continue;
        };
        let name = series.resource.name();
        match &series.cgroup {
            None => drop(system.insert(name, between)),
            Some(path) => {
                cgroups.entry(path).or_default().insert(name, between);
            }
        }
    }
    if system.is_empty() && cgroups.is_empty() {
        return Ok(unavailable(
            "no file of pressure was sampled twice in the window",
        ));
    }
    Ok(json!({"system": value(&system)?, "cgroups": value(&cgroups)?}))
}

fn between(samples: &[Sample], window: Window) -> Option<Between> {
    let inside = |sample: &&Sample| (window.from_ns..=window.to_ns).contains(&sample.t_ns);
    let (first, last) = (samples.iter().find(inside)?, samples.iter().rfind(inside)?);
    if first.t_ns >= last.t_ns {
        return None;
    }
    let grown = |line: fn(&Sample) -> Option<Line>| {
        let (first, last) = (line(first)?, line(last)?);
        last.total_us.checked_sub(first.total_us)
    };
    Some(Between {
        from_ns: first.t_ns,
        to_ns: last.t_ns,
        samples: samples.iter().filter(inside).count(),
        some_us: grown(|sample| sample.some),
        full_us: grown(|sample| sample.full),
        label: "observed",
    })
}

/// The samples of pressure, by file; the machine's first.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn pressure_samples(open: &Open) -> Result<Vec<SampleSeries>, Error> {
    let mut files: BTreeMap<(Option<String>, Resource), Vec<Sample>> = BTreeMap::new();
    let mut root: BTreeMap<Resource, Vec<Sample>> = BTreeMap::new();
    // The files of cgroups have one stamp for all, though they are read one after the other.
    let mut reads = Reads::default();
    samples(open, "psi", |batch| reads.observe(batch))?;
    let mut times = reads.times().into_iter();
    samples(open, "psi", |batch| {
        for (cgroup, resource, sample) in rows(batch, &mut times) {
            // The root cgroup shows the machine's pressure. Its samples only count where there are no others: the two
            // samplers' reads differ, and one series must not go back and forth between them.
            if cgroup == "/" {
                root.entry(resource).or_default().push(sample);
            } else {
                let cgroup = Some(cgroup).filter(|path| !path.is_empty());
                let key = (cgroup.map(str::to_owned), resource);
                files.entry(key).or_default().push(sample);
            }
        }
    })?;
    for (resource, samples) in root {
        files.entry((None, resource)).or_insert(samples);
    }
    let series = files.into_iter().map(|((cgroup, resource), mut samples)| {
        samples.sort_by_key(|sample| sample.t_ns);
        samples.dedup_by_key(|sample| sample.t_ns);
        SampleSeries {
            cgroup,
            resource,
            samples,
        }
    });
    Ok(series.collect())
}

/// The placed rows of a batch of the table `psi`.
fn rows<'a>(
    batch: &'a RecordBatch,
    reads: &mut impl Iterator<Item = u64>,
) -> Vec<(&'a str, Resource, Sample)> {
    let (Some(times), Some(cgroups), Some(resources)) = (
        integers(batch, "ts_ns"),
        texts(batch, "cgroup"),
        texts(batch, "resource"),
    ) else {
        return Vec::new();
    };
    let (mono, end) = (integers(batch, "mono_ns"), integers(batch, "end_mono_ns"));
    let [some, full] = ["some", "full"].map(|name| Lines::of(batch, name));
    let mut row = |row: usize| {
        let t_ns = u64::try_from(at(Some(times), row)?).ok()?;
        let read_ns = reads.next()?;
        let resource = Resource::ALL
            .into_iter()
            .find(|resource| resource.name() == resources.value(row))?;
        let took = at(end, row).zip(at(mono, row));
        let took = took.and_then(|(end, mono)| u64::try_from(end.checked_sub(mono)?).ok());
        let sample = Sample {
            t_ns: took.map_or(read_ns, |_| t_ns),
            end_ns: took.and_then(|took| t_ns.checked_add(took)),
            estimated: took.is_none() && !cgroups.value(row).is_empty(),
            some: some.line(row),
            full: full.line(row),
        };
        Some((cgroups.value(row), resource, sample))
    };
    (0..batch.num_rows()).filter_map(&mut row).collect()
}

/// The columns of one line of a pressure file.
struct Lines<'a> {
    avg: [Option<&'a arrow_array::Float64Array>; 3],
    total: Option<&'a arrow_array::UInt64Array>,
}

impl<'a> Lines<'a> {
    fn of(batch: &'a RecordBatch, name: &str) -> Self {
        let column = |what: &str| batch.column_by_name(&format!("{name}_{what}"));
        Self {
            avg: ["avg10", "avg60", "avg300"]
                .map(|avg| column(avg)?.as_primitive_opt::<Float64Type>()),
            total: column("total_us").and_then(|array| array.as_primitive_opt::<UInt64Type>()),
        }
    }

    /// The line, where the row has its total. Averages that are not there count as zero.
    fn line(&self, row: usize) -> Option<Line> {
        let total = self.total.filter(|total| total.is_valid(row))?;
        let avg = self.avg.map(|avg| {
            let avg = avg.filter(|avg| avg.is_valid(row));
            avg.map_or(0, |avg| (avg.value(row) * 100.0).round() as u32)
        });
        Some(Line {
            avg,
            total_us: total.value(row),
        })
    }
}

/// The load averages over one minute, by time.
pub(super) fn load_samples(open: &Open) -> Result<Vec<(u64, f64)>, Error> {
    let mut found = Vec::new();
    samples(open, "loadavg", |batch| {
        let one = batch
            .column_by_name("one")
            .and_then(|array| array.as_primitive_opt::<Float64Type>());
        let (Some(times), Some(one)) = (integers(batch, "ts_ns"), one) else {
            return;
        };
        for row in 0..batch.num_rows() {
            let time = at(Some(times), row).and_then(|time| u64::try_from(time).ok());
            found.extend(time.map(|time| (time, one.value(row))));
        }
    })?;
    found.sort_by_key(|sample| sample.0);
    Ok(found)
}
