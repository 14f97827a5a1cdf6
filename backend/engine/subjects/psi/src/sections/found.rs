//! Findings about pressure and uninterruptible sleeps of a window.

use numalens_subject::findings::Finding;
use numalens_subject::{Context, Stop, Window};

use crate::findings::{Facts, PressureFacts, detect};
use crate::options::Pressure;
use crate::sections::blocked::Asleep;
use crate::sections::psi::PressureInputs;
use crate::sections::sampled::load_samples;

/// Returns the findings. `waking_ns` is the total wait of woken tasks until their CPU took them, where waits are known.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn found(
    open: &Context,
    window: Window,
    options: &Pressure,
    waking_ns: Option<u64>,
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
            // Which task was in a memory stall for how long is in the events, which are not read here.
            stalled: &[],
            waking_ns,
        }),
        blocked: asleep.map(|asleep| asleep.facts(window)),
    };
    Ok(detect(&facts))
}
