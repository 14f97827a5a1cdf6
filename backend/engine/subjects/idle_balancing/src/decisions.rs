//! Kicks as decisions.

use numalens_subject::decisions::{At, Kind, Steps, Tally, Wording};
use numalens_subject::{Context, Stop};

use crate::list::Fate;
use crate::sections::ilb;
use crate::sections::logs::IdleInputs;

const KICK: Wording = Wording::new(
    "nohz_kick",
    "Kick of an idle CPU to balance",
    "I8",
    "kick_ilb",
);
/// Reason for having no kicks.
const NO_KICKS: &str = "kicks were not recorded: record with --probe ilb";

/// Returns recorded kicks of a window; kicks of models are left out.
///
/// # Errors
///
/// Stops when neither kicks nor searches were recorded, or a log cannot be read.
pub fn decisions(open: &Context, steps: Steps) -> Result<Vec<Kind>, Stop> {
    let known = IdleInputs::of(open)?;
    let mut kinds = Vec::new();
    if known.kinds.show_kicks()
        && let Some(kicks) = ilb::kicks(open, steps.window)?
    {
        let mut tally = Tally::new(steps);
        for kick in &kicks.events {
            if let Some(fate) = kick.fate {
                let at = At {
                    ts_ns: kick.t_ns,
                    pid: None,
                    cpu: kick.target,
                };
                tally.add(fate, at);
            }
        }
        kinds.push(tally.finish(open, KICK, (kicks.label, kicks.missing), fate));
    }
    if kinds.is_empty() && !known.has_searches() {
        return Err(Stop::unavailable(NO_KICKS));
    }
    Ok(kinds)
}

fn fate(fate: Fate) -> Wording {
    match fate {
        Fate::Handled => Wording::new(
            "handled",
            "Handled",
            "I9, I10",
            "nohz_csd_func, _nohz_idle_balance",
        ),
        Fate::Dropped => Wording::new("dropped", "Arrived, nothing done", "I9", "nohz_csd_func"),
        Fate::Latched => Wording::new(
            "latched",
            "Dropped: an older one in progress",
            "I3",
            "nohz_balancer_kick",
        ),
        Fate::Aborted => Wording::new("aborted", "Pass aborted", "I10", "_nohz_idle_balance"),
        Fate::NotSeen => Wording::new("not_seen", "Arrival not seen", "I9", "nohz_csd_func"),
    }
}
