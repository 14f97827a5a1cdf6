//! How many waits were how long when.

use numalens_engine::latency::{HeatConfig, HeatMeter};
use numalens_engine::window::Steps;

use super::data::{Data, pids};
use super::options::{Heat, parse};
use super::{Answer, Window, unavailable, value};
use crate::bundle::Open;

pub(super) fn wait_heat(open: &Open, window: Window, options: &str) -> Answer {
    let options: Heat = parse("wait_heat", options)?;
    let (parts, evidence) = match Data::of(open)? {
        Data::There(parts, evidence) => (parts, evidence),
        Data::Missing(reason) => return Ok(unavailable(reason)),
    };
    let pids = pids(open);
    let mut meter = HeatMeter::new(HeatConfig {
        pids: &pids,
        source: evidence.run_state.clone(),
        requests: open.requests,
        steps: Steps::round(window.from_ns, window.to_ns, options.columns()),
    });
    parts
        .waits
        .scan(window.from_ns, window.to_ns, |wait, _| meter.wait(wait))?;
    value(&meter.finish())
}
