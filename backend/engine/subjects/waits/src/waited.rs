//! Causes of waits in a window, and their provenance.

use std::sync::Arc;

use numalens_core::EngineError;
use numalens_core::provenance::{Label, Source};
use numalens_machine::coverage::unseen_ns;
use numalens_machine::stat::steal_ns;
use numalens_replay::evidence::CpuSpan;
use numalens_replay::waits::{Order, WaitRow};
use numalens_subject::section::{Named, pids, replay};
use numalens_subject::waits::window_waits;
use numalens_subject::window::{Names as _, is_own};
use numalens_subject::{Context, Shared, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::{Meanwhile, Tally, Waiting, WaitingFacts};
use crate::queues::{moves, queues_until, ran_on};
use crate::weights::{Weighed, Weights};

/// A CPU that was offline in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OfflineCpu {
    /// The CPU.
    pub cpu: u32,
    /// From when, ns, or from the window's beginning.
    pub from_ns: u64,
    /// Until when, ns, or until the window's end.
    pub to_ns: u64,
    /// `observed`: `cpuhp` events say so.
    pub label: Label,
}

impl OfflineCpu {
    /// Returns the offline times within a window.
    #[must_use]
    pub fn within(offline: &[CpuSpan], from_ns: u64, to_ns: u64) -> Vec<Self> {
        let parts = offline.iter().map(|off| Self {
            cpu: off.cpu,
            from_ns: off.from_ns.max(from_ns),
            to_ns: off.to_ns.unwrap_or(to_ns).min(to_ns),
            label: Label::Observed,
        });
        parts.filter(|part| part.from_ns < part.to_ns).collect()
    }
}

/// Waits of tasks, and their provenance.
pub struct Waited {
    /// The waiting.
    pub waiting: Waiting,
    /// Provenance of the waits.
    pub source: Source,
    steal_ns: Option<u64>,
    offline: bool,
}

/// Events of which one must be there for waits after wake-ups to be known.
const WAKEUPS: [&str; 2] = ["sched_wakeup", "sched_waking"];

impl Shared for Waited {
    fn heap_bytes(&self) -> usize {
        self.waiting.heap_bytes()
    }
}

impl Waited {
    /// Reads the waits of a window.
    ///
    /// # Errors
    ///
    /// Stops when an input is missing or a log cannot be read.
    pub fn of(open: &Context, window: Window) -> Result<Arc<Self>, Stop> {
        open.shared(window, || waiting(open, window))
    }

    /// Returns the inputs of the detectors.
    #[must_use]
    pub fn facts<'a>(&'a self, open: &'a Context, window: Window) -> WaitingFacts<'a> {
        let label = if self.source.missing.is_empty() {
            self.source.label
        } else {
            self.source.label.max(Label::Inferred)
        };
        WaitingFacts {
            from_ns: window.from_ns,
            to_ns: window.to_ns,
            cpus: open.index.nodes().iter().map(|node| node.cpus.len()).sum(),
            waiting: &self.waiting,
            label,
            missing: &self.source.missing,
            affinity: open.samples.iter().any(|table| table.table == "task_stat"),
            steal_ns: self.steal_ns,
            sched_ext: open
                .evidence
                .as_ref()
                .and_then(|known| known.sched_ext.as_ref()),
            wakeups: WAKEUPS.iter().any(|name| self.source.name.contains(name)),
            offline: self.offline,
        }
    }
}

/// The waiting of the window.
fn waiting(open: &Context, window: Window) -> Result<Waited, Stop> {
    let (parts, evidence) = replay(open)?;
    let pids = pids(open);
    let offline = OfflineCpu::within(&evidence.offline, window.from_ns, window.to_ns);
    let spans = offline.iter().map(|off| (off.from_ns, off.to_ns));
    let mut tally = Tally::new(spans.collect(), unseen_ns(open, window)?);
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    window_waits(open, parts, window, Order::Backwards, |part| {
        if is_own(names.task(part.wait.task).1) {
            tally.own(part);
        } else if pids.get(part.wait.task as usize) != Some(&0) {
            tally.wait(part);
        }
    })?;
    for cpu in open.index.nodes().iter().flat_map(|node| &node.cpus) {
        for slice in open.index.slices(*cpu, window.from_ns, window.to_ns)? {
            if pids.get(slice.task as usize) != Some(&0) {
                let start = slice.start_ns.max(window.from_ns);
                let ns = slice.end_ns.min(window.to_ns).saturating_sub(start);
                tally.ran(slice.task, ns);
            }
        }
    }
    let migrations = &open.numa_logs()?.migrations;
    let queues = |wait: &WaitRow| {
        let pid = names.task(wait.task).0;
        let span = (wait.start_ns, wait.end_ns);
        Ok::<_, EngineError>(queues_until(span, wait.cpu, &moves(migrations, pid, span)?))
    };
    let window_ns = window.to_ns.saturating_sub(window.from_ns);
    let mut waiting = tally.finish(window_ns, &names, parts.groups.is_some(), |wait| {
        let queues = queues(wait)?;
        let mut cpus: Vec<u32> = queues.iter().map(|queue| queue.cpu).collect();
        cpus.sort_unstable();
        cpus.dedup();
        Ok::<_, EngineError>(Meanwhile {
            cpus,
            ran: ran_on(&open.index, &queues)?,
        })
    })?;
    let weights = open.shared("weights", || Weights::read(open))?;
    // Number 0 is the root or not known, and tasks of the root may be in groups of their sessions (`sched_autogroup_enabled`).
    let cgroup = |group: u32| (group != 0).then(|| names.cgroup(group));
    waiting.weigh(|wait, other| {
        let mut ran = None;
        for queue in queues(wait)? {
            let mut slices = open.index.slices(queue.cpu, queue.from_ns, queue.to_ns)?;
            ran = ran.or_else(|| slices.find(|slice| slice.task == other.task));
        }
        let Some(slice) = ran else {
            return Ok::<_, EngineError>(None);
        };
        // Of one of them it may just not be known.
        if (wait.group == 0) != (other.group == 0) {
            return Ok(None);
        }
        let waits = Weighed {
            pid: names.task(wait.task).0,
            at_ns: wait.start_ns,
            prio: wait.prio,
            cgroup: cgroup(wait.group),
        };
        let runs = Weighed {
            pid: other.pid,
            at_ns: wait.start_ns,
            prio: slice.prio,
            cgroup: cgroup(other.group),
        };
        Ok(weights.outweighed(waits, runs))
    })?;
    Ok(Waited {
        steal_ns: steal_ns(open, window.from_ns, window.to_ns)?,
        waiting,
        source: evidence.run_state_in(window.from_ns, window.to_ns),
        offline: !offline.is_empty(),
    })
}
