//! BPF schedulers (`sched_ext`): when one was loaded, what it counted, why it was disabled, and what its tasks waited for.

use std::collections::BTreeMap;

use arrow_array::Array;
use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_replay::evidence::{SchedExt, ScxDump, ScxLoaded};
use numalens_replay::waits::{Cause, Order};
use numalens_subject::options::Nothing;
use numalens_subject::section::{at, integers, replay, samples, texts};
use numalens_subject::waits::window_waits;
use numalens_subject::window::time;
use numalens_subject::{Context, Stop, Window, subject};
use schemars::JsonSchema;
use serde::Serialize;

/// A counter at the first and the last sample in the window.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Counter {
    /// The scheduler's directory (`root`); empty for what is the machine's.
    scheduler: String,
    /// Name.
    name: String,
    /// At the first sample.
    first: i64,
    /// At the last one.
    last: i64,
}

/// Waiting of a cause in the window.
#[derive(Debug, Serialize, JsonSchema)]
struct ScxWait {
    /// Time, task-ns.
    ns: u64,
    /// Provenance.
    label: Label,
}

/// Waits of tasks of BPF schedulers in the window.
#[derive(Debug, Serialize, JsonSchema)]
struct ScxWaiting {
    /// Because nothing but their scheduler kept them from running.
    queued: ScxWait,
    /// The same, as the watchdog found.
    stalled: ScxWait,
}

/// The end of a scheduler.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ScxExit")]
struct Exit<'a> {
    /// Time, ns.
    #[serde(with = "Moment")]
    ts_ns: u64,
    /// Name of the scheduler; null if the event does not have it.
    scheduler: Option<&'a str>,
    /// 0 the root's, above a sub-scheduler's.
    level: i32,
    /// `enum scx_exit_kind`.
    kind: u32,
}

/// A step of balancing between the queues of a node's CPUs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ScxBypass")]
struct Bypass {
    /// Time, ns.
    #[serde(with = "Moment")]
    ts_ns: u64,
    /// The node.
    node: u32,
    /// Tasks in the queues of its CPUs.
    nr_tasks: u32,
    /// Number of tasks that moved to another queue.
    nr_balanced: u32,
}

/// BPF schedulers in the window.
#[derive(Serialize, JsonSchema)]
pub(super) struct SchedExtAnswer<'a> {
    /// Load times of schedulers.
    loaded: Vec<&'a ScxLoaded>,
    /// Output of the kernel when it disabled one.
    dumps: Vec<ScxDump>,
    /// Ends of schedulers (`sched_ext_exit`).
    exits: Vec<Exit<'a>>,
    /// Steps of balancing while a scheduler was bypassed (`sched_ext_bypass_lb`).
    bypass: Vec<Bypass>,
    /// Counters of `/sys/kernel/sched_ext`; empty when it was not sampled.
    counters: Vec<Counter>,
    /// Counts of `sched_ext_event`, by name, over the whole recording.
    counted: &'a BTreeMap<String, i64>,
    /// Tasks that had policy `SCHED_EXT` at a sample of the recording.
    policy_tasks: u64,
    /// Causes of its tasks' waits; null without recorded waits.
    waiting: Option<ScxWaiting>,
    /// Tasks that the balancers of the fair class did not handle; null while none was loaded.
    balancers: Option<String>,
    /// Provenance of the rest.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

pub(super) fn sched_ext(
    open: &Context,
    window: Window,
    _: Nothing,
) -> Result<SchedExtAnswer<'_>, Stop> {
    let known = known(open).ok_or_else(|| {
        Stop::unavailable(
            "sched_ext was not recorded: no events and no samples of /sys/kernel/sched_ext (Linux 6.12 and later)",
        )
    })?;
    let inside = |ns: u64| (window.from_ns..=window.to_ns).contains(&ns);
    let missing = (!known.sampled).then(|| "samples of /sys/kernel/sched_ext".to_owned());
    Ok(SchedExtAnswer {
        loaded: loaded(known, window).collect(),
        dumps: known
            .dumps()
            .into_iter()
            .filter(|dump| inside(dump.ts_ns))
            .collect(),
        exits: known
            .exits
            .iter()
            .filter(|exit| inside(exit.0))
            .map(|(ts_ns, name, level, kind)| Exit {
                ts_ns: *ts_ns,
                scheduler: name.as_deref(),
                level: *level,
                kind: *kind,
            })
            .collect(),
        bypass: known
            .bypass
            .iter()
            .filter(|step| inside(step.0))
            .map(|&(ts_ns, node, nr_tasks, nr_balanced)| Bypass {
                ts_ns,
                node,
                nr_tasks,
                nr_balanced,
            })
            .collect(),
        counters: counters(open, window)?,
        counted: &known.counted,
        policy_tasks: known.policy_tasks,
        waiting: waiting(open, window)?,
        balancers: balancers(open, window),
        label: if missing.is_some() {
            Label::Inferred
        } else {
            Label::Observed
        },
        missing: missing.into_iter().collect(),
    })
}

