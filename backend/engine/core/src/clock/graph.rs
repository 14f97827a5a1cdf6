//! Clocks and what is known about their distances.

use super::Span;

/// A clock. Two inputs of one machine may share one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clock {
    /// The trace clock of the recording at this position among the inputs.
    Trace(u32),
    /// Timestamps of the samples at this position, from a clock without a name.
    Samples(u32),
    /// `CLOCK_MONOTONIC`.
    Monotonic,
    /// `CLOCK_MONOTONIC_RAW`.
    MonotonicRaw,
    /// `CLOCK_BOOTTIME`.
    Boot,
    /// `CLOCK_REALTIME`.
    Real,
    /// `CLOCK_TAI`.
    Tai,
    /// The scheduler's clock, which trace clock `local` and perf's own clock are.
    Sched,
    /// The scheduler's clock made to agree between CPUs: trace clock `global`.
    Global,
}

impl Clock {
    /// The machine's clock for the name of a trace clock (tracefs `trace_clock`; `perf` is perf's default). `None` for
    /// counters (`counter`, `x86-tsc`) and the coarse `uptime` (steps of a jiffy).
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "mono" => Self::Monotonic,
            "mono_raw" => Self::MonotonicRaw,
            "boot" => Self::Boot,
            "real" => Self::Real,
            "tai" => Self::Tai,
            "local" | "perf" => Self::Sched,
            "global" => Self::Global,
            _ => return None,
        })
    }
}

/// Evidence for an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The recording names the clock.
    SameClock,
    /// Number of the sampler's lines in the trace.
    Markers(usize),
    /// Number of instants stored on both clocks.
    ClockPairs(usize),
    /// The kernel keeps both clocks within a tick of each other.
    Kernel,
    /// The user said so.
    User,
    /// No evidence except that both times overlap.
    Overlap,
}

/// A way from one clock to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The distance.
    pub span: Span,
    /// Evidence, from the first clock on.
    pub evidence: Vec<Evidence>,
}

/// Known relations of the clocks of a set of inputs.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    clocks: Vec<Clock>,
    edges: Vec<(usize, usize, Span, Evidence)>,
}

impl Graph {
    /// Notes that an instant `t` of `from` is `t + span` on `to`.
    pub fn know(&mut self, from: &Clock, to: &Clock, span: Span, evidence: Evidence) {
        let (from, to) = (self.number(from), self.number(to));
        self.edges.push((from, to, span, evidence));
        self.edges.push((to, from, span.reversed(), evidence));
    }

    /// The least uncertain way from one clock to another; fewest steps among equals.
    #[must_use]
    pub fn way(&self, from: &Clock, to: &Clock) -> Option<Way> {
        let start = self.clocks.iter().position(|clock| clock == from)?;
        let goal = self.clocks.iter().position(|clock| clock == to)?;
        let mut best: Vec<Option<Way>> = vec![None; self.clocks.len()];
        best[start] = Some(Way {
            span: Span::between(0, 0),
            evidence: Vec::new(),
        });
        // There are a handful of clocks: going over all edges until nothing gets better is simplest.
        for _ in 0..self.clocks.len() {
            for &(a, b, span, evidence) in &self.edges {
                let Some(way) = &best[a] else { continue };
                let mut longer = Way {
                    span: way.span.then(&span),
                    evidence: way.evidence.clone(),
                };
                longer.evidence.push(evidence);
                if best[b]
                    .as_ref()
                    .is_none_or(|known| longer.cost() < known.cost())
                {
                    best[b] = Some(longer);
                }
            }
        }
        best.swap_remove(goal)
    }

    fn number(&mut self, clock: &Clock) -> usize {
        self.clocks
            .iter()
            .position(|known| known == clock)
            .unwrap_or_else(|| {
                self.clocks.push(clock.clone());
                self.clocks.len() - 1
            })
    }
}

impl Way {
    fn cost(&self) -> (u64, usize) {
        (self.span.uncertainty_ns(), self.evidence.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_uncertain_way_is_taken() {
        let mut graph = Graph::default();
        let (trace, samples) = (Clock::Trace(0), Clock::Samples(1));
        graph.know(
            &trace,
            &Clock::Sched,
            Span::around(0, 0),
            Evidence::SameClock,
        );
        graph.know(
            &Clock::Sched,
            &Clock::Monotonic,
            Span::around(70, 900),
            Evidence::Overlap,
        );
        graph.know(
            &Clock::Monotonic,
            &trace,
            Span::around(-40, 3),
            Evidence::Markers(2),
        );
        graph.know(
            &samples,
            &Clock::Monotonic,
            Span::around(5, 1),
            Evidence::ClockPairs(9),
        );
        let way = graph.way(&samples, &trace).unwrap();
        assert_eq!(way.span, Span::around(-35, 4));
        assert_eq!(
            way.evidence,
            [Evidence::ClockPairs(9), Evidence::Markers(2)]
        );
        let back = graph.way(&trace, &samples).unwrap();
        assert_eq!(back.span, Span::around(35, 4));
        assert_eq!(graph.way(&trace, &Clock::Boot), None);
        assert_eq!(graph.way(&trace, &trace).unwrap().evidence, []);
    }
}
