//! How long tasks waited for their CPUs, and for what.

use numalens_engine::latency::{Config, Meter};

use super::data::{Data, finished, pids};
use super::options::{List, parse};
use super::{Answer, Window, unavailable, value};
use crate::bundle::Open;

pub(super) fn latency(open: &Open, window: Window, options: &str) -> Answer {
    let options: List = parse("latency", options)?;
    let (parts, evidence) = match Data::of(open)? {
        Data::There(parts, evidence) => (parts, evidence),
        Data::Missing(reason) => return Ok(unavailable(reason)),
    };
    let pids = pids(open);
    let mut meter = Meter::new(&Config {
        nodes: open.index.nodes(),
        pids: &pids,
        source: evidence.run_state.clone(),
        requests: open.requests,
        cgroups: parts.groups.is_some(),
        limit: options.entries(),
    });
    parts
        .waits
        .scan(window.from_ns, window.to_ns, |wait, causes| {
            meter.wait(wait, causes);
        })?;
    value(&finished(open, parts, meter)?)
}
