//! The critical path of one wait or sleep: the tasks that held the task up, directly or indirectly, each with its time.
//!
//! The path goes back from the end of the wait over its wakeup to the waker, over the waker's actions since its own wakeup,
//! and so on. It ends at the start of the task's sleep at the latest. Its steps adjoin: with a rest that an interrupt ended,
//! they cover the time from the start of the sleep to the end of the wait.

use std::borrow::Borrow;

use numalens_core::EngineError;
use numalens_core::json::{Moment, OptionalMoment};
use numalens_core::provenance::Label;
use numalens_core::topology::Node;
use numalens_replay::timeline::{NO_CPU, TaskSpan, TaskSpans, TaskState};
use numalens_replay::waits::{Cause, Context, Requests};
use numalens_subject::window::{COMMON_FLAGS, Places, SCHED_SWITCH, SCHED_WAKING};
use schemars::JsonSchema;
use serde::Serialize;

use crate::story::Stop;

/// Steps that are reported.
const STEPS: usize = 32;
/// Parts of a step that are reported.
const PARTS: usize = 32;

/// Sources of a path.
pub struct PathLogs<'a> {
    /// The wakeup requests.
    pub requests: &'a Requests,
    /// Nodes of the CPUs.
    pub nodes: &'a [Node],
    /// Start of the recording, ns of the reference clock.
    pub origin_ns: u64,
}

/// Activity in a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathPart {
    /// `running`, `wakeup`, `preempted` or `resumed` (runnable since then).
    pub state: &'static str,
    /// From when, not before the path begins.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Until when.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Start, which may be before that of the path.
    #[serde(with = "Moment")]
    pub since_ns: u64,
    /// CPU on which it ran, or where its wait ended; `None` when not recorded.
    pub cpu: Option<u32>,
    /// Node.
    pub nid: Option<u32>,
    /// Main cause of a wait.
    pub cause: Option<&'static str>,
}

/// Origin of a wakeup request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathWaker {
    /// Time, ns.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// Context of the requesting CPU.
    pub context: Context,
    /// Requesting CPU.
    pub cpu: u32,
    /// Node.
    pub nid: Option<u32>,
    /// Task on that CPU; not involved if in an interrupt. `None` when not recorded.
    pub pid: Option<i32>,
}

/// Actions of one task from its wakeup, or from the start of the sleep if it was awake before, until it woke the task of the
/// step before; the first step is the wait itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathStep {
    /// Pid.
    pub pid: i32,
    /// Name.
    pub comm: String,
    /// From when.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Until when: there the step before begins.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Run time, ns.
    pub run_ns: u64,
    /// Wait for a CPU, ns.
    pub wait_ns: u64,
    /// Last actions of the task, ascending.
    pub parts: Vec<PathPart>,
    /// Earlier parts that are not reported.
    pub parts_more: u64,
    /// Waker at `from_ns`; `None` when it was awake before or not recorded.
    pub woken: Option<PathWaker>,
    /// Start of the sleep that this wakeup ended; `None` when not recorded.
    #[serde(with = "OptionalMoment")]
    pub slept_ns: Option<u64>,
    /// Provenance of the claim that this task woke the one of the step before.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// Reasons for which a task got a CPU no sooner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CriticalPath {
    /// Pid of the waiting or sleeping task.
    pub pid: i32,
    /// Name.
    pub comm: String,
    /// State of the task at the requested time, named as in the section `task`.
    pub state: &'static str,
    /// Start of its sleep, or of the wait without a sleep before.
    #[serde(with = "Moment")]
    pub begin_ns: u64,
    /// End of the wait after it, or of the sleep if no wait is known.
    #[serde(with = "Moment")]
    pub end_ns: u64,
    /// The latest first.
    pub steps: Vec<PathStep>,
    /// Reason for the end of the path.
    pub stop: Stop,
    /// Time before the last step, back to the start: the sleep that an interrupt ended, or whose end is not recorded, ns.
    pub rest_ns: u64,
    /// Provenance of the whole path.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// Span that contains the requested time; times are ns after the origin.
struct Chosen {
    state: TaskState,
    begin: u64,
    /// Time of the wakeup request.
    woken: Option<u64>,
    end: u64,
}

/// Reason for which a task was awake at a time, found by steps backwards through its actions.
#[derive(Clone, Copy)]
enum Before {
    /// Woken at this time, ns after the origin.
    Woken(u64),
    /// Awake when the sleep began.
    Awake,
    Unknown(Stop),
}

