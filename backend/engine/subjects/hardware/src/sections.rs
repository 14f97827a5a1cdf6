//! Frequencies, idle states and interrupts of the CPUs in a window.

use std::collections::BTreeMap;

use numalens_core::provenance::Label;
use numalens_machine::stat::steal_of_cpus;
use numalens_replay::hardware::{HardwareKind, Level};
use numalens_subject::options::Columns;
use numalens_subject::window::{LOST_EVENTS, step_of};
use numalens_subject::{Context, Stop, Window, subject};
use schemars::JsonSchema;
use serde::Serialize;

/// State of the CPUs' hardware in a window.
#[derive(Serialize, JsonSchema)]
pub(super) struct Hardware {
    /// Length of a step, ns.
    step_ns: u64,
    /// One of each CPU and kind that is known of in the window.
    lanes: Vec<HardwareLane>,
    /// Recorded kinds.
    kinds: Vec<HardwareKind>,
    /// Names of the interrupts.
    irqs: Vec<HardwareIrq>,
    /// The lowest and the highest frequency of the recording, kHz; `None` when none is recorded.
    lowest_khz: Option<u32>,
    /// See `lowest_khz`.
    highest_khz: Option<u32>,
    /// The deepest idle state of the recording.
    deepest_idle: Option<u32>,
    /// Provenance.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

/// An interrupt.
#[derive(Serialize, JsonSchema)]
pub(super) struct HardwareIrq {
    number: u32,
    /// Name of the handler.
    name: String,
}

/// One thing of a CPU in runs of steps that are the same, as columns of one length. What is not known has no step.
#[derive(Serialize, JsonSchema)]
pub(super) struct HardwareLane {
    cpu: u32,
    kind: HardwareKind,
    /// Number of the first step.
    at: Vec<u32>,
    /// Steps.
    steps: Vec<u32>,
    /// kHz, mean of the step; index of the idle state, number of the interrupt, vector, or latency of the timer (µs) with
    /// most time in the step; 0 for steal and hardware noise.
    value: Vec<u32>,
    /// Part of the step that it was so: for a frequency that any is known, else that the CPU was idle, served one, was taken away,
    /// or a timer was late, per mille.
    permille: Vec<u32>,
    /// Time of this state in the window, ns: a frequency known, idle, or serving.
    ns: u64,
    /// Number of starts in the window or before.
    count: u64,
}

/// Input that shows the times of steal.
const STEAL_EVENTS: &str = "a recording of the host with trace-cmd record -A";
/// Reason for an empty section.
const NOT_RECORDED: &str = "no event is about the CPUs' hardware: record with trace-cmd record -e power:cpu_frequency -e power:cpu_idle -e irq";

/// A step that is being added up: ns by value, in the order in which they came.
#[derive(Default)]
struct Step {
    values: Vec<(u32, u64)>,
}

impl Step {
    fn add(&mut self, value: u32, ns: u64) {
        match self.values.iter_mut().find(|known| known.0 == value) {
            Some(known) => known.1 += ns,
            None => self.values.push((value, ns)),
        }
    }

    /// Value and ns in all.
    fn sum(&self, kind: HardwareKind) -> Option<(u32, u64)> {
        let ns: u64 = self.values.iter().map(|value| value.1).sum();
        if ns == 0 {
            return None;
        }
        if kind == HardwareKind::Frequency {
            let weighed = self.values.iter();
            let weighed = weighed.map(|&(value, ns)| u128::from(value) * u128::from(ns));
            return Some(((weighed.sum::<u128>() / u128::from(ns)) as u32, ns));
        }
        let most = self.values.iter().rev().max_by_key(|value| value.1)?;
        Some((most.0, ns))
    }
}

impl HardwareLane {
    fn new(cpu: u32, kind: HardwareKind) -> Self {
        Self {
            cpu,
            kind,
            at: Vec::new(),
            steps: Vec::new(),
            value: Vec::new(),
            permille: Vec::new(),
            ns: 0,
            count: 0,
        }
    }

    /// Adds steps that are the same.
    fn push(&mut self, at: u32, steps: u32, value: u32, permille: u32) {
        let joins = self
            .at
            .last()
            .zip(self.steps.last())
            .is_some_and(|(last, steps)| last + steps == at)
            && self.value.last() == Some(&value)
            && self.permille.last() == Some(&permille);
        if let Some(last) = self.steps.last_mut().filter(|_| joins) {
            *last += steps;
            return;
        }
        self.at.push(at);
        self.steps.push(steps);
        self.value.push(value);
        self.permille.push(permille);
    }
}

/// A lane, and its incomplete step.
struct Filling {
    lane: HardwareLane,
    at: u64,
    step: Step,
}

impl Filling {
    fn new(cpu: u32, kind: HardwareKind) -> Self {
        Self {
            lane: HardwareLane::new(cpu, kind),
            at: 0,
            step: Step::default(),
        }
    }

