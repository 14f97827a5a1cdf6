//! Conclusions from samples of pressure, and the samples themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use numalens_bundle::Error;
use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_replay::evidence::Reads;
use numalens_subject::options::Nothing;
use numalens_subject::section::{at, integers, samples, texts};
use numalens_subject::{Context, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::Load;
use crate::result::Or;
use crate::{Line, Resource, Sample, SampleSeries};

/// Differences between the first and the last sample of a file in the window.
#[derive(Debug, Serialize, JsonSchema)]
struct Between {
    #[serde(with = "Moment")]
    from_ns: u64,
    #[serde(with = "Moment")]
    to_ns: u64,
    samples: usize,
    some_us: Option<u64>,
    full_us: Option<u64>,
    label: Label,
}

/// Increase of the sampled pressure counters, by resource.
#[derive(Serialize, JsonSchema)]
pub(super) struct Sampled {
    /// Of the machine.
    system: BTreeMap<&'static str, Between>,
    /// Of the cgroups, by path.
    cgroups: BTreeMap<String, BTreeMap<&'static str, Between>>,
}

pub(super) fn sampled(open: &Context, window: Window, _: Nothing) -> Result<Sampled, Stop> {
    let series = pressure_samples(open)?;
    if series.is_empty() {
        return Err(Stop::unavailable("no input has samples of pressure"));
    }
    let mut system = BTreeMap::new();
    let mut cgroups: BTreeMap<String, BTreeMap<_, _>> = BTreeMap::new();
    for series in &*series {
        let Some(between) = between(&series.samples, window) else {
            continue;
        };
        let name = series.resource.name();
        match &series.cgroup {
            None => drop(system.insert(name, between)),
            Some(path) => {
                cgroups
                    .entry(path.clone())
                    .or_default()
                    .insert(name, between);
            }
        }
    }
    if system.is_empty() && cgroups.is_empty() {
        return Err(Stop::unavailable(
            "no file of pressure was sampled twice in the window",
        ));
    }
    Ok(Sampled { system, cgroups })
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
        label: Label::Observed,
    })
}

/// Microseconds of pressure between the first and the last sample; null where the kernel has no such counter.
#[derive(Serialize, JsonSchema)]
pub struct SampledTotal {
    /// Some task was delayed.
    some_us: Option<u64>,
    /// All were.
    full_us: Option<u64>,
    /// Always observed.
    label: Label,
}

/// The machine's pressure by resource: cpu, memory, io, irq.
pub type SampledTotals = BTreeMap<String, SampledTotal>;

/// The first and the last values of an input's counters of a resource, and how many there are.
struct Counter {
    input: u32,
    first: [Option<u64>; 2],
    last: [Option<u64>; 2],
    samples: usize,
}

/// The machine's pressure, last minus first sample inside the window, edges included. When several inputs sampled a resource,
/// the one with the most samples counts.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn machine_totals(open: &Context, window: (u64, u64)) -> Result<Or<SampledTotals>, Error> {
    let Some(table) = open.samples.iter().find(|table| table.table == "psi") else {
        return Ok(Or::unavailable("no input has pressure samples"));
    };
    if table.placed == 0 {
        return Ok(Or::unavailable(
            "the times of the pressure samples cannot be aligned with the trace",
        ));
    }
    let mut resources: BTreeMap<String, Vec<Counter>> = BTreeMap::new();
    samples(open, "psi", |batch| {
        count(batch, window, &mut resources);
    })?;
    let totals = grown(resources);
    Ok(if totals.is_empty() {
        Or::unavailable("the window has fewer than two pressure samples with totals")
    } else {
        Or::Value(totals)
    })
}

/// The machine's pressure between the first and last sample of each resource, the highest first, as the first part of a sentence;
/// None where it was not sampled twice.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn stalled(open: &Context, window: Window) -> Result<Option<String>, Error> {
    let mut shares: Vec<(f64, &str)> = Vec::new();
    for series in &*pressure_samples(open)? {
        let found = between(&series.samples, window).filter(|_| series.cgroup.is_none());
        let Some((found, some_us)) = found.and_then(|one| one.some_us.map(|us| (one, us))) else {
            continue;
        };
        let name = series.resource.name();
        // Several files of one machine say the same.
        if shares.iter().all(|(_, known)| *known != name) {
            let percent = 100_000.0 * some_us as f64 / (found.to_ns - found.from_ns) as f64;
            shares.push((percent, name));
        }
    }
    shares.sort_by(|one, other| other.0.total_cmp(&one.0));
    let shares: Vec<String> = shares
        .iter()
        .map(|(share, resource)| format!("{resource} {share:.1} %"))
        .collect();
    Ok((!shares.is_empty()).then(|| {
        format!(
            "pressure was sampled (PSI some: {} of the time), but waits were not recorded",
            shares.join(", ")
        )
    }))
}

/// Increase of counters.
fn grown(resources: BTreeMap<String, Vec<Counter>>) -> SampledTotals {
    let between = |counter: &Counter, line: usize| {
        let (first, last) = (counter.first[line]?, counter.last[line]?);
        last.checked_sub(first)
    };
    let totals = resources.into_iter().filter_map(|(resource, counters)| {
        // Of equals the first one counts.
        let most = counters
            .iter()
            .rev()
            .max_by_key(|counter| counter.samples)?;
        let (some_us, full_us) = (between(most, 0), between(most, 1));
        let total = SampledTotal {
            some_us,
            full_us,
            label: Label::Observed,
        };
        (most.samples > 1 && some_us.or(full_us).is_some()).then_some((resource, total))
    });
    totals.collect()
}

