//! Decisions of all subjects, and how their distributions differ between recordings.

mod compare;

use numalens_subject::decisions::{Decide, Kind, Steps};
use numalens_subject::{Context, Stop, Window, subject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use self::compare::Compared;
pub use self::compare::compare_decisions;

/// Subjects that know decisions, in the order of the answer.
const DECIDE: &[Decide] = &[
    numalens_wakeup_placement::decisions,
    #[cfg(feature = "numalens-schedstat")]
    numalens_schedstat::decisions,
    numalens_idle_balancing::decisions,
    numalens_numa_balancing::decisions,
    numalens_cling::decisions,
    numalens_waits::decisions,
];
/// Steps of a window.
const STEPS: usize = 20;

/// Options of the section.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DecisionOptions {
    /// Steps of the window by which decisions are counted.
    #[schemars(range(min = 2, max = 1000))]
    steps: usize,
}

impl Default for DecisionOptions {
    fn default() -> Self {
        Self { steps: STEPS }
    }
}

/// Decisions of the kernel by kind and outcome.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Decisions {
    /// Length of the window, ns.
    length_ns: u64,
    /// Kinds of which there were decisions.
    kinds: Vec<Kind>,
    /// Reasons for which other kinds are not known.
    missing: Vec<String>,
}

fn decisions(open: &Context, window: Window, options: DecisionOptions) -> Result<Decisions, Stop> {
    let count = options.steps;
    let (mut kinds, mut missing) = (Vec::new(), Vec::new());
    for decide in DECIDE {
        match decide(open, Steps { window, count }) {
            Ok(found) => kinds.extend(found.into_iter().filter(|kind| kind.count > 0)),
            Err(Stop::Unavailable(reason)) if !missing.contains(&reason) => missing.push(reason),
            Err(Stop::Unavailable(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    if kinds.is_empty() && !missing.is_empty() {
        return Err(Stop::Unavailable(missing.swap_remove(0)));
    }
    let length_ns = window.to_ns - window.from_ns;
    Ok(Decisions {
        length_ns,
        kinds,
        missing,
    })
}

subject! {
    kinds: &[];
    "decisions", decisions, false, Some(
        "Decisions of the kernel by kind and outcome: placements, idle CPUs missed, kicks, searches, pulls, attempts of the NUMA balancer, picks.\n\nEach outcome has its count by step of the window, and an example."
    );
}
