//! Uninterruptible sleeps of a window, and times in which the freezer, signals and tracers kept tasks from running.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use numalens_bundle::Error;
use numalens_core::provenance::{Label, Source};
use numalens_core::tasks::TaskId;
use numalens_off_cpu::findings::halted::{Halt, Halted};
use numalens_off_cpu::{Ledger, SleepCause, TaskSleep};
use numalens_replay::evidence::SILENT_CPUS;
use numalens_replay::states::Which;
use numalens_replay::timeline::{BlockedSleep, Index};
use numalens_replay::waits::{Order, WaitFrom};
use numalens_subject::section::{Named, replay};
use numalens_subject::vmstat::{self, VmstatSamples};
use numalens_subject::window::{Names as _, is_of_kernel, is_own};
use numalens_subject::{Context, Shared, Stop, Window};

use crate::findings::blocked::{Blocked, BlockedFacts, LEAST_NS};

/// The uninterruptible sleeps and stops of a window.
pub struct Asleep {
    tasks: Vec<Blocked>,
    halted: Vec<Halted>,
    source: Source,
    io_known: bool,
    io_device: Option<String>,
    refaults: Option<u64>,
}

impl Shared for Asleep {
    fn heap_bytes(&self) -> usize {
        self.tasks.heap_bytes() + self.halted.heap_bytes()
    }
}

impl Asleep {
    /// Sleeps of a window.
    ///
    /// # Errors
    ///
    /// Stops when an input is missing or a log cannot be read.
    pub fn of(open: &Context, window: Window) -> Result<Arc<Self>, Stop> {
        open.shared(window, || asleep(open, window))
    }

    /// Times in which tasks were kept from running.
    #[must_use]
    pub fn halted(&self) -> &[Halted] {
        &self.halted
    }

    /// Facts for the detectors.
    #[must_use]
    pub fn facts(&self, window: Window) -> BlockedFacts<'_> {
        let label = if self.source.missing.is_empty() {
            self.source.label
        } else {
            self.source.label.max(Label::Inferred)
        };
        BlockedFacts {
            from_ns: window.from_ns,
            to_ns: window.to_ns,
            tasks: &self.tasks,
            label,
            missing: &self.source.missing,
            io_known: self.io_known,
            device: self.io_device.as_deref(),
            refaults: self.refaults,
        }
    }
}

/// An I/O wait is counted from the switch on, or, where an event gives its length, some microseconds later.
const COUNTED_WITHIN_NS: u64 = 1_000_000;

