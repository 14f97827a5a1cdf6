//! Idle CPUs beside waiting tasks.

use numalens_engine::states::Which;
use numalens_engine::waste::{Config, Meter};

use super::data::Data;
use super::options::{Step, parse};
use super::{Answer, Window, unavailable, value};
use crate::bundle::Open;

pub(super) fn waste(open: &Open, window: Window, options: &str) -> Answer {
    let options: Step = parse("waste", options)?;
    let step_ns = options.within(window.from_ns, window.to_ns)?;
    let (parts, evidence) = match Data::of(open)? {
        Data::There(parts, evidence) => (parts, evidence),
        Data::Missing(reason) => return Ok(unavailable(reason)),
    };
    let mut meter = Meter::new(&Config {
        nodes: open.index.nodes(),
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        step_ns,
        source: evidence.run_state.clone(),
        // Kernel threads of one CPU are known by their names; of other tasks nothing tells what they are bound to.
        affinity: false,
    });
    parts
        .states
        .scan(Which::Machine, window.from_ns, window.to_ns, |row| {
            meter.row(row);
        })?;
    value(&meter.finish())
}
