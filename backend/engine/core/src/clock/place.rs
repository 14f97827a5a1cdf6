//! A set of inputs of one machine, each placed on the reference clock.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Clock, Evidence, Graph, Meeting, Span, Way, meet};

/// Maximum time between two reads for one instant on two clocks, ns. Both are fast system calls.
const PAIR_READ_NS: i64 = 1_000;
/// Clocks `local` and `global` differ by less than a tick where the scheduler's clock is not the same on all CPUs; the
/// longest tick (`CONFIG_HZ=100`).
const TICK_NS: i64 = 10_000_000;

/// Two stamps of the same samples: how far the second was from the first, over all samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distance {
    /// Smallest, ns.
    pub low_ns: i64,
    /// Largest, ns.
    pub high_ns: i64,
    /// Number of samples with both clocks.
    pub samples: usize,
}

/// Clock information of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Times {
    /// A recording: the name of its trace clock, first and last event, and stored pairs of trace clock and
    /// `CLOCK_REALTIME`, all in ns.
    Recording {
        /// Trace clock's name.
        clock: Option<String>,
        /// First and last event.
        range: (i64, i64),
        /// Instants on the trace clock and `CLOCK_REALTIME`.
        pairs: Vec<(i64, i64)>,
    },
    /// Samples.
    Samples(SampleTimes),
    /// An input without times (topology).
    Timeless,
}

/// The stamps of a file of samples, ns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampleTimes {
    /// First and last `CLOCK_MONOTONIC`.
    pub mono: Option<(i64, i64)>,
    /// First and last `CLOCK_BOOTTIME`.
    pub boot: Option<(i64, i64)>,
    /// First and last `CLOCK_REALTIME`.
    pub real: Option<(i64, i64)>,
    /// Recording whose trace clock stamps the samples, if they were found in one.
    pub traced: Option<u32>,
    /// `CLOCK_REALTIME` minus `CLOCK_MONOTONIC`.
    pub real_mono: Option<Distance>,
    /// `CLOCK_BOOTTIME` minus `CLOCK_MONOTONIC`.
    pub boot_mono: Option<Distance>,
    /// Step of the stamps: a stamp is at most so much earlier than its instant.
    pub resolution_ns: i64,
}

/// Method of aligning an input's times with the reference clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Reference clock.
    Reference,
    /// Same clock as the reference by name.
    SameClock,
    /// Through lines that the sampler wrote into the trace.
    Markers,
    /// Through instants that were stored on two clocks, or clocks that the kernel keeps together.
    ClockPairs,
    /// Only because both times overlap.
    Overlap,
    /// Offset set by the user.
    User,
    /// Not at all.
    None,
}

/// An input on the reference clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Method.
    pub method: Method,
    /// From which of its clocks; `None` when it could not be placed.
    pub clock: Option<Clock>,
    /// From that clock to the reference; `None` when it could not be placed.
    pub span: Option<Span>,
    /// Evidence, in the order of the steps.
    pub evidence: Vec<Evidence>,
}

/// Alignment of all inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Position of the input whose clock is the reference: the first recording, else the first samples with times.
    pub reference: Option<u32>,
    /// The reference clock.
    pub clock: Option<Clock>,
    /// One entry per input.
    pub inputs: Vec<Placed>,
}

/// Places all inputs. `meetings` are those of the sampler's `CLOCK_MONOTONIC` with the trace clock, by recording;
/// `user` says per input how many ns to add to its times.
#[must_use]
pub fn place(
    inputs: &[Times],
    meetings: &BTreeMap<u32, Vec<Meeting>>,
    user: &BTreeMap<u32, i64>,
) -> Placement {
    let numbered = || (0_u32..).zip(inputs);
    let recording = numbered().find(|(_, times)| matches!(times, Times::Recording { .. }));
    let sampled = || numbered().find(|(_, times)| times.first_clock().is_some());
    let reference = recording.or_else(sampled).map(|(at, _)| at);
    let clock = reference.and_then(|at| inputs[at as usize].own_clock(at));
    let mut graph = Graph::default();
    for (at, times) in numbered() {
        times.tell(at, &mut graph);
    }
    for (&recording, meetings) in meetings {
        if let Some(span) = meet(meetings) {
            let markers = Evidence::Markers(meetings.len());
            graph.know(&Clock::Monotonic, &Clock::Trace(recording), span, markers);
        }
    }
    graph.know(
        &Clock::Sched,
        &Clock::Global,
        Span::around(0, TICK_NS),
        Evidence::Kernel,
    );
    if let Some(clock) = &clock {
        guess(inputs, clock, &mut graph);
    }
    let placed = numbered().map(|(at, times)| {
        if let Some(&offset) = user.get(&at) {
            return times.by_user(at, offset);
        }
        match (&clock, reference == Some(at)) {
            (Some(clock), true) => times.as_reference(clock),
            (Some(clock), false) => times.placed(at, clock, &graph),
            (None, _) => Placed::nowhere(),
        }
    });
    Placement {
        reference,
        inputs: placed.collect(),
        clock,
    }
}

