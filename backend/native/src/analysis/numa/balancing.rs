//! What became of the attempts to place tasks, and what they met: the Ops table, each attempt explained, the counters of
//! `/proc/vmstat`, the table by node and step.

use numalens_engine::evidence::Source;
use numalens_engine::numa::{Attempt, LATEST_NS};
use numalens_engine::reconcile::decision::{self, Explainer, Explanation, Explanations};
use numalens_engine::reconcile::findings::{Stacked, StackingWatch};
use numalens_engine::reconcile::ops::{self, Ops};
use numalens_engine::reconcile::per_node::Table;
use numalens_engine::states::Which;
use numalens_engine::utilisation;
use serde::Serialize;
use serde_json::json;

use super::super::options::{List, parse};
use super::super::{Answer, Window, unavailable, value};
use super::known::Known;
use crate::bundle::Open;
use crate::error::Error;

/// An attempt as it is told.
#[derive(Debug, Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    attempt: Attempt,
    comm: &'a str,
    partner_comm: Option<&'a str>,
    failed: Option<bool>,
    explanation: Option<&'a Explanation>,
}

pub(in super::super) fn balancing(open: &Open, window: Window, options: &str) -> Answer {
    let options: List = parse("balancing", options)?;
    let known = match Known::of(open)? {
        Ok(known) => known,
        Err(reason) => return Ok(unavailable(reason)),
    };
    let Window { from_ns, to_ns } = window;
    let attempts = known.attempts(from_ns, to_ns)?;
    let met = Met::of(&known, window, &attempts)?;
    let ends = attempts.len().min(options.entries());
    let mut explanations = met.explained.attempts.iter().peekable();
    let told: Vec<Told<'_>> = attempts[..ends]
        .iter()
        .enumerate()
        .map(|(number, attempt)| {
            let explanation = explanations.next_if(|explanation| explanation.attempt == number);
            tell(open, attempt, explanation)
        })
        .collect();
    Ok(json!({
        "ops": value(&ops(&known, window)?)?,
        "sources": value(known.sources())?,
        "counts": value(&known.summary.counts)?,
        "attempts": value(&told)?,
        "attempts_more": attempts.len() - ends,
        "rules": value(&met.explained.rules)?,
        "rules_assumed": met.explained.assumed,
        "per_node": value(&met.table)?,
    }))
}

/// The attempts that begin in a window, and whether an event would tell of them; none where nothing is known.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn attempts(open: &Open, window: Window) -> Result<(Vec<Attempt>, Option<Source>), Error> {
    Ok(match Known::of(open)? {
        Ok(known) => (
            known.attempts(window.from_ns, window.to_ns)?,
            Some(known.attempts_source()),
        ),
        Err(_) => (Vec::new(), None),
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

fn tell<'a>(open: &'a Open, attempt: &Attempt, explanation: Option<&'a Explanation>) -> Told<'a> {
    let comm = |pid: i32| open.index.comm_of(pid).unwrap_or("");
    Told {
        attempt: *attempt,
        comm: comm(attempt.pid),
        partner_comm: attempt.partner.map(|partner| comm(partner.pid)),
        failed: attempt.failed(),
        explanation,
    }
}
