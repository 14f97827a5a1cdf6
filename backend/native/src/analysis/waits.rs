//! The longest waits of a length and of a time: those behind a part of a picture.

use numalens_engine::evidence::Label;
use numalens_engine::latency::{Config, Meter, WorstWait};
use serde::Serialize;

use super::data::{Data, finished, pids};
use super::options::{Listed, parse};
use super::{Answer, Window, unavailable, value};
use crate::bundle::Open;

#[derive(Serialize)]
struct Listing {
    /// How many there are, told or not.
    count: u64,
    /// The sum of their waits, ns.
    wait_ns: u64,
    waits: Vec<WorstWait>,
    label: Label,
    missing: Vec<String>,
}

pub(super) fn waits(open: &Open, window: Window, options: &str) -> Answer {
    let options: Listed = parse("waits", options)?;
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
    let lengths = options.least_ns.unwrap_or(0)..options.below_ns.unwrap_or(u64::MAX);
    let ends = options.ended_from_ns.unwrap_or(0)..options.ended_to_ns.unwrap_or(u64::MAX);
    parts
        .waits
        .scan(window.from_ns, window.to_ns, |wait, causes| {
            let ns = wait.end_ns.saturating_sub(wait.start_ns);
            if lengths.contains(&ns) && ends.contains(&wait.end_ns) {
                meter.wait(wait, causes);
            }
        })?;
    let latency = finished(open, parts, meter)?;
    let (count, wait_ns, waits) = if options.preempted() {
        let kind = latency.preempted;
        (kind.count, kind.wait_ns, kind.worst)
    } else {
        (latency.wakeups, latency.wait_ns, latency.worst)
    };
    value(&Listing {
        count,
        wait_ns,
        waits,
        label: latency.label,
        missing: latency.missing,
    })
}
