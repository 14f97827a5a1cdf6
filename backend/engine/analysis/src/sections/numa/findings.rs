//! What went wrong with the NUMA balancers.

use numalens_bundle::{Error, Open};
use numalens_replay::migrations::Migration;
use numalens_replay::numa::Attempt;
use numalens_replay::states::Which;

use crate::findings::Finding;
use crate::migrate_on_fault::findings::MIGRATE_ON_FAULT;
use crate::migrate_on_fault::metrics::AMORTISATION_NS;
use crate::reconcile::findings::{RECONCILE, ReconcileFacts};
use crate::reconcile::vmstat;
use crate::sections::numa::balancing::Met;
use crate::sections::numa::cling::{Replayed, Told};
use crate::sections::numa::known::Known;
use crate::sections::numa::{migration, samples};
use crate::sections::section::{Window, optional};
use crate::waste;

/// Findings of the window, in any order; none where the bundle holds nothing of the NUMA balancers.
pub(in super::super) fn findings(open: &Open, window: Window) -> Result<Vec<Finding>, Error> {
    let Some(known) = optional(Known::of(open))? else {
        return Ok(Vec::new());
    };
    // On one node nothing can be placed wrong.
    if known.nodes().len() < 2 {
        return Ok(Vec::new());
    }
    let Window { from_ns, to_ns } = window;
    let attempts = known.attempts(from_ns, to_ns)?;
    let met = Met::of(&known, window, &attempts)?;
    let mut found = reconcile(&known, window, &attempts, &met)?;
    let told = Told::of(&known)?;
    if !told.is_empty() {
        let replayed = Replayed::of(&known, &told);
        found.extend(replayed.findings(&known, &told, &met, window)?);
    }
    let counters = samples::faults(open)?;
    let metrics = migration::measured(&known, window, &counters, AMORTISATION_NS, None)?;
    let table = migration::statistics(open, window)?;
    let facts = migration::facts(window, &metrics, table.as_ref());
    found.extend(MIGRATE_ON_FAULT.iter().flat_map(|detect| detect(&facts)));
    Ok(found)
}

fn reconcile(
    known: &Known<'_>,
    window: Window,
    attempts: &[Attempt],
    met: &Met,
) -> Result<Vec<Finding>, Error> {
    let Window { from_ns, to_ns } = window;
    let mut meter = waste::Meter::new(&waste::Config {
        nodes: known.nodes(),
        from_ns,
        to_ns,
        step_ns: Some(met.table.step_ns),
        source: known.evidence.run_state.clone(),
        affinity: false,
    });
    known
        .parts
        .states
        .scan(Which::Machine, from_ns, to_ns, |row| meter.row(row))?;
    let wasted = meter.finish();
    let readings = samples::counters(known.open)?;
    let counters = vmstat::span(&readings, from_ns, to_ns)
        .map(|(before, after)| vmstat::table(&vmstat::deltas(&before.counters, &after.counters)));
    let migrations: Vec<Migration> = known.migrations(from_ns, to_ns)?.collect();
    let source = known.attempts_source();
    let batches: Vec<_> = known.pages(from_ns, to_ns)?.collect();
    let facts = ReconcileFacts {
        from_ns,
        to_ns,
        kernel: known.evidence.kernel,
        nodes: known.nodes(),
        attempts,
        attempts_source: &source,
        explained: Some(&met.explained),
        migrations: Some(&migrations),
        stacked: Some(&met.stacked),
        per_node: Some(&met.table),
        waste_cpu_ns: Some(&wasted.series.cpu_ns),
        vmstat: counters.as_ref(),
        batches: &batches,
    };
    Ok(RECONCILE.iter().flat_map(|detect| detect(&facts)).collect())
}
