//! Idle CPUs while tasks wait.

use numalens_bundle::Error;
use numalens_replay::evidence::Evidence;
use numalens_replay::states::Which;
use numalens_subject::options::{Step, within};
use numalens_subject::report::{as_is, usual};
use numalens_subject::section::{Parts, replay};
use numalens_subject::{Context, Stop, Window, subject};

use crate::{Config, Meter, Waste};

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
        source: evidence.run_state.clone(),
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

subject! {
    kinds: &[];
    "waste", waste, false, Some("Idle CPU time while tasks waited, by cause."), report(usual, as_is);
}