    /// Adds a state that held for `ns` of every `of` from one time to another, at unknown times.
    fn spread(&mut self, (from, to): (u64, u64), ns: u64, of: u64, step_ns: u64) {
        let share = |part: u64| (u128::from(part) * u128::from(ns) / u128::from(of)) as u64;
        self.lane.ns += share(to - from);
        let mut from = from;
        while from < to {
            let at = from / step_ns;
            self.go_to(at, step_ns);
            let end = to.min((at + 1) * step_ns);
            self.step.add(0, share(end - from));
            from = end;
        }
    }

    fn go_to(&mut self, at: u64, step_ns: u64) {
        if at != self.at {
            self.end_step(step_ns);
            self.at = at;
        }
    }

    fn end_step(&mut self, step_ns: u64) {
        let step = std::mem::take(&mut self.step);
        if let Some((value, ns)) = step.sum(self.lane.kind) {
            let permille = (u128::from(ns) * 1000).div_ceil(u128::from(step_ns));
            let permille = permille.min(1000) as u32;
            self.lane.push(self.at as u32, 1, value, permille);
        }
    }

    /// Adds a value from one time to another, both ns from the start of the window; those of a lane ascend.
    fn add(&mut self, value: u32, from: u64, to: u64, step_ns: u64) {
        self.lane.ns += to - from;
        self.lane.count += 1;
        let mut from = from;
        while from < to {
            let at = from / step_ns;
            self.go_to(at, step_ns);
            // Whole steps at once.
            let whole = (to / step_ns).saturating_sub(at);
            if from == at * step_ns && whole > 1 {
                self.lane.push(at as u32, whole as u32, value, 1000);
                from = (at + whole) * step_ns;
                continue;
            }
            let end = to.min((at + 1) * step_ns);
            self.step.add(value, end - from);
            from = end;
        }
    }
}

pub(super) fn hardware(open: &Context, window: Window, options: Columns) -> Result<Hardware, Stop> {
    let Some(summary) = &open.hardware else {
        return Err(Stop::unavailable(NOT_RECORDED));
    };
    // Where no host shows when it took a CPU, samples show how much of it, and not when between them.
    let steal = if summary.kinds.contains(&HardwareKind::Steal) {
        Vec::new()
    } else {
        steal_of_cpus(open)?
    };
    let sampled = steal.iter().any(|&(.., ns)| ns > 0);
    if summary.kinds.is_empty() && !sampled {
        return Err(Stop::unavailable(NOT_RECORDED));
    }
    let step_ns = step_of((window.from_ns, window.to_ns), options.columns);
    let mut lanes: BTreeMap<(HardwareKind, u32), Filling> = BTreeMap::new();
    open.hardware_log()?.spans(
        window.from_ns,
        window.to_ns,
        |cpu, kind, start, end, level| {
            let filling = lanes
                .entry((kind, cpu))
                .or_insert_with(|| Filling::new(cpu, kind));
            if let Level::Value(value) = level {
                let (from, to) = (start - window.from_ns, end - window.from_ns);
                filling.add(value, from, to, step_ns);
            }
        },
    )?;
    for (cpu, from, to, ns) in steal.into_iter().filter(|_| sampled) {
        let inside = (from.max(window.from_ns), to.min(window.to_ns));
        if inside.0 < inside.1 {
            let filling = lanes
                .entry((HardwareKind::Steal, cpu))
                .or_insert_with(|| Filling::new(cpu, HardwareKind::Steal));
            let inside = (inside.0 - window.from_ns, inside.1 - window.from_ns);
            filling.spread(inside, ns.min(to - from), to - from, step_ns);
        }
    }
    let lost = open.index.lost_spans();
    let lost = lost
        .iter()
        .any(|&(from, to)| from <= window.to_ns && to >= window.from_ns);
    let mut kinds = summary.kinds.clone();
    if sampled {
        kinds.push(HardwareKind::Steal);
        kinds.sort_unstable();
    }
    Ok(Hardware {
        step_ns,
        lanes: lanes
            .into_values()
            .map(|mut filling| {
                filling.end_step(step_ns);
                filling.lane
            })
            .collect(),
        kinds,
        irqs: summary
            .irqs
            .iter()
            .map(|(number, name)| HardwareIrq {
                number: *number,
                name: name.clone(),
            })
            .collect(),
        lowest_khz: summary.frequency_khz.map(|khz| khz.0),
        highest_khz: summary.frequency_khz.map(|khz| khz.1),
        deepest_idle: summary.deepest_idle,
        label: if lost || sampled {
            Label::Inferred
        } else {
            Label::Observed
        },
        missing: [(lost, LOST_EVENTS), (sampled, STEAL_EVENTS)]
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, what)| what.to_owned())
            .collect(),
    })
}

subject! {
    kinds: &[];
    "hardware", hardware, false, Some(
        "Frequencies, idle states, interrupts and softirqs of the CPUs, in steps of the window."
    );
}
