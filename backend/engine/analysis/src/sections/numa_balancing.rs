//! What became of the attempts to place tasks, and what they met: the Ops table, each attempt explained, the counters of
//! `/proc/vmstat`, the table by node and step.

use numalens_bundle::{Error, Open};
use numalens_core::provenance::Source;
use numalens_replay::numa::{Attempt, Counts, LATEST_NS, Sources, TargetFrom};
use numalens_replay::states::Which;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cling::compare;
use crate::cling::events::{Events, Inputs, Lateness, replay};
use crate::cling::lines::Checked;
use crate::findings::numa_balancing::{Stacked, StackingWatch};
use crate::numa_balancing::attempts::{self, Ops};
use crate::numa_balancing::decision::{self, Explainer, Explanation, Explanations, Rules};
use crate::numa_balancing::per_node::Table;
use crate::sections::cling::answer::Readings;
use crate::sections::cling::{ClingRecords, Replayed, reached};
use crate::sections::numa_logs::NumaInputs;
use crate::sections::options::{List, Nothing};
use crate::sections::section::{Stop, Window, optional};
use crate::utilisation;

/// An attempt of the NUMA balancer to bring a task to its preferred node.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Attempt")]
struct Explained<'a> {
    #[serde(flatten)]
    attempt: Attempt,
    /// The task's name.
    comm: &'a str,
    /// That of the other task of a swap.
    partner_comm: Option<&'a str>,
    /// Null when not known.
    failed: Option<bool>,
    /// What it met.
    explanation: Option<Explanation>,
}

/// Attempts of the NUMA balancer and what became of them.
#[derive(Serialize, JsonSchema)]
pub(super) struct NumaBalancing<'a> {
    /// What became of them, counted.
    ops: Ops,
    /// Which kinds of events the recording has.
    sources: Sources,
    /// How much the recording has of each kind of event.
    counts: Counts,
    /// The first of the window.
    attempts: Vec<Explained<'a>>,
    /// How many more there are.
    attempts_more: usize,
    /// The traced kernel's rules for moves between nodes.
    rules: Rules,
    /// The kernel's version is not known.
    rules_assumed: bool,
    /// How busy each node was in each step.
    per_node: Table,
}

pub(super) fn balancing(
    open: &Open,
    window: Window,
    options: List,
) -> Result<NumaBalancing<'_>, Stop> {
    let known = NumaInputs::of(open)?;
    let Window { from_ns, to_ns } = window;
    let attempts = known.attempts(from_ns, to_ns)?;
    let met = BalancingFacts::of(&known, window, &attempts)?;
    let ends = attempts.len().min(options.limit);
    let mut explanations = met.explained.attempts.into_iter().peekable();
    let explained = attempts[..ends]
        .iter()
        .enumerate()
        .map(|(number, attempt)| {
            let explanation = explanations.next_if(|explanation| explanation.attempt == number);
            explained(open, attempt, explanation)
        });
    Ok(NumaBalancing {
        attempts: explained.collect(),
        attempts_more: attempts.len() - ends,
        ops: ops(&known, window)?,
        sources: *known.sources(),
        counts: known.summary.counts.clone(),
        rules: met.explained.rules,
        rules_assumed: met.explained.assumed,
        per_node: met.table,
    })
}

/// The attempts that begin in a window, and whether an event would tell of them; none where nothing is known.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn attempts(open: &Open, window: Window) -> Result<(Vec<Attempt>, Option<Source>), Error> {
    Ok(match optional(NumaInputs::of(open))? {
        Some(known) => (
            known.attempts(window.from_ns, window.to_ns)?,
            Some(known.attempts_source()),
        ),
        None => (Vec::new(), None),
    })
}

/// What the attempts met in the states of the CPUs.
pub(super) struct BalancingFacts {
    pub(super) explained: Explanations,
    pub(super) table: Table,
    pub(super) stacked: Stacked,
    /// How busy the nodes were, by step of `busy_step_ns`: node and share.
    pub(super) busy: Vec<Vec<(i32, f64)>>,
    pub(super) busy_step_ns: u64,
}

/// Step of how busy nodes were, unless the window is too long for that, ns.
const BUSY_STEP_NS: u64 = 1_000_000_000;
const MOST_STEPS: u64 = 1 << 14;

impl BalancingFacts {
    pub(super) fn of(
        known: &NumaInputs<'_>,
        window: Window,
        attempts: &[Attempt],
    ) -> Result<Self, Error> {
        let Window { from_ns, to_ns } = window;
        let source = &known.evidence.run_state;
        let config = decision::Config {
            nodes: known.nodes(),
            kernel: known.evidence.kernel,
            llcs_per_node: None,
            from_ns,
            to_ns,
            source: source.clone(),
        };
        let mut explainer = Explainer::new(config, attempts);
        let mut stacking = StackingWatch::new(known.nodes(), from_ns, to_ns, false, source.clone());
        let mut meter = utilisation::Meter::new(&utilisation::Config {
            nodes: known.nodes(),
            from_ns,
            to_ns,
            step_ns: None,
            source: source.clone(),
        });
        let busy_step_ns = BUSY_STEP_NS.max((to_ns - from_ns).div_ceil(MOST_STEPS));
        let mut fine = utilisation::Meter::new(&utilisation::Config {
            nodes: known.nodes(),
            from_ns,
            to_ns,
            step_ns: Some(busy_step_ns),
            source: source.clone(),
        });
        known
            .parts
            .states
            .scan(Which::Machine, from_ns, to_ns, |row| {
                explainer.row(row);
                stacking.row(row);
                meter.row(row);
                fine.row(row);
            })?;
        let fine = fine.finish();
        let steps = fine.nodes.iter().map(|node| node.percent.len()).max();
        let share = |at: usize| {
            let nodes = fine.nodes.iter();
            nodes
                .filter_map(|node| Some((node.nid as i32, *node.percent.get(at)? as f64 / 100.0)))
                .collect()
        };
        Ok(Self {
            explained: explainer.finish(),
            table: Table::busy(&meter.finish(), from_ns),
            stacked: stacking.finish(),
            busy: (0..steps.unwrap_or(0)).map(share).collect(),
            busy_step_ns,
        })
    }
}

