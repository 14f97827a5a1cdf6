//! One wait from its start to its end: causes part by part, running tasks, idle CPUs, and the wakeup chain before.
//!
//! Nothing is decided here: the segments are the replay's ([`SegmentLogs`]). Idle CPUs come from the log of states, moves of
//! the task from the log of migrations, running tasks from the timeline's index, and the wakeup chain from the log of
//! requests.

mod chain;
mod idle;
mod lane;
mod path;
mod verdict;

use numalens_core::EngineError;
use numalens_core::json::{Moment, OptionalMoment};
use numalens_core::provenance::{Label, Source};
use numalens_core::tasks::TaskId;
use numalens_replay::migrations::{Migration, Migrations};
use numalens_replay::states::Groups;
use numalens_replay::timeline::Index;
use numalens_replay::waits::{
    Cause, CauseNs, CauseTotals, Context, Phase, Requests, SegmentLogs, WaitPart, WaitRow,
};
use numalens_subject::window::{
    BALANCING, CPU_STAT, CPUS_ALLOWED, LOST_EVENTS, Names, Places, SCHED_SWITCH, lowered,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::meter::{Kept, worst_wait};
use crate::queues::{OnQueue, queues_until, ran_on};
use crate::story::chain::Read;
use crate::story::lane::{Lane, Piece};
use crate::{CauseSum, WorstWait};

pub use self::path::{CriticalPath, PathLogs, PathPart, PathStep, PathWaker, critical_path};

/// Parts of the wait that are reported.
const SEGMENTS: usize = 600;
/// Moves that are reported, and queues that are distinguished.
const MOVES: usize = 64;
/// No idle CPU is one that the task may use.
const KEPT_OFF: [Cause; 3] = [
    Cause::Pinned,
    Cause::ProbablyPinned,
    Cause::PinnedBehindHigherClass,
];
/// Some idle CPU is, as far as is known.
const MAY_RUN: [Cause; 7] = [
    Cause::KickDropped,
    Cause::IdleSameNode,
    Cause::IdleOtherNode,
    Cause::PassedOverSameNode,
    Cause::PassedOverOtherNode,
    Cause::ImbalanceAllowed,
    Cause::NumaKept,
];
/// The moves of tasks.
const SCHED_MIGRATE_TASK: &str = "sched_migrate_task";

/// The logs that a story is read from.
#[derive(Debug, Clone, Copy)]
pub struct StoryLogs<'a> {
    /// Index of running tasks.
    pub index: &'a Index,
    /// The causes of waits in order of time, and which CPUs were idle when.
    pub segments: SegmentLogs<'a>,
    /// The wakeup requests.
    pub requests: &'a Requests,
    /// Log of migrations.
    pub migrations: &'a Migrations,
    /// The cgroups, if they are known.
    pub groups: Option<&'a Groups>,
}

/// A wait and what it consisted of, as the log of waits has it.
#[derive(Debug, Clone, Copy)]
pub struct StoryOf<'a> {
    /// The wait.
    pub wait: &'a WaitRow,
    /// Causes of the wait.
    pub causes: &'a [CauseNs],
}

/// Input that would show a cause that is a conclusion.
fn shown_by(cause: Cause) -> Option<&'static str> {
    let shows = match cause {
        Cause::ProbablyPinned => CPUS_ALLOWED,
        Cause::IdleUnexplained => CPU_STAT,
        _ => BALANCING,
    };
    cause.is_inferred().then_some(shows)
}

/// Describes a wait. `group_of` returns the numa group of a pid, if known.
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
    let phases = logs.segments.phases.of(wait, of.causes, pid)?;
    let queues = queues_of(&phases);
    let segments = segments(logs, of, &phases)?;
    // It was kept off all idle CPUs.
    let has = |wanted: &[Cause]| of.causes.iter().any(|cause| wanted.contains(&cause.cause));
    let pinned = has(&KEPT_OFF) && !has(&MAY_RUN);
    let home = pinned.then_some(wait.cpu);
    let idle = idle::idle(logs.segments.states, nodes, &places, (start, end), home)?;
    let lost = logs.index.lost_spans();
    let mut missing = Vec::new();
    if has(&[Cause::Unknown]) {
        missing.push(SCHED_SWITCH);
    }
    if lost.iter().any(|&(from, to)| from <= end && to >= start) {
        missing.push(LOST_EVENTS);
    }
    if moved_unseen(wait, &queues, &moved) {
        missing.push(SCHED_MIGRATE_TASK);
    }
    missing.extend(of.causes.iter().filter_map(|one| shown_by(one.cause)));
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
    let since = queues.first().map_or(end, |queue| queue.from_ns);
    let ran = ran_on(logs.index, &queues_until((since, end), wait.cpu, &moved))?;
    let mut story = Story {
        verdict: String::new(),
        wait: about(of, ran.clone(), &places, &logs, names),
        began: wait.from.name(),
        ended: wait.end.name(),
        numa_group: group_of(pid),
        segments,
        stretches: stretches(of, &queues, &places),
        moves_more: moved.len().saturating_sub(MOVES) as u64,
        moves: moved.iter().take(MOVES).map(told_move).collect(),
        runners: idle::runners(
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
    };
    let ran = ran.first().map(|&(task, ns)| (names.task(task), ns));
    story.verdict = verdict::verdict(&story, wait, ran);
    Ok(story)
}

