//! How long tasks waited for their CPUs, and for what.

use numalens_bundle::Open;

use crate::latency::{Config, Latency, Meter};
use crate::sections::data::{finished, pids, replay};
use crate::sections::options::List;
use crate::sections::section::{Stop, Window};

pub(super) fn latency(open: &Open, window: Window, options: List) -> Result<Latency, Stop> {
    let (parts, evidence) = replay(open)?;
    let pids = pids(open);
    let mut meter = Meter::new(&Config {
        nodes: open.index.nodes(),
        pids: &pids,
        source: evidence.run_state.clone(),
        requests: open.requests,
        cgroups: parts.groups.is_some(),
        limit: options.limit,
    });
    parts
        .waits
        .scan(window.from_ns, window.to_ns, |wait, causes| {
            meter.wait(wait, causes);
        })?;
    Ok(finished(open, parts, meter)?)
}
