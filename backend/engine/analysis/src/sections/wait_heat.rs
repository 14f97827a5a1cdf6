//! How many waits were how long when.

use numalens_bundle::Open;

use crate::latency::{HeatConfig, HeatMeter, WaitHeat};
use crate::sections::data::{pids, replay};
use crate::sections::options::Heat;
use crate::sections::section::{Stop, Window};
use crate::window::Steps;

pub(super) fn wait_heat(open: &Open, window: Window, options: Heat) -> Result<WaitHeat, Stop> {
    let (parts, evidence) = replay(open)?;
    let pids = pids(open);
    let mut meter = HeatMeter::new(HeatConfig {
        pids: &pids,
        source: evidence.run_state.clone(),
        requests: open.requests,
        steps: Steps::round(window.from_ns, window.to_ns, options.columns),
    });
    parts
        .waits
        .scan(window.from_ns, window.to_ns, |wait, _| meter.wait(wait))?;
    Ok(meter.finish())
}
