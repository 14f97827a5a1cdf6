//! What analyses of a part of a recording share.

use numalens_core::provenance::{Label, Source};
use numalens_core::tasks::TaskId;
use numalens_core::topology::{MAX_CPUS, Node};
pub(crate) use numalens_replay::timeline::SliceRef;

/// A window inside the recording, ns of the reference clock; never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window {
    /// Where it begins.
    pub from_ns: u64,
    /// Where it ends.
    pub to_ns: u64,
}

// Who is who, and how good a result is.

/// Which tasks are allowed on which CPUs.
pub(crate) const CPUS_ALLOWED: &str = "cpus_allowed";
/// What would tell why balancing left a task where it was.
pub(crate) const BALANCING: &str = "why balancing left the tasks";
/// How long cgroups were throttled.
pub(crate) const CPU_STAT: &str = "cpu.stat";
/// The events that the recording lost.
pub(crate) const LOST_EVENTS: &str = "lost_events";
/// A switch of each CPU before the time in question.
pub(crate) const SCHED_SWITCH: &str = "sched_switch";
/// What tells whether a task or an interrupt requested a wake-up.
pub(crate) const COMMON_FLAGS: &str = "common_flags";
/// The requests to wake tasks.
pub(crate) const SCHED_WAKING: &str = "sched_waking";

/// Looks up what tasks and cgroups are called.
pub trait Names {
    /// Pid and name of a task.
    fn task(&self, task: TaskId) -> (i32, &str);
    /// Path of a cgroup; `/` for the root.
    fn cgroup(&self, group: u32) -> &str;
}

/// The label of what is computed from `source` and would be better with `missing`.
pub(crate) fn lowered(source: &Source, missing: &[&str]) -> (Label, Vec<String>) {
    let mut label = source.label.max(Label::Replayed);
    let mut all = source.missing.clone();
    for &name in missing {
        if !all.iter().any(|known| known == name) {
            all.push(name.to_owned());
        }
    }
    if !all.is_empty() {
        label = label.max(Label::Inferred);
    }
    (label, all)
}

// Where CPUs stand.

/// Stands for "on no node".
pub(crate) const NO_NODE: u32 = u32::MAX;

/// Which node each CPU is on, by place: the first node has place 0.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    by_cpu: Vec<u32>,
    nodes: Vec<Node>,
}

impl Places {
    pub(crate) fn new(nodes: &[Node]) -> Self {
        let cpus = nodes.iter().flat_map(|node| &node.cpus);
        let len = cpus
            .filter(|&&cpu| cpu < MAX_CPUS)
            .max()
            .map_or(0, |&cpu| cpu as usize + 1);
        let mut by_cpu = vec![NO_NODE; len];
        for (place, node) in nodes.iter().enumerate() {
            for &cpu in &node.cpus {
                if let Some(slot) = by_cpu.get_mut(cpu as usize) {
                    *slot = place as u32;
                }
            }
        }
        Self {
            by_cpu,
            nodes: nodes.to_vec(),
        }
    }

    /// The place of a CPU's node, or [`NO_NODE`].
    #[inline]
    pub(crate) fn of(&self, cpu: u32) -> u32 {
        self.by_cpu.get(cpu as usize).copied().unwrap_or(NO_NODE)
    }

    /// The number of a CPU's node.
    pub(crate) fn nid(&self, cpu: u32) -> Option<u32> {
        self.nodes.get(self.of(cpu) as usize).map(|node| node.nid)
    }

    /// The nodes by place.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The places of the CPUs' nodes, from CPU 0 to the last one.
    pub(crate) fn by_cpu(&self) -> &[u32] {
        &self.by_cpu
    }
}

// A window cut into steps.

/// A finer step than this many to a window is widened: a series must fit into memory and into an answer.
pub const MAX_STEPS: u64 = 1 << 14;
/// The same for the steps of all rows of a table together.
const MAX_CELLS: u64 = 1 << 19;

