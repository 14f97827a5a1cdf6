//! The longest waits of a length and of a time: those behind a part of a picture.

use numalens_bundle::Open;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::latency::{Config, Meter, WorstWait};
use crate::sections::data::{finished, pids, replay};
use crate::sections::options::{WaitKind, WaitList};
use crate::sections::section::{Stop, Window};

/// The longest waits of a length and of a time.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Waits")]
pub(super) struct Listing {
    /// How many there are, listed or not.
    count: u64,
    /// The sum of their waits, ns.
    wait_ns: u64,
    /// The longest.
    waits: Vec<WorstWait>,
    /// How good it is.
    label: Label,
    /// What would make it better.
    missing: Vec<String>,
}

pub(super) fn waits(open: &Open, window: Window, options: WaitList) -> Result<Listing, Stop> {
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
    let lengths = options.least_ns..options.below_ns.unwrap_or(u64::MAX);
    let ends = options.ended_from_ns..options.ended_to_ns.unwrap_or(u64::MAX);
    parts
        .waits
        .scan(window.from_ns, window.to_ns, |wait, causes| {
            let ns = wait.end_ns.saturating_sub(wait.start_ns);
            if lengths.contains(&ns) && ends.contains(&wait.end_ns) {
                meter.wait(wait, causes);
            }
        })?;
    let latency = finished(open, parts, meter)?;
    let (count, wait_ns, waits) = if options.kind == WaitKind::Preempted {
        let kind = latency.preempted;
        (kind.count, kind.wait_ns, kind.worst)
    } else {
        (latency.wakeups, latency.wait_ns, latency.worst)
    };
    Ok(Listing {
        count,
        wait_ns,
        waits,
        label: latency.label,
        missing: latency.missing,
    })
}
