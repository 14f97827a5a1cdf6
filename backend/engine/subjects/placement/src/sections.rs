//! CPU time and memory by numa group and node.

use std::collections::BTreeMap;

use numalens_bundle::Error;
use numalens_cling::sections::groups;
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_machine::utilisation::merged;
use numalens_page_migration::sections::samples;
use numalens_subject::logs::NumaInputs;
use numalens_subject::options::within;
use numalens_subject::report::{as_is, usual};
use numalens_subject::window::SliceRef;
use numalens_subject::{Context, Stop, Window, subject};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Config, GroupMemory, GroupTime, Membership, Ranking, Whose, options, resident};

/// Owner of a row's time or memory.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "PlacementOwner")]
#[serde(rename_all = "snake_case")]
enum Owner {
    /// A numa group.
    Group,
    /// Groups that have no row of their own.
    Others,
    /// Tasks that are in none.
    NoGroup,
    /// Tasks without events.
    Unknown,
}

/// Owner of a row.
#[derive(Serialize, JsonSchema)]
struct Owned {
    /// Kind of owner.
    whose: Owner,
    /// Id of the numa group; null for rows of no single group.
    ngid: Option<i32>,
    /// Cgroup, if the kernel has groups of cgroups and they were sampled.
    cgroup: Option<String>,
}

/// The CPU time of a row.
#[derive(Serialize, JsonSchema)]
struct PlacementGroup {
    #[serde(flatten)]
    owner: Owned,
    #[serde(flatten)]
    time: GroupTime,
}

/// The memory of a row's processes by their last reading.
#[derive(Serialize, JsonSchema)]
struct PlacementMemory {
    #[serde(flatten)]
    owner: Owned,
    #[serde(flatten)]
    memory: GroupMemory,
}

/// CPU time of numa groups by node over time. The rows add up to the nodes' busy time.
#[derive(Serialize, JsonSchema)]
pub(super) struct Placement {
    /// Length of a step, ns; the last one may be shorter.
    step_ns: u64,
    /// Groups by CPU time, then those that share a row, then tasks without a group, then unknown ones.
    groups: Vec<PlacementGroup>,
    /// All CPU time of tasks: what the rows add up to.
    busy_ns: u64,
    /// By group, in the order of `groups`; null when no memory was sampled.
    memory: Option<Vec<PlacementMemory>>,
    /// Inputs that would show the location of memory.
    memory_missing: Vec<String>,
    /// Provenance.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

pub(super) fn placement(
    open: &Context,
    window: Window,
    options: options::Placement,
) -> Result<Placement, Stop> {
    let step_ns = within(options.step_ns, window.from_ns, window.to_ns)?;
    let known = NumaInputs::of(open)?;
    let index = &open.index;
    let attempts = known.all_attempts()?;
    let members = Membership::of_attempts(&attempts);
    let mut ranking = Ranking::new(Config {
        nodes: known.nodes(),
        from_ns: window.from_ns,
        to_ns: window.to_ns,
        step_ns,
        source: known.evidence.run_state_in(window.from_ns, window.to_ns),
        members: &members,
    });
    let pid = |task: TaskId| index.task(task).map_or(-1, |(pid, _)| pid);
    for slice in stays(&known, window)? {
        ranking.slice(&slice, pid(slice.task));
    }
    let mut meter = ranking.meter(options.limit);
    for slice in stays(&known, window)? {
        meter.slice(&slice, pid(slice.task));
    }
    let maps = samples::maps(open)?;
    let memory = resident(&maps, known.nodes(), &members, window.to_ns, meter.shown());
    let names = names(open)?;
    let found = meter.finish(memory);
    Ok(Placement {
        step_ns: found.step_ns,
        groups: (found.groups.into_iter())
            .map(|time| PlacementGroup {
                owner: owned(time.whose, &names),
                time,
            })
            .collect(),
        busy_ns: found.busy_ns,
        memory: found.memory.map(|rows| {
            rows.into_iter()
                .map(|memory| PlacementMemory {
                    owner: owned(memory.whose, &names),
                    memory,
                })
                .collect()
        }),
        memory_missing: found.memory_missing,
        label: found.label,
        missing: found.missing,
    })
}

/// The stays of all CPUs by their starts.
fn stays<'a>(
    known: &NumaInputs<'a>,
    window: Window,
) -> Result<impl Iterator<Item = SliceRef> + use<'a>, Error> {
    let index = &known.open.index;
    let cpus = known.nodes().iter().flat_map(|node| &node.cpus);
    let lanes = cpus.map(|&cpu| index.slices(cpu, window.from_ns, window.to_ns));
    Ok(merged(lanes.collect::<Result<_, _>>()?))
}

/// The cgroup of each numa group, where the kernel has such and it was read.
fn names(open: &Context) -> Result<BTreeMap<i32, String>, Error> {
    let mut names = BTreeMap::new();
    for reading in &*groups::groups(open)? {
        if reading.gid > 0 {
            names.insert(reading.gid, reading.cgroup.clone());
        }
    }
    Ok(names)
}

fn owned(whose: Whose, names: &BTreeMap<i32, String>) -> Owned {
    let (whose, ngid) = match whose {
        Whose::Group(ngid) => (Owner::Group, Some(ngid)),
        Whose::Others => (Owner::Others, None),
        Whose::NoGroup => (Owner::NoGroup, None),
        Whose::Unknown => (Owner::Unknown, None),
    };
    Owned {
        whose,
        ngid,
        cgroup: ngid.and_then(|ngid| names.get(&ngid).cloned()),
    }
}

// Which cgroup a task was in when, from its waits.

subject! {
    kinds: &[];
    "placement", placement, false, Some(
        "CPU time by numa group and node over time, and the nodes with their memory."
    ), report(usual, as_is);
}
