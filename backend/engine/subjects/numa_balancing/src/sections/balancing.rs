//! Outcomes of task placement attempts and the state of the machine: the Ops table, each attempt explained, the counters of
//! `/proc/vmstat`, the table by node and step.

use std::sync::Arc;

use numalens_bundle::{Error, Ilb};
use numalens_core::provenance::Source;
use numalens_events::IlbKind;
use numalens_machine::sections::utilisation::meter;
use numalens_replay::numa::{Attempt, Counts, LATEST_NS, Sources};
use numalens_replay::states::Which;
use numalens_sched_ext::sections as sched_ext;
use numalens_subject::logs::NumaInputs;
use numalens_subject::options::List;
use numalens_subject::{Context, Shared, Stop, Window, optional};
use schemars::JsonSchema;
use serde::Serialize;

use crate::attempts::{self, Ops};
use crate::catalogue::{OPS, Rows};
use crate::decision::{self, Explainer, Explanation, Explanations, Rules};
use crate::findings::{Stacked, StackingWatch};
use crate::per_node::Table;
use crate::sections::vmstat;
use numalens_subject::metrics::{Basis, Better, Metric, Metrics, content, figures};

/// An attempt of the NUMA balancer to bring a task to its preferred node.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Attempt")]
struct Explained<'a> {
    #[serde(flatten)]
    attempt: Attempt,
    /// The task's name.
    comm: &'a str,
    /// Name of the other task of a swap.
    partner_comm: Option<&'a str>,
    /// Null when not known.
    failed: Option<bool>,
    /// State of the machine.
    explanation: Option<Explanation>,
}

/// Attempts of the NUMA balancer and what became of them.
#[derive(Serialize, JsonSchema)]
pub(super) struct NumaBalancing<'a> {
    /// Outcomes, counted.
    ops: Ops,
    /// Kinds of events in the recording.
    sources: Sources,
    /// Number of events of each kind.
    counts: Counts,
    /// The first of the window.
    attempts: Vec<Explained<'a>>,
    /// Number of further attempts.
    attempts_more: usize,
    /// The traced kernel's rules for moves between nodes.
    rules: Rules,
    /// The kernel's version is not known.
    rules_assumed: bool,
    /// Load of each node in each step.
    per_node: Table,
    /// On which tasks of BPF schedulers the balancers do not act; null when none was loaded.
    sched_ext: Option<String>,
}

pub(super) fn balancing(
    open: &Context,
    window: Window,
    options: List,
) -> Result<NumaBalancing<'_>, Stop> {
    let known = NumaInputs::of(open)?;
    let met = BalancingFacts::of(&known, window)?;
    let attempts = &met.attempts;
    let ends = attempts.len().min(options.limit);
    let mut explanations = met.explained.attempts.iter().peekable();
    let explained = attempts[..ends]
        .iter()
        .enumerate()
        .map(|(number, attempt)| {
            let explanation = explanations.next_if(|explanation| explanation.attempt == number);
            explained(open, attempt, explanation.cloned())
        });
    Ok(NumaBalancing {
        attempts: explained.collect(),
        attempts_more: attempts.len() - ends,
        ops: ops(&known, window)?,
        sources: *known.sources(),
        counts: known.summary.counts.clone(),
        rules: met.explained.rules,
        rules_assumed: met.explained.assumed,
        per_node: met.table.clone(),
        sched_ext: sched_ext::balancers(open, window),
    })
}

/// The attempts that begin in a window, and whether they are recorded; none if nothing is known.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn attempts(open: &Context, window: Window) -> Result<(Vec<Attempt>, Option<Source>), Error> {
    Ok(match optional(NumaInputs::of(open))? {
        Some(known) => (
            known.attempts(window.from_ns, window.to_ns)?,
            Some(known.attempts_source()),
        ),
        None => (Vec::new(), None),
    })
}

/// State of the CPUs at the attempts.
pub struct BalancingFacts {
    /// Attempts that begin in the window.
    pub(super) attempts: Vec<Attempt>,
    pub(super) explained: Explanations,
    pub(super) table: Table,
    pub(super) stacked: Stacked,
}

impl Shared for BalancingFacts {
    fn heap_bytes(&self) -> usize {
        /// Size of an explanation for each node.
        const OF_NODE: usize = 64;
        let explained = self.explained.attempts.len() * OF_NODE * self.table.nodes.len();
        let episodes = self.stacked.nodes.iter();
        let episodes: usize = episodes.map(|node| node.episodes.heap_bytes()).sum();
        let table = self.table.imbalance.heap_bytes() * (1 + self.table.nodes.len());
        let attempts = self.attempts.heap_bytes() + self.explained.attempts.heap_bytes();
        attempts + explained + episodes + table
    }
}