/// The segments of the wait, short ones together where there are many.
fn segments(
    logs: StoryLogs<'_>,
    of: StoryOf<'_>,
    phases: &[Phase],
) -> Result<Vec<Segment>, EngineError> {
    let mut lane = Lane::new(of.wait.start_ns, of.wait.end_ns, SEGMENTS);
    for part in logs.segments.segments(of.wait, of.causes, phases)? {
        let mut sum: CauseTotals = [0; Cause::COUNT];
        sum[part.cause as usize] = part.to_ns - part.from_ns;
        lane.push(Piece::one(part.from_ns, part.to_ns, sum));
    }
    let pieces = lane.finish().into_iter();
    Ok(pieces
        .map(|piece| Segment {
            from_ns: piece.from_ns,
            to_ns: piece.to_ns,
            count: piece.count,
            causes: CauseSum::list(&piece.sum),
        })
        .collect())
}

/// On whose queue the task was.
fn queues_of(phases: &[Phase]) -> Vec<OnQueue> {
    let on_one = phases.chunk_by(|phase, next| phase.cpu == next.cpu);
    let ends = on_one.filter_map(|on_one| on_one.first().zip(on_one.last()));
    ends.map(|(first, last)| OnQueue {
        from_ns: first.start_ns,
        to_ns: last.end_ns,
        cpu: first.cpu,
    })
    .collect()
}

/// Returns whether the task came to a queue, or to the CPU where it ran, by a move that was not recorded.
fn moved_unseen(wait: &WaitRow, queues: &[OnQueue], moved: &[Migration]) -> bool {
    let to = |queue: &OnQueue| (queue.from_ns, queue.cpu);
    let unseen = |queue| {
        !moved
            .iter()
            .any(|one| (one.ts_ns, one.dest_cpu) == to(queue))
    };
    let came = queues.last().is_none_or(|queue| queue.cpu == wait.cpu);
    !came || queues.iter().skip(1).any(unseen)
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
    let request = (start < first).then(|| stretch(start, first, of.wait.from_cpu, false));
    let moves = queues.iter().take(MOVES);
    let moves = moves.map(|queue| stretch(queue.from_ns, queue.to_ns, queue.cpu, true));
    request.into_iter().chain(moves).collect()
}

fn told_move(moved: &Migration) -> Move {
    Move {
        t_ns: moved.ts_ns,
        from_cpu: moved.orig_cpu,
        to_cpu: moved.dest_cpu,
        by_cpu: moved.cpu,
    }
}

/// The wait in the form of the lists of waits.
fn about<N: Names>(
    of: StoryOf<'_>,
    ran: Vec<(TaskId, u64)>,
    places: &Places,
    logs: &StoryLogs<'_>,
    names: &N,
) -> WorstWait {
    let wait = of.wait;
    let kept = Kept::of(&WaitPart::whole(wait, of.causes), false);
    let cgroup = logs.groups.is_some().then(|| names.cgroup(wait.group));
    worst_wait(&kept, places.nid(wait.cpu), cgroup, ran, names)
}

// What comes out.

/// A part of a wait that was spent on one cause, or several short ones together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitSegment")]
pub struct Segment {
    /// From when.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// End; the next one begins there.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Number of parts.
    pub count: u64,
    /// Causes; they add up to its length.
    pub causes: Vec<CauseSum>,
}

/// CPU of the task during a part of its wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitStretch")]
pub struct Stretch {
    /// From when.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Until when.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// The CPU.
    pub cpu: u32,
    /// Node.
    pub nid: Option<u32>,
    /// On its queue; else about to come there.
    pub queued: bool,
}

/// A move of the task to another CPU during its wait (`sched_migrate_task`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitMove")]
pub struct Move {
    /// Time, ns.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// Source CPU.
    pub from_cpu: u32,
    /// Target CPU.
    pub to_cpu: u32,
    /// The CPU that moved it.
    pub by_cpu: u32,
}

/// A task that ran on the waiting task's CPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitRunner")]
pub struct Runner {
    /// From when, not before the wait.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Until when, not beyond the wait.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// CPU.
    pub cpu: u32,
    /// Number of slices.
    pub count: u64,
    /// Run time, which is the whole length for one slice.
    pub run_ns: u64,
    /// Row of the table of tasks: the task that ran longest.
    pub task: TaskId,
    /// Pid.
    pub pid: i32,
    /// Name.
    pub comm: String,
    /// Number of tasks.
    pub tasks: usize,
    /// Numa group, if known.
    pub numa_group: Option<i32>,
}

