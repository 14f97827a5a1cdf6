//! Memory and tasks that follow each other: equivalents of the statistics of 2010, late memory, and moves that a migration
//! interval would have refused.

use std::sync::Arc;

use numalens_bundle::Error;
use numalens_machine::sections::threads::Processes;
use numalens_subject::logs::NumaInputs;
use numalens_subject::options::within;
use numalens_subject::{Context, Shared, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::PageMigrationFacts;
use crate::metrics::Quality;
use crate::metrics::{self, AMORTISATION_NS, Metrics, Reasons, measure_runs};
use crate::modern::{self, Modern};
use crate::options;
use crate::sections::samples;
use crate::table::{self, Table, judge};
use crate::vmstat::Vmstat;
use crate::what_if::{self, WhatIf};
use numalens_subject::metrics::{self as subject, Basis, Better, Metric, content, figures};

/// Memory that follows tasks and tasks that follow memory; what was not recorded or sampled is null.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct PageMigration {
    /// Null without a recording.
    pub(super) metrics: Option<Metrics>,
    /// Equivalents of the statistics today; null without a recording.
    pub(super) modern: Option<Modern>,
    /// Null unless the statistics of auto-migration were sampled.
    pub(super) table: Option<Table>,
    /// Moves that a migration interval would have refused; null without a recording.
    pub(super) what_if: Option<WhatIf>,
    /// Time for which a task must stay for its pages to pay off, ns.
    amortisation_ns: Option<u64>,
}

pub(super) fn migration(
    open: &Context,
    window: Window,
    options: options::Migration,
) -> Result<PageMigration, Stop> {
    let step_ns = within(options.step_ns, window.from_ns, window.to_ns)?;
    let table = statistics(open, window)?;
    let known = match NumaInputs::of(open) {
        Ok(known) => known,
        // The statistics show by themselves.
        Err(Stop::Unavailable(_)) if table.is_some() => {
            return Ok(PageMigration {
                table,
                ..PageMigration::default()
            });
        }
        Err(stop) => return Err(stop),
    };
    let vmstat = samples::faults(open)?;
    let amortisation_ns = options.amortisation_ns.unwrap_or(AMORTISATION_NS);
    let metrics = measured(&known, window, amortisation_ns, step_ns)?;
    let what_if = refused(&known, window, options.interval_s)?;
    Ok(PageMigration {
        metrics: Some((*metrics).clone()),
        modern: Some(today(&known, window, &vmstat)?),
        table,
        what_if: Some(what_if),
        amortisation_ns: Some(amortisation_ns),
    })
}

impl Shared for Metrics {
    fn heap_bytes(&self) -> usize {
        let steps = self.series.moves.len() * (4 + self.series.by_node.len());
        self.tasks.rows.heap_bytes() + self.durations.heap_bytes() + steps * size_of::<u64>()
    }
}

/// The metrics of a window.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn measured(
    known: &NumaInputs<'_>,
    window: Window,
    amortisation_ns: u64,
    step_ns: Option<u64>,
) -> Result<Arc<Metrics>, Error> {
    let key = (window, amortisation_ns, step_ns);
    known
        .open
        .shared(key, || measure(known, window, amortisation_ns, step_ns))
}

fn measure(
    known: &NumaInputs<'_>,
    window: Window,
    amortisation_ns: u64,
    step_ns: Option<u64>,
) -> Result<Metrics, Error> {
    let (begin_ns, end_ns) = (known.open.index.origin_ns(), known.open.index.end_ns());
    let attempts = known.all_attempts()?;
    let processes = Processes::of(known.open)?;
    let vmstat = samples::faults(known.open)?;
    let memory = samples::memory(known.open)?;
    let sources = known.sources();
    let recorded = sources.moves || sources.swaps || sources.stick.is_some();
    let config = metrics::Config {
        nodes: known.nodes(),
        begin_ns,
        end_ns,
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        amortisation_ns,
        step_ns,
        reasons: Reasons::default(),
        tgid: &|pid| processes.of_pid.get(&pid).copied(),
        samples: &memory,
        attempts: recorded.then_some(attempts.as_slice()),
        vmstat: &vmstat,
        stays: None,
        nodes_recorded: sources.misplaced,
        moves: known.migrations_source(),
        pages: known.pages_source(),
    };
    let until = config.rows_until_ns();
    Ok(measure_runs(
        config,
        known.migrations(begin_ns, until)?,
        known.page_runs(begin_ns, until)?,
    ))
}

