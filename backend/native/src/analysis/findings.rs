//! What stands out.

use numalens_engine::findings::{Facts, Load, PRESSURE, PressureFacts, Watch, find};
use numalens_engine::psi::Query;
use serde_json::json;

use super::options::{Pressure, parse};
use super::psi::Given;
use super::sampled::load_samples;
use super::{Answer, Window, unavailable, value};
use crate::bundle::Open;

pub(super) fn findings(open: &Open, window: Window, options: &str) -> Answer {
    let options: Pressure = parse("findings", options)?;
    let given = match Given::of(open, window, options)? {
        Ok(given) => given,
        Err(reason) => return Ok(unavailable(reason)),
    };
    let mut query = match Query::new(given.input()) {
        Ok(query) => query,
        Err(reason) => return Ok(unavailable(&reason)),
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
    let found = find(&facts, &[&PRESSURE]);
    Ok(json!({"findings": value(&found)?}))
}
