//! One task in a window: time in each state and on each CPU, causes of waits, wakers and wakees.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_machine::timeline::task_spans;
use numalens_replay::timeline::{NO_CPU, TaskState};
use numalens_replay::waits::{Cause, Order, WaitFrom};
use numalens_subject::section::{Named, pids, replay};
use numalens_subject::waits::window_waits;
use numalens_subject::window::{LOST_EVENTS, Names, SCHED_WAKING, lowered};
use numalens_subject::{Context, Stop, Window};
use schemars::JsonSchema;
use serde::Serialize;

use crate::options::{OnePath, OneTask};
use crate::sections::decided::{Decisions, decided};
use crate::sections::{finished, recorders};
use crate::{self as latency, CauseSum, Config, CriticalPath, Latency, Meter, PathLogs, WorstWait};

/// States of a task in a window. They add up to the time in which it existed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Task")]
pub(super) struct TaskSums {
    pid: i32,
    /// Last name.
    comm: String,
    /// Cgroup in its last wait; `None` when no cgroups are known or it did not wait.
    cgroup: Option<String>,
    /// The states that there are.
    states: Vec<StateSum>,
    /// CPUs of its runs, the longest first.
    cpus: Vec<CpuSum>,
    /// Causes of its waits.
    causes: Vec<CauseSum>,
    /// Tasks on the waking CPU, by count.
    wakers: Vec<Woken>,
    /// Wakees, by count.
    wakees: Vec<Woken>,
    /// Number of its wakeups.
    wakeup_count: u64,
    /// Wakeups of the task, ascending in time; the first ones when there are more than the limit.
    wakeups: Vec<Wakeup>,
    /// Longest waits, of all kinds.
    waits: Vec<WorstWait>,
    /// Decisions of the balancers about it.
    decisions: Decisions,
    /// Provenance.
    label: Label,
    /// Inputs that would improve the provenance.
    missing: Vec<String>,
}

/// Time of a task in a state.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskStateSum")]
pub(super) struct StateSum {
    /// `running`, `wakeup`, `preempted`, `resumed` (runnable since then), `sleeping`, `blocked` (uninterruptible sleep),
    /// `not_recorded` or `lost_events`.
    state: &'static str,
    /// Number of times in this state.
    count: u64,
    /// Length, ns.
    ns: u64,
}

/// Run time of a task on a CPU.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskCpuSum")]
pub(super) struct CpuSum {
    cpu: u32,
    /// The CPU's node.
    nid: Option<u32>,
    /// ns.
    run_ns: u64,
}

/// The other side of wake-ups.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskWoken")]
pub(super) struct Woken {
    /// 0 is the idle task: an interrupt on an idle CPU.
    pid: i32,
    /// Last name; empty when it did not run.
    comm: String,
    /// Number of wakeups.
    count: u64,
    /// Total wait of the woken task, ns.
    wait_ns: u64,
}

/// A wakeup of the task.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskWakeup")]
pub(super) struct Wakeup {
    /// Time, ns of the reference clock.
    #[serde(with = "Moment")]
    waking_ns: u64,
    /// Time from which it ran.
    #[serde(with = "Moment")]
    switch_in_ns: u64,
    /// Length of the wait in between, inside the window, ns.
    wait_ns: u64,
    /// CPU on which it ran.
    cpu: u32,
    /// Task on the waking CPU; 0 for an idle one.
    waker_pid: i32,
    /// Name of the waker; empty when it did not run.
    waker_comm: String,
}

/// State of a task at a time, and its critical path: the window begins then.
pub(super) fn critical_path(
    open: &Context,
    window: Window,
    options: OnePath,
) -> Result<CriticalPath, Stop> {
    let (parts, _) = replay(open)?;
    let Some(pid) = options.pid else {
        return Err(Stop::unavailable(NO_PID));
    };
    let logs = PathLogs {
        requests: parts.requests(open)?,
        nodes: open.index.nodes(),
        origin_ns: open.index.origin_ns(),
    };
    let name = |pid| open.index.comm_of(pid).unwrap_or_default().to_owned();
    let spans = |pid| task_spans(open, pid);
    latency::critical_path(&logs, pid, window.from_ns, spans, name)?.map_err(Stop::unavailable)
}

/// Reason for a missing answer without a pid.
const NO_PID: &str = "this section needs the pid of a task";

