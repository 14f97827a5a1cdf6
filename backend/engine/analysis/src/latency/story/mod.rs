//! One wait, told from its begin to its end: what each part of it was spent on, who had the CPU, which CPUs were idle
//! meanwhile, and who woke whom until the task was woken.
//!
//! Nothing is replayed: the log of states says who was idle when, the log of spans what else decides causes, the log of
//! migrations on which queue the task was, the timeline's index who ran, and the log of requests who woke whom.

mod causes;
mod chain;
mod idle;
mod lane;
mod result;
mod runners;

use numalens_core::EngineError;
use numalens_core::provenance::{Label, Source};
use numalens_replay::migrations::{How, Migration, Migrations};
use numalens_replay::states::{Groups, States};
use numalens_replay::timeline::Index;
use numalens_replay::waits::{Cause, CauseNs, CauseSpans, Requests, WaitFrom, WaitRow};

use crate::latency::antagonists::Antagonists;
use crate::latency::meter::worst_wait;
use crate::latency::result::CauseSum;
use crate::latency::story::causes::{Logs, OnQueue};
use crate::latency::story::chain::Read;
use crate::latency::worst::Kept;
use crate::window::{CPUS_ALLOWED, LOST_EVENTS, Names, Places, SCHED_SWITCH, lowered};

pub use self::result::{
    Hop, IdleCpu, IdleNode, IdlePiece, Move, Runner, Segment, Stop, Story, Stretch,
};

/// Parts of the wait that are told.
const SEGMENTS: usize = 600;
/// Moves that are told, and queues that are told apart.
const MOVES: usize = 64;
/// The moves of tasks.
const SCHED_MIGRATE_TASK: &str = "sched_migrate_task";

/// The logs that a story is read from.
#[derive(Debug, Clone, Copy)]
pub struct StoryLogs<'a> {
    /// Who ran where.
    pub index: &'a Index,
    /// Which CPUs were idle when.
    pub states: &'a States,
    /// Interrupts, softirqs, pending balancing, throttling.
    pub spans: &'a CauseSpans,
    /// Who asked to wake whom.
    pub requests: &'a Requests,
    /// Who moved where.
    pub migrations: &'a Migrations,
    /// The cgroups, if they are known.
    pub groups: Option<&'a Groups>,
}

/// A wait and what it consisted of, as the log of waits has it.
#[derive(Debug, Clone, Copy)]
pub struct StoryOf<'a> {
    /// The wait.
    pub wait: &'a WaitRow,
    /// Its causes.
    pub causes: &'a [CauseNs],
}

/// Tells a wait. `group_of` is the numa group of a pid, where it is known.
///
/// # Errors
/// The logs could not be read.
pub fn story<N: Names>(
    logs: StoryLogs<'_>,
    of: StoryOf<'_>,
    source: &Source,
    names: &N,
    group_of: impl Fn(i32) -> Option<i32>,
) -> Result<Story, EngineError> {
    let (wait, nodes) = (of.wait, logs.index.nodes());
    let (start, end) = (wait.start_ns, wait.end_ns);
    let places = Places::new(nodes);
    let (pid, _) = names.task(wait.task);
    let moved: Vec<Migration> = logs
        .migrations
        .rows(start, end)?
        .filter(|moved| moved.pid == pid)
        .collect();
    let queues = queues(of, &moved);
    let read = Logs {
        nodes,
        states: logs.states,
        spans: logs.spans,
        groups: logs.groups,
    };
    let (segments, sums) = causes::causes(read, &places, wait, of.causes, &queues, SEGMENTS)?;
    let pinned = of.causes.iter().any(|cause| cause.cause == Cause::Pinned);
    let home = pinned.then_some(wait.cpu);
    let idle = idle::idle(logs.states, nodes, &places, (start, end), home)?;
    let lost = logs.index.lost_spans();
    let mut missing = Vec::new();
    if sums[Cause::Unknown as usize] != 0 {
        missing.push(SCHED_SWITCH);
    }
    if lost.iter().any(|&(from, to)| from <= end && to >= start) {
        missing.push(LOST_EVENTS);
    }
    // The replay knew another queue than the log of migrations: a move of the task was not recorded as one.
    let agrees = of
        .causes
        .iter()
        .all(|told| sums[told.cause as usize] == told.ns);
    let came = queues.last().is_none_or(|queue| queue.cpu == wait.cpu);
    if !agrees || !came {
        missing.push(SCHED_MIGRATE_TASK);
    }
    let (label, missing) = lowered(source, &missing);
    let (idle_label, idle_missing) = if pinned {
        (label, missing.clone())
    } else {
        let mut idle_missing = missing.clone();
        idle_missing.push(CPUS_ALLOWED.to_owned());
        (label.max(Label::Inferred), idle_missing)
    };
    let chain = Read {
        index: logs.index,
        requests: logs.requests,
        places: &places,
        lost,
    }
    .chain(wait, pid)?;
    Ok(Story {
        wait: about(of, &places, &logs, names)?,
        began: match wait.from {
            WaitFrom::Waking => "waking",
            WaitFrom::Wakeup => "wakeup",
            WaitFrom::Preempted => "preempted",
        },
        numa_group: group_of(pid),
        segments: segments
            .iter()
            .map(|piece| Segment {
                from_ns: piece.from_ns,
                to_ns: piece.to_ns,
                count: piece.count,
                causes: CauseSum::list(&piece.sum),
            })
            .collect(),
        stretches: stretches(of, &queues, &places),
        moves_more: moved.len().saturating_sub(MOVES) as u64,
        moves: moved.iter().take(MOVES).map(told_move).collect(),
        runners: runners::runners(
            logs.index,
            names,
            &queues[..queues.len().min(MOVES)],
            group_of,
        )?,
        idle_nodes: idle.nodes,
        idle_cpus: idle.cpus,
        idle_cpus_more: idle.cpus_more,
        idle_label,
        idle_missing,
        slept_ns: chain.sleep.since_ns,
        slept_in: chain.sleep.state,
        chain: chain.hops,
        stop: chain.stop,
        label,
        missing,
    })
}

