//! What stands out.

use numalens_bundle::Open;
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::{Facts, Finding, Load, PRESSURE, PressureFacts, Watch, find, rank};
use crate::psi::Query;
use crate::sections::options::Pressure;
use crate::sections::psi::Given;
use crate::sections::sampled::load_samples;
use crate::sections::section::{Stop, Window};
use crate::sections::{ilb, numa};

/// What the detectors found, worst first.
#[derive(Serialize, JsonSchema)]
pub(super) struct Findings {
    /// Ranked by what they cost.
    pub(super) findings: Vec<Finding>,
}

pub(super) fn findings(open: &Open, window: Window, options: Pressure) -> Result<Findings, Stop> {
    let findings = found(open, window, &options)?;
    Ok(Findings { findings })
}

/// The findings, ranked.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn found(open: &Open, window: Window, options: &Pressure) -> Result<Vec<Finding>, Stop> {
    let pressure = pressure(open, window, options);
    let mut others = numa::findings(open, window)?;
    others.extend(ilb::findings(open, window)?);
    let mut found = match pressure {
        Ok(found) => found,
        // Without pressure the others still count; when there are none, why nothing could be looked for.
        Err(Stop::Unavailable(_)) if !others.is_empty() => Vec::new(),
        Err(stop) => return Err(stop),
    };
    found.extend(others);
    let cpus = open.index.nodes().iter().map(|node| node.cpus.len()).sum();
    Ok(rank(found, window.from_ns, window.to_ns, cpus))
}

/// What the detectors of pressure find.
fn pressure(open: &Open, window: Window, options: &Pressure) -> Result<Vec<Finding>, Stop> {
    let given = Given::of(open, window, options)?;
    let mut query = Query::new(given.input()).map_err(Stop::Unavailable)?;
    let Window { from_ns, to_ns } = window;
    let (rules, hz) = (query.rules(), query.hz());
    let mut watch = Watch::new(rules, hz, from_ns, to_ns, given.node_of.clone());
    given.rows(|row| {
        query.row(row);
        watch.row(row);
    })?;
    let (psi, watched) = (query.finish(), watch.finish());
    let loads: Vec<Load> = load_samples(open)?
        .into_iter()
        .map(|(t_ns, one)| Load { t_ns, one })
        .collect();
    let facts = Facts {
        from_ns,
        to_ns,
        cpus: given.node_of.len(),
        pressure: Some(PressureFacts {
            psi: &psi,
            watched: &watched,
            groups: &given.groups,
            samples: &given.samples,
            loads: &loads,
            // Which task was in a memory stall for how long is in the events, which nobody reads here.
            stalled: &[],
        }),
    };
    Ok(find(&facts, &[&PRESSURE]))
}
