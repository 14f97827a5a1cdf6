//! Types of the evidence as stored in a bundle.

use std::borrow::Cow;

use super::SchedExt;
use super::sources::{UNRECORDED_SWITCHES, UNRECORDED_WAKEUPS};
use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::{Label, Source};
use serde::{Deserialize, Serialize};

/// Basis of a bundle's replay; part of the bundle's manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The traced kernel, if recorded.
    pub kernel: Option<KernelVersion>,
    /// Jiffies per second.
    pub hz: u32,
    /// Source of `hz`.
    pub hz_source: Source,
    /// Quality of the run states: switches, wakeups and migrations.
    pub run_state: Source,
    /// Source of `in_iowait`; `None` when not recorded.
    pub iowait: Option<Source>,
    /// Block device of nine tenths of the time of requests, as major and minor number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_device: Option<String>,
    /// Source of memory stalls; `None` when not recorded.
    pub memstall: Option<Source>,
    /// Source of interrupt time; `None` when not recorded.
    pub irq: Option<Source>,
    /// Source of the tasks' cgroups; `None` when not recorded.
    pub cgroups: Option<Source>,
    /// Source of the aggregations by the kernel's worker; `None` when only the reads are known.
    pub worker: Option<Source>,
    /// Spans in which CPUs were offline, from `cpuhp` events, by CPU and time.
    pub offline: Vec<CpuSpan>,
    /// Facts about `sched_ext`; `None` when not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sched_ext: Option<SchedExt>,
    /// Times of what is missing.
    #[serde(default, skip_serializing_if = "Doubts::is_empty")]
    pub doubts: Doubts,
}

impl Evidence {
    /// Quality of the run states in a window: what is missing elsewhere does not lower it.
    #[must_use]
    pub fn run_state_in(&self, from_ns: u64, to_ns: u64) -> Source {
        let mut source = self.source_in(&self.run_state, to_ns).into_owned();
        if let Some((missed, cpu_ns)) = self.doubts.missed_in(from_ns, to_ns) {
            let doubts = [
                (missed.lacks_switches(cpu_ns), UNRECORDED_SWITCHES),
                (missed.lacks_wakeups(), UNRECORDED_WAKEUPS),
            ];
            for (lacks, what) in doubts {
                let known = source.missing.iter().position(|one| one == what);
                match known {
                    Some(at) if !lacks => drop(source.missing.remove(at)),
                    None if lacks => source.missing.push(what.to_owned()),
                    _ => {}
                }
            }
            source.label = label(&source);
        }
        source
    }

    /// The same source without what is missing only after a time.
    #[must_use]
    pub fn source_in<'a>(&self, source: &'a Source, to_ns: u64) -> Cow<'a, Source> {
        let later = |what: &String| self.doubts.is_later(what, to_ns);
        if !source.missing.iter().any(later) {
            return Cow::Borrowed(source);
        }
        let mut source = source.clone();
        source.missing.retain(|what| !later(what));
        source.label = label(&source);
        Cow::Owned(source)
    }
}

/// Label of events by what is missing of them.
fn label(source: &Source) -> Label {
    if source.missing.is_empty() {
        Label::Replayed
    } else {
        Label::Inferred
    }
}

/// Times of what is missing of the run states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubts {
    /// Inputs that are missing from a time on, ns.
    pub since: Vec<(String, u64)>,
    /// CPUs of the recordings.
    pub cpus: u64,
    /// First and last event, ns.
    pub span_ns: (u64, u64),
    /// Events that the replay missed, by time.
    pub course: Course,
}

impl Doubts {
    /// Returns whether nothing is missing, or it is not known when.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.since.is_empty() && self.course.is_empty()
    }

    /// Returns whether it is known to be missing only after a time.
    #[must_use]
    pub fn is_later(&self, what: &str, to_ns: u64) -> bool {
        let mut since = self.since.iter();
        since.any(|(known, from_ns)| known == what && *from_ns > to_ns)
    }

    /// Events that the replay missed in a part of the recording, and the time of all CPUs there, ns.
    fn missed_in(&self, from_ns: u64, to_ns: u64) -> Option<(Missed, u64)> {
        let whole = from_ns <= self.span_ns.0 && to_ns >= self.span_ns.1;
        let part = !whole && !self.course.is_empty();
        let cpu_ns = to_ns.saturating_sub(from_ns).saturating_mul(self.cpus);
        part.then(|| (self.course.within(from_ns, to_ns), cpu_ns))
    }
}

/// Events that the replay missed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missed {
    /// Switches that are recorded.
    pub switches: u64,
    /// Wakeups that are missing.
    pub wakeups: u64,
    /// Switches that are not recorded, if other events only bound their times.
    pub loose: u64,
    /// Time in which the task of a CPU was contradicted later, over all CPUs, ns.
    pub gap_ns: u64,
}

