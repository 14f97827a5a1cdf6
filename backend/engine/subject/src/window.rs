//! Common parts of analyses of a window.

use numalens_core::provenance::{Label, Source};
use numalens_core::tasks::TaskId;
use numalens_core::topology::{MAX_CPUS, Node};
pub use numalens_replay::timeline::SliceRef;

/// A window inside the recording, ns of the reference clock; never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window {
    /// Start, ns.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
}

// Who is who, and how good a result is.

/// Affinity of tasks.
pub const CPUS_ALLOWED: &str = "cpus_allowed";
/// Missing input: the reason for which balancing left a task.
pub const BALANCING: &str = "why balancing left the tasks";
/// Throttling of cgroups.
pub const CPU_STAT: &str = "cpu.stat";
/// The events that the recording lost.
pub const LOST_EVENTS: &str = "lost_events";
/// A switch of each CPU before the time in question.
pub const SCHED_SWITCH: &str = "sched_switch";
/// Missing input: whether a task or an interrupt requested a wakeup.
pub const COMMON_FLAGS: &str = "common_flags";
/// The requests to wake tasks.
pub const SCHED_WAKING: &str = "sched_waking";

/// Looks up what tasks and cgroups are called.
pub trait Names {
    /// Pid and name of a task.
    fn task(&self, task: TaskId) -> (i32, &str);
    /// Path of a cgroup; `/` for the root.
    fn cgroup(&self, group: u32) -> &str;
}

/// Provenance of a value that is computed from `source` and lacks `missing`.
#[must_use]
pub fn lowered(source: &Source, missing: &[&str]) -> (Label, Vec<String>) {
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

// Nodes of CPUs.

/// Means "on no node".
pub const NO_NODE: u32 = u32::MAX;

/// Nodes of CPUs, by position: the first node has position 0.
#[derive(Debug, Clone)]
pub struct Places {
    by_cpu: Vec<u32>,
    nodes: Vec<Node>,
}

impl Places {
    /// Places of these nodes.
    #[must_use]
    pub fn new(nodes: &[Node]) -> Self {
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
    #[must_use]
    pub fn of(&self, cpu: u32) -> u32 {
        self.by_cpu.get(cpu as usize).copied().unwrap_or(NO_NODE)
    }

    /// The number of a CPU's node.
    #[must_use]
    pub fn nid(&self, cpu: u32) -> Option<u32> {
        self.nodes.get(self.of(cpu) as usize).map(|node| node.nid)
    }

    /// The nodes by place.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The places of the CPUs' nodes, from CPU 0 to the last one.
    #[must_use]
    pub fn by_cpu(&self) -> &[u32] {
        &self.by_cpu
    }
}

// A window cut into steps.

/// Maximum number of steps of a window; a finer step is widened, so that a series fits into memory and an answer.
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

    /// Length of a step, ns.
    #[must_use]
    pub fn step_ns(&self) -> u64 {
        self.step
    }

    /// Number of steps.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Start of a step.
    #[must_use]
    pub fn start(&self, at: usize) -> u64 {
        let offset = (at as u64).saturating_mul(self.step);
        self.from.saturating_add(offset).min(self.to)
    }

    /// End of a step.
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
pub fn cpus_text(cpus: &[u32]) -> String {
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
#[must_use]
pub fn times(count: u64) -> String {
    if count == 1 {
        "once".to_owned()
    } else {
        format!("{count} times")
    }
}

/// A duration as text.
#[must_use]
pub fn time(ns: u64) -> String {
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

/// A moment, as seconds into the window that begins at `from_ns`.
#[must_use]
pub fn into(from_ns: u64, ts: u64) -> String {
    format!(
        "{:.3} s into the window",
        ts.saturating_sub(from_ns) as f64 / 1e9
    )
}

/// The length of a step when a window has at most so many, ns.
#[must_use]
pub fn step_of((from_ns, to_ns): (u64, u64), most: u64) -> u64 {
    // The window's last moment counts, too.
    (to_ns - from_ns + 1).div_ceil(most.max(1)).max(1)
}

// Names of tasks.

/// Begins of the names of kernel threads that have work of others, or none.
const OF_KERNEL: [&str; 12] = [
    "jbd2/",
    "kcompactd",
    "khugepaged",
    "ksoftirqd/",
    "kswapd",
    "kthreadd",
    "kworker/",
    "loop",
    "migration/",
    "rcu_",
    "rcuc/",
    "scsi_",
];

/// Returns whether a name is that of such a kernel thread. Any task may use such a name.
#[must_use]
pub fn is_of_kernel(comm: &str) -> bool {
    OF_KERNEL.iter().any(|begin| comm.starts_with(begin))
}

/// Names of the threads that make recordings.
const OWN: [&str; 3] = ["numalens", "perf", "trace-cmd"];

/// Returns whether a thread makes recordings: it is never victim, culprit or the first place to inspect.
#[must_use]
pub fn is_own(comm: &str) -> bool {
    OWN.contains(&comm)
}