/// Time in which a CPU was idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IdleTime")]
pub struct IdlePiece {
    /// From when.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Until when.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Number of idle times.
    pub count: u64,
    /// Idle time, ns.
    pub idle_ns: u64,
}

/// A CPU that was idle during the wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IdleCpu {
    /// The CPU.
    pub cpu: u32,
    /// Node.
    pub nid: Option<u32>,
    /// Idle time, ns.
    pub idle_ns: u64,
    /// True if the CPU is within the task's affinity; `None` when not known.
    pub allowed: Option<bool>,
    /// Idle times.
    pub pieces: Vec<IdlePiece>,
}

/// The idle CPUs of a node during the wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IdleNode {
    /// The node; `None` for CPUs without a known node.
    pub nid: Option<u32>,
    /// Number of CPUs.
    pub cpus: u32,
    /// Idle time of all of them together.
    pub idle_ns: u64,
    /// Time with at least one idle CPU, ns.
    pub any_ns: u64,
    /// Idle CPUs over time: `idle_ns` is that of all CPUs together.
    pub pieces: Vec<IdlePiece>,
}

/// Reason for which the chain of wakeups ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WakeChainStop")]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// An interrupt requested it.
    Interrupt,
    /// A softirq requested it.
    Softirq,
    /// The idle task requested it.
    Idle,
    /// The waker had been awake before the one that it woke went to sleep.
    RanAlready,
    /// The wait began with a preemption: no wakeup was needed.
    Preempted,
    /// The task is new: it was forked, not woken.
    Created,
    /// As many as are reported.
    Limit,
    /// Not recorded.
    NotRecorded,
    /// Events are missing there.
    LostEvents,
}

/// Waker of the previous task in the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WakeHop")]
pub struct Hop {
    /// Time of the wakeup request.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// Task on the requesting CPU; not involved if in an interrupt. `None` when not recorded.
    pub pid: Option<i32>,
    /// Name.
    pub comm: Option<String>,
    /// The CPU that requested it.
    pub cpu: u32,
    /// Node.
    pub nid: Option<u32>,
    /// Context of that CPU.
    pub context: Context,
    /// Start of its own sleep; `None` when not recorded.
    #[serde(with = "OptionalMoment")]
    pub slept_ns: Option<u64>,
    /// In which state it slept, as the kernel prints it.
    pub slept_in: Option<String>,
    /// Time at which its own wakeup was requested.
    #[serde(with = "OptionalMoment")]
    pub woken_ns: Option<u64>,
    /// Time at which it got a CPU after that.
    #[serde(with = "OptionalMoment")]
    pub ran_ns: Option<u64>,
    /// `ran_ns - woken_ns`: its own wait.
    pub wait_ns: Option<u64>,
    /// Time for which it was preempted until it requested the wakeup.
    pub preempted_ns: u64,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// A wait from its start to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Wait")]
pub struct Story {
    /// Summary in one sentence.
    pub verdict: String,
    /// The wait.
    pub wait: WorstWait,
    /// Start: `waking`, `wakeup`, `new`, `preempted` or, after a gap of lost events, `resumed`.
    pub began: &'static str,
    /// End: `ran`, `recording_end`, `lost_events` or `gone`; except for the first, the length is a minimum.
    pub ended: &'static str,
    /// Numa group, if known.
    pub numa_group: Option<i32>,
    /// Causes, one part after the other without gaps.
    pub segments: Vec<Segment>,
    /// CPUs of the task.
    pub stretches: Vec<Stretch>,
    /// Moves of the task.
    pub moves: Vec<Move>,
    /// Moves that are not reported.
    pub moves_more: u64,
    /// Tasks that ran on its CPU, in order of time.
    pub runners: Vec<Runner>,
    /// By node, in the machine's order.
    pub idle_nodes: Vec<IdleNode>,
    /// CPUs that were idle, by their numbers.
    pub idle_cpus: Vec<IdleCpu>,
    /// CPUs that were idle and are not reported.
    pub idle_cpus_more: u64,
    /// Provenance of the idle CPUs that could have taken the task.
    pub idle_label: Label,
    /// Inputs that would improve the provenance.
    pub idle_missing: Vec<String>,
    /// Start of the sleep that the wait ended; `None` without a sleep or when not recorded.
    #[serde(with = "OptionalMoment")]
    pub slept_ns: Option<u64>,
    /// In which state it slept.
    pub slept_in: Option<String>,
    /// Waker, the waker's waker, and so on; back in time.
    pub chain: Vec<Hop>,
    /// Reason for the end of the chain.
    pub stop: Stop,
    /// Provenance of causes and runners.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}
