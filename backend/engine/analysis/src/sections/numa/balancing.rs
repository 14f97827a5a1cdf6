//! What became of the attempts to place tasks, and what they met: the Ops table, each attempt explained, the counters of
//! `/proc/vmstat`, the table by node and step.

use numalens_bundle::{Error, Open};
use numalens_core::provenance::Source;
use numalens_replay::numa::{Attempt, Counts, LATEST_NS, Sources};
use numalens_replay::states::Which;
use schemars::JsonSchema;
use serde::Serialize;

use crate::reconcile::decision::{self, Explainer, Explanation, Explanations, Rules};
use crate::reconcile::findings::{Stacked, StackingWatch};
use crate::reconcile::ops::{self, Ops};
use crate::reconcile::per_node::Table;
use crate::sections::numa::known::Known;
use crate::sections::options::List;
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
pub(in super::super) struct NumaBalancing<'a> {
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

pub(in super::super) fn balancing(
    open: &Open,
    window: Window,
    options: List,
) -> Result<NumaBalancing<'_>, Stop> {
    let known = Known::of(open)?;
    let Window { from_ns, to_ns } = window;
    let attempts = known.attempts(from_ns, to_ns)?;
    let met = Met::of(&known, window, &attempts)?;
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
    Ok(match optional(Known::of(open))? {
        Some(known) => (
            known.attempts(window.from_ns, window.to_ns)?,
            Some(known.attempts_source()),
        ),
        None => (Vec::new(), None),
    })
}

/// What the attempts met in the states of the CPUs.
pub(in super::super) struct Met {
    pub(in super::super) explained: Explanations,
    pub(in super::super) table: Table,
    pub(in super::super) stacked: Stacked,
    /// How busy the nodes were, by step of `busy_step_ns`: node and share.
    pub(in super::super) busy: Vec<Vec<(i32, f64)>>,
    pub(in super::super) busy_step_ns: u64,
}

/// Step in which it is told how busy nodes were, unless the window is too long for that, ns.
const BUSY_STEP_NS: u64 = 1_000_000_000;
const MOST_STEPS: u64 = 1 << 14;

impl Met {
    pub(in super::super) fn of(
        known: &Known<'_>,
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

fn ops(known: &Known<'_>, window: Window) -> Result<Ops, Error> {
    let Window { from_ns, to_ns } = window;
    let config = ops::Config {
        nodes: known.nodes(),
        from_ns,
        to_ns,
        stick: known.sources().stick,
        source: known.migrations_source(),
    };
    let names = |pid: i32| known.open.index.comm_of(pid).unwrap_or("<...>");
    let mut meter = ops::Meter::new(&config, &names);
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