/// A window in steps of one length, ns; the last one may be shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    from: u64,
    to: u64,
    step: u64,
    count: usize,
}

impl Steps {
    /// Steps of `step_ns`, or wider ones where there would be more than [`MAX_STEPS`].
    #[must_use]
    pub fn new(from_ns: u64, to_ns: u64, step_ns: u64) -> Self {
        let to_ns = to_ns.max(from_ns);
        let step = step_ns.max((to_ns - from_ns).div_ceil(MAX_STEPS)).max(1);
        Self {
            from: from_ns,
            to: to_ns,
            step,
            count: (to_ns - from_ns).div_ceil(step) as usize,
        }
    }

    /// The most steps of a table of so many rows.
    #[must_use]
    pub fn most(rows: usize) -> u64 {
        (MAX_CELLS / (rows as u64).max(1)).clamp(1, MAX_STEPS)
    }

    /// As [`Self::new`], for a table of so many rows: no more steps than [`Self::most`].
    #[must_use]
    pub fn of_table(from_ns: u64, to_ns: u64, step_ns: u64, rows: usize) -> Self {
        let least = to_ns.saturating_sub(from_ns).div_ceil(Self::most(rows));
        Self::new(from_ns, to_ns, step_ns.max(least))
    }

    /// At most `most` steps of 1, 2 or 5 times a power of ten ns.
    #[must_use]
    pub fn round(from_ns: u64, to_ns: u64, most: u64) -> Self {
        let least = to_ns.saturating_sub(from_ns).div_ceil(most.max(1));
        let mut power = 1_u64;
        loop {
            for factor in [1, 2, 5] {
                let step = power.saturating_mul(factor);
                if step >= least {
                    return Self::new(from_ns, to_ns, step);
                }
            }
            power = power.saturating_mul(10);
        }
    }

    /// Their length, ns.
    #[must_use]
    pub fn step_ns(&self) -> u64 {
        self.step
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// When a step begins.
    #[must_use]
    pub fn start(&self, at: usize) -> u64 {
        let offset = (at as u64).saturating_mul(self.step);
        self.from.saturating_add(offset).min(self.to)
    }

    /// When a step ends.
    #[must_use]
    pub fn end(&self, at: usize) -> u64 {
        self.start(at.saturating_add(1))
    }

    /// The step that a moment of the window is in; a border belongs to the step that it begins.
    #[must_use]
    pub fn at(&self, ts_ns: u64) -> usize {
        (ts_ns.saturating_sub(self.from) / self.step) as usize
    }
}

/// "CPU 7", "CPUs 3 and 7"; of many the first ones.
pub(crate) fn cpus_text(cpus: &[u32]) -> String {
    /// CPUs that are named.
    const NAMED: usize = 4;
    let mut list: Vec<String> = cpus.iter().take(NAMED).map(u32::to_string).collect();
    let more = cpus.len().saturating_sub(NAMED);
    if more > 0 {
        list.push(format!("{more} more"));
    }
    match list.pop() {
        Some(end) if list.is_empty() => format!("CPU {end}"),
        Some(end) => format!("CPUs {} and {end}", list.join(", ")),
        None => "no CPU".to_owned(),
    }
}

/// "once", "2 times".
pub(crate) fn times(count: u64) -> String {
    if count == 1 {
        "once".to_owned()
    } else {
        format!("{count} times")
    }
}

/// A duration for a person.
pub(crate) fn time(ns: u64) -> String {
    if ns >= 10_000_000_000 {
        format!("{:.1} s", ns as f64 / 1e9)
    } else if ns >= 1_000_000_000 {
        format!("{:.2} s", ns as f64 / 1e9)
    } else if (1..1_000).contains(&ns) {
        format!("{ns} ns")
    } else if (1_000..100_000).contains(&ns) {
        format!("{:.1} µs", ns as f64 / 1e3)
    } else {
        format!("{:.1} ms", ns as f64 / 1e6)
    }
}