impl BalancingFacts {
    /// Facts of a window.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn of(known: &NumaInputs<'_>, window: Window) -> Result<Arc<Self>, Error> {
        known.open.shared(window, || Self::read(known, window))
    }

    fn read(known: &NumaInputs<'_>, window: Window) -> Result<Self, Error> {
        let Window { from_ns, to_ns } = window;
        let attempts = known.attempts(from_ns, to_ns)?;
        let source = known.evidence.run_state_in(from_ns, to_ns);
        let config = decision::Config {
            nodes: known.nodes(),
            kernel: known.evidence.kernel,
            llcs_per_node: None,
            from_ns,
            to_ns,
            source: source.clone(),
        };
        let mut explainer = Explainer::new(config, &attempts);
        let has = |ilb: &Ilb| ilb.kinds.contains(&(IlbKind::Averages as u8));
        let averages = match known.open.ilb.as_ref().filter(|ilb| has(ilb)) {
            // An idle CPU's stay as they were.
            Some(_) => Some(
                (known.open.ilb_log()?)
                    .rows(known.open.index.origin_ns(), to_ns)
                    .map_err(Error::from)?,
            ),
            None => None,
        };
        let mut averages = averages.into_iter().flatten().peekable();
        let mut stacking = StackingWatch::new(known.nodes(), from_ns, to_ns, false, source.clone());
        let mut usual = meter(known.open, known.evidence, window, None);
        known
            .parts
            .states
            .scan(Which::Machine, from_ns, to_ns, |row| {
                while let Some(before) = averages.next_if(|next| next.ts_ns < row.ts_ns) {
                    explainer.averages(&before);
                }
                explainer.row(row);
                stacking.row(row);
                usual.row(row);
            })?;
        for last in averages {
            explainer.averages(&last);
        }
        let key = (window, None::<u64>);
        let usual = known.open.shared(key, || Ok::<_, Error>(usual.finish()))?;
        Ok(Self {
            explained: explainer.finish(),
            attempts,
            table: Table::busy(&usual, from_ns),
            stacked: stacking.finish(),
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
    open: &'a Context,
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

/// Figures for comparisons: the rows of the Ops table, and tasks that changed nodes.
pub(super) fn metrics(
    open: &Context,
    window: (u64, u64),
    _step_ns: u64,
) -> Result<Vec<Metrics>, Error> {
    let found = content(balancing, open, window, List { limit: 1 }, false)?;
    let basis = |ops: &Ops, seconds| Basis::new(ops.label, &ops.missing, seconds);
    let ops = |table, rows: fn(&Ops) -> &Rows| {
        figures(table, &found, |answer, seconds| {
            let counted = OPS.iter().zip(rows(&answer.ops).values());
            let row = counted.map(|(entry, count)| {
                // mmtests prints no row for a counter that never counted.
                let count = basis(&answer.ops, seconds).count(count.unwrap_or(0) as f64);
                Metric::new(entry.id, entry.title, count).of("", Better::named(entry.better))
            });
            row.collect()
        })
    };
    let crossings = figures("numa", &found, |answer, seconds| {
        let crossings = &answer.ops.crossings;
        let row = |name, title, count: u64| {
            Metric::new(name, title, basis(&answer.ops, seconds).count(count as f64))
        };
        vec![
            row(
                "crossings_total",
                "Migrations to another node",
                crossings.total,
            )
            .of("", Better::Lower),
            row("crossings_numa", "by the NUMA balancer", crossings.numa),
            row("crossings_wakeup", "at a wakeup", crossings.wakeup),
            row(
                "crossings_runnable",
                "of a runnable task (load balance)",
                crossings.runnable,
            ),
            row(
                "crossings_asleep",
                "of a sleeping task (affinity, exec)",
                crossings.asleep,
            ),
        ]
    });
    let attempts = figures("fleet", &found, |answer, seconds| {
        let (ops, failed) = (&answer.ops, &answer.ops.failures);
        let basis = basis(ops, seconds);
        let title = "Attempts to place a task";
        vec![
            Metric::new("attempts", title, basis.count(ops.attempts as f64)),
            Metric::new(
                "attempts_failed",
                "Attempts that failed",
                basis.count(failed.total() as f64),
            )
            .of("", Better::Lower),
        ]
    });
    let (ops, mmtests) = (
        ops("ops", |ops| &ops.rows),
        ops("ops_mmtests", |ops| &ops.mmtests),
    );
    Ok(vec![
        ops,
        mmtests,
        vmstat::metrics(open, window)?,
        crossings,
        attempts,
    ])
}
