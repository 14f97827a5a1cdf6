//! Head of the trace: machine, clock, CPUs with their nodes, processes.

use std::collections::BTreeMap;

use numalens_bundle::{Error, Open};
use numalens_core::topology::Topology;
use numalens_perfetto_packets::{Clock, Trace};
use serde::Deserialize;

use super::names;

/// The part of a manifest that the trace needs.
#[derive(Debug, Deserialize)]
struct Manifest {
    inputs: Vec<Input>,
    topology: Topology,
    origin_ns: u64,
    reference: Option<Reference>,
}

#[derive(Debug, Deserialize)]
struct Input {
    kernel: Option<String>,
    cpus: Option<u32>,
    #[serde(default)]
    clock_pairs: Vec<Pair>,
}

#[derive(Debug, Deserialize)]
struct Pair {
    trace_ns: i64,
    real_ns: i64,
}

#[derive(Debug, Deserialize)]
struct Reference {
    input: usize,
    clock: String,
}

pub(super) fn write(bundle: &Open, from_ns: u64, trace: &mut Trace) -> Result<(), Error> {
    let manifest: Manifest = serde_json::from_str(&bundle.manifest)
        .map_err(|error| Error::Bundle(format!("the manifest cannot be read: {error}")))?;
    let kernel = manifest
        .inputs
        .iter()
        .find_map(|input| input.kernel.as_deref());
    let words: Vec<&str> = kernel.unwrap_or_default().split_whitespace().collect();
    let release = words
        .iter()
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    let named = |machine: &&&str| ["x86_64", "aarch64", "ppc64le", "s390x"].contains(machine);
    let machine = words.iter().find(named);
    let cpus = manifest.inputs.iter().filter_map(|input| input.cpus).max();
    let release = match release {
        Some(release) => Some(*release),
        None => has_todays_states(bundle)?.then_some(TODAYS_STATES),
    };
    trace.system(release, machine.copied(), cpus.unwrap_or(0));

    let clock = match manifest.reference.as_ref().map(|it| it.clock.as_str()) {
        Some("mono") => Clock::Mono,
        Some("mono_raw") => Clock::MonoRaw,
        _ => Clock::Boot,
    };
    let at_ns = manifest.origin_ns.max(from_ns);
    let pairs = manifest
        .reference
        .and_then(|it| manifest.inputs.get(it.input));
    let real = pairs.and_then(|input| real_at(&input.clock_pairs, at_ns));
    trace.clocks(clock, at_ns, real);

    let mut node_of: BTreeMap<u32, u32> = BTreeMap::new();
    for node in &manifest.topology.nodes {
        node_of.extend(node.cpus.iter().map(|cpu| (*cpu, node.nid)));
    }
    if let Some(last) = node_of.last_key_value().map(|(cpu, _)| *cpu) {
        let words: Vec<String> = (0..=last)
            .map(|cpu| match node_of.get(&cpu) {
                Some(nid) => format!("node {nid}"),
                None => String::new(),
            })
            .collect();
        trace.cpus(words.iter().map(String::as_str));
    }
    names::write(bundle, trace);
    Ok(())
}

/// Default for an unrecorded release: Perfetto interprets `prev_state` by its first two numbers.
const TODAYS_STATES: &str = "4.14.0 or later, by its sched_switch";

/// Returns whether the states of switches are numbered as since Linux 4.14, which has `I`, or by the catalogue of texts,
/// which does so.
fn has_todays_states(bundle: &Open) -> Result<bool, Error> {
    let mut tables = bundle.tables.iter();
    let Some(switches) = tables.position(|table| table.event == "sched_switch") else {
        return Ok(false);
    };
    let schema = bundle.footer(switches)?.schema();
    let print_fmt = schema
        .metadata()
        .get("print_fmt")
        .cloned()
        .unwrap_or_default();
    Ok(print_fmt.is_empty() || print_fmt.contains("\"I\""))
}

/// `CLOCK_REALTIME` at a moment, by the pair that was read next to it.
fn real_at(pairs: &[Pair], at_ns: u64) -> Option<u64> {
    let nearest = pairs
        .iter()
        .min_by_key(|pair| i128::from(pair.trace_ns).abs_diff(i128::from(at_ns)))?;
    let since = i128::from(at_ns) - i128::from(nearest.trace_ns);
    u64::try_from(i128::from(nearest.real_ns) + since).ok()
}