/// The critical path that leads to the end of what a task did at a moment, ns of the reference clock; `Err` inside has
/// the reason for a missing path. `spans` has what a pid did.
///
/// # Errors
/// The logs could not be read.
pub fn critical_path<S: Borrow<TaskSpans>, E: From<EngineError>>(
    logs: &PathLogs<'_>,
    pid: i32,
    at_ns: u64,
    mut spans: impl FnMut(i32) -> Result<S, E>,
    name: impl Fn(i32) -> String,
) -> Result<Result<CriticalPath, &'static str>, E> {
    let own = spans(pid)?;
    let chosen = match choose(own.borrow(), at_ns.saturating_sub(logs.origin_ns)) {
        Ok(chosen) => chosen,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut path = CriticalPath {
        pid,
        comm: name(pid),
        state: chosen.state.name(),
        begin_ns: logs.origin_ns + chosen.begin,
        end_ns: logs.origin_ns + chosen.end,
        steps: Vec::new(),
        stop: Stop::NotRecorded,
        rest_ns: chosen.end - chosen.begin,
        label: Label::Replayed,
        missing: Vec::new(),
    };
    if chosen.woken.is_none() && asleep(chosen.state) {
        // It ran again, and no event reports its wake-up.
        path.lower(SCHED_WAKING);
        return Ok(Ok(path));
    }
    let (mut who, mut until) = (pid, chosen.end);
    loop {
        let of = spans(who)?;
        let (mut step, before) = logs.step((who, name(who)), of.borrow(), chosen.begin, until);
        let next = logs.next(&mut step, before, of.borrow(), &chosen)?;
        path.rest_ns = step.from_ns - path.begin_ns;
        if path.steps.last().is_some_and(PathStep::is_guess) {
            step.lower(COMMON_FLAGS);
        }
        if !path.steps.is_empty() && step.parts.last().is_none_or(|part| part.state != "running") {
            step.lower(SCHED_SWITCH);
        }
        for missing in step.missing.clone() {
            path.lower(&missing);
        }
        path.steps.push(step);
        match next {
            Ok(_) if path.steps.len() == STEPS => path.stop = Stop::Limit,
            Err(reason) => path.stop = reason,
            Ok(next) => {
                (who, until) = next;
                continue;
            }
        }
        return Ok(Ok(path));
    }
}

fn asleep(state: TaskState) -> bool {
    matches!(state, TaskState::Sleeping | TaskState::Blocked)
}

/// The sleep and the wait that a moment, ns after the origin, lies in.
fn choose(spans: &TaskSpans, at: u64) -> Result<Chosen, &'static str> {
    let all = spans.all();
    let place = all.partition_point(|span| span.end <= at);
    let span = all.get(place).filter(|span| span.start <= at);
    let span = span.ok_or("the task did not exist at that time")?;
    let before = place.checked_sub(1).and_then(|before| all.get(before));
    let before = before.filter(|before| before.end == span.start);
    let chosen = |begin, woken, end| Chosen {
        state: span.state,
        begin,
        woken,
        end,
    };
    match span.state {
        TaskState::Running => Err("the task ran at that time: nothing delayed it"),
        TaskState::NotRecorded => Err("no event shows what the task did at that time"),
        TaskState::Lost => Err("events were lost: what the task did at that time is unknown"),
        TaskState::Preempted | TaskState::Resumed => Ok(chosen(span.start, None, span.end)),
        TaskState::Woken => {
            let slept = before.filter(|before| before.state != TaskState::Running);
            let begin = slept.map_or(span.start, |slept| slept.start);
            Ok(chosen(begin, Some(span.start), span.end))
        }
        TaskState::Sleeping | TaskState::Blocked => match all.get(place + 1) {
            Some(next) if next.state == TaskState::Woken => {
                Ok(chosen(span.start, Some(next.start), next.end))
            }
            Some(next) if next.state == TaskState::Running => {
                Ok(chosen(span.start, None, span.end))
            }
            Some(_) => Err("events were lost: how that sleep ended is unknown"),
            None => Err("the recording ended before the task was woken"),
        },
    }
}

