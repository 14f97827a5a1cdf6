//! The recordings' time and CPUs.

use std::collections::BTreeMap;

use numalens_columns::InputError;
use numalens_core::bounds::LATEST_NS;
use numalens_core::topology::MAX_CPUS;
use numalens_replay::evidence::CpuSpan;

use crate::bundle::{Input, SampleTable};
use crate::error::Error;

/// Times of all recordings together, ns of the trace clock.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    /// First event.
    pub(super) origin_ns: u64,
    /// Last event.
    pub(super) end_ns: u64,
    /// From when until when every CPU that recorded anything was recording.
    pub(super) common_ns: [u64; 2],
    pub(super) note: Option<String>,
}

/// The window that all CPUs' buffers have in common, else the whole time; without any recording, that of the samples. A CPU that
/// was `offline` had nothing to record then.
pub(super) fn common(inputs: &[Input], samples: &[SampleTable], offline: &[CpuSpan]) -> Window {
    let mut cpus: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let recordings = inputs.iter().filter_map(|input| input.recording.as_ref());
    let spans = recordings.flat_map(|recording| &recording.cpu_spans);
    for span in spans.filter(|span| span.events > 0) {
        let (first, last) = cpus
            .entry(span.cpu)
            .or_insert((span.first_ns, span.last_ns));
        *first = (*first).min(span.first_ns);
        *last = (*last).max(span.last_ns);
    }
    if cpus.is_empty() {
        return of_samples(samples);
    }
    of_cpus(cpus, offline)
}

/// The window of CPUs that recorded from one time to another.
fn of_cpus(mut cpus: BTreeMap<u32, (u64, u64)>, offline: &[CpuSpan]) -> Window {
    let origin_ns = cpus.values().map(|span| span.0).min().unwrap_or(0);
    let end_ns = cpus.values().map(|span| span.1).max().unwrap_or(0);
    for off in offline {
        if let Some((first, last)) = cpus.get_mut(&off.cpu) {
            if off.from_ns == 0 {
                *first = origin_ns;
            }
            if off.to_ns.is_none() {
                *last = end_ns;
            }
        }
    }
    let from = cpus.values().map(|span| span.0).max().unwrap_or(0);
    let to = cpus.values().map(|span| span.1).min().unwrap_or(0);
    if from < to {
        return Window {
            origin_ns,
            end_ns,
            common_ns: [from, to],
            note: None,
        };
    }
    let note = "No time is covered by the buffers of all CPUs: the window is the whole recording."
        .to_owned();
    Window {
        origin_ns,
        end_ns,
        common_ns: [origin_ns, end_ns],
        note: Some(note),
    }
}

fn of_samples(samples: &[SampleTable]) -> Window {
    let time = |ns: i64| u64::try_from(ns).unwrap_or(0);
    let origin_ns = samples.iter().filter_map(|table| table.from_ns).min();
    let end_ns = samples.iter().filter_map(|table| table.to_ns).max();
    let (origin_ns, end_ns) = (origin_ns.map_or(0, time), end_ns.map_or(0, time));
    Window {
        origin_ns,
        end_ns,
        common_ns: [origin_ns, end_ns],
        note: None,
    }
}

/// The CPUs of the recorded machine: those that the recordings count and those that recorded.
pub(super) fn cpus(inputs: &[Input]) -> Vec<u32> {
    let recordings = || inputs.iter().filter_map(|input| input.recording.as_ref());
    let counted = recordings()
        .map(|recording| recording.cpus)
        .max()
        .unwrap_or(0);
    let recorded = recordings()
        .flat_map(|recording| &recording.cpu_spans)
        .map(|span| span.cpu + 1)
        .max()
        .unwrap_or(0);
    (0..counted.max(recorded).min(MAX_CPUS)).collect()
}

/// Refuses later times, of a recording or of samples once they are in place: no clock counts so far, and one wrong bit does.
pub(super) fn check(inputs: &[Input], samples: &[SampleTable]) -> Result<(), Error> {
    let late = samples.iter().find_map(|table| {
        let last = u64::try_from(table.to_ns?).ok()?;
        (last >= LATEST_NS).then_some((table, last))
    });
    if let Some((table, last)) = late {
        let expected = format!("times below {LATEST_NS} ns (146 years)");
        let error = InputError::at_byte(0, expected, format!("{last} ns"));
        return Err(Error::input(&format!("samples ({})", table.table), error));
    }
    for input in inputs {
        let spans = input.recording.iter().flat_map(|found| &found.cpu_spans);
        if let Some(span) = spans.max_by_key(|span| span.last_ns)
            && span.last_ns >= LATEST_NS
        {
            let expected = format!("times below {LATEST_NS} ns (146 years)");
            let found = format!("{} ns on CPU {}", span.last_ns, span.cpu);
            let error = InputError::at_byte(0, expected, found);
            return Err(Error::input(&input.name, error));
        }
    }
    Ok(())
}

/// Times at which no recording went on any more and another was still to begin.
pub(super) fn pauses(inputs: &[Input]) -> Vec<u64> {
    let recordings = inputs.iter().filter_map(|input| input.recording.as_ref());
    let mut spans: Vec<(u64, u64)> = recordings
        .filter_map(|recording| {
            let first = recording.cpu_spans.iter().map(|span| span.first_ns).min()?;
            let last = recording.cpu_spans.iter().map(|span| span.last_ns).max()?;
            Some((first, last))
        })
        .collect();
    spans.sort_unstable();
    let mut pauses = Vec::new();
    let mut until = 0;
    for (at, (first, last)) in spans.into_iter().enumerate() {
        if at > 0 && first > until {
            pauses.push(until);
        }
        until = until.max(last);
    }
    pauses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_is_offline_does_not_end_the_window() {
        let of = |cpu: u32, from_ns: u64, to_ns: Option<u64>| {
            let cpus = BTreeMap::from([(0, (10, 90)), (1, (40, 95)), (2, (5, 60))]);
            let off = CpuSpan {
                cpu,
                from_ns,
                to_ns,
            };
            let window = of_cpus(cpus, &[off]);
            assert_eq!((window.origin_ns, window.end_ns), (5, 95));
            window.common_ns
        };
        // CPU 2 is off from 62 on, CPU 1 until 39.
        assert_eq!(of(2, 62, None), [40, 90]);
        assert_eq!(of(1, 0, Some(39)), [10, 60]);
        // One that came back records: where it does not, nothing is known.
        assert_eq!(of(2, 20, Some(30)), [40, 60]);
        // One that recorded nothing.
        assert_eq!(of(7, 0, None), [40, 60]);
    }
}
