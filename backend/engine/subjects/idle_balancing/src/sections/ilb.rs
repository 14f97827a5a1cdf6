//! Kicks, passes and idle time in a window, and three models of the balancer side by side.

use std::sync::Arc;

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_events::IlbKind;
use numalens_replay::idle_balancing::{ObservedPass, Outcome, Sources};
use numalens_sched_ext::sections as sched_ext;
use numalens_subject::findings::Finding;
use numalens_subject::{Context, Shared, Stop, Window, optional};

use crate::compare::{self, MAY, MAY_NOT, ReasonCount};
use crate::findings::{IdleBalancingFacts, detect};
use crate::idle::{self, Counting, IdleStatistics, SampledWindow};
use crate::model::{Annotation, Kind};
use crate::options::{self, Model};
use crate::searches::searches;
use crate::sections::logs::IdleInputs;
use crate::sections::result::{
    IdleDifference, IdleShare, IdleTime, Ilb, IlbKicks, IlbModel, IlbPasses, IlbWaste,
    KickComparison, KickReason, MaskedIlb, StaleNextBalance, StaleSpread, costliest, mask, spread,
};
use crate::{Event, ModelKind, Run, Study, of_kicks, of_model};

pub(super) fn ilb(
    open: &Context,
    window: Window,
    options: options::Ilb,
) -> Result<MaskedIlb, Stop> {
    let known = IdleInputs::of(open)?;
    if let Some(reason) = known.too_long(window) {
        return Err(Stop::Unavailable(reason));
    }
    if known.cpus() < 2 {
        return Err(Stop::unavailable(
            "the machine has one CPU, so no other can be kicked",
        ));
    }
    let chosen = Chosen::of(&known, options.model.model());
    let studied = Studied::of(&known, window, &chosen)?;
    Ok(section(&known, window, &chosen, &studied, options.limit)?)
}

/// The pass over a window with all models.
struct Studied {
    study: Study,
    /// The idle time that was sampled in it.
    sampled: Vec<SampledWindow>,
}

impl Shared for Studied {
    fn heap_bytes(&self) -> usize {
        let study = &self.study;
        let kicks = study.kicks.heap_bytes() + study.passes.heap_bytes();
        let idle: usize = study.idle.iter().map(Vec::heap_bytes).sum();
        let models = study.replayed.heap_bytes() + study.guided.heap_bytes();
        kicks + idle + models + study.notes.heap_bytes() + self.sampled.heap_bytes()
    }
}

impl Studied {
    fn of(known: &IdleInputs<'_>, window: Window, chosen: &Chosen) -> Result<Arc<Self>, Error> {
        let key = (window, chosen.follow);
        let studied = known
            .open
            .shared(key, || Self::read(known, window, chosen))?;
        // The findings need no reading of their own, even when this one is too large to be kept.
        if chosen.follow == Chosen::of(known, None).follow {
            findings(known, window, || Ok(Arc::clone(&studied)))?;
        }
        Ok(studied)
    }

    fn read(known: &IdleInputs<'_>, window: Window, chosen: &Chosen) -> Result<Self, Error> {
        let mut sampled = idle::sampled(&numalens_machine::stat::stat(known.open)?, known.cpus());
        sampled.retain(|one| one.from_ns >= window.from_ns && one.to_ns <= window.to_ns);
        let seconds = idle::seconds(window.from_ns, window.to_ns);
        let edges = sampled.iter().map(|each| (each.from_ns, each.to_ns));
        let idle = vec![seconds, edges.collect()];
        let models = ModelKind::all(known.kinds);
        Ok(Self {
            study: known.study(window, models, Some(chosen.follow), idle)?,
            sampled,
        })
    }
}

/// The first kernel without the picks; only older ones need their model for findings.
const NO_PICKS: (u16, u16) = (3, 13);

/// Returns the findings in any order; none without evidence of the balancer.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn found(open: &Context, window: Window) -> Result<Vec<Finding>, Stop> {
    let known = match optional(IdleInputs::of(open))? {
        Some(known) if known.too_long(window).is_none() && known.cpus() >= 2 => known,
        _ => return Ok(Vec::new()),
    };
    // Findings are about kicks, passes and searches that were recorded, and about picks, which only old kernels have.
    let recorded = known.kinds.has(IlbKind::Pass) || known.kinds.has(IlbKind::SearchEnd);
    if !known.kinds.show_kicks() && !recorded && !old(&known) {
        return Ok(Vec::new());
    }
    let found = findings(&known, window, || {
        let follow = old(&known).then_some(ModelKind::V2011);
        let study = known.study(window, Vec::from_iter(follow), follow, Vec::new())?;
        let sampled = Vec::new();
        Ok(Arc::new(Studied { study, sampled }))
    })?;
    Ok(found.0.clone())
}

