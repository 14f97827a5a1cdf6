//! Findings about the NUMA balancer of a window.

use numalens_bundle::Error;
use numalens_machine::coverage;
use numalens_replay::migrations::Migration;
use numalens_sched_ext::sections as sched_ext;
use numalens_subject::Window;
use numalens_subject::findings::Finding;
use numalens_subject::logs::NumaInputs;
use numalens_subject::vmstat::{VmstatSamples, deltas, span};
use numalens_waste::sections::wasted;

use crate::findings::{NumaBalancingFacts, detect, stretches};
use crate::sections::balancing::BalancingFacts;
use crate::vmstat;

/// Returns the findings of a window.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn reconcile(
    known: &NumaInputs<'_>,
    window: Window,
    met: &BalancingFacts,
) -> Result<Vec<Finding>, Error> {
    let Window { from_ns, to_ns } = window;
    let wasted = if stretches(&met.table).is_empty() {
        Vec::new()
    } else {
        let logs = (known.parts, known.evidence);
        let step_ns = Some(met.table.step_ns);
        wasted(known.open, logs, window, step_ns, true)?
            .series
            .cpu_ns
    };
    let samples = VmstatSamples::of(known.open)?;
    let counters = span(&samples.readings, from_ns, to_ns)
        .map(|(before, after)| vmstat::table(&deltas(&before.counters, &after.counters)));
    // Balancers are not responsible for what a BPF scheduler did with all tasks.
    let ext = sched_ext::had_all(known.open, window);
    let of_ext = |ns: u64| ext.iter().any(|&(from, to)| (from..to).contains(&ns));
    let whole = ext.iter().any(|&(from, to)| from <= from_ns && to_ns <= to);
    // Nodes are compared by what all of their CPUs did.
    let partial = coverage::unrecorded(known.open, window)? >= coverage::LEAST_PERCENT;
    let is_compared = !whole && !partial;
    let migrations = known.migrations(from_ns, to_ns)?;
    let migrations: Vec<Migration> = migrations.filter(|one| !of_ext(one.ts_ns)).collect();
    let source = known.attempts_source();
    let source = known.evidence.source_in(&source, to_ns);
    let batches: Vec<_> = known.pages(from_ns, to_ns)?.collect();
    let facts = NumaBalancingFacts {
        from_ns,
        to_ns,
        kernel: known.evidence.kernel,
        nodes: known.nodes(),
        attempts: if partial { &[] } else { &met.attempts },
        attempts_source: &source,
        explained: Some(&met.explained),
        migrations: Some(&migrations),
        stacked: is_compared.then_some(&met.stacked),
        per_node: is_compared.then_some(&met.table),
        waste_cpu_ns: Some(&wasted),
        vmstat: counters.as_ref(),
        batches: &batches,
    };
    Ok(detect(&facts))
}
