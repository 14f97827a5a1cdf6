//! mmtests' table of the counters in `/proc/vmstat`. No recording is needed.

use numalens_bundle::Open;
use numalens_core::json::Moment;
use schemars::JsonSchema;
use serde::Serialize;

use crate::reconcile::vmstat::{self, VmstatTable};
use crate::sections::numa::samples;
use crate::sections::options::Nothing;
use crate::sections::section::{Stop, Window};

/// The counters of `/proc/vmstat` between the window's first and last sample.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Vmstat")]
pub(in super::super) struct Counted {
    /// When the first sample was read, ns.
    #[serde(with = "Moment")]
    sampled_from_ns: u64,
    /// When the last one was, ns.
    #[serde(with = "Moment")]
    sampled_to_ns: u64,
    /// What they counted.
    table: VmstatTable,
}

pub(in super::super) fn vmstat(open: &Open, window: Window, _: Nothing) -> Result<Counted, Stop> {
    let readings = samples::counters(open)?;
    if readings.is_empty() {
        return Err(Stop::unavailable("no samples of /proc/vmstat were given"));
    }
    let Some((before, after)) = vmstat::span(&readings, window.from_ns, window.to_ns) else {
        return Err(Stop::unavailable(
            "/proc/vmstat was not sampled twice in the window",
        ));
    };
    let table = vmstat::table(&vmstat::deltas(&before.counters, &after.counters));
    Ok(Counted {
        sampled_from_ns: before.t_ns,
        sampled_to_ns: after.t_ns,
        table,
    })
}