fn today(known: &NumaInputs<'_>, window: Window, vmstat: &[Vmstat]) -> Result<Modern, Error> {
    let (begin_ns, end_ns) = (known.open.index.origin_ns(), known.open.index.end_ns());
    let sources = known.sources();
    let mut meter = modern::Meter::new(modern::Config {
        nodes: known.nodes(),
        recording: (begin_ns, end_ns),
        window: (window.from_ns, window.to_ns),
        vmstat,
        kernel: known.evidence.kernel,
        reasons: Reasons::default(),
        pages: known.pages_source(),
        moves: known.migrations_source(),
        attempts: sources.moves || sources.swaps,
        skipped_vmas: None,
    });
    let (from, to) = meter.rows();
    for migration in known.migrations(from, to)? {
        meter.migration(&migration);
    }
    for attempt in &known.attempts(from, to)? {
        meter.attempt(attempt);
    }
    for batch in known.pages(from, to)? {
        meter.pages(&batch);
    }
    Ok(meter.finish())
}

/// The statistics of 2010, where they were sampled.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn statistics(open: &Context, window: Window) -> Result<Option<Table>, Error> {
    let mut rows = samples::automig(open)?;
    // Statistics without times are all there is of a kernel that printed none.
    rows.retain(|row| {
        row.t_ns
            .is_none_or(|t_ns| (window.from_ns..=window.to_ns).contains(&t_ns))
    });
    let nodes = open.index.nodes().iter();
    let cpus = nodes.map(|node| node.cpus.len() as u32).sum();
    let config = table::Config {
        cpus,
        region_pages: None,
    };
    Ok((!rows.is_empty()).then(|| judge(&rows, &config)))
}

fn refused(
    known: &NumaInputs<'_>,
    window: Window,
    interval_s: Option<u64>,
) -> Result<WhatIf, Error> {
    let interval = interval_s.unwrap_or(what_if::DEFAULT_S);
    let mut meter = what_if::Meter::new(known.nodes(), interval, window.from_ns, window.to_ns);
    for migration in known.migrations(known.open.index.origin_ns(), window.to_ns)? {
        meter.migration(&migration);
    }
    Ok(meter.finish())
}

/// Inputs of the detectors.
#[must_use]
pub fn facts<'a>(
    window: Window,
    metrics: &'a Metrics,
    table: Option<&'a Table>,
) -> PageMigrationFacts<'a> {
    PageMigrationFacts {
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        metrics,
        table,
    }
}

/// Figures for comparisons: how memory and tasks followed each other.
pub(super) fn metrics(
    open: &Context,
    window: (u64, u64),
    _step_ns: u64,
) -> Result<Vec<subject::Metrics>, Error> {
    let found = content(migration, open, window, options::Migration::default(), true)?;
    let rows = figures("numa", &found, |found, seconds| {
        let Some(found) = &found.metrics else {
            return Vec::new();
        };
        let basis = |of: &Quality| Basis::new(of.label, &of.missing, seconds);
        let (memory, late, dwell) = (
            &found.memory_follows_cpu,
            &found.just_too_late,
            &found.dwell,
        );
        let (fight, tasks, locality) = (&found.fight, &found.cpu_follows_memory, &found.locality);
        let converged = &found.convergence;
        let ns = |ns: Option<u64>| ns.map(|ns| ns as f64);
        let percent = |share: Option<f64>| share.map(|share| share / 0.01);
        vec![
            Metric::new(
                "migration_pages",
                "Pages that followed their tasks",
                basis(&memory.quality).count(memory.pages as f64),
            )
            .of("", Better::Lower),
            Metric::new(
                "migration_just_too_late",
                "Pages moved just too late",
                basis(&late.quality).count(late.pages as f64),
            )
            .of("", Better::Lower),
            Metric::new(
                "migration_dwell_p50",
                "Stay on a node, median",
                basis(&dwell.quality).number(ns(dwell.p50_ns)),
            )
            .of("ns", Better::Higher),
            Metric::new(
                "migration_fight_index",
                "Fight index",
                basis(&fight.quality).number(fight.index),
            )
            .of("", Better::Lower),
            Metric::new(
                "migration_following",
                "Tasks that came to their memory",
                basis(&tasks.quality).number(percent(tasks.share)),
            )
            .of("%", Better::Higher),
            Metric::new(
                "migration_convergence",
                "Convergence",
                basis(&converged.quality).number(ns(converged.after_ns)),
            )
            .of("ns", Better::Lower),
            Metric::new(
                "migration_locality",
                "Locality of hint faults",
                basis(&locality.faults_quality).number(percent(locality.faults)),
            )
            .of("%", Better::Higher),
        ]
    });
    Ok(vec![rows])
}
