//! What stands out.

use std::sync::Arc;

use numalens_bundle::Error;
use numalens_core::EngineError;
use numalens_core::provenance::{Label, Source};
use numalens_replay::migrations::Migration;
use numalens_replay::waits::{Order, WaitRow};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::findings::headline::{Headline, OfflineCpu, OtherWaiting};
use crate::findings::numa_balancing::{NumaBalancingFacts, stretches};
use crate::findings::waiting::{Meanwhile, Tally, Waiting, WaitingFacts, is_own};
use crate::findings::{Facts, Finding, PressureFacts, detect, rank, split_checks};
use crate::latency::queues::{moves, queues_until, ran_on};
use crate::numa_balancing::vmstat;
use crate::page_migration::metrics::AMORTISATION_NS;
use crate::sections::blocked::Asleep;
use crate::sections::cling::Replayed;
use crate::sections::idle_balancing;
use crate::sections::idle_balancing::logs::steal_ns;
use crate::sections::memory_samples;
use crate::sections::numa_balancing::BalancingFacts;
use crate::sections::numa_logs::{NumaInputs, VmstatSamples};
use crate::sections::options::{Grouped, Pressure};
use crate::sections::page_migration;
use crate::sections::psi::PressureInputs;
use crate::sections::sampled::{load_samples, stalled};
use crate::sections::sched_ext;
use crate::sections::section::{Named, Stop, optional, pids, replay, window_waits};
use crate::sections::utilisation::{used, wasted};
use crate::sections::weights::{Weighed, Weights};
use crate::shared::Shared;
use crate::window::Names as _;
use crate::window::Window;

/// What the detectors found, worst first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Findings")]
pub(super) struct Ranked {
    /// The window in one sentence.
    pub(super) headline: Headline,
    /// Findings by severity, then by cost; of those that stall tasks, the one with the longest stalls first.
    pub(super) findings: Vec<Finding>,
    /// What limits the trust in the others: checks of the replay that failed, and what is missing.
    pub(super) quality: Vec<Quality>,
    /// Waiting that none of them claims; null when waits are not recorded.
    pub(super) other_waiting: Option<OtherWaiting>,
}

/// A check of the replay that failed, or something that is missing.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DataQuality")]
pub(super) struct Quality {
    /// Name of the check; `MISSING` of what the recording lacks.
    pub(super) id: &'static str,
    /// What it found, in one sentence.
    pub(super) summary: String,
}

/// What the recording lacks for knowing who ran and waited when.
const MISSING: &str = "MISSING";

/// The failed checks, and what is missing of switches and wake-ups.
fn quality(checks: Vec<Finding>, waited: Option<&Waited>) -> Vec<Quality> {
    let lacks = waited.map(|waited| waited.source.missing.join(", "));
    let lacks = lacks.filter(|missing| !missing.is_empty());
    let missing = lacks.map(|missing| Quality {
        id: MISSING,
        summary: format!(
            "Who ran and waited when is inferred in part: the recording lacks {missing}."
        ),
    });
    let checks = checks.into_iter().map(|check| Quality {
        id: check.id,
        summary: check.summary,
    });
    missing.into_iter().chain(checks).collect()
}

pub(super) fn findings(open: &Context, window: Window, options: Pressure) -> Result<Ranked, Stop> {
    let waited = optional(Waited::of(open, window))?;
    let waited = waited.as_deref();
    let findings =
        ranked(open, window, &options, waited).map_err(|stop| alone(open, window, stop))?;
    let (findings, checks) = split_checks(findings);
    let used = optional(used(open, window, None))?;
    let facts = waited.map(|waited| waited.facts(open, window));
    let evidence = open.evidence.as_ref();
    let offline = evidence.map_or(&[][..], |evidence| &evidence.offline);
    let offline = OfflineCpu::within(offline, window.from_ns, window.to_ns);
    let headline = Headline::of(
        cpus(open),
        used.as_deref(),
        facts.as_ref(),
        &findings,
        offline,
    );
    Ok(Ranked {
        headline,
        findings,
        quality: quality(checks, waited),
        other_waiting: facts.as_ref().map(OtherWaiting::of),
    })
}

/// Where samples are all there is, what they say comes before why there are no findings.
fn alone(open: &Context, window: Window, stop: Stop) -> Stop {
    let Stop::Unavailable(reason) = stop else {
        return stop;
    };
    if !open.tables.is_empty() {
        return Stop::Unavailable(reason);
    }
    match stalled(open, window) {
        Ok(Some(stalled)) => Stop::Unavailable(format!("{stalled}; {reason}")),
        Ok(None) => Stop::Unavailable(reason),
        Err(error) => error.into(),
    }
}

/// The findings, ranked.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn found(open: &Context, window: Window, options: &Pressure) -> Result<Vec<Finding>, Stop> {
    let waited = optional(Waited::of(open, window))?;
    Ok(split_checks(ranked(open, window, options, waited.as_deref())?).0)
}