/// If nothing connects two inputs, overlapping times count as the same clock: users record and sample around the same
/// incident, so the ends of both limit the error.
fn guess(inputs: &[Times], reference: &Clock, graph: &mut Graph) {
    let recordings: Vec<(Clock, (i64, i64))> = (0_u32..)
        .zip(inputs)
        .filter_map(|(at, times)| match times {
            Times::Recording { range, .. } => Some((Clock::Trace(at), *range)),
            _ => None,
        })
        .collect();
    let sampled = inputs.iter().filter_map(Times::samples).flat_map(|times| {
        let mono = times.mono.map(|range| (Clock::Monotonic, range));
        let boot = times.boot.map(|range| (Clock::Boot, range));
        [mono, boot].into_iter().flatten()
    });
    let others: Vec<(Clock, (i64, i64))> = recordings.iter().cloned().chain(sampled).collect();
    for (clock, range) in &recordings {
        for (other, times) in &others {
            let reached = clock == reference || graph.way(clock, reference).is_some();
            let known = other == clock || graph.way(other, clock).is_some();
            if known || !reached || times.0 > range.1 || range.0 > times.1 {
                continue;
            }
            let wrong = times.0.abs_diff(range.0).max(times.1.abs_diff(range.1));
            let wrong = i64::try_from(wrong).unwrap_or(i64::MAX);
            graph.know(other, clock, Span::around(0, wrong), Evidence::Overlap);
        }
    }
}

impl Times {
    fn samples(&self) -> Option<&SampleTimes> {
        match self {
            Self::Samples(times) => Some(times),
            _ => None,
        }
    }

    fn first_clock(&self) -> Option<Clock> {
        self.samples()?.clocks().next().map(|(clock, _)| clock)
    }

    /// The clock that the input's times count on when it is the reference.
    fn own_clock(&self, at: u32) -> Option<Clock> {
        match self {
            Self::Recording { .. } => Some(Clock::Trace(at)),
            _ => self.first_clock(),
        }
    }

    /// Adds the input's relations between clocks.
    fn tell(&self, at: u32, graph: &mut Graph) {
        match self {
            Self::Recording { clock, pairs, .. } => {
                let own = Clock::Trace(at);
                if let Some(machine) = clock.as_deref().and_then(Clock::named) {
                    graph.know(&own, &machine, Span::between(0, 0), Evidence::SameClock);
                }
                let pairs = pairs.iter().map(|&(trace_ns, real_ns)| Meeting {
                    trace_ns: real_ns.saturating_add(PAIR_READ_NS),
                    before_ns: trace_ns,
                    after_ns: Some(trace_ns.saturating_add(2 * PAIR_READ_NS)),
                });
                let pairs: Vec<Meeting> = pairs.collect();
                if let Some(span) = meet(&pairs) {
                    graph.know(&own, &Clock::Real, span, Evidence::ClockPairs(pairs.len()));
                }
            }
            Self::Samples(times) => {
                let distances = [
                    (times.real_mono, Clock::Real),
                    (times.boot_mono, Clock::Boot),
                ];
                for (distance, clock) in distances {
                    if let Some(distance) = distance {
                        let span = Span::between(distance.low_ns, distance.high_ns);
                        let pairs = Evidence::ClockPairs(distance.samples);
                        graph.know(&Clock::Monotonic, &clock, span, pairs);
                    }
                }
            }
            Self::Timeless => {}
        }
    }

