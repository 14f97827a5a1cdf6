//! Wake-up waits by window and by length: what recordings are compared by.

use numalens_bundle::Open;

use crate::latency::{WaitWindows, WindowsConfig, WindowsMeter};
use crate::sections::data::{pids, replay};
use crate::sections::options::{Step, within};
use crate::sections::section::{Stop, Window};
use crate::window::Steps;

/// Windows of a second, unless the whole is too short for that.
const STEP_NS: u64 = 1_000_000_000;
const FEWEST: u64 = 5;
const FEW: u64 = 10;

pub(super) fn wait_windows(
    open: &Open,
    window: Window,
    options: Step,
) -> Result<WaitWindows, Stop> {
    let Window { from_ns, to_ns } = window;
    let steps = match within(options.step_ns, from_ns, to_ns)? {
        Some(step) => Steps::new(from_ns, to_ns, step),
        None if to_ns - from_ns >= FEWEST * STEP_NS => Steps::new(from_ns, to_ns, STEP_NS),
        None => Steps::round(from_ns, to_ns, FEW),
    };
    let (parts, evidence) = replay(open)?;
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
    Ok(meter.finish())
}
