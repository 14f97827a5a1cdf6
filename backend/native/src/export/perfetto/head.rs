//! What the trace says first: machine, clock, CPUs with their nodes, processes.

use std::collections::{BTreeMap, HashMap};

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use numalens_engine::ipc::IpcFile;
use numalens_engine::topology::Topology;
use numalens_perfetto_packets::{Clock, Thread, Trace};
use serde::Deserialize;

use crate::bundle::{Open, TASKS};
use crate::error::Error;
use crate::storage::{Mapped, Pieces};

/// Events that name a task's process.
const TOLD_BY: [&str; 3] = ["sched_move_numa", "sched_stick_numa", "sched_swap_numa"];

/// The part of a manifest that is told on.
#[derive(Debug, Deserialize)]
struct Told {
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
    let told: Told = serde_json::from_str(&bundle.manifest)
        .map_err(|error| Error::Bundle(format!("the manifest cannot be read: {error}")))?;
    let kernel = told.inputs.iter().find_map(|input| input.kernel.as_deref());
    let words: Vec<&str> = kernel.unwrap_or_default().split_whitespace().collect();
    let release = words
        .iter()
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    let named = |machine: &&&str| ["x86_64", "aarch64", "ppc64le", "s390x"].contains(machine);
    let machine = words.iter().find(named);
    let cpus = told.inputs.iter().filter_map(|input| input.cpus).max();
    trace.system(release.copied(), machine.copied(), cpus.unwrap_or(0));

    let clock = match told.reference.as_ref().map(|it| it.clock.as_str()) {
        Some("mono") => Clock::Mono,
        Some("mono_raw") => Clock::MonoRaw,
        _ => Clock::Boot,
    };
    let at_ns = told.origin_ns.max(from_ns);
    let pairs = told.reference.and_then(|it| told.inputs.get(it.input));
    let real = pairs.and_then(|input| real_at(&input.clock_pairs, at_ns));
    trace.clocks(clock, at_ns, real);

    let mut node_of: BTreeMap<u32, u32> = BTreeMap::new();
    for node in &told.topology.nodes {
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
    threads(bundle, trace)
}

/// Threads whose process is known; the others get their names from the switches to them. Without a process Perfetto would
/// take them all for threads of process 0.
fn threads(bundle: &Open, trace: &mut Trace) -> Result<(), Error> {
    let process = processes(bundle)?;
    let file = IpcFile::open(Mapped::buffer(&bundle.folder.join(TASKS))?, None)?;
    for batch in file.into_batches() {
        let batch = batch?;
        let (Some(pids), Some(comms)) = (batch.column_by_name("pid"), batch.column_by_name("comm"))
        else {
            continue;
        };
        let (pids, comms) = (pids.as_primitive::<Int32Type>(), comms.as_string::<i32>());
        let known: Vec<Thread<'_>> = (0..batch.num_rows())
            .filter_map(|row| {
                let tid = pids.value(row);
                let leader = process.get(&tid).copied()?;
                let name = comms.value(row);
                Some(Thread {
                    tid,
                    tgid: Some(leader),
                    name,
                })
            })
            .collect();
        trace.threads(&known);
    }
    Ok(())
}

/// Processes of tasks, as the NUMA balancer's events name them.
fn processes(bundle: &Open) -> Result<HashMap<i32, i32>, Error> {
    const NAMED: [(&str, &str); 3] = [
        ("pid", "tgid"),
        ("src_pid", "src_tgid"),
        ("dst_pid", "dst_tgid"),
    ];
    let mut found = HashMap::new();
    for table in &bundle.tables {
        if !TOLD_BY.contains(&table.event.as_str()) {
            continue;
        }
        let path = bundle.folder.join(&table.file);
        for batch in IpcFile::open(Pieces::open(&path)?, None)?.into_batches() {
            let batch = batch?;
            let column = |name: &str| {
                let column = batch.column_by_name(name)?;
                column.as_primitive_opt::<Int32Type>()
            };
            for (pid, tgid) in NAMED {
                let (Some(pids), Some(tgids)) = (column(pid), column(tgid)) else {
                    continue;
                };
                let both = pids.values().iter().zip(tgids.values());
                found.extend(both.filter(|(pid, tgid)| **pid > 0 && **tgid > 0));
            }
        }
    }
    Ok(found)
}

/// `CLOCK_REALTIME` at a moment, by the pair that was read next to it.
fn real_at(pairs: &[Pair], at_ns: u64) -> Option<u64> {
    let nearest = pairs
        .iter()
        .min_by_key(|pair| i128::from(pair.trace_ns).abs_diff(i128::from(at_ns)))?;
    let since = i128::from(at_ns) - i128::from(nearest.trace_ns);
    u64::try_from(i128::from(nearest.real_ns) + since).ok()
}