    fn as_reference(&self, clock: &Clock) -> Placed {
        Placed {
            method: Method::Reference,
            clock: Some(clock.clone()),
            span: Some(Span::between(0, self.step())),
            evidence: Vec::new(),
        }
    }

    /// Maximum distance between a timestamp and its instant, ns.
    fn step(&self) -> i64 {
        self.samples().map_or(0, SampleTimes::step)
    }

    fn by_user(&self, at: u32, offset_ns: i64) -> Placed {
        match self.own_clock(at) {
            Some(clock) => Placed {
                method: Method::User,
                clock: Some(clock),
                span: Some(Span::around(offset_ns, 0)),
                evidence: vec![Evidence::User],
            },
            None => Placed::nowhere(),
        }
    }

    fn placed(&self, at: u32, reference: &Clock, graph: &Graph) -> Placed {
        let clocks: Vec<(Clock, i64)> = match self {
            Self::Recording { .. } => vec![(Clock::Trace(at), 0)],
            Self::Samples(times) => times.clocks().collect(),
            Self::Timeless => return Placed::nowhere(),
        };
        let ways = clocks.into_iter().filter_map(|(clock, step)| {
            let way = if clock == *reference {
                Way {
                    span: Span::between(0, 0),
                    evidence: vec![Evidence::SameClock],
                }
            } else {
                graph.way(&clock, reference)?
            };
            let span = Span::between(0, step).then(&way.span);
            Some((clock, span, way.evidence))
        });
        match ways.min_by_key(|(_, span, evidence)| (span.uncertainty_ns(), evidence.len())) {
            Some((clock, span, evidence)) => Placed {
                method: Method::of(&evidence),
                clock: Some(clock),
                span: Some(span),
                evidence,
            },
            None => Placed::nowhere(),
        }
    }
}

impl SampleTimes {
    /// Maximum distance between a timestamp and its instant, ns: timestamps of 1 ns are exact.
    fn step(&self) -> i64 {
        match self.resolution_ns {
            ..=1 => 0,
            coarse => coarse,
        }
    }

    /// The clocks that stamp the samples, best first, with the step of the stamps.
    fn clocks(&self) -> impl Iterator<Item = (Clock, i64)> {
        let step = self.step();
        let traced = self.traced.map(|recording| (Clock::Trace(recording), 0));
        let mono = self.mono.map(|_| (Clock::Monotonic, step));
        let boot = self.boot.map(|_| (Clock::Boot, step));
        let real = self.real.map(|_| (Clock::Real, step));
        [traced, mono, boot, real].into_iter().flatten()
    }
}

impl Placed {
    fn nowhere() -> Self {
        Self {
            method: Method::None,
            clock: None,
            span: None,
            evidence: Vec::new(),
        }
    }
}

