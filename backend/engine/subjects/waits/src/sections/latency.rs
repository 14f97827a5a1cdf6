//! The longest waits of a length and of a time: those in a part of the map.

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_replay::waits::{CauseNs, Order, WaitPart, WaitRow};
use numalens_subject::logs::NumaInputs;
use numalens_subject::options::{List, Step, within};
use numalens_subject::section::{Named, Parts, pids, replay};
use numalens_subject::waits::{Sort, window_waits};
use numalens_subject::window::{Names, Steps};
use numalens_subject::{Context, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::WaitWindow;
use crate::options::{Heat, OneWait, WaitKind, WaitList};
use crate::sections::{finished, recorders};
use crate::{
    Config, HeatConfig, HeatMeter, Latency, Meter, Story, StoryLogs, StoryOf, WaitHeat,
    WaitWindows, WindowsConfig, WindowsMeter, WorstWait, story,
};
use numalens_subject::metrics::{Basis, Better, Metric, Metrics, content, figures, ms};

/// The longest waits of a length and of a time.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Waits")]
pub(super) struct Listing {
    /// Number of waits, listed or not.
    count: u64,
    /// The sum of their waits, ns.
    wait_ns: u64,
    /// The longest.
    waits: Vec<WorstWait>,
    /// Provenance.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

pub(super) fn waits(open: &Context, window: Window, options: WaitList) -> Result<Listing, Stop> {
    let (parts, evidence) = replay(open)?;
    let pids = pids(open);
    let own = recorders(open);
    let mut meter = Meter::new(&Config {
        nodes: open.index.nodes(),
        pids: &pids,
        own: &own,
        source: evidence.run_state_in(window.from_ns, window.to_ns),
        requests: open.requests,
        cgroups: parts.groups.is_some(),
        limit: options.limit,
    });
    let lengths = options.least_ns..options.below_ns.unwrap_or(u64::MAX);
    let ends = options.ended_from_ns..options.ended_to_ns.unwrap_or(u64::MAX);
    window_waits(open, parts, window, Order::Forwards, |part| {
        if lengths.contains(&part.ns()) && ends.contains(&part.to_ns) {
            meter.wait(part);
        }
    })?;
    let latency = finished(open, parts, meter)?;
    let (count, wait_ns, waits) = if options.kind == WaitKind::Preempted {
        let kind = latency.preempted;
        (kind.count, kind.wait_ns, kind.worst)
    } else {
        (latency.wakeups, latency.wait_ns, latency.worst)
    };
    Ok(Listing {
        count,
        wait_ns,
        waits,
        label: latency.label,
        missing: latency.missing,
    })
}

// How long tasks waited for their CPUs, and for what.

pub(super) fn latency(open: &Context, window: Window, options: List) -> Result<Latency, Stop> {
    let (parts, evidence) = replay(open)?;
    let pids = pids(open);
    let own = recorders(open);
    let mut meter = Meter::new(&Config {
        nodes: open.index.nodes(),
        pids: &pids,
        own: &own,
        source: evidence.run_state_in(window.from_ns, window.to_ns),
        requests: open.requests,
        cgroups: parts.groups.is_some(),
        limit: options.limit,
    });
    window_waits(open, parts, window, Order::Forwards, |part| {
        meter.wait(part);
    })?;
    Ok(finished(open, parts, meter)?)
}

/// The waits of a window: what the section `latency` counts, one by one.
pub struct Ledger<'a> {
    open: &'a Context,
    parts: &'a Parts,
    window: Window,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

impl<'a> Ledger<'a> {
    /// The waits of `window`.
    ///
    /// # Errors
    ///
    /// Stops when an input is missing or a log cannot be read.
    pub fn of(open: &'a Context, window: Window) -> Result<Self, Stop> {
        let (parts, _) = replay(open)?;
        let Latency { label, missing, .. } = latency(open, window, List { limit: 0 })?;
        Ok(Self {
            open,
            parts,
            window,
            label,
            missing,
        })
    }

    /// Calls `each` with the part of each wait that lies in the window, and with its kind. The idle task's are left out.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read, and when `each` does: the first error.
    pub fn each(
        &self,
        mut each: impl FnMut(&WaitPart<'_>, Sort) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut done = Ok(());
        window_waits(
            self.open,
            self.parts,
            self.window,
            Order::Forwards,
            |part| {
                let idle = self.open.index.task(part.wait.task).map(|(pid, _)| pid) == Some(0);
                if done.is_ok() && !idle {
                    done = each(part, Sort::of(part));
                }
            },
        )?;
        done
    }
}

// One wait, from its start to its end.

pub(super) fn wait(open: &Context, window: Window, options: OneWait) -> Result<Story, Stop> {
    let known = NumaInputs::of(open)?;
    let parts = known.parts;
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    let mut found: Option<(WaitRow, Vec<CauseNs>)> = None;
    parts
        .waits
        .scan(window.from_ns, window.to_ns, |wait, causes| {
            let (pid, _) = names.task(wait.task);
            let wanted = (wait.start_ns, wait.end_ns) == (window.from_ns, window.to_ns)
                && options.pid.is_none_or(|wanted| wanted == pid)
                && options.cpu.is_none_or(|wanted| wanted == wait.cpu);
            if wanted && found.is_none() {
                found = Some((*wait, causes.to_vec()));
            }
        })?;
    let Some((wait, causes)) = found else {
        return Err(Stop::unavailable(
            "no wait of that task has exactly these ends",
        ));
    };
    let logs = StoryLogs {
        index: &open.index,
        segments: parts.segment_logs(open)?,
        requests: parts.requests(open)?,
        migrations: known.migration_log(),
        groups: parts.groups.as_ref(),
    };
    let of = StoryOf {
        wait: &wait,
        causes: &causes,
    };
    let numa_groups = known.numa_groups(wait.end_ns)?;
    let group_of = |pid: i32| numa_groups.get(&pid).copied();
    let source = known.evidence.run_state_in(window.from_ns, window.to_ns);
    Ok(story(logs, of, &source, &names, group_of)?)
}

// How many waits were how long when.

pub(super) fn wait_heat(open: &Context, window: Window, options: Heat) -> Result<WaitHeat, Stop> {
    let (parts, evidence) = replay(open)?;
    let pids = pids(open);
    let mut meter = HeatMeter::new(HeatConfig {
        pids: &pids,
        source: evidence.run_state_in(window.from_ns, window.to_ns),
        requests: open.requests,
        steps: Steps::round(window.from_ns, window.to_ns, options.columns),
    });
    window_waits(open, parts, window, Order::Forwards, |part| {
        meter.wait(part);
    })?;
    Ok(meter.finish())
}

// Wake-up waits by window and by length: what recordings are compared by.

/// Windows of a second, unless the whole is too short for that.
const STEP_NS: u64 = 1_000_000_000;
const FEWEST: u64 = 5;
const FEW: u64 = 10;

pub(super) fn wait_windows(
    open: &Context,
    window: Window,
    options: Step,
) -> Result<WaitWindows, Stop> {
    let Window { from_ns, to_ns } = window;
    let steps = match within(options.step_ns, from_ns, to_ns)? {
        Some(step) => Steps::new(from_ns, to_ns, step),
        None if to_ns - from_ns >= FEWEST * STEP_NS => Steps::new(from_ns, to_ns, STEP_NS),
        None => Steps::round(from_ns, to_ns, FEW),
    };
    let (parts, evidence) = replay(open)?;
    let pids = pids(open);
    let mut meter = WindowsMeter::new(WindowsConfig {
        pids: &pids,
        source: evidence.run_state_in(from_ns, to_ns),
        requests: open.requests,
        steps,
    });
    parts
        .waits
        .over(from_ns, to_ns, Order::Forwards, |wait, causes| {
            meter.wait(&WaitPart::inside(wait, (from_ns, to_ns), causes));
        })?;
    Ok(meter.finish())
}

/// Columns of the map of waits, at most.
pub(super) const HEAT_COLUMNS: u64 = 60;

/// Figures for comparisons: waits by step, and those of the whole window.
pub(super) fn metrics(
    open: &Context,
    window: (u64, u64),
    step_ns: u64,
) -> Result<Vec<Metrics>, Error> {
    let step = Step {
        step_ns: Some(step_ns),
    };
    let stepped = content(wait_windows, open, window, step, false)?;
    let steps = figures("statistics", &stepped, |answer, seconds| {
        let basis = Basis::new(answer.label, &answer.missing, seconds);
        let count = |name, title, of: fn(&WaitWindow) -> f64| {
            let counts = basis.counts(answer.windows.iter().map(of), answer.step_ns);
            Metric::new(name, title, Ok(counts))
        };
        let number = |name, title, of: fn(&WaitWindow) -> Option<u64>| {
            let numbers = answer.windows.iter().filter_map(of).map(|ns| ns as f64);
            Metric::new(name, title, Ok(basis.numbers(numbers))).of("ns", Better::Lower)
        };
        vec![
            count("wakeups", "Wakeups", |step| step.wakeups as f64),
            count("waited", "Time waited after wakeups", |step| {
                ms(step.wait_ns)
            })
            .of("ms", Better::Lower),
            count(
                "preempted_waited",
                "Time waited after preemptions",
                |step| ms(step.preempted_ns),
            )
            .of("ms", Better::Lower),
            number("p50", "Wakeup latency p50", |step| step.p50_ns),
            number("p99", "Wakeup latency p99", |step| step.p99_ns),
            number("longest", "Longest wait", |step| step.max_ns),
        ]
    });
    let whole = content(latency, open, window, List { limit: 1 }, false)?;
    Ok(vec![steps, figures("latency", &whole, whole_window)])
}

/// Figures of the waits of a whole window.
fn whole_window(answer: &Latency, seconds: f64) -> Vec<Metric> {
    let basis = Basis::new(answer.label, &answer.missing, seconds);
    let of_kind = Basis::new(answer.label, &[""; 0], seconds);
    let count = |basis: &Basis, name, title, count: u64| {
        Metric::new(name, title, basis.count(count as f64))
    };
    let time = |basis: &Basis, name, title, ns| {
        Metric::new(name, title, basis.count(ms(ns))).of("ms", Better::Lower)
    };
    let length = |name, title, ns: Option<u64>| {
        Metric::new(name, title, basis.number(ns.map(|ns| ns as f64))).of("ns", Better::Lower)
    };
    let (spread, unfinished) = (&answer.spread, &answer.unfinished);
    let (preempted, new) = (&answer.preempted, &answer.new);
    vec![
        count(&basis, "latency_wakeups", "Wakeups", answer.wakeups),
        time(&basis, "latency_waited", "Time waited", answer.wait_ns),
        length("latency_p50_ns", "p50", spread.p50_ns),
        length("latency_p90_ns", "p90", spread.p90_ns),
        length("latency_p99_ns", "p99", spread.p99_ns),
        length("latency_max_ns", "Longest", spread.max_ns),
        count(
            &of_kind,
            "latency_preempted",
            "Preemptions",
            preempted.count,
        ),
        time(
            &of_kind,
            "latency_preempted_waited",
            "Time waited afterwards",
            preempted.wait_ns,
        ),
        count(&of_kind, "latency_new", "New tasks that waited", new.count),
        time(
            &of_kind,
            "latency_new_waited",
            "Time waited by new tasks",
            new.wait_ns,
        ),
        count(
            &of_kind,
            "latency_unfinished",
            "Waits without a known end",
            unfinished.count,
        ),
        time(
            &of_kind,
            "latency_unfinished_waited",
            "Time waited in them, at least",
            unfinished.wait_ns,
        ),
    ]
}