/// Findings.
struct Found(Vec<Finding>);

impl Shared for Found {
    fn heap_bytes(&self) -> usize {
        let places = self.0.iter().map(|one| one.occurrences.worst.heap_bytes());
        self.0.heap_bytes() + places.sum::<usize>()
    }
}

/// Returns whether the kernel has picks.
fn old(known: &IdleInputs<'_>) -> bool {
    let kernel = known.evidence.kernel;
    kernel.is_some_and(|kernel| (kernel.major, kernel.minor) < NO_PICKS)
}

/// Returns the findings of a pass, which is made if needed.
fn findings(
    known: &IdleInputs<'_>,
    window: Window,
    studied: impl FnOnce() -> Result<Arc<Studied>, Error>,
) -> Result<Arc<Found>, Error> {
    known.open.shared(window, || {
        let study = &studied()?.study;
        let searches = searches(known, window)?;
        let notes = study.notes.iter().filter(|_| old(known));
        let notes: Vec<(ModelKind, Annotation)> =
            notes.map(|note| (ModelKind::V2011, *note)).collect();
        let facts = IdleBalancingFacts {
            from_ns: window.from_ns,
            to_ns: window.to_ns,
            cpus: known.cpus(),
            hz: known.ilb.jiffies.hz,
            kernel: known.evidence.kernel,
            // The section shows what an untraced kernel would have done.
            what_if: false,
            kinds: known.kinds,
            kicks: &study.kicks,
            passes: &study.passes,
            searches: &searches,
            offline: &known.evidence.offline,
            annotations: &notes,
            waste: &study.replayed.waste,
            idle: &study.replayed.idle,
        };
        Ok(Found(detect(&facts)))
    })
}

/// Kicks of a window.
pub struct Kicks {
    /// Kicks and passes, ascending.
    pub events: Vec<Event>,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// All that is known of kicks and passes; `None` where nothing is.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn kicks(open: &Context, window: Window) -> Result<Option<Kicks>, Error> {
    let Some(known) = optional(IdleInputs::of(open))? else {
        return Ok(None);
    };
    if known.too_long(window).is_some() || known.cpus() < 2 {
        return Ok(None);
    }
    let chosen = Chosen::of(&known, None);
    let keep = Some(chosen.follow);
    let study = known.study(window, vec![chosen.follow], keep, Vec::new())?;
    let run = study.replayed.run(chosen.follow).ok_or_else(not_run)?;
    Ok(Some(Kicks {
        events: events(&chosen, &study, run),
        label: run.label,
        missing: missing(&known, &study, run),
    }))
}

/// The model whose doings are reported.
struct Chosen {
    model: Model,
    follow: ModelKind,
    /// The traced kernel ran it and its kicks would have been seen: what is reported of them is what was recorded.
    observed: bool,
}

impl Chosen {
    fn of(known: &IdleInputs<'_>, wanted: Option<Model>) -> Self {
        let kernel = known.evidence.kernel;
        // Without the picks the rules are nearer to those of today.
        let auto = if old(known) {
            Model::Old
        } else {
            Model::Modern
        };
        let model = wanted.unwrap_or(auto);
        let shown = known.kinds.show_kicks();
        let follow = match model {
            Model::Old => ModelKind::V2011,
            Model::Patched => ModelKind::V2011Patched,
            Model::Modern if shown => ModelKind::TraceDriven,
            Model::Modern => ModelKind::Modern,
        };
        let ran = follow.label(kernel, known.kinds).0 != Label::WhatIf;
        Self {
            model,
            follow,
            observed: ran && shown && model == Model::Modern,
        }
    }
}

