//! Pressure in a window, from the evidence of a bundle: rules, moments of aggregation, provenance.

use std::collections::BTreeMap;

use numalens_core::provenance::{Label, Source};
use numalens_replay::evidence::{Evidence, Instant, InstantKind};
use numalens_replay::states::{MACHINE, StateRow};
use numalens_subject::jiffies;

use crate::aggregate::{Config, Pressure, Replay};
use crate::averages::{Seed, printed_as};
use crate::check::{self, Weather};
use crate::group::GroupTotals;
use crate::input::{Input, Options, place};
use crate::judge::Judge;
use crate::result::{LostStall, Node, Or, Psi, SampleSeries};
use crate::rules::{Rules, state};

/// A query under way: hand in rows, then finish.
#[derive(Debug)]
pub struct Query<'a> {
    input: Input<'a>,
    rules: &'static Rules,
    rules_source: Source,
    hz: u32,
    hz_source: Source,
    seeded: bool,
    pressure: Pressure,
}

/// Rules of the query: those requested, those of the kernel, or the newest. None when the requested name is unknown or the
/// kernel is older than PSI.
fn rules(evidence: &Evidence, options: &Options) -> Result<(&'static Rules, Source), String> {
    let own = evidence.kernel.map(Rules::of);
    let source = |name: String, label, missing| Source {
        name,
        label,
        missing,
    };
    if let Some(name) = &options.rules {
        let rules = Rules::named(name).ok_or_else(|| format!("no PSI rules are named {name:?}"))?;
        return Ok(match own {
            // The kernel's own family, requested by name.
            Some(Some(own)) if own.name == rules.name => (
                own,
                source("kernel version".into(), Label::Observed, vec![]),
            ),
            _ => (
                rules,
                source(
                    format!("rules of {name}, as requested"),
                    Label::WhatIf,
                    vec![],
                ),
            ),
        });
    }
    match own {
        Some(Some(rules)) => Ok((
            rules,
            source("kernel version".into(), Label::Observed, vec![]),
        )),
        Some(None) => Err("this kernel is older than pressure stall information (4.20)".into()),
        None => Ok((
            Rules::newest(),
            source(
                "newest rules, assumed".into(),
                Label::Inferred,
                vec!["kernel version".into()],
            ),
        )),
    }
}

impl<'a> Query<'a> {
    /// Begins a query.
    ///
    /// # Errors
    ///
    /// When the rules requested do not exist, or the kernel has no pressure and no rules were requested: in one sentence.
    pub fn new(input: Input<'a>) -> Result<Self, String> {
        let (rules, rules_source) = rules(input.evidence, input.options)?;
        let (hz, hz_source) = match input.options.hz.filter(|hz| *hz > 0) {
            Some(hz) if hz != input.evidence.hz => (
                hz,
                Source {
                    name: "as requested".into(),
                    label: Label::WhatIf,
                    missing: Vec::new(),
                },
            ),
            _ => (input.evidence.hz.max(1), input.evidence.hz_source.clone()),
        };
        let (instants, marks) = moments(&input);
        let seed = seed(&input, hz);
        let pressure = Pressure::new(
            Config {
                rules,
                hz,
                from_ns: input.from_ns,
                node_of: input.node_of.to_vec(),
                tick_anchor_ns: input.tick_anchor_ns.unwrap_or(0),
                seed,
                marks,
                worker_traced: input.evidence.worker.is_some(),
            },
            &instants,
        );
        Ok(Self {
            input,
            rules,
            rules_source,
            hz,
            hz_source,
            seeded: seed.is_some(),
            pressure,
        })
    }

    /// The next row of the machine's or of the groups' file.
    pub fn row(&mut self, row: &StateRow) {
        self.pressure.row(row);
    }

    /// The rules that are applied.
    #[must_use]
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// Jiffies per second that are applied.
    #[must_use]
    pub fn hz(&self) -> u32 {
        self.hz
    }

    /// Ends the window.
    #[must_use]
    pub fn finish(self) -> Psi {
        let Self {
            input,
            rules,
            rules_source,
            hz,
            hz_source,
            seeded,
            pressure,
        } = self;
        let replay = pressure.finish(input.to_ns);
        let judge = Judge {
            input: &input,
            rules,
            rules_source: &rules_source,
            hz_source: &hz_source,
        };
        let machine = &replay.groups[0];
        let system = judge.resources(machine);
        let weather = Weather {
            gaps: input.lost_events > 0
                || machine.unknown_ns > 0
                || input
                    .evidence
                    .run_state_in(input.from_ns, input.to_ns)
                    .label
                    == Label::Inferred,
            hz,
        };
        let series = judge.series(&replay, &system, seeded);
        let residuals =
            |group: Option<&str>, totals: &GroupTotals| judge.residuals(group, totals, weather);
        let residual = residuals(None, machine);
        let mut cgroup_residual = BTreeMap::new();
        let mut by_path = BTreeMap::new();
        for &(number, path) in input.groups {
            let Some(totals) = replay.groups.iter().find(|totals| totals.group == number) else {
                continue;
            };
            by_path.insert(path.to_owned(), judge.resources(totals));
            if let Some(residuals) = residuals(Some(path), totals) {
                cgroup_residual.insert(path.to_owned(), residuals);
            }
        }
        let cgroups = if input.evidence.cgroups.is_some() {
            Or::Value(by_path)
        } else {
            Or::unavailable("which task was in which cgroup is not recorded")
        };
        let workers: Option<Vec<u64>> = input.evidence.worker.as_ref().map(|_| {
            let runs = input
                .instants
                .iter()
                .filter(|instant| instant.kind == InstantKind::Worker);
            let mut runs: Vec<u64> = runs
                .filter(|run| run.group == MACHINE)
                .map(|run| run.ts_ns)
                .collect();
            runs.sort_unstable();
            runs
        });
        let inside = inside(input.samples, input.from_ns, input.to_ns);
        let averages = check::averages(&inside, hz, workers.as_deref());
        let lost = |state: usize| machine.lost_ns[state] / 1000;
        Psi {
            rules: rules.name.to_owned(),
            worker_source: judge.worker(machine),
            system,
            cgroups,
            series,
            nodes: nodes(&replay),
            residual,
            cgroup_residual,
            averages,
            lost_us: LostStall {
                cpu: lost(state::CPU_SOME),
                memory: lost(state::MEM_SOME),
                io: lost(state::IO_SOME),
            },
            rules_source,
            hz,
            hz_source,
        }
    }
}

