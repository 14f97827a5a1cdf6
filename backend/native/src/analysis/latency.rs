//! How long tasks waited for their CPUs, and for what.

use numalens_engine::latency::{Config, Meter};

use super::data::{Data, Named, pids};
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
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    let mut failed = None;
    let answer = meter.finish(&names, |cpu, from_ns, to_ns, tell| {
        match open.index.slices(cpu, from_ns, to_ns) {
            Ok(slices) => {
                slices.for_each(|slice| tell(slice.task, slice.start_ns, slice.end_ns));
            }
            Err(error) => failed = Some(error),
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    value(&answer)
}
