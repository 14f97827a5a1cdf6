//! What the idle load balancer did wrong.

use numalens_bundle::{Error, Open};

use crate::findings::Finding;
use crate::ilb::Follow;
use crate::ilb::findings::{ILB, IlbFacts};
use crate::ilb::model::Annotation;
use crate::sections::ilb::known::Known;
use crate::sections::section::{Window, optional};

/// The first kernel without the picks; only older ones need their model for findings.
const NO_PICKS: (u16, u16) = (3, 13);

/// Findings of the window, in any order; none where nothing tells of the balancer.
pub(in super::super) fn findings(open: &Open, window: Window) -> Result<Vec<Finding>, Error> {
    let Some(known) = optional(Known::of(open))? else {
        return Ok(Vec::new());
    };
    if known.too_long(window).is_some() || known.cpus() < 2 {
        return Ok(Vec::new());
    }
    let kernel = known.evidence.kernel;
    let old = kernel.is_some_and(|kernel| (kernel.major, kernel.minor) < NO_PICKS);
    let follow = if old {
        vec![Follow::Before]
    } else {
        Vec::new()
    };
    let keep = old.then_some(Follow::Before);
    let study = known.study(window, follow, keep, Vec::new())?;
    let told: Vec<(Follow, Annotation)> = study
        .told
        .iter()
        .map(|note| (Follow::Before, *note))
        .collect();
    let facts = IlbFacts {
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        cpus: known.cpus(),
        hz: known.ilb.jiffies.hz,
        kernel,
        // What a kernel would have done that was not traced is the section's to tell.
        what_if: false,
        kinds: known.kinds,
        kicks: &study.kicks,
        passes: &study.passes,
        annotations: &told,
        waste: &study.replayed.waste,
        idle: &study.replayed.idle,
    };
    Ok(ILB.iter().flat_map(|detect| detect(&facts)).collect())
}
