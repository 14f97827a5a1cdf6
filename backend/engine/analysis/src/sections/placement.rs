//! CPU time and memory by numa group and node.

use std::collections::{BTreeMap, HashMap};

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cling::events::Grouping;
use crate::context::Context;
use crate::placement::{Config, GroupMemory, GroupTime, Membership, Ranking, Whose, resident};
use crate::sections::numa_logs::{self, NumaInputs};
use crate::sections::options::{self, within};
use crate::sections::section::Stop;
use crate::utilisation::merged;
use crate::window::SliceRef;
use crate::window::Window;

/// Whose time or memory a row is of.
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
    /// Tasks of which no event tells.
    Unknown,
}

/// Whose a row is.
#[derive(Serialize, JsonSchema)]
struct Owned {
    /// Whose time or memory it is.
    whose: Owner,
    /// Id of the numa group; null for rows of no single group.
    ngid: Option<i32>,
    /// Its cgroup, where the kernel has groups of cgroups and they were read.
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

/// Which numa groups used the CPUs of which nodes over time. The rows add up to the nodes' busy time.
#[derive(Serialize, JsonSchema)]
pub(super) struct Placement {
    /// Length of a step, ns; the last one may be shorter.
    step_ns: u64,
    /// Groups by CPU time, then those that share a row, then tasks in none, then those of which nobody knows.
    groups: Vec<PlacementGroup>,
    /// All CPU time of tasks: what the rows add up to.
    busy_ns: u64,
    /// By group, in the order of `groups`; null when no memory was sampled.
    memory: Option<Vec<PlacementMemory>>,
    /// What would tell of memory.
    memory_missing: Vec<String>,
    /// How good it is.
    label: Label,
    /// What would make it better.
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
        source: known.evidence.run_state.clone(),
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
    let maps = numa_logs::maps(open)?;
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
    for reading in &*numa_logs::groups(open)? {
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

type Of = Box<dyn Fn(i32, u64) -> Option<u32> + Send + Sync>;
type Path = Box<dyn Fn(u32) -> Option<String> + Send + Sync>;

/// The cgroups of tasks over time. What had to wait for no CPU is not among them.
pub(super) struct Cgroups {
    of: Of,
    path: Path,
}

impl Cgroups {
    pub(super) fn of(known: &NumaInputs<'_>) -> Result<Self, Error> {
        let mut steps: HashMap<i32, Vec<(u64, u32)>> = HashMap::new();
        let (from, to) = (known.open.index.origin_ns(), known.open.index.end_ns());
        known.parts.waits.scan(from, to, |wait, _| {
            let Some((pid, _)) = known.open.index.task(wait.task) else {
                return;
            };
            let steps = steps.entry(pid).or_default();
            if steps.last().is_none_or(|last| last.1 != wait.group) {
                steps.push((wait.start_ns, wait.group));
            }
        })?;
        let paths: HashMap<u32, String> = steps
            .values()
            .flatten()
            .map(|&(_, group)| {
                let path = known.parts.groups.as_ref().map(|groups| groups.path(group));
                (group, path.unwrap_or("/").to_owned())
            })
            .collect();
        Ok(Self {
            // What was recorded first of a task also held before.
            of: Box::new(move |pid, t_ns| {
                let steps = steps.get(&pid)?;
                let after = steps.partition_point(|step| step.0 <= t_ns);
                steps.get(after.saturating_sub(1)).map(|step| step.1)
            }),
            path: Box::new(move |group| paths.get(&group).cloned()),
        })
    }

    pub(super) fn grouping(&self) -> Grouping<'_> {
        Grouping::Cgroup {
            of: &*self.of,
            path: &*self.path,
        }
    }
}