pub(super) fn task(open: &Context, window: Window, options: OneTask) -> Result<TaskSums, Stop> {
    let (parts, evidence) = replay(open)?;
    let Some(pid) = options.pid else {
        return Err(Stop::unavailable(NO_PID));
    };
    let spans = task_spans(open, pid)?;
    if spans.is_empty() {
        return Err(Stop::unavailable(format!(
            "no task of the pid {pid} ran or waited in this recording"
        )));
    }
    let mut found = Sums::default();
    let origin = open.index.origin_ns();
    let (from, to) = (window.from_ns - origin, window.to_ns - origin);
    for span in spans.within(from, to) {
        let ns = span.end.min(to) - span.start.max(from);
        let state = found.states.entry(span.state).or_default();
        *state = (state.0 + 1, state.1 + ns);
        if span.state == TaskState::Running && span.cpu != NO_CPU {
            *found.cpus.entry(span.cpu).or_default() += ns;
        }
    }
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    let pids = pids(open);
    let own = recorders(open);
    let mut meter = Meter::new(&Config {
        nodes: open.index.nodes(),
        pids: &pids,
        own: &own,
        source: evidence.run_state_in(window.from_ns, window.to_ns),
        requests: open.requests,
        cgroups: parts.groups.is_some(),
        limit: options.limit,
    });
    let mut group = None;
    let name = |pid| open.index.comm_of(pid).unwrap_or_default().to_owned();
    window_waits(open, parts, window, Order::Forwards, |part| {
        let (wait, ns) = (part.wait, part.ns());
        let woken = names.task(wait.task).0;
        if woken == pid {
            group = parts.groups.as_ref().map(|_| wait.group);
            meter.wait(part);
            for cause in part.causes {
                found.causes[cause.cause as usize] += cause.ns;
            }
        }
        // The end of a wait that began before the window is no further wake-up.
        if wait.from == WaitFrom::Waking && wait.waker_pid >= 0 && !part.begun_before() {
            if woken == pid {
                add(&mut found.wakers, wait.waker_pid, ns);
                found.wakeup_count += 1;
                if found.wakeups.len() < options.limit {
                    found.wakeups.push(Wakeup {
                        waking_ns: wait.start_ns,
                        switch_in_ns: wait.end_ns,
                        wait_ns: ns,
                        cpu: wait.cpu,
                        waker_pid: wait.waker_pid,
                        waker_comm: name(wait.waker_pid),
                    });
                }
            }
            if wait.waker_pid == pid {
                add(&mut found.wakees, woken, ns);
            }
        }
    })?;
    let lost = found.states.contains_key(&TaskState::Lost);
    let missing = [(lost, LOST_EVENTS), (!open.requests, SCHED_WAKING)];
    let missing: Vec<&str> = missing.iter().filter(|m| m.0).map(|m| m.1).collect();
    let (label, missing) = lowered(
        &evidence.run_state_in(window.from_ns, window.to_ns),
        &missing,
    );
    Ok(TaskSums {
        pid,
        comm: name(pid),
        cgroup: group.map(|group| names.cgroup(group).to_owned()),
        states: found.states(),
        cpus: found.cpus(open, options.limit),
        causes: CauseSum::list(&found.causes),
        wakers: woken(open, &found.wakers, options.limit),
        wakees: woken(open, &found.wakees, options.limit),
        wakeup_count: found.wakeup_count,
        wakeups: found.wakeups,
        waits: longest(finished(open, parts, meter)?, options.limit),
        decisions: decided(open, pid, window, options.limit)?,
        label,
        missing,
    })
}

type ByPid = BTreeMap<i32, (u64, u64)>;

#[derive(Default)]
struct Sums {
    states: BTreeMap<TaskState, (u64, u64)>,
    cpus: BTreeMap<u32, u64>,
    causes: [u64; Cause::COUNT],
    wakers: ByPid,
    wakees: ByPid,
    wakeup_count: u64,
    wakeups: Vec<Wakeup>,
}

impl Sums {
    fn states(&self) -> Vec<StateSum> {
        let states = self.states.iter();
        states
            .map(|(state, &(count, ns))| StateSum {
                state: state.name(),
                count,
                ns,
            })
            .collect()
    }

    fn cpus(&self, open: &Context, limit: usize) -> Vec<CpuSum> {
        let mut cpus: Vec<(u32, u64)> = self.cpus.iter().map(|(&cpu, &ns)| (cpu, ns)).collect();
        cpus.sort_by_key(|&(cpu, ns)| (Reverse(ns), cpu));
        cpus.truncate(limit);
        let nid = |cpu| {
            let mut nodes = open.index.nodes().iter();
            nodes.find(|node| node.cpus.contains(&cpu)).map(|it| it.nid)
        };
        cpus.into_iter()
            .map(|(cpu, run_ns)| CpuSum {
                cpu,
                nid: nid(cpu),
                run_ns,
            })
            .collect()
    }
}

fn add(sums: &mut ByPid, pid: i32, ns: u64) {
    let sum = sums.entry(pid).or_default();
    *sum = (sum.0 + 1, sum.1 + ns);
}

fn woken(open: &Context, sums: &ByPid, limit: usize) -> Vec<Woken> {
    let mut found: Vec<Woken> = sums
        .iter()
        .map(|(&pid, &(count, wait_ns))| Woken {
            pid,
            comm: open.index.comm_of(pid).unwrap_or_default().to_owned(),
            count,
            wait_ns,
        })
        .collect();
    found.sort_by_key(|one| (Reverse(one.count), one.pid));
    found.truncate(limit);
    found
}

fn longest(latency: Latency, limit: usize) -> Vec<WorstWait> {
    let kinds = [latency.preempted, latency.new, latency.unfinished];
    let mut waits = latency.worst;
    waits.extend(kinds.into_iter().flat_map(|kind| kind.worst));
    waits.sort_by_key(|wait| (Reverse(wait.wait_ns), wait.waking_ns));
    waits.truncate(limit);
    waits
}