fn cpus(open: &Context) -> usize {
    open.index.nodes().iter().map(|node| node.cpus.len()).sum()
}

fn ranked(
    open: &Context,
    window: Window,
    options: &Pressure,
    waited: Option<&Waited>,
) -> Result<Vec<Finding>, Stop> {
    let asleep = optional(Asleep::of(open, window))?;
    let asleep = asleep.as_deref();
    let pressure = pressure(open, window, options, waited, asleep);
    let mut others = waited.map_or_else(Vec::new, |waited| {
        detect(&Facts {
            waiting: Some(waited.facts(open, window)),
            ..Facts::default()
        })
    });
    others.extend(of_numa(open, window)?);
    others.extend(idle_balancing::found(open, window)?);
    others.extend(memory_samples::found(open, window)?);
    let mut found = match pressure {
        Ok(found) => found,
        // Without pressure the others still count; when there is nothing else, why nothing could be looked for.
        Err(Stop::Unavailable(_)) if waited.is_some() || !others.is_empty() => detect(&Facts {
            from_ns: window.from_ns,
            to_ns: window.to_ns,
            blocked: asleep.map(|asleep| asleep.facts(window)),
            ..Facts::default()
        }),
        Err(stop) => return Err(stop),
    };
    found.extend(others);
    let waiting = waited.map(|waited| &waited.waiting);
    Ok(rank(
        found,
        window.from_ns,
        window.to_ns,
        cpus(open),
        waiting,
    ))
}

/// What tasks waited for, and how well that is known.
struct Waited {
    waiting: Waiting,
    source: Source,
    steal_ns: Option<u64>,
    offline: bool,
}

/// Events of which one must be there for waits after wake-ups to be known.
const WAKEUPS: [&str; 2] = ["sched_wakeup", "sched_waking"];

impl Shared for Waited {
    fn heap_bytes(&self) -> usize {
        self.waiting.heap_bytes()
    }
}

impl Waited {
    fn of(open: &Context, window: Window) -> Result<Arc<Self>, Stop> {
        open.shared(window, || waiting(open, window))
    }

    fn facts<'a>(&'a self, open: &'a Context, window: Window) -> WaitingFacts<'a> {
        let label = if self.source.missing.is_empty() {
            self.source.label
        } else {
            self.source.label.max(Label::Inferred)
        };
        WaitingFacts {
            from_ns: window.from_ns,
            to_ns: window.to_ns,
            cpus: cpus(open),
            waiting: &self.waiting,
            label,
            missing: &self.source.missing,
            affinity: open.samples.iter().any(|table| table.table == "task_stat"),
            steal_ns: self.steal_ns,
            sched_ext: open
                .evidence
                .as_ref()
                .and_then(|known| known.sched_ext.as_ref()),
            wakeups: WAKEUPS.iter().any(|name| self.source.name.contains(name)),
            offline: self.offline,
        }
    }
}

/// The waiting of the window.
fn waiting(open: &Context, window: Window) -> Result<Waited, Stop> {
    let (parts, evidence) = replay(open)?;
    let pids = pids(open);
    let offline = OfflineCpu::within(&evidence.offline, window.from_ns, window.to_ns);
    let spans = offline.iter().map(|off| (off.from_ns, off.to_ns));
    let mut tally = Tally::with_offline(spans.collect());
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    window_waits(open, parts, window, Order::Backwards, |part| {
        if is_own(names.task(part.wait.task).1) {
            tally.own(part);
        } else if pids.get(part.wait.task as usize) != Some(&0) {
            tally.wait(part);
        }
    })?;
    for cpu in open.index.nodes().iter().flat_map(|node| &node.cpus) {
        for slice in open.index.slices(*cpu, window.from_ns, window.to_ns)? {
            if pids.get(slice.task as usize) != Some(&0) {
                let start = slice.start_ns.max(window.from_ns);
                let ns = slice.end_ns.min(window.to_ns).saturating_sub(start);
                tally.ran(slice.task, ns);
            }
        }
    }
    let migrations = &open.numa_logs()?.migrations;
    let queues = |wait: &WaitRow| {
        let pid = names.task(wait.task).0;
        let span = (wait.start_ns, wait.end_ns);
        Ok::<_, EngineError>(queues_until(span, wait.cpu, &moves(migrations, pid, span)?))
    };
    let window_ns = window.to_ns.saturating_sub(window.from_ns);
    let mut waiting = tally.finish(window_ns, &names, parts.groups.is_some(), |wait| {
        let queues = queues(wait)?;
        let mut cpus: Vec<u32> = queues.iter().map(|queue| queue.cpu).collect();
        cpus.sort_unstable();
        cpus.dedup();
        Ok::<_, EngineError>(Meanwhile {
            cpus,
            ran: ran_on(&open.index, &queues)?,
        })
    })?;
    let weights = open.shared("weights", || Weights::read(open))?;
    // Number 0 is the root or not known, and tasks of the root may be in groups of their sessions (`sched_autogroup_enabled`).
    let cgroup = |group: u32| (group != 0).then(|| names.cgroup(group));
    waiting.weigh(|wait, other| {
        let mut ran = None;
        for queue in queues(wait)? {
            let mut slices = open.index.slices(queue.cpu, queue.from_ns, queue.to_ns)?;
            ran = ran.or_else(|| slices.find(|slice| slice.task == other.task));
        }
        let Some(slice) = ran else {
            return Ok::<_, EngineError>(None);
        };
        // Of one of them it may just not be known.
        if (wait.group == 0) != (other.group == 0) {
            return Ok(None);
        }
        let waits = Weighed {
            pid: names.task(wait.task).0,
            at_ns: wait.start_ns,
            prio: wait.prio,
            cgroup: cgroup(wait.group),
        };
        let runs = Weighed {
            pid: other.pid,
            at_ns: wait.start_ns,
            prio: slice.prio,
            cgroup: cgroup(other.group),
        };
        Ok(weights.outweighed(waits, runs))
    })?;
    Ok(Waited {
        steal_ns: steal_ns(open, window.from_ns, window.to_ns)?,
        waiting,
        source: evidence.run_state.clone(),
        offline: !offline.is_empty(),
    })
}

