//! Use of nodes: the table of utilisation, and the CPUs of each task.

use std::sync::Arc;

use numalens_bundle::Error;
use numalens_core::provenance::Source;
use numalens_replay::evidence::Evidence;
use numalens_replay::states::{StateRow, Which};
use numalens_replay::waits::Order;
use numalens_subject::options::{List, Step, within};
use numalens_subject::section::{Named, Parts, replay};
use numalens_subject::{Context, Shared, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::sections::benchmark;
use crate::stat::{CpuModes, Modes, modes};
use crate::utilisation::NodeTime;
use crate::utilisation::{Config, Meter, Residencies, Residency, Utilisation, merged};
use numalens_subject::metrics::{Basis, Better, Metric, Metrics, content, figures, ms};

/// Load of the machine, and the modes of its CPUs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Utilisation")]
pub(super) struct MachineUse {
    #[serde(flatten)]
    load: Utilisation,
    /// Time in user mode and in the kernel; null without two samples of `/proc/stat` in the window.
    modes: Option<CpuModes>,
}

pub(super) fn utilisation(
    open: &Context,
    window: Window,
    options: Step,
) -> Result<MachineUse, Stop> {
    let step_ns = within(options.step_ns, window.from_ns, window.to_ns)?;
    Ok(MachineUse {
        load: (*used(open, window, step_ns)?).clone(),
        modes: modes(open, window.from_ns, window.to_ns)?,
    })
}

/// Returns the load of the machine.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn used(
    open: &Context,
    window: Window,
    step_ns: Option<u64>,
) -> Result<Arc<Utilisation>, Stop> {
    let (parts, evidence) = replay(open)?;
    Ok(busy(open, (parts, evidence), window, step_ns)?)
}

/// Calls `row` with the state of every CPU at the start of the window, then with each change inside; returns their
/// provenance.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn states(open: &Context, window: Window, row: impl FnMut(&StateRow)) -> Result<Source, Stop> {
    let (parts, evidence) = replay(open)?;
    let states = &parts.states;
    states.scan_machine(window.from_ns, window.to_ns, row)?;
    Ok(evidence.run_state_in(window.from_ns, window.to_ns))
}

/// As [`used`], where nothing is missing.
///
/// # Errors
///
/// Fails when a log cannot be read.
pub fn busy(
    open: &Context,
    (parts, evidence): (&Parts, &Evidence),
    window: Window,
    step_ns: Option<u64>,
) -> Result<Arc<Utilisation>, Error> {
    let key = (window, step_ns);
    open.shared(key, || measure(open, (parts, evidence), window, step_ns))
}

impl Shared for Utilisation {
    fn heap_bytes(&self) -> usize {
        let cells = self.nodes.len() * self.imbalance.len() * size_of::<u64>();
        cells + self.nodes.heap_bytes() + self.cpus.heap_bytes() + self.imbalance.heap_bytes()
    }
}

/// Returns a meter for the load of the machine in a window.
pub fn meter(open: &Context, evidence: &Evidence, window: Window, step_ns: Option<u64>) -> Meter {
    Meter::new(&Config {
        nodes: open.index.nodes(),
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        step_ns,
        source: evidence.run_state_in(window.from_ns, window.to_ns),
    })
}

fn measure(
    open: &Context,
    (parts, evidence): (&Parts, &Evidence),
    window: Window,
    step_ns: Option<u64>,
) -> Result<Utilisation, Error> {
    let mut meter = meter(open, evidence, window, step_ns);
    parts
        .states
        .scan(Which::Machine, window.from_ns, window.to_ns, |row| {
            meter.row(row);
        })?;
    Ok(meter.finish())
}

pub(super) fn residency(
    open: &Context,
    window: Window,
    options: List,
) -> Result<Residencies, Stop> {
    let (parts, evidence) = replay(open)?;
    let (index, nodes) = (&open.index, open.index.nodes());
    let source = evidence.run_state_in(window.from_ns, window.to_ns);
    let mut residency = Residency::new(nodes, window.from_ns, window.to_ns, &source);
    let lanes = nodes.iter().flat_map(|node| &node.cpus);
    let lanes = lanes.map(|&cpu| index.slices(cpu, window.from_ns, window.to_ns));
    for slice in merged(lanes.collect::<Result<_, _>>()?) {
        residency.slice(&slice);
    }
    parts
        .waits
        .over(window.from_ns, window.to_ns, Order::Forwards, |wait, _| {
            residency.wait(wait);
        })?;
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    Ok(residency.finish(options.limit, &names))
}

/// Figures for comparisons: the use of each node, and the results of benchmarks.
pub(super) fn metrics(
    open: &Context,
    window: (u64, u64),
    step_ns: u64,
) -> Result<Vec<Metrics>, Error> {
    let step = Step {
        step_ns: Some(step_ns),
    };
    let used = content(utilisation, open, window, step, false)?;
    let basis = |used: &Utilisation, seconds| Basis::new(used.label, &used.missing, seconds);
    let nodes = figures(
        "statistics",
        &used,
        |MachineUse { load: used, .. }, seconds| {
            let row = |node: &NodeTime| {
                let percents = node.percent.iter().flatten().map(|&percent| percent as f64);
                let (name, title) = (
                    format!("node_{}", node.nid),
                    format!("Node {} busy", node.nid),
                );
                let percents = basis(used, seconds).numbers(percents);
                Metric::new(name, title, Ok(percents)).of("%", Better::Neither)
            };
            used.nodes.iter().map(row).collect()
        },
    );
    let modes = figures("statistics", &used, |used, seconds| {
        let modes = used.modes.as_ref();
        let share = |of: fn(&Modes) -> f64| {
            let modes = modes.ok_or("/proc/stat was not sampled twice in the window")?;
            let basis = Basis::new(modes.label, &[""; 0], seconds);
            Ok(basis.numbers(modes.steps.iter().map(of)))
        };
        let row = |name, title, of| Metric::new(name, title, share(of)).of("%", Better::Neither);
        vec![
            row("mode_user", "User time (/proc/stat)", |step| {
                step.user_percent
            }),
            row("mode_system", "System time (/proc/stat)", |step| {
                step.system_percent
            }),
            row("mode_irq", "Interrupt time (/proc/stat)", |step| {
                step.irq_percent
            }),
        ]
    });
    let spread = figures(
        "statistics",
        &used,
        |MachineUse { load: used, .. }, seconds| {
            let points = used.imbalance.iter().filter_map(|step| step.max_min);
            let points = basis(used, seconds).numbers(points);
            let several = used.nodes.len() > 1;
            let points = several
                .then_some(points)
                .ok_or("there is only one node".to_owned());
            let title = "Node imbalance (busiest - idlest)";
            vec![Metric::new("spread", title, points).of("points", Better::Lower)]
        },
    );
    let times = figures("fleet", &used, |MachineUse { load: used, .. }, seconds| {
        let basis = basis(used, seconds);
        let (busy, all) = (
            used.nodes.iter().map(|node| ms(node.busy_ns)),
            used.nodes.iter(),
        );
        let all = all.flat_map(|node| [ms(node.busy_ns), ms(node.idle_ns)]);
        vec![
            Metric::new("cpu_busy", "CPU time used", Ok(basis.sum(busy))).of("ms", Better::Neither),
            Metric::new("cpu_known", "CPU time, used or idle", Ok(basis.sum(all)))
                .of("ms", Better::Neither),
        ]
    });
    let nodes = nodes.otherwise("there is no such node");
    Ok(vec![
        nodes,
        modes,
        spread,
        benchmark::metrics(open, window)?,
        times,
    ])
}