fn known(open: &Context) -> Option<&SchedExt> {
    open.evidence.as_ref()?.sched_ext.as_ref()
}

/// The times in which a scheduler was loaded that have some of the window.
fn loaded(known: &SchedExt, window: Window) -> impl Iterator<Item = &ScxLoaded> {
    known.loaded.iter().filter(move |span| {
        span.from_ns < window.to_ns && span.to_ns.is_none_or(|to_ns| to_ns > window.from_ns)
    })
}

/// Times at which a BPF scheduler had all tasks of the fair class's policies in the window, ns.
pub fn had_all(open: &Context, window: Window) -> Vec<(u64, u64)> {
    let spans = known(open)
        .into_iter()
        .flat_map(|known| loaded(known, window));
    let all = spans.filter(|span| span.switch_all == Some(true));
    all.map(|span| (span.from_ns, span.to_ns.unwrap_or(u64::MAX)))
        .collect()
}

/// Tasks that the balancers of the fair class did not handle in the window, if a BPF scheduler was loaded: they handle only
/// tasks of their own class (`sched_tick`, `kernel/sched/core.c`; `task_tick_fair`, `kernel/sched/fair.c`, 6.12).
pub fn balancers(open: &Context, window: Window) -> Option<String> {
    let known = known(open)?;
    let of = |span: &ScxLoaded| {
        let from = span.from_ns.max(window.from_ns);
        let to = span.to_ns.unwrap_or(u64::MAX).min(window.to_ns);
        let name = span
            .ops
            .as_deref()
            .map_or(String::new(), |name| format!(" {name}"));
        let whose = match span.switch_all {
            Some(true) => "had all tasks of the fair class's policies",
            Some(false) => {
                "had only the tasks of policy SCHED_EXT (SCX_OPS_SWITCH_PARTIAL); the others stayed with the fair class"
            }
            None => {
                "was loaded; whether it had all tasks or only those of policy SCHED_EXT is not recorded"
            }
        };
        format!(
            "the BPF scheduler{name} {whose} for {} of the window",
            time(to - from)
        )
    };
    let spans: Vec<String> = loaded(known, window).map(of).collect();
    (!spans.is_empty()).then(|| {
        format!(
            "Load balancing does not move tasks of sched_ext, NUMA balancing does not scan them, and the replays of both exclude them: {}.",
            spans.join("; ")
        )
    })
}

/// Counters from the samples in the window.
fn counters(open: &Context, window: Window) -> Result<Vec<Counter>, Stop> {
    let mut found: BTreeMap<(String, String), [(u64, i64); 2]> = BTreeMap::new();
    samples(open, "sched_ext", |batch| {
        let (times, values) = (integers(batch, "ts_ns"), integers(batch, "value"));
        let (Some(schedulers), Some(names)) = (texts(batch, "scheduler"), texts(batch, "name"))
        else {
            return;
        };
        for row in 0..batch.num_rows() {
            let time = at(times, row).and_then(|time| u64::try_from(time).ok());
            let time = time.filter(|time| (window.from_ns..=window.to_ns).contains(time));
            if let (Some(time), Some(value)) = (time, at(values, row))
                && schedulers.is_valid(row)
            {
                let key = (
                    schedulers.value(row).to_owned(),
                    names.value(row).to_owned(),
                );
                let sample = (time, value);
                let [first, last] = found.entry(key).or_insert([sample; 2]);
                *first = sample.min(*first);
                *last = sample.max(*last);
            }
        }
    })?;
    let found = found.into_iter();
    let found = found.map(|((scheduler, name), [first, last])| Counter {
        scheduler,
        name,
        first: first.1,
        last: last.1,
    });
    Ok(found.collect())
}

/// The time of the ledger's causes of `sched_ext`.
fn waiting(open: &Context, window: Window) -> Result<Option<ScxWaiting>, Stop> {
    let Ok((parts, evidence)) = replay(open) else {
        return Ok(None);
    };
    let known = evidence.run_state_in(window.from_ns, window.to_ns).label;
    let mut sum = ScxWaiting {
        queued: ScxWait {
            ns: 0,
            label: known.max(Label::Inferred),
        },
        stalled: ScxWait {
            ns: 0,
            label: known,
        },
    };
    window_waits(open, parts, window, Order::Backwards, |part| {
        for cause in part.causes {
            match cause.cause {
                Cause::ScxQueued => sum.queued.ns = sum.queued.ns.saturating_add(cause.ns),
                Cause::ScxStalled => sum.stalled.ns = sum.stalled.ns.saturating_add(cause.ns),
                _ => {}
            }
        }
    })?;
    Ok(Some(sum))
}

subject! {
    kinds: &[];
    "sched_ext", sched_ext, false, Some(
        "BPF schedulers (sched_ext): load times, counters, the reason for being disabled, and waits of their tasks."
    );
}