/// What the detectors of pressure find.
fn pressure(
    open: &Context,
    window: Window,
    options: &Pressure,
    waited: Option<&Waited>,
    asleep: Option<&Asleep>,
) -> Result<Vec<Finding>, Stop> {
    let given = PressureInputs::of(open, window, options)?;
    let replayed = given.replayed()?;
    let loads = load_samples(open)?;
    let Window { from_ns, to_ns } = window;
    let facts = Facts {
        from_ns,
        to_ns,
        cpus: given.node_of.len(),
        pressure: Some(PressureFacts {
            psi: &replayed.psi,
            watched: &replayed.watched,
            groups: &given.groups,
            samples: &given.samples,
            loads: &loads,
            // Which task was in a memory stall for how long is in the events, which nobody reads here.
            stalled: &[],
            waiting: waited.map(|waited| &waited.waiting),
        }),
        blocked: asleep.map(|asleep| asleep.facts(window)),
        ..Facts::default()
    };
    Ok(detect(&facts))
}

// What went wrong with the NUMA balancers.

/// Findings of the window, in any order; none where the bundle holds nothing of the NUMA balancers.
pub(super) fn of_numa(open: &Context, window: Window) -> Result<Vec<Finding>, Error> {
    let Some(known) = optional(NumaInputs::of(open))? else {
        return Ok(Vec::new());
    };
    // On one node nothing can be placed wrong.
    if known.nodes().len() < 2 {
        return Ok(Vec::new());
    }
    let met = BalancingFacts::of(&known, window)?;
    let mut found = reconcile(&known, window, &met)?;
    let replayed = Replayed::of(&known, Grouped::Recorded)?;
    found.extend(replayed.findings(&known, window)?);
    let metrics = page_migration::measured(&known, window, AMORTISATION_NS, None)?;
    let table = page_migration::statistics(open, window)?;
    let facts = page_migration::facts(window, &metrics, table.as_ref());
    found.extend(detect(&Facts {
        page_migration: Some(facts),
        ..Facts::default()
    }));
    Ok(found)
}

fn reconcile(
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
    let counters = vmstat::span(&samples.readings, from_ns, to_ns)
        .map(|(before, after)| vmstat::table(&vmstat::deltas(&before.counters, &after.counters)));
    // What a BPF scheduler did with all tasks is no balancer's doing.
    let ext = sched_ext::had_all(known.open, window);
    let of_ext = |ns: u64| ext.iter().any(|&(from, to)| (from..to).contains(&ns));
    let whole = ext.iter().any(|&(from, to)| from <= from_ns && to_ns <= to);
    let migrations = known.migrations(from_ns, to_ns)?;
    let migrations: Vec<Migration> = migrations.filter(|one| !of_ext(one.ts_ns)).collect();
    let source = known.attempts_source();
    let batches: Vec<_> = known.pages(from_ns, to_ns)?.collect();
    let facts = NumaBalancingFacts {
        from_ns,
        to_ns,
        kernel: known.evidence.kernel,
        nodes: known.nodes(),
        attempts: &met.attempts,
        attempts_source: &source,
        explained: Some(&met.explained),
        migrations: Some(&migrations),
        stacked: (!whole).then_some(&met.stacked),
        per_node: (!whole).then_some(&met.table),
        waste_cpu_ns: Some(&wasted),
        vmstat: counters.as_ref(),
        batches: &batches,
    };
    Ok(detect(&Facts {
        numa_balancing: Some(facts),
        ..Facts::default()
    }))
}