impl Missed {
    /// Largest share of missing events with which an answer still counts as the kernel's, per 1,000.
    const TOLERATED: u64 = 10;

    fn exceeds(part: u64, of: u64) -> bool {
        part.saturating_mul(1_000) > of.saturating_mul(Self::TOLERATED)
    }

    /// Returns whether too many switches are missing in `cpu_ns` of all CPUs.
    #[must_use]
    pub fn lacks_switches(self, cpu_ns: u64) -> bool {
        Self::exceeds(self.loose, self.switches) || cpu_ns > 0 && Self::exceeds(self.gap_ns, cpu_ns)
    }

    /// Returns whether too many wakeups are missing.
    #[must_use]
    pub fn lacks_wakeups(self) -> bool {
        Self::exceeds(self.wakeups, self.switches)
    }

    /// Returns whether nothing is missing.
    #[must_use]
    pub fn is_none(self) -> bool {
        (self.wakeups, self.loose, self.gap_ns) == (0, 0, 0)
    }

    fn add(&mut self, other: Self) {
        self.switches += other.switches;
        self.wakeups += other.wakeups;
        self.loose += other.loose;
        self.gap_ns = self.gap_ns.saturating_add(other.gap_ns);
    }
}

/// Events that the replay missed, in steps whose length doubles as the recording grows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course {
    origin_ns: u64,
    /// Length of a step, as a power of two, ns.
    shift: u32,
    steps: Vec<Missed>,
    /// First migration that is missing, ns.
    #[serde(skip)]
    pub first_migration: Option<u64>,
}

impl Course {
    const MOST_STEPS: usize = 256;
    const FIRST_SHIFT: u32 = 16;

    /// Begins at a time, ns.
    #[must_use]
    pub fn new(origin_ns: u64) -> Self {
        Self {
            origin_ns,
            shift: Self::FIRST_SHIFT,
            steps: Vec::new(),
            first_migration: None,
        }
    }

    /// The step of a time.
    #[inline]
    pub fn at(&mut self, ns: u64) -> &mut Missed {
        let offset = ns.saturating_sub(self.origin_ns);
        let at = (offset >> self.shift) as usize;
        if at < self.steps.len() {
            return &mut self.steps[at];
        }
        self.reach(offset)
    }

    #[cold]
    fn reach(&mut self, offset: u64) -> &mut Missed {
        while offset >> self.shift >= Self::MOST_STEPS as u64 {
            self.shift += 1;
            let pairs = self.steps.chunks(2).map(|pair| {
                let mut sum = pair[0];
                pair.iter().skip(1).for_each(|one| sum.add(*one));
                sum
            });
            self.steps = pairs.collect();
        }
        let at = (offset >> self.shift) as usize;
        if at >= self.steps.len() {
            self.steps.resize(at + 1, Missed::default());
        }
        &mut self.steps[at]
    }

    /// Returns whether nothing is missing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.iter().all(|step| step.is_none())
    }

    /// Events that were missed in a part of the recording for certain: where steps lie inside, a step at an end counts for its
    /// switches only.
    fn within(&self, from_ns: u64, to_ns: u64) -> Missed {
        let ends = |at: usize| {
            let from = self.origin_ns.saturating_add((at as u64) << self.shift);
            (from, from.saturating_add(1 << self.shift))
        };
        let steps = || {
            let all = self.steps.iter().enumerate();
            let all = all.map(|(at, step)| (ends(at), *step));
            all.filter(|((from, to), _)| *from <= to_ns && *to > from_ns)
        };
        let is_inside = |(from, to): (u64, u64)| from >= from_ns && to <= to_ns;
        let any_inside = steps().any(|(ends, _)| is_inside(ends));
        let mut sum = Missed::default();
        for (ends, step) in steps() {
            sum.add(if any_inside && !is_inside(ends) {
                Missed {
                    switches: step.switches,
                    ..Missed::default()
                }
            } else {
                step
            });
        }
        sum
    }
}

/// A time of a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuSpan {
    /// The CPU.
    pub cpu: u32,
    /// From when, ns of the reference clock; 0 when it was so before the recording began.
    pub from_ns: u64,
    /// Until when; `None` when no end is recorded.
    pub to_ns: Option<u64>,
}

/// Reason for which the kernel aggregated pressure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InstantKind {
    /// A process read a pressure file.
    Read,
    /// The worker that updates the averages (`psi_avgs_work`; `psi_update_work` in 4.20).
    Worker,
}