fn asleep(open: &Context, window: Window) -> Result<Asleep, Stop> {
    let (parts, evidence) = replay(open)?;
    let Window { from_ns, to_ns } = window;
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    // When tasks made others.
    let mut forks: BTreeMap<i32, Vec<u64>> = BTreeMap::new();
    let woken = |each: &mut dyn FnMut(TaskId, u64)| -> Result<(), Error> {
        parts
            .waits
            .over(from_ns, to_ns, Order::Forwards, |wait, _| {
                each(wait.task, wait.start_ns);
                if wait.from == WaitFrom::New {
                    forks.entry(wait.waker_pid).or_default().push(wait.start_ns);
                }
            })?;
        // A task that was woken and not seen to run, since its switches are missing, has no wait.
        let tasks = (0..open.index.tasks() as TaskId).map(|task| (names.task(task).0, task));
        let tasks: HashMap<i32, TaskId> = tasks.collect();
        for request in parts.requests(open)?.rows(from_ns, to_ns)? {
            if let Some(&task) = tasks.get(&request.pid) {
                each(task, request.ts_ns);
            }
        }
        Ok(())
    };
    let source = evidence.run_state_in(window.from_ns, window.to_ns);
    let missing = &source.missing;
    // Where a CPU has no events, tasks may have woken and run there.
    let mut sleeps = if missing.iter().any(|name| name == SILENT_CPUS) {
        Vec::new()
    } else {
        open.index.blocked(from_ns, to_ns, woken)?
    };
    // Where switches are missing, so may be the end of a sleep.
    if !missing.is_empty() {
        sleeps.retain(|sleep| sleep.to_ns < to_ns);
    }
    let decided = decided(open, window, &sleeps, &names)?;
    let halted = take_halted(&mut sleeps, &decided, &names, &open.index);
    // Where the count of tasks in I/O waits grows, ascending on each CPU.
    let mut counted: BTreeMap<u32, (u16, Vec<u64>)> = BTreeMap::new();
    if evidence.iowait.is_some() && !sleeps.is_empty() {
        parts.states.scan(Which::Machine, from_ns, to_ns, |row| {
            let (before, grown) = counted.entry(row.cpu).or_default();
            if row.state.iowait > *before {
                grown.push(row.ts_ns);
            }
            *before = row.state.iowait;
        })?;
    }
    let mut tasks: BTreeMap<u32, (Blocked, Steady)> = BTreeMap::new();
    for sleep in sleeps {
        let (pid, comm) = names.task(sleep.task);
        if is_own(comm) || is_of_kernel(comm) || is_vfork(forks.get(&pid), sleep.from_ns) {
            continue;
        }
        let ns = sleep.to_ns.saturating_sub(sleep.from_ns);
        let (task, steady) = tasks.entry(sleep.task).or_insert_with(|| {
            let task = Blocked {
                pid,
                comm: comm.to_owned(),
                ns: 0,
                io_ns: 0,
                felt: 0.0,
                longest: (sleep.from_ns, sleep.from_ns),
                steady: false,
                reasons: BTreeMap::new(),
            };
            let steady = Steady {
                from_ns: sleep.from_ns,
                sleeps: 0,
            };
            (task, steady)
        });
        steady.sleeps += 1;
        task.ns = task.ns.saturating_add(ns);
        task.felt += ns as f64 * ns as f64;
        task.steady = steady.holds(task.ns, sleep.to_ns);
        if ns > task.longest.1 - task.longest.0 {
            task.longest = (sleep.from_ns, sleep.to_ns);
        }
        let until = sleep
            .to_ns
            .min(sleep.from_ns.saturating_add(COUNTED_WITHIN_NS));
        let grown = counted.get(&sleep.cpu).map_or(&[][..], |one| &one.1);
        let at = grown.partition_point(|&ts| ts < sleep.from_ns);
        if grown.get(at).is_some_and(|&ts| ts <= until) {
            task.io_ns = task.io_ns.saturating_add(ns);
        } else if let Some(reason) = decided.get(&(pid, sleep.from_ns)).and_then(reason) {
            *task.reasons.entry(reason).or_default() += ns;
        }
    }
    Ok(Asleep {
        tasks: tasks.into_values().map(|(task, _)| task).collect(),
        halted,
        source,
        io_known: evidence.iowait.is_some(),
        io_device: evidence.io_device.clone(),
        refaults: vmstat::refaults(&VmstatSamples::of(open)?.readings, from_ns, to_ns),
    })
}

/// Takes the sleeps of tasks that were kept from running out of the others. Threads have the name of their process.
fn take_halted(
    sleeps: &mut Vec<BlockedSleep>,
    decided: &Decided,
    names: &Named<'_>,
    index: &Index,
) -> Vec<Halted> {
    let tasks = (0..index.tasks() as TaskId).filter_map(|task| index.task(task));
    let by_pid: BTreeMap<i32, &str> = tasks.collect();
    let process = |task: TaskId| {
        let tgid = index.tgids().get(task as usize).copied().flatten()?;
        by_pid.get(&tgid).copied()
    };
    let mut halted = Vec::new();
    sleeps.retain(|sleep| {
        let (pid, comm) = names.task(sleep.task);
        let decided = decided.get(&(pid, sleep.from_ns));
        let halt = match sleep.letter {
            b'T' => Halt::Stopped,
            b't' => Halt::Traced,
            _ if decided.is_some_and(|it| HALTS.iter().any(|halt| it.cause == halt.entry().id)) => {
                Halt::Frozen
            }
            _ => return true,
        };
        if !is_own(comm) && !is_of_kernel(comm) {
            halted.push(Halted {
                halt,
                pid,
                comm: process(sleep.task).unwrap_or(comm).to_owned(),
                from_ns: sleep.from_ns,
                to_ns: sleep.to_ns,
                by: decided.and_then(|it| it.waker.as_ref().map(|waker| waker.comm.clone())),
                signal: decided
                    .filter(|_| halt == Halt::Stopped)
                    .and_then(|it| it.resource.clone()),
            });
        }
        false
    });
    halted
}

