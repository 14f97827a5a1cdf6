//! Who used which node: the table of utilisation, and where each task ran.

use numalens_engine::states::Which;
use numalens_engine::utilisation::{Config, Meter, Residency, Utilisation, merged};

use super::data::{Data, Named};
use super::options::{List, Step, parse};
use super::{Answer, Window, unavailable, value};
use crate::bundle::Open;
use crate::error::Error;

pub(super) fn utilisation(open: &Open, window: Window, options: &str) -> Answer {
    let options: Step = parse("utilisation", options)?;
    let step_ns = options.within(window.from_ns, window.to_ns)?;
    match used(open, window, step_ns)? {
        Ok(used) => value(&used),
        Err(reason) => Ok(unavailable(reason)),
    }
}

/// How busy the machine was, or why nobody knows.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn used(
    open: &Open,
    window: Window,
    step_ns: Option<u64>,
) -> Result<Result<Utilisation, &'static str>, Error> {
    let (parts, evidence) = match Data::of(open)? {
        Data::There(parts, evidence) => (parts, evidence),
        Data::Missing(reason) => return Ok(Err(reason)),
    };
    let mut meter = Meter::new(&Config {
        nodes: open.index.nodes(),
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        step_ns,
        source: evidence.run_state.clone(),
    });
    parts
        .states
        .scan(Which::Machine, window.from_ns, window.to_ns, |row| {
            meter.row(row);
        })?;
    Ok(Ok(meter.finish()))
}

pub(super) fn residency(open: &Open, window: Window, options: &str) -> Answer {
    let options: List = parse("residency", options)?;
    let (parts, evidence) = match Data::of(open)? {
        Data::There(parts, evidence) => (parts, evidence),
        Data::Missing(reason) => return Ok(unavailable(reason)),
    };
    let (index, nodes) = (&open.index, open.index.nodes());
    let mut residency = Residency::new(nodes, window.from_ns, window.to_ns, &evidence.run_state);
    let lanes = nodes.iter().flat_map(|node| &node.cpus);
    let lanes = lanes.map(|&cpu| index.slices(cpu, window.from_ns, window.to_ns));
    for slice in merged(lanes.collect::<Result<_, _>>()?) {
        residency.slice(&slice);
    }
    parts
        .waits
        .scan(window.from_ns, window.to_ns, |wait, _| residency.wait(wait))?;
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    value(&residency.finish(options.entries(), &names))
}