/// The samples of a window.
fn inside(samples: &[SampleSeries], from: u64, to: u64) -> Vec<SampleSeries> {
    let cut = |series: &SampleSeries| SampleSeries {
        samples: series
            .samples
            .iter()
            .filter(|sample| sample.t_ns >= from && sample.end() <= to)
            .copied()
            .collect(),
        ..series.clone()
    };
    samples.iter().map(cut).collect()
}

/// Number of a series' group; none for a cgroup that is not among the numbered.
fn number(series: &SampleSeries, groups: &[(u32, &str)]) -> Option<u32> {
    match &series.cgroup {
        None => Some(MACHINE),
        Some(path) => groups
            .iter()
            .find(|group| group.1 == path)
            .map(|group| group.0),
    }
}

/// All moments of aggregation, and those at which totals are wanted.
fn moments(input: &Input<'_>) -> (Vec<Instant>, Vec<(u32, u64)>) {
    let mut sampled = Vec::new();
    let mut instants = Vec::new();
    let mut marks = Vec::new();
    for series in input.samples {
        let Some(group) = number(series, input.groups) else {
            continue;
        };
        let place = place(series, input.samples);
        sampled.push(group);
        instants.extend(series.samples.iter().map(|sample| Instant {
            ts_ns: sample.read_at(place),
            group,
            kind: InstantKind::Read,
        }));
        marks.extend(check::marks(
            series,
            place,
            group,
            input.from_ns,
            input.to_ns,
        ));
    }
    let extra = input.instants.iter();
    instants.extend(extra.filter(|instant| {
        instant.kind == InstantKind::Worker || !sampled.contains(&instant.group)
    }));
    (instants, marks)
}

/// The machine's averages at the window's start, from the last sample before it or the first in it.
fn seed(input: &Input<'_>, hz: u32) -> Option<Seed> {
    let mut avg = [[0; 3]; state::TOTALS];
    let mut any = false;
    let mut next_update_ns = None;
    for series in input
        .samples
        .iter()
        .filter(|series| series.cgroup.is_none())
    {
        let samples = &series.samples;
        let at = samples
            .partition_point(|sample| sample.end() <= input.from_ns)
            .saturating_sub(1);
        let Some(sample) = samples.get(at).filter(|sample| sample.t_ns <= input.to_ns) else {
            continue;
        };
        let (some, full) = series.resource.states();
        for (number, line) in [(some, sample.some), (Some(full), sample.full)] {
            if let (Some(number), Some(line)) = (number, line) {
                avg[number] = line.avg.map(|avg| {
                    let (least, most) = printed_as(u64::from(avg));
                    u64::midpoint(least, most)
                });
                any = true;
            }
        }
        // The first change of a printed average after that shows when updates are due.
        let change = samples[at..].windows(2).find(|pair| {
            let avg = |sample: &crate::result::Sample| {
                (
                    sample.some.map(|line| line.avg),
                    sample.full.map(|line| line.avg),
                )
            };
            avg(&pair[0]) != avg(&pair[1])
        });
        if let Some(pair) = change {
            let due = u64::midpoint(pair[0].t_ns, pair[1].t_ns);
            let period = jiffies::period(hz);
            let early = due.saturating_sub(input.from_ns) / period * period;
            let due = due - early;
            next_update_ns = Some(next_update_ns.map_or(due, |next: u64| next.min(due)));
        }
    }
    any.then_some(Seed {
        avg,
        next_update_ns,
    })
}

fn nodes(replay: &Replay) -> Vec<Node> {
    let node = |node: &crate::aggregate::NodeClock| Node {
        nid: node.nid,
        cpu_some_ns: node.times_ns[state::CPU_SOME],
        cpu_full_ns: node.times_ns[state::CPU_FULL],
        nonidle_ns: node.times_ns[state::NONIDLE],
        unknown_ns: node.unknown_ns,
    };
    replay.nodes.iter().map(node).collect()
}