/// Tasks whose sleeps are looked at one by one, those that slept longest.
const LOOKED_AT: usize = 32;

/// Uninterruptible sleeps and stops with their causes, by pid and begin.
type Decided = BTreeMap<(i32, u64), TaskSleep>;

/// The cause of an uninterruptible sleep in a sentence, where events or a stack decide it.
fn reason(sleep: &TaskSleep) -> Option<String> {
    let what = if sleep.cause == SleepCause::KernelLock.entry().id {
        "a lock of the kernel"
    } else if sleep.cause == SleepCause::Memory.entry().id {
        "memory"
    } else if sleep.cause == SleepCause::Disk.entry().id {
        "a disk"
    } else {
        return None;
    };
    let resource = sleep.resource.as_ref();
    let resource = resource.filter(|_| sleep.provenance == "observed")?;
    Some(format!("{what} ({resource})"))
}

/// Causes of the sleeps of the tasks that slept longest.
fn decided(
    open: &Context,
    window: Window,
    sleeps: &[BlockedSleep],
    names: &Named<'_>,
) -> Result<Decided, Stop> {
    let mut sums: BTreeMap<i32, u64> = BTreeMap::new();
    for sleep in sleeps {
        let (pid, comm) = names.task(sleep.task);
        if !is_own(comm) && !is_of_kernel(comm) {
            *sums.entry(pid).or_default() += sleep.to_ns.saturating_sub(sleep.from_ns);
        }
    }
    sums.retain(|_, ns| *ns >= LEAST_NS);
    let mut longest: Vec<(u64, i32)> = sums.into_iter().map(|(pid, ns)| (ns, pid)).collect();
    longest.sort_unstable_by(|a, b| b.cmp(a));
    longest.truncate(LOOKED_AT);
    let mut decided = BTreeMap::new();
    if longest.is_empty() {
        return Ok(decided);
    }
    let longest: Vec<i32> = longest.into_iter().map(|(_, pid)| pid).collect();
    let window = (window.from_ns, window.to_ns);
    Ledger::new(open)?.sleeps_of(&longest, window, |pid, sleep| {
        if sleep.state.as_deref() != Some("S") {
            decided.insert((pid, sleep.from_ns), sleep);
        }
        Ok(())
    })?;
    Ok(decided)
}

/// Causes of sleeps that keep a task from running.
const HALTS: [SleepCause; 3] = [SleepCause::Frozen, SleepCause::Stopped, SleepCause::Traced];

/// The sleeps of a task so far.
struct Steady {
    /// Start of the first one, ns.
    from_ns: u64,
    sleeps: u64,
}

impl Steady {
    /// Fewer sleeps may just be long ones.
    const LEAST: u64 = 8;

    /// Returns whether they are many and, until the last one's end, most of the time.
    fn holds(&self, ns: u64, to_ns: u64) -> bool {
        self.sleeps >= Self::LEAST && ns > to_ns.saturating_sub(self.from_ns) / 2
    }
}

/// The parent of a new task sleeps uninterruptibly until that executes a program, if it begins so soon after (`vfork`), ns.
const VFORK_NS: u64 = 5_000_000;

/// Returns whether a sleep is that of a parent that waits for its child (`wait_for_vfork_done`).
fn is_vfork(forks: Option<&Vec<u64>>, from_ns: u64) -> bool {
    let mut forks = forks.into_iter().flatten();
    forks.any(|&at| (from_ns.saturating_sub(VFORK_NS)..=from_ns).contains(&at))
}