impl PathLogs<'_> {
    /// Actions of a task until a time, back to its wakeup or to `since`; ns after the origin.
    fn step(
        &self,
        (pid, comm): (i32, String),
        spans: &TaskSpans,
        since: u64,
        until: u64,
    ) -> (PathStep, Before) {
        let places = Places::new(self.nodes);
        let mut step = PathStep {
            pid,
            comm,
            from_ns: self.origin_ns + until,
            to_ns: self.origin_ns + until,
            run_ns: 0,
            wait_ns: 0,
            parts: Vec::new(),
            parts_more: 0,
            woken: None,
            slept_ns: None,
            label: Label::Observed,
            missing: Vec::new(),
        };
        let mut before = Before::Unknown(Stop::NotRecorded);
        let mut reached = until;
        for span in spans.within(since, until).iter().rev() {
            if span.end < reached {
                break;
            }
            let (from, to) = (span.start.max(since), span.end.min(until));
            match span.state {
                TaskState::Running => step.run_ns += to - from,
                TaskState::Woken | TaskState::Preempted | TaskState::Resumed => {
                    step.wait_ns += to - from;
                }
                TaskState::Lost => {
                    before = Before::Unknown(Stop::LostEvents);
                    break;
                }
                _ => break,
            }
            reached = from;
            if step.parts.len() < PARTS {
                step.parts.push(self.part(span, (from, to), &places));
            } else {
                step.parts_more += 1;
            }
            before = match span.state {
                TaskState::Woken if span.start >= since => Before::Woken(span.start),
                TaskState::Resumed => Before::Unknown(Stop::LostEvents),
                _ if span.start <= since => Before::Awake,
                _ => continue,
            };
            break;
        }
        step.parts.reverse();
        step.from_ns = self.origin_ns + reached;
        (step, before)
    }

    fn part(&self, span: &TaskSpan, (from, to): (u64, u64), places: &Places) -> PathPart {
        let cpu = Some(span.cpu).filter(|&cpu| cpu != NO_CPU);
        PathPart {
            state: span.state.name(),
            from_ns: self.origin_ns + from,
            to_ns: self.origin_ns + to,
            since_ns: self.origin_ns + span.start,
            cpu,
            nid: cpu.and_then(|cpu| places.nid(cpu)),
            cause: Cause::ALL.get(usize::from(span.cause)).map(|it| it.name()),
        }
    }

    /// Waker of a step's task, and the time, ns after the origin; otherwise the reason for the path's end.
    fn next(
        &self,
        step: &mut PathStep,
        before: Before,
        spans: &TaskSpans,
        chosen: &Chosen,
    ) -> Result<Result<(i32, u64), Stop>, EngineError> {
        let woken = match before {
            Before::Woken(woken) => woken,
            Before::Awake if chosen.state == TaskState::Preempted => {
                return Ok(Err(Stop::Preempted));
            }
            Before::Awake => return Ok(Err(Stop::RanAlready)),
            Before::Unknown(reason) => return Ok(Err(reason)),
        };
        let all = spans.all();
        let place = all.partition_point(|span| span.start < woken);
        let slept = place.checked_sub(1).and_then(|before| all.get(before));
        let slept = slept.filter(|slept| slept.end == woken && asleep(slept.state));
        step.slept_ns = slept.map(|slept| self.origin_ns + slept.start);
        let Some(request) = self.requests.at(self.origin_ns + woken, step.pid)? else {
            if place == 0 {
                return Ok(Err(Stop::Created));
            }
            step.lower(SCHED_WAKING);
            return Ok(Err(Stop::NotRecorded));
        };
        let waker = (request.waker_pid >= 0).then_some(request.waker_pid);
        step.woken = Some(PathWaker {
            t_ns: request.ts_ns,
            context: request.context,
            cpu: request.cpu,
            nid: Places::new(self.nodes).nid(request.cpu),
            pid: waker,
        });
        Ok(match request.context {
            Context::Interrupt => Err(Stop::Interrupt),
            Context::Softirq => Err(Stop::Softirq),
            Context::Idle => Err(Stop::Idle),
            // Before that nothing is part of the sleep.
            _ if woken <= chosen.begin => Err(Stop::RanAlready),
            Context::Task | Context::Unknown => waker
                .filter(|&waker| waker > 0 && waker != step.pid)
                .map(|waker| (waker, woken))
                .ok_or(Stop::NotRecorded),
        })
    }
}

impl PathStep {
    /// Returns whether it is unknown if a task or an interrupt woke it.
    fn is_guess(&self) -> bool {
        self.woken
            .is_some_and(|woken| woken.context == Context::Unknown)
    }

    fn lower(&mut self, missing: &str) {
        self.label = Label::Inferred;
        self.missing.push(missing.to_owned());
    }
}

impl CriticalPath {
    fn lower(&mut self, missing: &str) {
        self.label = Label::Inferred;
        if !self.missing.iter().any(|known| known == missing) {
            self.missing.push(missing.to_owned());
        }
    }
}
