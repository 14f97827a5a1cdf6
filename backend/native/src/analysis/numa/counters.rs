//! mmtests' table of the counters in `/proc/vmstat`. No recording is needed.

use numalens_engine::reconcile::vmstat;
use serde_json::json;

use super::super::options::{Nothing, parse};
use super::super::{Answer, Window, unavailable, value};
use super::samples;
use crate::bundle::Open;

pub(in super::super) fn vmstat(open: &Open, window: Window, options: &str) -> Answer {
    let _: Nothing = parse("vmstat", options)?;
    let readings = samples::counters(open)?;
    if readings.is_empty() {
        return Ok(unavailable("no samples of /proc/vmstat were given"));
    }
    let Some((before, after)) = vmstat::span(&readings, window.from_ns, window.to_ns) else {
        return Ok(unavailable(
            "/proc/vmstat was not sampled twice in the window",
        ));
    };
    let table = vmstat::table(&vmstat::deltas(&before.counters, &after.counters));
    Ok(json!({
        "sampled_from_ns": before.t_ns,
        "sampled_to_ns": after.t_ns,
        "table": value(&table)?,
    }))
}