/// A moment at which the kernel aggregated the pressure of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instant {
    /// Time, ns of the reference clock.
    pub ts_ns: u64,
    /// [`MACHINE`](crate::states::MACHINE) or a cgroup's number.
    pub group: u32,
    /// Reason of the aggregation.
    pub kind: InstantKind,
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::sources::{Fared, LOST_EVENTS, Seen};
    use super::*;

    const CPUS: u64 = 4;

    /// What happens at a time after the one before, ns.
    #[derive(Debug, Clone, Copy)]
    enum Happens {
        Switch,
        Wakeup,
        Loose,
        Gap(u64),
        Lost,
    }

    /// Evidence of a recording of these events, as far as run states go.
    fn evidence(events: &[(u64, Happens)]) -> Evidence {
        let mut seen = Seen::default();
        seen.event("sched", "sched_switch", 1);
        seen.event("sched", "sched_wakeup", 1);
        let span_ns = (events[0].0, events[events.len() - 1].0);
        let (mut course, mut missed) = (Course::new(span_ns.0), Missed::default());
        let mut since = Vec::new();
        for &(ns, happens) in events {
            for sum in [course.at(ns), &mut missed] {
                match happens {
                    Happens::Switch => sum.switches += 1,
                    Happens::Wakeup => sum.wakeups += 1,
                    Happens::Loose => sum.loose += 1,
                    Happens::Gap(gap_ns) => sum.gap_ns += gap_ns,
                    Happens::Lost => {}
                }
            }
            if matches!(happens, Happens::Lost) && since.is_empty() {
                since.push((LOST_EVENTS.to_owned(), ns));
                seen.lost();
            }
        }
        let nothing = Source {
            name: String::new(),
            label: Label::Observed,
            missing: Vec::new(),
        };
        Evidence {
            kernel: None,
            hz: 250,
            hz_source: nothing,
            run_state: seen.run_state(Fared {
                missed,
                cpu_ns: (span_ns.1 - span_ns.0) * CPUS,
                ..Fared::default()
            }),
            iowait: None,
            io_device: None,
            memstall: None,
            irq: None,
            cgroups: None,
            worker: None,
            offline: Vec::new(),
            sched_ext: None,
            doubts: Doubts {
                since,
                cpus: CPUS,
                span_ns,
                course,
            },
        }
    }

    fn at_times(events: &[(u64, Happens)]) -> Vec<(u64, Happens)> {
        let mut now = 1_000_000_000;
        let all = events.iter().map(|&(after, happens)| {
            now += after;
            (now, happens)
        });
        all.collect()
    }

    #[test]
    fn a_window_has_its_own_doubts_only() {
        let good = || std::iter::repeat_n((1_000_000, Happens::Switch), 1_000);
        let bad = std::iter::repeat_n((1_000_000, Happens::Wakeup), 50);
        let events: Vec<_> = good()
            .chain(bad)
            .chain(good())
            .chain([(1, Happens::Lost)])
            .collect();
        let events = at_times(&events);
        let whole = evidence(&events);
        assert_eq!(
            whole.run_state.missing,
            [LOST_EVENTS, UNRECORDED_WAKEUPS],
            "of all"
        );
        let missing = |from: usize, to: usize| {
            let source = whole.run_state_in(events[from].0, events[to].0);
            assert_eq!(source.missing.is_empty(), source.label == Label::Replayed);
            source.missing
        };
        assert!(missing(0, 900).is_empty());
        assert!(missing(1_200, 1_900).is_empty());
        assert_eq!(missing(900, 1_200), [UNRECORDED_WAKEUPS]);
        // Shorter than a step.
        assert_eq!(missing(1_020, 1_021), [UNRECORDED_WAKEUPS]);
        assert_eq!(missing(1_200, events.len() - 1), [LOST_EVENTS]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        /// A cut recording is no more certain than the same time of the whole one.
        #[test]
        fn a_cut_takes_no_doubt_away(
            events in vec(
                (0..400_000_u64, prop_oneof![
                    300 => Just(Happens::Switch),
                    2 => Just(Happens::Wakeup),
                    2 => Just(Happens::Loose),
                    2 => (0..800_000_u64).prop_map(Happens::Gap),
                    1 => Just(Happens::Lost),
                ]),
                100..600,
            ),
            share in 0.2..1.0_f64,
        ) {
            let events = at_times(&events);
            let part = &events[..((events.len() as f64 * share) as usize).max(2)];
            let (whole, part) = (evidence(&events), evidence(part));
            let (from_ns, to_ns) = part.doubts.span_ns;
            let known = whole.run_state_in(from_ns, to_ns);
            let own = part.run_state_in(from_ns, to_ns);
            prop_assert_eq!(&own, &part.run_state);
            for what in &known.missing {
                prop_assert!(own.missing.contains(what), "{what}: {:?}", own.missing);
            }
            prop_assert!(known.label <= own.label);
        }
    }
}
