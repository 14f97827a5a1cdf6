//! What stands out.

use numalens_engine::findings::{Facts, Finding, Load, PRESSURE, PressureFacts, Watch, find, rank};
use numalens_engine::psi::Query;
use serde_json::json;

use super::options::{Pressure, parse};
use super::psi::Given;
use super::sampled::load_samples;
use super::{Answer, Window, unavailable, value};
use super::{ilb, numa};
use crate::bundle::Open;
use crate::error::Error;

pub(super) fn findings(open: &Open, window: Window, options: &str) -> Answer {
    let options: Pressure = parse("findings", options)?;
    match found(open, window, options)? {
        Ok(found) => Ok(json!({"findings": value(&found)?})),
        Err(reason) => Ok(unavailable(&reason)),
    }
}

/// The findings, ranked, or why nothing could be looked for.
///
/// # Errors
///
/// Fails when an option is wrong or a log cannot be read.
pub fn found(
    open: &Open,
    window: Window,
    options: Pressure,
) -> Result<Result<Vec<Finding>, String>, Error> {
    let pressure = pressure(open, window, options)?;
    let mut others = numa::findings(open, window)?;
    others.extend(ilb::findings(open, window)?);
    let mut found = match pressure {
        Ok(found) => found,
        // Without pressure the others still count; when there are none, why nothing could be looked for.
        Err(reason) if others.is_empty() => return Ok(Err(reason)),
        Err(_) => Vec::new(),
    };
    found.extend(others);
    let cpus = open.index.nodes().iter().map(|node| node.cpus.len()).sum();
    Ok(Ok(rank(found, window.from_ns, window.to_ns, cpus)))
}

/// What the detectors of pressure find, or why they cannot look.
fn pressure(
    open: &Open,
    window: Window,
    options: Pressure,
) -> Result<Result<Vec<Finding>, String>, Error> {
    let given = match Given::of(open, window, options)? {
        Ok(given) => given,
        Err(reason) => return Ok(Err(reason.to_owned())),
    };
    let mut query = match Query::new(given.input()) {
        Ok(query) => query,
        Err(reason) => return Ok(Err(reason)),
    };
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
    Ok(Ok(find(&facts, &[&PRESSURE])))
}
