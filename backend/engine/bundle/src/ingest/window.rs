//! The recordings' time and CPUs.

use std::collections::{BTreeMap, BTreeSet};

use numalens_columns::InputError;
use numalens_core::bounds::LATEST_NS;
use numalens_core::topology::{MAX_CPUS, StatedTopology};
use numalens_replay::evidence::CpuSpan;

use super::decode::Decoded;
use crate::bundle::{Input, SampleTable};
use crate::error::Error;

/// Times of all recordings together, ns of the trace clock.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    /// First event.
    pub(super) origin_ns: u64,
    /// Last event.
    pub(super) end_ns: u64,
    /// Time that is analysed: from when no CPU lacks the beginning of its events to the end of the recordings.
    pub(super) common_ns: [u64; 2],
    pub(super) note: Option<String>,
}

/// Longest time in which a recorder that starts on one CPU after the other has started on all, ns.
const STARTED_NS: u64 = 100_000_000;

/// Time from which on the events of a CPU are complete at the latest, and whether older ones are missing: overwritten
/// or lost. A CPU without events is complete as soon as the others are.
pub(super) fn complete_from(input: &Input, decoded: &Decoded, cpu: u32) -> (Option<u64>, bool) {
    let Some(recording) = &input.recording else {
        return (None, false);
    };
    let spans = || recording.cpu_spans.iter().filter(|span| span.events > 0);
    let first = spans().map(|span| span.first_ns).min();
    let own = spans().find(|span| span.cpu == cpu);
    let own = own.map(|span| span.first_ns);
    let lost = decoded
        .lost
        .iter()
        .any(|mark| mark.cpu == cpu && own.is_none_or(|own| mark.ts_ns <= own));
    if decoded.overwritten || lost {
        return (own, true);
    }
    if input.kind.cpu_by_cpu {
        let started = first.map(|first| first.saturating_add(STARTED_NS));
        return (own.into_iter().chain(started).min(), false);
    }
    (first, false)
}

/// The window: all of the recordings' time, less the time at the beginning of which a CPU's events were overwritten or
/// lost; without any recording, that of the samples. A CPU that was `offline` had nothing to record then.
pub(super) fn common(
    inputs: &[Input],
    recordings: &[Decoded],
    samples: &[SampleTable],
    offline: &[CpuSpan],
) -> Window {
    let mut cpus: BTreeMap<u32, Begin> = BTreeMap::new();
    let mut end_ns = 0;
    for decoded in recordings {
        let Some(input) = inputs.get(decoded.input as usize) else {
            continue;
        };
        let spans = input.recording.iter().flat_map(|found| &found.cpu_spans);
        for span in spans.filter(|span| span.events > 0) {
            let missing = complete_from(input, decoded, span.cpu).1;
            let begin = Begin {
                first_ns: span.first_ns,
                missing,
            };
            end_ns = end_ns.max(span.last_ns);
            let known = cpus.entry(span.cpu).or_insert(begin);
            // Of several recordings the one that begins first decides.
            *known = (*known).min(begin);
        }
    }
    if cpus.is_empty() {
        return of_samples(samples);
    }
    of_cpus(&cpus, end_ns, offline)
}

/// Beginning of a CPU's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Begin {
    first_ns: u64,
    /// Older ones are missing.
    missing: bool,
}