/// When the task came to a queue: until then the wake-up was under way. `None` when it never did.
fn enqueued(of: StoryOf<'_>) -> Option<u64> {
    let asked = of.causes.iter().find(|told| told.cause == Cause::WakeUp);
    let since = of.wait.start_ns + asked.map_or(0, |told| told.ns);
    (since < of.wait.end_ns).then_some(since)
}

/// On whose queue the task was when.
fn queues(of: StoryOf<'_>, moved: &[Migration]) -> Vec<OnQueue> {
    let Some(since) = enqueued(of) else {
        return Vec::new();
    };
    let end = of.wait.end_ns;
    let mut queues = vec![OnQueue {
        from_ns: since,
        to_ns: end,
        cpu: of.wait.from_cpu,
    }];
    let moved = moved.iter();
    for moved in moved.filter(|moved| moved.how == How::Runnable && moved.ts_ns >= since) {
        let Some(last) = queues.last_mut().filter(|last| last.cpu != moved.dest_cpu) else {
            continue;
        };
        last.to_ns = moved.ts_ns;
        queues.push(OnQueue {
            from_ns: moved.ts_ns,
            to_ns: end,
            cpu: moved.dest_cpu,
        });
    }
    queues.retain(|queue| queue.from_ns < queue.to_ns);
    queues
}

fn stretches(of: StoryOf<'_>, queues: &[OnQueue], places: &Places) -> Vec<Stretch> {
    let stretch = |from_ns, to_ns, cpu, queued| Stretch {
        from_ns,
        to_ns,
        cpu,
        nid: places.nid(cpu),
        queued,
    };
    let (start, end) = (of.wait.start_ns, of.wait.end_ns);
    let first = queues.first().map_or(end, |queue| queue.from_ns);
    let asked = (start < first).then(|| stretch(start, first, of.wait.from_cpu, false));
    let told = queues.iter().take(MOVES);
    let told = told.map(|queue| stretch(queue.from_ns, queue.to_ns, queue.cpu, true));
    asked.into_iter().chain(told).collect()
}

fn told_move(moved: &Migration) -> Move {
    Move {
        t_ns: moved.ts_ns,
        from_cpu: moved.orig_cpu,
        to_cpu: moved.dest_cpu,
        by_cpu: moved.cpu,
    }
}

/// The wait as the lists of waits tell it.
fn about<N: Names>(
    of: StoryOf<'_>,
    places: &Places,
    logs: &StoryLogs<'_>,
    names: &N,
) -> Result<super::WorstWait, EngineError> {
    let wait = of.wait;
    let mut antagonists = Antagonists::new(wait.start_ns, wait.end_ns);
    for slice in logs.index.slices(wait.cpu, wait.start_ns, wait.end_ns)? {
        antagonists.slice(slice.task, slice.start_ns, slice.end_ns);
    }
    let kept = Kept {
        wait: *wait,
        causes: of.causes.to_vec(),
    };
    let cgroup = logs.groups.is_some().then(|| names.cgroup(wait.group));
    let nid = places.nid(wait.cpu);
    Ok(worst_wait(&kept, nid, cgroup, antagonists, names))
}