fn section(
    known: &IdleInputs<'_>,
    window: Window,
    chosen: &Chosen,
    Studied { study, sampled }: &Studied,
    most: usize,
) -> Result<MaskedIlb, Error> {
    let run = study.replayed.run(chosen.follow).ok_or_else(not_run)?;
    let events = events(chosen, study, run);
    let events_all = events.len();
    let overdue = run.overdue.between(window.from_ns, window.to_ns);
    let waiting = (study.replayed.waste).between(window.from_ns, window.to_ns);
    let (idle_mask, thinned) = mask(&study.replayed.mask, known.cpus(), window);
    let idle = IdleTime::of(known, study, sampled);
    let ilb = Ilb {
        label: run.label,
        missing: missing(known, study, run),
        model: chosen.model,
        kernel: known.ilb.kernel.clone(),
        hz: known.ilb.jiffies.hz,
        cpus: known.cpus(),
        observation: Sources::of(known.kinds),
        kicks: kick_counts(chosen, study, run),
        passes: passes(known, chosen, study, run),
        blocked_ticks: run.counts.of(Kind::PickBlocked),
        stale_next_balance: stale(study, run.label, most),
        stale: StaleSpread::of(study, run.label),
        idle,
        waste: IlbWaste {
            cpu_ms: overdue as f64 / 1e6,
            beside_waiting_cpu_ms: waiting as f64 / 1e6,
            windows: costliest(&run.overdue, window, most),
            label: run.label,
        },
        models: models(study),
        may: [MAY],
        may_not: [MAY_NOT],
        comparison: comparison(known, chosen, study),
        events: spread(events, most),
        events_all,
        lost_gaps: study.gaps,
        sched_ext: sched_ext::balancers(known.open, window),
    };
    Ok(MaskedIlb {
        ilb,
        idle_mask,
        thinned,
    })
}

fn not_run() -> Error {
    Error::Bundle("a model of the idle load balancer did not run".to_owned())
}

/// Inputs that would improve the provenance.
fn missing(known: &IdleInputs<'_>, study: &Study, run: &Run) -> Vec<String> {
    let mut missing: Vec<String> = run.missing.iter().map(|&what| what.to_owned()).collect();
    if known.evidence.kernel.is_none() {
        missing.push("kernel version".to_owned());
    }
    if study.replayed.made_up {
        missing.push("ticks".to_owned());
    }
    if study.gaps > 0 {
        missing.push("lost events".to_owned());
    }
    missing
}

fn events(chosen: &Chosen, study: &Study, run: &Run) -> Vec<Event> {
    let mut events = of_model(&study.notes, run.label, chosen.observed);
    if chosen.observed {
        events.extend(of_kicks(&study.kicks, &study.passes));
        events.sort_by_key(|event| event.t_ns);
    }
    events
}

/// Kicks by what became of them: recorded ones where they would be seen, else the model's.
fn kick_counts(chosen: &Chosen, study: &Study, run: &Run) -> IlbKicks {
    let latched = run.counts.of(Kind::KickLatched);
    let blocked = run.counts.of(Kind::PickBlocked);
    if !chosen.observed {
        let handled = run.counts.of(Kind::KickHandled) + run.counts.of(Kind::KickAborted);
        let dropped = run.counts.of(Kind::KickDropped);
        let sent = run.counts.of(Kind::KickSent);
        return IlbKicks {
            sent,
            handled,
            dropped,
            latched,
            blocked,
            not_seen: sent.saturating_sub(handled + dropped),
            with_sender: sent,
            label: run.label,
            missing: run.missing.clone(),
        };
    }
    let is = |outcome| {
        let kicks = study.kicks.iter();
        kicks.filter(|kick| kick.outcome == outcome).count() as u64
    };
    let mut missing: Vec<&'static str> = Vec::new();
    for what in study.kicks.iter().flat_map(|kick| &kick.missing) {
        if !missing.contains(what) {
            missing.push(what);
        }
    }
    IlbKicks {
        sent: study.kicks.len() as u64,
        handled: is(Outcome::Handled),
        dropped: is(Outcome::Dropped),
        // A kick that was not sent because one was under way leaves no event.
        latched: 0,
        blocked,
        not_seen: is(Outcome::NotSeen),
        with_sender: study
            .kicks
            .iter()
            .filter(|kick| kick.from.is_some())
            .count() as u64,
        label: if study.gaps > 0 {
            Label::Inferred
        } else {
            Label::Observed
        },
        missing,
    }
}

fn passes(known: &IdleInputs<'_>, chosen: &Chosen, study: &Study, run: &Run) -> IlbPasses {
    if chosen.observed && known.kinds.has(IlbKind::Pass) {
        let is = |what: fn(&&ObservedPass) -> bool| study.passes.iter().filter(what).count() as u64;
        return IlbPasses {
            count: study.passes.len() as u64,
            kicked: is(|pass| pass.kicked),
            aborted: is(|pass| pass.aborted),
            migrations: Some(
                study
                    .passes
                    .iter()
                    .map(|pass| u64::from(pass.migrations))
                    .sum(),
            ),
            label: Label::Observed,
        };
    }
    let count = run.counts.of(Kind::Pass);
    IlbPasses {
        count,
        kicked: count,
        aborted: run.counts.of(Kind::KickAborted),
        migrations: None,
        label: run.label,
    }
}