/// The window of CPUs whose events begin like this.
fn of_cpus(cpus: &BTreeMap<u32, Begin>, end_ns: u64, offline: &[CpuSpan]) -> Window {
    let origin_ns = cpus.values().map(|begin| begin.first_ns).min().unwrap_or(0);
    let off = |cpu: u32| offline.iter().any(|off| off.cpu == cpu && off.from_ns == 0);
    let cut = cpus
        .iter()
        .filter(|(cpu, begin)| begin.missing && !off(**cpu));
    let last = cut.max_by_key(|(_, begin)| begin.first_ns);
    let last = last.filter(|(_, begin)| begin.first_ns > origin_ns);
    let mut window = Window {
        origin_ns,
        end_ns,
        common_ns: [origin_ns, end_ns],
        note: None,
    };
    let Some((cpu, begin)) = last else {
        return window;
    };
    let seconds = |ns: u64| ns as f64 / 1e9;
    let cut_ns = begin.first_ns - origin_ns;
    window.note = Some(if begin.first_ns < end_ns {
        window.common_ns[0] = begin.first_ns;
        format!(
            "The window starts {:.3} s after the first event and leaves out {:.0} % of the recording: earlier events of CPU {cpu} were overwritten or lost.",
            seconds(cut_ns),
            cut_ns as f64 * 100.0 / (end_ns - origin_ns).max(1) as f64,
        )
    } else {
        "At no time do all CPUs have events: the window is the whole recording.".to_owned()
    });
    window
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

/// CPUs with events.
pub(super) fn heard(inputs: &[Input]) -> BTreeSet<u32> {
    let recordings = inputs.iter().filter_map(|input| input.recording.as_ref());
    let spans = recordings.flat_map(|recording| &recording.cpu_spans);
    let spans = spans.filter(|span| span.events > 0);
    spans.map(|span| span.cpu).collect()
}

/// CPUs without events, in two parts: those that were offline, because a stated topology, which has online CPUs only, lacks
/// them, and those on which tasks may have run. Both are empty if no CPU has events.
pub(super) fn silent(
    heard: &BTreeSet<u32>,
    cpus: &[u32],
    stated: &[StatedTopology],
) -> (Vec<u32>, Vec<u32>) {
    let is_stated = |cpu: &u32| {
        let mut nodes = stated.iter().flat_map(|topology| &topology.nodes);
        nodes.any(|(_, cpus)| cpus.contains(cpu))
    };
    cpus.iter()
        .filter(|cpu| !heard.is_empty() && !heard.contains(cpu))
        .partition(|cpu| !stated.is_empty() && !is_stated(cpu))
}

/// Returns whether the events of a CPU end before the recording does, because the file ends, is damaged, or its recorder lost
/// them.
pub(super) fn any_cut(inputs: &[Input], recordings: &[Decoded]) -> bool {
    recordings.iter().any(|decoded| {
        let input = inputs.get(decoded.input as usize);
        let recording = input.and_then(|input| input.recording.as_ref());
        let spans = recording.map_or(&[][..], |recording| &recording.cpu_spans);
        decoded.lost.iter().any(|mark| {
            let own = spans.iter().find(|span| span.cpu == mark.cpu);
            own.is_some_and(|own| mark.ts_ns > own.last_ns)
        })
    })
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

/// Times at which no recording continued and another was still to begin.
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
    use numalens_core::topology::{Sharing, Source};

    use super::*;

    #[test]
    fn a_cpu_without_events_was_offline_only_if_the_topology_lacks_it() {
        let lscpu = StatedTopology {
            name: "lscpu".to_owned(),
            source: Source::Sidecar,
            nodes: vec![(0, vec![0, 1, 2])],
            distances: None,
            sharing: Sharing::default(),
            memory: Vec::new(),
        };
        let (heard, cpus) = (BTreeSet::from([0, 2]), [0, 1, 2, 3]);
        assert_eq!(silent(&heard, &cpus, &[lscpu]), (vec![3], vec![1]));
        assert_eq!(silent(&heard, &cpus, &[]), (vec![], vec![1, 3]));
        assert_eq!(silent(&BTreeSet::new(), &cpus, &[]), (vec![], vec![]));
    }

    fn begins(cpus: &[(u64, bool)]) -> BTreeMap<u32, Begin> {
        let begin = |&(first_ns, missing): &(u64, bool)| Begin { first_ns, missing };
        (0..).zip(cpus.iter().map(begin)).collect()
    }

    #[test]
    fn a_cpu_with_few_events_cuts_nothing_off() {
        let window = of_cpus(&begins(&[(10, false), (60, false)]), 95, &[]);
        assert_eq!((window.common_ns, window.note), ([10, 95], None));
    }

    #[test]
    fn overwritten_events_cut_the_beginning() {
        let window = of_cpus(&begins(&[(10, true), (60, true), (80, false)]), 110, &[]);
        assert_eq!(window.common_ns, [60, 110]);
        let note = window.note.unwrap();
        assert!(note.contains("50 %") && note.contains("CPU 1"), "{note}");
        // Nothing is left of the recording: nothing is cut.
        let window = of_cpus(&begins(&[(10, true), (110, true)]), 110, &[]);
        assert_eq!(window.common_ns, [10, 110]);
        assert!(window.note.is_some());
    }

    #[test]
    fn a_cpu_that_was_offline_first_does_not_cut_the_beginning() {
        let off = CpuSpan {
            cpu: 1,
            from_ns: 0,
            to_ns: Some(59),
        };
        let window = of_cpus(&begins(&[(10, true), (60, true)]), 110, &[off]);
        assert_eq!((window.common_ns, window.note), ([10, 110], None));
    }
}
