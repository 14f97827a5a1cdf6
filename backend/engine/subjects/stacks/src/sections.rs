//! Sampled stacks: the tree of a window, and the samples of each CPU over time.

use std::collections::{BTreeMap, HashMap};

use numalens_core::provenance::Label;
use numalens_replay::stacks::{Frames, Sample, Stacks, StacksSummary};
use numalens_subject::options::Columns;
use numalens_subject::window::{LOST_EVENTS, step_of};
use numalens_subject::{Context, Stop, Window, subject};
use schemars::JsonSchema;
use serde::Serialize;

use crate::options::StackOptions;
use crate::tree::{Part, Steps, Tree};

/// Samples of a window by what had called what.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Stacks")]
pub(super) struct StackTree {
    /// The events that were sampled in the window, by place.
    events: Vec<StackEvent>,
    /// The place of the event that the rest is about; `None` for all of them.
    event: Option<u32>,
    /// Samples.
    samples: u64,
    /// Samples without a stack.
    without_stack: u64,
    /// Samples with a truncated stack: it was deeper than the limit.
    truncated: u64,
    /// Sum of their periods; `None` unless it is of one event that has them.
    weight: Option<u64>,
    /// Unit of the periods: `ns` for perf's clocks, otherwise `events`.
    weight_unit: &'static str,
    /// Files with sampled code in the whole recording whose functions are unknown: those with most places first.
    files_without_functions: Vec<UnnamedStackFile>,
    /// Number of further files.
    files_without_functions_more: u64,
    /// The functions with most samples in them, and all that the nodes name.
    functions: Vec<StackFunction>,
    /// Functions that are left out.
    functions_left_out: u64,
    /// The callsites with most samples, callers before what they called.
    nodes: StackNodes,
    /// Callsites that are left out, and the samples that were in one of them.
    nodes_left_out: u64,
    /// See `nodes_left_out`.
    samples_left_out: u64,
    /// Length of a step, ns.
    step_ns: u64,
    /// The steps of the window with samples.
    steps: StackSteps,
    /// Provenance.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

/// An event that was sampled.
#[derive(Serialize, JsonSchema)]
pub(super) struct StackEvent {
    /// `perf` for perf's own.
    system: String,
    event: String,
    /// Samples in the window, of the task and CPU that were requested.
    samples: u64,
    /// True if its samples have a period.
    weighted: bool,
}

/// A file with unknown functions: it is not an input, or its build ID is not recorded.
#[derive(Serialize, JsonSchema)]
pub(super) struct UnnamedStackFile {
    /// Path, or perf's name for it.
    file: String,
    /// Build ID in hexadecimal digits; `None` when not recorded.
    build_id: Option<String>,
    /// Places in it that samples have.
    places: u64,
}

/// A function, or a place that has no name.
#[derive(Serialize, JsonSchema)]
pub(super) struct StackFunction {
    /// Name; `file+0x1f` or `0x1f` when unknown.
    name: String,
    /// Path of the file it is in, `[kernel.kallsyms]` or `[module]`; empty when not known.
    module: String,
    /// Samples in the function itself.
    own: u64,
    /// Samples in it and all that it called; each counts once.
    total: u64,
    /// Sums of periods likewise; `None` as `weight`.
    own_weight: Option<u64>,
    /// See `own_weight`.
    total_weight: Option<u64>,
}

/// Callsites, as columns of one length.
#[derive(Serialize, JsonSchema, Default)]
pub(super) struct StackNodes {
    /// Place of the caller; -1 for an outermost function.
    parent: Vec<i64>,
    /// Place of the function in `functions`.
    function: Vec<u32>,
    /// Samples in the function itself, called so.
    own: Vec<u64>,
    /// Samples in it and all that it called.
    total: Vec<u64>,
}

/// Steps of the window, as columns of one length.
#[derive(Serialize, JsonSchema, Default)]
pub(super) struct StackSteps {
    /// Number of the step.
    at: Vec<u32>,
    /// Place of the callsite that most of its samples have, or of its innermost caller that is shown; -1 when none is.
    node: Vec<i64>,
    /// Samples that have it.
    most: Vec<u64>,
    /// Samples with a stack.
    samples: Vec<u64>,
}

/// Reason for missing stacks.
pub(super) const NOT_SAMPLED: &str =
    "no stacks were sampled: record with perf record -a -g, or with trace-cmd record -T";
/// Input that has the names of the kernel's functions.
const KALLSYMS: &str = "kallsyms";

/// The log of a bundle that has stacks.
fn log(open: &Context) -> Result<(&StacksSummary, &Stacks), Stop> {
    let Some(summary) = &open.stacks else {
        return Err(Stop::unavailable(NOT_SAMPLED));
    };
    if summary.events.iter().all(|event| event.samples == 0) {
        return Err(Stop::unavailable(NOT_SAMPLED));
    }
    Ok((summary, open.stack_log()?))
}

/// Provenance of the samples of a window.
fn label(open: &Context, window: Window, missing: &[(bool, &str)]) -> (Label, Vec<String>) {
    let lost = open.index.lost_spans();
    let lost = lost
        .iter()
        .any(|&(from, to)| from <= window.to_ns && to >= window.from_ns);
    let missing = missing.iter().copied().chain([(lost, LOST_EVENTS)]);
    let missing: Vec<String> = missing.filter(|m| m.0).map(|m| m.1.to_owned()).collect();
    let label = if missing.is_empty() {
        Label::Observed
    } else {
        Label::Inferred
    };
    (label, missing)
}

pub(super) fn stacks(
    open: &Context,
    window: Window,
    options: StackOptions,
) -> Result<StackTree, Stop> {
    let (summary, log) = log(open)?;
    let mut tree = Tree::new(log.callsites.len());
    let mut steps = Steps::new((window.from_ns, window.to_ns), options.columns);
    let mut counts = vec![0_u64; summary.events.len()];
    log.scan(window.from_ns, window.to_ns, |sample| {
        let chosen = options.pid.is_none_or(|pid| sample.pid == pid)
            && options.cpu.is_none_or(|cpu| sample.cpu == cpu);
        if !chosen {
            return;
        }
        if let Some(count) = counts.get_mut(sample.event as usize) {
            *count += 1;
        }
        if options.event.is_none_or(|event| sample.event == event) {
            tree.add(&sample);
            steps.add(&sample);
        }
    })?;
    steps.end();
    tree.sum(&log.callsites);
    let part = tree.largest(&log.callsites, options.nodes);
    let mut met = counts.iter().enumerate().filter(|count| *count.1 > 0);
    let only = options.event.map(|event| event as usize).or_else(|| {
        let first = met.next()?.0;
        met.next().is_none().then_some(first)
    });
    let only = only.and_then(|at| summary.events.get(at));
    let weighted = only.is_some_and(|event| event.weighted);
    let (functions, places, left_out) = functions(&tree, &part, log, options.limit, weighted);
    let (label, missing) = label(open, window, &[(summary.kernel_unnamed, KALLSYMS)]);
    let events = summary.events.iter().zip(counts);
    let unnamed = summary.unnamed.iter().map(|it| UnnamedStackFile {
        file: it.file.clone(),
        build_id: it.build_id.clone(),
        places: it.places,
    });
    Ok(StackTree {
        events: events
            .map(|(event, samples)| StackEvent {
                system: event.system.clone(),
                event: event.event.clone(),
                samples,
                weighted: event.weighted,
            })
            .collect(),
        event: options.event,
        samples: tree.samples.samples,
        without_stack: tree.without,
        truncated: tree.truncated,
        weight: weighted.then_some(tree.samples.weight),
        weight_unit: match only.map(|event| event.event.split(':').next().unwrap_or_default()) {
            Some("cpu-clock" | "task-clock") => "ns",
            _ => "events",
        },
        files_without_functions: unnamed.collect(),
        files_without_functions_more: summary.unnamed_more,
        functions,
        functions_left_out: left_out,
        nodes_left_out: part.left_out,
        samples_left_out: part.left_out_samples,
        step_ns: steps.step_ns,
        steps: StackSteps::of(&steps, &part, log),
        nodes: StackNodes::of(&part, &places),
        label,
        missing,
    })
}

/// The functions that are named, their places by frame, and how many are left out.
fn functions(
    tree: &Tree,
    part: &Part,
    log: &Stacks,
    limit: usize,
    weighted: bool,
) -> (Vec<StackFunction>, HashMap<u32, u32>, u64) {
    let all = tree.functions(&log.callsites);
    let named: std::collections::HashSet<u32> = part.nodes.iter().map(|node| node.frame).collect();
    let count = all.len();
    let (mut functions, mut places) = (Vec::new(), HashMap::new());
    for (at, sum) in all.into_iter().enumerate() {
        if at >= limit && !named.contains(&sum.frame) {
            continue;
        }
        let frame = log.frames.get(sum.frame);
        places.insert(sum.frame, functions.len() as u32);
        functions.push(StackFunction {
            name: frame.name.to_owned(),
            module: frame.module.to_owned(),
            own: sum.own.samples,
            total: sum.total.samples,
            own_weight: weighted.then_some(sum.own.weight),
            total_weight: weighted.then_some(sum.total.weight),
        });
    }
    let left_out = (count - functions.len()) as u64;
    (functions, places, left_out)
}

impl StackNodes {
    fn of(part: &Part, places: &HashMap<u32, u32>) -> Self {
        let mut nodes = Self::default();
        for node in &part.nodes {
            nodes.parent.push(node.parent.map_or(-1, i64::from));
            let function = places.get(&node.frame).copied();
            nodes.function.push(function.unwrap_or_default());
            nodes.own.push(node.own.samples);
            nodes.total.push(node.total.samples);
        }
        nodes
    }
}

impl StackSteps {
    fn of(steps: &Steps, part: &Part, log: &Stacks) -> Self {
        let mut columns = Self::default();
        for &(at, callsite, most, samples) in &steps.found {
            let node = part.place(&log.callsites, callsite);
            columns.at.push(at);
            columns.node.push(node.map_or(-1, i64::from));
            columns.most.push(most);
            columns.samples.push(samples);
        }
        columns
    }
}

/// Samples of each CPU over time.
#[derive(Serialize, JsonSchema)]
pub(super) struct StackMarks {
    /// Length of a step, ns.
    step_ns: u64,
    /// The CPUs that were sampled, by number.
    cpus: Vec<CpuStackMarks>,
    /// Names of the functions that marks have.
    functions: Vec<String>,
    /// Provenance.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

/// The samples of a CPU in steps of the window, as columns of one length.
#[derive(Serialize, JsonSchema, Default)]
pub(super) struct CpuStackMarks {
    cpu: u32,
    /// Number of the step.
    at: Vec<u32>,
    /// Samples in it.
    samples: Vec<u64>,
    /// The thread of the first one; -1 when not recorded.
    pid: Vec<i32>,
    /// The function that the first one was in, a place in `functions`; -1 without a stack.
    function: Vec<i64>,
}

pub(super) fn stack_marks(
    open: &Context,
    window: Window,
    options: Columns,
) -> Result<StackMarks, Stop> {
    let (_, log) = log(open)?;
    let step_ns = step_of((window.from_ns, window.to_ns), options.columns);
    let mut cpus: BTreeMap<u32, CpuStackMarks> = BTreeMap::new();
    let mut functions = Named::new(&log.frames);
    log.scan(window.from_ns, window.to_ns, |sample| {
        let at = ((sample.ts_ns - window.from_ns) / step_ns) as u32;
        let marks = cpus.entry(sample.cpu).or_insert_with(|| CpuStackMarks {
            cpu: sample.cpu,
            ..CpuStackMarks::default()
        });
        if marks.at.last() == Some(&at) {
            if let Some(samples) = marks.samples.last_mut() {
                *samples += 1;
            }
            return;
        }
        marks.at.push(at);
        marks.samples.push(1);
        marks.pid.push(sample.pid);
        marks.function.push(functions.of(log, &sample));
    })?;
    let (label, missing) = label(open, window, &[]);
    Ok(StackMarks {
        step_ns,
        cpus: cpus.into_values().collect(),
        functions: functions.names,
        label,
        missing,
    })
}

/// Functions that are named, each once.
struct Named<'a> {
    frames: &'a Frames,
    names: Vec<String>,
    places: HashMap<u32, i64>,
}

impl<'a> Named<'a> {
    fn new(frames: &'a Frames) -> Self {
        Self {
            frames,
            names: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// The innermost function of a sample.
    fn of(&mut self, log: &Stacks, sample: &Sample) -> i64 {
        let Some((_, frame)) = sample.callsite.and_then(|at| log.callsites.get(at)) else {
            return -1;
        };
        *self.places.entry(frame).or_insert_with(|| {
            self.names.push(self.frames.get(frame).name.to_owned());
            self.names.len() as i64 - 1
        })
    }
}

subject! {
    kinds: &[];
    "stacks", stacks, false, Some(
        "Sampled stacks: callsites with their own and all samples, functions, and the most frequent stack of each time step."
    );
    "stack_marks", stack_marks, false, Some("Samples per CPU in steps of the window.");
}
