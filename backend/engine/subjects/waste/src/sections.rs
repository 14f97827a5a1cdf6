//! Idle CPUs while tasks wait.

use numalens_bundle::Error;
use numalens_replay::evidence::Evidence;
use numalens_replay::states::Which;
use numalens_subject::options::{Step, within};
use numalens_subject::report::{as_is, usual};
use numalens_subject::section::{Parts, replay};
use numalens_subject::{Context, Stop, Window, subject};

use crate::{Config, Meter, Waste};
use numalens_subject::metrics::{Basis, Better, Metric, Metrics, content, figures, ms};

pub(super) fn waste(open: &Context, window: Window, options: Step) -> Result<Waste, Stop> {
    let step_ns = within(options.step_ns, window.from_ns, window.to_ns)?;
    Ok(wasted(open, replay(open)?, window, step_ns, false)?)
}

/// As [`waste`], where nothing is missing. `movable` leaves out tasks that are bound.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn wasted(
    open: &Context,
    (parts, evidence): (&Parts, &Evidence),
    window: Window,
    step_ns: Option<u64>,
    movable: bool,
) -> Result<Waste, Error> {
    let mut meter = Meter::new(&Config {
        nodes: open.index.nodes(),
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        step_ns,
        source: evidence.run_state_in(window.from_ns, window.to_ns),
        // Kernel threads of one CPU are known by their names; of other tasks nothing shows what they are bound to.
        affinity: false,
        movable,
    });
    parts
        .states
        .scan(Which::Machine, window.from_ns, window.to_ns, |row| {
            meter.row(row);
        })?;
    Ok(meter.finish())
}

/// Figures for comparisons: the waste of each step, and that of the whole window by cause.
fn metrics(open: &Context, window: (u64, u64), step_ns: u64) -> Result<Vec<Metrics>, Error> {
    let step = Step {
        step_ns: Some(step_ns),
    };
    let wasted = content(waste, open, window, step, false)?;
    let basis = |answer: &Waste, seconds| Basis::new(answer.label, &answer.missing, seconds);
    let steps = figures("statistics", &wasted, |answer, seconds| {
        let series = &answer.series;
        // A last step of other length would count as a quiet one.
        let whole = (seconds * 1e9) as u64 / series.step_ns;
        let times = series.cpu_ns.iter().take(whole.max(1) as usize);
        let times = basis(answer, seconds).counts(times.map(|&ns| ms(ns)), series.step_ns);
        vec![Metric::new("wasted", "Idle CPUs while tasks wait", Ok(times)).of("ms", Better::Lower)]
    });
    let causes = figures("waste", &wasted, |answer, seconds| {
        let basis = basis(answer, seconds);
        let all = Metric::new("waste_all", "All", basis.count(ms(answer.cpu_ns)));
        let by_cause = answer.causes.iter().map(|amount| {
            let entry = amount.cause.entry();
            let time = Ok(basis.sum([ms(amount.ns)].into_iter()));
            Metric::new(format!("waste_{}", entry.id), entry.title, time)
        });
        let rows = std::iter::once(all).chain(by_cause);
        rows.map(|row| row.of("ms", Better::Lower)).collect()
    });
    Ok(vec![steps, causes])
}

subject! {
    kinds: &[], metrics: metrics;
    "waste", waste, false, Some("Idle CPU time while tasks waited, by cause."), report(usual, as_is);
}