impl Method {
    /// The weakest step names the whole way.
    fn of(evidence: &[Evidence]) -> Self {
        let has = |wanted: fn(&Evidence) -> bool| evidence.iter().any(wanted);
        if has(|e| matches!(e, Evidence::Overlap)) {
            Self::Overlap
        } else if has(|e| matches!(e, Evidence::Markers(_))) {
            Self::Markers
        } else if has(|e| matches!(e, Evidence::ClockPairs(_) | Evidence::Kernel)) {
            Self::ClockPairs
        } else {
            Self::SameClock
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(clock: Option<&str>, range: (i64, i64), pairs: &[(i64, i64)]) -> Times {
        Times::Recording {
            clock: clock.map(str::to_owned),
            range,
            pairs: pairs.to_vec(),
        }
    }

    fn sampled(range: (i64, i64)) -> Times {
        let real = 1_700_000_000_000_000_000;
        Times::Samples(SampleTimes {
            mono: Some(range),
            real: Some((range.0 + real, range.1 + real + 40)),
            real_mono: Some(Distance {
                low_ns: real,
                high_ns: real + 40,
                samples: 9,
            }),
            resolution_ns: 1,
            ..SampleTimes::default()
        })
    }

    fn alone(inputs: &[Times]) -> Placement {
        place(inputs, &BTreeMap::new(), &BTreeMap::new())
    }

    #[test]
    fn the_same_clock_needs_no_marker() {
        let placement = alone(&[
            Times::Timeless,
            recording(Some("mono"), (100, 900), &[]),
            sampled((0, 1000)),
        ]);
        assert_eq!(placement.reference, Some(1));
        let samples = &placement.inputs[2];
        assert_eq!(samples.method, Method::SameClock);
        assert_eq!(samples.span, Some(Span::between(0, 0)));
        assert_eq!(placement.inputs[0].method, Method::None);
        assert_eq!(placement.inputs[1].method, Method::Reference);
    }

    #[test]
    fn wall_clock_samples_reach_a_recording_over_its_clock_pair() {
        // `date; cat` loop with stamps of one second, perf.data with -k CLOCK_MONOTONIC.
        let second = 1_000_000_000;
        let wall = 1_700_000_000 * second;
        let samples = Times::Samples(SampleTimes {
            real: Some((wall, wall + 20 * second)),
            resolution_ns: second,
            ..SampleTimes::default()
        });
        let pair = (5 * second, wall + 5 * second);
        let placement = alone(&[recording(Some("mono"), (0, 9 * second), &[pair]), samples]);
        let placed = &placement.inputs[1];
        assert_eq!(placed.method, Method::ClockPairs);
        let span = placed.span.unwrap();
        // The stamp may be a second old: the middle is half a second later, and that is the uncertainty.
        assert!(
            span.apply(wall + 3 * second)
                .abs_diff(3 * second + second / 2)
                < 2_000
        );
        assert!(span.uncertainty_ns().abs_diff(500_000_000) < 2_000);
    }

    #[test]
    fn markers_place_a_clock_without_a_name() {
        let meetings = BTreeMap::from([(
            0,
            vec![Meeting {
                trace_ns: 1_500,
                before_ns: 490,
                after_ns: Some(510),
            }],
        )]);
        let inputs = [recording(None, (1_000, 2_000), &[]), sampled((0, 1000))];
        let placement = place(&inputs, &meetings, &BTreeMap::new());
        assert_eq!(placement.inputs[1].method, Method::Markers);
        assert_eq!(placement.inputs[1].span, Some(Span::around(1_000, 10)));
        let user = BTreeMap::from([(1, -7)]);
        let placement = place(&inputs, &meetings, &user);
        assert_eq!(placement.inputs[1].method, Method::User);
        assert_eq!(placement.inputs[1].span.unwrap().apply(9), 2);
    }

    #[test]
    fn overlap_is_the_last_resort_and_is_no_more_certain_than_the_ends() {
        let placement = alone(&[recording(None, (100, 900), &[]), sampled((0, 1_200))]);
        let placed = &placement.inputs[1];
        assert_eq!(placed.method, Method::Overlap);
        assert_eq!(placed.span.unwrap().uncertainty_ns(), 300);
        let apart = alone(&[recording(None, (100, 900), &[]), sampled((5_000, 6_000))]);
        assert_eq!(apart.inputs[1].method, Method::None);
        let unlike = alone(&[
            recording(Some("mono"), (100, 900), &[]),
            recording(None, (90, 1_000), &[]),
        ]);
        assert_eq!(unlike.inputs[1].method, Method::Overlap);
        assert_eq!(unlike.inputs[1].span.unwrap().uncertainty_ns(), 100);
    }

    #[test]
    fn two_recordings_meet_over_their_clocks() {
        let perf = recording(Some("perf"), (0, 10), &[]);
        let local = recording(Some("local"), (0, 10), &[]);
        let global = recording(Some("global"), (0, 10), &[]);
        let placement = alone(&[perf, local, global]);
        assert_eq!(placement.inputs[1].method, Method::SameClock);
        assert_eq!(placement.inputs[1].span, Some(Span::between(0, 0)));
        assert_eq!(placement.inputs[2].method, Method::ClockPairs);
        assert_eq!(
            placement.inputs[2].span.unwrap().uncertainty_ns(),
            TICK_NS as u64
        );
    }

    #[test]
    fn samples_alone_are_their_own_reference() {
        let placement = alone(&[Times::Timeless, sampled((5, 9))]);
        assert_eq!(placement.reference, Some(1));
        assert_eq!(placement.clock, Some(Clock::Monotonic));
        assert_eq!(alone(&[Times::Timeless]).reference, None);
    }
}
