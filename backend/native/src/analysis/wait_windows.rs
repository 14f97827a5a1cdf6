//! Wake-up waits by window and by length: what recordings are compared by.

use numalens_engine::latency::{WindowsConfig, WindowsMeter};
use numalens_engine::window::Steps;

use super::data::{Data, pids};
use super::options::{Step, parse};
use super::{Answer, Window, unavailable, value};
use crate::bundle::Open;

/// Windows of a second, unless the whole is too short for that.
const STEP_NS: u64 = 1_000_000_000;
const FEWEST: u64 = 5;
const FEW: u64 = 10;

pub(super) fn wait_windows(open: &Open, window: Window, options: &str) -> Answer {
    let options: Step = parse("wait_windows", options)?;
    let Window { from_ns, to_ns } = window;
    let steps = match options.within(from_ns, to_ns)? {
        Some(step) => Steps::new(from_ns, to_ns, step),
        None if to_ns - from_ns >= FEWEST * STEP_NS => Steps::new(from_ns, to_ns, STEP_NS),
        None => Steps::round(from_ns, to_ns, FEW),
    };
    let (parts, evidence) = match Data::of(open)? {
        Data::There(parts, evidence) => (parts, evidence),
        Data::Missing(reason) => return Ok(unavailable(reason)),
    };
    let pids = pids(open);
    let mut meter = WindowsMeter::new(WindowsConfig {
        pids: &pids,
        source: evidence.run_state.clone(),
        requests: open.requests,
        steps,
    });
    parts
        .waits
        .scan(from_ns, to_ns, |wait, _| meter.wait(wait))?;
    value(&meter.finish())
}
