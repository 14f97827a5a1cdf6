//! Idle CPUs while tasks wait.

use numalens_bundle::Open;
use numalens_replay::states::Which;

use crate::sections::data::replay;
use crate::sections::options::{Step, within};
use crate::sections::section::{Stop, Window};
use crate::waste::{Config, Meter, Waste};

pub(super) fn waste(open: &Open, window: Window, options: Step) -> Result<Waste, Stop> {
    let step_ns = within(options.step_ns, window.from_ns, window.to_ns)?;
    let (parts, evidence) = replay(open)?;
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
    Ok(meter.finish())
}