fn stale(study: &Study, label: Label, most: usize) -> Vec<StaleNextBalance> {
    let mut found: Vec<&Annotation> = study
        .notes
        .iter()
        .filter(|note| note.kind == Kind::Stale)
        .collect();
    found.sort_by_key(|note| (std::cmp::Reverse(note.size), note.t_ns));
    found
        .into_iter()
        .take(most)
        .map(|note| StaleNextBalance {
            t_ns: note.t_ns,
            cpu: note.cpu,
            jiffies: note.size,
            label,
        })
        .collect()
}

impl StaleSpread {
    fn of(study: &Study, label: Label) -> Option<Self> {
        let notes = study.notes.iter().filter(|note| note.kind == Kind::Stale);
        let mut sizes: Vec<u64> = notes.map(|note| note.size).collect();
        sizes.sort_unstable();
        Some(Self {
            count: sizes.len() as u64,
            least_jiffies: *sizes.first()?,
            median_jiffies: *sizes.get((sizes.len() - 1) / 2)?,
            most_jiffies: *sizes.last()?,
            label,
        })
    }
}

/// The models that run freely, side by side.
fn models(study: &Study) -> Vec<IlbModel> {
    let runs = study.replayed.runs.iter();
    let free = runs.filter(|run| run.follow != ModelKind::TraceDriven);
    let rows = compare::models(&study.replayed);
    free.filter_map(|run| {
        let row = rows.iter().find(|row| row.follow == run.follow)?;
        Some(IlbModel {
            name: Model::of(run.follow),
            label: run.label,
            missing: run.missing.clone(),
            kicks: row.kicks,
            ipis: row.kicks,
            dropped: row.dropped,
            latched: row.latched,
            passes: row.passes,
            gate_closed_ticks: row.gate_closed,
            blocked_ticks: row.pick_blocked,
            stale_most_jiffies: run.counts.stale_most,
            waste_cpu_ms: row.overdue_cpu_ms,
        })
    })
    .collect()
}

/// Recorded kicks against the model's; nothing where they would not be seen, or where the kernel did not run the model.
fn comparison(known: &IdleInputs<'_>, chosen: &Chosen, study: &Study) -> Option<KickComparison> {
    if !chosen.observed {
        return None;
    }
    let hz = known.ilb.jiffies.hz;
    let compared = compare::kicks(&study.kicks, &study.passes, &study.guided, hz);
    Some(KickComparison {
        observed: compared.observed,
        model: compared.model,
        both: compared.reasons.iter().map(|row| row.both).sum(),
        reasons: compared.reasons.iter().map(KickReason::of).collect(),
        same_flags: compared.same_flags,
        told_flags: compared.told_flags,
    })
}

impl KickReason {
    fn of(row: &ReasonCount) -> Self {
        Self {
            reason: row.reason,
            words: row.reason.words(),
            observed_only: row.observed_only,
            model_only: row.model_only,
            both: row.both,
            sentence: row.sentence(),
        }
    }
}

impl IdleTime {
    /// By seconds, and next to what was sampled.
    fn of(known: &IdleInputs<'_>, study: &Study, sampled: &[SampledWindow]) -> Self {
        let [seconds, between] = study.idle.as_slice() else {
            return Self::default();
        };
        let by = Counting::of(known.evidence.kernel, known.kinds);
        let label = known.evidence.run_state.label;
        let share = |statistics, label| IdleShare { statistics, label };
        let observed = |statistics| share(statistics, Label::Observed);
        let shares: Vec<f64> = seconds.iter().map(|window| window.idle_percent).collect();
        let printed: Vec<f64> = sampled.iter().map(|each| each.share_percent).collect();
        let compared = idle::compare(between, sampled, by);
        Self {
            idle_percent: IdleStatistics::of(&shares).map(|statistics| share(statistics, label)),
            idle_sampled: compared.map(|compared| observed(compared.sampled)),
            idle_vmstat: IdleStatistics::of(&printed).map(observed),
            idle_difference: compared.map(|compared| IdleDifference {
                mean: compared.mean_difference,
                largest: compared.largest,
                by: compared.by,
                windows: compared.trace.windows,
                traced: share(compared.trace, label),
                counted_percent: compared.counted_percent,
                sentence: compared.sentence(),
            }),
        }
    }
}
