//! Last-level caches below which processes ran, and the one that cache-aware scheduling would prefer for each.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use numalens_core::provenance::Label;
use numalens_machine::sections::threads::Processes;
use numalens_subject::logs::NumaInputs;
use numalens_subject::section::{pids, replay};
use numalens_subject::window::lowered;
use numalens_subject::{Context, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cache_aware::{CachesAndTasks, Preferences, preferences, thread_counts};

/// Number of listed processes.
const MOST: usize = 100;

/// Inputs of the rule that no recording has.
const NEVER_RECORDED: &[&str] = &[
    "the footprint of processes (kernel: exceed_llc_capacity)",
    "the node that NUMA balancing prefers (kernel: get_pref_llc)",
    "which ticks found a thread of the process (kernel: task_tick_cache)",
];

/// A process, below which last-level caches (LLCs) it ran, and which one it would prefer.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct LlcProcess {
    /// The process.
    tgid: i32,
    /// Name of its first thread, otherwise of one of them.
    comm: String,
    /// Number of its threads that ran in the window.
    threads: u64,
    /// Run time, task-ns.
    run_ns: u64,
    /// The same by LLC, in their order; less in sum where CPUs are below none that is known.
    by_llc_ns: Vec<u64>,
    /// The LLC, by its place, that it would prefer for most of the time that it ran; none if it would have no preference.
    preferred: Option<usize>,
    /// Number of changes of its preference in the window.
    changes: u64,
    /// Run time while it would prefer an LLC, task-ns.
    preferring_ns: u64,
    /// Part of that on CPUs of the LLC preferred at the time, task-ns.
    in_preferred_ns: u64,
    /// Migrations of its threads from the LLC that it would prefer at the time to another.
    away: u64,
    /// Migrations to it from another.
    to: u64,
}

/// Processes by how long they ran, below which last-level caches (LLCs), and what cache-aware scheduling would prefer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LlcProcesses {
    /// The longest first; at most 100.
    processes: Vec<LlcProcess>,
    /// Number of further processes.
    more: u64,
    /// Run time of tasks without a recorded process, task-ns.
    unknown_ns: u64,
    /// Provenance of the times.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
    /// Provenance of the preferences: never better than a what-if.
    preferred_provenance: Label,
    /// Assumptions for the preferences, as no recording has these inputs.
    preferred_missing: Vec<String>,
}

/// Totals of a process.
#[derive(Default)]
struct Sum {
    row: LlcProcess,
    pids: BTreeSet<i32>,
    /// Running time by what would be preferred then.
    preferring: BTreeMap<usize, u64>,
}

pub(super) fn llc_processes(
    open: &Context,
    known: &NumaInputs<'_>,
    window: Window,
) -> Result<LlcProcesses, Stop> {
    let (_, evidence) = replay(open)?;
    let index = &open.index;
    let llcs = &open.sharing.llcs;
    let llc_of: HashMap<u32, usize> = (0..)
        .zip(llcs)
        .flat_map(|(at, cpus)| cpus.iter().map(move |&cpu| (cpu, at)))
        .collect();
    let pids = pids(open);
    let processes = Processes::of(open)?;
    let process = index.tgids();
    let preferred = preferred(open, &pids, process)?;
    let cpus = || index.nodes().iter().flat_map(|node| &node.cpus);
    let mut sums: BTreeMap<i32, Sum> = BTreeMap::new();
    let mut unknown_ns = 0;
    for &cpu in cpus() {
        let llc = llc_of.get(&cpu).copied();
        for slice in index.slices(cpu, window.from_ns, window.to_ns)? {
            let (from, to) = (
                slice.start_ns.max(window.from_ns),
                slice.end_ns.min(window.to_ns),
            );
            let ns = to.saturating_sub(from);
            let Some(tgid) = process.get(slice.task as usize).copied().flatten() else {
                unknown_ns += ns;
                continue;
            };
            let sum = sums.entry(tgid).or_default();
            sum.row.by_llc_ns.resize(llcs.len(), 0);
            sum.pids.extend(pids.get(slice.task as usize));
            sum.row.run_ns += ns;
            if let Some(of) = llc.and_then(|llc| sum.row.by_llc_ns.get_mut(llc)) {
                *of += ns;
            }
            for (ns, would) in preferred.parts(tgid, from, to) {
                if let Some(would) = would {
                    *sum.preferring.entry(would).or_default() += ns;
                    sum.row.in_preferred_ns += if llc == Some(would) { ns } else { 0 };
                }
            }
        }
    }
    for one in known.migrations(window.from_ns, window.to_ns)? {
        let tgid = process.get(one.task as usize).copied().flatten();
        let Some((tgid, sum)) = tgid.and_then(|tgid| Some((tgid, sums.get_mut(&tgid)?))) else {
            continue;
        };
        let would = preferred.at(tgid, one.ts_ns);
        let of = |cpu| llc_of.get(&cpu).copied();
        if let (Some(would), Some(from), Some(to)) = (would, of(one.orig_cpu), of(one.dest_cpu)) {
            sum.row.away += u64::from(from == would && to != would);
            sum.row.to += u64::from(from != would && to == would);
        }
    }
    let mut rows: Vec<LlcProcess> = sums
        .into_iter()
        .map(|(tgid, sum)| {
            let most = sum.preferring.iter().rev().max_by_key(|of| of.1);
            let changes = preferred.changes(tgid);
            let inside = |ts_ns: u64| ts_ns > window.from_ns && ts_ns < window.to_ns;
            LlcProcess {
                tgid,
                comm: processes.comm(open, tgid),
                threads: sum.pids.len() as u64,
                preferred: most.map(|of| *of.0),
                changes: changes.iter().filter(|change| inside(change.0)).count() as u64,
                preferring_ns: sum.preferring.values().sum(),
                ..sum.row
            }
        })
        .collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.run_ns), row.tgid));
    let more = rows.len().saturating_sub(MOST) as u64;
    rows.truncate(MOST);
    let lacks = (unknown_ns > 0)
        .then_some("the process of some tasks (record-tgid or sched:task_newtask, samples of cgroup.threads or /proc/PID/sched)");
    let (label, missing) = lowered(
        &evidence.run_state_in(window.from_ns, window.to_ns),
        lacks.as_slice(),
    );
    let cores = open
        .sharing
        .cores
        .is_empty()
        .then_some("which CPUs share a core");
    let never = NEVER_RECORDED.iter().copied().chain(cores);
    Ok(LlcProcesses {
        processes: rows,
        more,
        unknown_ns,
        label,
        preferred_missing: missing
            .iter()
            .cloned()
            .chain(never.map(str::to_owned))
            .collect(),
        missing,
        preferred_provenance: Label::WhatIf,
    })
}

/// Preferences of each process over time, replayed from the start of the recording.
fn preferred(
    open: &Context,
    pids: &[i32],
    process: &[Option<i32>],
) -> Result<std::sync::Arc<Preferences>, Stop> {
    let index = &open.index;
    open.shared("llc", || {
        let sharing = &open.sharing;
        let known = CachesAndTasks {
            llcs: &sharing.llcs,
            smt: sharing.cores.iter().map(Vec::len).max().unwrap_or(1) as u64,
            process,
            threads: &thread_counts(pids, process),
        };
        let span = (index.origin_ns(), index.end_ns());
        let cpus = index.nodes().iter().flat_map(|node| &node.cpus);
        let lanes = cpus.map(|&cpu| index.slices(cpu, span.0, span.1));
        Ok(preferences(&known, span, lanes)?)
    })
}
