//! Kicks, passes and idle time in a window, and three models of the balancer beside each other.

use numalens_engine::evidence::{KernelVersion, Label};
use numalens_engine::ilb::compare::{self, MAY, MAY_NOT, ReasonCount};
use numalens_engine::ilb::idle::{self, Counting, IdleStatistics, SampledWindow};
use numalens_engine::ilb::model::{Annotation, Kind};
use numalens_engine::ilb::observe::{IlbKind, Outcome, Sources};
use numalens_engine::ilb::{Event, Follow, Run, Study, of_kicks, of_model};
use serde::Serialize;
use serde_json::{Value, json};

use super::super::options::{Balanced, Model, parse};
use super::super::{Answer, Window, unavailable, value};
use super::known::Known;
use super::{lists, samples};
use crate::bundle::Open;
use crate::error::Error;

pub(in super::super) fn ilb(open: &Open, window: Window, options: &str) -> Answer {
    let options: Balanced = parse("ilb", options)?;
    let known = match Known::of(open)? {
        Ok(known) => known,
        Err(reason) => return Ok(unavailable(reason)),
    };
    if let Some(reason) = known.too_long(window) {
        return Ok(unavailable(&reason));
    }
    if known.cpus() < 2 {
        return Ok(unavailable(
            "the machine has one CPU, and no other could be kicked",
        ));
    }
    let sampled = idle::sampled(&samples::stat(open)?, known.cpus());
    let sampled: Vec<SampledWindow> = sampled
        .into_iter()
        .filter(|sample| sample.from_ns >= window.from_ns && sample.to_ns <= window.to_ns)
        .collect();
    let chosen = Chosen::of(&known, options.model());
    let seconds = idle::seconds(window.from_ns, window.to_ns);
    let edges = sampled.iter().map(|each| (each.from_ns, each.to_ns));
    let study = known.study(
        window,
        Follow::all(known.kinds),
        Some(chosen.follow),
        vec![seconds, edges.collect()],
    )?;
    tell(&known, window, &chosen, &study, &sampled, options.entries())
}

/// What happened in a window.
pub struct Kicks {
    /// Kicks and passes, ascending.
    pub events: Vec<Event>,
    /// How they are known.
    pub label: Label,
    /// What is missing for knowing them better.
    pub missing: Vec<String>,
}