fn ops(known: &NumaInputs<'_>, window: Window) -> Result<Ops, Error> {
    let Window { from_ns, to_ns } = window;
    let config = attempts::Config {
        nodes: known.nodes(),
        from_ns,
        to_ns,
        stick: known.sources().stick,
        source: known.migrations_source(),
    };
    let names = |pid: i32| known.open.index.comm_of(pid).unwrap_or("<...>");
    let mut meter = attempts::Meter::new(&config, &names);
    let before = from_ns.saturating_sub(LATEST_NS);
    for attempt in &known.attempts(before, to_ns)? {
        meter.attempt(attempt);
    }
    for migration in known.migrations(before, to_ns)? {
        meter.migration(&migration);
    }
    Ok(meter.finish())
}

fn explained<'a>(
    open: &'a Open,
    attempt: &Attempt,
    explanation: Option<Explanation>,
) -> Explained<'a> {
    let comm = |pid: i32| open.index.comm_of(pid).unwrap_or("");
    Explained {
        attempt: *attempt,
        comm: comm(attempt.pid),
        partner_comm: attempt.partner.map(|partner| comm(partner.pid)),
        failed: attempt.failed(),
        explanation,
    }
}

// How much of what a cling kernel printed and showed a replay comes to that knows less and less of it.

/// What the replay may know besides the scheduler's events: name, probes, readings of `cpu.numa_group`.
const KNOWING: [(&str, bool, bool); 4] = [
    ("events", false, false),
    ("events, readings", false, true),
    ("events, probes", true, false),
    ("events, probes, readings", true, true),
];

/// How many lines were compared.
#[derive(Serialize, JsonSchema)]
struct ComparedLines {
    /// By kind.
    kinds: Vec<Checked>,
    /// Those that the replay does not come to.
    violations_all: usize,
}

/// A replay that knows less than there is.
#[derive(Serialize, JsonSchema)]
struct Way {
    /// What it knows.
    knowing: &'static str,
    /// How much of the printed lines it comes to.
    printed: Option<compare::Table>,
    /// How it comes to the readings.
    readings: Option<Readings>,
}

/// What replays come to that know less and less.
#[derive(Serialize, JsonSchema)]
pub(super) struct Reproduction {
    /// The kernel's lines against their own replay.
    lines: Option<ComparedLines>,
    /// By what they know.
    ways: Vec<Way>,
}

/// Of the whole recording, whatever the window is: counters have a past.
pub(super) fn reproduced(open: &Open, _: Window, _: Nothing) -> Result<Reproduction, Stop> {
    let known = NumaInputs::of(open)?;
    let records = ClingRecords::of(&known)?;
    let replayed = Replayed::of(&known, &records);
    if !replayed.has_cling() {
        return Err(Stop::unavailable(
            "the kernel has no cling, or nothing of it was recorded: neither its lines nor samples of cpu.numa_group",
        ));
    }
    let ways = KNOWING
        .iter()
        .filter(|(_, probes, readings)| {
            (!probes || records.probed()) && (!readings || records.has_readings())
        })
        .map(|&(name, probes, readings)| {
            let (events, table) = knowing(&records, &replayed, probes, readings);
            Way {
                knowing: name,
                printed: table,
                readings: readings.then(|| reached(&events)),
            }
        });
    Ok(Reproduction {
        lines: replayed.lines().map(|lines| ComparedLines {
            kinds: lines.checked.clone(),
            violations_all: lines.violations.len(),
        }),
        ways: ways.collect(),
    })
}

/// The replay of events with probes and readings or without, and how much of the printed lines it comes to.
pub(super) fn knowing(
    records: &ClingRecords,
    replayed: &Replayed,
    probes: bool,
    readings: bool,
) -> (Events, Option<compare::Table>) {
    let whole = records.inputs();
    let plain: Vec<Attempt> = if probes {
        Vec::new()
    } else {
        whole.attempts.iter().map(unprobed).collect()
    };
    let inputs = Inputs {
        attempts: if probes { whole.attempts } else { &plain },
        timers: if probes { whole.timers } else { &[] },
        readings: if readings { whole.readings } else { &[] },
        ..whole
    };
    let events = replay(&inputs);
    let table = replayed.lines().map(|lines| {
        compare::compare(&compare::Inputs {
            lines,
            events: &events,
            attempts: inputs.attempts,
            lost: records.lost(),
            jiffy_ns: inputs.clock.jiffy_ns(),
            late_ns: Lateness::default().moved_ns,
        })
    });
    (events, table)
}

/// The attempt as it is without probes.
fn unprobed(attempt: &Attempt) -> Attempt {
    let mut plain = *attempt;
    plain.ret = None;
    if matches!(plain.target_from, TargetFrom::Setnuma | TargetFrom::Entry) {
        (plain.target_nid, plain.target_from) = if plain.dst_nid >= 0 {
            (plain.dst_nid, TargetFrom::Destination)
        } else {
            (-1, TargetFrom::Unknown)
        };
    }
    plain
}