fn count(batch: &RecordBatch, window: (u64, u64), resources: &mut BTreeMap<String, Vec<Counter>>) {
    let inputs = batch
        .column_by_name("input")
        .and_then(|array| array.as_primitive_opt::<UInt32Type>());
    let (Some(inputs), Some(times), Some(cgroups), Some(names)) = (
        inputs,
        integers(batch, "ts_ns"),
        texts(batch, "cgroup"),
        texts(batch, "resource"),
    ) else {
        return;
    };
    let lines = ["some", "full"].map(|name| Lines::of(batch, name).total);
    for row in 0..batch.num_rows() {
        let time = at(Some(times), row).and_then(|time| u64::try_from(time).ok());
        let inside = time.is_some_and(|time| (window.0..=window.1).contains(&time));
        if !inside || !cgroups.value(row).is_empty() {
            continue;
        }
        let now = lines.map(|line| {
            let line = line.filter(|line| line.is_valid(row))?;
            Some(line.value(row))
        });
        let counters = resources.entry(names.value(row).to_owned()).or_default();
        let input = inputs.value(row);
        match counters.iter_mut().find(|counter| counter.input == input) {
            Some(counter) => {
                counter.last = now;
                counter.samples += 1;
            }
            None => counters.push(Counter {
                input,
                first: now,
                last: now,
                samples: 1,
            }),
        }
    }
}

/// The samples of pressure, by file; the machine's first.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn pressure_samples(open: &Context) -> Result<Arc<Vec<SampleSeries>>, Error> {
    open.shared("pressure samples", || read_pressure_samples(open))
}

fn read_pressure_samples(open: &Context) -> Result<Vec<SampleSeries>, Error> {
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
pub(super) fn load_samples(open: &Context) -> Result<Arc<Vec<Load>>, Error> {
    open.shared("loads", || read_load_samples(open))
}

fn read_load_samples(open: &Context) -> Result<Vec<Load>, Error> {
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
            found.extend(time.map(|t_ns| Load {
                t_ns,
                one: one.value(row),
            }));
        }
    })?;
    found.sort_by_key(|load| load.t_ns);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Int64Array, StringArray, UInt32Array, UInt64Array};

    use super::*;

    /// Input, time, cgroup, resource, totals of some and of full.
    type Sampled = (u32, i64, &'static str, &'static str, [Option<u64>; 2]);

    fn totals(rows: &[Sampled]) -> Vec<(String, [Option<u64>; 2])> {
        let batch = RecordBatch::try_from_iter_with_nullable([
            (
                "input",
                Arc::new(rows.iter().map(|row| Some(row.0)).collect::<UInt32Array>()) as _,
                true,
            ),
            (
                "ts_ns",
                Arc::new(rows.iter().map(|row| Some(row.1)).collect::<Int64Array>()) as _,
                true,
            ),
            (
                "cgroup",
                Arc::new(rows.iter().map(|row| Some(row.2)).collect::<StringArray>()) as _,
                true,
            ),
            (
                "resource",
                Arc::new(rows.iter().map(|row| Some(row.3)).collect::<StringArray>()) as _,
                true,
            ),
            (
                "some_total_us",
                Arc::new(rows.iter().map(|row| row.4[0]).collect::<UInt64Array>()) as _,
                true,
            ),
            (
                "full_total_us",
                Arc::new(rows.iter().map(|row| row.4[1]).collect::<UInt64Array>()) as _,
                true,
            ),
        ]);
        let mut resources = BTreeMap::new();
        count(&batch.unwrap(), (10, 20), &mut resources);
        let totals = grown(resources).into_iter();
        totals
            .map(|(name, total)| (name, [total.some_us, total.full_us]))
            .collect()
    }

    #[test]
    fn the_last_sample_less_the_first_counts() {
        let cpu = |t_ns, some, full| (0, t_ns, "", "cpu", [Some(some), Some(full)]);
        for (rows, found) in [
            (vec![], vec![]),
            (vec![cpu(10, 5, 0)], vec![]),
            // Both edges are inside.
            (
                vec![cpu(9, 1, 0), cpu(10, 5, 0), cpu(20, 30, 0), cpu(21, 99, 0)],
                vec![[Some(25), Some(0)]],
            ),
            // Set back: the machine was started again.
            (vec![cpu(10, 50, 0), cpu(11, 3, 0)], vec![[None, Some(0)]]),
            (
                vec![
                    (0, 10, "", "cpu", [None, None]),
                    (0, 11, "", "cpu", [None, None]),
                ],
                vec![],
            ),
            (
                vec![
                    (0, 10, "/a", "cpu", [Some(5), None]),
                    (0, 11, "/a", "cpu", [Some(9), None]),
                ],
                vec![],
            ),
            // The input with more samples counts, the first one of equals.
            (
                vec![
                    cpu(10, 1, 0),
                    (1, 10, "", "cpu", [Some(2), Some(0)]),
                    (1, 11, "", "cpu", [Some(3), Some(0)]),
                ],
                vec![[Some(1), Some(0)]],
            ),
            (
                vec![
                    cpu(10, 1, 0),
                    (1, 10, "", "cpu", [Some(2), Some(0)]),
                    (1, 11, "", "cpu", [Some(3), Some(0)]),
                    cpu(12, 9, 0),
                ],
                vec![[Some(8), Some(0)]],
            ),
        ] {
            let expected: Vec<_> = found
                .into_iter()
                .map(|total| ("cpu".to_owned(), total))
                .collect();
            assert_eq!(totals(&rows), expected, "{rows:?}");
        }
    }
}