/// All that is known of kicks and passes; `None` where nothing is.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn kicks(open: &Open, window: Window) -> Result<Option<Kicks>, Error> {
    let Ok(known) = Known::of(open)? else {
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

/// The model whose doings are told.
struct Chosen {
    model: Model,
    follow: Follow,
    /// The traced kernel ran it and its kicks would have been seen: what is told of them is what was recorded.
    observed: bool,
}

impl Chosen {
    fn of(known: &Known<'_>, wanted: Option<Model>) -> Self {
        let kernel = known.evidence.kernel;
        // From 3.13 on the picks are gone, and the rules are nearer to those of today.
        let old = |kernel: KernelVersion| (kernel.major, kernel.minor) < (3, 13);
        let auto = if kernel.is_some_and(old) {
            Model::Old
        } else {
            Model::Modern
        };
        let model = wanted.unwrap_or(auto);
        let shown = known.kinds.show_kicks();
        let follow = match model {
            Model::Old => Follow::Before,
            Model::Patched => Follow::Patched,
            Model::Modern if shown => Follow::Guided,
            Model::Modern => Follow::Modern,
        };
        let ran = follow.label(kernel).0 != Label::WhatIf;
        Self {
            model,
            follow,
            observed: ran && shown && model == Model::Modern,
        }
    }
}

#[derive(Debug, Serialize)]
struct Stale {
    t_ns: u64,
    cpu: u32,
    jiffies: u64,
    label: Label,
}

fn tell(
    known: &Known<'_>,
    window: Window,
    chosen: &Chosen,
    study: &Study,
    sampled: &[SampledWindow],
    most: usize,
) -> Answer {
    let run = study.replayed.run(chosen.follow).ok_or_else(not_run)?;
    let missing = missing(known, study, run);
    let sources = Sources::of(known.kinds);
    let events = events(chosen, study, run);
    let all = events.len();
    let overdue = run.overdue.between(window.from_ns, window.to_ns);
    let (mask, thinned) = lists::mask(&study.replayed.mask, known.cpus(), window);
    let mut section = json!({
        "label": run.label,
        "missing": missing,
        "model": chosen.model,
        "kernel": known.ilb.kernel,
        "hz": known.ilb.jiffies.hz,
        "cpus": known.cpus(),
        "observation": value(&sources)?,
        "kicks": kick_counts(chosen, study, run),
        "passes": passes(known, chosen, study, run),
        "blocked_ticks": run.counts.of(Kind::PickBlocked),
        "stale_next_balance": value(&stale(study, run.label, most))?,
        "waste": json!({
            "cpu_ms": overdue as f64 / 1e6,
            "beside_waiting_cpu_ms": study.replayed.waste.between(window.from_ns, window.to_ns) as f64 / 1e6,
            "windows": value(&lists::stretches(&run.overdue, window, most))?,
            "label": run.label,
        }),
        "models": models(study),
        "may": [MAY],
        "may_not": [MAY_NOT],
        "comparison": comparison(known, chosen, study),
        "events": value(&lists::spread(events, most))?,
        "events_all": all,
        "idle_mask": value(&mask)?,
        "thinned": thinned,
        "lost_gaps": study.gaps,
    });
    if let (Value::Object(section), Value::Object(idle)) =
        (&mut section, idle_time(known, study, sampled)?)
    {
        section.extend(idle);
    }
    Ok(section)
}

fn not_run() -> Error {
    Error::Bundle("a model of the idle load balancer did not run".to_owned())
}

/// What would make it better known.
fn missing(known: &Known<'_>, study: &Study, run: &Run) -> Vec<String> {
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
    let mut events = of_model(&study.told, run.label, chosen.observed);
    if chosen.observed {
        events.extend(of_kicks(&study.kicks, &study.passes));
        events.sort_by_key(|event| event.t_ns);
    }
    events
}

/// Kicks by what became of them: recorded ones where they would be seen, else the model's.
fn kick_counts(chosen: &Chosen, study: &Study, run: &Run) -> Value {
    let latched = run.counts.of(Kind::KickLatched);
    let blocked = run.counts.of(Kind::PickBlocked);
    if !chosen.observed {
        let handled = run.counts.of(Kind::KickHandled) + run.counts.of(Kind::KickAborted);
        let dropped = run.counts.of(Kind::KickDropped);
        let sent = run.counts.of(Kind::KickSent);
        return json!({
            "sent": sent,
            "handled": handled,
            "dropped": dropped,
            "latched": latched,
            "blocked": blocked,
            "not_seen": sent.saturating_sub(handled + dropped),
            "with_sender": sent,
            "label": run.label,
            "missing": run.missing,
        });
    }
    let is = |outcome| {
        let kicks = study.kicks.iter();
        kicks.filter(|kick| kick.outcome == outcome).count()
    };
    let mut missing: Vec<&str> = Vec::new();
    for what in study.kicks.iter().flat_map(|kick| &kick.missing) {
        if !missing.contains(what) {
            missing.push(what);
        }
    }
    json!({
        "sent": study.kicks.len(),
        "handled": is(Outcome::Handled),
        "dropped": is(Outcome::Dropped),
        // A kick that was not sent because one was under way leaves no event.
        "latched": 0,
        "blocked": blocked,
        "not_seen": is(Outcome::NotSeen),
        "with_sender": study.kicks.iter().filter(|kick| kick.from.is_some()).count(),
        "label": if study.gaps > 0 { Label::Inferred } else { Label::Observed },
        "missing": missing,
    })
}

fn passes(known: &Known<'_>, chosen: &Chosen, study: &Study, run: &Run) -> Value {
    if chosen.observed && known.kinds.has(IlbKind::Pass) {
        let is = |what: fn(&&numalens_engine::ilb::observe::ObservedPass) -> bool| {
            study.passes.iter().filter(what).count()
        };
        return json!({
            "count": study.passes.len(),
            "kicked": is(|pass| pass.kicked),
            "aborted": is(|pass| pass.aborted),
            "migrations": study.passes.iter().map(|pass| u64::from(pass.migrations)).sum::<u64>(),
            "label": Label::Observed,
        });
    }
    let count = run.counts.of(Kind::Pass);
    json!({
        "count": count,
        "kicked": count,
        "aborted": run.counts.of(Kind::KickAborted),
        "migrations": null,
        "label": run.label,
    })
}

fn stale(study: &Study, label: Label, most: usize) -> Vec<Stale> {
    let mut found: Vec<&Annotation> = study
        .told
        .iter()
        .filter(|note| note.kind == Kind::Stale)
        .collect();
    found.sort_by_key(|note| (std::cmp::Reverse(note.size), note.t_ns));
    found
        .into_iter()
        .take(most)
        .map(|note| Stale {
            t_ns: note.t_ns,
            cpu: note.cpu,
            jiffies: note.size,
            label,
        })
        .collect()
}

/// The models that run freely, side by side.
fn models(study: &Study) -> Vec<Value> {
    let runs = study.replayed.runs.iter();
    let free = runs.filter(|run| run.follow != Follow::Guided);
    let rows = compare::models(&study.replayed);
    free.filter_map(|run| {
        let row = rows.iter().find(|row| row.follow == run.follow)?;
        Some(json!({
            "name": Model::of(run.follow),
            "label": run.label,
            "missing": run.missing,
            "kicks": row.kicks,
            "ipis": row.kicks,
            "dropped": row.dropped,
            "latched": row.latched,
            "passes": row.passes,
            "gate_closed_ticks": row.gate_closed,
            "blocked_ticks": row.pick_blocked,
            "stale_most_jiffies": run.counts.stale_most,
            "waste_cpu_ms": row.overdue_cpu_ms,
        }))
    })
    .collect()
}

/// Recorded kicks against the model's; nothing where they would not be seen, or where the kernel did not run the model.
fn comparison(known: &Known<'_>, chosen: &Chosen, study: &Study) -> Value {
    if !chosen.observed {
        return Value::Null;
    }
    let hz = known.ilb.jiffies.hz;
    let compared = compare::kicks(&study.kicks, &study.passes, &study.guided, hz);
    let reasons: Vec<Value> = compared.reasons.iter().map(reason).collect();
    let both: u64 = compared.reasons.iter().map(|row| row.both).sum();
    json!({
        "observed": compared.observed,
        "model": compared.model,
        "both": both,
        "reasons": reasons,
        "same_flags": compared.same_flags,
        "told_flags": compared.told_flags,
    })
}

fn reason(row: &ReasonCount) -> Value {
    json!({
        "reason": row.reason,
        "words": row.reason.words(),
        "observed_only": row.observed_only,
        "model_only": row.model_only,
        "both": row.both,
        "sentence": row.sentence(),
    })
}

/// Idle time by seconds, and beside what was sampled.
fn idle_time(known: &Known<'_>, study: &Study, sampled: &[SampledWindow]) -> Answer {
    let [seconds, beside] = study.idle.as_slice() else {
        return Ok(json!({}));
    };
    let by = Counting::of(known.evidence.kernel, known.kinds);
    let shares: Vec<f64> = seconds.iter().map(|window| window.idle_percent).collect();
    let label = known.evidence.run_state.label;
    let statistics = |of: Option<IdleStatistics>, label: Label| -> Answer {
        let Some(of) = of else {
            return Ok(Value::Null);
        };
        let mut told = value(&of)?;
        if let Value::Object(told) = &mut told {
            told.insert("label".to_owned(), value(&label)?);
        }
        Ok(told)
    };
    let compared = idle::compare(beside, sampled, by);
    let printed: Vec<f64> = sampled.iter().map(|each| each.share_percent).collect();
    let difference = match &compared {
        Some(compared) => json!({
            "mean": compared.mean_difference,
            "largest": compared.largest,
            "by": compared.by,
            "windows": compared.trace.windows,
            "traced": statistics(Some(compared.trace), label)?,
            "counted_percent": compared.counted_percent,
            "sentence": compared.sentence(),
        }),
        None => Value::Null,
    };
    Ok(json!({
        "idle_percent": statistics(IdleStatistics::of(&shares), label)?,
        "idle_sampled": statistics(compared.map(|compared| compared.sampled), Label::Observed)?,
        "idle_vmstat": statistics(IdleStatistics::of(&printed), Label::Observed)?,
        "idle_difference": difference,
    }))
}
